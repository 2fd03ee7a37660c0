//! glTF 2.0, as JSON with buffers beside it or as one binary file (GLB).
//!
//! | part | does |
//! |---|---|
//! | `container` | splits a GLB into its chunks |
//! | `document` | the JSON, as far as it bears on triangles |
//! | `buffer` | the bytes behind the document: BIN chunk, `data:` URI or file |
//! | `accessor` | typed elements in those bytes, every range checked once |
//! | `primitive` | from accessors to triangles |
//! | `scene` | which mesh stands where |
//! | `vocabulary` | keys that glTF does not have |
//! | `write` | a mesh as GLB |
//!
//! Meshes, nodes, vertices and so on are numbered from 0 in messages, as the document itself numbers them.

mod accessor;
mod buffer;
mod container;
mod document;
mod primitive;
mod scene;
#[cfg(test)]
mod tests;
mod vocabulary;
mod write;

pub(crate) use write::write;

use super::load::Beside;
use super::raw::{Assembly, Raw, RawMesh, Soup, UpAxis};
use crate::fault::{Fault, Faults};
use accessor::Source;
use container::Container;
use document::Document;
use primitive::MeshReader;
use scene::Placement;
use std::borrow::Cow;
use std::collections::BTreeSet;
use vocabulary::Words;

/// All triangles of the default scene, placed by its nodes, in metres and Y-up as the format prescribes.
pub(crate) fn read(bytes: &[u8], beside: &Beside) -> Raw {
    let mut container = Container::open(bytes).map_err(|fault| vec![fault])?;
    document::check_head(&container).map_err(|fault| vec![fault])?;
    // Before the values: what is missing there may be misspelt here.
    let words = Words::of(&container.json);
    words.faults.into_result()?;
    let document = document::parse(&container).map_err(|fault| vec![fault])?;
    let mut warnings = std::mem::take(&mut container.warnings);
    warnings.extend(words.warnings);
    warnings.extend(unknown_extensions(&document, words.extensions));

    let mut faults = Faults::default();
    refuse_extensions(&document, &mut faults);
    let extensions_understood = faults.is_empty();
    let placements = scene::placements(&document, &mut faults, &mut warnings);
    if !extensions_understood {
        // What the accessors hold means something else then: more faults would only confuse.
        return Err(faults.into_vec());
    }

    let buffers = buffer::load(&document, &container, &placements, beside, &mut faults, &mut warnings);
    let beside: usize =
        buffers.iter().flatten().filter(|b| matches!(b, Cow::Owned(_))).map(|b| b.len()).sum();
    let source = Source { document: &document, buffers, bytes: bytes.len() + beside };
    let soup = assemble(&source, &placements, &mut faults, &mut warnings);
    faults.into_result()?;
    Ok(RawMesh { soup, metres_per_unit: Some(1.0), up: Some(UpAxis::Y), warnings })
}

/// Reads every placed mesh once and adds it wherever it stands.
fn assemble(
    source: &Source<'_>,
    placements: &[Placement],
    faults: &mut Faults,
    warnings: &mut Vec<Fault>,
) -> Soup {
    let meshes = source.document.meshes.len();
    let mut instances_left = vec![0_usize; meshes];
    placements.iter().for_each(|placement| instances_left[placement.mesh] += 1);
    let mut parts: Vec<Option<Soup>> = Vec::new();
    parts.resize_with(meshes, || None);

    let mut reader = MeshReader::new(source);
    let mut assembly = Assembly::of_file(source.bytes);
    for &Placement { mesh, ref scene_from_mesh } in placements {
        let again = parts[mesh].is_some();
        let part = parts[mesh].get_or_insert_with(|| reader.mesh(mesh, faults));
        // After a fault the mesh is lost, but the parts still to come may have faults of their own to name.
        if faults.is_empty()
            && let Err(what) = assembly.place(part, scene_from_mesh, again)
        {
            let name = source.document.meshes[mesh].name.as_ref();
            faults.push(Fault::of_part(document::numbered("mesh", mesh, name), what));
        }
        instances_left[mesh] -= 1;
        if instances_left[mesh] == 0 {
            parts[mesh] = None; // Most meshes stand once: nothing is held twice for long.
        }
    }
    warnings.extend(reader.into_warnings());
    assembly.soup
}

/// Names every required extension without which the triangles would be others or none.
fn refuse_extensions(document: &Document, faults: &mut Faults) {
    for name in &document.extensions_required {
        if !leaves_triangles_alone(name) {
            let shown = crate::text::shortened(name.as_bytes(), 80);
            let fault =
                Fault::of_file(format!("the file requires the extension '{shown}', which is not supported"));
            faults.push(match name.as_str() {
                "KHR_draco_mesh_compression" | "EXT_meshopt_compression" | "KHR_meshopt_compression" => {
                    fault.with_help("save the file again without compression of meshes")
                }
                _ => fault,
            });
        }
    }
    for (index, node) in document.nodes.iter().enumerate() {
        if node.extensions.gpu_instancing.is_some() {
            faults.push(
                Fault::of_part(
                    scene::node_name(document, index),
                    "repeats its mesh with EXT_mesh_gpu_instancing, which is not supported",
                )
                .with_help("save the file again with one node for each instance"),
            );
        }
    }
}

/// Warnings about extensions that may change what is shown, each once. Those that are required, and instancing, are refused elsewhere.
fn unknown_extensions(document: &Document, mut named: BTreeSet<String>) -> impl Iterator<Item = Fault> {
    /// Warnings of one file.
    const MOST: usize = 20;
    named.extend(document.extensions_used.iter().take(MOST).cloned());
    let is_unknown = |name: &String| {
        // Compressed data that are not required have others beside them, which are read.
        let compressed = ["KHR_draco_mesh_compression", "EXT_meshopt_compression", "KHR_meshopt_compression"];
        !leaves_triangles_alone(name)
            && !compressed.contains(&name.as_str())
            && name != "EXT_mesh_gpu_instancing"
    };
    named.into_iter().filter(is_unknown).take(MOST).map(|name| {
        let shown = crate::text::shortened(name.as_bytes(), 80);
        let what = match name.as_str() {
            "KHR_node_visibility" => "nodes may be hidden by KHR_node_visibility: kansho reads all of them".into(),
            "MSFT_lod" => "MSFT_lod has coarser shapes for the same things: kansho reads those that the nodes show".into(),
            _ => format!("the extension '{shown}' is not understood and passed over: what it changes about shapes is not read"),
        };
        Fault::of_file(what)
    })
}

/// True for required extensions that are supported, or that concern looks only.
fn leaves_triangles_alone(extension: &str) -> bool {
    const LOOKS: [&str; 10] = [
        document::QUANTIZATION,
        "EXT_lights_ies",
        "EXT_lights_image_based",
        "EXT_texture_avif",
        "EXT_texture_webp",
        "KHR_lights_punctual",
        "KHR_texture_basisu",
        "KHR_texture_transform",
        "KHR_xmp_json_ld",
        "MSFT_texture_dds",
    ];
    LOOKS.contains(&extension) || extension.starts_with("KHR_materials_")
}
