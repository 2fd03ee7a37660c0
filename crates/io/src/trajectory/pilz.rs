//! Sequences of Pilz's industrial motion planner (XML): named positions, moves between them, and moves put together with blend radii.
//!
//! A position has joints, and perhaps a pose of a link in the robot's base frame, `x y z qx qy qz qw`. A move of joints to a position that is
//! named by a pose ends in the posture that inverse kinematics find from the seed; the file has that posture, too, and it is taken if it
//! reproduces the pose.

use crate::fault::Fault;
use crate::waypoints;
use crate::xml::{self, Bad, Element};
use kansho_cell::ik::Tip;
use kansho_cell::route::Move;
use kansho_cell::{Cell, nearest_name};
use kansho_geom::Pose;
use kansho_geom::glam::{DQuat, DVec3};
use serde_json::Value;
use std::fmt;

/// How far the pose of a position may be from where its joints lead, in metres and as entries of a rotation: what six digits of joints and
/// of quaternions leave open, with arms of some metres. More than that are two places, and nobody could say which one is meant.
const SAME: f64 = 2e-5;

/// What a file holds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sequences {
    /// Named positions.
    pub positions: Vec<Position>,
    /// Named moves.
    pub commands: Vec<Command>,
    /// Moves put together.
    pub sequences: Vec<Sequence>,
}

/// A named position.
#[derive(Clone, Debug, PartialEq)]
pub struct Position {
    /// Its name.
    pub name: String,
    /// Its line.
    pub line: u32,
    /// Joints of groups, each with the name of its group.
    pub joints: Vec<(String, Vec<f64>)>,
    /// The pose of a link in the base frame, if it is given, and that link.
    pub pose: Option<LinkPose>,
}

/// A pose, and the link that it is of, if it is named.
pub type LinkPose = (Option<String>, Pose);

/// How a move goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CommandKind {
    /// All joints evenly.
    Ptp,
    /// The link straight.
    Lin,
    /// The link on a circle, through a position.
    CircThrough(String),
    /// The link on the shorter arc about a position.
    CircAbout(String),
    /// A gripper opens or closes, and the arm stands still.
    Gripper,
}

impl CommandKind {
    /// Whether the type of a step, as in `circ_interim_cart`, is this kind.
    fn is_named(&self, kind: &str) -> bool {
        let mut words = kind.trim().split(['_', '-']);
        match (self, words.next()) {
            (Self::Ptp, Some("ptp")) | (Self::Lin, Some("lin")) | (Self::Gripper, Some("gripper")) => true,
            (Self::CircThrough(_), Some("circ")) => words.next() != Some("center"),
            (Self::CircAbout(_), Some("circ")) => words.next() != Some("interim"),
            _ => false,
        }
    }
}

impl fmt::Display for CommandKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Ptp => "ptp",
            Self::Lin => "lin",
            Self::CircThrough(_) => "circ with an intermediatePos",
            Self::CircAbout(_) => "circ with a centerPos",
            Self::Gripper => "gripper",
        })
    }
}

/// A named move.
#[derive(Clone, Debug, PartialEq)]
pub struct Command {
    /// Its name.
    pub name: String,
    /// Its line.
    pub line: u32,
    /// How it goes.
    pub kind: CommandKind,
    /// The group that it moves, if it is named.
    pub group: Option<String>,
    /// The link that is led; empty for grippers.
    pub link: String,
    /// The position in which it begins.
    pub start: String,
    /// The position in which it ends.
    pub end: String,
}

/// Moves put together.
#[derive(Clone, Debug, PartialEq)]
pub struct Sequence {
    /// Its name.
    pub name: String,
    /// Its line.
    pub line: u32,
    /// Its steps.
    pub steps: Vec<PilzStep>,
}

/// A move of a sequence.
#[derive(Clone, Debug, PartialEq)]
pub struct PilzStep {
    /// Its line.
    pub line: u32,
    /// Which of the named moves, by its place.
    pub command: usize,
    /// How near to its end the next one may begin, in metres.
    pub blend: f64,
}

