//! What the figures' contacts say: in words, held or not, pulled out which way.

use crate::cases::{self, exact, json, part};
use kansho_contact::branch::Side;
use kansho_contact::{ContactOptions, ContactSet, Held, Part, PullOut, Twist, Verdict, contacts};
use kansho_geom::glam::DVec3;

fn set(name: &str) -> Option<ContactSet> {
    let case = cases::folder()?.join(name);
    let expected = json(&case.join("expected.json"));
    let body = |name: &serde_json::Value| part(&exact(&case, name.as_str().expect("a name"), 1e-3), None);
    let moving = body(&expected["moving"]);
    let fixed: Vec<Part> = expected["fixed"].as_array().expect("fixed").iter().map(body).collect();
    let fixed: Vec<&Part> = fixed.iter().collect();
    Some(contacts(&moving, &fixed, &ContactOptions::default()).set)
}

#[test]
fn freedoms_read_well() {
    let cases = [
        ("fig05_box_in_hole", "can leave along +z"),
        ("fig15_bilateral", "slides along z, nothing else"),
        (
            "manual_on_table",
            "slides across z and turns about it (as on a plane); can leave along +z (3 ways to the border)",
        ),
        ("x_second_order_triangle", "turns about the axis along z through (0.05, 0.05, 0), nothing else"),
        ("fig19_puzzle_assembled", "can leave along +z"),
    ];
    for (name, words) in cases {
        let Some(set) = set(name) else { return };
        assert_eq!(set.freedoms(), words, "{name}");
    }
}

#[test]
fn the_triangle_is_held_in_second_order_only() {
    let Some(set) = set("x_second_order_triangle") else { return };
    assert_eq!(set.held(), Held::SecondOrder);
    let w = DVec3::Z;
    let turn = Twist { v: -w.cross(DVec3::new(0.05, 0.05, 0.0)), w };
    assert_eq!(set.judge(&turn).verdict, Verdict::Border);
    assert!(set.is_blocked_in_second_order(&turn));
}

#[test]
fn what_slides_is_not_held() {
    for (name, out) in [
        ("fig05_box_in_hole", PullOut::Along(DVec3::Z)),
        ("fig16_unilateral", PullOut::Along(DVec3::Z)),
        ("fig19_puzzle_assembled", PullOut::Along(DVec3::Z)),
    ] {
        let Some(set) = set(name) else { return };
        assert_eq!(set.held(), Held::Not, "{name}");
        let (PullOut::Along(found), PullOut::Along(wanted)) = (set.pull_out(), out) else { panic!("{name}") };
        assert!(found.distance(wanted) < 1e-6, "{name}: {found}");
    }
    let Some(bar) = set("fig15_bilateral") else { return };
    assert!(matches!(bar.pull_out(), PullOut::Slides(d) if d.cross(DVec3::Z).length() < 1e-6));
}

/// The ends of an edge on an edge say that this is safe; the edges collide in the middle.
#[test]
fn ends_of_a_segment_do_not_decide() {
    let Some(set) = set("x_edge_on_edge_parallel") else { return };
    let motion = Twist { v: DVec3::new(0.0, 0.0, -1e-3), w: DVec3::Z };
    assert_eq!(set.judge(&motion).verdict, Verdict::Blocked);
    let ends_only = ContactSet { segments: Vec::new(), ..set.clone() };
    assert_eq!(ends_only.judge(&motion).verdict, Verdict::Safe);
    // What the inner branches allow is allowed.
    for branch in set.branches(Side::Inner).list {
        for motion in branch.rays.iter().chain(&branch.lineality) {
            assert_ne!(set.judge(motion).verdict, Verdict::Blocked);
        }
    }
    assert_eq!((set.branches(Side::Inner).list.len(), set.branches(Side::Outer).list.len()), (2, 4));
}

#[test]
fn nearest_motions_are_allowed_and_nothing_sampled_is_nearer() {
    let mut random = cases::Random(9);
    for name in
        ["fig05_box_in_hole", "fig16_unilateral", "fig17_vv_ve", "fig18_state2", "x_edge_on_edge_parallel"]
    {
        let Some(set) = set(name) else { return };
        let branches = set.branches(Side::Inner).list;
        for _ in 0..50 {
            let vector =
                |random: &mut cases::Random| DVec3::new(random.signed(), random.signed(), random.signed());
            let wish = Twist { v: vector(&mut random) * set.size, w: vector(&mut random) };
            let near = set.nearest(&wish);
            assert!(set.judge(&near).margin > -1e-6 || set.speed(&near) < 1e-9, "{name}: {near:?}");
            let off = |t: &Twist| set.speed(&Twist { v: t.v - wish.v, w: t.w - wish.w });
            for _ in 0..50 {
                let branch = &branches[random.next() as usize % branches.len()];
                let mut other = near;
                let by = 0.1 * random.unit();
                for (i, g) in branch.rays.iter().chain(&branch.lineality).enumerate() {
                    let by = by * if i < branch.rays.len() { random.unit() } else { random.signed() };
                    other = Twist { v: other.v + g.v * by, w: other.w + g.w * by };
                }
                if set.segments.is_empty() && set.judge(&other).verdict != Verdict::Blocked {
                    assert!(off(&other) >= off(&near) - 1e-6 * set.size, "{name}");
                }
            }
        }
    }
}

#[test]
fn things_stand_or_fall() {
    let Some(prism) = set("manual_on_table") else { return };
    let centre = prism.centre;
    assert!(prism.stands(-DVec3::Z, centre, 0.0).stable);
    assert!(!prism.stands(DVec3::X, centre, 0.0).stable);
    assert!(!prism.stands(DVec3::Z, centre, 1.0).stable, "friction does not hold against lifting");
}
