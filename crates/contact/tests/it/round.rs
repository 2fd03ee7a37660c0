//! Pegs, holes, balls: what is round is recognised and treated as such.

use crate::cases::{self, part};
use kansho_contact::round::Kind;
use kansho_contact::{Between, ContactOptions, FoundContacts, Held, Part, Twist, Verdict, contacts};
use kansho_geom::glam::DVec3;
use kansho_geom::primitive::{Primitive, Shape};
use kansho_geom::{Mesh, Pose, mesh};
use std::f64::consts::TAU;
use std::sync::Arc;

/// A square plate with a round hole through it, `sides` facets.
fn plate(radius: f64, height: f64, half: f64, sides: usize) -> Arc<Mesh> {
    let (mut points, mut triangles) = (Vec::new(), Vec::new());
    let ring = |k: usize, turn: f64| {
        let (sin, cos) = (TAU * (k % sides) as f64 / sides as f64 + turn).sin_cos();
        DVec3::new(cos, sin, 0.0)
    };
    let mut quad = |q: [DVec3; 4]| {
        let first = points.len() as u32;
        points.extend(q);
        triangles.extend([[first, first + 1, first + 2], [first, first + 2, first + 3]]);
    };
    let up = DVec3::Z * height;
    // The outside is a square whose sides have as many corners as the hole.
    let square = |k: usize| {
        let d = ring(k, 0.0);
        d * (half / d.x.abs().max(d.y.abs()))
    };
    for k in 0..sides {
        let (a, b) = (ring(k, 0.0) * radius, ring(k + 1, 0.0) * radius);
        let (c, d) = (square(k), square(k + 1));
        quad([b, a, a + up, b + up]);
        quad([c, d, d + up, c + up]);
        quad([a + up, c + up, d + up, b + up]);
        quad([a, b, d, c]);
    }
    Arc::new(mesh::weld(&points, &triangles, 1e-12).expect("a mesh").mesh)
}

fn cylinder(radius: f64, height: f64, deviation: f64) -> Part {
    let shape = Primitive::new(Shape::Cylinder { radius, height }).expect("a cylinder");
    part(&Arc::new(shape.tessellated(deviation).expect("bounded")), None)
}

fn ball(radius: f64) -> Part {
    let shape = Primitive::new(Shape::Sphere { radius }).expect("a sphere");
    part(&Arc::new(shape.tessellated(0.01 * radius).expect("bounded")), None)
}

fn slab() -> Part {
    let shape = Primitive::new(Shape::Box { size: DVec3::new(4.0, 4.0, 1.0) }).expect("a box");
    part(&Arc::new(shape.tessellated(1.0).expect("bounded")), None)
        .placed(Pose::from_translation(DVec3::Z * -0.5))
}

fn at(x: f64, y: f64, z: f64) -> Pose {
    Pose::from_translation(DVec3::new(x, y, z))
}

fn touching(moving: &Part, fixed: &Part) -> FoundContacts {
    let found = contacts(moving, &[fixed], &ContactOptions::default());
    assert_eq!(found.between, [Between::Touching]);
    found
}

#[test]
fn a_round_peg_in_a_round_hole_is_a_cylindrical_joint() {
    // Different facets on both: as flat faces they would be in each other.
    let hole = part(&plate(0.5, 1.0, 2.0, 64), None);
    let [round] = hole.rounds() else { panic!("{} round faces", hole.rounds().len()) };
    assert!(round.hollow && (round.radius - 0.5).abs() < 1e-9);
    let peg = cylinder(0.5, 3.0, 0.004).placed(at(0.0, 0.0, 0.4));
    let found = touching(&peg, &hole);
    assert_eq!(
        found.set.freedoms(),
        "slides along and turns about the axis along z through (0, 0, 0) (as in a cylindrical joint), nothing else"
    );
    assert_eq!((found.set.contacts.len(), found.set.count()), (2, 8));
    // And seen from the plate.
    let back = touching(&hole, &peg);
    assert_eq!(back.set.count(), 8);
    assert!(back.set.freedoms().contains("cylindrical joint"));
}

