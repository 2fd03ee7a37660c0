//! What is asked about: parts, primitives, and robots in cells, each as the library has it and as parry has it.

use super::exact::{Pieces, Surface};
use kansho::cell::{BodyId, Cell, Geometry, Placed};
use kansho::check::scene::Scene;
use kansho::geom::glam::{DVec3, dvec3};
use kansho::geom::primitive::Shape;
use kansho::geom::{Pose, Primitive, Solid, mesh};
use kansho::io::cell::{self, CellOptions};
use kansho::io::mesh::MeshOptions;
use parry3d_f64::math as theirs;
use parry3d_f64::shape::{Ball, Capsule, Cone, Cuboid, Cylinder, HalfSpace, SharedShape, TriMesh};
use std::path::Path;
use std::sync::{Arc, OnceLock};

/// A shape, for us and for parry.
pub(crate) struct Item {
    pub(crate) name: String,
    pub(crate) geometry: Geometry,
    pub(crate) solid: Solid,
    pub(crate) shape: SharedShape,
    /// Their axes are y, ours z; and their half-spaces begin at the origin.
    pub(crate) ours_from_theirs: Pose,
    /// Radius of a ball around its middle that holds it; of a half-space a number like a size.
    pub(crate) radius: f64,
    pub(crate) middle: DVec3,
    pieces: OnceLock<Pieces>,
}

/// Parts of all kinds: tools, work, environment, assemblies, links; relative to the folder of real files.
const PARTS: [&str; 22] = [
    "parts/angle_block.STL",
    "parts/featuretype.STL",
    "parts/octagonal_pocket.stl",
    "parts/simple_pole.glb",
    "tools/COUPLER_collision.stl",
    "tools/crs/sander_collision.stl",
    "tools/godel/EE_convex_hull.STL",
    "environment/cabinet.STL",
    "environment/ariac/assembly_insert/insert_collision.stl",
    "environment/ariac/assembly_insert/pipe_2.stl",
    "environment/ariac/battery/battery_collision.stl",
    "environment/ariac/regulator/regulator_collision.stl",
    "environment/ariac/kit_tray/tray_base.stl",
    "environment/crs/empty_cart_collision.stl",
    "environment/mbm/kitchen/meshes/cupboard.stl",
    "environment/mbm/kitchen/meshes/dishwasher_door.stl",
    "environment/snp/afd310.ply",
    "environment/snp/bracket1.ply",
    "parts_with_toolpaths/crs_part_1/part_1.stl",
    "parts_with_toolpaths/snp_part_scan/part_scan.ply",
    "assembly/factory_insertion/round_hole_16mm.obj",
    "assembly/factory_insertion/round_peg_16mm_loose.obj",
];

/// Parts in millimetres, as their files have them or made so.
const IN_MM: [&str; 4] = [
    "parts/1002_tray_bottom.STL",
    "parts/20mm-xyz-cube.stl",
    "parts/overhang_coin_closed_low_res.stl",
    "environment/ariac/regulator/regulator_collision.stl",
];

/// Where parts are that are far from the origin.
pub(crate) const FAR: DVec3 = dvec3(1000.0, -2000.0, 500.0);

/// Robots, with the pairs that they do not check.
const ROBOTS: [(&str, Option<&str>); 9] = [
    ("abb_irb2400_support/urdf/irb2400.urdf", Some("abb_irb2400_support/srdf/abb_irb2400.srdf")),
    ("fanuc_m10ia_support/urdf/m10ia.urdf", Some("fanuc_m10ia_support/srdf/fanuc_m10ia.srdf")),
    ("kuka_kr6_support/urdf/kr6r900sixx.urdf", None),
    ("motoman_ma2010_support/urdf/ma2010.urdf", Some("motoman_ma2010_support/srdf/motoman_ma2010.srdf")),
    (
        "moveit_resources_panda_description/urdf/panda.urdf",
        Some("moveit_resources_panda_description/srdf/panda.srdf"),
    ),
    ("staubli_tx2_60_support/urdf/tx2_60l.urdf", None),
    ("ur_description/urdf/ur5e.urdf", Some("ur_description/srdf/ur5e.srdf")),
    ("vamp_ur5/ur5.urdf", Some("vamp_ur5/ur5.srdf")),
    (
        "dual_arm_panda_moveit_config/urdf/dual_arm_panda.urdf",
        Some("dual_arm_panda_moveit_config/srdf/dual_arm_panda.srdf"),
    ),
];

/// What stands around robots, away from their bases.
const OBJECTS: &str = r#"
[[object]]
name = "table"
box = [0.6, 1.5, 0.05]
at = { xyz = [0.9, 0.1, 0.1], rpy_deg = [0, 0, 10] }
[[object]]
name = "ball"
sphere = 0.12
at = { xyz = [0.6, 0.45, 0.7] }
[[object]]
name = "post"
cylinder = [0.05, 1.5]
at = { xyz = [0.45, -0.6, 0.75] }
[[object]]
name = "buoy"
cone = [0.15, 0.4]
at = { xyz = [-0.7, 0.5, 0.8], rpy_deg = [20, 30, 0] }
[[object]]
name = "rail"
capsule = [0.04, 0.8]
at = { xyz = [0.5, 0.0, 1.5], rpy_deg = [90, 0, 0] }
[[object]]
name = "floor"
plane = [0, 0, 1, -0.4]
"#;

