//! Whether two triangles touch: exactly if whole numbers say so, however large or small they are drawn.

use super::integers::{Point, apart, has_area};
use crate::numbers::Numbers;
use kansho_geom::glam::DVec3;
use kansho_geom::triangle::{closest, touch};

pub(super) fn run(bytes: &[u8]) {
    let mut numbers = Numbers(bytes);
    let scale = 2f64.powi(i32::from(numbers.byte() as i8) / 4);
    // Far out, as much as fits beside 16 bits of detail.
    let shift = [0, 1 << 20, -(1 << 33)][numbers.below(3)];
    let mut triangle = |shift: i64| [(); 3].map(|()| [(); 3].map(|()| i128::from(numbers.whole() + shift)));
    let (a, b): ([Point; 3], [Point; 3]) = (triangle(shift), triangle(shift));
    if !has_area(&a) || !has_area(&b) {
        return;
    }
    // Whole numbers of less than 2³⁵ times a power of two: nothing is rounded.
    let real = |t: &[Point; 3]| t.map(|p| DVec3::from_array(p.map(|x| x as f64)) * scale);
    let (here, there) = (real(&a), real(&b));
    let near = |t: &[Point; 3]| t.map(|p| p.map(|x| x - i128::from(shift)));
    let expected = !apart(&near(&a), &near(&b));
    for turn in 0..3 {
        let turned = |t: [DVec3; 3]| [t[turn], t[(turn + 1) % 3], t[(turn + 2) % 3]];
        assert_eq!(touch(&turned(here), &there), expected, "{a:?} {b:?}");
        assert_eq!(touch(&there, &turned([here[2], here[1], here[0]])), expected, "{a:?} {b:?}");
    }
    // How far apart they are is rounded, but that they touch is not.
    if expected {
        assert_eq!(closest(&here, &there).distance_sq, 0.0, "{a:?} {b:?}");
    }
}