/// A motion of a cell.
#[derive(Clone, Debug, PartialEq)]
pub struct PilzMotion {
    /// What is led.
    pub tip: Tip,
    /// The posture in which it begins.
    pub start: Vec<f64>,
    /// What follows.
    pub moves: Vec<Move>,
    /// Lines: of the start, and of each move.
    pub lines: Vec<u32>,
    /// Lines of commands to grippers, with their names: the arm stands still there, and what the fingers do is not part of the motion.
    pub grippers: Vec<(u32, String)>,
}

/// Reads one from memory.
///
/// # Errors
/// What is none, with its line.
pub fn parse(bytes: &[u8]) -> Result<Sequences, Vec<Fault>> {
    let text = xml::text_of(bytes).map_err(|fault| vec![fault])?;
    let fail = |bad: Bad| vec![bad.into_fault(&text)];
    let document = xml::parse(&text).map_err(fail)?;
    let root = document.root_element();
    if xml::tag(root) != "testdata" {
        return Err(fail(Bad::at(root, not_sequences(root))));
    }
    let mut found = Sequences::default();
    read(root, &text, &mut found).map_err(fail)?;
    Ok(found)
}

/// What an XML file is that holds no sequences.
fn not_sequences(root: Element<'_>) -> String {
    let is = match xml::tag(root) {
        "mujoco" | "mujocoinclude" => {
            "this is a model of MuJoCo (MJCF), which kansho does not read: convert it to URDF"
        }
        "sdf" | "world" => {
            "this is a model of Gazebo (SDFormat), which kansho does not read: convert it to URDF"
        }
        "robot" => "this is a robot (URDF or SRDF): name the file .urdf or .srdf",
        "COLLADA" => "this is a mesh (COLLADA): name the file .dae",
        "package" => "this is the package.xml of a ROS package, which holds no motion",
        other => {
            let shown = xml::shown(other);
            return format!("this is no file of sequences: its root is not <testdata>, but <{shown}>");
        }
    };
    is.into()
}

/// Elements that hold text.
const WITH_TEXT: [&str; 10] = [
    "joints",
    "xyzQuat",
    "planningGroup",
    "targetLink",
    "startPos",
    "endPos",
    "vel",
    "acc",
    "intermediatePos",
    "centerPos",
];

/// Refuses what stands in an element and is not known there: nothing of a file is passed over.
fn only(element: Element<'_>, parts: &[&'static str], attributes: &[&'static str]) -> Result<(), Bad> {
    let near = |name: &str, known: &[&'static str]| {
        nearest_name(name, known.iter().copied()).map_or_else(
            || format!("known are: {}", known.join(", ")),
            |near| format!("did you mean '{near}'?"),
        )
    };
    let tag = xml::tag(element);
    for part in element.children().filter(|node| node.is_element()) {
        let found = xml::tag(part);
        if !parts.contains(&found) {
            let what = format!("there is no <{}> in a <{tag}>", xml::shown(found));
            return Err(Bad::at(part, what).with_help(near(found, parts)));
        }
    }
    let is_stray =
        |node: &Element<'_>| node.is_text() && node.text().is_some_and(|text| !text.trim().is_empty());
    if !WITH_TEXT.contains(&tag)
        && let Some(stray) = element.children().find(is_stray)
    {
        let text = stray.text().unwrap_or_default();
        let start = stray.range().start + (text.len() - text.trim_start().len());
        let what = format!("'{}' stands in a <{tag}>, where no text is", xml::shown(text.trim()));
        return Err(Bad { span: start..start + text.trim().len(), what, help: None });
    }
    match element.attributes().find(|attribute| !attributes.contains(&attribute.name())) {
        None => Ok(()),
        Some(attribute) => Err(Bad {
            span: attribute.range(),
            what: format!("<{tag}> has no attribute '{}'", xml::shown(attribute.name())),
            help: Some(near(attribute.name(), attributes)),
        }),
    }
}

