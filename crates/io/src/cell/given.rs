//! What a cell file says, before any other file is opened.

use super::schema::{ALLOW, CELL, Key, OBJECT, POSE, ROBOT, SHAPES, TOOL, UPS};
use super::toml::{Located, Report, Table, Value, Where, shown};
use super::{LengthUnit, UNITS, bad_name};
use crate::mesh::Up;
use ::toml::de::DeTable;
use kansho_cell::nearest_name;
use kansho_geom::glam::DVec3;
use kansho_geom::primitive::{Primitive, Shape, ShapeFault};
use kansho_geom::{NotRigid, Pose, tolerance};
use std::collections::HashMap;

/// Most robots and objects: every pair of bodies is listed, and 4096 make eight million.
pub(super) const MAX_BODIES: usize = 4096;

/// A cell file. Where something was faulty and has been noted, a harmless value stands in its place.
pub(super) struct Given<'a> {
    /// As the file says; metres if it says nothing.
    pub(super) units: Option<LengthUnit>,
    pub(super) robots: Vec<RobotGiven<'a>>,
    pub(super) objects: Vec<ObjectGiven<'a>>,
    pub(super) allow: Vec<PairGiven<'a>>,
}

pub(super) struct RobotGiven<'a> {
    /// Empty if it has none.
    pub(super) name: Located<&'a str>,
    pub(super) urdf: Option<Located<&'a str>>,
    pub(super) srdf: Option<Located<&'a str>>,
    pub(super) packages: Vec<Located<&'a str>>,
    pub(super) world_from_root: Pose,
    pub(super) hold: Vec<HoldGiven<'a>>,
    pub(super) tool: Option<ToolGiven<'a>>,
}

pub(super) struct HoldGiven<'a> {
    pub(super) joint: Located<&'a str>,
    /// Radians, or a length in the units of the file.
    pub(super) value: Located<f64>,
}

pub(super) struct ToolGiven<'a> {
    /// Where the key stands.
    pub(super) at: Where,
    pub(super) shape: Option<ShapeGiven<'a>>,
    pub(super) on: Option<Located<&'a str>>,
    pub(super) link_from_shape: Pose,
    pub(super) link_from_tcp: Pose,
    pub(super) has_tcp: bool,
}

pub(super) struct ObjectGiven<'a> {
    /// Empty if it has none.
    pub(super) name: Located<&'a str>,
    pub(super) shape: ShapeGiven<'a>,
    pub(super) carrier_from_shape: Pose,
    pub(super) on: Option<Located<&'a str>>,
}

pub(super) enum ShapeGiven<'a> {
    /// At least one file.
    Meshes {
        files: Vec<Located<&'a str>>,
        units: Option<LengthUnit>,
        up: Up,
    },
    Primitive(Primitive),
    /// It has been noted.
    Faulty,
}

pub(super) struct PairGiven<'a> {
    pub(super) at: Where,
    pub(super) names: [Located<&'a str>; 2],
}

impl<'a> Given<'a> {
    pub(super) fn read(document: &'a DeTable<'a>, report: &mut Report) -> Self {
        let table = Table::new(document, 0..0, "a cell", CELL, report);
        let units = table.get("units").and_then(|value| unit(value, report));
        let context = Context { units: units.unwrap_or(UNITS[0]) };
        let tables = |key: &str, report: &mut Report| {
            table.get(key).map_or(Vec::new(), |value| value.tables(key, report))
        };
        let robots = tables("robot", report);
        let robots: Vec<_> = robots.into_iter().filter_map(|value| context.robot(value, report)).collect();
        let objects = tables("object", report);
        let objects: Vec<_> = objects.into_iter().filter_map(|value| context.object(value, report)).collect();
        if robots.len() + objects.len() > MAX_BODIES {
            let what = format!(
                "a cell holds at most {MAX_BODIES} robots and objects, and here are {}",
                robots.len() + objects.len()
            );
            report.note_file(what).help = Some("put what stands still together into one mesh".into());
        }
        if table.get("robot").is_none() && table.get("object").is_none() {
            report.note_file("the cell holds no robot and no object").help =
                Some("add [[robot]] with name and urdf, or [[object]] with name and a shape".into());
        }
        let allow = table.get("allow").and_then(|value| value.table("[allow]", ALLOW, report));
        let allow =
            allow.and_then(|allow| allow.get("pairs")).map_or(Vec::new(), |value| pairs(value, report));
        let given = Self { units, robots, objects, allow };
        given.note_repeated_names(report);
        given
    }

