//! Robots from URDF files.
//!
//! | part | answers |
//! |---|---|
//! | `document` | which links and joints does the file describe? |
//! | `resolve` | which file does `package://NAME/...` mean? |
//! | `shapes` | which shapes do the links have? |
//! | `spherized` | the same file with spheres for shapes |

mod document;
mod resolve;
mod shapes;
mod spherized;
#[cfg(test)]
mod tests;
mod vocabulary;

use crate::fault::{Fault, ReadError, Warning};
use crate::load::bytes_of;
use crate::xml::{self, Bad, Element};
use document::Described;
use kansho_cell::{Joint, Robot, RobotDraft, RobotFault};
use resolve::Packages;
use shapes::Shapes;
use std::path::{Path, PathBuf};

pub use spherized::with_spheres;

/// How to read a robot.
#[derive(Clone, Debug, Default)]
pub struct RobotOptions {
    /// Folders in which `package://NAME/...` is looked for first.
    pub packages: Vec<PathBuf>,
}

/// A robot from a file.
#[derive(Clone, Debug)]
pub struct LoadedRobot {
    /// The robot.
    pub robot: Robot,
    /// Mesh files that it refers to, for collision checks or for looking at, each once.
    pub meshes: Vec<PathBuf>,
    /// Oddities.
    pub warnings: Vec<Warning>,
}

/// Largest URDF, in bytes: 64 MiB. Shapes are in files of their own, so that is much.
const MAX_BYTES: usize = 1 << 26;

/// Joints that a warning names, at most.
const NAMED: usize = 8;

/// Most links of a robot, and most collision shapes: each is checked against each.
const MAX_LINKS: usize = 16_384;

/// Reads a robot and its collision meshes.
///
/// A mesh `package://NAME/...` is looked for in the given package folders first, then, from the folder of the URDF
/// upward, in a folder NAME or in one whose `package.xml` bears the name. Other mesh names are relative to the URDF.
/// Meshes are read only from below those folders and the one that holds the folder of the URDF. As in ROS, the axes of
/// COLLADA and glTF meshes are left as they are.
///
/// # Errors
/// Everything that is wrong with the file and its meshes, file by file.
pub fn read(path: &Path, options: &RobotOptions) -> Result<LoadedRobot, Vec<ReadError>> {
    let refuse = |what| vec![ReadError { path: path.to_owned(), faults: vec![Fault::of_file(what)] }];
    parse(&bytes_of(path).map_err(refuse)?, path, options)
}

/// As [`read`], from memory. `path` names it: meshes are looked for as if the text stood there; nothing is read from it.
///
/// # Errors
/// As [`read`].
pub fn parse(bytes: &[u8], path: &Path, options: &RobotOptions) -> Result<LoadedRobot, Vec<ReadError>> {
    let refuse = |faults: Vec<Fault>| vec![ReadError { path: path.to_owned(), faults }];
    if bytes.len() > MAX_BYTES {
        return Err(refuse(vec![Fault::of_file(format!("a URDF is not larger than {MAX_BYTES} bytes"))]));
    }
    let text = xml::text_of(bytes).map_err(|fault| refuse(vec![fault]))?;
    let document = xml::parse(&text).map_err(|bad| refuse(vec![xacro_or(bad, &text)]))?;
    let root = document.root_element();
    if let Some(bad) = not_a_robot(root) {
        return Err(refuse(vec![bad.into_fault(&text)]));
    }
    let links = xml::children(root, "link");
    let [count, shapes] = links
        .fold([0, 0], |[links, shapes], link| [links + 1, shapes + xml::children(link, "collision").count()]);
    if count > MAX_LINKS || shapes > MAX_LINKS {
        let what = format!(
            "a robot has at most {MAX_LINKS} links and as many shapes, and here are {count} and {shapes}"
        );
        return Err(refuse(vec![
            Fault::of_file(what).with_help("put shapes of a link together into one mesh"),
        ]));
    }
    let described = Described::of(root);
    let mut bad = described.bad;
    let mut warnings = described.odd;
    // Of links that can be seen, each is told by itself.
    let seen = xml::children(root, "link").any(|link| xml::children(link, "visual").next().is_some());
    if shapes == 0 && !seen {
        warnings.push(Bad::at(
            root,
            "no link of this robot has a <collision>: nothing is checked against it".to_owned(),
        ));
    }
    let mut shapes = Shapes::new(Packages::of(path, &options.packages));
    let links = described.links.iter().map(|link| shapes.link(link, &mut bad, &mut warnings)).collect();
    shapes.count_missing(&mut bad, false);
    shapes.count_missing(&mut warnings, true);
    let joints = described.joints.iter().filter_map(|joint| joint.draft.clone()).collect();
    let draft = RobotDraft { name: described.name, links, joints };
    // A joint that could not be read would only make its links look like roots.
    let complete = described.joints.iter().all(|joint| joint.draft.is_some()) && described.unnamed == 0;
    let robot = if complete { Robot::new(draft) } else { Err(Vec::new()) };
    if let Err(faults) = &robot {
        // Finding the element of a fault means going through all of them.
        bad.extend(faults.iter().take(xml::PLACED).map(|fault| located(fault, root)));
        let more = faults.len().saturating_sub(xml::PLACED);
        bad.extend((more > 0).then(|| Bad::at(root, format!("and {more} more faults of the model"))));
    }
    let mut errors = Vec::new();
    if !bad.is_empty() {
        bad.sort_by_key(|bad| bad.span.start);
        errors.extend(refuse(xml::faults_of(bad, &text)));
    }
    errors.extend(shapes.errors);
    match robot {
        Ok(robot) if errors.is_empty() => {
            let here = |bad: Bad| Warning { path: path.to_owned(), fault: bad.into_fault(&text) };
            let beyond = followers_beyond(&robot).map(|fault| Warning { path: path.to_owned(), fault });
            let warnings = warnings.into_iter().map(here).chain(shapes.warnings).chain(beyond).collect();
            Ok(LoadedRobot { robot, meshes: shapes.files, warnings })
        }
        _ => Err(errors),
    }
}

