//! Placements.

use super::boxes::Single;
use super::{One, Triangles, Vectors, dot1};
use fearless_simd::{Simd, SimdBase, SimdFloat, f32x4};
use glam::{DMat3, DVec3, Mat3, Vec3};

/// A rigid placement in single precision.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rigid {
    /// The axes and the shift, with a fourth number that says nothing.
    columns: [Four; 4],
}

#[derive(Clone, Copy, Debug)]
#[repr(align(16))]
struct Four([f32; 4]);

impl Rigid {
    pub(crate) fn new(rotation: DMat3, shift: DVec3) -> Self {
        let columns = [rotation.x_axis, rotation.y_axis, rotation.z_axis, shift];
        Self { columns: columns.map(|c| Four([c.x as f32, c.y as f32, c.z as f32, 0.0])) }
    }

    #[inline(always)]
    fn load<S: Simd>(&self, simd: S) -> Loaded<S> {
        Loaded {
            x: f32x4::from_slice(simd, &self.columns[0].0),
            y: f32x4::from_slice(simd, &self.columns[1].0),
            z: f32x4::from_slice(simd, &self.columns[2].0),
            shift: f32x4::from_slice(simd, &self.columns[3].0),
        }
    }

    /// A box elsewhere, where no lanes are at hand.
    pub(crate) fn place(&self, b: &Single) -> Single {
        let column = |k: usize| Vec3::from_slice(&self.columns[k].0);
        let rotation = Mat3::from_cols(column(0), column(1), column(2));
        Single { axes: rotation * b.axes, centre: rotation * b.centre + column(3), half: b.half }
    }

    /// A box elsewhere.
    #[inline(always)]
    pub(crate) fn box_at<S: Simd>(&self, simd: S, b: &Single) -> Single {
        let place = self.load(simd);
        let [x, y, z] = [b.axes.x_axis, b.axes.y_axis, b.axes.z_axis];
        let axes = Mat3::from_cols(place.vector(x), place.vector(y), place.vector(z));
        Single { axes, centre: place.point(b.centre), half: b.half }
    }

    /// A triangle elsewhere, to be compared with eight.
    #[inline(always)]
    pub(crate) fn triangle<S: Simd>(&self, simd: S, triangles: &Triangles, lane: usize) -> One {
        let place = self.load(simd);
        let One { corners: [p, q, r], normal, is_fat } = triangles.one(lane);
        One {
            corners: [place.point(p), place.point(q), place.point(r)],
            normal: place.vector(normal),
            is_fat,
        }
    }

    /// Eight vectors elsewhere.
    #[inline(always)]
    pub(super) fn vectors<S: Simd>(&self, a: &Vectors<S>) -> Vectors<S> {
        [dot1(a, self.row(0)), dot1(a, self.row(1)), dot1(a, self.row(2))]
    }

    /// Eight points elsewhere.
    #[inline(always)]
    pub(super) fn points<S: Simd>(&self, a: &Vectors<S>) -> Vectors<S> {
        let [x, y, z] = self.vectors(a);
        let shift: &[f32; 4] = &self.columns[3].0;
        [x + shift[0], y + shift[1], z + shift[2]]
    }

    #[inline(always)]
    fn row(&self, k: usize) -> Vec3 {
        Vec3::new(self.columns[0].0[k], self.columns[1].0[k], self.columns[2].0[k])
    }
}

struct Loaded<S: Simd> {
    x: f32x4<S>,
    y: f32x4<S>,
    z: f32x4<S>,
    shift: f32x4<S>,
}

impl<S: Simd> Loaded<S> {
    #[inline(always)]
    fn turned(&self, v: Vec3) -> f32x4<S> {
        self.x.mul_add(v.x, self.y.mul_add(v.y, self.z * v.z))
    }

    #[inline(always)]
    fn vector(&self, v: Vec3) -> Vec3 {
        three(self.turned(v))
    }

    #[inline(always)]
    fn point(&self, p: Vec3) -> Vec3 {
        three(self.turned(p) + self.shift)
    }
}

#[inline(always)]
fn three<S: Simd>(numbers: f32x4<S>) -> Vec3 {
    let mut stored = [0.0; 4];
    numbers.store_slice(&mut stored);
    Vec3::new(stored[0], stored[1], stored[2])
}