#[test]
fn a_peg_with_clearance_is_apart_and_at_the_wall_it_touches_a_line() {
    let hole = part(&plate(0.5, 1.0, 2.0, 64), None);
    let peg = cylinder(0.49, 3.0, 1e-4);
    let found = contacts(&peg.placed(at(0.0, 0.0, 0.4)), &[&hole], &ContactOptions::default());
    let [Between::Apart { gap, .. }] = found.between[..] else { panic!("{:?}", found.between) };
    assert!((gap - 0.01).abs() < 0.002, "{gap}");
    let found = touching(&peg.placed(at(0.006, 0.008, 0.4)), &hole);
    let set = &found.set;
    assert_eq!(set.count(), 2);
    for contact in &set.contacts {
        let normal = contact.conditions[0][0].normal;
        assert!(normal.distance(DVec3::new(-0.6, -0.8, 0.0)) < 1e-6, "{normal}");
    }
    assert!((set.contacts[0].point.z - set.contacts[1].point.z).abs() > 0.99, "both ends of the line");
}

#[test]
fn balls_and_rollers_on_a_plane() {
    let floor = slab();
    let ball = ball(0.5);
    assert!(
        matches!(ball.rounds(), [round] if matches!(round.kind, Kind::Sphere { .. })),
        "{:?}",
        ball.rounds()
    );
    let found = touching(&ball.placed(at(0.3, 0.2, 0.5)), &floor);
    assert_eq!((found.set.contacts.len(), found.set.count()), (1, 1));
    assert!(found.set.contacts[0].point.distance(DVec3::new(0.3, 0.2, 0.0)) < 1e-9);
    let lying = cylinder(0.5, 2.0, 0.005).placed(Pose::turn(DVec3::X, std::f64::consts::FRAC_PI_2));
    let found = touching(&lying.placed(at(0.0, 0.0, 0.5)), &floor);
    assert_eq!((found.set.contacts.len(), found.set.count()), (2, 2));
    // Turned a little about its axis it touches with a facet or an edge; that is no difference.
    let turned = lying.placed(Pose::turn(DVec3::Y, 0.0123)).placed(at(0.0, 0.0, 0.5));
    assert_eq!(touching(&turned, &floor).set.count(), 2);
}

/// A cup: a dimple of a sphere about the origin, up to an angle from straight down, in what is turned on a lathe.
fn cup(radius: f64, angle: f64, sides: usize, rings: usize) -> Part {
    let outside = 2.0 * radius;
    let rim = DVec3::new(radius * angle.sin(), 0.0, -radius * angle.cos());
    let mut profile: Vec<DVec3> = (0..=rings)
        .map(|k| angle * k as f64 / rings as f64)
        .map(|a| DVec3::new(radius * a.sin(), 0.0, -radius * a.cos()))
        .collect();
    profile.extend([
        DVec3::new(outside, 0.0, rim.z),
        DVec3::new(outside, 0.0, -outside),
        DVec3::Z * -outside,
    ]);
    lathe(&profile, sides)
}

/// What is turned on a lathe: a profile in the plane of x and z, from a point on the axis to another, the body on its right.
fn lathe(profile: &[DVec3], sides: usize) -> Part {
    leaning(profile, sides, 0.0)
}

/// The same, sheared: its axis leans by so much along x for each unit of height.
fn leaning(profile: &[DVec3], sides: usize, lean: f64) -> Part {
    let turned = |p: DVec3, k: usize| {
        let (sin, cos) = (TAU * (k % sides) as f64 / sides as f64).sin_cos();
        DVec3::new(p.x * cos + lean * p.z, p.x * sin, p.z)
    };
    let (mut points, mut triangles) = (Vec::new(), Vec::new());
    for two in profile.windows(2) {
        for k in 0..sides {
            let [a, b] = [turned(two[0], k), turned(two[0], k + 1)];
            let [c, d] = [turned(two[1], k), turned(two[1], k + 1)];
            for triangle in [[a, c, d], [a, d, b]] {
                if (triangle[1] - triangle[0]).cross(triangle[2] - triangle[0]).length() > 1e-12 {
                    let first = points.len() as u32;
                    points.extend(triangle);
                    triangles.push([first, first + 1, first + 2]);
                }
            }
        }
    }
    part(&Arc::new(mesh::weld(&points, &triangles, 1e-12).expect("a mesh").mesh), None)
}

