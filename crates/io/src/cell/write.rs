//! A cell as a folder of files.

use super::bad_name;
use crate::fault::WriteError;
use crate::mesh::{self, MeshOptions};
use crate::write::whole_file;
use kansho_cell::{Body, BodyKind, BodyPiece, Carrier, Cell, Geometry, InCell, Joint, JointKind, NotChecked};
use kansho_geom::glam::{DMat3, DVec3};
use kansho_geom::primitive::Shape;
use kansho_geom::{Mesh, Pose};
use std::collections::{HashMap, HashSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Writes a cell into a folder: `cell.toml` with its schema for editors, and for each robot `NAME/NAME.urdf`, an SRDF where it disables pairs, and
/// meshes. [`super::read`] takes it back to the same cell, but for the last digit of rotations.
///
/// Meshes become STL where that loses nothing, and PLY otherwise. Each file is written whole or not at all, `cell.toml`
/// last. Files of the same names are replaced.
///
/// # Errors
/// What the files cannot hold: objects and tools of several shapes that are not all meshes in one frame, cones on links, names that no file
/// takes; a mesh that would be read as another; a file that cannot be written.
pub fn write(folder: &Path, cell: &Cell) -> Result<(), WriteError> {
    let mut writer = Writer { cell, folder, names: FileNames::default(), meshes: HashMap::new() };
    let mut text = String::from(HEAD);
    for robot in cell.robots() {
        text += &writer.robot(robot)?;
    }
    for body in cell.bodies().iter().filter(|body| body.kind == BodyKind::Object) {
        text += &writer.object(body)?;
    }
    text += &writer.allow();
    writer.file("cell.schema.json", format!("{:#}\n", super::schema()).as_bytes())?;
    writer.file("cell.toml", text.as_bytes())
}

const HEAD: &str = "\
#:schema cell.schema.json
# Robots, tools and objects, and which of them may touch. `kansho schema cell` describes every key.
format = 1
units = \"m\"                   # of the numbers in this file and of its mesh files
";

struct Writer<'a> {
    cell: &'a Cell,
    folder: &'a Path,
    names: FileNames,
    /// Mesh files that have been written, by folder and mesh. The mesh is kept, so that its address stays its own.
    meshes: HashMap<(String, *const Mesh), (Arc<Mesh>, String)>,
}

