//! COLLADA 1.4 and 1.5: every mesh that the scene places, wherever its nodes put it.
//!
//! | part | answers |
//! |---|---|
//! | `references` | which element does an id mean? |
//! | `report` | what is wrong, and what merely odd? |
//! | `transform` | where does a node lie in its parent? |
//! | `geometry` | which triangles does a `<geometry>` hold? |
//! | `scene` | which geometries are placed, and where? |
//! | `vocabulary` | is every word on the way to a number one of COLLADA's? |

mod geometry;
mod references;
mod report;
mod scene;
#[cfg(test)]
mod tests;
mod transform;
mod vocabulary;

use super::raw::{Raw, RawMesh, Soup, UpAxis, refuse};
use crate::fault::Fault;
use crate::xml::{self, Bad, Element};
use references::Ids;
use report::Report;
use scene::Walk;

/// Parts of a document for which an asset of their own could change what its coordinates mean.
const PARTS_WITH_COORDINATES: [&str; 8] = [
    "library_geometries",
    "geometry",
    "library_controllers",
    "controller",
    "library_nodes",
    "node",
    "library_visual_scenes",
    "visual_scene",
];

pub(crate) fn read(bytes: &[u8]) -> Raw {
    let text = match xml::text_of(bytes) {
        Ok(text) => text,
        Err(fault) => return refuse(fault),
    };
    let document = match xml::parse(&text) {
        Ok(document) => document,
        Err(bad) => return refuse(bad.into_fault(&text)),
    };
    let mut report = Report::new(&text);
    let root = document.root_element();
    if let Err(bad) = version(root, &mut report) {
        return refuse(bad.into_fault(&text));
    }
    vocabulary::check(root, &mut report);
    let units = report.keep(Units::of(root));
    if let Some(units) = &units {
        units.differing(root, &mut report);
    }
    let ids = Ids::of(&document);
    let soup = placed(root, &ids, &mut report);
    let units = units.unwrap_or(Units { metres_per_unit: None, up: None });
    if units.up.is_none() && report.is_clean() {
        report.warn(
            Fault::of_file("the file names no up axis: Y, as COLLADA prescribes")
                .with_help("give <asset> an <up_axis> with X_UP, Y_UP or Z_UP"),
        );
    }
    let warnings = report.into_warnings()?;
    Ok(RawMesh {
        soup,
        metres_per_unit: units.metres_per_unit,
        up: Some(units.up.unwrap_or(UpAxis::Y)),
        warnings,
    })
}

/// Whether this is a version of COLLADA that we know.
fn version(root: Element, report: &mut Report) -> Result<(), Bad> {
    if xml::tag(root) != "COLLADA" {
        let what = format!("the root element is <{}>, not <COLLADA>", xml::shown(xml::tag(root)));
        return Err(Bad::at(root, what));
    }
    match root.attribute_node("version") {
        None => report.warn(Fault::of_file("the file names no COLLADA version: read as 1.4")),
        Some(version) if version.value().trim().starts_with("1.4") => {}
        Some(version) if version.value().trim().starts_with("1.5") => {}
        Some(version) => {
            let shown = xml::shown(version.value());
            let what = format!("COLLADA version '{shown}' is not read; 1.4 and 1.5 are");
            return Err(Bad { span: version.range(), what, help: None });
        }
    }
    Ok(())
}

/// The triangles of everything that the document places.
fn placed<'a>(root: Element<'a>, ids: &Ids<'a>, report: &mut Report<'a>) -> Soup {
    let geometries = || references::of_library(root, "library_geometries", "geometry");
    let mut walk = Walk::new(ids, report);
    match scene::of_document(root, ids) {
        Ok(scene::Scene::Named(scene)) => walk.scene(scene),
        Ok(scene::Scene::Only(scene)) => {
            walk.report.warn(Fault::of_file(format!(
                "no <scene> says what to show: the only one there is, {}, is taken",
                xml::label(scene)
            )));
            walk.scene(scene);
        }
        Ok(scene::Scene::None) => {
            if geometries().next().is_some() {
                walk.report.warn(Fault::of_file(
                    "there is no visual scene: every geometry is taken once, where its coordinates put it",
                ));
            }
            walk.each_once(geometries());
        }
        Err(bad) => walk.report.fault(bad),
    }
    walk.finish(geometries())
}

/// What the numbers of a document mean.
struct Units {
    metres_per_unit: Option<f64>,
    up: Option<UpAxis>,
}

impl Units {
    /// As the `<asset>` of an element says.
    fn of(element: Element) -> Result<Self, Bad> {
        let Some(asset) = xml::child(element, "asset") else {
            return Ok(Self { metres_per_unit: None, up: None });
        };
        Ok(Self { metres_per_unit: metres(asset)?, up: up_axis(asset)? })
    }

    /// Faults of parts that have other units than the document: nobody converts them.
    fn differing(&self, root: Element, report: &mut Report) {
        let parts = root.descendants().filter(|part| PARTS_WITH_COORDINATES.contains(&xml::tag(*part)));
        for part in parts.filter(|part| xml::child(*part, "asset").is_some()) {
            let Some(own) = report.keep(Self::of(part)) else { continue };
            let own_metres = own.metres_per_unit.or(self.metres_per_unit).unwrap_or(1.0);
            if own_metres != self.metres_per_unit.unwrap_or(1.0) {
                report.fault(Bad::at(
                    part,
                    format!(
                        "{} has a unit of its own ({own_metres} m), which is not supported",
                        xml::label(part)
                    ),
                ));
            }
            if own.up.is_some_and(|up| up != self.up.unwrap_or(UpAxis::Y)) {
                report.fault(Bad::at(
                    part,
                    format!("{} has an up axis of its own, which is not supported", xml::label(part)),
                ));
            }
        }
    }
}

fn metres(asset: Element) -> Result<Option<f64>, Bad> {
    let Some(unit) = xml::child(asset, "unit") else { return Ok(None) };
    let Some(meter) = unit.attribute_node("meter") else {
        return Err(Bad::at(unit, "this <unit> does not say how many metres it is")
            .with_help("give it meter=\"0.001\" for millimetres, or meter=\"1\""));
    };
    match meter.value().trim().parse::<f64>() {
        Ok(metres) if metres.is_finite() && metres > 0.0 => Ok(Some(metres)),
        _ => {
            let shown = xml::shown(meter.value());
            let what = format!("the unit must measure a positive number of metres, not '{shown}'");
            Err(Bad { span: meter.range(), what, help: None })
        }
    }
}

fn up_axis(asset: Element) -> Result<Option<UpAxis>, Bad> {
    let Some(element) = xml::child(asset, "up_axis") else { return Ok(None) };
    match xml::content(element).trim() {
        "" => Ok(None),
        "X_UP" => Ok(Some(UpAxis::X)),
        "Y_UP" => Ok(Some(UpAxis::Y)),
        "Z_UP" => Ok(Some(UpAxis::Z)),
        other => {
            Err(Bad::at(element, format!("'{}' is no up axis; X_UP, Y_UP and Z_UP are", xml::shown(other))))
        }
    }
}
