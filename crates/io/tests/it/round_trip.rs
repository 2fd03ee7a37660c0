use kansho_geom::Mesh;
use kansho_geom::glam::DVec3;
use kansho_geom::mesh::weld;
use kansho_io::mesh::{LoadedMesh, MeshOptions, read, write};
use proptest::prelude::*;

/// Triangles between random points, some of which are used several times.
fn meshes() -> impl Strategy<Value = Mesh> {
    let points =
        prop::collection::vec(prop::array::uniform3(-1.0..1.0f64).prop_map(DVec3::from_array), 4..40);
    let corners = prop::collection::vec(prop::array::uniform3(any::<prop::sample::Index>()), 1..60);
    let place = (
        prop::sample::select(vec![1e-3, 1.0, 50.0, 300.0]),
        prop::array::uniform3(-1e3..1e3f64),
        any::<bool>(),
    );
    (points, corners, place).prop_filter_map("a mesh needs area", |(points, corners, (scale, shift, far))| {
        let shift = if far { DVec3::from_array(shift) } else { DVec3::ZERO };
        // Far out, but not so far that single precision would join corners.

        let points: Vec<DVec3> = points.iter().map(|&p| (p + shift) * scale).collect();
        let triangles: Vec<[u32; 3]> =
            corners.iter().map(|t| [0, 1, 2].map(|k| t[k].index(points.len()) as u32)).collect();
        // As the door has it: welded, cracks closed, neighbours agreeing on the outside.
        let mesh = weld(&points, &triangles, 0.0).ok()?.mesh;
        Some(kansho_geom::mesh::orient(mesh).mesh)
    })
}

fn there_and_back(mesh: &Mesh, extension: &str) -> LoadedMesh {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join(format!("mesh.{extension}"));
    write(&path, mesh).expect("the mesh is written");
    read(&path, &MeshOptions { metres_per_unit: Some(1.0), ..MeshOptions::default() })
        .expect("the mesh is read")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn text_and_double_precision_keep_every_bit(mesh in meshes()) {
        for extension in ["obj", "ply"] {
            prop_assert_eq!(&there_and_back(&mesh, extension).mesh, &mesh, "{}", extension);
        }
    }

    #[test]
    fn single_precision_moves_a_corner_by_half_a_unit_in_the_last_place(mesh in meshes()) {
        let aabb = mesh.aabb();
        for (extension, reach) in [("stl", aabb.min().abs().max(aabb.max().abs()).max_element()), ("glb", aabb.diagonal())] {
            let back = there_and_back(&mesh, extension);
            prop_assert_eq!(back.triangles_in_file, mesh.triangles().len());
            prop_assert_eq!(back.removed.count(), 0);
            let rounding = reach * 2f64.powi(-24) * 1.01;
            // Turning the axes and back permutes coordinates, and nothing else.
            for (here, there) in mesh.corners().zip(back.mesh.corners()) {
                for (a, b) in here.iter().zip(there) {
                    prop_assert!((*a - b).abs().max_element() <= rounding, "{} {} {}", extension, a, b);
                }
            }
        }
    }
}