impl Writer<'_> {
    fn fail<T>(&self, what: String) -> Result<T, WriteError> {
        Err(WriteError { path: self.folder.join("cell.toml"), what })
    }

    /// Writes a file in the folder and makes the folders on the way.
    fn file(&self, name: &str, bytes: &[u8]) -> Result<(), WriteError> {
        let path = self.made(name)?;
        whole_file(&path, bytes)
    }

    /// The path of a file whose folder exists.
    fn made(&self, name: &str) -> Result<PathBuf, WriteError> {
        let path = self.folder.join(name);
        let folder = path.parent().unwrap_or(self.folder);
        std::fs::create_dir_all(folder)
            .map_err(|error| WriteError { path: folder.to_owned(), what: error.to_string() })?;
        Ok(path)
    }

    fn checked_name(&self, name: &str) -> Result<(), WriteError> {
        match bad_name(name) {
            Some(why) => self.fail(format!("\"{}\" cannot be written: {why}", name.escape_debug())),
            None => Ok(()),
        }
    }

    /// The `[[robot]]` of a robot, after its own files.
    fn robot(&mut self, robot: &InCell) -> Result<String, WriteError> {
        self.checked_name(&robot.name)?;
        let stem = self.names.of("", &robot.name, "robot");
        let urdf = format!("{stem}/{stem}.urdf");
        let content = self.urdf(robot, &stem)?;
        self.file(&urdf, content.as_bytes())?;
        let mut text = format!("\n[[robot]]\nname = {}\nurdf = {}\n", quoted(&robot.name), quoted(&urdf));
        if let Some(content) = self.srdf(robot)? {
            let srdf = format!("{stem}/{stem}.srdf");
            self.file(&srdf, content.as_bytes())?;
            line(&mut text, format_args!("srdf = {}", quoted(&srdf)));
        }
        if robot.world_from_root != Pose::IDENTITY {
            line(&mut text, format_args!("at = {}", pose(&robot.world_from_root)));
        }
        if !robot.hold.is_empty() {
            let held: Vec<String> =
                robot.hold.iter().map(|(joint, value)| format!("{} = {value:?}", quoted(joint))).collect();
            line(&mut text, format_args!("hold = {{ {} }}", held.join(", ")));
        }
        if let Some(tool) = robot.tool {
            let full_name = format!("{}/tool", robot.name);
            let is_tool = |body: &&Body| body.kind == BodyKind::Tool && body.name == full_name;
            let mut parts = Vec::new();
            if let Some(body) = self.cell.bodies().iter().find(is_tool) {
                parts.extend(self.shape(body, &format!("{}_tool", robot.name))?);
            }
            let on = tool.on.0 - robot.link(kansho_cell::LinkId(0)).0;
            parts.push(format!("on = {}", quoted(&robot.robot.links()[on as usize].name)));
            parts.push(format!("tcp = {}", pose(&tool.link_from_tcp)));
            line(&mut text, format_args!("tool = {{ {} }}", parts.join(", ")));
        }
        Ok(text)
    }

    fn object(&mut self, body: &Body) -> Result<String, WriteError> {
        self.checked_name(&body.name)?;
        let mut text = format!("\n[[object]]\nname = {}\n", quoted(&body.name));
        for part in self.shape(body, &body.name)? {
            line(&mut text, format_args!("{part}"));
        }
        if let Carrier::Link(link) = body.carrier {
            line(&mut text, format_args!("on = {}", quoted(&self.cell.link_names()[link.0 as usize])));
        }
        Ok(text)
    }

    /// The keys for the shape of a body and its place.
    fn shape(&mut self, body: &Body, name: &str) -> Result<Vec<String>, WriteError> {
        let [BodyPiece { geometry, carrier_from_piece }, others @ ..] = &body.pieces[..] else {
            return self.fail(format!("\"{}\" has no shape", body.name));
        };
        let shape = match geometry {
            _ if !others.is_empty() => {
                let mut files = Vec::new();
                for (number, piece) in (1..).zip(&body.pieces) {
                    let (Geometry::Mesh(mesh), true) =
                        (&piece.geometry, piece.carrier_from_piece == *carrier_from_piece)
                    else {
                        let what = "has several shapes that are not all meshes in one frame";
                        return self.fail(format!("\"{}\" {what}, which a cell file cannot hold", body.name));
                    };
                    files.push(quoted(&self.mesh("", &format!("{name}_{number}"), mesh)?));
                }
                format!("mesh = [{}]", files.join(", "))
            }
            Geometry::Mesh(mesh) => format!("mesh = {}", quoted(&self.mesh("", name, mesh)?)),
            Geometry::Primitive(primitive) => match primitive.shape() {
                Shape::Box { size } => format!("box = {}", list(&size.to_array())),
                Shape::Sphere { radius } => format!("sphere = {radius:?}"),
                Shape::Cylinder { radius, height } => format!("cylinder = {}", list(&[radius, height])),
                Shape::Capsule { radius, height } => format!("capsule = {}", list(&[radius, height])),
                Shape::Cone { radius, height } => format!("cone = {}", list(&[radius, height])),
                Shape::HalfSpace { normal, offset } => {
                    format!("plane = {}", list(&[normal.x, normal.y, normal.z, offset]))
                }
            },
        };
        let mut parts = vec![shape];
        if *carrier_from_piece != Pose::IDENTITY {
            parts.push(format!("at = {}", pose(carrier_from_piece)));
        }
        Ok(parts)
    }

    fn allow(&self) -> String {
        let allowed = self.cell.pairs().not_checked().iter().filter(|(_, why)| *why == NotChecked::Allowed);
        let pairs: Vec<String> = allowed
            .map(|(pair, _)| {
                let [a, b] = pair.map(|id| quoted(&self.cell.body(id).name));
                format!("    [{a}, {b}],\n")
            })
            .collect();
        if pairs.is_empty() {
            return String::new();
        }
        format!(
            "\n[allow]                       # Pairs that are not checked, besides neighbours.\npairs = [\n{}]\n",
            pairs.concat()
        )
    }

    /// Writes a mesh below a folder and answers with its name relative to that folder.
    fn mesh(&mut self, folder: &str, name: &str, mesh: &Arc<Mesh>) -> Result<String, WriteError> {
        let key = (folder.to_owned(), Arc::as_ptr(mesh));
        if let Some((_, known)) = self.meshes.get(&key) {
            return Ok(known.clone());
        }
        let stem = self.names.of(folder, name, "mesh");
        let extension = if survives_stl(mesh) { "stl" } else { "ply" };
        let file = format!("meshes/{stem}.{extension}");
        let path = self.made(&if folder.is_empty() { file.clone() } else { format!("{folder}/{file}") })?;
        mesh::write(&path, mesh)?;
        let options = MeshOptions { metres_per_unit: Some(1.0), ..MeshOptions::default() };
        // The same triangles in the same order; how their corners are numbered does not matter.
        let again = mesh::read(&path, &options).map(|loaded| loaded.mesh);
        if !again.is_ok_and(|again| again.corners().eq(mesh.corners())) {
            // What we have written must not be taken for what was meant.
            let _ = std::fs::remove_file(&path);
            return self.fail(format!(
                "the mesh of \"{name}\" would be read as another: it is inside out, or has cracks or disputed faces"
            ));
        }
        self.meshes.insert(key, (mesh.clone(), file.clone()));
        Ok(file)
    }

    fn urdf(&mut self, robot: &InCell, folder: &str) -> Result<String, WriteError> {
        let mut text =
            format!("<?xml version=\"1.0\"?>\n<robot name={}>\n", self.attribute(robot.robot.name())?);
        for link in robot.robot.links() {
            let name = self.trimmed(&link.name)?;
            if link.pieces.is_empty() {
                line(&mut text, format_args!("  <link name={name}/>"));
                continue;
            }
            line(&mut text, format_args!("  <link name={name}>"));
            let several = link.pieces.len() > 1;
            for (number, piece) in (1..).zip(&link.pieces) {
                let mesh = if several { format!("{}_{number}", link.name) } else { link.name.clone() };
                let geometry = self.urdf_geometry(&link.name, piece, folder, &mesh)?;
                line(&mut text, format_args!("    <collision>"));
                origin(&mut text, &piece.carrier_from_piece, "      ");
                line(&mut text, format_args!("      <geometry>{geometry}</geometry>"));
                line(&mut text, format_args!("    </collision>"));
            }
            line(&mut text, format_args!("  </link>"));
        }
        for joint in robot.robot.joints() {
            self.urdf_joint(&mut text, robot, joint)?;
        }
        text += "</robot>\n";
        Ok(text)
    }

    fn urdf_geometry(
        &mut self,
        link: &str,
        piece: &BodyPiece,
        folder: &str,
        mesh_name: &str,
    ) -> Result<String, WriteError> {
        let primitive = match &piece.geometry {
            Geometry::Mesh(mesh) => {
                let file = self.mesh(folder, mesh_name, mesh)?;
                return Ok(format!("<mesh filename={}/>", self.attribute(&file)?));
            }
            Geometry::Primitive(primitive) => primitive.shape(),
        };
        Ok(match primitive {
            Shape::Box { size } => format!("<box size=\"{}\"/>", words(size)),
            Shape::Sphere { radius } => format!("<sphere radius=\"{radius:?}\"/>"),
            Shape::Cylinder { radius, height } => {
                format!("<cylinder radius=\"{radius:?}\" length=\"{height:?}\"/>")
            }
            Shape::Capsule { radius, height } => {
                format!("<capsule radius=\"{radius:?}\" length=\"{height:?}\"/>")
            }
            Shape::Cone { .. } => {
                return self.fail(format!("link \"{link}\" has a cone, which URDF does not know"));
            }
            Shape::HalfSpace { .. } => {
                return self.fail(format!("link \"{link}\" has a plane, which URDF does not know"));
            }
        })
    }

    fn urdf_joint(&self, text: &mut String, robot: &InCell, joint: &Joint) -> Result<(), WriteError> {
        let link = |id: kansho_cell::LinkId| self.trimmed(&robot.robot.links()[id.0 as usize].name);
        let (kind, axis) = match joint.kind {
            JointKind::Fixed => ("fixed", None),
            JointKind::Revolute { axis } => ("revolute", Some(axis)),
            JointKind::Continuous { axis } => ("continuous", Some(axis)),
            JointKind::Prismatic { axis } => ("prismatic", Some(axis)),
            JointKind::Planar { normal } => ("planar", Some(normal)),
            JointKind::Floating => ("floating", None),
        };
        line(text, format_args!("  <joint name={} type=\"{kind}\">", self.trimmed(&joint.name)?));
        origin(text, &joint.parent_from_joint, "    ");
        line(text, format_args!("    <parent link={}/>", link(joint.parent)?));
        line(text, format_args!("    <child link={}/>", link(joint.child)?));
        if let Some(axis) = axis {
            line(text, format_args!("    <axis xyz=\"{}\"/>", words(axis)));
        }
        if joint.limits.is_some() || joint.max_speed.is_some() {
            let range = joint
                .limits
                .map(|limits| format!("lower=\"{:?}\" upper=\"{:?}\" ", limits.lower, limits.upper));
            // URDF wants an effort and a speed; zero is what says nothing.
            let speed = joint.max_speed.unwrap_or(0.0);
            line(
                text,
                format_args!("    <limit {}effort=\"0\" velocity=\"{speed:?}\"/>", range.unwrap_or_default()),
            );
        }
        if let Some(mimic) = joint.mimic {
            let other = self.trimmed(&robot.robot.joints()[mimic.joint.0 as usize].name)?;
            let (multiplier, offset) = (mimic.multiplier, mimic.offset);
            line(
                text,
                format_args!(
                    "    <mimic joint={other} multiplier=\"{multiplier:?}\" offset=\"{offset:?}\"/>"
                ),
            );
        }
        line(text, format_args!("  </joint>"));
        Ok(())
    }

    /// The pairs of a robot that are disabled; none if there are none.
    fn srdf(&self, robot: &InCell) -> Result<Option<String>, WriteError> {
        let prefix = format!("{}/", robot.name);
        let mut pairs = String::new();
        for (pair, why) in self.cell.pairs().not_checked() {
            let NotChecked::Disabled { reason } = why else { continue };
            let links = pair.map(|id| self.cell.body(id).name.strip_prefix(&prefix));
            if let [Some(a), Some(b)] = links {
                let [a, b, reason] = [self.attribute(a)?, self.attribute(b)?, self.attribute(reason)?];
                line(&mut pairs, format_args!("  <disable_collisions link1={a} link2={b} reason={reason}/>"));
            }
        }
        if pairs.is_empty() {
            return Ok(None);
        }
        let name = self.attribute(robot.robot.name())?;
        Ok(Some(format!("<?xml version=\"1.0\"?>\n<robot name={name}>\n{pairs}</robot>\n")))
    }

    /// A name in XML that is read without the blanks around it.
    fn trimmed(&self, name: &str) -> Result<String, WriteError> {
        if name.is_empty() || name.trim() != name {
            return self.fail(format!("\"{}\" cannot be a name in a URDF", name.escape_debug()));
        }
        self.attribute(name)
    }

    /// The value of an attribute, quoted.
    fn attribute(&self, text: &str) -> Result<String, WriteError> {
        let mut quoted = String::from("\"");
        for c in text.chars() {
            match c {
                '&' => quoted += "&amp;",
                '<' => quoted += "&lt;",
                '"' => quoted += "&quot;",
                // As they are, they would be read as blanks.
                '\t' | '\n' | '\r' => quoted += &format!("&#{};", u32::from(c)),
                '\u{0}'..'\u{20}' | '\u{FFFE}' | '\u{FFFF}' => {
                    return self.fail(format!("\"{}\" cannot be written in XML", text.escape_debug()));
                }
                _ => quoted.push(c),
            }
        }
        quoted.push('"');
        Ok(quoted)
    }
}

