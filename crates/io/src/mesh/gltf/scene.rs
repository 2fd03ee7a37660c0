use super::document::{Document, Node, numbered};
use crate::fault::{Counted, Fault, Faults, Place};
use crate::mesh::raw::affine;
use kansho_geom::glam::{DMat4, DQuat, DVec3};
use kansho_geom::tolerance::UNIT_QUATERNION;

/// One mesh at one place.
#[derive(Debug)]
pub(super) struct Placement {
    /// An existing mesh.
    pub(super) mesh: usize,
    pub(super) scene_from_mesh: DMat4,
}

/// Every mesh of the default scene as often as a node shows it, in the order of the document.
pub(super) fn placements(
    document: &Document,
    faults: &mut Faults,
    warnings: &mut Vec<Fault>,
) -> Vec<Placement> {
    let roots = sound_parents(document, faults).and_then(|parents| {
        roots(document, &parents, faults, warnings).map_err(|fault| faults.push(fault)).ok()
    });
    let Some(roots) = roots else {
        // Nobody knows what stands where; meshes are placed anyhow, so that their own faults are named too.
        let mut meshes: Vec<usize> =
            document.nodes.iter().filter_map(|node| mesh_of(document, node)).collect();
        meshes.sort_unstable();
        meshes.dedup();
        return meshes.into_iter().map(|mesh| Placement { mesh, scene_from_mesh: DMat4::IDENTITY }).collect();
    };
    let mut visited = vec![false; document.nodes.len()];
    let placements = walk(document, &roots, &mut visited, faults, warnings);
    warnings.extend(left_out(document, &placements, &visited));
    placements
}

/// `node 3 "wheel"`.
pub(super) fn node_name(document: &Document, index: usize) -> String {
    numbered("node", index, document.nodes[index].name.as_ref())
}

fn mesh_of(document: &Document, node: &Node) -> Option<usize> {
    node.mesh.map(|mesh| mesh as usize).filter(|&mesh| mesh < document.meshes.len())
}

/// Follows the roots down. Every node is met at most once: it has one parent, and roots have none.
fn walk(
    document: &Document,
    roots: &[usize],
    visited: &mut [bool],
    faults: &mut Faults,
    warnings: &mut Vec<Fault>,
) -> Vec<Placement> {
    let mut placements = Vec::new();
    let mut skinned = Counted::default();
    let mut open: Vec<(usize, DMat4)> = roots.iter().rev().map(|&root| (root, DMat4::IDENTITY)).collect();
    while let Some((index, scene_from_parent)) = open.pop() {
        visited[index] = true;
        let node = &document.nodes[index];
        let scene_from_node = parent_from_node(node).and_then(|parent_from_node| {
            let scene_from_node = scene_from_parent * parent_from_node;
            let finite = scene_from_node.is_finite();
            finite.then_some(scene_from_node).ok_or_else(|| "lies beyond all numbers in the scene".into())
        });
        let scene_from_node = scene_from_node.unwrap_or_else(|what| {
            faults.push(Fault::of_part(node_name(document, index), what));
            DMat4::IDENTITY
        });
        if let Some(mesh) = mesh_of(document, node) {
            if node.skin.is_some() {
                skinned.add(|| Place::Part(node_name(document, index)));
            }
            placements.push(Placement { mesh, scene_from_mesh: scene_from_node });
        }
        open.extend(node.children.iter().rev().map(|&child| (child as usize, scene_from_node)));
    }
    warnings.extend(skinned.warning(|n| {
        format!("skins are not applied: meshes stand at rest where their node is (nodes with a skin: {n})")
    }));
    if !document.animations.is_empty() {
        let n = document.animations.len();
        warnings.push(Fault::of_file(format!(
            "nodes are read at rest: animations are not applied (there are {n})"
        )));
    }
    placements
}

/// Warnings about meshes that are in the file and not in the answer.
fn left_out(document: &Document, placements: &[Placement], visited: &[bool]) -> Vec<Fault> {
    let mut warnings = Vec::new();
    let mut outside = Counted::default();
    for (index, node) in document.nodes.iter().enumerate() {
        if node.mesh.is_some() && !visited[index] {
            outside.add(|| Place::Part(node_name(document, index)));
        }
    }
    warnings.extend(outside.warning(|n| {
        let scene = document.scene.unwrap_or(0);
        format!("is not in scene {scene}, and only that is read (nodes with a mesh like this: {n})")
    }));

    let mut placed = vec![false; document.meshes.len()];
    placements.iter().for_each(|placement| placed[placement.mesh] = true);
    let mut unplaced = Counted::default();
    for (index, mesh) in document.meshes.iter().enumerate().filter(|&(index, _)| !placed[index]) {
        unplaced.add(|| Place::Part(numbered("mesh", index, mesh.name.as_ref())));
    }
    warnings.extend(unplaced.warning(|n| {
        format!("no node of the scene shows this mesh, and it is not read (meshes like this: {n})")
    }));
    warnings
}

