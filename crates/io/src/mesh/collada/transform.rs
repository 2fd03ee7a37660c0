//! Where a node lies in its parent.

use crate::mesh::raw::affine;
use crate::xml::{self, Bad, Element};
use kansho_geom::glam::{DMat3, DMat4, DVec3, DVec4};

/// The transforms of a node, applied in the order of the document: the last one is nearest to the geometry.
pub(super) fn parent_from_node(node: Element) -> Result<DMat4, Bad> {
    let mut parent_from_node = DMat4::IDENTITY;
    for element in node.children() {
        parent_from_node *= match xml::tag(element) {
            "matrix" => matrix(element)?,
            "translate" => DMat4::from_translation(DVec3::from_array(xml::exactly(element)?)),
            "rotate" => rotate(element)?,
            "scale" => DMat4::from_scale(DVec3::from_array(xml::exactly(element)?)),
            "lookat" => look_at(element)?,
            "skew" => skew(element)?,
            _ => continue,
        };
    }
    if parent_from_node.is_finite() {
        Ok(parent_from_node)
    } else {
        Err(Bad::at(node, format!("the transforms of {} multiply to infinity", xml::label(node))))
    }
}

/// A matrix of 16 numbers, row by row, that must be affine.
pub(super) fn matrix(element: Element) -> Result<DMat4, Bad> {
    let rows = xml::exactly::<16>(element)?;
    affine(DMat4::from_cols_array(&rows).transpose()).map_err(|row| {
        let [a, b, c, w] = row.to_array();
        Bad::at(element, format!("the last row of a matrix must be 0 0 0 1, not {a} {b} {c} {w}"))
    })
}

/// A rotation about an axis by an angle in degrees: Rodrigues' formula.
fn rotate(element: Element) -> Result<DMat4, Bad> {
    let [x, y, z, angle_deg] = xml::exactly(element)?;
    if angle_deg == 0.0 {
        return Ok(DMat4::IDENTITY); // Whatever the axis: exporters write 0 0 0 0 for no rotation.
    }
    let axis = unit(element, "axis", DVec3::new(x, y, z))?;
    let (sin, cos) = sin_cos_deg(angle_deg);
    let cross = DMat3::from_cols(
        DVec3::new(0.0, axis.z, -axis.y),
        DVec3::new(-axis.z, 0.0, axis.x),
        DVec3::new(axis.y, -axis.x, 0.0),
    );
    let along = DMat3::from_cols(axis * axis.x, axis * axis.y, axis * axis.z);
    Ok(DMat4::from_mat3(DMat3::IDENTITY * cos + cross * sin + along * (1.0 - cos)))
}

/// Sine and cosine, exact for quarter turns, which are what most files hold.
fn sin_cos_deg(angle_deg: f64) -> (f64, f64) {
    let turn = angle_deg.rem_euclid(360.0);
    if turn % 90.0 == 0.0 {
        [(0.0, 1.0), (1.0, 0.0), (0.0, -1.0), (-1.0, 0.0)][(turn / 90.0) as usize % 4]
    } else {
        turn.to_radians().sin_cos()
    }
}

/// At the eye, -Z toward the interest, Y as near to up as that allows.
fn look_at(element: Element) -> Result<DMat4, Bad> {
    let [ex, ey, ez, ix, iy, iz, ux, uy, uz] = xml::exactly(element)?;
    let (eye, interest, up) = (DVec3::new(ex, ey, ez), DVec3::new(ix, iy, iz), DVec3::new(ux, uy, uz));
    let forward = unit(element, "direction from eye to interest", interest - eye)?;
    let up = unit(element, "up direction", up)?;
    let right = unit(element, "direction across line of sight and up", forward.cross(up))?;
    Ok(DMat4::from_cols(
        right.extend(0.0),
        right.cross(forward).extend(0.0),
        (-forward).extend(0.0),
        eye.extend(1.0),
    ))
}

/// Shifts points along `slide` so that `pole` leans toward it by an angle, as RenderMan defines it.
///
/// With `normal`, the part of `pole` across `slide`, and `lean`, the angle by which `pole` leans already:
///
/// ```text
/// p' = p + slide (normal · p) (tan(lean + angle) − tan(lean))
/// ```
fn skew(element: Element) -> Result<DMat4, Bad> {
    let [angle_deg, px, py, pz, sx, sy, sz] = xml::exactly(element)?;
    let pole = unit(element, "axis of rotation", DVec3::new(px, py, pz))?;
    let slide = unit(element, "axis of translation", DVec3::new(sx, sy, sz))?;
    let across = pole - slide * pole.dot(slide);
    let normal = unit(element, "part of the axis of rotation across the axis of translation", across)?;
    let tan_before = pole.dot(slide) / pole.dot(normal);
    let lean = tan_before.atan() + angle_deg.to_radians();
    if lean.abs() >= std::f64::consts::FRAC_PI_2 {
        return Err(Bad::at(
            element,
            format!("a skew of {angle_deg} degrees turns an axis beyond the other"),
        ));
    }
    let (sin, cos) = sin_cos_deg(lean.to_degrees());
    let shift = slide * (sin / cos - tan_before);
    let cols = [normal.x, normal.y, normal.z].map(|n| (shift * n).extend(0.0));
    Ok(DMat4::from_cols(DVec4::X + cols[0], DVec4::Y + cols[1], DVec4::Z + cols[2], DVec4::W))
}

fn unit(element: Element, what: &str, vector: DVec3) -> Result<DVec3, Bad> {
    // Scaled first, so that short vectors do not vanish and long ones do not overflow when squared.
    let scaled = vector / vector.abs().max_element();
    scaled.try_normalize().ok_or_else(|| {
        Bad::at(element, format!("the {what} of this <{}> has no direction", xml::tag(element)))
    })
}
