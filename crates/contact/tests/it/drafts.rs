//! Plugs with draft in pockets of their shape, with noise, against the rows that follow from the walls.

use crate::cases::Random;
use kansho_contact::{ContactOptions, Part, Twist, Verdict, contacts};
use kansho_geom::glam::DVec3;
use kansho_geom::{Mesh, mesh};
use std::f64::consts::TAU;
use std::sync::Arc;

/// A polygon at height 0, and one at height -1 that is the same but smaller or larger about some point, so that walls are flat.
struct Frustum {
    top: Vec<DVec3>,
    floor: Vec<DVec3>,
}

impl Frustum {
    fn random(random: &mut Random) -> Self {
        let sides = 3 + (random.next() % 4) as usize;
        let about = DVec3::new(random.signed(), random.signed(), 0.0) * 1.2;
        let scale = 1.0 + 0.5 * random.signed() * random.unit();
        let top: Vec<DVec3> = (0..sides)
            .map(|k| TAU * (k as f64 + 0.6 * random.unit()) / sides as f64)
            .map(|turn| DVec3::new(turn.cos(), turn.sin(), 0.0))
            .collect();
        let floor = top.iter().map(|&p| about + (p - about) * scale - DVec3::Z).collect();
        Self { top, floor }
    }

    /// The corners of each wall and of the floor, in turn, as seen from within.
    fn faces(&self) -> Vec<Vec<DVec3>> {
        let sides = self.top.len();
        let wall = |k: usize| {
            let next = (k + 1) % sides;
            vec![self.floor[next], self.floor[k], self.top[k], self.top[next]]
        };
        (0..sides).map(wall).chain([self.floor.clone()]).collect()
    }

    /// How fast the gaps open where a motion opens them least, by all corners of all faces.
    fn opens(&self, motion: &Twist) -> f64 {
        let of_face = |ring: &Vec<DVec3>| {
            let normal = kansho_geom::polygon::newell(ring).normalize();
            ring.iter().map(|&p| normal.dot(motion.at(p))).fold(f64::INFINITY, f64::min)
        };
        self.faces().iter().map(of_face).fold(f64::INFINITY, f64::min)
    }

    fn plug(&self, shaken: &mut dyn FnMut(DVec3) -> DVec3) -> Arc<Mesh> {
        let mut faces: Vec<Vec<DVec3>> = self.faces();
        faces.iter_mut().for_each(|ring| ring.reverse());
        faces.push(self.top.clone());
        solid(&faces, shaken)
    }

    /// A block around it, flush with its top.
    fn block(&self, shaken: &mut dyn FnMut(DVec3) -> DVec3) -> Arc<Mesh> {
        let sides = self.top.len();
        let mut faces = self.faces();
        // Flat walls: the outline of the larger end, larger still.
        let rim: Vec<DVec3> = self.top.iter().map(|p| *p * 6.0).collect();
        let base: Vec<DVec3> = rim.iter().map(|p| *p - DVec3::Z * 2.0).collect();
        for k in 0..sides {
            let next = (k + 1) % sides;
            faces.push(vec![self.top[k], rim[k], rim[next], self.top[next]]);
            faces.push(vec![rim[k], base[k], base[next], rim[next]]);
        }
        faces.push(base.iter().rev().copied().collect());
        solid(&faces, shaken)
    }
}

/// A body of convex faces.
fn solid(faces: &[Vec<DVec3>], shaken: &mut dyn FnMut(DVec3) -> DVec3) -> Arc<Mesh> {
    let (mut points, mut triangles) = (Vec::new(), Vec::new());
    for ring in faces {
        let first = points.len() as u32;
        points.extend(ring);
        triangles.extend((1..ring.len() as u32 - 1).map(|k| [first, first + k, first + k + 1]));
    }
    let exact = mesh::weld(&points, &triangles, 1e-12).expect("a mesh").mesh;
    let points: Vec<DVec3> = exact.vertices().iter().map(|&p| shaken(p)).collect();
    Arc::new(mesh::weld(&points, exact.triangles(), 0.0).expect("a mesh").mesh)
}

#[test]
fn plugs_with_draft_move_as_their_walls_let_them() {
    let mut random = Random(13);
    let noise = 1e-6;
    let (mut safe, mut blocked, mut unsound) = (0, 0, 0);
    for round in 0..300 {
        let frustum = Frustum::random(&mut random);
        let mut numbers = Random(1000 + round);
        let mut shaken = |p: DVec3| {
            p + DVec3::new(numbers.signed(), numbers.signed(), numbers.signed()) * (noise / 3f64.sqrt())
        };
        let bodies = [frustum.plug(&mut shaken), frustum.block(&mut shaken)];
        let [plug, block] = bodies.map(|mesh| Part::new(&mesh, Some(noise)).expect("closed"));
        let found = contacts(&plug, &[&block], &ContactOptions::default());
        if !found.is_sound() {
            unsound += 1;
            continue;
        }
        for trial in 0..12 {
            let mut vector = || DVec3::new(random.signed(), random.signed(), random.signed());
            let mut motion = Twist { v: vector() + DVec3::Z, w: vector() * 0.3 };
            if trial % 2 == 0 {
                // Nearly straight up, which most that widen upward allow.
                motion = Twist { v: DVec3::Z + vector() * 0.1, w: DVec3::ZERO };
            }
            let margin = frustum.opens(&motion) / found.set.speed(&motion);
            let judged = found.set.judge(&motion);
            let wanted = match margin {
                m if m > 0.01 => Verdict::Safe,
                m if m < -0.01 => Verdict::Blocked,
                _ => continue,
            };
            assert_eq!(judged.verdict, wanted, "{round}: {motion:?}, {margin}, not {}", judged.margin);
            safe += usize::from(wanted == Verdict::Safe);
            blocked += usize::from(wanted == Verdict::Blocked);
        }
    }
    assert!(safe > 50 && blocked > 1000 && unsound <= 6, "{safe} {blocked} {unsound}");
}