impl Item {
    pub(crate) fn new(name: String, geometry: Geometry) -> Option<Self> {
        let (solid, shape, ours_from_theirs) = match &geometry {
            Geometry::Mesh(mesh) => {
                let corners = mesh.vertices().iter().map(|&p| vector(p)).collect();
                let shape = TriMesh::new(corners, mesh.triangles().to_vec()).ok()?;
                (Solid::mesh(Arc::clone(mesh)), SharedShape::new(shape), Pose::IDENTITY)
            }
            Geometry::Primitive(primitive) => {
                let upright = Pose::turn(DVec3::X, std::f64::consts::FRAC_PI_2);
                let (shape, pose) = match primitive.shape() {
                    Shape::Box { size } => {
                        (SharedShape::new(Cuboid::new(vector(size * 0.5))), Pose::IDENTITY)
                    }
                    Shape::Sphere { radius } => (SharedShape::new(Ball::new(radius)), Pose::IDENTITY),
                    Shape::Cylinder { radius, height } => {
                        (SharedShape::new(Cylinder::new(0.5 * height, radius)), upright)
                    }
                    Shape::Capsule { radius, height } => {
                        (SharedShape::new(Capsule::new_z(0.5 * height, radius)), Pose::IDENTITY)
                    }
                    Shape::Cone { radius, height } => {
                        (SharedShape::new(Cone::new(0.5 * height, radius)), upright)
                    }
                    Shape::HalfSpace { normal, offset } => (
                        SharedShape::new(HalfSpace::new(vector(normal))),
                        Pose::from_translation(normal * offset),
                    ),
                };
                (Solid::primitive(*primitive), shape, pose)
            }
        };
        let (middle, radius) = solid.aabb().map_or((DVec3::ZERO, 1.0), |b| (b.centre(), b.diagonal() * 0.5));
        Some(Self { name, geometry, solid, shape, ours_from_theirs, radius, middle, pieces: OnceLock::new() })
    }

    pub(crate) fn is_half_space(&self) -> bool {
        self.solid.aabb().is_none()
    }

    /// The round shape, if it is one; boxes are triangles to us.
    pub(crate) fn round(&self) -> Option<Shape> {
        match &self.geometry {
            Geometry::Primitive(primitive) if self.solid.tree().is_none() => Some(primitive.shape()),
            _ => None,
        }
    }

    /// Triangles with their corners placed.
    pub(crate) fn surface(&self, place: Pose) -> Surface<'_> {
        let mesh = self.solid.tree().expect("asked of meshes and boxes").mesh();
        let corners: Vec<DVec3> = mesh.vertices().iter().map(|&p| place * p).collect();
        Surface::new(&corners, mesh.triangles(), self.pieces.get_or_init(|| Pieces::of(mesh.triangles())))
    }

    pub(crate) fn triangles(&self) -> usize {
        self.solid.triangles()
    }
}

pub(crate) fn vector(v: DVec3) -> theirs::Vector {
    theirs::Vector::new(v.x, v.y, v.z)
}

pub(crate) fn pose(p: Pose) -> theirs::Pose {
    let q = p.quat();
    theirs::Pose::from_parts(vector(p.translation()), theirs::Rotation::from_xyzw(q.x, q.y, q.z, q.w))
}

/// Parts, the same far from the origin, and parts in millimetres.
pub(crate) fn parts(real: &Path) -> [Vec<Item>; 3] {
    let read = |files: &[&str], change: &dyn Fn(&str, DVec3) -> DVec3, word: &str| -> Vec<Item> {
        files
            .iter()
            .map(|file| {
                let path = real.join(file);
                let mesh = kansho::io::mesh::read(&path, &MeshOptions::default())
                    .unwrap_or_else(|fault| panic!("{}: {fault}", path.display()))
                    .mesh;
                let corners: Vec<DVec3> = mesh.vertices().iter().map(|&p| change(file, p)).collect();
                let mesh = mesh::weld(&corners, mesh.triangles(), 0.0).expect("it was a mesh before").mesh;
                let name = format!("{}{word}", path.file_stem().unwrap_or_default().to_string_lossy());
                Item::new(name, Geometry::Mesh(Arc::new(mesh))).expect("parry takes it")
            })
            .collect()
    };
    // The regulator is in metres.
    let millimetres = |file: &str, p: DVec3| if file.starts_with("parts/") { p } else { p * 1000.0 };
    [
        read(&PARTS, &|_, p| p, ""),
        read(&PARTS[..12], &|_, p| p + FAR, ", far out"),
        read(&IN_MM, &millimetres, ", mm"),
    ]
}