    fn note_repeated_names(&self, report: &mut Report) {
        let robots = self.robots.iter().map(|robot| ("robot", &robot.name));
        let objects = self.objects.iter().map(|object| ("object", &object.name));
        let mut names: Vec<_> = robots.chain(objects).filter(|(_, name)| !name.value.is_empty()).collect();
        names.sort_by_key(|(_, name)| name.at.start);
        let mut first = HashMap::new();
        for (kind, name) in names {
            let known = *first.entry(name.value).or_insert((kind, name.at.start));
            if known.1 != name.at.start {
                let what = format!("\"{}\" is already the name of another {}", shown(name.value), known.0);
                report.note(&name.at, what);
            }
        }
    }
}

/// What holds for all numbers of the file.
struct Context {
    units: LengthUnit,
}

impl Context {
    fn robot<'a>(&self, value: Value<'a>, report: &mut Report) -> Option<RobotGiven<'a>> {
        let table = value.table("a robot", ROBOT, report)?;
        let hold = table.get("hold").map_or(Vec::new(), |value| value.entries(report));
        let hold = hold.into_iter().filter_map(|(joint, value)| {
            let number = value.number(report)?;
            Some(HoldGiven { joint, value: Located { value: number, at: value.at() } })
        });
        let hold = hold.collect();
        Some(RobotGiven {
            name: name(&table, report),
            urdf: path(&table, "urdf", report),
            srdf: path(&table, "srdf", report),
            packages: table.get("packages").map_or(Vec::new(), |value| value.texts("a folder", report)),
            world_from_root: self.pose(&table, "at", report),
            hold,
            tool: table.get("tool").and_then(|value| self.tool(value, table.key_at("tool"), report)),
        })
    }

    fn tool<'a>(&self, value: Value<'a>, at: Where, report: &mut Report) -> Option<ToolGiven<'a>> {
        let table = value.table("a tool", TOOL, report)?;
        Some(ToolGiven {
            at,
            shape: self.shape(&table, "a tool", TOOL, report),
            on: table.get("on").and_then(|value| value.text("the name of a link", report)),
            link_from_shape: self.pose(&table, "at", report),
            link_from_tcp: self.pose(&table, "tcp", report),
            has_tcp: table.get("tcp").is_some(),
        })
    }

    fn object<'a>(&self, value: Value<'a>, report: &mut Report) -> Option<ObjectGiven<'a>> {
        let table = value.table("an object", OBJECT, report)?;
        let name = name(&table, report);
        let shape = self.shape(&table, "an object", OBJECT, report);
        if shape.is_none() {
            report.note(&table.at, "an object needs a shape").help =
                Some(format!("give it one of {}", SHAPES.join(", ")));
        }
        Some(ObjectGiven {
            name,
            shape: shape.unwrap_or(ShapeGiven::Faulty),
            carrier_from_shape: self.pose(&table, "at", report),
            on: table.get("on").and_then(|value| value.text("a link as robot/link", report)),
        })
    }

    /// The one shape of a table; none if it has none. Shapes that it cannot have were noted with its other keys.
    fn shape<'a>(
        &self,
        table: &Table<'a>,
        what: &str,
        keys: &[Key],
        report: &mut Report,
    ) -> Option<ShapeGiven<'a>> {
        let known = |shape: &&'static str| keys.iter().any(|key| key.name == *shape);
        let shapes = table.those_of(SHAPES.iter().copied().filter(known));
        let own_units = table.get("units").and_then(|value| unit(value, report));
        if table.get("units").is_some() && table.get("mesh").is_none() {
            report
                .note(&table.key_at("units"), "these units are of a mesh file, and there is no mesh")
                .help = Some("sizes are in the units of the whole file".into());
        }
        let up = table.get("up").map_or(Up::AsInFile, |value| up_of(&value, report));
        if table.get("up").is_some() && table.get("mesh").is_none() {
            report.note(&table.key_at("up"), "this is about a mesh file, and there is no mesh");
        }
        let [first, others @ ..] = &shapes[..] else { return None };
        for other in others {
            let both = format!("{what} has one shape: there is a {} and a {}", first.value, other.value);
            report.note(&other.at, both);
        }
        let value = table.get(first.value)?;
        if first.value == "mesh" {
            let files = mesh_files(value, report);
            let complete = !files.is_empty();
            return Some(if complete {
                ShapeGiven::Meshes { files, units: own_units, up }
            } else {
                ShapeGiven::Faulty
            });
        }
        let primitive = self.primitive(first.value, value, report);
        Some(primitive.map_or(ShapeGiven::Faulty, ShapeGiven::Primitive))
    }

    fn primitive(&self, kind: &str, value: Value, report: &mut Report) -> Option<Primitive> {
        // The shape for lengths in some unit.
        type Make = Box<dyn Fn(LengthUnit) -> Shape>;
        let round = |make: fn(f64, f64) -> Shape, report: &mut Report| -> Option<Make> {
            let [radius, height] = value.numbers(report)?;
            Some(Box::new(move |unit| make(unit.metres(radius), unit.metres(height))))
        };
        let make: Make = match kind {
            "box" => {
                let size = value.numbers::<3>(report)?;
                Box::new(move |unit| Shape::Box { size: size.map(|length| unit.metres(length)).into() })
            }
            "sphere" => {
                let radius = value.number(report)?;
                Box::new(move |unit| Shape::Sphere { radius: unit.metres(radius) })
            }
            "plane" => {
                let [x, y, z, d] = value.numbers(report)?;
                Box::new(move |unit| Shape::HalfSpace { normal: DVec3::new(x, y, z), offset: unit.metres(d) })
            }
            "cylinder" => round(|radius, height| Shape::Cylinder { radius, height }, report)?,
            "capsule" => round(|radius, height| Shape::Capsule { radius, height }, report)?,
            _ => round(|radius, height| Shape::Cone { radius, height }, report)?,
        };
        match Primitive::new(make(self.units)) {
            Ok(primitive) => Some(primitive),
            Err(fault) => {
                // A size that is not positive is quoted as it stands in the file.
                let as_written = Primitive::new(make(UNITS[0])).err();
                let quoted = as_written.filter(|fault| matches!(fault, ShapeFault::NotPositive { .. }));
                report.note(&value.at(), quoted.unwrap_or(fault).to_string());
                None
            }
        }
    }

    /// The pose under a key; the identity if there is none, or if it is faulty.
    fn pose(&self, table: &Table, key: &str, report: &mut Report) -> Pose {
        let value = table.get(key);
        let pose = value.and_then(|value| value.table("a pose", POSE, report));
        pose.and_then(|pose| self.pose_of(&pose, report)).unwrap_or(Pose::IDENTITY)
    }

    fn pose_of(&self, table: &Table, report: &mut Report) -> Option<Pose> {
        let metres = |lengths: [f64; 3]| DVec3::from_array(lengths.map(|length| self.units.metres(length)));
        if let Some(matrix) = table.get("matrix") {
            for other in ["xyz", "rpy_deg"].into_iter().filter(|other| table.get(other).is_some()) {
                report.note(
                    &table.key_at(other),
                    format!("the matrix says it all: there is no place for {other}"),
                );
            }
            let mut numbers = matrix.numbers::<12>(report)?;
            numbers[9..].iter_mut().for_each(|length| *length = self.units.metres(*length));
            return match Pose::from_rows(&numbers) {
                Ok(pose) => Some(pose),
                Err(not_rigid) => {
                    report.note(&matrix.at(), not_rigid.to_string());
                    None
                }
            };
        }
        let three = |key: &str, report: &mut Report| {
            table.get(key).map_or(Some([0.0; 3]), |value| value.numbers::<3>(report))
        };
        let xyz = three("xyz", report);
        let rpy_deg = three("rpy_deg", report);
        let (xyz, rpy_deg) = (metres(xyz?), DVec3::from_array(rpy_deg?));
        let farthest = xyz.abs().max_element();
        if farthest > tolerance::COORDINATE_LIMIT {
            let at = table.get("xyz").map_or(table.at.clone(), Value::at);
            report.note(&at, NotRigid::TooFar(farthest).to_string());
            return None;
        }
        Some(Pose::from_rpy(xyz, rpy_deg.map(f64::to_radians)))
    }
}

