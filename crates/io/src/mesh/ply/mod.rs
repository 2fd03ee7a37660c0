//! PLY, the Stanford polygon format: ASCII and binary in, binary out.

mod body;
mod header;
#[cfg(test)]
mod tests;
mod values;

use super::raw::{MAX_TRIANGLES, OddOutlines, Raw, RawMesh, Soup, refuse};
use crate::fault::{Fault, Faults, Place};
use crate::text::decoded;
use body::{Body, Faces};
use header::Encoding;
use kansho_geom::Mesh;
use std::borrow::Cow;

/// Reads a PLY file of any encoding and any layout. Faces come in the order of the file, strips after them.
pub(crate) fn read(bytes: &[u8]) -> Raw {
    let file = match bytes {
        [0xFF, 0xFE, ..] | [0xFE, 0xFF, ..] => decoded(bytes),
        _ => Cow::Borrowed(bytes),
    };
    let header = header::parse(&file)?;
    if matches!(file, Cow::Owned(_)) && header.encoding != Encoding::Ascii {
        return refuse(Fault::of_file(
            "a binary PLY file that went through a conversion to UTF-16 is damaged",
        ));
    }
    assemble(body::read(&file, &header))
}

/// Writes a mesh as binary PLY in double precision: every coordinate is kept as it is.
pub(crate) fn write(mesh: &Mesh) -> Vec<u8> {
    let (vertices, triangles) = (mesh.vertices(), mesh.triangles());
    let header = format!(
        "ply\nformat binary_little_endian 1.0\ncomment made by kansho, metres\nelement vertex {}\n\
         property double x\nproperty double y\nproperty double z\nelement face {}\n\
         property list uchar uint vertex_indices\nend_header\n",
        vertices.len(),
        triangles.len()
    );
    let mut bytes = Vec::with_capacity(header.len() + 24 * vertices.len() + 13 * triangles.len());
    bytes.extend(header.as_bytes());
    for vertex in vertices {
        vertex.to_array().iter().for_each(|coordinate| bytes.extend(coordinate.to_le_bytes()));
    }
    for triangle in triangles {
        bytes.push(3);
        triangle.iter().for_each(|corner| bytes.extend(corner.to_le_bytes()));
    }
    bytes
}

/// Cuts the faces into triangles and puts into words what is odd.
fn assemble(body: Body) -> Raw {
    let Body { points, faces, strips, mut odd, ragged, torn, extra, mut faults } = body;
    let ragged = ragged.warning(|count| {
        let places = if count == 1 { "place, here" } else { "places, the first here" };
        let how =
            if torn { "a number is missing or too many" } else { "words are taken one after the other" };
        format!("rows do not keep to one line each ({count} {places}): {how}")
    });
    if ragged.is_some() {
        // Words may stand on any line, but if their number does not fit either, one is missing or too many: a vertex
        // without its z took the next one's x, and all that follows is wrong without being impossible.
        odd.warnings().chain(extra.clone()).for_each(|misfit| faults.push(misfit));
        odd = OddOutlines::default();
    }
    if torn || !faults.is_empty() {
        // The place where lines and rows part comes first: it is the likely cause of the others.
        return Err(ragged.into_iter().chain(faults.into_vec()).collect());
    }
    let mut soup = Soup::new(points);
    soup.triangles.reserve(faces.len() + strips.len());
    cut(&faces, &mut soup, &mut odd, &mut faults);
    soup.triangles.extend(strips);
    if soup.triangles.len() > MAX_TRIANGLES {
        faults.push(Fault::of_file(format!("more than {MAX_TRIANGLES} triangles")));
    }
    faults.into_result()?;
    let is_cloud = soup.triangles.is_empty() && !soup.points.is_empty();
    let cloud = is_cloud.then(|| {
        Fault::of_file(format!("a point cloud: {} vertices and no faces between them", soup.points.len()))
    });
    let warnings = cloud.into_iter().chain(ragged).chain(odd.warnings()).chain(extra).collect();
    Ok(RawMesh { soup, metres_per_unit: None, up: None, warnings })
}

/// Adds the faces to the soup.
fn cut(faces: &Faces, soup: &mut Soup, odd: &mut OddOutlines, faults: &mut Faults) {
    for (index, corners) in faces.iter().enumerate().filter(|(_, corners)| !corners.is_empty()) {
        let name = || format!("face {}", index + 1);
        match soup.add_polygon(corners) {
            Ok(outline) => odd.add(outline, || Place::Part(name())),
            Err(what) => faults.push(Fault::of_part(name(), what)),
        }
    }
}
