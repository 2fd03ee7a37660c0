//! Random scripts beside dense samples: nothing but named features touches, and what is kept touches, at every instant of every way.

use super::{loaded, prism};
use kansho_geom::Pose;
use kansho_geom::glam::DVec3;
use kansho_geom::tree::{Scratch, depth};
use kansho_geom::triangle::{closest, nearest};
use kansho_plan::script::answer::Leg;
use kansho_plan::script::body::Member;
use kansho_plan::script::{Options, Script, Status, certificate_of_reached, run};
use kansho_verify::contact::verify_contact;
use std::collections::BTreeMap;

struct Random(u64);

impl Random {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }

    fn within(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.next()
    }

    fn of<'a>(&mut self, words: &[&'a str]) -> &'a str {
        words[((self.next() * words.len() as f64) as usize).min(words.len() - 1)]
    }
}

/// What stands still, with its features; the bodies of a step, a groove, a slot, a table.
fn place(random: &mut Random) -> (String, String) {
    let h = random.within(2.0, 25.0);
    let width = random.within(15.0, 60.0);
    let y = [-width, width];
    match random.of(&["table", "step", "groove", "slot"]) {
        "table" => (
            prism(&[[-60.0, -20.0], [60.0, -20.0], [60.0, 0.0], [-60.0, 0.0]], &[[0, 1, 2], [0, 2, 3]], y),
            "A = { face = \"+z\" }\nB = { face = \"+x\" }\nC = { edge = \"+x+z\" }\nD = { edge = \"-x+z\" }"
                .into(),
        ),
        "step" => (
            prism(
                &[[-60.0, -20.0], [60.0, -20.0], [60.0, h], [15.0, h], [15.0, 0.0], [-60.0, 0.0]],
                &[[0, 1, 4], [0, 4, 5], [1, 2, 3], [1, 3, 4]],
                y,
            ),
            format!(
                "A = {{ face = \"+z\", at = [-50, 0, 0] }}\nB = {{ face = \"+z\", at = [50, 0, {h}] }}\nC = {{ edge = [[15, {}, {h}], [15, {}, {h}]] }}\nD = {{ face = \"-x\", at = [15, 0, {}] }}",
                -width,
                width,
                0.5 * h
            ),
        ),
        "groove" => (
            prism(
                &[[-60.0, -40.0], [60.0, -40.0], [60.0, h], [0.0, -10.0], [-60.0, h]],
                &[[0, 1, 3], [1, 2, 3], [0, 3, 4]],
                y,
            ),
            format!(
                "A = {{ face = [{}, 0, 60] }}\nB = {{ face = [{}, 0, 60] }}\nC = {{ edge = [[60, {}, {h}], [60, {}, {h}]] }}\nD = {{ edge = [[-60, {}, {h}], [-60, {}, {h}]] }}",
                h + 10.0,
                -h - 10.0,
                -width,
                width,
                -width,
                width
            ),
        ),
        _ => (
            prism(
                &[
                    [-60.0, -20.0],
                    [60.0, -20.0],
                    [60.0, 0.0],
                    [-40.0, 0.0],
                    [-40.0, 40.0 + h],
                    [60.0, 40.0 + h],
                    [60.0, 80.0],
                    [-60.0, 80.0],
                ],
                &[[0, 1, 2], [0, 2, 3], [0, 3, 4], [0, 4, 7], [4, 5, 6], [4, 6, 7]],
                y,
            ),
            format!(
                "A = {{ face = \"+z\", at = [0, 0, 0] }}\nB = {{ face = \"+x\", at = [-40, 0, 20] }}\nC = {{ edge = [[60, {}, 0], [60, {}, 0]] }}\nD = {{ face = \"-z\", at = [0, 0, {}] }}",
                -width,
                width,
                40.0 + h
            ),
        ),
    }
}

const OWN: [&str; 6] = ["below", "front", "side", "edge", "rear", "tip"];
const OTHER: [&str; 4] = ["A", "B", "C", "D"];

fn contact(random: &mut Random) -> String {
    let (own, word, other) = (random.of(&OWN), random.of(&["on", "touches"]), random.of(&OTHER));
    format!("\"b.{own} {word} f.{other}\"")
}

fn direction(random: &mut Random) -> String {
    if random.next() < 0.7 {
        return format!("\"{}\"", random.of(&["+x", "-x", "+x", "-x", "+y", "-y", "+z", "-z"]));
    }
    format!(
        "[{:.3}, {:.3}, {:.3}]",
        random.within(-1.0, 1.0),
        random.within(-1.0, 1.0),
        random.within(-1.0, 0.99)
    )
}

