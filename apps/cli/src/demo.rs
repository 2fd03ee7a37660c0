use crate::BAD_INPUT;
use crate::say::{self, STRONG};
use clap::Args;
use kansho::geom::glam::DVec3;
use kansho::geom::mesh::audit;
use kansho::geom::polyhedron::MergeOptions;
use kansho::geom::primitive::Shape;
use kansho::geom::{Polyhedron, Primitive};
use kansho::io::{WriteError, mesh};
use std::path::PathBuf;

/// How far the demo's meshes may be from the true shapes, in metres.
const DEVIATION: f64 = 5e-4;

#[derive(Args)]
pub(crate) struct Arguments {
    /// Write the demo's meshes into this folder
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,

    /// Do not open a browser (there is no viewer yet, so none is opened anyway)
    #[arg(long)]
    no_open: bool,
}

pub(crate) fn run(arguments: &Arguments) -> u8 {
    let _ = arguments.no_open;
    let shapes = [
        ("box", Shape::Box { size: DVec3::new(0.1, 0.2, 0.3) }),
        ("sphere", Shape::Sphere { radius: 0.1 }),
        ("cylinder", Shape::Cylinder { radius: 0.1, height: 0.3 }),
        ("capsule", Shape::Capsule { radius: 0.05, height: 0.2 }),
        ("cone", Shape::Cone { radius: 0.1, height: 0.2 }),
    ];
    say::answer(&format!(
        "{STRONG}kansho{STRONG:#} proves robot motions free of collision. It is young; this is what it can show so far.\n\n"
    ));
    if let Some(folder) = &arguments.out
        && let Err(error) = std::fs::create_dir_all(folder)
    {
        say::write_error(&WriteError { path: folder.clone(), what: error.to_string() });
        return BAD_INPUT;
    }
    for (name, shape) in shapes {
        let primitive = Primitive::new(shape).expect("the demo's sizes are valid");
        let mesh = primitive.tessellated(DEVIATION).expect("the demo's shapes are bounded");
        let body = Polyhedron::from_mesh(&mesh, &MergeOptions::default()).expect("primitives are manifold");
        let state = if audit(&mesh).is_solid() { "closed" } else { "open" };
        say::answer(&format!(
            "{name:>9}: {:5} triangles, {state}, {:4} flat faces, {:4} edges, volume {:.6} m³ (formula {:.6})\n",
            mesh.triangles().len(),
            body.faces().len(),
            body.edges().len(),
            mesh.volume(),
            primitive.volume(),
        ));
        if let Some(folder) = &arguments.out {
            for extension in ["stl", "glb"] {
                if let Err(error) = mesh::write(&folder.join(format!("{name}.{extension}")), &mesh) {
                    say::write_error(&error);
                    return BAD_INPUT;
                }
            }
        }
    }
    if let Some(folder) = &arguments.out {
        say::answer(&format!(
            "\nWritten as STL and GLB into {}: look into them with `kansho info`.\n",
            folder.display()
        ));
    }
    say::answer(
        "\nReady: meshes in and out, with every fault named (`kansho info`, `kansho convert`).\nNot yet: robots, collision checks, proofs, paths, the viewer.\n",
    );
    0
}
