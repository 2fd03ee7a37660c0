//! Paths: where they begin, where they end, and which poses they list.

use super::{of_text, prism, with_files};
use kansho_geom::glam::DVec3;
use kansho_plan::script::answer::MoveAnswer;
use kansho_plan::script::{Answer, Case, Status};

/// A pen on a plate of 200 x 100 mm, from the left; `end` is what the follow ends with, `more` further bodies.
fn pen(end: &str, start: &str, more: &str) -> Answer {
    let text = format!(
        "units = \"mm\"
        move = [{{ do = \"follow\", along = \"+x\", keep = [\"pen.tip on plate.top\", \"level\"], spacing = 10{end} }}]
        [fixed.plate]
        box = [200, 100, 10]
        at = {{ xyz = [0, 0, -5] }}
        top = {{ face = \"+z\" }}
        {more}
        [moved.pen]
        mesh = \"pen.obj\"
        start = {{ xyz = {start} }}
        tip = {{ vertex = [0, 0, 0] }}
        side = {{ edge = \"+x+z\" }}"
    );
    let pyramid = "v 0 0 0\nv 4 4 20\nv -4 4 20\nv -4 -4 20\nv 4 -4 20\nf 1 3 2\nf 1 4 3\nf 1 5 4\nf 1 2 5\nf 2 3 4 5\n";
    let text = text.replace("side = { edge = \"+x+z\" }", "side = { edge = [[4, 4, 20], [4, -4, 20]] }");
    with_files(&text, &[("pen.obj", pyramid)])
}

fn xs(step: &MoveAnswer) -> Vec<f64> {
    step.samples.iter().map(|s| (s.point.x * 1e6).round() / 1e3).collect()
}

fn last(answer: &Answer) -> &MoveAnswer {
    answer.steps.last().expect("one step")
}

/// Every listed pose was come to: it lies on a proven way.
fn poses_are_on_ways(answer: &Answer) {
    for sample in &last(answer).samples {
        let p = sample.pose.translation();
        let near = answer.legs().map(|leg| {
            let (a, b) = (leg.way.from().translation(), leg.way.to().translation());
            let t = ((p - a).dot(b - a) / (b - a).length_squared().max(1e-30)).clamp(0.0, 1.0);
            p.distance(a + (b - a) * t)
        });
        let near = near.fold(f64::INFINITY, f64::min);
        assert!(near < 1e-9, "{p} is {near} m from every way");
    }
}

#[test]
fn a_follow_ends_after_its_length() {
    let answer = pen(", by = 35", "[-50, 0, 0]", "");
    assert_eq!(answer.status(), &Status::Reached);
    assert_eq!(xs(last(&answer)), [-50.0, -40.0, -30.0, -20.0, -15.0]);
    assert!((last(&answer).pose.translation().x + 0.015).abs() < 1e-12);
    poses_are_on_ways(&answer);
    // As much as there is, and a millimetre more.
    assert_eq!(pen(", by = 150", "[-50, 0, 0]", "").status(), &Status::Reached);
    let answer = pen(", by = 151", "[-50, 0, 0]", "");
    assert!(matches!(answer.status(), Status::Slips { .. }), "{:?}", answer.status());
    assert!((last(&answer).pose.translation().x - 0.1).abs() < 1e-9);
    // Without an end it goes to the end of the face.
    assert_eq!(xs(last(&pen("", "[75, 0, 0]", ""))), [75.0, 85.0, 95.0, 100.0]);
}

const STOP: &str = "[fixed.stop]
        box = [10, 50, 60]
        at = { xyz = [37, 0, 30] }
        face = { face = \"-x\" }";

#[test]
fn a_follow_ends_with_its_contact() {
    let answer = pen(", until = \"pen.side touches stop.face\"", "[-20, 0, 0]", STOP);
    assert_eq!(answer.status(), &Status::Reached);
    // The edge is 4 mm before the tip.
    assert_eq!(xs(last(&answer)), [-20.0, -10.0, 0.0, 10.0, 20.0, 28.0]);
    poses_are_on_ways(&answer);
    // A contact that never closes is no end.
    let aside = STOP.replace("[37, 0, 30]", "[37, 40, 30]").replace("[10, 50, 60]", "[10, 10, 60]");
    let answer = pen(", until = \"pen.side touches stop.face\"", "[-20, 0, 0]", &aside);
    assert!(matches!(answer.status(), Status::NoContact { .. }), "{:?}", answer.status());
}

#[test]
fn poses_end_before_what_is_in_the_way() {
    let answer = pen("", "[-20, 0, 0]", STOP);
    assert!(matches!(answer.status(), Status::Blocked(_)), "{:?}", answer.status());
    assert_eq!(xs(last(&answer)), [-20.0, -10.0, 0.0, 10.0, 20.0]);
    poses_are_on_ways(&answer);
}

/// A block on a table, with its lower face.
fn block(follow: &str, start: &str, more: &str) -> Answer {
    of_text(&format!(
        "units = \"mm\"
        move = [{{ do = \"follow\", along = \"+x\", {follow} }}]
        [fixed.table]
        box = [200, 100, 10]
        at = {{ xyz = [0, 0, -5] }}
        top = {{ face = \"+z\" }}
        {more}
        [moved.block]
        box = [20, 20, 10]
        start = {{ xyz = {start} }}
        under = {{ face = \"-z\" }}
        front = {{ face = \"+x\" }}
        side = {{ face = \"+y\" }}"
    ))
}

const ONE: &str = "keep = [\"block.under on table.top\"], spacing = 30";
const TWO: &str = "keep = [\"block.under on table.top\", \"block.side on wall.face\"], spacing = 30";

/// Beside the block, where it starts at y = 5.
const WALL: &str = "[fixed.wall]
        box = [300, 10, 50]
        at = { xyz = [0, 20, 25] }
        face = { face = \"-y\" }
        ";

#[test]
fn a_face_follows_from_where_the_body_is() {
    let answer = block(ONE, "[10, 5, 5]", "");
    assert_eq!(answer.status(), &Status::Reached);
    assert_eq!(xs(last(&answer)), [10.0, 40.0, 70.0, 100.0]);
    // It never goes back.
    for leg in answer.legs() {
        let by = leg.way.to().translation() - leg.way.from().translation();
        assert!(by.x >= -1e-12, "{by}");
    }
    poses_are_on_ways(&answer);
    // Over the face it comes down to the next of the places that the face is divided into.
    let answer = block(ONE, "[10, 5, 25]", "");
    let xs_of = xs(last(&answer));
    assert!(xs_of[0] > -10.0 && xs_of[0] < 30.0 && xs_of.len() == 4, "{xs_of:?}");
    // From before the face on all of them.
    assert_eq!(xs(last(&block(ONE, "[-150, 0, 25]", ""))).len(), 7);
}

#[test]
fn faces_and_places_end_as_they_are_told() {
    for (keep, wall) in [(ONE, ""), (TWO, WALL)] {
        let answer = block(&format!("{keep}, by = 50"), "[10, 5, 5]", wall);
        assert_eq!(answer.status(), &Status::Reached, "{keep}");
        let points = xs(last(&answer));
        assert_eq!(points, [10.0, 40.0, 60.0], "{keep}");
        assert!((last(&answer).pose.translation().x - 0.06).abs() < 1e-12, "{keep}");
        poses_are_on_ways(&answer);
        let stop = wall.to_owned() + &STOP.replace("[37, 0, 30]", "[75, 0, 30]");
        let answer =
            block(&format!("{keep}, until = \"block.front touches stop.face\""), "[10, 5, 5]", &stop);
        assert_eq!(answer.status(), &Status::Reached, "{keep}");
        assert_eq!(xs(last(&answer)), [10.0, 40.0, 60.0], "{keep}");
        let answer = block(keep, "[10, 5, 5]", &stop);
        assert!(matches!(answer.status(), Status::Blocked(_)), "{keep} {:?}", answer.status());
        assert_eq!(xs(last(&answer)), [10.0, 40.0], "{keep}");
        poses_are_on_ways(&answer);
    }
    let answer = block(&format!("{TWO}, by = 500"), "[10, 5, 5]", WALL);
    assert!(matches!(answer.status(), Status::Slips { .. }), "{:?}", answer.status());
}

/// Along the outline of a plate, from where the tip is; all the way round if it is closed.
#[test]
fn an_edge_is_followed_from_where_the_body_is() {
    let rim = |selector: &str, start: &str| {
        let text = format!(
            "units = \"mm\"
            move = [{{ do = \"follow\", keep = [\"pen.tip on plate.rim\", \"level\"], spacing = 25 }}]
            [fixed.plate]
            box = [100, 100, 10]
            at = {{ xyz = [0, 0, -5] }}
            rim = {{ {selector} }}
            [moved.pen]
            mesh = \"pen.obj\"
            start = {{ xyz = {start} }}
            tip = {{ vertex = [0, 0, 0] }}"
        );
        let pyramid = "v 0 0 0\nv 4 4 20\nv -4 4 20\nv -4 -4 20\nv 4 -4 20\nf 1 3 2\nf 1 4 3\nf 1 5 4\nf 1 2 5\nf 2 3 4 5\n";
        with_files(&text, &[("pen.obj", pyramid)])
    };
    let all = rim("rim = \"+z\"", "[20, -50, 0]");
    assert_eq!(all.status(), &Status::Reached);
    let points: Vec<DVec3> = last(&all).samples.iter().map(|s| s.point * 1e3).collect();
    assert_eq!(points.len(), 17);
    assert!(points[0].distance(DVec3::new(20.0, -50.0, 0.0)) < 1e-9, "{}", points[0]);
    assert!(points[16].distance(points[0]) < 1e-9, "{}", points[16]);
    let open = rim("edge = [[-50, -50, 5], [50, -50, 5]]", "[20, -50, 0]");
    assert_eq!(xs(last(&open)), [20.0, 45.0, 50.0], "{:?}", open.status());
    // Beside the path it goes to where that begins.
    let beside = rim("edge = [[-50, -50, 5], [50, -50, 5]]", "[20, -80, 0]");
    assert_eq!(xs(last(&beside))[0], -50.0);
}

/// What the list has is unsupported, whatever else is missing.
#[test]
fn what_is_not_covered_is_no_contradiction() {
    let case = |answer: &Answer| match answer.status() {
        Status::Unsupported { case } => Some(*case),
        _ => None,
    };
    // Faces on an edge, without a direction.
    let edge = "units = \"mm\"
        move = [{ do = \"follow\", keep = \"b.under on t.rim\", spacing = 5 }]
        [fixed.t]
        box = [100, 100, 10]
        rim = { edge = \"+x+z\" }
        [moved.b]
        box = [20, 20, 10]
        start = { xyz = [50, 0, 30] }
        under = { face = \"-z\" }";
    assert_eq!(case(&of_text(edge)), Some(Case::FacesOnEdges));
    // A corner on an axis, without a direction.
    let axis = edge.replace("rim = { edge = \"+x+z\" }", "rim = { axis = \"z\" }");
    let axis = axis.replace("under = { face = \"-z\" }", "under = { vertex = \"+x+y-z\" }");
    assert_eq!(case(&of_text(&axis)), Some(Case::PathOnNothing));
    // Two contacts on a road that bends, which do not touch yet.
    let road = prism(
        &[[-50.0, -20.0], [50.0, -20.0], [50.0, -10.0], [0.0, 0.0], [-50.0, 0.0]],
        &[[0, 1, 2], [0, 2, 3], [0, 3, 4]],
        [-50.0, 50.0],
    );
    let places = "units = \"mm\"
        move = [{ do = \"follow\", spacing = 5, keep = [\"b.left on road.way\", \"b.right on road.way\"] }]
        [fixed.road]
        mesh = \"road.obj\"
        way = { faces = [{ face = \"+z\" }, { face = [0.19611614, 0, 0.98058068] }] }
        [moved.b]
        box = [20, 20, 10]
        start = { xyz = [-30, 0, 8] }
        left = { edge = \"+y-z\" }
        right = { edge = \"-y-z\" }";
    assert_eq!(case(&with_files(places, &[("road.obj", &road)])), Some(Case::BendingPlaces));
    // A ladder: its ends slide on floor and wall as it turns.
    let ladder = "units = \"mm\"
        move = [{ do = \"rotate\", about = [0, 1, 0], by_deg = 10, keep = [\"b.foot on floor.top\", \"b.head on wall.face\"] }]
        [fixed.floor]
        box = [400, 100, 10]
        at = { xyz = [0, 0, -5] }
        top = { face = \"+z\" }
        [fixed.wall]
        box = [10, 100, 300]
        at = { xyz = [105, 0, 150] }
        face = { face = \"-x\" }
        [moved.b]
        box = [100, 20, 4]
        start = { xyz = [SX, 0, SZ], rpy_deg = [0, -60, 0] }
        foot = { edge = \"-x-z\" }
        head = { edge = \"+x-z\" }";
    // Turned by 60 degrees: its lower edges are at (∓25 ∓ ..), found so that both touch.
    let (sin, cos) = 60f64.to_radians().sin_cos();
    let at = |x: f64, z: f64| (x * cos - z * sin, x * sin + z * cos);
    let (foot, head) = (at(-50.0, -2.0), at(50.0, -2.0));
    let ladder = ladder.replace("SX", &format!("{}", 100.0 - head.0)).replace("SZ", &format!("{}", -foot.1));
    assert_eq!(case(&of_text(&ladder)), Some(Case::SlideAndTurn), "{:?}", of_text(&ladder).status());
}

/// Why a question is open is said: two round posts take more regions than there may be, whatever the time.
#[test]
fn the_true_reason_is_told() {
    let text = "units = \"mm\"
        move = [{ do = \"slide\", along = \"+x\", by = 150 }]
        [fixed.post]
        cylinder = [20, 60]
        at = { xyz = [100, 0, 30] }
        [moved.can]
        cylinder = [20, 30]
        start = { xyz = [-50, 0, 15] }";
    match of_text(text).status() {
        // Whoever makes this decidable: all the better.
        Status::Blocked(_) => {}
        Status::Undecided { what } => assert!(what.contains("2000000 regions"), "{what}"),
        other => panic!("{other:?}"),
    }
}

/// A floor and a ramp behind it: faces may be listed along the path or against it, and the path begins where the tip is. Down the ramp, the
/// fourth pose is 75 mm along the path: 100 - (75 - 50 / cos 30 deg) = 82.735 mm.
#[test]
fn faces_follow_each_other_whichever_way_they_are_listed() {
    let ramp = "v 0 -20 0\nv 100 -20 0\nv 200 -20 57.735026918962575\nv 200 -20 -10\nv 0 -20 -10\n\
                v 0 20 0\nv 100 20 0\nv 200 20 57.735026918962575\nv 200 20 -10\nv 0 20 -10\n\
                f 1 2 7 6\nf 2 3 8 7\nf 3 4 9 8\nf 4 5 10 9\nf 5 1 6 10\nf 1 5 4 3 2\nf 6 7 8 9 10\n";
    let pyramid = "v 0 0 0\nv 4 4 20\nv -4 4 20\nv -4 -4 20\nv 4 -4 20\nf 1 3 2\nf 1 4 3\nf 1 5 4\nf 1 2 5\nf 2 3 4 5\n";
    let (flat, slope) = (
        "{ face = \"+z\", at = [50, 0, 0] }",
        "{ face = [-0.5, 0, 0.8660254037844387], at = [150, 0, 28.9] }",
    );
    for (list, along, start, expected) in [
        (
            [flat, slope],
            "+x",
            "[50, 0, 0]",
            vec![50.0, 75.0, 100.0, 121.651, 143.301, 164.952, 186.603, 200.0],
        ),
        (
            [slope, flat],
            "+x",
            "[50, 0, 0]",
            vec![50.0, 75.0, 100.0, 121.651, 143.301, 164.952, 186.603, 200.0],
        ),
        ([flat, slope], "-x", "[50, 0, 0]", vec![50.0, 25.0, 0.0]),
        ([slope, flat], "-x", "[50, 0, 0]", vec![50.0, 25.0, 0.0]),
        (
            [flat, slope],
            "-x",
            "[150, 0, 28.867513459481287]",
            vec![150.0, 128.349, 106.699, 82.735, 57.735, 32.735, 7.735, 0.0],
        ),
        ([slope, flat], "+x", "[150, 0, 28.867513459481287]", vec![150.0, 171.651, 193.301, 200.0]),
    ] {
        let text = format!(
            "units = \"mm\"
            move = [{{ do = \"follow\", along = \"{along}\", keep = [\"pen.tip on ramp.way\", \"level\"], spacing = 25 }}]
            [fixed.ramp]
            mesh = \"ramp.obj\"
            way = {{ faces = [{}, {}] }}
            [moved.pen]
            mesh = \"pen.obj\"
            start = {{ xyz = {start} }}
            tip = {{ vertex = [0, 0, 0] }}",
            list[0], list[1]
        );
        let answer = with_files(&text, &[("pen.obj", pyramid), ("ramp.obj", ramp)]);
        assert_eq!(answer.status(), &Status::Reached, "{list:?} {along}");
        let found = xs(last(&answer));
        let near = found.iter().zip(&expected).all(|(x, e)| (x - e).abs() < 1e-3);
        assert!(near && found.len() == expected.len(), "{list:?} {along}: {found:?}");
        poses_are_on_ways(&answer);
    }
}
