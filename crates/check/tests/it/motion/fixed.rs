//! Forward kinematics in whole numbers: where is a point, to 250 binary places? The oracle of what the verifier says about rounding.

use dashu_int::IBig;
use kansho_cell::{Cell, FrameId, JointPiece};
use kansho_geom::Pose;
use kansho_geom::glam::DVec3;
use std::sync::LazyLock;

/// Binary places.
const PLACES: usize = 250;

/// Exactly this number, as long as it is no smaller than the places allow.
pub(super) fn fixed(x: f64) -> IBig {
    let bits = x.to_bits();
    let exponent = ((bits >> 52) & 0x7ff) as i64;
    let mantissa = (bits & ((1 << 52) - 1)) | if exponent == 0 { 0 } else { 1 << 52 };
    let shift = exponent.max(1) - 1075 + PLACES as i64;
    let whole = IBig::from(mantissa);
    let whole = if shift >= 0 { whole << shift as usize } else { whole >> (-shift) as usize };
    if x < 0.0 { -whole } else { whole }
}

fn product(a: &IBig, b: &IBig) -> IBig {
    (a * b) >> PLACES
}

/// `atan(1/n)`.
fn arc_tangent_of_inverse(n: i64) -> IBig {
    let (mut power, mut sum) = ((IBig::from(1) << PLACES) / IBig::from(n), IBig::from(0));
    let mut k = 0i64;
    while power != IBig::from(0) {
        let term = &power / IBig::from(2 * k + 1);
        sum = if k % 2 == 0 { sum + term } else { sum - term };
        power /= IBig::from(n * n);
        k += 1;
    }
    sum
}

/// Machin 1706.
static TWO_PI: LazyLock<IBig> = LazyLock::new(|| {
    IBig::from(8) * (IBig::from(4) * arc_tangent_of_inverse(5) - arc_tangent_of_inverse(239))
});

/// Sine and cosine by their series.
fn sin_cos(angle: &IBig) -> [IBig; 2] {
    let angle = angle % &*TWO_PI;
    let mut term = IBig::from(1) << PLACES;
    let (mut sin, mut cos) = (IBig::from(0), IBig::from(0));
    let mut k = 0i64;
    while term != IBig::from(0) {
        match k % 4 {
            0 => cos += &term,
            1 => sin += &term,
            2 => cos -= &term,
            _ => sin -= &term,
        }
        k += 1;
        term = product(&term, &angle) / IBig::from(k);
        // A shift rounds down, so that what is negative never gets to zero.
        if term == IBig::from(-1) {
            break;
        }
    }
    [sin, cos]
}

type Point = [IBig; 3];

fn placed(pose: &Pose, p: &Point) -> Point {
    let (m, t) = (pose.rotation(), pose.translation());
    std::array::from_fn(|i| {
        let sum = (0..3).map(|k| product(&fixed(m.col(k)[i]), &p[k])).fold(IBig::from(0), |a, b| a + b);
        sum + fixed(t[i])
    })
}

/// The value of a cubic in Bernstein's form.
fn value(controls: &[f64; 4], t: f64) -> IBig {
    let t = fixed(t);
    let rest = (IBig::from(1) << PLACES) - &t;
    let mix = |a: &IBig, b: &IBig| product(a, &rest) + product(b, &t);
    let c = controls.map(fixed);
    let (ab, bc, cd) = (mix(&c[0], &c[1]), mix(&c[1], &c[2]), mix(&c[2], &c[3]));
    mix(&mix(&ab, &bc), &mix(&bc, &cd))
}

/// The height along a direction of a point of a frame, seen from another frame that carries it.
pub(super) fn height(
    cell: &Cell,
    motion: &JointPiece,
    t: f64,
    [from, frame]: [FrameId; 2],
    (frame_from_piece, point): (&Pose, DVec3),
    n: DVec3,
) -> IBig {
    let mut p = placed(frame_from_piece, &point.to_array().map(fixed));
    let mut frame = frame;
    while frame != from {
        let joint = cell.frame_joint(frame).expect("the other carries it");
        let (elements, after) = joint.elements();
        p = placed(&after, &p);
        for element in elements.iter().rev() {
            let q = value(&motion.controls()[element.coordinate], t);
            let value = product(&fixed(element.multiplier), &q) + fixed(element.offset);
            p = match element.slide {
                Some(along) => std::array::from_fn(|i| &p[i] + product(&fixed(along[i]), &value)),
                None => {
                    let [sin, cos] = sin_cos(&value);
                    let [x, y, z] = &p;
                    [product(&cos, x) - product(&sin, y), product(&sin, x) + product(&cos, y), z.clone()]
                }
            };
            p = placed(&element.before, &p);
        }
        frame = joint.parent;
    }
    (0..3).map(|k| product(&fixed(n[k]), &p[k])).fold(IBig::from(0), |a, b| a + b)
}

/// The nearest number that is not below.
pub(super) fn rounded_up(x: &IBig) -> f64 {
    let mut near = x.to_f64().value() * (-(PLACES as f64)).exp2();
    while fixed(near) < *x {
        near = near.next_up();
    }
    near
}

#[test]
fn whole_numbers_turn_as_the_standard_library_does() {
    for angle in [0.0, 0.3, -2.0, 40.0, 1e12, -123456.789] {
        let [sin, cos] = sin_cos(&fixed(angle)).map(|x| rounded_up(&x));
        assert!((sin - f64::sin(angle)).abs() < 1e-15 && (cos - f64::cos(angle)).abs() < 1e-15, "{angle}");
    }
}
