//! The shapes of links, meshes read once.

use super::document::{Described, DescribedLink, numbers, origin};
use super::resolve::Packages;
use crate::fault::{Fault, ReadError, Warning};
use crate::mesh::{self, MeshOptions, Up};
use crate::xml::{self, Bad, Element};
use kansho_cell::{BodyPiece, Geometry, LinkDraft};
use kansho_geom::glam::DVec3;
use kansho_geom::primitive::Shape;
use kansho_geom::{Mesh, Primitive};
use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;
use std::sync::Arc;

/// Loads shapes and remembers meshes, found or not.
pub(super) struct Shapes {
    packages: Packages,
    /// By file and scale; nothing for a file that was refused, after its faults were noted.
    loaded: HashMap<(PathBuf, [u64; 3]), Option<Arc<Mesh>>>,
    /// Packages that were not found, and how many meshes for collision, or for looking at, are in each: it is told once of either.
    missing: BTreeMap<(String, bool), usize>,
    pub(super) files: Vec<PathBuf>,
    pub(super) warnings: Vec<Warning>,
    pub(super) errors: Vec<ReadError>,
}

impl Shapes {
    pub(super) fn new(packages: Packages) -> Self {
        Self {
            packages,
            loaded: HashMap::new(),
            missing: BTreeMap::new(),
            files: Vec::new(),
            warnings: Vec::new(),
            errors: Vec::new(),
        }
    }

    /// The file of a mesh; why there is none, or nothing if that was told before: one missing package is one fault.
    fn find(&mut self, name: &str, is_visual: bool) -> Result<PathBuf, Option<String>> {
        self.packages.find(name).map_err(|what| {
            let package = Packages::package(name).filter(|package| Packages::is_missing(package, &what));
            let Some(package) = package else { return Some(what) };
            let count = self.missing.entry((package.to_owned(), is_visual)).or_default();
            *count += 1;
            (*count == 1).then_some(what)
        })
    }

    /// Says of each package that was not found how many meshes are in it.
    pub(super) fn count_missing(&self, told: &mut [Bad], is_visual: bool) {
        let several = self.missing.iter().filter(|((_, visual), count)| *visual == is_visual && **count > 1);
        for ((package, _), count) in several {
            let first = told.iter_mut().find(|bad| Packages::is_missing(package, &bad.what));
            if let Some(bad) = first {
                bad.what += &format!(" ({count} meshes are in it)");
            }
        }
    }

    pub(super) fn link(&mut self, link: &DescribedLink, bad: &mut Vec<Bad>, odd: &mut Vec<Bad>) -> LinkDraft {
        let pieces =
            link.collisions.iter().filter_map(|collision| self.piece(*collision, &link.name, bad)).collect();
        // What is only looked at need not be read, but a missing file is worth a word.
        for visual in &link.visuals {
            let meshes = xml::child(*visual, "geometry").into_iter().flat_map(|g| xml::children(g, "mesh"));
            for (mesh, name) in meshes.filter_map(|mesh| Some((mesh, mesh.attribute("filename")?))) {
                match self.find(name, true) {
                    Ok(file) => self.note(file),
                    Err(None) => {}
                    Err(Some(what)) => {
                        odd.push(Bad::at(mesh, format!("link \"{}\", for looking at: {what}", link.name)))
                    }
                }
            }
        }
        LinkDraft { name: link.name.clone(), pieces }
    }

    /// A collision shape, or nothing after noting what is wrong.
    fn piece(&mut self, collision: Element, link: &str, bad: &mut Vec<Bad>) -> Option<BodyPiece> {
        Described::at_most_once(collision, &["origin", "geometry"], bad);
        let carrier_from_piece = origin(collision, bad);
        let geometry = match self.geometry(collision, link) {
            Ok(geometry) => geometry,
            Err(fault) => {
                bad.push(fault);
                None
            }
        };
        Some(BodyPiece { geometry: geometry?, carrier_from_piece: carrier_from_piece? })
    }

