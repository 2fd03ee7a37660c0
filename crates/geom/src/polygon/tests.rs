use super::*;
use proptest::prelude::*;

fn area(points: &[DVec3], filling: &Filling) -> f64 {
    let corner = |i: u32| points[i as usize];
    let doubled: f64 = filling
        .triangles
        .iter()
        .map(|&[a, b, c]| (corner(b) - corner(a)).cross(corner(c) - corner(a)).length())
        .sum();
    doubled / 2.0
}

fn flat(points: &[[f64; 2]]) -> Vec<DVec3> {
    points.iter().map(|p| DVec3::new(p[0], p[1], 0.0)).collect()
}

#[test]
fn concave_outlines_keep_their_area_and_sense() {
    let arrow = flat(&[[0.0, 0.0], [2.0, 0.0], [2.0, 2.0], [1.0, 0.5], [0.0, 2.0]]);
    let filling = fill(&arrow, &[]).expect("five corners");
    assert!(filling.simple);
    assert_eq!(filling.triangles.len(), 3);
    assert_eq!(area(&arrow, &filling), 2.5);
    for [a, b, c] in filling.triangles {
        let [a, b, c] = [a, b, c].map(|i| arrow[i as usize].truncate());
        assert_eq!(orient2d(a, b, c), Side::Above);
    }
}

#[test]
fn holes_are_left_out_whichever_way_they_turn() {
    let outer = flat(&[[0.0, 0.0], [4.0, 0.0], [4.0, 4.0], [0.0, 4.0]]);
    let mut left = flat(&[[1.0, 1.0], [1.5, 1.0], [1.5, 3.0], [1.0, 3.0]]);
    let right = flat(&[[2.0, 1.0], [2.0, 3.0], [3.0, 3.0], [3.0, 1.0]]);
    for _ in 0..2 {
        let filling = fill(&outer, &[&left, &right]).expect("twelve corners");
        let all: Vec<DVec3> = [outer.clone(), left.clone(), right.clone()].concat();
        assert!(filling.simple);
        assert_eq!(filling.triangles.len(), 12 - 2 + 2 * 2);
        assert_eq!(area(&all, &filling), 16.0 - 1.0 - 2.0);
        left.reverse();
    }
}

#[test]
fn corners_on_a_line_and_no_area_at_all_are_filled_too() {
    let square = flat(&[[0.0, 0.0], [1.0, 0.0], [2.0, 0.0], [2.0, 2.0], [1.0, 2.0], [0.0, 2.0]]);
    let filling = fill(&square, &[]).expect("six corners");
    assert!(filling.simple);
    assert_eq!((filling.triangles.len(), area(&square, &filling)), (4, 4.0));
    let line = flat(&[[0.0, 0.0], [1.0, 0.0], [2.0, 0.0], [3.0, 0.0]]);
    assert_eq!(fill(&line, &[]).expect("four corners").triangles.len(), 2);
}

#[test]
fn crossing_outlines_are_called_so() {
    let bow = flat(&[[0.0, 0.0], [2.0, 2.0], [2.0, 0.0], [0.0, 3.0]]);
    let filling = fill(&bow, &[]).expect("four corners");
    assert!(!filling.simple);
    assert_eq!(filling.triangles.len(), 2);
}

#[test]
fn faults() {
    assert_eq!(fill(&flat(&[[0.0, 0.0], [1.0, 0.0]]), &[]), Err(OutlineFault::TooFew(2)));
    let many = vec![DVec3::ZERO; MAX_CORNERS + 1];
    assert_eq!(fill(&many, &[]), Err(OutlineFault::TooMany(MAX_CORNERS + 1)));
}

#[test]
fn convex_outlines_become_a_fan_about_their_first_corner() {
    let square = flat(&[[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]]);
    assert_eq!(fill(&square, &[]).expect("four corners").triangles, [[0, 1, 2], [0, 2, 3]]);
}

#[test]
fn unevenness_is_a_fraction_of_the_size() {
    let mut square = flat(&[[0.0, 0.0], [3.0, 0.0], [3.0, 4.0], [0.0, 4.0]]);
    assert_eq!(unevenness(&square), 0.0);
    square[2].z = 0.1;
    let uneven = unevenness(&square);
    assert!((0.004..0.006).contains(&uneven), "{uneven}");
    assert_eq!(unevenness(&[DVec3::ONE; 4]), 0.0);
}

/// A star that winds about its middle many times, and a few corners in it.
fn tangle(n: usize) -> Vec<DVec3> {
    let step = std::f64::consts::TAU * (n / 3 + 1) as f64 / n as f64;
    let mut corners: Vec<[f64; 2]> =
        (0..n).map(|i| (i as f64 * step).sin_cos().into()).map(|[sin, cos]: [f64; 2]| [cos, sin]).collect();
    (0..30).for_each(|i| corners.insert(n / 2 + 5 * i, [1e-3 * i as f64, 2e-3]));
    flat(&corners)
}

