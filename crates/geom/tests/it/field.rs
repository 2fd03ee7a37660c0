//! Fields of distances against the distances of all triangles, and windings by solid angles.

use crate::bodies::{cube, height_field, plate, together, torus, turned};
use kansho_geom::field::{BallTree, Field, FieldOptions, FieldPart, Inner, Look, Reach, Roots, Walk, Walked};
use kansho_geom::glam::DVec3;
use kansho_geom::mesh::{Mesh, weld};
use kansho_geom::primitive::{Primitive, Shape};
use kansho_geom::spheres::{CoverOptions, Surface, cover};
use kansho_geom::tree::Scratch;
use kansho_geom::{Aabb, Ball, Pose, Solid, triangle};
use proptest::prelude::*;
use std::f64::consts::TAU;
use std::sync::Arc;

/// A body as a field has it, and as a plain loop sees it.
#[derive(Clone, Debug)]
struct Body {
    kind: Kind,
    frame_from_part: Pose,
}

#[derive(Clone, Debug)]
enum Kind {
    Formula(Primitive),
    Mesh { mesh: Arc<Mesh>, closed: bool },
}

impl Body {
    fn part(&self) -> FieldPart {
        match &self.kind {
            Kind::Formula(primitive) => FieldPart::formula(*primitive, self.frame_from_part),
            Kind::Mesh { mesh, closed } => {
                let solid = Arc::new(Solid::mesh(Arc::clone(mesh)));
                assert_eq!(solid.is_closed(), *closed);
                FieldPart::mesh(solid, self.frame_from_part).expect("a mesh")
            }
        }
    }

    /// The distance from the solid, and whether the point is inside of it.
    fn distance(&self, point: DVec3) -> (f64, bool) {
        let p = self.frame_from_part.inverse() * point;
        match &self.kind {
            Kind::Formula(primitive) => {
                let distance = primitive.signed_distance(p);
                (distance.max(0.0), distance <= 0.0)
            }
            Kind::Mesh { mesh, closed } => {
                let inside = *closed && winding(mesh, p).round() != 0.0;
                (if inside { 0.0 } else { surface(mesh, p) }, inside)
            }
        }
    }

    /// Distance from the surface alone, from inside as well.
    fn depth(&self, point: DVec3) -> f64 {
        let p = self.frame_from_part.inverse() * point;
        match &self.kind {
            Kind::Formula(primitive) => primitive.signed_distance(p).abs(),
            Kind::Mesh { mesh, .. } => surface(mesh, p),
        }
    }

    /// Points on it, special ones and others, by numbers from 0 to 1.
    fn on_surface(&self, pick: [f64; 3]) -> DVec3 {
        let corners: Vec<[DVec3; 3]> = match &self.kind {
            Kind::Formula(primitive) => match primitive.tessellated(1e-3 * size_of(primitive)) {
                Some(mesh) => mesh.corners().collect(),
                None => {
                    let Shape::HalfSpace { normal, offset } = primitive.shape() else {
                        unreachable!("all others have an end")
                    };
                    let (x, y) = normal.any_orthonormal_pair();
                    vec![[normal * offset, normal * offset + x, normal * offset + y]]
                }
            },
            Kind::Mesh { mesh, .. } => mesh.corners().collect(),
        };
        let index = (pick[0] * corners.len() as f64) as usize;
        let [a, b, c] = corners[index.min(corners.len() - 1)];
        // A corner, the middle of an edge, or anywhere.
        let p = match ((pick[0] * 1e6).fract() * 4.0) as u32 {
            0 => a,
            1 => (a + b) * 0.5,
            _ => {
                let (u, v) = (pick[1].sqrt(), pick[2]);
                a * (1.0 - u) + b * (u * (1.0 - v)) + c * (u * v)
            }
        };
        self.frame_from_part * p
    }
}

fn size_of(primitive: &Primitive) -> f64 {
    primitive.aabb().map_or(1.0, |aabb| aabb.diagonal())
}

fn surface(mesh: &Mesh, p: DVec3) -> f64 {
    mesh.corners().map(|corners| triangle::nearest(p, &corners).distance(p)).fold(f64::INFINITY, f64::min)
}