fn read(root: Element<'_>, text: &str, found: &mut Sequences) -> Result<(), Bad> {
    let line = |element: Element<'_>| u32::try_from(xml::line(text, element)).unwrap_or(u32::MAX);
    only(root, &["poses", "ptps", "lins", "circs", "grippers", "sequences"], &[])?;
    for outer in root.children().filter(|node| node.is_element()) {
        let inner = match xml::tag(outer) {
            "poses" => &["pos"][..],
            "ptps" => &["ptp"],
            "lins" => &["lin"],
            "circs" => &["circ"],
            "grippers" => &["gripper"],
            _ => &["blend", "sequence"],
        };
        only(outer, inner, &[])?;
    }
    let list = |outer: &'static str| {
        xml::children(root, outer).flat_map(|list| list.children().filter(|node| node.is_element()))
    };
    for element in list("poses") {
        only(element, &["joints", "xyzQuat", "xyzEuler"], &["name"])?;
        let name = name(element)?;
        if found.positions.iter().any(|known| known.name == name) {
            return Err(Bad::at(element, format!("the position '{name}' stands twice")));
        }
        if let Some(euler) = xml::child(element, "xyzEuler") {
            return Err(Bad::at(euler, "Euler angles are not read: their order is not said; give <xyzQuat>"));
        }
        let mut joints: Vec<(String, Vec<f64>)> = Vec::new();
        for of_group in xml::children(element, "joints") {
            only(of_group, &[], &["group_name"])?;
            let group = of_group.attribute("group_name").unwrap_or_default().to_owned();
            if joints.iter().any(|(known, _)| *known == group) {
                return Err(Bad::at(of_group, format!("the joints of group '{group}' stand twice")));
            }
            joints.push((group, numbers(of_group)?));
        }
        if let Some(second) = xml::children(element, "xyzQuat").nth(1) {
            return Err(Bad::at(second, "a second pose of one position"));
        }
        let pose = xml::child(element, "xyzQuat").map(|quat| -> Result<_, Bad> {
            only(quat, &["seed"], &["group_name", "link_name"])?;
            Ok((quat.attribute("link_name").map(str::to_owned), pose(quat)?))
        });
        found.positions.push(Position { name, line: line(element), joints, pose: pose.transpose()? });
    }
    for (outer, inner) in [("ptps", "ptp"), ("lins", "lin"), ("circs", "circ"), ("grippers", "gripper")] {
        for element in list(outer) {
            // Speeds and accelerations do not change where a robot goes.
            const ALL: [&str; 8] = [
                "planningGroup",
                "targetLink",
                "startPos",
                "endPos",
                "vel",
                "acc",
                "intermediatePos",
                "centerPos",
            ];
            only(element, if inner == "circ" { &ALL } else { &ALL[..6] }, &["name"])?;
            for part in element.children().filter(|node| node.is_element()) {
                only(part, &[], &[])?;
                let tag = xml::tag(part);
                if xml::child(element, tag) != Some(part) {
                    return Err(Bad::at(
                        part,
                        format!("a second <{tag}> of one move: which one counts is not said"),
                    ));
                }
            }
            let of = |key: &'static str| {
                xml::child(element, key).map(|child| xml::content(child).trim().to_owned())
            };
            let must =
                |key: &'static str| of(key).ok_or_else(|| Bad::at(element, format!("<{key}> is missing")));
            let kind = match (inner, of("intermediatePos"), of("centerPos")) {
                ("ptp", _, _) => CommandKind::Ptp,
                ("lin", _, _) => CommandKind::Lin,
                ("gripper", _, _) => CommandKind::Gripper,
                (_, Some(via), None) => CommandKind::CircThrough(via),
                (_, None, Some(centre)) => CommandKind::CircAbout(centre),
                _ => return Err(Bad::at(element, "a circle has either <intermediatePos> or <centerPos>")),
            };
            let is_gripper = kind == CommandKind::Gripper;
            let command = Command {
                name: name(element)?,
                line: line(element),
                kind,
                group: of("planningGroup"),
                link: if is_gripper { String::new() } else { must("targetLink")? },
                start: if is_gripper { of("startPos").unwrap_or_default() } else { must("startPos")? },
                end: must("endPos")?,
            };
            if found.commands.iter().any(|known| known.name == command.name) {
                return Err(Bad::at(element, format!("the move '{}' stands twice", command.name)));
            }
            let named = [&command.start, &command.end];
            let circle = match &command.kind {
                CommandKind::CircThrough(place) | CommandKind::CircAbout(place) => Some(place),
                _ => None,
            };
            let named = named.into_iter().filter(|name| !is_gripper || !name.is_empty());
            for wanted in named.chain(circle) {
                if !found.positions.iter().any(|position| position.name == *wanted) {
                    return Err(Bad::at(element, format!("there is no position '{wanted}'")));
                }
            }
            found.commands.push(command);
        }
    }
    for element in list("sequences") {
        only(element, &["sequenceCmd"], &["name"])?;
        let mut steps = Vec::new();
        for step in xml::children(element, "sequenceCmd") {
            only(step, &[], &["name", "type", "blend_radius"])?;
            let wanted = name(step)?;
            let command = found.commands.iter().position(|command| command.name == wanted);
            let command = command.ok_or_else(|| Bad::at(step, format!("there is no move '{wanted}'")))?;
            if let Some(kind) = step.attribute("type") {
                let found = &found.commands[command].kind;
                if !found.is_named(kind) {
                    let what = format!("type=\"{}\", and the move '{wanted}' is a {found}", xml::shown(kind));
                    return Err(Bad::at(step, what).with_help("put the type right, or leave it out"));
                }
            }
            let blend = step.attribute("blend_radius").unwrap_or("0").trim().parse::<f64>();
            let blend = blend.ok().filter(|blend| *blend >= 0.0 && blend.is_finite());
            let blend = blend.ok_or_else(|| Bad::at(step, "the blend radius is no length"))?;
            steps.push(PilzStep { line: line(step), command, blend });
        }
        if steps.last().is_some_and(|step: &PilzStep| step.blend > 0.0)
            && let Some(last) = xml::children(element, "sequenceCmd").last()
        {
            let what = "the last move has a blend radius, and no move follows";
            return Err(Bad::at(last, what).with_help("blend_radius=\"0\""));
        }
        let name = name(element)?;
        if found.sequences.iter().any(|known| known.name == name) {
            return Err(Bad::at(element, format!("the sequence '{name}' stands twice")));
        }
        found.sequences.push(Sequence { name, line: line(element), steps });
    }
    Ok(())
}