/// A block with a hole that narrows downward in steps: radii, each from its height on; the lowest has a floor unless it goes through.
fn stepped_hole(steps: &[[f64; 2]], through: bool, sides: usize) -> Part {
    let (top, bottom, outside) = (1.0, -3.0, 2.0);
    let tops = steps[1..].iter().map(|s| s[1]).chain([top]);
    let mut profile: Vec<DVec3> = steps
        .iter()
        .zip(tops)
        .flat_map(|(&[radius, from], to)| [from, to].map(|z| DVec3::new(radius, 0.0, z)))
        .collect();
    profile.extend([DVec3::new(outside, 0.0, top), DVec3::new(outside, 0.0, bottom)]);
    if through {
        profile[0].z = bottom;
        profile.push(profile[0]);
    } else {
        profile.insert(0, DVec3::Z * steps[0][1]);
        profile.push(DVec3::Z * bottom);
    }
    lathe(&profile, sides)
}

/// A shaft for such a hole, up to a height.
fn stepped_shaft(steps: &[[f64; 2]], top: f64, sides: usize) -> Part {
    let mut profile = vec![DVec3::Z * steps[0][1]];
    let ends = steps[1..].iter().map(|s| s[1]).chain([top]);
    profile.extend(
        steps
            .iter()
            .zip(ends)
            .flat_map(|(&[radius, from], to)| [from, to].map(|z| DVec3::new(radius, 0.0, z))),
    );
    profile.push(DVec3::Z * top);
    profile.reverse();
    lathe(&profile, sides)
}

/// A cone with a leaning axis stays a polyhedron, of which noise leaves some branches open: yet it comes out of its socket, and so it is not held.
#[test]
fn a_leaning_cone_in_its_socket_is_not_held() {
    let points = |list: &[[f64; 2]]| list.iter().map(|&[x, z]| DVec3::new(x, 0.0, z)).collect::<Vec<_>>();
    for sides in [12, 24, 32] {
        let cone = leaning(&points(&[[0.0, 0.0], [1.0, 0.0], [0.0, -1.2]]), sides, -0.25);
        let socket = points(&[[0.5, -0.6], [1.0, 0.0], [2.0, 0.0], [2.0, -1.5], [0.5, -1.5], [0.5, -0.6]]);
        let socket = leaning(&socket, sides, -0.25);
        let found = touching(&cone, &socket);
        assert_eq!(found.set.judge(&straight(DVec3::Z)).verdict, Verdict::Safe, "{sides}");
        assert_eq!(found.set.held(), Held::Not, "{sides}");
    }
}

fn straight(v: DVec3) -> Twist {
    Twist { v, w: DVec3::ZERO }
}