/// How often a closed mesh winds round a point: the sum of the solid angles of its triangles (van Oosterom and Strackee 1983).
fn winding(mesh: &Mesh, p: DVec3) -> f64 {
    let angle = |corners: [DVec3; 3]| {
        let [a, b, c] = corners.map(|q| q - p);
        let [x, y, z] = [a.length(), b.length(), c.length()];
        let above = a.dot(b.cross(c));
        let below = x * y * z + a.dot(b) * z + b.dot(c) * x + c.dot(a) * y;
        2.0 * above.atan2(below)
    };
    mesh.corners().map(angle).sum::<f64>() / (2.0 * TAU)
}

/// What distances of a plain loop may be off by.
fn rounding(bodies: &[Body], point: DVec3) -> f64 {
    let size = |body: &Body| {
        let own = match &body.kind {
            Kind::Formula(primitive) => match primitive.shape() {
                Shape::HalfSpace { offset, .. } => offset.abs(),
                _ => size_of(primitive),
            },
            Kind::Mesh { mesh, .. } => mesh.aabb().diagonal() + mesh.aabb().centre().length(),
        };
        own + body.frame_from_part.translation().length()
    };
    1e-14 * (bodies.iter().map(size).fold(0.0, f64::max) + point.length())
}

fn brute(bodies: &[Body], point: DVec3) -> f64 {
    bodies.iter().map(|body| body.distance(point).0).fold(f64::INFINITY, f64::min)
}

fn scaled(mesh: &Mesh, scale: f64, shift: DVec3) -> Mesh {
    let points: Vec<DVec3> = mesh.vertices().iter().map(|p| *p * scale + shift).collect();
    weld(&points, mesh.triangles(), 0.0).expect("a mesh").mesh
}

/// Bodies of about a metre, closed and open, round and flat, thin and hollow.
fn kinds() -> impl Strategy<Value = Kind> {
    let size = 0.05..1.0f64;
    let shapes = prop_oneof![
        prop::array::uniform3(size.clone()).prop_map(|size| Shape::Box { size: DVec3::from_array(size) }),
        size.clone().prop_map(|radius| Shape::Sphere { radius }),
        (size.clone(), size.clone()).prop_map(|(radius, height)| Shape::Cylinder { radius, height }),
        (size.clone(), size.clone()).prop_map(|(radius, height)| Shape::Capsule { radius, height }),
        (size.clone(), size.clone()).prop_map(|(radius, height)| Shape::Cone { radius, height }),
        (prop::array::uniform3(-1.0..1.0f64), -1.0..1.0f64).prop_filter_map("a direction", |(n, offset)| {
            let normal = DVec3::from_array(n);
            (normal.length() > 0.1).then_some(Shape::HalfSpace { normal, offset })
        }),
    ];
    let formula = shapes.prop_map(|shape| Kind::Formula(Primitive::new(shape).expect("a shape")));
    let mesh = |mesh: Mesh, closed: bool| Kind::Mesh { mesh: Arc::new(mesh), closed };
    let closed = prop_oneof![
        Just(cube()),
        // A cube with a cavity, which is outside of it.
        (0.1..0.9f64).prop_map(|s| {
            together(&[(cube(), DVec3::ZERO), (turned(&scaled(&cube(), s, DVec3::ZERO)), DVec3::ZERO)])
        }),
        // And with something in the cavity.
        Just(together(&[
            (cube(), DVec3::ZERO),
            (turned(&scaled(&cube(), 0.8, DVec3::ZERO)), DVec3::ZERO),
            (scaled(&cube(), 0.3, DVec3::ZERO), DVec3::new(0.1, 0.05, 0.0)),
        ])),
        (prop::collection::vec(1.0..2.0f64, 5..9), 0.001..0.5f64).prop_map(|(outer, thickness)| plate(
            &outer,
            &[0.5, 0.3, 0.6, 0.3, 0.7],
            thickness
        )
        .mesh),
        (4..12u32, 3..9u32).prop_map(|(around, across)| torus(0.8, 0.3, around, across)),
        // A needle.
        (1e-6..1e-2f64).prop_map(|thin| {
            let points = [DVec3::ZERO, DVec3::X * thin, DVec3::Y * thin, DVec3::new(thin, thin, 1.0)];
            let triangles = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]];
            weld(&points, &triangles, 0.0).expect("a needle").mesh
        }),
    ]
    .prop_map(move |m| mesh(m, true));
    let open = prop_oneof![
        (1..5u32, 0.0..1.0f64, any::<u64>()).prop_map(|(n, rough, seed)| height_field(n, rough, seed)),
        prop::collection::vec(prop::array::uniform9(-1.0..1.0f64), 1..12).prop_filter_map(
            "area",
            |numbers| {
                let points: Vec<DVec3> =
                    numbers.iter().flat_map(|n| n.chunks_exact(3).map(DVec3::from_slice)).collect();
                let triangles: Vec<[u32; 3]> =
                    (0..numbers.len() as u32).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect();
                weld(&points, &triangles, 0.0).ok().map(|welded| welded.mesh)
            }
        ),
    ]
    .prop_map(move |m| mesh(m, false));
    prop_oneof![2 => formula, 2 => closed, 1 => open]
}