/// A sentence; contacts of sentences before may be kept.
fn sentence(random: &mut Random, known: &mut Vec<String>) -> String {
    let keep: Vec<String> = known.iter().filter(|_| random.next() < 0.8).cloned().collect();
    let keep = if keep.is_empty() { String::new() } else { format!(", keep = [{}]", keep.join(", ")) };
    let until = contact(random);
    match random.of(&["slide", "slide", "rotate", "rotate", "place", "approach"]) {
        "slide" if random.next() < 0.5 => {
            let along = direction(random);
            format!("{{ do = \"slide\", along = {along}{keep}, by = {:.3} }}", random.within(1.0, 40.0))
        }
        "slide" => {
            let along = direction(random);
            known.push(until.clone());
            format!("{{ do = \"slide\", along = {along}{keep}, until = {until} }}")
        }
        "rotate" => {
            let about = match random.of(&["own", "other", "direction"]) {
                "own" => format!("\"b.{}\"", random.of(&["edge", "rear"])),
                "other" => "\"f.C\"".into(),
                _ => direction(random),
            };
            if random.next() < 0.5 {
                let angle = random.within(-80.0, 80.0);
                return format!("{{ do = \"rotate\", about = {about}{keep}, by_deg = {angle:.3} }}");
            }
            known.push(until.clone());
            format!("{{ do = \"rotate\", about = {about}{keep}, until = {until} }}")
        }
        "place" => {
            let (along, second) = (direction(random), contact(random));
            known.extend([until.clone(), second.clone()]);
            format!("{{ do = \"place\", along = {along}{keep}, until = [{until}, {second}] }}")
        }
        _ => {
            let along = direction(random);
            known.push(until.clone());
            format!("{{ do = \"approach\", along = {along}{keep}, until = {until} }}")
        }
    }
}

fn text(random: &mut Random) -> (String, String) {
    let (mesh, features) = place(random);
    let first = format!(
        "\"b.{} {} f.A\"",
        random.of(&["below", "below", "edge", "tip"]),
        random.of(&["on", "touches"])
    );
    let mut known = vec![first.clone()];
    let mut moves = vec![format!("{{ do = \"approach\", along = \"-z\", until = {first} }}")];
    for _ in 0..1 + usize::from(random.next() < 0.5) {
        moves.push(sentence(random, &mut known));
    }
    let size = [0; 3].map(|_| random.within(4.0, 35.0));
    let start = [random.within(-30.0, 30.0), random.within(-10.0, 10.0), random.within(20.0, 36.0)];
    let turned = if random.next() < 0.5 { 0.0 } else { random.within(-40.0, 40.0) };
    let grasp = [random.within(-10.0, 10.0), 0.0, random.within(0.0, 20.0)];
    let text = format!(
        "units = \"mm\"\nmove = [\n{}\n]\n[fixed.f]\nmesh = \"f.obj\"\n{features}\n[moved.b]\nbox = {size:?}\ngrasp = {grasp:?}\n\
         start = {{ xyz = {start:?}, rpy_deg = [0, {turned:.3}, 0] }}\nbelow = {{ face = \"-z\" }}\nfront = {{ face = \"+x\" }}\n\
         side = {{ face = \"-y\" }}\nedge = {{ edge = \"+x-z\" }}\nrear = {{ edge = \"-x+z\" }}\ntip = {{ vertex = \"+x+y-z\" }}\n",
        moves.join(",\n")
    );
    (text, mesh)
}

/// A feature as triangles, some without area.
fn shape(members: &[Member]) -> Vec<[DVec3; 3]> {
    let of = |member: &Member| match member {
        Member::Face(facet) => facet.triangles.clone(),
        Member::Edge(line) => vec![[line.ends[0], line.ends[1], line.ends[1]]],
        Member::Vertex(corner) => vec![[corner.point; 3]],
        Member::Axis { .. } => Vec::new(),
    };
    members.iter().flat_map(of).collect()
}

/// Points that two triangles have in common.
fn common(a: &[DVec3; 3], b: &[DVec3; 3]) -> Vec<DVec3> {
    let mut found = Vec::new();
    for (from, to) in [(a, b), (b, a)] {
        let n = (to[1] - to[0]).cross(to[2] - to[0]);
        for k in 0..3 {
            let (p, q) = (from[k], from[(k + 1) % 3]);
            let (x, y) = (n.dot(p - to[0]), n.dot(q - to[0]));
            if x * y < 0.0 {
                let at = p + (q - p) * (x / (x - y));
                if at.distance(nearest(at, to)) < 1e-14 {
                    found.push(at);
                }
            }
        }
    }
    let near = closest(a, b);
    if near.distance_sq == 0.0 {
        found.push(near.points[0]);
    }
    found
}