#[test]
fn tangled_outlines_take_quadratic_time_at_worst_and_stop_at_the_budget() {
    for n in [300, 900, 2700] {
        let tangle = tangle(n);
        let filling = fill(&tangle, &[]).expect("enough corners");
        assert!(!filling.simple);
        assert_eq!(filling.triangles.len(), tangle.len() - 2);
        assert!(filling.effort < 10 * (n * n) as u64, "{n} corners took {}", filling.effort);
        assert_eq!(fill_within(&tangle, &[], filling.effort), Ok(filling.clone()));
        assert_eq!(fill_within(&tangle, &[], filling.effort - 1), Err(OutlineFault::TooLong));
    }
}

/// A plate with rows of triangular holes, moved by `shift`, and its area.
fn plate(rows: usize, shift: impl Fn(usize) -> [f64; 2]) -> (Vec<DVec3>, Vec<Vec<DVec3>>, f64) {
    let side = rows as f64;
    let hole = |i: usize| {
        let [dx, dy] = shift(i);
        let (x, y) = ((i % rows) as f64 + dx, (i / rows) as f64 + dy);
        flat(&[[x + 0.25, y + 0.25], [x + 0.5, y + 0.25], [x + 0.25, y + 0.5]])
    };
    let outline = flat(&[[0.0, 0.0], [side, 0.0], [side, side], [0.0, side]]);
    (outline, (0..rows * rows).map(hole).collect(), side * side * (1.0 - 1.0 / 32.0))
}

fn check_plate(outline: &[DVec3], holes: &[Vec<DVec3>], expected: f64) -> Filling {
    let slices: Vec<&[DVec3]> = holes.iter().map(Vec::as_slice).collect();
    let filling = fill(outline, &slices).expect("few corners");
    let all: Vec<DVec3> = outline.iter().chain(holes.iter().flatten()).copied().collect();
    assert!(filling.simple);
    assert_eq!(filling.triangles.len(), all.len() - 2 + 2 * holes.len());
    assert!((area(&all, &filling) - expected).abs() < 1e-9 * expected);
    filling
}

#[test]
fn plates_with_holes_in_rows_are_filled_quickly() {
    let (outline, holes, expected) = plate(40, |_| [0.0; 2]);
    let effort = check_plate(&outline, &holes, expected).effort;
    assert!(effort < 10_000_000, "{effort}");
}

#[test]
fn holes_that_overlap_or_lie_outside_are_called_so() {
    let (outline, mut holes, _) = plate(4, |_| [0.0; 2]);
    holes[5] = holes[6].iter().map(|&p| p + DVec3::X * 0.1).collect();
    holes[9] = holes[9].iter().map(|&p| p + DVec3::X * 100.0).collect();
    let slices: Vec<&[DVec3]> = holes.iter().map(Vec::as_slice).collect();
    let filling = fill(&outline, &slices).expect("few corners");
    assert!(!filling.simple);
    assert_eq!(filling.triangles.len(), 4 + 48 - 2 + 32);
}

proptest! {
    /// Holes anywhere in the cells of a grid, on as few different coordinates as make rays meet corners.
    #[test]
    fn plates_keep_their_area(shifts in prop::collection::vec([0..5_u8, 0..5_u8], 36)) {
        let (outline, holes, expected) = plate(6, |i| shifts[i].map(|s| f64::from(s) / 10.0 - 0.2));
        check_plate(&outline, &holes, expected);
    }

    /// Star-shaped outlines in a tilted plane: their area is known from the vector area.
    #[test]
    fn stars_keep_their_area(radii in prop::collection::vec(0.05..1.0f64, 3..60), tilt in 0.0..6.0f64) {
        let n = radii.len() as f64;
        let pose = crate::Pose::from_rpy(DVec3::new(3.0, -1.0, 2.0), DVec3::new(tilt, tilt * 0.7, 1.0));
        let star: Vec<DVec3> = radii.iter().enumerate().map(|(i, &r)| {
            let angle = std::f64::consts::TAU * (i as f64) / n;
            pose * DVec3::new(r * angle.cos(), r * angle.sin(), 0.0)
        }).collect();
        let filling = fill(&star, &[]).expect("enough corners");
        let expected = newell(&star).length() / 2.0;
        prop_assert!(filling.simple);
        prop_assert_eq!(filling.triangles.len(), star.len() - 2);
        prop_assert!((area(&star, &filling) - expected).abs() < 1e-12);
    }
}