/// Primitives of every kind, of ordinary and of slender sizes.
pub(crate) fn primitives() -> Vec<Item> {
    let shapes = [
        ("ball", Shape::Sphere { radius: 0.15 }),
        ("cylinder", Shape::Cylinder { radius: 0.1, height: 0.3 }),
        ("disc", Shape::Cylinder { radius: 0.3, height: 0.004 }),
        ("capsule", Shape::Capsule { radius: 0.05, height: 0.4 }),
        ("cone", Shape::Cone { radius: 0.12, height: 0.25 }),
        ("needle", Shape::Cone { radius: 0.005, height: 0.5 }),
        ("box", Shape::Box { size: dvec3(0.2, 0.3, 0.1) }),
        ("plate", Shape::Box { size: dvec3(0.5, 0.4, 0.002) }),
        ("half-space", Shape::HalfSpace { normal: dvec3(0.6, 0.0, 0.8), offset: 0.1 }),
    ];
    let item = |(name, shape): (&str, Shape)| {
        let geometry = Geometry::Primitive(Primitive::new(shape).expect("its sizes are positive"));
        Item::new(name.to_owned(), geometry).expect("parry has it")
    };
    shapes.into_iter().map(item).collect()
}

/// A cell with its shapes, body by body.
pub(crate) struct Robot {
    pub(crate) name: String,
    pub(crate) cell: Arc<Cell>,
    /// Decides by shapes alone.
    pub(crate) plain: Scene,
    /// The same, with models.
    pub(crate) quick: Scene,
    /// Shapes with the body they belong to and where they are on what carries it.
    pub(crate) pieces: Vec<(Item, BodyId, Pose)>,
    /// Pairs of pieces that are checked and move.
    pub(crate) pairs: Vec<[usize; 2]>,
}

/// A robot among objects, by its name.
fn robot(real: &Path, urdf: &str, srdf: Option<&str>) -> Robot {
    let file = |name: &str| real.join("robots").join(name);
    let srdf = srdf.map_or(String::new(), |srdf| format!("srdf = {:?}\n", file(srdf)));
    let text = format!("units = \"m\"\n[[robot]]\nname = \"r\"\nurdf = {:?}\n{srdf}{OBJECTS}", file(urdf));
    let place = tempfile::tempdir().expect("a folder for passing files");
    let path = place.path().join("cell.toml");
    std::fs::write(&path, text).expect("the folder is ours");
    let cell = Arc::new(cell::read(&path, &CellOptions::default()).expect("the cell is good").cell);
    let name = Path::new(urdf).file_stem().unwrap_or_default().to_string_lossy().into_owned();
    Robot::new(name, cell)
}

impl Robot {
    fn new(name: String, cell: Arc<Cell>) -> Self {
        let mut pieces = Vec::new();
        for (index, body) in cell.bodies().iter().enumerate() {
            for piece in &body.pieces {
                let item = Item::new(body.name.clone(), piece.geometry.clone()).expect("parry takes it");
                pieces.push((item, BodyId(index as u32), piece.carrier_from_piece));
            }
        }
        let plain = Scene::new(Arc::clone(&cell));
        let frame = |body: BodyId| cell.in_frame(cell.body(body).carrier).frame;
        let mut pairs = Vec::new();
        for &[a, b] in cell.pairs().checked().iter().filter(|[a, b]| frame(*a) != frame(*b)) {
            for (i, _) in pieces.iter().enumerate().filter(|(_, (_, body, _))| *body == a) {
                for (j, _) in pieces.iter().enumerate().filter(|(_, (_, body, _))| *body == b) {
                    pairs.push([i, j]);
                }
            }
        }
        let quick = Scene::new(Arc::clone(&cell)).with_models();
        Self { name, cell, plain, quick, pieces, pairs }
    }

    /// Where a piece is.
    pub(crate) fn world_from_piece(&self, placed: &Placed, piece: usize) -> Pose {
        let (_, body, carrier_from_piece) = &self.pieces[piece];
        self.cell.world_from_body(placed, *body) * *carrier_from_piece
    }
}

/// All robots, each among the objects; with the cells of the benches.
pub(crate) fn robots(real: &Path, bench: &Path, most: usize) -> Vec<Robot> {
    let mut all: Vec<Robot> = ROBOTS.iter().take(most).map(|(urdf, srdf)| robot(real, urdf, *srdf)).collect();
    for name in ["ur5_boxes", "ur5_mixed"].iter().take(most.saturating_sub(ROBOTS.len())) {
        let read = cell::read(&bench.join(format!("{name}.toml")), &CellOptions::default());
        all.push(Robot::new((*name).to_owned(), Arc::new(read.expect("the cell is good").cell)));
    }
    // Where something touches in every posture there is nothing to ask.
    all.retain(|robot| robot.plain.always().len() == 0);
    all
}