/// Shafts in holes of their radii, on floors and shoulders, with the same facets, the same but turned, and others.
#[test]
fn pegs_stand_on_floors_and_shoulders() {
    let one: &[[f64; 2]] = &[[0.5, 0.0]];
    let two: &[[f64; 2]] = &[[0.3, -1.0], [0.6, 0.0]];
    let three: &[[f64; 2]] = &[[0.2, -2.0], [0.4, -1.0], [0.9, 0.5]];
    for (steps, through, lowest) in
        [(one, false, 0.0), (two, false, 0.0), (two, true, -0.7), (three, true, 0.4)]
    {
        let hole = stepped_hole(steps, through, 32);
        assert_eq!(hole.rounds().iter().filter(|r| r.hollow).count(), steps.len());
        for (sides, turn) in [(32, 0.0), (32, 0.06), (25, 0.3)] {
            let mut of_shaft = steps.to_vec();
            of_shaft[0][1] += lowest; // On shoulders alone, if this is not its floor.
            let shaft = stepped_shaft(&of_shaft, 1.7, sides).placed(Pose::turn(DVec3::Z, turn));
            let say = format!("{steps:?} {through} {sides} {turn}");
            for (moving, fixed, up) in [(&shaft, &hole, DVec3::Z), (&hole, &shaft, -DVec3::Z)] {
                let found = contacts(moving, &[fixed], &ContactOptions::default());
                assert_eq!(found.between, [Between::Touching], "{say}");
                let judge = |twist: Twist| found.set.judge(&twist).verdict;
                assert_eq!(judge(straight(-up)), Verdict::Blocked, "{say}");
                assert_eq!(judge(straight(up)), Verdict::Border, "{say}: along the walls");
                assert_eq!(judge(straight(DVec3::X)), Verdict::Blocked, "{say}");
                let about = |axis: DVec3| judge(Twist { v: DVec3::ZERO, w: axis });
                assert_eq!(about(DVec3::Z), Verdict::Border, "{say}: it turns");
                assert_eq!(about(DVec3::X), Verdict::Blocked, "{say}");
                assert!(
                    !found.set.freedoms().contains("cylindrical joint"),
                    "{say}: {}",
                    found.set.freedoms()
                );
            }
            // Lifted, it is a cylindrical joint.
            let lifted = shaft.placed(at(0.0, 0.0, 0.1));
            let found = touching(&lifted, &hole);
            assert_eq!(found.set.judge(&straight(-DVec3::Z)).verdict, Verdict::Border, "{say}");
            assert!(found.set.freedoms().contains("cylindrical joint"), "{say}: {}", found.set.freedoms());
        }
    }
}

/// A roller on the floor with its end at a wall.
#[test]
fn a_roller_with_its_end_at_a_wall_is_stopped_there() {
    let profile = [[2.0, -1.0], [2.0, 0.0], [-2.0, 0.0], [-2.0, 1.5], [-3.0, 1.5], [-3.0, -1.0]];
    let corner = |y: f64| profile.map(|[x, z]| DVec3::new(x, y, z)).to_vec();
    let (mut points, mut triangles) = (corner(-2.0), Vec::new());
    points.extend(corner(2.0));
    for k in 0..6u32 {
        let (a, b) = (k, (k + 1) % 6);
        triangles.extend([[a, b + 6, b], [a, a + 6, b + 6]]);
    }
    // Two convex halves of the ends: the floor's and the wall's.
    for [a, b, c] in [[0, 5, 4], [0, 4, 2], [0, 2, 1], [2, 4, 3]] {
        triangles.extend([[a, c, b], [a + 6, b + 6, c + 6]]);
    }
    let bench = Arc::new(mesh::weld(&points, &triangles, 0.0).expect("a mesh").mesh);
    let bench = part(&bench, None);
    let lying = cylinder(0.5, 2.0, 0.005).placed(Pose::turn(DVec3::Y, std::f64::consts::FRAC_PI_2));
    for turn in [0.0, 0.0123] {
        let roller = lying.placed(Pose::turn(DVec3::X, turn)).placed(at(-1.0, 0.3, 0.5));
        let found = touching(&roller, &bench);
        let judge = |v: DVec3| found.set.judge(&straight(v)).verdict;
        assert_eq!(judge(-DVec3::X), Verdict::Blocked);
        assert_eq!(judge(-DVec3::Z), Verdict::Blocked);
        assert_eq!(judge(DVec3::new(1.0, 0.5, 1.0)), Verdict::Safe);
        assert_eq!(judge(DVec3::Y), Verdict::Border);
    }
}

