//! Bodies that move in contact, beside samples: whatever surfaces have in common at an instant lies at features that may touch.

use kansho_check::moving_bodies::Body;
use kansho_check::sliding_contact::{KeptOptions, MayTouch, Patch, SlidingMotion, kept};
use kansho_check::verdict::Verdict;
use kansho_geom::glam::{DMat3, DVec3};
use kansho_geom::polyhedron::MergeOptions;
use kansho_geom::triangle::{closest, nearest};
use kansho_geom::{Polyhedron, Pose, mesh};
use std::sync::Arc;

const OPTIONS: KeptOptions<'_> =
    KeptOptions { tolerance: 1e-7, resolution: 1e-10, most_regions: 300_000, deadline: None, stop: None };

/// How far from its feature a common point may be: two tolerances deep, over the sine of the angle between faces at samples.
const AT: f64 = 2e-4;

struct Random(u64);

impl Random {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }

    fn within(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.next()
    }

    fn below(&mut self, count: usize) -> usize {
        ((self.next() * count as f64) as usize).min(count - 1)
    }

    fn direction(&mut self) -> DVec3 {
        loop {
            let v = DVec3::new(self.within(-1.0, 1.0), self.within(-1.0, 1.0), self.within(-1.0, 1.0));
            if (0.1..1.0).contains(&v.length()) {
                return v.normalize();
            }
        }
    }
}

/// A profile in x and z, counter-clockwise seen from -y, cut into triangles by hand, drawn out along y.
fn prism(profile: &[[f64; 2]], faces: &[[usize; 3]], width: f64) -> Body {
    let count = profile.len();
    let mut points = Vec::new();
    for y in [-0.5 * width, 0.5 * width] {
        points.extend(profile.iter().map(|[x, z]| DVec3::new(*x, y, *z)));
    }
    let mut triangles: Vec<[u32; 3]> = Vec::new();
    let id = |k: usize| u32::try_from(k).expect("few points");
    for &[a, b, c] in faces {
        triangles.push([a, b, c].map(id));
        triangles.push([count + a, count + c, count + b].map(id));
    }
    for k in 0..count {
        let next = (k + 1) % count;
        triangles.push([k, count + k, count + next].map(id));
        triangles.push([k, count + next, next].map(id));
    }
    let mesh = mesh::weld(&points, &triangles, 0.0).expect("a prism").mesh;
    assert!(mesh.volume() > 0.0);
    Body::new(Arc::new(mesh))
}

fn block(x: f64, y: f64, z: f64) -> Body {
    let (x, z) = (0.5 * x, 0.5 * z);
    prism(&[[-x, -z], [x, -z], [x, z], [-x, z]], &[[0, 1, 2], [0, 2, 3]], y)
}

/// Convex ones, which are moved.
fn moved(random: &mut Random) -> Body {
    let (x, y, z) = (random.within(0.2, 1.0), random.within(0.2, 1.0), random.within(0.2, 1.0));
    match random.below(3) {
        0 => block(x, y, z),
        1 => prism(&[[-x, 0.0], [x, 0.0], [0.3 * x, z]], &[[0, 1, 2]], y),
        _ => prism(
            &[[-0.3 * x, -0.5 * z], [0.3 * x, -0.5 * z], [x, 0.0], [0.0, z], [-x, 0.1 * z]],
            &[[0, 1, 2], [0, 2, 3], [0, 3, 4]],
            y,
        ),
    }
}

/// Blocks, steps, grooves, slots, which stand still.
fn fixed(random: &mut Random) -> Body {
    let h = random.within(0.1, 0.8);
    let w = random.within(1.0, 3.0);
    match random.below(4) {
        0 => block(2.0, w, 1.0),
        // A step.
        1 => prism(
            &[[-2.0, -1.0], [2.0, -1.0], [2.0, h], [0.5, h], [0.5, 0.0], [-2.0, 0.0]],
            &[[0, 1, 4], [0, 4, 5], [1, 2, 3], [1, 3, 4]],
            w,
        ),
        // A groove.
        2 => prism(
            &[[-2.0, -1.0], [2.0, -1.0], [2.0, 1.0], [0.0, 1.0 - 1.5 * h], [-2.0, 1.0]],
            &[[0, 1, 3], [1, 2, 3], [0, 3, 4]],
            w,
        ),
        // A slot with a floor, a wall and a ceiling.
        _ => prism(
            &[
                [-2.0, -1.0],
                [2.0, -1.0],
                [2.0, 0.0],
                [-1.0, 0.0],
                [-1.0, 1.0 + h],
                [2.0, 1.0 + h],
                [2.0, 2.0],
                [-2.0, 2.0],
            ],
            &[[0, 1, 2], [0, 2, 3], [0, 3, 4], [0, 4, 7], [4, 5, 6], [4, 6, 7]],
            w,
        ),
    }
}

/// A feature with what it looks like.
#[derive(Clone)]
struct Feature {
    patch: Patch,
    /// What it is made of: triangles, or a segment or a point as one without area.
    shape: Vec<[DVec3; 3]>,
}