    fn geometry(&mut self, collision: Element, link: &str) -> Result<Option<Geometry>, Bad> {
        let Some(geometry) = xml::child(collision, "geometry") else {
            return Err(Bad::at(collision, format!("a <collision> of link \"{link}\" has no <geometry>")));
        };
        // Shapes of other programs (`drake:ellipsoid`) are told by their names, and are none of ours.
        let mut shapes = geometry.children().filter(|shape| shape.is_element() && !xml::is_foreign(*shape));
        let (Some(shape), None) = (shapes.next(), shapes.next()) else {
            return Err(Bad::at(
                geometry,
                format!("a <geometry> of link \"{link}\" must have exactly one shape"),
            ));
        };
        let size = |name: &str| match numbers::<1>(shape, name)? {
            Some([size]) => Ok(size),
            None => {
                Err(Bad::at(shape, format!("this <{}> of link \"{link}\" has no {name}", xml::tag(shape))))
            }
        };
        let primitive = match xml::tag(shape) {
            "mesh" => return self.mesh(shape, link),
            "box" => match numbers::<3>(shape, "size")? {
                Some(size) => Shape::Box { size: DVec3::from_array(size) },
                None => return Err(Bad::at(shape, format!("this <box> of link \"{link}\" has no size"))),
            },
            "sphere" => Shape::Sphere { radius: size("radius")? },
            "cylinder" => Shape::Cylinder { radius: size("radius")?, height: size("length")? },
            "capsule" => Shape::Capsule { radius: size("radius")?, height: size("length")? },
            other => {
                let what =
                    format!("link \"{link}\" has a <{}>, which is no shape that is known", xml::shown(other));
                return Err(
                    Bad::at(shape, what).with_help("known are mesh, box, cylinder, sphere and capsule")
                );
            }
        };
        let primitive =
            Primitive::new(primitive).map_err(|fault| Bad::at(shape, format!("link \"{link}\": {fault}")))?;
        Ok(Some(Geometry::Primitive(primitive)))
    }

    /// A mesh; nothing if its file was refused.
    fn mesh(&mut self, shape: Element, link: &str) -> Result<Option<Geometry>, Bad> {
        let Some(name) = shape.attribute("filename") else {
            return Err(Bad::at(shape, format!("a <mesh> of link \"{link}\" has no filename")));
        };
        let scale = DVec3::from_array(numbers::<3>(shape, "scale")?.unwrap_or([1.0; 3]));
        if scale.cmpeq(DVec3::ZERO).any() {
            return Err(Bad::at(shape, format!("a mesh of link \"{link}\" has a scale of zero: {scale}")));
        }
        let file = match self.find(name, false) {
            Ok(file) => file,
            Err(Some(what)) => return Err(Bad::at(shape, format!("link \"{link}\": {what}"))),
            Err(None) => return Ok(None),
        };
        self.note(file.clone());
        let key = (file.clone(), scale.to_array().map(f64::to_bits));
        if let Some(known) = self.loaded.get(&key) {
            return Ok(known.clone().map(Geometry::Mesh));
        }
        let options = MeshOptions { up: Up::AsInFile, scale, ..MeshOptions::default() };
        let mesh = match mesh::read(&file, &options) {
            Ok(loaded) => {
                let told = |mut fault: Fault| {
                    // A URDF has no key for it.
                    if fault.help.as_deref() == Some(mesh::UP_HELP) {
                        fault.help = Some("as in ROS; the rpy of the <origin> of this shape turns it: rpy=\"1.5707963 0 0\" takes Y up to Z up".into());
                    }
                    Warning { path: file.clone(), fault }
                };
                self.warnings.extend(loaded.warnings.into_iter().map(told));
                Some(Arc::new(loaded.mesh))
            }
            Err(error) => {
                self.errors.push(error);
                None
            }
        };
        self.loaded.insert(key, mesh.clone());
        Ok(mesh.map(Geometry::Mesh))
    }

    fn note(&mut self, file: PathBuf) {
        if !self.files.contains(&file) {
            self.files.push(file);
        }
    }
}