/// Names of files, each given once, whatever the case of its letters.
#[derive(Default)]
struct FileNames {
    used: HashSet<String>,
}

impl FileNames {
    /// The name itself if every file system takes it, otherwise a number after `kind`.
    fn of(&mut self, folder: &str, name: &str, kind: &str) -> String {
        let plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
        // Some systems reserve short names such as "con"; all of those have at most four letters.
        let reserved = ["con", "prn", "aux", "nul"].iter().any(|taken| name.eq_ignore_ascii_case(taken))
            || name.len() == 4
                && ["com", "lpt"].iter().any(|port| name.to_ascii_lowercase().starts_with(port));
        let safe =
            !name.is_empty() && name.len() <= 100 && name.chars().all(plain) && !reserved && name != "meshes";
        let named = safe.then(|| name.to_owned());
        let numbered = (1..).map(|number| format!("{kind}_{number}"));
        let mut free = named.into_iter().chain(numbered);
        free.find(|name| self.used.insert(format!("{folder}/{}", name.to_ascii_lowercase())))
            .expect("there is always a next number")
    }
}

/// Whether an STL file holds this mesh exactly: in single precision.
fn survives_stl(mesh: &Mesh) -> bool {
    mesh.vertices().iter().flat_map(|p| p.to_array()).all(|x| f64::from(x as f32) == x)
}