fn features(body: &Body) -> Vec<Feature> {
    let mesh = body.mesh();
    let shape = Polyhedron::from_mesh(mesh, &MergeOptions::default());
    let corners = |t: u32| mesh.triangles()[t as usize].map(|v| mesh.vertices()[v as usize]);
    let mut all = Vec::new();
    for face in shape.faces() {
        let mut vertices: Vec<u32> =
            face.triangles.iter().flat_map(|&t| mesh.triangles()[t as usize]).collect();
        vertices.sort_unstable();
        vertices.dedup();
        let patch = Patch { vertices, normals: vec![face.normal], edge: None };
        all.push(Feature { patch, shape: face.triangles.iter().map(|&t| corners(t)).collect() });
    }
    let at = |points: &[DVec3]| -> Vec<u32> {
        (0u32..).zip(mesh.vertices()).filter(|(_, p)| points.contains(p)).map(|(k, _)| k).collect()
    };
    for edge in shape.edges() {
        let ends = edge.ends.map(|id| shape.vertex(id));
        let normals = [Some(edge.left), edge.right].into_iter().flatten();
        let normals: Vec<DVec3> = normals.map(|id| shape.faces()[id.0 as usize].normal).collect();
        let patch = Patch { vertices: at(&ends), normals, edge: Some(ends) };
        all.push(Feature { patch, shape: vec![[ends[0], ends[1], ends[1]]] });
    }
    for &p in shape.vertices() {
        let around =
            shape.faces().iter().filter(|f| f.loops.iter().flatten().any(|&id| shape.vertex(id) == p));
        let normals = around.map(|f| f.normal).collect();
        all.push(Feature { patch: Patch { vertices: at(&[p]), normals, edge: None }, shape: vec![[p; 3]] });
    }
    all
}

/// Points that two triangles have in common: the ends of their segment, or corners of the area if they lie in one plane.
fn common(a: &[DVec3; 3], b: &[DVec3; 3]) -> Vec<DVec3> {
    let mut found = Vec::new();
    let mut pierce = |from: &[DVec3; 3], to: &[DVec3; 3]| {
        let n = (to[1] - to[0]).cross(to[2] - to[0]);
        for k in 0..3 {
            let (p, q) = (from[k], from[(k + 1) % 3]);
            let (x, y) = (n.dot(p - to[0]), n.dot(q - to[0]));
            if x * y < 0.0 {
                let at = p + (q - p) * (x / (x - y));
                if at.distance(nearest(at, to)) < 1e-12 {
                    found.push(at);
                }
            }
            if p.distance(nearest(p, to)) < 1e-14 {
                found.push(p);
            }
        }
    };
    pierce(a, b);
    pierce(b, a);
    let near = closest(a, b);
    if near.distance_sq == 0.0 {
        found.push(near.points[0]);
    }
    found
}

struct Case {
    bodies: [Body; 2],
    way: SlidingMotion,
    may: Vec<MayTouch>,
    /// The same features as shapes.
    shapes: Vec<[Vec<[DVec3; 3]>; 2]>,
}

impl Case {
    /// The farthest that a common point of the surfaces is from features that may touch.
    fn off(&self, t: f64) -> f64 {
        let pose = self.way.at(t);
        let [moved, fixed] = &self.bodies;
        let place = |t: &[DVec3; 3]| t.map(|p| pose * p);
        let all: Vec<[DVec3; 3]> = moved.mesh().corners().map(|t| place(&t)).collect();
        let from = |p: DVec3, shape: &[[DVec3; 3]]| {
            shape.iter().map(|t| p.distance(nearest(p, t))).fold(f64::INFINITY, f64::min)
        };
        let mut worst: f64 = 0.0;
        for other in fixed.mesh().corners() {
            let low = other[0].min(other[1]).min(other[2]);
            let high = other[0].max(other[1]).max(other[2]);
            for own in &all {
                let (from_low, to_high) = (own[0].min(own[1]).min(own[2]), own[0].max(own[1]).max(own[2]));
                if (from_low.cmpgt(high) | to_high.cmplt(low)).any() {
                    continue;
                }
                for p in common(own, &other) {
                    let own_point = pose.inverse() * p;
                    let least = self
                        .shapes
                        .iter()
                        .map(|[m, f]| from(own_point, m).max(from(p, f)))
                        .fold(f64::INFINITY, f64::min);
                    worst = worst.max(least);
                }
            }
        }
        worst
    }
}

/// A rotation that brings one direction onto another, and any turn about that.
fn onto(from: DVec3, to: DVec3, yaw: f64) -> DMat3 {
    let (u, v) = from.any_orthonormal_pair();
    let (x, y) = to.any_orthonormal_pair();
    let straight = DMat3::from_cols(to, x, y) * DMat3::from_cols(from, u, v).transpose();
    DMat3::from_axis_angle(to, yaw) * straight
}