/// What becomes of a mesh file with another axis up than Z.
pub(crate) fn up_of(value: &Value, report: &mut Report) -> Up {
    match value.text("\"as-in-file\" or \"z\"", report) {
        Some(word) if word.value == UPS[1] => Up::TurnToZ,
        Some(word) if word.value != UPS[0] => {
            report.note(&word.at, format!("\"{}\" is not understood", shown(word.value))).help =
                Some(format!("known are {}", UPS.join(", ")));
            Up::AsInFile
        }
        _ => Up::AsInFile,
    }
}

fn name<'a>(table: &Table<'a>, report: &mut Report) -> Located<&'a str> {
    let found = table.get("name").and_then(|value| value.text("a name", report));
    let found = found.unwrap_or(Located { value: "", at: table.at.clone() });
    match bad_name(found.value) {
        // Without the key, that has been noted.
        Some(why) if table.get("name").is_some() && found.at != table.at => {
            report.note(&found.at, why);
            Located { value: "", at: found.at }
        }
        _ => found,
    }
}

fn path<'a>(table: &Table<'a>, key: &str, report: &mut Report) -> Option<Located<&'a str>> {
    table.get(key).and_then(|value| path_of(value, report))
}

fn path_of<'a>(value: Value<'a>, report: &mut Report) -> Option<Located<&'a str>> {
    let found = value.text("the name of a file", report)?;
    if found.value.is_empty() || found.value.contains('\0') {
        report.note(&found.at, "this cannot be the name of a file");
        return None;
    }
    Some(found)
}

