//! Problems for planners: one robot in many rooms, each with a start and a goal, from JSON.
//!
//! ```json
//! { "robot": "ur5", "urdf": "robots/ur5.urdf",
//!   "problems": { "kind": [ { "index": 1, "joints": ["j1"], "start": [0], "goal": [1], "fixed_joints": { "finger": 0 },
//!     "objects": [ { "name": "can", "type": "cylinder", "radius": 0.03, "height": 0.14,
//!                    "position": [1, 0, 0], "quat_xyzw": [0, 0, 0, 1] } ] } ] } }
//! ```
//!
//! Metres and radians. Objects are boxes (`size`, whole lengths of edges), cylinders along z (`radius`, `height`) and spheres (`radius`).

use crate::fault::{Fault, ReadError};
use crate::load::bytes_of;
use kansho_cell::{
    BodyPiece, CellDraft, DisabledPair, Geometry, JointKind, ObjectDraft, Robot, RobotDraftInCell,
};
use kansho_geom::Pose;
use kansho_geom::glam::{DQuat, DVec3};
use kansho_geom::primitive::{Primitive, Shape};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// A robot and its rooms.
#[derive(Clone, Debug)]
pub struct Problems {
    /// Name of the robot.
    pub robot: String,
    /// Its URDF, as the file names it.
    pub urdf: PathBuf,
    /// The rooms, kind by kind.
    pub list: Vec<Problem>,
}

/// A room, and from where to where.
#[derive(Clone, Debug)]
pub struct Problem {
    /// Which kind of room.
    pub category: String,
    /// Its number within the kind.
    pub index: u64,
    /// The joints that move, in the order of start and goal.
    pub joints: Vec<String>,
    /// Where it begins.
    pub start: Vec<f64>,
    /// Where it is to end.
    pub goal: Vec<f64>,
    /// Joints that do not move, and their values.
    pub fixed: Vec<(String, f64)>,
    /// What stands in the room.
    pub objects: Vec<ObjectDraft>,
}

impl Problem {
    /// The room with the robot in it, under the name `robot`. Joints that the problem fixes are held where the robot could move them.
    #[must_use]
    pub fn draft(&self, robot: &Robot, disabled: &[DisabledPair]) -> CellDraft {
        let moves = |name: &String| {
            let joint = robot.joint(name).map(|id| &robot.joints()[id.0 as usize]);
            joint.is_some_and(|joint| joint.kind != JointKind::Fixed && joint.mimic.is_none())
        };
        let robot = RobotDraftInCell {
            name: "robot".into(),
            robot: robot.clone(),
            world_from_root: Pose::IDENTITY,
            hold: self.fixed.iter().filter(|(name, _)| moves(name)).cloned().collect(),
            tool: None,
            disabled: disabled.to_vec(),
        };
        CellDraft { robots: vec![robot], objects: self.objects.clone(), allow: Vec::new() }
    }
}

/// Reads a file of problems.
///
/// # Errors
/// What is wrong with it, and with which problem.
pub fn read(path: &Path) -> Result<Problems, ReadError> {
    let fail = |fault: Fault| ReadError { path: path.to_owned(), faults: vec![fault] };
    let bytes = bytes_of(path).map_err(|what| fail(Fault::of_file(what)))?;
    parse(&bytes).map_err(fail)
}

/// As [`read`], from memory.
///
/// # Errors
/// As [`read`].
pub fn parse(bytes: &[u8]) -> Result<Problems, Fault> {
    let whole: Value = crate::json::parse(bytes).map_err(|error| Fault::of_file(error.to_string()))?;
    let kinds = whole["problems"].as_object().ok_or_else(|| {
        Fault::of_file("there is no object \"problems\", with a list for each kind of room")
    })?;
    let mut list = Vec::new();
    for (category, rooms) in kinds {
        let rooms = rooms
            .as_array()
            .ok_or_else(|| Fault::of_part(category.clone(), "this is no list of problems"))?;
        for (place, room) in rooms.iter().enumerate() {
            let refuse = |what: String| Fault::of_part(format!("{category}, problem {}", place + 1), what);
            list.push(problem(category, room).map_err(refuse)?);
        }
    }
    Ok(Problems { robot: text(&whole, "robot").unwrap_or_default(), urdf: named(&whole)?.into(), list })
}

fn named(whole: &Value) -> Result<String, Fault> {
    text(whole, "urdf").map_err(Fault::of_file)
}

fn problem(category: &str, given: &Value) -> Result<Problem, String> {
    let joints = given["joints"].as_array().ok_or("\"joints\" is no list")?;
    let joints: Option<Vec<String>> = joints.iter().map(|name| name.as_str().map(str::to_owned)).collect();
    let joints = joints.ok_or("\"joints\" holds what is no name")?;
    let [start, goal] = ["start", "goal"].map(|end| numbers(given, end));
    let (start, goal) = (start?, goal?);
    if start.len() != joints.len() || goal.len() != joints.len() {
        return Err(format!(
            "there are {} joints, but {} numbers in \"start\" and {} in \"goal\"",
            joints.len(),
            start.len(),
            goal.len()
        ));
    }
    let fixed = given["fixed_joints"].as_object().into_iter().flatten();
    let fixed = fixed.map(|(name, value)| {
        let value =
            value.as_f64().ok_or_else(|| format!("joint \"{name}\" is fixed at what is no number"))?;
        Ok((name.clone(), value))
    });
    let objects = given["objects"].as_array().ok_or("\"objects\" is no list")?;
    let object = |(place, given): (usize, &Value)| {
        object(given).map_err(|what| format!("object {} ({}): {what}", place + 1, given["name"]))
    };
    Ok(Problem {
        category: category.to_owned(),
        index: given["index"].as_u64().ok_or("\"index\" is no number")?,
        joints,
        start,
        goal,
        fixed: fixed.collect::<Result<_, String>>()?,
        objects: objects.iter().enumerate().map(object).collect::<Result<_, String>>()?,
    })
}

