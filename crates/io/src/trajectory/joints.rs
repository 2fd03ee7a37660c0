//! Joint trajectories of ROS (`trajectory_msgs/JointTrajectory`), as YAML.
//!
//! Between two points, controllers of ROS go straight if only positions are given, on a cubic if there are velocities, and on a quintic if
//! there are accelerations, too. Where all velocities and accelerations are zero, all of that is straight in the space of the joints: with
//! one polynomial s of time, every joint is at q₀ + s (q₁ − q₀).

use super::yaml::{self, Is, Node, Wrong};
use crate::fault::{Fault, Faults};
use crate::held::{self, Held};
use crate::limits;
use crate::robot_program::fault_at;
use crate::units::Units;
use crate::waypoints;
use kansho_cell::{Cell, JointMotion, nearest_name};
use serde_json::{Map, Value};

/// A joint trajectory.
#[derive(Clone, Debug, PartialEq)]
pub struct JointTrajectory {
    /// Names of the joints, in the order of all numbers.
    pub names: Vec<String>,
    /// At least two.
    pub points: Vec<TrajectoryPoint>,
    /// Joints of which the message says where they are as it begins, and which it does not move.
    pub beside: Vec<JointBeside>,
}

/// A joint that a message names at its start, and does not move.
#[derive(Clone, Debug, PartialEq)]
pub struct JointBeside {
    /// Its line.
    pub line: u32,
    /// Its name.
    pub name: String,
    /// Where it is, in radians or metres.
    pub position: f64,
}

/// One point of a trajectory.
#[derive(Clone, Debug, PartialEq)]
pub struct TrajectoryPoint {
    /// The line in which it begins.
    pub line: u32,
    /// One number for each joint, in radians and metres.
    pub positions: Vec<f64>,
    /// One number for each joint, or none.
    pub velocities: Vec<f64>,
    /// One number for each joint, or none.
    pub accelerations: Vec<f64>,
    /// When it is reached, in seconds.
    pub seconds: f64,
}

/// What lies between the points of a trajectory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Between {
    /// Straight in the space of the joints.
    Lines,
    /// Cubics by positions and velocities.
    Cubics,
}

/// Reads one from memory; `entry` counts the messages of a file that has several (`ros2 topic echo` writes one document for each), from 1.
///
/// # Errors
/// What is none, with its line. Several messages, of which none is named.
pub fn parse(bytes: &[u8], entry: Option<&str>) -> Result<JointTrajectory, Vec<Fault>> {
    let read = yaml::parse(bytes).and_then(|all| of_node(one_of(&all, entry)?, 0));
    read.map_err(|(line, what)| vec![fault_at(bytes, line, what)])
}

/// The message that is meant.
fn one_of<'a>(all: &'a [Node], entry: Option<&str>) -> Result<&'a Node, Wrong> {
    let count = all.len();
    match (all, entry) {
        ([], _) => Err((1, "there is nothing in this file".into())),
        ([only], None) => Ok(only),
        ([_, second, ..], None) => Err((
            second.line,
            format!(
                "here begins the second of {count} messages (documents), each a motion of its own: say which one is meant, by its number (⟦entry⟧, 1 to {count})"
            ),
        )),
        (_, Some(entry)) => entry
            .trim()
            .parse::<usize>()
            .ok()
            .and_then(|number| all.get(number.checked_sub(1)?))
            .ok_or_else(|| (1, format!("there is no message '{entry}': this file has 1 to {count}"))),
    }
}

/// Keys of messages that say nothing about where joints go: they are not read.
const BESIDE: [&str; 10] = [
    "header",
    "model_id",
    "path_tolerance",
    "component_path_tolerance",
    "goal_tolerance",
    "component_goal_tolerance",
    "goal_time_tolerance",
    "group_name",
    "planning_time",
    "error_code",
];

/// Where the robot is as the trajectory begins, in messages of MoveIt.
const START: &str = "trajectory_start";

/// How far a joint may be from the first point where the message says where the robot is, in radians and metres: what six digits leave open,
/// and with an arm of two metres a five-hundredth of a millimetre. MoveIt writes both from the same numbers.
const SAME_START: f64 = held::SAME;

/// Keys under which a trajectory may stand in a larger message.
const AROUND: [&str; 2] = ["trajectory", "joint_trajectory"];

/// Keys of what moves joints with several coordinates.
const SEVERAL: [&str; 2] = ["multi_dof_joint_trajectory", "multi_dof_trajectory"];