/// One file, or a list of files that together are one body; none after a fault.
fn mesh_files<'a>(value: Value<'a>, report: &mut Report) -> Vec<Located<&'a str>> {
    let values = if value.is_list() { value.list("", report).unwrap_or_default() } else { vec![value] };
    if values.is_empty() {
        report.note(&value.at(), "expected at least one mesh file, found none");
    }
    let files: Vec<_> = values.into_iter().map(|value| path_of(value, report)).collect();
    files.into_iter().collect::<Option<_>>().unwrap_or_default()
}

fn unit(value: Value, report: &mut Report) -> Option<LengthUnit> {
    let name = value.text("a unit", report)?;
    let found = UNITS.iter().find(|unit| unit.name == name.value).copied();
    if found.is_none() {
        let names = UNITS.map(|unit| unit.name);
        let near = nearest_name(name.value, names)
            .map_or(String::new(), |near| format!("; did you mean \"{near}\"?"));
        report.note(&name.at, format!("\"{}\" is no unit of length{near}", shown(name.value))).help =
            Some(format!("known are {}", names.join(", ")));
    }
    found
}

fn pairs<'a>(value: Value<'a>, report: &mut Report) -> Vec<PairGiven<'a>> {
    let list = value.list("a list of pairs", report).unwrap_or_default();
    let pair = |value: Value<'a>| {
        let names = value.list("a pair of names", report)?;
        if names.len() != 2 {
            report.note(&value.at(), format!("expected a pair of names, found {}", names.len()));
            return None;
        }
        let [a, b] = [names[0], names[1]].map(|name| name.text("a name", report));
        Some(PairGiven { at: value.at(), names: [a?, b?] })
    };
    list.into_iter().filter_map(pair).collect()
}