/// A syntax error; but a file that speaks xacro is not expected to be anything else.
fn xacro_or(bad: Bad, text: &str) -> Fault {
    let fault = bad.into_fault(text);
    if text.contains("<xacro:") {
        Fault { what: XACRO.into(), help: Some(XACRO_HELP.into()), ..fault }
    } else {
        fault
    }
}

const XACRO: &str = "this is xacro, a macro language that expands to URDF, and it is not expanded";
const XACRO_HELP: &str = "expand it: xacro FILE.xacro > FILE.urdf";

/// Why a document describes no robot, or none yet.
fn not_a_robot(root: Element) -> Option<Bad> {
    if xml::tag(root) != "robot" {
        return Some(Bad::at(
            root,
            format!("the root element is <{}>, not <robot>", xml::shown(xml::tag(root))),
        ));
    }
    let is_macro = |element: &Element| {
        let in_namespace =
            element.tag_name().namespace().is_some_and(|namespace| namespace.contains("xacro"));
        let expression = |value: &str| value.contains("${") || value.contains("$(");
        in_namespace || element.attributes().any(|attribute| expression(attribute.value()))
    };
    let found = root.descendants().filter(Element::is_element).find(is_macro)?;
    Some(Bad::at(found, XACRO).with_help(XACRO_HELP))
}

/// A fault of the model at the element that it speaks of.
fn located(fault: &RobotFault, root: Element) -> Bad {
    let element = |kind: &'static str, name: &String| {
        xml::children(root, kind).filter(|found| found.attribute("name") == Some(name.as_str())).last()
    };
    let place = match fault {
        RobotFault::NoLinks => None,
        RobotFault::DuplicateLink { link, .. } | RobotFault::CarriedPlane { link } => element("link", link),
        RobotFault::ManyRoots { roots } => roots.get(1).and_then(|root| element("link", root)),
        RobotFault::Loop { joints } | RobotFault::MimicLoop { joints } => {
            joints.first().and_then(|joint| element("joint", joint))
        }
        RobotFault::TwoParents { second, .. } => element("joint", second),
        RobotFault::DuplicateJoint { joint, .. }
        | RobotFault::UnknownParent { joint, .. }
        | RobotFault::UnknownChild { joint, .. }
        | RobotFault::OwnParent { joint, .. }
        | RobotFault::NoAxis { joint, .. }
        | RobotFault::NoLimits { joint }
        | RobotFault::LimitsReversed { joint, .. }
        | RobotFault::NotFinite { joint, .. }
        | RobotFault::UnknownMimic { joint, .. }
        | RobotFault::BadMimic { joint, .. } => element("joint", joint),
    };
    Bad::at(place.unwrap_or(root), fault.to_string())
}

/// Joints that follow others beyond their own limits, in one warning: such a posture is planned, and refused in a file.
fn followers_beyond(robot: &Robot) -> Option<Fault> {
    const ROUNDING: f64 = 1e-6;
    let leaves = |joint: &Joint| {
        let (own, mimic) = (joint.limits?, joint.mimic?);
        let leader = robot.joints()[mimic.joint.0 as usize].limits?;
        let ends = [leader.lower, leader.upper].map(|end| mimic.multiplier * end + mimic.offset);
        let goes = [ends[0].min(ends[1]), ends[0].max(ends[1])];
        (goes[0] < own.lower - ROUNDING || goes[1] > own.upper + ROUNDING).then(|| joint.name.clone())
    };
    let found: Vec<String> = robot.joints().iter().filter_map(leaves).collect();
    (!found.is_empty()).then(|| {
        let names = found.iter().take(NAMED).map(|name| format!("\"{name}\"")).collect::<Vec<_>>().join(", ");
        let more = found.len().saturating_sub(NAMED);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        Fault::of_file(format!(
            "joints follow others (<mimic>) beyond their own limits: kansho plans by the limits of the joints that they follow, and refuses motions of files that take them there: {names}{more}"
        ))
        .with_help("narrow the limits of the joints that they follow")
    })
}
