//! The figures of the paper, and what goes beyond it, against their exact answers.

use crate::cases::{self, Random, exact, json, noisy, part, same_direction, twist, vector};
use kansho_contact::branch::Side;
use kansho_contact::{Branch, BranchKind, ContactOptions, ContactSet, FoundContacts, Part, contacts};
use serde_json::Value;
use std::path::Path;

/// How a case is read.
#[derive(Clone, Copy, Debug)]
enum Source {
    Exact,
    /// Triangles, with noise as a fraction of the size.
    Noisy(f64, u64),
}

fn load(folder: &Path, name: &str, scale: f64, source: Source) -> (FoundContacts, Value) {
    let case = folder.join(name);
    let expected = json(&case.join("expected.json"));
    let mut random = Random(match source {
        Source::Exact => 0,
        Source::Noisy(_, seed) => seed,
    });
    let mut body = |name: &Value| -> Part {
        let name = name.as_str().expect("a name");
        match source {
            Source::Exact => part(&exact(&case, name, scale), None),
            Source::Noisy(noise, _) => {
                let mesh = noisy(&case, name, scale, noise, &mut random);
                let noise = (noise > 0.0).then(|| noise * mesh.aabb().diagonal());
                part(&mesh, noise)
            }
        }
    };
    let moving = body(&expected["moving"]);
    let fixed: Vec<Part> = expected["fixed"].as_array().expect("fixed").iter().map(body).collect();
    let fixed: Vec<&Part> = fixed.iter().collect();
    (contacts(&moving, &fixed, &ContactOptions::default()), expected)
}

fn same_cone(set: &ContactSet, ours: &Branch, theirs: &Branch, within: f64) -> bool {
    let both = |branch: &Branch| -> Vec<kansho_contact::Twist> {
        let back = |t: &kansho_contact::Twist| kansho_contact::Twist { v: -t.v, w: -t.w };
        let lines = branch.lineality.iter().flat_map(|t| [*t, back(t)]);
        lines.chain(branch.rays.iter().copied()).collect()
    };
    ours.lineality.len() == theirs.lineality.len()
        && ours.rays.len() == theirs.rays.len()
        && both(ours).iter().all(|t| set.generates(theirs, t, within))
        && both(theirs).iter().all(|t| set.generates(ours, t, within))
}

fn check(folder: &Path, name: &str, scale: f64, source: Source) {
    let (found, expected) = load(folder, name, scale, source);
    let set = &found.set;
    let say = format!("{name} as {source:?} times {scale}");
    assert!(found.is_sound(), "{say}: {:?}", found.between);
    // What noise of corners does to directions and places; exact input leaves roundings.
    let (near, within) = match source {
        Source::Noisy(noise, _) if noise > 0.0 => (100.0 * noise * set.size, 60.0 * noise),
        _ => (1e-6 * set.size, 1e-6),
    };
    let theirs = expected["contacts"].as_array().expect("contacts");
    assert_eq!(set.contacts.len(), theirs.len(), "{say}: points, of which we have {:?}", set.contacts);
    assert_eq!(
        set.count() as u64,
        expected["and_conditions"].as_u64().expect("a count"),
        "{say}: conditions"
    );
    for contact in theirs {
        let point = vector(&contact["point"]) * scale;
        let body = expected["fixed"].as_array().expect("fixed").iter().position(|b| *b == contact["body"]);
        let ours = set
            .contacts
            .iter()
            .find(|c| c.point.distance(point) <= near && Some(c.fixed) == body)
            .unwrap_or_else(|| panic!("{say}: nothing at {point}"));
        let conditions = contact["and_or"].as_array().expect("conditions");
        assert_eq!(ours.conditions.len(), conditions.len(), "{say}: conditions at {point}");
        for condition in conditions {
            let normals = condition.as_array().expect("normals");
            let same = |rows: &&Vec<kansho_contact::Row>| {
                rows.len() == normals.len()
                    && normals.iter().all(|n| rows.iter().any(|row| same_direction(row, vector(n), within)))
            };
            assert!(
                ours.conditions.iter().find(same).is_some(),
                "{say}: {normals:?} at {point}, but {ours:?}"
            );
        }
        if matches!(source, Source::Exact) {
            let pieces =
                ["convex_pieces_A", "convex_pieces_B"].map(|key| contact[key].as_u64().expect("a count"));
            assert_eq!(ours.pieces.map(|p| p as u64), pieces, "{say}: pieces at {point}");
        }
    }
    let branches = set.branches(Side::Outer);
    assert!(branches.complete);
    let mut ours = branches.list;
    assert!(ours.iter().all(|b| !b.ambiguous) || !matches!(source, Source::Exact), "{say}: ambiguous");
    let theirs = expected["branches"].as_array().expect("branches");
    assert_eq!(ours.len(), theirs.len(), "{say}: branches");
    for branch in theirs {
        let list =
            |key: &str| branch[key].as_array().expect("a list").iter().map(|t| twist(t, scale)).collect();
        let theirs = Branch {
            rows: Vec::new(),
            lineality: list("lineality"),
            rays: list("rays"),
            ambiguous: false,
            kind: BranchKind::Exact,
        };
        let at = ours.iter().position(|b| same_cone(set, b, &theirs, within));
        let sizes = || ours.iter().map(|b| (b.lineality.len(), b.rays.len())).collect::<Vec<_>>();
        let at =
            at.unwrap_or_else(|| panic!("{say}: {theirs:?} is not among ours of {:?}: {ours:?}", sizes()));
        ours.remove(at);
    }
    let segments = expected.get("segments").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    assert_eq!(set.segments.len(), segments.len(), "{say}: segments");
    for segment in segments {
        let ends = ["p0", "p1"].map(|p| vector(&segment[p]) * scale);
        let normals: Vec<_> = segment["normals"].as_array().expect("normals").iter().map(vector).collect();
        let same = |s: &&kansho_contact::Segment| {
            ends.iter().all(|p| s.ends.iter().any(|q| p.distance(*q) <= near))
                && normals.iter().all(|n| s.normals.iter().any(|m| m.distance(n.normalize()) <= within))
        };
        assert!(set.segments.iter().find(same).is_some(), "{say}: {:?}", set.segments);
    }
}

#[test]
fn every_figure_has_its_exact_answer() {
    let Some(folder) = cases::folder() else { return };
    let names = cases::names(&folder);
    assert!(names.len() >= 14, "{names:?}");
    for name in &names {
        for scale in [1.0, 1e-3] {
            check(&folder, name, scale, Source::Exact);
        }
    }
}

#[test]
fn triangles_give_the_same_answer() {
    let Some(folder) = cases::folder() else { return };
    for name in &cases::names(&folder) {
        for scale in [1.0, 1e-3] {
            check(&folder, name, scale, Source::Noisy(0.0, 0));
        }
    }
}

#[test]
fn noise_of_a_millionth_of_the_size_gives_the_same_answer() {
    let Some(folder) = cases::folder() else { return };
    for name in &cases::names(&folder) {
        for seed in 0..5 {
            check(&folder, name, 1e-3, Source::Noisy(1e-6, seed));
            check(&folder, name, 1.0, Source::Noisy(1e-6, seed + 100));
        }
    }
}

#[test]
fn noise_of_a_ten_thousandth_of_the_size_gives_the_same_answer() {
    let Some(folder) = cases::folder() else { return };
    for name in &cases::names(&folder) {
        for seed in 0..5 {
            check(&folder, name, 1e-3, Source::Noisy(1e-4, seed));
            check(&folder, name, 1.0, Source::Noisy(1e-4, seed + 100));
        }
    }
}