fn name(element: Element<'_>) -> Result<String, Bad> {
    element.attribute("name").map(str::to_owned).ok_or_else(|| Bad::at(element, "a name is missing"))
}

fn numbers(element: Element<'_>) -> Result<Vec<f64>, Bad> {
    // A seed may stand inside, behind the numbers.
    let mut texts =
        element.children().filter(|node| node.is_text()).map(|node| node.text().unwrap_or_default());
    let text = texts.next().unwrap_or_default();
    if texts.any(|more| !more.trim().is_empty()) {
        return Err(Bad::at(element, "its numbers stand in several places: which ones count is not said"));
    }
    text.split(|c: char| c.is_whitespace() || c == ',')
        .filter(|word| !word.is_empty())
        .map(|word| {
            let number = word.parse::<f64>().ok().filter(|number| number.is_finite());
            number.ok_or_else(|| Bad::at(element, format!("'{word}' is no finite number")))
        })
        .collect()
}

fn pose(element: Element<'_>) -> Result<Pose, Bad> {
    let seven = <[f64; 7]>::try_from(numbers(element)?)
        .map_err(|all| Bad::at(element, format!("a pose has seven numbers, not {}", all.len())))?;
    let [x, y, z, qx, qy, qz, qw] = seven;
    Pose::from_quat(DQuat::from_xyzw(qx, qy, qz, qw), DVec3::new(x, y, z))
        .map_err(|not| Bad::at(element, not.to_string()))
}