/// The same of another size.
fn resized(kind: &Kind, scale: f64) -> Kind {
    match kind {
        Kind::Mesh { mesh, closed } => {
            Kind::Mesh { mesh: Arc::new(scaled(mesh, scale, DVec3::ZERO)), closed: *closed }
        }
        Kind::Formula(primitive) => {
            let shape = match primitive.shape() {
                Shape::Box { size } => Shape::Box { size: size * scale },
                Shape::Sphere { radius } => Shape::Sphere { radius: radius * scale },
                Shape::Cylinder { radius, height } => {
                    Shape::Cylinder { radius: radius * scale, height: height * scale }
                }
                Shape::Capsule { radius, height } => {
                    Shape::Capsule { radius: radius * scale, height: height * scale }
                }
                Shape::Cone { radius, height } => {
                    Shape::Cone { radius: radius * scale, height: height * scale }
                }
                Shape::HalfSpace { normal, offset } => Shape::HalfSpace { normal, offset: offset * scale },
            };
            Kind::Formula(Primitive::new(shape).expect("a shape"))
        }
    }
}

/// Some bodies, all of about `scale` metres and around a `middle`.
#[derive(Clone, Debug)]
struct Setting {
    bodies: Vec<Body>,
    scale: f64,
    middle: DVec3,
}

fn settings() -> impl Strategy<Value = Setting> {
    let placed = (
        kinds(),
        prop::array::uniform3(-1.0..1.0f64),
        // Many are square to the axes, where faces of several lie in one plane.
        prop_oneof![Just([0.0; 3]), Just([0.0, 0.0, TAU / 4.0]), prop::array::uniform3(-3.2..3.2f64)],
        any::<bool>(),
    );
    let scales = prop_oneof![3 => Just(1.0), 1 => Just(1e-6), 1 => Just(1e4), 1 => Just(1e-3)];
    let middles = prop_oneof![2 => Just(DVec3::ZERO), 1 => Just(DVec3::new(1e5, -7e4, 3e4)), 1 => Just(DVec3::splat(10.0))];
    (prop::collection::vec(placed, 1..5), scales, middles).prop_map(|(placed, scale, middle)| {
        let body = |(kind, shift, turn, is_round): (Kind, [f64; 3], [f64; 3], bool)| {
            // Round numbers make bodies touch and share planes.
            let shift = DVec3::from_array(shift);
            let shift = if is_round { (shift * 2.0).round() * 0.5 } else { shift };
            let frame_from_part = Pose::from_rpy(middle + shift * scale, DVec3::from_array(turn));
            Body { kind: resized(&kind, scale), frame_from_part }
        };
        Setting { bodies: placed.into_iter().map(body).collect(), scale, middle }
    })
}

/// A field with cells much larger and much smaller than bodies, in a region that contains them or not.
#[derive(Clone, Debug)]
struct Around {
    shift: [f64; 3],
    half: [f64; 3],
    cell: f64,
    bytes: usize,
}

fn arounds() -> impl Strategy<Value = Around> {
    let cells = prop::sample::select(vec![30.0, 3.0, 0.4, 0.1, 0.03, 0.01, 0.002]);
    (prop::array::uniform3(-1.5..1.5f64), prop::array::uniform3(0.1..2.0f64), cells, 12..24u32)
        .prop_map(|(shift, half, cell, bytes)| Around { shift, half, cell, bytes: 1 << bytes })
}

impl Around {
    fn region(&self, setting: &Setting) -> Aabb {
        let (shift, half) = (DVec3::from_array(self.shift), DVec3::from_array(self.half));
        let centre = setting.middle + shift.round() * setting.scale;
        Aabb::of_points([centre - half * setting.scale, centre + half * setting.scale]).expect("two points")
    }