/// The parent of every node, if the nodes form trees and name only what exists.
fn sound_parents(document: &Document, faults: &mut Faults) -> Option<Vec<Option<usize>>> {
    let count = document.nodes.len();
    let mut parents: Vec<Option<usize>> = vec![None; count];
    let mut sound = true;
    for (index, node) in document.nodes.iter().enumerate() {
        if let Some(mesh) = node.mesh
            && mesh_of(document, node).is_none()
        {
            let what = format!("shows mesh {mesh}, but there are {} meshes", document.meshes.len());
            faults.push(Fault::of_part(node_name(document, index), what));
        }
        for &child in &node.children {
            let what = match parents.get_mut(child as usize) {
                None => format!("has node {child} as a child, but there are {count} nodes"),
                Some(Some(other)) => {
                    format!("has node {child} as a child, which is a child of node {other} already")
                }
                Some(parent) => {
                    *parent = Some(index);
                    continue;
                }
            };
            sound = false;
            faults.push(Fault::of_part(node_name(document, index), what));
        }
    }
    for index in cycles(&parents) {
        sound = false;
        faults.push(Fault::of_part(node_name(document, index), "is its own ancestor"));
    }
    sound.then_some(parents)
}

/// One node of every cycle.
fn cycles(parents: &[Option<usize>]) -> Vec<usize> {
    let mut met_from: Vec<Option<usize>> = vec![None; parents.len()];
    let mut cycles = Vec::new();
    for start in 0..parents.len() {
        let mut at = Some(start);
        while let Some(node) = at {
            match met_from[node] {
                None => met_from[node] = Some(start),
                Some(earlier) => {
                    if earlier == start {
                        cycles.push(node);
                    }
                    break;
                }
            }
            at = parents[node];
        }
    }
    cycles
}

/// The roots of the default scene.
fn roots(
    document: &Document,
    parents: &[Option<usize>],
    faults: &mut Faults,
    warnings: &mut Vec<Fault>,
) -> Result<Vec<usize>, Fault> {
    if document.scene.is_none() && document.scenes.is_empty() {
        if !document.nodes.is_empty() {
            warnings.push(Fault::of_file("the file has no scene: all nodes are read"));
        }
        return Ok((0..parents.len()).filter(|&node| parents[node].is_none()).collect());
    }
    let index = document.scene.unwrap_or(0);
    let Some(scene) = document.scenes.get(index as usize) else {
        let count = document.scenes.len();
        return Err(Fault::of_file(format!("scene {index} is to be shown, but there are {count} scenes")));
    };
    let mut listed = vec![false; parents.len()];
    let mut roots = Vec::with_capacity(scene.nodes.len());
    for &node in &scene.nodes {
        let root = node as usize;
        let what = match parents.get(root) {
            None => format!("lists node {node}, but there are {} nodes", parents.len()),
            Some(Some(parent)) => format!("lists node {node}, which is a child of node {parent}"),
            Some(None) if listed[root] => format!("lists node {node} twice"),
            Some(None) => {
                listed[root] = true;
                roots.push(root);
                continue;
            }
        };
        faults.push(Fault::of_part(format!("scene {index}"), what));
    }
    Ok(roots)
}

/// The placement of a node in its parent, or what is wrong with it.
fn parent_from_node(node: &Node) -> Result<DMat4, String> {
    let has_parts = node.translation.is_some() || node.rotation.is_some() || node.scale.is_some();
    let Some(matrix) = node.matrix.as_deref() else {
        let vector = |array: Option<&[f64; 3]>, default| array.map_or(default, |&array| DVec3::from(array));
        return Ok(DMat4::from_scale_rotation_translation(
            vector(node.scale.as_deref(), DVec3::ONE),
            rotation(node.rotation.as_deref())?,
            vector(node.translation.as_deref(), DVec3::ZERO),
        ));
    };
    if has_parts {
        return Err("has a matrix and also a translation, rotation or scale".into());
    }
    affine(DMat4::from_cols_array(matrix))
        .map_err(|row| format!("the last row of its matrix is {row}, not [0, 0, 0, 1]"))
}

fn rotation(xyzw: Option<&[f64; 4]>) -> Result<DQuat, String> {
    let Some(&xyzw) = xyzw else { return Ok(DQuat::IDENTITY) };
    let rotation = DQuat::from_array(xyzw);
    let length = rotation.length();
    if (length - 1.0).abs() > UNIT_QUATERNION {
        return Err(format!("its rotation {xyzw:?} has the length {length}, not 1"));
    }
    Ok(rotation / length)
}