/// How far common points are from named features, and kept features from each other.
fn look(script: &Script, leg: &Leg, pose: Pose) -> [f64; 2] {
    let shapes: Vec<[Vec<[DVec3; 3]>; 2]> = script
        .touches
        .iter()
        .map(|touch| {
            let own = shape(&script.moved.features[touch.moved].members);
            [own, shape(&script.fixed[touch.body].features[touch.fixed].members)]
        })
        .collect();
    let place = |t: &[DVec3; 3]| t.map(|p| pose * p);
    let from = |p: DVec3, shape: &[[DVec3; 3]]| {
        shape.iter().map(|t| p.distance(nearest(p, t))).fold(f64::INFINITY, f64::min)
    };
    let mut off: f64 = 0.0;
    for other in script.fixed[0].mesh().corners() {
        for own in script.moved.mesh().corners().map(|t| place(&t)) {
            for p in common(&own, &other) {
                let own_point = pose.inverse() * p;
                let least = shapes.iter().map(|[m, f]| from(own_point, m).max(from(p, f)));
                off = off.max(least.fold(f64::INFINITY, f64::min));
            }
        }
    }
    let gap = |k: usize| {
        let [m, f] = &shapes[k];
        let pairs = m.iter().flat_map(|a| f.iter().map(move |b| closest(&place(a), b).distance_sq.sqrt()));
        pairs.fold(f64::INFINITY, f64::min)
    };
    [off, leg.keep.iter().map(|&k| gap(k)).fold(0.0, f64::max)]
}

#[test]
fn random_scripts_are_free_at_a_thousand_instants() {
    let mut random = Random(5);
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let (mut looked, mut kept) = (0, 0);
    let scripts = crate::cases(120, 50);
    for number in 0..scripts {
        let (text, mesh) = text(&mut random);
        let folder = tempfile::tempdir().expect("a folder for files");
        let script = loaded(folder.path(), &text, &[("f.obj", &mesh)]).script;
        let answer = run(&script, &Options::default());
        *counts.entry(answer.status().word()).or_default() += 1;
        let size = script.moved.size();
        assert!(answer.drift <= script.tolerance, "script {number}: {}\n{text}", answer.drift);
        let legs: Vec<&Leg> = answer.legs().collect();
        let instants = (1000 / legs.len().max(1)).max(100);
        for leg in legs {
            for k in 0..=instants {
                let pose = leg.way.at(k as f64 / instants as f64);
                let [off, gap] = look(&script, leg, pose);
                let what = || format!("script {number}, {} at {k} of {instants}\n{text}", leg.word);
                assert!(off <= 3e-4 * size, "named features are {off} m away: {}", what());
                assert!(gap <= 8.0 * script.tolerance, "what is kept is {gap} m apart: {}", what());
                looked += 1;
                kept += leg.keep.len();
                if k % 50 == 0 {
                    let trees = [script.fixed[0].solid().tree(), script.moved.solid().tree()];
                    let deep =
                        depth(trees[0], trees[1], pose, 0.25 * script.tolerance, &mut Scratch::default());
                    let deep = deep.expect("bodies are closed").at_least;
                    assert!(deep <= 2.0 * script.tolerance, "{deep} m deep: {}", what());
                }
            }
        }
        // A move that is reached ends in its contact.
        for step in answer.steps.iter().filter(|step| step.status == Status::Reached) {
            if let kansho_plan::script::resolved::Until::Touching(until) = &script.moves[step.number].until {
                let is_closed = |k: &usize| step.contacts.iter().any(|contact| contact.touch == *k);
                let some_will_do = step.verb == "approach";
                let closed = until.iter().filter(|k| is_closed(k)).count();
                assert!(closed == until.len() || some_will_do && closed > 0, "script {number}\n{text}");
            }
        }
    }
    assert!(looked > 300 * scripts && kept > 50 * scripts, "{looked} {kept} {counts:?}");
    assert!(counts.len() >= 6, "{counts:?}");
}

/// What is proven has a certificate, too, that another check accepts.
#[test]
fn random_scripts_have_certificates() {
    let mut random = Random(11);
    let (mut made, mut motions, mut missing) = (0, 0, Vec::new());
    for number in 0..crate::cases(600, 100) {
        let (text, mesh) = text(&mut random);
        let folder = tempfile::tempdir().expect("a folder for files");
        let script = loaded(folder.path(), &text, &[("f.obj", &mesh)]).script;
        let answer = run(&script, &Options::default());
        match certificate_of_reached(&script, &answer, &Options::default()) {
            Ok(certificate) => {
                let verified = verify_contact(&certificate);
                assert!(verified.is_ok(), "script {number}: {verified:?}\n{text}");
                made += 1;
                motions += certificate.moves.len();
            }
            Err(why) => missing.push(format!("script {number}: {why}\n{text}")),
        }
    }
    eprintln!("{made} certificates of {motions} motions, {} without: {missing:#?}", missing.len());
    assert!(missing.len() * 50 <= made, "{missing:#?}");
}
