//! Worked examples whose answers have closed forms.

use super::{changed, example};
use kansho_geom::Pose;
use kansho_geom::glam::DVec3;
use kansho_plan::script::{Answer, Options, Status, run};

/// In millimetres and degrees.
const EXACT: f64 = 1e-4;

fn mm(pose: Pose) -> [f64; 3] {
    (pose.translation() * 1e3).to_array()
}

fn close(found: [f64; 3], expected: [f64; 3], what: &str) {
    let far = DVec3::from_array(found).distance(DVec3::from_array(expected));
    assert!(far <= EXACT, "{what}: {found:?}, not {expected:?}");
}

/// A rotation by so many degrees about an axis.
fn turned(pose: Pose, axis: DVec3, degrees: f64, what: &str) {
    let expected = Pose::turn(axis, degrees.to_radians());
    let off = (expected.inverse() * pose).quat();
    let angle = 2.0 * DVec3::new(off.x, off.y, off.z).length().min(1.0).asin();
    assert!(angle.to_degrees() <= EXACT, "{what}: off by {} degrees", angle.to_degrees());
}

fn reached(answer: &Answer) {
    for step in &answer.steps {
        assert_eq!(step.status, Status::Reached, "move {} in line {}", step.number, step.line);
    }
}

/// Ends of all ways.
fn stops(answer: &Answer) -> Vec<[f64; 3]> {
    answer.legs().map(|leg| mm(leg.way.to())).collect()
}

#[test]
fn block_in_slot() {
    let answer = run(&example("block_in_slot.toml").script, &Options::default());
    reached(&answer);
    let angle = (30.0 / 1700f64.sqrt()).asin() - 0.25f64.atan();
    assert!((angle.to_degrees() - 32.6499).abs() < EXACT);
    let ends = [[30.0, 12.0, 5.0], [30.0, 10.0, 5.0], [80.0, 10.0, 5.0], [85.8579, 10.0, 15.0]];
    for (step, end) in answer.steps.iter().zip(ends) {
        close(mm(step.pose), end, step.verb);
    }
    let last = &answer.steps[3];
    turned(last.pose, DVec3::Y, angle.to_degrees(), "the block");
    let quat = last.pose.quat();
    for (found, expected) in [quat.w, quat.x, quat.y, quat.z].iter().zip([0.959683, 0.0, 0.281085, 0.0]) {
        assert!((found - expected).abs() < 1e-6);
    }
    // E is at the ceiling; the pivot edge never left the end of the floor.
    let e = last.pose * DVec3::new(-0.02, 0.0, 0.005);
    assert!((e.x - 0.0717157).abs() < 1e-7 && (e.z - 0.03).abs() < 1e-9);
    let half = last.legs[0].way.at(0.5);
    close(mm(half), [82.2118, 10.0, 10.4201], "half-way");
    let counts: Vec<usize> = answer.steps.iter().map(|step| step.freedoms.count).collect();
    assert_eq!(counts, [3, 1, 0, 0]);
    assert_eq!(answer.steps[0].freedoms.words, "x, y, yaw");
    assert_eq!(answer.steps[1].freedoms.words, "x");
}

#[test]
fn box_in_groove() {
    let answer = run(&example("box_in_groove.toml").script, &Options::default());
    reached(&answer);
    let legs: Vec<_> = answer.legs().collect();
    assert_eq!(legs.iter().map(|leg| leg.word).collect::<Vec<_>>(), ["approach", "pivot"]);
    assert!((legs[0].parameter() - 0.011).abs() < 1e-7);
    close(mm(legs[0].way.to()), [4.0, 0.0, 29.0], "first contact");
    assert!((legs[1].parameter().to_degrees() - 18.5944).abs() < EXACT);
    let end = answer.steps[0].pose;
    close(mm(end), [1.59434, 0.0, 23.69498], "the end");
    close(
        mm(Pose::from_translation(end * DVec3::new(-0.015, 0.0, -0.01))),
        [-9.43398, 0.0, 9.43398],
        "left edge",
    );

    let answer = run(&example("box_in_groove_level.toml").script, &Options::default());
    reached(&answer);
    assert_eq!(stops(&answer).len(), 2);
    close(mm(answer.steps[0].pose), [0.0, 0.0, 25.0], "level");
    turned(answer.steps[0].pose, DVec3::Y, 0.0, "level");
    // The same by the option, and the other way round.
    let slide = [(
        "\"box.right touches groove.right\"] }",
        "\"box.right touches groove.right\"], when_partly_touching = \"slide\" }",
    )];
    close(mm(changed("box_in_groove.toml", &slide).1.steps[0].pose), [0.0, 0.0, 25.0], "slide");
    // Held over the edge that touches, it slides too.
    let over = [("grasp = [0, 0, 10]", "grasp = [15, 0, 10]")];
    close(
        mm(changed("box_in_groove.toml", &over).1.steps[0].pose),
        [0.0, 0.0, 25.0],
        "held over the contact",
    );
}

#[test]
fn feet_on_step() {
    let answer = run(&example("feet_on_step.toml").script, &Options::default());
    reached(&answer);
    let legs: Vec<_> = answer.legs().collect();
    assert_eq!(legs.len(), 2);
    assert!((legs[0].parameter() - 0.010).abs() < 1e-7);
    close(
        mm(Pose::from_translation(legs[0].way.to() * DVec3::new(0.06, 0.0, 0.0))),
        [158.0, 52.0, 15.0],
        "foot 2",
    );
    assert!((legs[1].parameter().to_degrees() - 0.25f64.asin().to_degrees()).abs() < EXACT);
    let end = answer.steps[0].pose;
    close(mm(end), [99.9052, 52.0, 0.0], "the end");
    close(mm(Pose::from_translation(end * DVec3::new(0.0, 0.04, 0.0))), [99.9052, 92.0, 0.0], "foot 3");
    let quat = end.quat();
    for (found, expected) in [quat.w, quat.x, quat.y, quat.z].iter().zip([0.992030, 0.0, -0.126004, 0.0]) {
        assert!((found - expected).abs() < 1e-6);
    }
    assert_eq!(answer.steps[0].contacts.len(), 3);
    assert_eq!((answer.steps[0].freedoms.count, answer.steps[0].freedoms.words.as_str()), (3, "x, y, yaw"));
}