impl Sequences {
    /// The motion of a cell that a sequence is; the only one there is if none is named.
    ///
    /// # Errors
    /// What does not fit, each with a line.
    pub fn motion(
        &self,
        cell: &Cell,
        robot: Option<&str>,
        wanted: Option<&str>,
    ) -> Result<PilzMotion, Vec<(u32, String)>> {
        let whole = |what: String| vec![(1, what)];
        let names =
            || self.sequences.iter().map(|sequence| sequence.name.as_str()).collect::<Vec<_>>().join(", ");
        let sequence = match wanted {
            Some(wanted) => self.sequences.iter().find(|sequence| sequence.name == wanted),
            None => self.sequences.first().filter(|_| self.sequences.len() == 1),
        };
        let sequence = sequence.ok_or_else(|| {
            let what = wanted.map_or("say which sequence is meant (⟦entry⟧)".into(), |name| {
                format!("there is no sequence '{name}'")
            });
            whole(format!("{what}; there are: {}", names()))
        })?;
        let is_gripper = |step: &&PilzStep| self.commands[step.command].kind == CommandKind::Gripper;
        let Some(first) = sequence.steps.iter().find(|step| !is_gripper(step)) else {
            return Err(vec![(sequence.line, "this sequence has no moves of the arm".into())]);
        };
        let robot = match (robot, cell.robots()) {
            (Some(name), robots) => robots.iter().find(|robot| robot.name == name),
            (None, [only]) => Some(only),
            (None, _) => None,
        };
        let robot = robot.ok_or_else(|| whole("say for which robot this is (⟦robot⟧)".into()))?;
        let link = &self.commands[first.command].link;
        let tip = Tip::link(cell, &format!("{}/{link}", robot.name)).ok_or_else(|| {
            vec![(
                self.commands[first.command].line,
                format!("robot \"{}\" has no link '{link}'", robot.name),
            )]
        })?;
        let root = robot.link(robot.robot.root());
        let world_from_base = cell.place(&cell.zero_posture()).world_from_link(root);
        let arm = || {
            sequence.steps.iter().filter(|step| !is_gripper(step)).map(|step| &self.commands[step.command])
        };
        let group = arm().find_map(|command| command.group.as_deref());
        if let Some((group, other)) =
            group.zip(arm().find(|command| command.group.as_deref().is_some_and(|of| Some(of) != group)))
        {
            let of = other.group.as_deref().unwrap_or_default();
            let what = format!("this move is of group '{of}', and others of '{group}'");
            return Err(vec![(other.line, what)]);
        }
        let resolver = Resolver { cell, tip, world_from_base, group, all: self };
        let begins = &self.commands[first.command];
        let start = resolver.posture(&begins.start, begins).map_err(|fault| vec![fault])?;
        let mut motion =
            PilzMotion { tip, start, moves: Vec::new(), lines: vec![first.line], grippers: Vec::new() };
        let mut here = &self.commands[first.command].start;
        for (k, step) in sequence.steps.iter().enumerate() {
            let command = &self.commands[step.command];
            if command.kind == CommandKind::Gripper {
                // The arm stands still for it, so the move before has to end in its position.
                if k > 0 && sequence.steps[k - 1].blend > 0.0 {
                    let what = "the move before a gripper's has a blend radius: the arm stops for a gripper";
                    return Err(vec![(step.line, what.into())]);
                }
                motion.grippers.push((step.line, command.name.clone()));
                continue;
            }
            // Each move begins where the one before ended.
            let made = if command.link != *link {
                Err((command.line, format!("this move leads '{}', and others lead '{link}'", command.link)))
            } else if command.start != *here {
                Err((
                    step.line,
                    format!("this move begins in '{}', and the one before ends in '{here}'", command.start),
                ))
            } else {
                resolver.one(command)
            };
            motion.moves.push(made.map_err(|fault| vec![fault])?.with_zone(step.blend));
            motion.lines.push(step.line);
            here = &command.end;
        }
        Ok(motion)
    }
}

struct Resolver<'a> {
    cell: &'a Cell,
    tip: Tip,
    world_from_base: Pose,
    /// The group that all moves of the arm are of, if any of them names it.
    group: Option<&'a str>,
    all: &'a Sequences,
}