    fn field(&self, setting: &Setting) -> Field {
        let options = FieldOptions { cell: self.cell * setting.scale, bytes: self.bytes };
        Field::new(setting.bodies.iter().map(Body::part).collect(), self.region(setting), &options)
    }
}

/// Points where bounds may fail: on surfaces, corners and edges, next to them, on the borders of cells, anywhere.
fn special(setting: &Setting, field: &Field, pick: &[f64; 8]) -> DVec3 {
    let [a, b, c, d, e, f, g, h] = *pick;
    let region = field.region();
    let anywhere = region.min() + region.extent() * DVec3::new(a, b, c);
    let body = &setting.bodies[((d * setting.bodies.len() as f64) as usize).min(setting.bodies.len() - 1)];
    let direction = (DVec3::new(a, b, c) - 0.5).normalize_or(DVec3::X);
    match (h * 6.0) as u32 {
        0 => body.on_surface([e, f, g]),
        // From a tenth of a cell down to next to nothing.
        1 => body.on_surface([e, f, g]) + direction * (setting.scale * 10f64.powf(-1.0 - 12.0 * d)),
        2 => body.on_surface([e, f, g]) + direction * (field.cell() * 2.0 * d),
        // On the borders of fine cells; every eighth is one of coarse cells.
        3 => {
            let cell = field.cell() * if d < 0.5 { 1.0 } else { 8.0 };
            region.centre() + ((anywhere - region.centre()) / cell).round() * cell
        }
        4 => {
            let cell = field.cell();
            let at = region.centre() + ((anywhere - region.centre()) / cell).round() * cell;
            // On one border, next to it on the other side.
            DVec3::new(at.x, anywhere.y, at.z.next_down())
        }
        _ => anywhere,
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// Below is never above the distance, above is never below it.
    #[test]
    fn bounds_hold(
        setting in settings(),
        around in arounds(),
        picks in prop::collection::vec(prop::array::uniform8(0.0..1.0f64), 100),
    ) {
        let field = around.field(&setting);
        let mut scratch = Scratch::default();
        for pick in &picks {
            let point = special(&setting, &field, pick);
            let exact = brute(&setting.bodies, point);
            let room = rounding(&setting.bodies, point);
            for fine in [false, true] {
                if let Some([below, above]) = field.bounds(point, fine, &mut scratch) {
                    prop_assert!(below <= exact + room, "{point} {fine}: {below:e} > {exact:e}");
                    prop_assert!(above >= exact - room, "{point} {fine}: {above:e} < {exact:e}");
                    prop_assert!(below >= 0.0);
                }
            }
            prop_assert!(field.roughly(point, &mut scratch) <= exact + room);
            prop_assert!(field.not_beyond(point, &mut scratch) >= exact - room || exact == 0.0);
            prop_assert!(field.box_distance(point) <= exact + room);
            let found = field.distance(point, &mut scratch);
            prop_assert!((found - exact).abs() <= room, "{point}: {found:e} {exact:e}");
        }
    }

    /// What single precision proves free is free, however it is placed, and with whatever instructions; what it says is hit is hit.
    #[test]
    fn looked_up_balls_are_free(
        setting in settings(),
        around in arounds(),
        picks in prop::collection::vec(prop::array::uniform8(0.0..1.0f64), 60),
        turn in prop::array::uniform3(-3.2..3.2f64),
        shift in prop::array::uniform3(-1.0..1.0f64),
        radius in -4.0..0.3f64,
        far in prop::sample::select(vec![0.0, 1.0, 1e3]),
    ) {
        let field = around.field(&setting);
        // In a frame of their own, whose origin may be far away.
        let balls_at = setting.middle + DVec3::from_array(shift) * (far * setting.scale);
        let field_from_balls = Pose::from_rpy(balls_at, DVec3::from_array(turn));
        let balls_from_field = field_from_balls.inverse();
        let centres: Vec<DVec3> = picks.iter().map(|pick| special(&setting, &field, pick)).collect();
        let radius = 10f64.powf(radius) * setting.scale;
        let balls: Vec<Ball> = centres.iter().map(|c| Ball::new(balls_from_field * *c, radius)).collect();
        let middle = balls_from_field * centres[0];
        let roots = Roots::new(&balls, middle);
        let look = Look::new(&field, field_from_balls, roots.reach());
        for (mut walk, mut scratch) in
            [(Walk::default(), Scratch::default()), (Walk::portable(), Scratch::portable())]
        {
            let mut gaps = Vec::new();
            walk.roots(&roots, &field, &look, &mut scratch, &mut gaps);
            prop_assert_eq!(gaps.len(), balls.len());
            for ((gap, centre), ball) in gaps.iter().zip(&centres).zip(&balls) {
                let exact = brute(&setting.bodies, *centre);
                let room = rounding(&setting.bodies, *centre) + 1e-14 * ball.centre().length();
                if *gap > 0.0 {
                    prop_assert!(f64::from(*gap) <= exact - radius + room, "{centre}: {gap:e} {exact:e} {radius:e}");
                }
            }
        }
    }
}

/// Shapes of every kind from flat to slender.
fn shapes() -> impl Strategy<Value = Primitive> {
    let size = || (-3.0..3.0f64).prop_map(|power| 10f64.powf(power));
    prop_oneof![
        [size(), size(), size()].prop_map(|size| Shape::Box { size: DVec3::from_array(size) }),
        size().prop_map(|radius| Shape::Sphere { radius }),
        (size(), size()).prop_map(|(radius, height)| Shape::Cylinder { radius, height }),
        (size(), size()).prop_map(|(radius, height)| Shape::Capsule { radius, height }),
        (size(), size()).prop_map(|(radius, height)| Shape::Cone { radius, height }),
        (prop::array::uniform3(0.1..1.0f64), -1.0..1.0f64)
            .prop_map(|(n, offset)| Shape::HalfSpace { normal: DVec3::from_array(n), offset }),
    ]
    .prop_map(|shape| Primitive::new(shape).expect("a shape"))
}

/// Points about a shape: anywhere, on its axis, in its middle plane, on rims, corners and tips, on faces and next to them.
fn about(primitive: &Primitive, pick: &[f64; 7]) -> DVec3 {
    let [a, b, c, d, e, f, g] = *pick;
    let half = primitive.aabb().map_or(DVec3::ONE, |aabb| aabb.extent() * 0.5);
    let anywhere = half * (DVec3::new(a, b, c) - 0.5) * 4.0;
    let body = Body { kind: Kind::Formula(*primitive), frame_from_part: Pose::IDENTITY };
    match (d * 7.0) as u32 {
        0 => DVec3::Z * anywhere.z,
        1 => anywhere.with_z(0.0),
        2 => body.on_surface([e, f, g]),
        3 => {
            body.on_surface([e, f, g])
                + anywhere.normalize_or(DVec3::X) * (half.max_element() * 10f64.powf(-17.0 * a))
        }
        // Corners of the box around: rims and the like.
        4 => half * (DVec3::new(a, b, c) - 0.5).signum(),
        5 => DVec3::Z * half.z,
        _ => anywhere,
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    /// A signed distance of a convex shape is nowhere below the plane through a point that `outward` tilts.
    #[test]
    fn outward_is_a_slope_from_below(
        primitive in shapes(),
        picks in prop::collection::vec(prop::array::uniform7(0.0..1.0f64), 40),
    ) {
        let size = primitive.aabb().map_or(4.0, |aabb| aabb.diagonal());
        let points: Vec<DVec3> = picks.iter().map(|pick| about(&primitive, pick)).collect();
        for p in &points {
            let outward = primitive.outward(*p);
            prop_assert!((outward.length() - 1.0).abs() < 1e-12, "{p} {outward}");
            for q in &points {
                let plane = primitive.signed_distance(*p) + outward.dot(*q - *p);
                let room = 1e-14 * (size + p.length() + q.length());
                prop_assert!(
                    primitive.signed_distance(*q) >= plane - room,
                    "{:?} at {p}, {q}: {:e} below {plane:e}", primitive.shape(), primitive.signed_distance(*q)
                );
            }
        }
    }
}

/// Mesh or formula as something to cover.
fn cover_of(kind: &Kind, radius: f64) -> kansho_geom::spheres::Hierarchy {
    let surface = match kind {
        Kind::Formula(primitive) => Surface::Primitive(primitive),
        Kind::Mesh { mesh, .. } => Surface::Mesh(mesh),
    };
    cover(&surface, &CoverOptions::of_radius(radius)).expect("few spheres")
}

fn with_end() -> impl Strategy<Value = Kind> {
    kinds().prop_filter("an end", |kind| match kind {
        Kind::Formula(primitive) => primitive.aabb().is_some(),
        Kind::Mesh { .. } => true,
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// Every point of a surface is in balls down to the smallest: a grain anywhere on it is never passed by.
    #[test]
    fn a_grain_on_the_surface_is_found(
        kind in with_end(),
        scale in prop::sample::select(vec![1e-4, 1.0, 1e4]),
        radius in 0.03..0.3f64,
        pose in crate::tree::poses(3.0),
        other in crate::tree::poses(3.0),
        picks in prop::collection::vec(prop::array::uniform3(0.0..1.0f64), 20),
    ) {
        let kind = resized(&kind, scale);
        let placed = |pose: Pose| Pose::from_rpy(pose.translation() * scale, DVec3::ZERO) * Pose::from_translation(-pose.translation()) * pose;
        let (frame_from_part, field_from_balls) = (placed(pose), placed(other));
        let body = Body { kind: kind.clone(), frame_from_part };
        let hierarchy = cover_of(&kind, radius * scale);
        for (pick, offset) in picks.iter().zip((0..).map(|k| f64::from(k) * 0.01 * scale)) {
            let on = body.on_surface(*pick);
            if let Kind::Formula(primitive) = &kind {
                // What is taken from a mesh of the shape is not quite on it.
                if body.depth(on) > 1e-12 * (size_of(primitive) + on.length()) {
                    continue;
                }
            }
            let middle = frame_from_part.translation() + DVec3::X * offset;
            let tree = BallTree::new(&hierarchy, frame_from_part, middle);
            let grain = field_from_balls * on;
            let sphere = Primitive::new(Shape::Sphere { radius: 1e-9 * scale }).expect("a grain");
            let part = FieldPart::formula(sphere, Pose::from_translation(grain));
            let around = DVec3::splat(scale * 0.5);
            let region = Aabb::of_points([grain - around, grain + around * 0.7]).expect("two points");
            let options = FieldOptions { cell: 0.01 * scale, bytes: 1 << 22 };
            let field = Field::new(vec![part], region, &options);
            let reach = Reach { middle, reach: tree.ball().centre().distance(middle) + tree.ball().radius() };
            let look = Look::new(&field, field_from_balls, &reach);
            prop_assert!(tree.ball().centre().distance(on) <= tree.ball().radius() * (1.0 + 1e-12));
            for (mut walk, mut scratch) in
                [(Walk::default(), Scratch::default()), (Walk::portable(), Scratch::portable())]
            {
                walk.begin();
                let mut found = false;
                while let Walked::Open(ball) = walk.next(&tree, &field, &look, u64::MAX / 2, &mut scratch) {
                    found |= ball.centre().distance(on) <= ball.radius() * (1.0 + 1e-6) + 1e-6 * scale;
                }
                prop_assert!(found, "{on}");
            }
        }
    }

    /// What a walk proves free is apart, and by the gap that it tells.
    #[test]
    fn what_a_walk_frees_is_apart(
        kind in with_end(),
        setting in settings(),
        around in arounds(),
        radius in 0.02..0.2f64,
        turn in prop::array::uniform3(-3.2..3.2f64),
        shift in prop::array::uniform3(-3.0..3.0f64),
        picks in prop::collection::vec(prop::array::uniform3(0.0..1.0f64), 60),
    ) {
        let field = around.field(&setting);
        let kind = resized(&kind, setting.scale);
        let hierarchy = cover_of(&kind, radius * setting.scale);
        let at = setting.middle + DVec3::from_array(shift) * setting.scale;
        let field_from_balls = Pose::from_rpy(at, DVec3::from_array(turn));
        let tree = BallTree::new(&hierarchy, Pose::IDENTITY, DVec3::ZERO);
        let body = Body { kind, frame_from_part: field_from_balls };
        let roots = Roots::new(&[*tree.ball()], DVec3::ZERO);
        let look = Look::new(&field, field_from_balls, roots.reach());
        let mut scratch = Scratch::default();
        let mut walk = Walk::default();
        walk.begin();
        let mut open = Vec::new();
        while let Walked::Open(ball) = walk.next(&tree, &field, &look, u64::MAX / 2, &mut scratch) {
            open.push(ball);
        }
        for pick in &picks {
            let on = body.on_surface(*pick);
            let exact = brute(&setting.bodies, on);
            let own = field_from_balls.inverse() * on;
            // Far away, placing a point there and back rounds it.
            let placed = 16.0 * f64::EPSILON * on.length();
            if !open.iter().any(|ball| ball.centre().distance(own) <= ball.radius() * (1.0 + 1e-6) + placed) {
                // Points of a mesh of a round shape lie on it to rounding.
                let room = rounding(&setting.bodies, on) + body.depth(on);
                prop_assert!(f64::from(walk.gap) <= exact + room, "{on}: {:e} {exact:e}", walk.gap);
            }
        }
    }

    /// Balls inside bodies hit only what they reach.
    #[test]
    fn what_is_hit_for_certain_is_hit(
        kinds in prop::collection::vec((with_end(), prop::array::uniform3(-1.0..1.0f64)), 1..4),
        setting in settings(),
        around in arounds(),
        turn in prop::array::uniform3(-3.2..3.2f64),
        shifts in prop::collection::vec(prop::array::uniform3(-2.0..2.0f64), 8),
    ) {
        let field = around.field(&setting);
        let bodies: Vec<Body> = kinds.iter().map(|(kind, at)| Body {
            kind: resized(kind, setting.scale),
            frame_from_part: Pose::from_rpy(DVec3::from_array(*at) * setting.scale, DVec3::from_array(turn)),
        }).collect();
        let mut scratch = Scratch::default();
        let parts: Vec<FieldPart> = bodies.iter().map(Body::part).collect();
        let inner = Inner::new(parts.iter().flat_map(|part| part.balls_inside(&mut scratch)).collect(), 16);
        let solids = |bodies: &[Body]| -> Vec<(Solid, Pose)> {
            bodies.iter().map(|body| (match &body.kind {
                Kind::Formula(primitive) => Solid::primitive(*primitive),
                Kind::Mesh { mesh, .. } => Solid::mesh(Arc::clone(mesh)),
            }, body.frame_from_part)).collect()
        };
        let (ours, theirs) = (solids(&bodies), solids(&setting.bodies));
        for shift in shifts {
            let at = setting.middle + DVec3::from_array(shift) * setting.scale;
            let field_from_balls = Pose::from_rpy(at, DVec3::new(0.3, -0.2, 1.0));
            let look = Look::new(&field, field_from_balls, inner.reach());
            for mut walk in [Walk::default(), Walk::portable()] {
                if walk.hit(&inner, &field, &look, 0.0, &mut scratch) {
                    let met = ours.iter().any(|(a, frame_from_a)| theirs.iter().any(|(b, field_from_b)| {
                        let a_from_b = (field_from_balls * *frame_from_a).inverse() * *field_from_b;
                        kansho_geom::solid::meet(a, b, a_from_b, &mut scratch)
                            != kansho_geom::solid::Meeting::Apart
                    }));
                    prop_assert!(met);
                }
            }
        }
    }
}

/// Deep inside a body, farther from its surface than cells can tell, the distance is zero; as deep in a hollow of it, it is not.
#[test]
fn deep_inside_is_inside() {
    let mesh = |mesh: Mesh| Body {
        kind: Kind::Mesh { mesh: Arc::new(mesh), closed: true },
        frame_from_part: Pose::from_rpy(DVec3::splat(0.3), DVec3::new(0.1, 0.2, 0.3)),
    };
    let hollow =
        together(&[(cube(), DVec3::ZERO), (turned(&scaled(&cube(), 0.9, DVec3::ZERO)), DVec3::ZERO)]);
    let middle = DVec3::splat(0.3);
    let region = Aabb::of_points([middle - 0.02, middle + 0.02]).expect("two points");
    let options = FieldOptions { cell: 1e-3, bytes: 1 << 24 };
    let mut scratch = Scratch::default();
    for (body, exact) in [(mesh(cube()), 0.0), (mesh(hollow), 0.45)] {
        let field = Field::new(vec![body.part()], region, &options);
        let mut known = 0.0f64;
        for k in 0..1000 {
            let at = |k: u32| f64::from(k % 10) / 10.0;
            let point = region.min() + region.extent() * DVec3::new(at(k), at(k / 10), at(k / 100));
            for fine in [false, true] {
                let [below, above] = field.bounds(point, fine, &mut scratch).expect("in the region");
                assert!(below <= exact && above >= exact - 0.04, "{below} {above}");
                known = known.max(below);
            }
        }
        // As far as fine cells can tell, and coarse ones to the end.
        assert!(exact == 0.0 || known > 0.3, "{known}");
    }
}

/// A body whose place is no number may be anywhere.
#[test]
fn a_body_that_is_nowhere_is_everywhere() {
    let ball = Primitive::new(Shape::Sphere { radius: 0.1 }).expect("a ball");
    let solid = Arc::new(Solid::mesh(Arc::new(cube())));
    let region = Aabb::of_points([DVec3::splat(-1.0), DVec3::splat(1.0)]).expect("two points");
    let mut scratch = Scratch::default();
    for value in [f64::NAN, f64::INFINITY] {
        let poses = [
            Pose::from_translation(DVec3::new(0.0, value, 0.0)),
            Pose::from_rpy(DVec3::ZERO, DVec3::new(0.0, value, 0.0)),
        ];
        for pose in poses {
            let parts =
                [FieldPart::formula(ball, pose), FieldPart::mesh(Arc::clone(&solid), pose).expect("a mesh")];
            for part in parts {
                let field = Field::new(vec![part], region, &FieldOptions { cell: 0.1, bytes: 1 << 20 });
                for point in [DVec3::ZERO, DVec3::splat(0.9), DVec3::splat(50.0)] {
                    assert!(!(field.roughly(point, &mut scratch) > 0.0), "{point} {pose:?}");
                    if let Some([below, _]) = field.bounds(point, true, &mut scratch) {
                        assert!(!(below > 0.0), "{point} {pose:?}");
                    }
                }
                let roots = Roots::new(&[Ball::new(DVec3::splat(0.5), 0.01)], DVec3::ZERO);
                let look = Look::new(&field, Pose::IDENTITY, roots.reach());
                let mut gaps = Vec::new();
                Walk::default().roots(&roots, &field, &look, &mut scratch, &mut gaps);
                assert!(!(gaps[0] > 0.0), "{pose:?}");
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// A ball that comes closer and closer to bodies: the one inside of it never hits before it touches, and does when it is deep.
    #[test]
    fn a_ball_hits_no_sooner_than_it_touches(
        setting in settings(),
        pick in prop::array::uniform3(0.0..1.0f64),
        turn in prop::array::uniform3(-3.2..3.2f64),
        direction in prop::array::uniform3(-1.0..1.0f64),
        radius in 0.02..0.5f64,
        cell in 0.01..0.2f64,
        closed in any::<bool>(),
    ) {
        let radius = radius * setting.scale;
        let ball = Primitive::new(Shape::Sphere { radius }).expect("a ball");
        let kind = if closed {
            Kind::Mesh { mesh: Arc::new(ball.tessellated(0.05 * radius).expect("bounded")), closed: true }
        } else {
            Kind::Formula(ball)
        };
        let body = Body { kind, frame_from_part: Pose::IDENTITY };
        let mut scratch = Scratch::default();
        let inner = Inner::new(body.part().balls_inside(&mut scratch), 16);
        let target = setting.bodies[0].on_surface(pick);
        let direction = DVec3::from_array(direction).normalize_or(DVec3::X);
        let around = DVec3::splat(2.0 * radius);
        let region = Aabb::of_points([target - around, target + around]).expect("two points");
        let options = FieldOptions { cell: cell * radius, bytes: 1 << 22 };
        let field = Field::new(setting.bodies.iter().map(Body::part).collect(), region, &options);
        for k in 0..40 {
            let centre = target + direction * (radius * (1.5 - 0.04 * f64::from(k)));
            let field_from_ball = Pose::from_rpy(centre, DVec3::from_array(turn));
            let look = Look::new(&field, field_from_ball, inner.reach());
            let exact = brute(&setting.bodies, centre);
            let room = rounding(&setting.bodies, centre);
            for mut walk in [Walk::default(), Walk::portable()] {
                let hit = walk.hit(&inner, &field, &look, 0.0, &mut scratch);
                prop_assert!(!hit || exact <= radius + room, "{exact:e} {radius:e}");
                // Nor does it come nearer than a length sooner than that.
                let within = (0.4 * radius) as f32;
                let is_near = walk.hit(&inner, &field, &look, within, &mut scratch);
                prop_assert!(!is_near || exact <= radius + f64::from(within) + room, "{exact:e} {radius:e}");
                prop_assert!(is_near || !hit);
                // Far out, single precision has no room for small balls.
                let is_plain = setting.middle == DVec3::ZERO;
                prop_assert!(hit || exact > 0.3 * radius || !is_plain, "{exact:e} {radius:e}");
            }
        }
    }
}
