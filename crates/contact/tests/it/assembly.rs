//! Assemblies: who blocks whom, and where parts touch.

use crate::cases::{self, exact, json, mesh_of_loops, number, part};
use kansho_contact::{Assembly, ContactOptions, Part, Region, Twist};
use kansho_geom::glam::DVec3;
use serde_json::Value;

fn along(v: DVec3) -> Twist {
    Twist { v, w: DVec3::ZERO }
}

#[test]
fn sets_of_the_puzzle_leave_as_they_should() {
    let Some(folder) = cases::folder() else { return };
    let case = folder.join("fig19_puzzle_assembled");
    let graph = json(&case.join("ndbg.json"));
    let names: Vec<&str> =
        graph["parts"].as_array().expect("parts").iter().map(|n| n.as_str().expect("a name")).collect();
    let parts: Vec<Part> = names.iter().map(|name| part(&exact(&case, name, 1e-3), None)).collect();
    let assembly = Assembly::of(&parts.iter().collect::<Vec<_>>(), &ContactOptions::default());
    assert!(assembly.faults.is_empty());
    for (direction, sets) in graph["removable"].as_object().expect("sets") {
        let sign = if direction.starts_with('-') { -1.0 } else { 1.0 };
        let axis = [DVec3::X, DVec3::Y, DVec3::Z][usize::from(direction.as_bytes()[1] - b'x')];
        let blocked_by = assembly.blocking_graph(&along(axis * sign));
        for set in 1u32..7 {
            let members: Vec<usize> = (0..3).filter(|i| set >> i & 1 == 1).collect();
            let closed = members.iter().all(|&i| blocked_by[i].iter().all(|j| members.contains(j)));
            let mut named: Vec<&str> = members.iter().map(|&i| names[i]).collect();
            named.sort_unstable();
            let listed = sets.as_array().expect("sets").iter().any(|other| {
                let mut other: Vec<&str> =
                    other.as_array().expect("a set").iter().map(|n| n.as_str().expect("a name")).collect();
                other.sort_unstable();
                other == named
            });
            assert_eq!(closed, listed, "{named:?} along {direction}");
        }
    }
    assert!(assembly.directions().iter().any(|d| d.distance(DVec3::Z) < 1e-9));
}

#[test]
fn the_wall_has_its_interfaces() {
    let Some(folder) = cases::folder() else { return };
    let file = json(&folder.join("../assembly/brick_wall/08_wall_interfaces.json"));
    let blocks = file["blocks"].as_object().expect("blocks");
    let mut keys: Vec<&String> = blocks.keys().collect();
    keys.sort_by_key(|k| k.parse::<usize>().expect("a number"));
    let coordinate = |v: &Value, axis: &str| number(&v[axis]);
    let mut parts = Vec::new();
    for key in &keys {
        let block = &blocks[*key];
        let vertices = block["vertex"].as_object().expect("vertices");
        let mut names: Vec<&String> = vertices.keys().collect();
        names.sort_by_key(|k| k.parse::<usize>().expect("a number"));
        let points: Vec<DVec3> = names
            .iter()
            .map(|n| {
                DVec3::new(
                    coordinate(&vertices[*n], "x"),
                    coordinate(&vertices[*n], "y"),
                    coordinate(&vertices[*n], "z"),
                )
            })
            .collect();
        let index = |v: &Value| {
            let text = v.as_str().map_or_else(|| v.to_string(), str::to_owned);
            names.iter().position(|n| **n == text).expect("a vertex") as u32
        };
        let faces: Vec<Vec<Vec<u32>>> = block["face"]
            .as_object()
            .expect("faces")
            .values()
            .map(|f| vec![f.as_array().expect("a face").iter().map(index).collect()])
            .collect();
        if let [floor] = &faces[..] {
            // The floor is a sheet, which has no inside: it becomes a slab that reaches down.
            let slab: Vec<DVec3> =
                points.iter().copied().chain(points.iter().map(|&p| p - DVec3::Z * 0.1)).collect();
            let down: Vec<u32> = floor[0].iter().rev().map(|i| i + 4).collect();
            let sides = (0..4).map(|i| {
                let [a, b] = [floor[0][i], floor[0][(i + 1) % 4]];
                vec![vec![b, a, a + 4, b + 4]]
            });
            let all: Vec<Vec<Vec<u32>>> = [floor.clone(), vec![down]].into_iter().chain(sides).collect();
            parts.push(part(&mesh_of_loops(&slab, &all), None));
            continue;
        }
        parts.push(part(&mesh_of_loops(&points, &faces), None));
    }
    assert_eq!(parts.len(), 39);
    let assembly = Assembly::of(&parts.iter().collect::<Vec<_>>(), &ContactOptions::default());
    assert!(assembly.faults.is_empty(), "{:?}", assembly.faults);
    let edges = file["assembly"]["edge"].as_object().expect("edges");
    let mut stored = 0;
    for (from, to) in edges {
        for (other, interface) in to.as_object().expect("edges") {
            stored += 1;
            let place = |k: &str| keys.iter().position(|key| key.as_str() == k).expect("a block");
            let (i, j) = (place(from), place(other));
            let pair = assembly
                .pairs
                .iter()
                .find(|p| p.parts == [i.min(j), i.max(j)])
                .unwrap_or_else(|| panic!("{from} on {other}"));
            let polygons: Vec<&Region> =
                pair.regions.iter().filter(|r| matches!(r, Region::Polygon { .. })).collect();
            let [Region::Polygon { loops, .. }] = polygons[..] else {
                panic!("{from} on {other}: {:?}", pair.regions)
            };
            let points: Vec<DVec3> =
                interface["interface_points"].as_array().expect("points").iter().map(cases::vector).collect();
            assert_eq!((loops.len(), loops[0].len()), (1, points.len()), "{from} on {other}");
            for p in &points {
                assert!(
                    loops[0].iter().any(|q| q.distance(*p) < 1e-9),
                    "{from} on {other}: {p} of {loops:?}"
                );
            }
            assert!((polygons[0].area() - number(&interface["interface_size"])).abs() < 1e-9);
        }
    }
    assert_eq!(stored, 65);
    let found = assembly.pairs.iter().flat_map(|p| &p.regions).filter(|r| r.area() > 0.0).count();
    assert_eq!(found, 65, "and no others");
    // Upward only the top course is free: it is blocked by nothing.
    let up = assembly.blocking_graph(&along(DVec3::Z));
    let down = assembly.blocking_graph(&along(-DVec3::Z));
    for pair in assembly.pairs.iter().filter(|p| p.regions.iter().any(|r| r.area() > 0.0)) {
        let [a, b] = pair.parts;
        let (low, high) = if parts[a].centre().z < parts[b].centre().z { (a, b) } else { (b, a) };
        assert!(up[low].contains(&high) && !up[high].contains(&low));
        assert!(down[high].contains(&low) && !down[low].contains(&high));
    }
}