fn case(random: &mut Random) -> Case {
    let bodies = [moved(random), fixed(random)];
    let of = [features(&bodies[0]), features(&bodies[1])];
    // Features that meet: the moved body lies on a plane through the fixed feature.
    let pick = [0, 1].map(|k| random.below(of[k].len()));
    let [own, other] = [&of[0][pick[0]], &of[1][pick[1]]];
    let mix = |normals: &[DVec3], random: &mut Random| {
        let sum: DVec3 = normals.iter().map(|n| *n * random.within(0.02, 1.0)).sum();
        sum.normalize_or(DVec3::Z)
    };
    let (down, n) = (mix(&own.patch.normals, random), mix(&other.patch.normals, random));
    // Parallel edges, now and then.
    let rotation = match (own.patch.edge, other.patch.edge) {
        (Some([a, b]), Some([c, d])) if random.below(2) == 0 => {
            let (e, f) = ((b - a).normalize(), (d - c).normalize());
            let frame = |n: DVec3, e: DVec3| DMat3::from_cols(n, e, n.cross(e));
            frame(-n, f) * frame(down, e).transpose()
        }
        _ => onto(down, -n, if random.below(3) == 0 { 0.0 } else { random.within(-3.1, 3.1) }),
    };
    let spot = |feature: &Feature, random: &mut Random| {
        let t = feature.shape[random.below(feature.shape.len())];
        let (a, b) = (random.next(), random.next());
        let (a, b) = if a + b > 1.0 { (1.0 - a, 1.0 - b) } else { (a, b) };
        t[0] + (t[1] - t[0]) * a + (t[2] - t[0]) * b
    };
    let (own_spot, place) = (spot(own, random), spot(other, random));
    let from = Pose::of_rotation(rotation, place - rotation * own_spot);
    let flat = {
        let d = random.direction();
        (d - n * n.dot(d)).normalize_or(DVec3::X)
    };
    let length = random.within(0.05, 2.0);
    let turn = |axis: DVec3, angle: f64| SlidingMotion::Turn { from, point: place, axis, angle };
    let angle = random.within(-1.6, 1.6);
    let way = match (random.below(6), own.patch.edge, other.patch.edge) {
        (0, ..) => SlidingMotion::Straight { from, by: flat * length },
        (1, ..) => turn(n, angle),
        (2, Some([a, b]), _) => turn((rotation * (b - a)).normalize(), angle),
        (3, _, Some([a, b])) => turn((b - a).normalize(), angle),
        (4, ..) => turn(flat, angle),
        (2, ..) => SlidingMotion::Straight { from, by: (flat + n * random.within(-0.1, 0.1)) * length },
        (3, ..) => turn(random.direction(), angle),
        _ => SlidingMotion::Straight { from, by: random.direction() * length },
    };
    let mut may = Vec::new();
    let mut shapes = Vec::new();
    let mut name = |m: &Feature, f: &Feature| {
        may.push(MayTouch { moving: m.patch.clone(), fixed: f.patch.clone() });
        shapes.push([m.shape.clone(), f.shape.clone()]);
    };
    if random.below(8) > 0 {
        name(own, other);
    }
    for _ in 0..random.below(3) {
        name(&of[0][random.below(of[0].len())], &of[1][random.below(of[1].len())]);
    }
    Case { bodies, way, may, shapes }
}

/// Free is free at every sample, and before a contact there is none.
#[test]
fn samples_find_nothing_that_is_not_named() {
    let mut random = Random(11);
    let (mut free, mut touches, mut undecided) = (0, 0, 0);
    let cases = 1000;
    for number in 0..cases {
        let case = case(&mut random);
        let verdict = kept([&case.bodies[0], &case.bodies[1]], &case.way, &case.may, &OPTIONS);
        let (until, is_free) = match verdict {
            Verdict::Free(proof) => {
                free += 1;
                assert!(proof.kept > 0, "case {number} begins in contact");
                (1.0, true)
            }
            Verdict::Touches(blocked) => {
                touches += 1;
                // Where it says that they touch they do, up to the tolerance if features that may touch do so.
                let far = blocked.points[0].distance(blocked.points[1]);
                assert!(far <= 8.0 * OPTIONS.tolerance, "case {number}: {blocked:?}");
                (blocked.t, false)
            }
            Verdict::Undecided { .. } => {
                undecided += 1;
                continue;
            }
        };
        if until == 0.0 {
            continue;
        }
        let instants = if is_free { 200 } else { 60 };
        for k in 0..=instants {
            let t = f64::from(k) / f64::from(instants) * until;
            if !is_free && k == instants {
                continue;
            }
            let off = case.off(t);
            assert!(
                off <= AT,
                "case {number}: off by {off} at {t} of {until}: {:?}, {:?}",
                case.way,
                case.may
            );
        }
    }
    assert!(
        free * 3 > cases && touches * 3 > cases && undecided * 100 < cases,
        "{free} {touches} {undecided}"
    );
}
