//! Shapes with a formula against their meshes.

use kansho_geom::glam::DVec3;
use kansho_geom::mesh::audit;
use kansho_geom::primitive::{Primitive, Shape, ShapeFault};
use kansho_geom::triangle;

fn shapes() -> Vec<Shape> {
    vec![
        Shape::Box { size: DVec3::new(0.3, 2.0, 1.0) },
        Shape::Sphere { radius: 0.7 },
        Shape::Cylinder { radius: 0.2, height: 1.5 },
        Shape::Capsule { radius: 0.2, height: 0.5 },
        Shape::Cone { radius: 0.4, height: 0.9 },
    ]
}

#[test]
fn meshes_are_closed_lie_inside_and_come_close() {
    for shape in shapes() {
        let primitive = Primitive::new(shape).expect("a shape");
        for deviation in [0.02, 0.001] {
            let mesh = primitive.tessellated(deviation).expect("bounded");
            let found = audit(&mesh);
            assert!(found.is_solid(), "{shape:?}");
            let volume = found.volume.expect("solid");
            // The mesh lies inside, and the shell between the two is thinner than the deviation.
            assert!(volume <= primitive.volume() * (1.0 + 1e-12), "{shape:?}");
            assert!(volume >= primitive.volume() - deviation * primitive.area(), "{shape:?}");
            assert!(found.area <= primitive.area() * (1.0 + 1e-12), "{shape:?}");
            for &p in mesh.vertices() {
                assert!(primitive.contains(p * (1.0 - 1e-12)), "{shape:?} {p}");
                assert!(
                    !primitive.contains(p * (1.0 + 1e-9)) || p.z == 0.0 || is_flat_end(shape, p),
                    "{shape:?} {p}"
                );
            }
            let (tight, formula) = (mesh.aabb(), primitive.aabb().expect("bounded"));
            assert!(tight.extent().abs_diff_eq(formula.extent(), 1e-12), "{shape:?}");
        }
    }
}

/// The middle of a flat end: pushed outward along itself it leaves, but for rounding.
fn is_flat_end(shape: Shape, p: DVec3) -> bool {
    matches!(shape, Shape::Box { .. }) && p == DVec3::ZERO
}

#[test]
fn faults_name_the_size() {
    let check = |shape: Shape, message: &str| {
        assert_eq!(Primitive::new(shape).expect_err("no shape").to_string(), message);
    };
    check(Shape::Sphere { radius: -1.0 }, "the radius must be greater than zero, not -1");
    check(Shape::Box { size: DVec3::new(1.0, 0.0, 1.0) }, "the y size must be greater than zero, not 0");
    check(Shape::Cone { radius: 1.0, height: f64::NAN }, "the height must be greater than zero, not NaN");
    check(Shape::Capsule { radius: 1e9, height: 1.0 }, "the radius is 1e9 m, beyond the limit of 1e6 m");
    let flat = Shape::HalfSpace { normal: DVec3::ZERO, offset: 0.0 };
    assert_eq!(Primitive::new(flat), Err(ShapeFault::NoNormal(DVec3::ZERO)));
}

#[test]
fn half_spaces_are_normalised() {
    let floor =
        Primitive::new(Shape::HalfSpace { normal: DVec3::Z * 2.0, offset: 1.0 }).expect("a half-space");
    assert_eq!(floor.shape(), Shape::HalfSpace { normal: DVec3::Z, offset: 0.5 });
    assert!(floor.contains(DVec3::new(7.0, 7.0, 0.5)) && !floor.contains(DVec3::Z));
    assert_eq!((floor.aabb(), floor.tessellated(0.1)), (None, None));
}

#[test]
fn signed_distances_are_those_of_the_tessellated_surface() {
    for shape in shapes() {
        let primitive = Primitive::new(shape).expect("valid sizes");
        let mesh = primitive.tessellated(1e-4).expect("it is bounded");
        let triangles: Vec<_> = mesh.corners().collect();
        for k in 0..60 {
            let at = |step: f64| (f64::from(k) * step).fract() * 2.4 - 1.2;
            let p = DVec3::new(at(0.618_034), at(0.754_878), at(0.569_84));
            let brute =
                triangles.iter().map(|t| triangle::nearest(p, t).distance(p)).fold(f64::MAX, f64::min);
            let found = primitive.signed_distance(p);
            assert!((found.abs() - brute).abs() < 1.1e-4, "{shape:?} {p} {found} {brute}");
            assert_eq!(found <= 0.0, primitive.contains(p), "{shape:?} {p}");
        }
    }
}