impl Resolver<'_> {
    fn position(&self, name: &str) -> Result<&Position, (u32, String)> {
        let found = self.all.positions.iter().find(|position| position.name == name);
        found.ok_or_else(|| (1, format!("there is no position '{name}'")))
    }

    /// The posture of a position for a move; where it also has a pose, that pose has to be where the joints lead.
    fn posture(&self, name: &str, command: &Command) -> Result<Vec<f64>, (u32, String)> {
        let position = self.position(name)?;
        let fail = |what: String| (position.line, what);
        let joints = match &position.joints[..] {
            [] => return Err(fail(format!("'{name}' has no joints"))),
            [(of, _)] if !of.is_empty() && self.group.is_some_and(|group| group != of) => {
                let group = self.group.unwrap_or_default();
                return Err(fail(format!(
                    "the joints of '{name}' are of group '{of}', and the move '{}' is of '{group}'",
                    command.name
                )));
            }
            [(_, only)] => only,
            several => {
                let of = |(group, _): &&(String, Vec<f64>)| Some(group.as_str()) == self.group;
                let found = several.iter().find(of).map(|(_, joints)| joints);
                found.ok_or_else(|| {
                    fail(format!(
                        "'{name}' has joints of several groups, none of them that of the move '{}'",
                        command.name
                    ))
                })?
            }
        };
        let numbers = Value::from(joints.clone());
        let posture =
            waypoints::posture(&numbers, self.cell, &crate::units::Units::default()).map_err(fail)?;
        if let Some((_, pose)) = self.own_pose(position, command)? {
            let (wanted, found) = (self.world_from_base * *pose, self.tip.placed(self.cell, &posture));
            let off = |(a, b): (&f64, f64)| (a - b).abs();
            let (rows, there) = (wanted.to_rows(), found.to_rows());
            let most = rows.iter().zip(there).map(off).fold(0.0, f64::max);
            if !(most <= SAME) {
                let apart = wanted.translation().distance(found.translation()) * 1e3;
                return Err(fail(format!(
                    "joints and pose of '{name}' are two places, {apart:.3} mm apart, and which one is meant is not said: leave one of them out"
                )));
            }
        }
        Ok(posture)
    }

    /// The pose of a position, if it has one; it must be one of the link that the move leads.
    fn own_pose<'p>(
        &self,
        position: &'p Position,
        command: &Command,
    ) -> Result<Option<&'p LinkPose>, (u32, String)> {
        match &position.pose {
            Some((Some(link), _)) if *link != command.link => Err((
                position.line,
                format!(
                    "the pose of '{}' is one of link '{link}', and the move '{}' leads '{}'",
                    position.name, command.name, command.link
                ),
            )),
            pose => Ok(pose.as_ref()),
        }
    }

    fn pose(&self, name: &str, command: &Command) -> Result<Pose, (u32, String)> {
        let position = self.position(name)?;
        match self.own_pose(position, command)? {
            Some((_, pose)) => {
                // Joints that are there, too, must lead to the same place.
                if !position.joints.is_empty() {
                    self.posture(name, command)?;
                }
                Ok(self.world_from_base * *pose)
            }
            None => Ok(self.tip.placed(self.cell, &self.posture(name, command)?)),
        }
    }

    fn one(&self, command: &Command) -> Result<Move, (u32, String)> {
        Ok(match &command.kind {
            CommandKind::Gripper => return Err((command.line, "the arm does not move here".into())),
            CommandKind::Ptp => Move::joints(self.posture(&command.end, command)?),
            CommandKind::Lin => Move::line(self.pose(&command.end, command)?),
            CommandKind::CircThrough(via) => {
                Move::arc(self.pose(via, command)?.translation(), self.pose(&command.end, command)?)
            }
            CommandKind::CircAbout(centre) => {
                let [from, centre] = [self.pose(&command.start, command)?, self.pose(centre, command)?]
                    .map(|pose| pose.translation());
                let to = self.pose(&command.end, command)?;
                let middle = 0.5 * (from - centre + (to.translation() - centre));
                let radius = (from - centre).length();
                // Radii that differ make no circle, and half a turn could go either way.
                let far = (to.translation() - centre).length();
                if !((radius - far).abs() <= SAME) {
                    let what = format!(
                        "the start is {:.3} mm from the centre of this circle, and the end {:.3} mm: put the centre right, or name a position on the way (intermediatePos)",
                        radius * 1e3,
                        far * 1e3
                    );
                    return Err((command.line, what));
                }
                if middle.length() < 1e-3 * radius {
                    let what = "start and end lie opposite each other on this circle, which leaves two ways: name a position on the way (intermediatePos)";
                    return Err((command.line, what.into()));
                }
                let way =
                    middle.try_normalize().ok_or((command.line, "the points make no arc".to_owned()))?;
                Move::arc(centre + way * radius, to)
            }
        })
    }
}