fn line(text: &mut String, content: std::fmt::Arguments) {
    writeln!(text, "{content}").expect("writing to a string succeeds");
}

/// A string of TOML.
fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            c if c.is_control() => {
                write!(quoted, "\\u{:04X}", u32::from(c)).expect("writing to a string succeeds");
            }
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

fn list(numbers: &[f64]) -> String {
    let numbers: Vec<String> = numbers.iter().map(|number| format!("{number:?}")).collect();
    format!("[{}]", numbers.join(", "))
}

fn words(vector: DVec3) -> String {
    vector.to_array().map(|number| format!("{number:?}")).join(" ")
}

/// A pose of TOML: angles in degrees if round ones give exactly this rotation, otherwise the matrix.
fn pose(pose: &Pose) -> String {
    let xyz = list(&pose.translation().to_array());
    if pose.rotation() == DMat3::IDENTITY {
        return format!("{{ xyz = {xyz} }}");
    }
    let degrees = rpy(&pose.rotation()).map(f64::to_degrees);
    let rounded = rounded(degrees).find(|degrees| {
        Pose::from_rpy(DVec3::ZERO, degrees.map(f64::to_radians)).rotation() == pose.rotation()
    });
    match rounded {
        Some(degrees) => format!("{{ xyz = {xyz}, rpy_deg = {} }}", list(&degrees.to_array())),
        None => format!("{{ matrix = {} }}", list(&pose.to_rows())),
    }
}