/// A ball in a socket of its radius may go wherever no wall is in front of it, and turn.
#[test]
fn sockets_hold_as_far_as_they_reach() {
    let ball = ball(0.5);
    for (angle, tilt, free) in
        [(1.0f64, 0.5f64, true), (1.0, 0.65, false), (1.4, 0.1, true), (1.4, 0.25, false), (2.4, 0.0, false)]
    {
        let socket = cup(0.5, angle, 32, 12);
        assert_eq!(
            socket.rounds().iter().filter(|r| r.hollow && matches!(r.kind, Kind::Sphere { .. })).count(),
            1
        );
        for (moving, fixed, sign) in [(&ball, &socket, 1.0), (&socket, &ball, -1.0)] {
            let found = touching(moving, fixed);
            // A way out at an angle from straight up is free if no wall is before it: `tilt < π/2 - angle`.
            for turn in [0.0f64, 1.0, 2.5] {
                let way = DVec3::new(tilt.sin() * turn.cos(), tilt.sin() * turn.sin(), tilt.cos()) * sign;
                let judged = found.set.judge(&Twist { v: way, w: DVec3::ZERO });
                let wanted = if free { Verdict::Safe } else { Verdict::Blocked };
                assert_eq!(judged.verdict, wanted, "{angle} {tilt}: {judged:?}");
            }
            let judged = found.set.judge(&Twist { v: DVec3::ZERO, w: DVec3::new(0.3, -0.4, 0.8) });
            assert_ne!(judged.verdict, Verdict::Blocked, "it turns: {judged:?}");
            if angle > 2.0 {
                assert!(found.set.freedoms().contains("ball joint"), "{}", found.set.freedoms());
            }
        }
    }
}

#[test]
fn boxes_and_prisms_are_not_round() {
    assert!(slab().rounds().is_empty());
    let octagon = Primitive::new(Shape::Cylinder { radius: 1.0, height: 1.0 }).expect("a cylinder");
    let mesh = Arc::new(octagon.tessellated(0.2).expect("bounded"));
    assert!(mesh.triangles().len() < 40);
    assert!(part(&mesh, None).rounds().is_empty(), "eight sides are eight faces");
}

#[test]
fn real_pegs_stand_in_their_holes() {
    let Some(folder) = cases::folder() else { return };
    let read = |name: &str| {
        let path = folder.join(format!("../assembly/factory_insertion/{name}.obj"));
        Arc::new(kansho_io::mesh::read(&path, &kansho_io::mesh::MeshOptions::default()).expect("an obj").mesh)
    };
    // Printed to a micrometre.
    let body = |name: &str| part(&read(name), Some(1e-6));
    let options = ContactOptions { touch: Some(3e-6) };
    for (size, radius, room) in
        [("8mm", 0.004, (0.0081 - 0.007995) / 2.0), ("16mm", 0.008, (0.0165 - 0.015994) / 2.0)]
    {
        let hole = body(&format!("round_hole_{size}"));
        let peg = body(&format!("round_peg_{size}_tight"));
        assert!(
            hole.rounds().iter().any(|r| r.hollow && (r.radius - radius).abs() < 0.3e-3),
            "{:?}",
            hole.rounds().len()
        );
        let found = contacts(&peg, &[&hole], &options);
        let [Between::Apart { gap, .. }] = found.between[..] else { panic!("{size}: {:?}", found.between) };
        assert!((gap - room).abs() < 4e-6, "{size}: {gap} of {room}");
        let found = contacts(&peg.placed(at(room, 0.0, 0.0)), &[&hole], &options);
        assert_eq!(found.between, [Between::Touching], "{size}");
        assert_eq!(found.set.count(), 2, "{size}: a line at the wall, {:?}", found.set.contacts);
        // Rectangular ones: flat walls.
        let hole = body(&format!("rectangular_hole_{size}"));
        let peg = body(&format!("rectangular_peg_{size}_tight"));
        let found = contacts(&peg, &[&hole], &options);
        let [Between::Apart { gap, .. }] = found.between[..] else { panic!("{size}: {:?}", found.between) };
        assert!(gap > 3e-5 && gap < 2e-4, "{size}: {gap}");
    }
}