/// Three places in one plane: the plane of the feet is turned onto it first, and all close together.
#[test]
fn three_feet_on_one_floor() {
    for turned in ["[20, 0, 0]", "[-10, 15, 30]", "[0, 0, 0]"] {
        let start = format!("start = {{ xyz = [60, 52, 100], rpy_deg = {turned} }}");
        let change = [
            ("\"table.foot2 on ground.step\"", "\"table.foot2 on ground.floor\""),
            ("start = { xyz = [98, 52, 25] }", &*start),
        ];
        let (_, answer) = changed("feet_on_step.toml", &change);
        reached(&answer);
        let end = answer.steps[0].pose;
        assert_eq!(answer.steps[0].contacts.len(), 3, "{turned}");
        for foot in [DVec3::ZERO, DVec3::X * 0.06, DVec3::Y * 0.04] {
            assert!((end * foot).z.abs() < 1e-9, "{turned}");
        }
        assert_eq!(answer.steps[0].freedoms.words, "x, y, yaw");
    }
}

#[test]
fn tip_on_ramp() {
    let answer = run(&example("tip_on_ramp.toml").script, &Options::default());
    reached(&answer);
    let expected = [
        ([0.0, 0.0, 0.0], 0.0),
        ([25.0, 0.0, 0.0], 0.0),
        ([50.0, 0.0, 0.0], 0.0),
        ([75.0, 0.0, 0.0], 0.0),
        ([100.0, 0.0, 0.0], 0.0),
        ([121.6506, 0.0, 12.5], -30.0),
        ([143.3013, 0.0, 25.0], -30.0),
        ([164.9519, 0.0, 37.5], -30.0),
        ([186.6025, 0.0, 50.0], -30.0),
        ([200.0, 0.0, 57.7350], -30.0),
    ];
    let samples = &answer.steps[0].samples;
    assert_eq!(samples.len(), expected.len());
    for (sample, (place, pitch)) in samples.iter().zip(expected) {
        close(mm(sample.pose), place, "a pose");
        turned(sample.pose, DVec3::Y, pitch, "a pose");
    }
}

#[test]
fn boat_over_bump() {
    let answer = run(&example("boat_over_bump.toml").script, &Options::default());
    reached(&answer);
    let samples = &answer.steps[0].samples;
    let (sin, cos) = 15f64.to_radians().sin_cos();
    // Middles of faces of the bump, less those of the sole.
    let first = [20.0 * cos - (5.0 + 5.0 * cos), 0.0, 20.0 * sin - 5.0 * sin];
    let second = [40.0 * cos + 20.0, 0.0, 40.0 * sin];
    let expected = [first, second, [80.0 * cos + 40.0 - first[0], 0.0, first[2]]];
    for (place, known) in expected.iter().zip([[9.489, 3.882], [58.637, 10.353], [107.785, 3.882]]) {
        assert!((place[0] - known[0]).abs() < 5e-4 && (place[2] - known[1]).abs() < 5e-4);
    }
    assert_eq!(samples.len(), expected.len());
    for (sample, place) in samples.iter().zip(expected) {
        close(mm(sample.pose), place, "a pose");
        turned(sample.pose, DVec3::Y, 0.0, "a pose");
    }
    let stops = stops(&answer);
    let inserted = [[40.0 * cos - 5.0, 0.0, 40.0 * sin], [40.0 * cos + 45.0, 0.0, 40.0 * sin]];
    assert!((inserted[0][0] - 33.637).abs() < 5e-4 && (inserted[1][0] - 83.637).abs() < 5e-4);
    for (stop, place) in [stops[1], stops[3]].into_iter().zip(inserted) {
        close(stop, place, "inserted");
    }
    assert_eq!(stops.len(), 5);
}

#[test]
fn peg_in_hole() {
    let answer = run(&example("peg_in_hole.toml").script, &Options::default());
    reached(&answer);
    let end = answer.steps.last().expect("there are moves").pose;
    close(mm(end), [-0.2, 0.0, -10.0], "the peg on the ground, at the wall");
    turned(end, DVec3::Y, 0.0, "upright");
}

#[test]
fn tip_on_edge() {
    let answer = run(&example("tip_on_edge.toml").script, &Options::default());
    reached(&answer);
    let samples = &answer.steps[0].samples;
    // 24 chords of 3.75 degrees.
    let length = 24.0 * 2.0 * 60.0 * (3.75f64.to_radians() / 2.0).sin();
    assert_eq!(samples.len(), (length / 5.0).floor() as usize + 2);
    for sample in samples {
        let p = sample.point * 1e3;
        let radius = p.truncate().length();
        assert!(radius <= 60.0 + 1e-9 && radius >= 60.0 * (3.75f64.to_radians() / 2.0).cos() - 1e-9);
        assert!(p.z.abs() < 1e-9);
        close(mm(sample.pose), p.to_array(), "the tip");
        // Halfway between up and outward.
        let out = sample.pose.rotate(DVec3::Z);
        assert!((out.z - 0.5f64.sqrt()).abs() < 1e-9 && out.truncate().dot(p.truncate()) > 0.0);
    }
}