/// An `<origin>`, unless it says nothing.
fn origin(text: &mut String, pose: &Pose, indent: &str) {
    if *pose == Pose::IDENTITY {
        return;
    }
    let angles = rpy(&pose.rotation());
    // Of round angles that give the same, the roundest; otherwise the angles as they are.
    let exact = rounded(angles)
        .chain(rounded(angles.map(f64::to_degrees)).map(|degrees| degrees.map(f64::to_radians)))
        .find(|angles| Pose::from_rpy(DVec3::ZERO, *angles).rotation() == pose.rotation());
    let angles = words(exact.unwrap_or(angles));
    line(text, format_args!("{indent}<origin xyz=\"{}\" rpy=\"{angles}\"/>", words(pose.translation())));
}

/// Angles rounded to fewer and then more digits.
fn rounded(angles: DVec3) -> impl Iterator<Item = DVec3> {
    (0..=16).map(move |digits| {
        angles.map(|angle| {
            let text = format!("{angle:.digits$}");
            // Without the sign of a rounded zero.
            text.parse::<f64>().unwrap_or(angle) + 0.0
        })
    })
}

/// Roll, pitch and yaw of a rotation, accurate also where pitch is a right angle.
///
/// There only the sum or difference of roll and yaw is determined. Yaw is what rounding leaves of it, and roll is taken
/// from what remains once yaw and pitch are undone, so that together they are right whatever the yaw.
fn rpy(rotation: &DMat3) -> DVec3 {
    let x = rotation.x_axis;
    let pitch = (-x.z).atan2(x.x.hypot(x.y));
    let yaw = x.y.atan2(x.x);
    let remaining = DMat3::from_rotation_y(-pitch) * DMat3::from_rotation_z(-yaw) * *rotation;
    let roll = remaining.y_axis.z.atan2(remaining.y_axis.y);
    DVec3::new(roll, pitch, yaw)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::f64::consts::{FRAC_PI_2, PI};

    proptest! {
        #[test]
        fn roll_pitch_yaw_are_those_of_the_rotation(
            roll in -PI..PI,
            pitch in prop_oneof![-PI..PI, Just(FRAC_PI_2), Just(-FRAC_PI_2), (FRAC_PI_2 - 1e-7)..(FRAC_PI_2 + 1e-7)],
            yaw in -PI..PI,
        ) {
            let rotation = Pose::from_rpy(DVec3::ZERO, DVec3::new(roll, pitch, yaw)).rotation();
            let again = Pose::from_rpy(DVec3::ZERO, rpy(&rotation)).rotation();
            prop_assert!(again.abs_diff_eq(rotation, 1e-15), "{:?}", again - rotation);
        }

        #[test]
        fn degrees_as_people_write_them_come_back(roll in -180..180i32, pitch in -90..90i32, yaw in -1800..1800i32) {
            let degrees = DVec3::new(f64::from(roll), f64::from(pitch), f64::from(yaw) / 10.0);
            let given = Pose::from_rpy(DVec3::X, degrees.map(f64::to_radians));
            let text = pose(&given);
            prop_assert!(text.contains("rpy_deg"), "{text} is {degrees}");
        }
    }

    #[test]
    fn names_of_files() {
        let mut names = FileNames::default();
        let cases = [
            (["", "arm"], "arm"),
            (["", "ARM"], "mesh_1"),
            (["x", "arm"], "arm"),
            (["", "größe"], "mesh_2"),
            (["", "mesh_3"], "mesh_3"),
            (["", "a b"], "mesh_4"),
            (["", ".."], "mesh_5"),
            (["", "NUL"], "mesh_6"),
            (["", "äß"], "mesh_7"),
            (["", "com1"], "mesh_8"),
        ];
        for ([folder, name], expected) in cases {
            assert_eq!(names.of(folder, name, "mesh"), expected, "{name}");
        }
    }

    #[test]
    fn strings_of_toml() {
        for text in ["plain", "a \"b\" \\ c", "line\nbreak\u{7f}\u{0}", "größe"] {
            let document = format!("x = {}", quoted(text));
            let read = ::toml::de::DeTable::parse(&document).expect("TOML");
            assert_eq!(read.get_ref()["x"].get_ref().as_str(), Some(text));
        }
    }
}