/// Refuses keys that are not known, of a message.
fn only_message(node: &Node, known: &[&'static str]) -> Result<(), Wrong> {
    only(node, &[known, &BESIDE[..]].concat())
}

/// Refuses keys that are not known: nothing of a message is passed over.
fn only(node: &Node, known: &[&'static str]) -> Result<(), Wrong> {
    let unknown = |(key, _): &&(String, Node)| !known.contains(&key.as_str());
    match node.entries().iter().find(unknown) {
        None => Ok(()),
        Some((key, value)) => {
            let near = nearest_name(key, known.iter().copied());
            let help = near.map_or(String::new(), |near| format!("; did you mean '{near}'?"));
            Err((value.line, format!("'{}' is not understood{help}", crate::xml::shown(key))))
        }
    }
}

fn of_node(node: &Node, deep: usize) -> Result<JointTrajectory, Wrong> {
    // What moves other joints at the same time is a part of the motion.
    for key in SEVERAL {
        let Some(several) = node.get(key) else { continue };
        let has = |part: &str| several.get(part).is_some_and(|part| !part.is_empty());
        if has("points") || has("joint_names") || !(several.is_empty() || matches!(several.is, Is::Map(_))) {
            let what = format!("'{key}' moves joints with several coordinates, which is not understood");
            return Err((several.line, what));
        }
        only(several, &["header", "joint_names", "points"])?;
    }
    // It may be a part of a larger message.
    if node.get("joint_names").is_none()
        && let Some((key, inner)) = AROUND.iter().find_map(|key| Some((key, node.get(key)?)))
        && deep < 4
    {
        only_message(node, &[*key, SEVERAL[0], SEVERAL[1], START])?;
        let mut found = match &inner.is {
            Is::List(all) => match &all[..] {
                [only] => of_node(only, deep + 1),
                _ => Err((
                    inner.line,
                    format!(
                        "there are {} trajectories here, and one is read: keep the one that is meant",
                        all.len()
                    ),
                )),
            },
            _ => of_node(inner, deep + 1),
        }?;
        starts_there(node, &mut found)?;
        return Ok(found);
    }
    let missing = |key: &str| (node.line, format!("there is no '{key}' here: this is no joint trajectory"));
    let names = node.get("joint_names").ok_or_else(|| missing("joint_names"))?;
    only_message(node, &["joint_names", "points", SEVERAL[0], SEVERAL[1], START])?;
    let name = |node: &Node| match &node.is {
        Is::Plain(name) => Ok(name.clone()),
        _ => Err((node.line, "a name of a joint is missing here".to_owned())),
    };
    let named = names;
    let names: Vec<String> = names.list()?.iter().map(name).collect::<Result<_, _>>()?;
    if let Some(twice) =
        names.iter().enumerate().find_map(|(k, name)| names[..k].contains(name).then_some(name))
    {
        return Err((named.line, format!("the joint '{}' stands twice", crate::xml::shown(twice))));
    }
    let mut points: Vec<TrajectoryPoint> = Vec::new();
    for point in node.get("points").ok_or_else(|| missing("points"))?.list()? {
        let found = one(point, names.len())?;
        if let Some(last) = points.last()
            && !(found.seconds > last.seconds)
        {
            let what =
                format!("this point is at {} s, and the one before at {} s", found.seconds, last.seconds);
            return Err((point.line, what));
        }
        points.push(found);
    }
    if points.len() < 2 {
        return Err((node.line, "a trajectory has two points at least".into()));
    }
    let mut found = JointTrajectory { names, points, beside: Vec::new() };
    starts_there(node, &mut found)?;
    Ok(found)
}

/// Refuses a start that is elsewhere than the first point, or that brings shapes along. Joints that the trajectory does not move are kept: the
/// cell says where they are.
fn starts_there(message: &Node, found: &mut JointTrajectory) -> Result<(), Wrong> {
    let Some(start) = message.get(START) else { return Ok(()) };
    only(start, &["joint_state", "multi_dof_joint_state", "attached_collision_objects", "is_diff"])?;
    if let Some(attached) = start.get("attached_collision_objects")
        && !attached.is_empty()
    {
        let what = "objects that are attached to the robot are not read: give them to the cell (on = a link), and leave this list empty";
        return Err((attached.line, what.into()));
    }
    if let Some(state) = start.get("multi_dof_joint_state") {
        only(state, &["header", "joint_names", "transforms", "twist", "wrench"])?;
        for transform in state.get("transforms").map_or(Ok(&[][..]), Node::list)? {
            stands_still(transform)?;
        }
    }
    let Some(state) = start.get("joint_state") else { return Ok(()) };
    only(state, &["header", "name", "position", "velocity", "effort"])?;
    let list = |key: &str| state.get(key).map_or(Ok(&[][..]), Node::list);
    let (names, positions) = (list("name")?, list("position")?);
    if names.len() != positions.len() {
        let what = format!("{} names, but {} positions in 'joint_state'", names.len(), positions.len());
        return Err((state.line, what));
    }
    for (name, position) in names.iter().zip(positions) {
        let Is::Plain(name) = &name.is else {
            return Err((name.line, "a name of a joint is missing here".into()));
        };
        let number = position.number()?;
        let Some(first) = found.names.iter().position(|known| known == name) else {
            found.beside.push(JointBeside { line: position.line, name: name.clone(), position: number });
            continue;
        };
        let first = found.points[0].positions[first];
        if !((number - first).abs() <= SAME_START) {
            let what = format!(
                "'{}' begins at {number} here, and at {first} in the first point (radians or metres): the trajectory does not say how it gets there; give it a first point with this start",
                crate::xml::shown(name)
            );
            return Err((position.line, what));
        }
    }
    Ok(())
}

/// Refuses a transform that moves anything: where robots stand, the cell says.
fn stands_still(transform: &Node) -> Result<(), Wrong> {
    only(transform, &["translation", "rotation"])?;
    for (part, keys) in [("translation", &["x", "y", "z"][..]), ("rotation", &["x", "y", "z", "w"])] {
        let Some(part) = transform.get(part) else { continue };
        only(part, keys)?;
        for (key, value) in part.entries() {
            if key != "w" && value.number()? != 0.0 {
                let what = "this puts a part of the robot elsewhere: where it stands, the cell says, and these are all 0";
                return Err((value.line, what.into()));
            }
        }
    }
    Ok(())
}

fn one(point: &Node, joints: usize) -> Result<TrajectoryPoint, Wrong> {
    // What motors are to push beside that does not change where joints go.
    only(point, &["positions", "velocities", "accelerations", "time_from_start", "effort"])?;
    let numbers = |key: &str, may_miss: bool| -> Result<Vec<f64>, Wrong> {
        let Some(node) = point.get(key) else {
            return if may_miss { Ok(Vec::new()) } else { Err((point.line, format!("'{key}' is missing"))) };
        };
        let all: Vec<f64> = node.list()?.iter().map(Node::number).collect::<Result<_, _>>()?;
        if all.len() == joints || (may_miss && all.is_empty()) {
            Ok(all)
        } else {
            Err((node.line, format!("{} numbers in '{key}', but there are {joints} joints", all.len())))
        }
    };
    let time = point
        .get("time_from_start")
        .ok_or_else(|| (point.line, "'time_from_start' is missing".to_owned()))?;
    let part = |names: [&str; 2]| match names.map(|name| time.get(name)) {
        [Some(_), Some(second)] => {
            let what = format!("'{}' and '{}' say the same thing twice", names[0], names[1]);
            Err((second.line, what))
        }
        [Some(node), None] | [None, Some(node)] => node.number(),
        [None, None] => Err((time.line, format!("'{}' is missing", names[0]))),
    };
    let seconds = match &time.is {
        Is::Plain(_) => time.number()?,
        _ => {
            only(time, &["sec", "secs", "nanosec", "nsecs"])?;
            part(["sec", "secs"])? + part(["nanosec", "nsecs"])? * 1e-9
        }
    };
    Ok(TrajectoryPoint {
        line: point.line,
        positions: numbers("positions", false)?,
        velocities: numbers("velocities", true)?,
        accelerations: numbers("accelerations", true)?,
        seconds,
    })
}

impl JointTrajectory {
    /// What lies between its points.
    ///
    /// # Errors
    /// Quintics, and points of which some have velocities and some have none, with a line.
    pub fn between(&self) -> Result<Between, (u32, String)> {
        let is_zero = |all: &[f64]| all.iter().all(|number| *number == 0.0);
        let rests = |point: &TrajectoryPoint| is_zero(&point.velocities) && is_zero(&point.accelerations);
        if self.points.iter().all(rests) {
            return Ok(Between::Lines);
        }
        for point in &self.points {
            if !point.accelerations.is_empty() {
                let what =
                    "with accelerations, joints go on curves of the fifth degree: these are not understood";
                return Err((point.line, what.into()));
            }
            if point.velocities.is_empty() {
                return Err((point.line, "some points have velocities, and this one has none".into()));
            }
        }
        Ok(Between::Cubics)
    }

    /// The joint that the cell holds and that a name means, unless it means one that moves.
    fn held(&self, cell: &Cell, name: &str) -> Option<Held> {
        let moves = cell.coordinates().iter().any(|c| c.joint == name || c.full_name() == name);
        Held::named(cell, name).filter(|_| !moves)
    }

    /// Looks at joints that the message names at its start and does not move: warnings of those that the cell does not have.
    ///
    /// # Errors
    /// The cell has one of them elsewhere.
    pub fn look_beside(&self, cell: &Cell) -> Result<Vec<(u32, String)>, (u32, String)> {
        let mut unknown = Vec::new();
        for JointBeside { line, name, position } in &self.beside {
            if let Some(held) = self.held(cell, name) {
                held.agrees(*position).map_err(|what| (*line, what))?;
                continue;
            }
            let has = |joint: &str, robot: &str| joint == name || format!("{robot}/{joint}") == *name;
            let of_cell = cell.robots().iter().find_map(|robot| {
                let joint = robot.robot.joints().iter().find(|joint| has(&joint.name, &robot.name))?;
                Some((robot, joint))
            });
            let Some((robot, joint)) = of_cell else {
                let what = format!(
                    "the cell has no joint '{}', of which the start says where it is: it is passed over",
                    crate::xml::shown(name)
                );
                unknown.push((*line, what));
                continue;
            };
            // One that moves by itself is missing in the points, which is told there; of one that follows another, that one says it.
            let full = format!("{}/{}", robot.name, joint.name);
            if let Some(follower) = cell.followers().iter().find(|follower| follower.full_name() == full) {
                let leader = &cell.coordinates()[follower.coordinate];
                let index =
                    self.names.iter().position(|name| *name == leader.joint || *name == leader.full_name());
                let Some(index) = index else { continue };
                let there = follower.value(self.points[0].positions[index]);
                if !((position - there).abs() <= SAME_START) {
                    let quantity = follower.quantity;
                    let what = format!(
                        "\"{full}\" follows \"{}\" and begins at {} by that, and is at {} here, {} away",
                        leader.full_name(),
                        limits::shown(quantity, there),
                        limits::shown(quantity, *position),
                        limits::apart(quantity, *position, there)
                    );
                    return Err((*line, what));
                }
            }
        }
        Ok(unknown)
    }

    /// The motion of a cell, with what leaves the limits of joints, and the seconds of each piece.
    ///
    /// # Errors
    /// Joints that the cell does not have, or of which nothing is said; curves that are not understood. `text` is quoted.
    pub fn motion(&self, cell: &Cell, text: &[u8]) -> Result<(JointMotion, Vec<Fault>), Vec<Fault>> {
        let between = self.between().map_err(|(line, what)| vec![fault_at(text, line, what)])?;
        self.look_beside(cell).map_err(|(line, what)| vec![fault_at(text, line, what)])?;
        let mut faults = Faults::default();
        // Velocities of joints that the cell holds: nothing else than rest is right.
        let held: Vec<Option<Held>> = self.names.iter().map(|name| self.held(cell, name)).collect();
        for point in &self.points {
            let mut velocities = held.iter().zip(&point.velocities).filter(|(_, velocity)| **velocity != 0.0);
            if let Some(held) = velocities.find_map(|(held, _)| held.as_ref()) {
                let what = format!(
                    "\"{}\" has a velocity here, and the cell holds it: do not hold it, or leave it out",
                    held.name
                );
                return Err(vec![fault_at(text, point.line, what)]);
            }
        }
        let mut outside = Vec::new();
        let mut rows: Vec<(Vec<f64>, Vec<f64>)> = Vec::new();
        for point in &self.points {
            let named = |numbers: &[f64], with_held: bool| {
                let all = self.names.iter().zip(numbers).zip(&held);
                let of = all.filter(|(_, held)| with_held || held.is_none());
                let map: Map<String, Value> =
                    of.map(|((name, number), _)| (name.clone(), Value::from(*number))).collect();
                waypoints::posture(&Value::Object(map), cell, &Units::default())
            };
            let zeros = vec![0.0; self.names.len()];
            let velocities = if point.velocities.is_empty() { &zeros } else { &point.velocities };
            match named(&point.positions, true).and_then(|posture| Ok((posture, named(velocities, false)?))) {
                Ok(row) => {
                    outside.extend(waypoints::outside(cell, &row.0, &format!("line {}", point.line)));
                    rows.push(row);
                }
                Err(what) => {
                    faults.push(fault_at(text, point.line, what));
                    break;
                }
            }
        }
        faults.into_result()?;
        let motion = match between {
            Between::Lines => {
                let postures: Vec<Vec<f64>> = rows.into_iter().map(|(posture, _)| posture).collect();
                JointMotion::lines(&postures).map_err(|fault| vec![Fault::of_file(fault.to_string())])?
            }
            Between::Cubics => {
                let piece = |k: usize| {
                    let third = (self.points[k + 1].seconds - self.points[k].seconds) / 3.0;
                    let ((a, v), (b, w)) = (&rows[k], &rows[k + 1]);
                    (0..a.len()).map(|j| [a[j], a[j] + v[j] * third, b[j] - w[j] * third, b[j]]).collect()
                };
                JointMotion::of_controls((0..rows.len() - 1).map(piece).collect())
                    .ok_or_else(|| vec![Fault::of_file("the cubics of this trajectory are not finite")])?
            }
        };
        outside.extend(waypoints::outside_between(cell, &motion));
        Ok((motion, outside))
    }
}