fn object(given: &Value) -> Result<ObjectDraft, String> {
    let size = |name: &str| given[name].as_f64().ok_or_else(|| format!("\"{name}\" is missing or no number"));
    let shape = match given["type"].as_str() {
        Some("box") => Shape::Box { size: three(given, "size")? },
        Some("cylinder") => Shape::Cylinder { radius: size("radius")?, height: size("height")? },
        Some("sphere") => Shape::Sphere { radius: size("radius")? },
        _ => return Err(format!("type {} is not known; box, cylinder and sphere are", given["type"])),
    };
    let rotation = numbers(given, "quat_xyzw")?;
    let rotation: [f64; 4] = rotation.try_into().map_err(|_| "\"quat_xyzw\" has not four numbers")?;
    let rotation = DQuat::from_array(rotation);
    let length = rotation.length();
    if !((length - 1.0).abs() < ROUNDED) {
        return Err(format!("\"quat_xyzw\" has length {length}, and a rotation has length 1"));
    }
    let place = Pose::from_quat(rotation * (1.0 / length), three(given, "position")?);
    let piece = BodyPiece {
        geometry: Geometry::Primitive(Primitive::new(shape).map_err(|fault| fault.to_string())?),
        carrier_from_piece: place.map_err(|fault| fault.to_string())?,
    };
    Ok(ObjectDraft { name: text(given, "name")?, pieces: vec![piece], on: None })
}

/// How far the length of a quaternion may be from one: what six digits leave.
const ROUNDED: f64 = 1e-5;

fn text(given: &Value, name: &str) -> Result<String, String> {
    given[name].as_str().map(str::to_owned).ok_or_else(|| format!("\"{name}\" is missing or no text"))
}

fn three(given: &Value, name: &str) -> Result<DVec3, String> {
    let numbers: [f64; 3] =
        numbers(given, name)?.try_into().map_err(|_| format!("\"{name}\" has not three numbers"))?;
    Ok(DVec3::from_array(numbers))
}

fn numbers(given: &Value, name: &str) -> Result<Vec<f64>, String> {
    let list = given[name].as_array().ok_or_else(|| format!("\"{name}\" is missing or no list"))?;
    let numbers: Option<Vec<f64>> = list.iter().map(Value::as_f64).collect();
    numbers.ok_or_else(|| format!("\"{name}\" holds what is no number"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = r#"{ "robot": "r", "urdf": "r.urdf", "problems": { "box": [ { "index": 7, "joints": ["a", "b"], "start": [0, 1],
        "goal": [2, 3], "fixed_joints": { "c": 0.5 }, "objects": [ { "name": "can", "type": "cylinder", "radius": 0.03, "height": 0.14,
        "position": [1, 2, 3], "quat_xyzw": [0, 0, 1, 0] } ] } ] } }"#;

    #[test]
    fn a_problem_is_read() {
        let problems = parse(GOOD.as_bytes()).expect("it is good");
        let [problem] = problems.list.as_slice() else { panic!("one problem") };
        assert_eq!((problem.category.as_str(), problem.index), ("box", 7));
        assert_eq!((problem.start.as_slice(), problem.goal.as_slice()), (&[0.0, 1.0][..], &[2.0, 3.0][..]));
        assert_eq!(problem.fixed, [("c".to_owned(), 0.5)]);
        let piece = &problem.objects[0].pieces[0];
        // Half a turn about z.
        assert!((piece.carrier_from_piece * DVec3::X).distance(DVec3::new(0.0, 2.0, 3.0)) < 1e-15);
    }

    #[test]
    fn what_is_wrong_is_named() {
        for (from, to, expected) in [
            ("\"problems\"", "\"rooms\"", "\"problems\""),
            ("\"urdf\"", "\"file\"", "\"urdf\" is missing"),
            ("\"start\": [0, 1]", "\"start\": [0]", "box, problem 1: there are 2 joints, but 1 numbers"),
            ("\"goal\": [2, 3]", "\"goal\": [2, null]", "\"goal\" holds what is no number"),
            ("cylinder", "cone", "object 1 (\"can\"): type \"cone\" is not known"),
            ("\"radius\": 0.03", "\"radius\": -1", "object 1"),
            ("[0, 0, 1, 0]", "[0, 0, 2, 0]", "has length 2"),
            ("[0, 0, 1, 0]", "[0, 0, 1]", "four numbers"),
            ("\"c\": 0.5", "\"c\": \"x\"", "joint \"c\" is fixed at what is no number"),
            ("\"index\": 7, ", "", "\"index\" is no number"),
        ] {
            assert!(GOOD.contains(from));
            let fault = parse(GOOD.replacen(from, to, 1).as_bytes()).expect_err("it is bad");
            assert!(fault.to_string().contains(expected), "{fault}");
        }
        assert!(parse(b"{").is_err());
    }
}
