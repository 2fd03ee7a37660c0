use crate::body::{Body, BodyId, BodyKind, BodyPiece, Carrier};
use crate::joint::{JointId, JointKind, Limits, LinkId};
use crate::kinematics::{Chain, Source, Step};
use crate::pairs::{NotChecked, Pairs};
use crate::robot::{Robot, is_plane};
use kansho_geom::Pose;
use std::collections::{BTreeMap, HashMap};

/// Robots, tools and objects, checked and read-only. All threads share one.
#[derive(Clone, Debug)]
pub struct Cell {
    draft: CellDraft,
    pub(crate) robots: Vec<InCell>,
    pub(crate) link_names: Vec<String>,
    pub(crate) bodies: Vec<Body>,
    pub(crate) coordinates: Vec<Coordinate>,
    followers: Vec<Follower>,
    pub(crate) chain: Chain,
    pub(crate) pairs: Pairs,
}

/// A robot in its place.
#[derive(Clone, Debug)]
pub struct InCell {
    /// Its name in the cell.
    pub name: String,
    /// The robot.
    pub robot: Robot,
    /// Where its root is.
    pub world_from_root: Pose,
    /// Joints that do not move, and their values.
    pub hold: Vec<(String, f64)>,
    /// Its tool, if it has one.
    pub tool: Option<Tool>,
    /// The cell's number of its link 0; the others follow.
    pub(crate) first_link: u32,
}

impl InCell {
    /// The number in the cell of a link of this robot.
    #[must_use]
    pub fn link(&self, link: LinkId) -> LinkId {
        LinkId(self.first_link + link.0)
    }
}

/// What a robot works with.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tool {
    /// The link that carries it.
    pub on: LinkId,
    /// The point that works, and its axes, in the frame of that link.
    pub link_from_tcp: Pose,
}

/// One number of a posture.
#[derive(Clone, Debug, PartialEq)]
pub struct Coordinate {
    /// Name of the robot in the cell.
    pub robot: String,
    /// Name of the joint, with `.x` and the like where it has several coordinates.
    pub joint: String,
    /// What it measures.
    pub quantity: Quantity,
    /// Its range, if it has one.
    pub limits: Option<Limits>,
    /// Largest speed, if given.
    pub max_speed: Option<f64>,
}

impl Coordinate {
    /// `robot/joint`.
    #[must_use]
    pub fn full_name(&self) -> String {
        format!("{}/{}", self.robot, self.joint)
    }
}

/// A joint that follows a coordinate: `value = multiplier · coordinate + offset`.
#[derive(Clone, Debug, PartialEq)]
pub struct Follower {
    /// Name of the robot in the cell.
    pub robot: String,
    /// Name of the joint.
    pub joint: String,
    /// Length or angle.
    pub quantity: Quantity,
    /// Its own range.
    pub limits: Limits,
    /// The coordinate that it follows, perhaps by way of other joints.
    pub coordinate: usize,
    /// Multiplier.
    pub multiplier: f64,
    /// Offset.
    pub offset: f64,
}

impl Follower {
    /// How far a follower may pass its limits because the file rounds them and the multiplier, in radians or metres: six digits leave that.
    pub const ROUNDING: f64 = 1e-6;

    /// `robot/joint`.
    #[must_use]
    pub fn full_name(&self) -> String {
        format!("{}/{}", self.robot, self.joint)
    }

    /// Where it is for a value of the coordinate.
    #[must_use]
    pub fn value(&self, coordinate: f64) -> f64 {
        self.multiplier * coordinate + self.offset
    }

    /// Whether it is outside its limits, and not by rounding alone.
    #[must_use]
    pub fn is_outside(&self, value: f64) -> bool {
        !(self.limits.lower - Self::ROUNDING <= value && value <= self.limits.upper + Self::ROUNDING)
    }
}

/// What a coordinate measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Quantity {
    /// Radians.
    Angle,
    /// Metres.
    Length,
}

/// A cell as a file or a generator gives it: robots are checked, names are not resolved.
#[derive(Clone, Debug, Default)]
pub struct CellDraft {
    /// Robots.
    pub robots: Vec<RobotDraftInCell>,
    /// Objects.
    pub objects: Vec<ObjectDraft>,
    /// Pairs of bodies that may touch, by name.
    pub allow: Vec<[String; 2]>,
}

/// A robot as given.
#[derive(Clone, Debug)]
pub struct RobotDraftInCell {
    /// Its name in the cell.
    pub name: String,
    /// The robot.
    pub robot: Robot,
    /// Where its root is.
    pub world_from_root: Pose,
    /// Joints that do not move, and their values.
    pub hold: Vec<(String, f64)>,
    /// Its tool.
    pub tool: Option<ToolDraft>,
    /// Pairs of links that are not checked, as its SRDF says.
    pub disabled: Vec<DisabledPair>,
}

/// A pair of links that an SRDF takes out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DisabledPair {
    /// Names of the links.
    pub links: [String; 2],
    /// Why, in the words of the SRDF.
    pub reason: String,
}

/// A tool as given. Its body is named `robot/tool`.
#[derive(Clone, Debug)]
pub struct ToolDraft {
    /// Name of the link that carries it.
    pub on: String,
    /// Its shapes, in the frame of that link; none if only a point is meant.
    pub pieces: Vec<BodyPiece>,
    /// The point that works, in the frame of that link.
    pub link_from_tcp: Pose,
}

/// An object as given.
#[derive(Clone, Debug)]
pub struct ObjectDraft {
    /// Name.
    pub name: String,
    /// Its shapes, in the frame of the world or of the link that carries it.
    pub pieces: Vec<BodyPiece>,
    /// The link that carries it, as `robot/link`; otherwise it stands still.
    pub on: Option<String>,
}

/// Most bodies of a cell: every pair of them is listed, and 8192 make 34 million.
pub const MAX_BODIES: usize = 8192;

/// What is wrong with a cell. Every variant names its robot, body or joint.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[expect(missing_docs, reason = "the messages say what the fields are")]
pub enum CellFault {
    #[error(
        "a cell holds at most {MAX_BODIES} bodies, for each is checked against each, and here are {count}"
    )]
    TooManyBodies { count: usize },
    #[error("{count} robots or objects are named \"{name}\"")]
    DuplicateName { name: String, count: usize },
    #[error("robot \"{robot}\" holds joint \"{joint}\", which it does not have{}", nearest(near))]
    UnknownHeldJoint { robot: String, joint: String, near: Option<String> },
    #[error("robot \"{robot}\" cannot hold joint \"{joint}\": {reason}")]
    BadHold { robot: String, joint: String, reason: String },
    #[error(
        "the tool of robot \"{robot}\" is on link \"{link}\", which the robot does not have{}",
        nearest(near)
    )]
    UnknownToolLink { robot: String, link: String, near: Option<String> },
    #[error("object \"{object}\" is on \"{link}\", which is no link of a robot{}", nearest(near))]
    UnknownCarrier { object: String, link: String, near: Option<String> },
    #[error("\"{object}\" is a plane, which is infinite and cannot be carried")]
    CarriedPlane { object: String },
    #[error("a pair is allowed with \"{name}\", but nothing has that name{}", nearest(near))]
    UnknownAllowed { name: String, near: Option<String> },
    #[error("a pair is allowed of \"{name}\" with itself")]
    AllowedWithItself { name: String },
    #[error(
        "the SRDF of robot \"{robot}\" names link \"{link}\", which the robot does not have{}",
        nearest(near)
    )]
    UnknownDisabled { robot: String, link: String, near: Option<String> },
}

fn nearest(name: &Option<String>) -> String {
    name.as_ref().map_or(String::new(), |name| format!("; did you mean \"{name}\"?"))
}

/// The known name that is nearest to one that is not known, if any is near: at most a third of its letters differ.
#[must_use]
pub fn nearest_name<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<String> {
    let letters: Vec<char> = name.to_ascii_lowercase().chars().take(200).collect();
    // Damerau's distance: letters inserted, left out, exchanged, or two neighbours swapped.
    let distance = |other: &str| {
        let other: Vec<char> = other.to_ascii_lowercase().chars().take(200).collect();
        let mut rows = vec![(0..=letters.len()).collect::<Vec<usize>>()];
        for i in 1..=other.len() {
            let mut row = vec![i; letters.len() + 1];
            for j in 1..=letters.len() {
                let differ = usize::from(letters[j - 1] != other[i - 1]);
                row[j] = (rows[i - 1][j - 1] + differ).min(rows[i - 1][j] + 1).min(row[j - 1] + 1);
                if i > 1 && j > 1 && letters[j - 1] == other[i - 2] && letters[j - 2] == other[i - 1] {
                    row[j] = row[j].min(rows[i - 2][j - 2] + 1);
                }
            }
            rows.push(row);
        }
        rows[other.len()][letters.len()]
    };
    let best = known.into_iter().map(|other| (distance(other), other)).min()?;
    (best.0 * 3 <= letters.len()).then(|| best.1.to_owned())
}

impl Cell {
    /// Checks a draft.
    ///
    /// # Errors
    /// Everything that is wrong with it, at once.
    pub fn new(draft: CellDraft) -> Result<Self, Vec<CellFault>> {
        let mut faults = Vec::new();
        // Shapes are shared, not copied.
        let CellDraft { robots: robot_drafts, objects, allow } = draft.clone();
        let names =
            robot_drafts.iter().map(|robot| &robot.name).chain(objects.iter().map(|object| &object.name));
        let mut count: BTreeMap<&String, usize> = BTreeMap::new();
        names.for_each(|name| *count.entry(name).or_default() += 1);
        for (name, &count) in count.iter().filter(|(_, count)| **count > 1) {
            faults.push(CellFault::DuplicateName { name: (*name).clone(), count });
        }

        let links = robot_drafts.iter().flat_map(|robot| robot.robot.links());
        let tools = robot_drafts.iter().filter(|robot| robot.tool.is_some()).count();
        let count = links.filter(|link| !link.pieces.is_empty()).count() + tools + objects.len();
        if count > MAX_BODIES {
            faults.push(CellFault::TooManyBodies { count });
            return Err(faults);
        }

        let mut link_names = Vec::new();
        let mut bodies = Vec::new();
        let (mut coordinates, mut followers) = (Vec::new(), Vec::new());
        let mut chain = Chain::default();
        let mut robots = Vec::new();
        let mut disabled: Vec<(String, String, String)> = Vec::new();
        for draft in robot_drafts {
            let first_link = link_names.len() as u32;
            let held = held_joints(&draft, &mut faults);
            chain.add_robot(&draft.robot, draft.world_from_root, first_link, coordinates.len(), &held);
            coordinates.extend(coordinates_of(&draft, &held));
            followers.extend(followers_of(&draft, &coordinates));
            link_names.extend(draft.robot.links().iter().map(|link| format!("{}/{}", draft.name, link.name)));
            for (index, link) in (0u32..).zip(draft.robot.links()).filter(|(_, link)| !link.pieces.is_empty())
            {
                bodies.push(Body {
                    name: format!("{}/{}", draft.name, link.name),
                    kind: BodyKind::Link,
                    carrier: Carrier::Link(LinkId(first_link + index)),
                    pieces: link.pieces.clone(),
                });
            }
            let tool = draft
                .tool
                .as_ref()
                .and_then(|tool| tool_of(&draft, tool, first_link, &mut bodies, &mut faults));
            for pair in &draft.disabled {
                for link in pair.links.iter().filter(|link| draft.robot.link(link).is_none()) {
                    let near =
                        nearest_name(link, draft.robot.links().iter().map(|known| known.name.as_str()));
                    faults.push(CellFault::UnknownDisabled {
                        robot: draft.name.clone(),
                        link: link.clone(),
                        near,
                    });
                }
                let [a, b] = pair.links.each_ref().map(|link| format!("{}/{link}", draft.name));
                disabled.push((a, b, pair.reason.clone()));
            }
            let RobotDraftInCell { name, robot, world_from_root, hold, .. } = draft;
            robots.push(InCell { name, robot, world_from_root, hold, tool, first_link });
        }
        let link_of: HashMap<&str, u32> =
            (0u32..).zip(&link_names).map(|(id, name)| (name.as_str(), id)).collect();
        for object in objects {
            let carrier = match &object.on {
                None => Some(Carrier::World),
                Some(link) => link_of.get(link.as_str()).map(|&id| Carrier::Link(LinkId(id))),
            };
            let Some(carrier) = carrier else {
                let link = object.on.unwrap_or_default();
                let near = nearest_name(&link, link_names.iter().map(String::as_str));
                faults.push(CellFault::UnknownCarrier { object: object.name, link, near });
                continue;
            };
            if carrier != Carrier::World && object.pieces.iter().any(is_plane) {
                faults.push(CellFault::CarriedPlane { object: object.name.clone() });
            }
            bodies.push(Body { name: object.name, kind: BodyKind::Object, carrier, pieces: object.pieces });
        }
        let not_checked = not_checked(&bodies, &link_of, &robots, disabled, &allow, &mut faults);
        if !faults.is_empty() {
            return Err(faults);
        }
        let pairs = Pairs::of(&bodies, not_checked);
        Ok(Self { draft, robots, link_names, bodies, coordinates, followers, chain, pairs })
    }

    /// What it was made of: a cell is worked out from this alone.
    #[must_use]
    pub fn draft(&self) -> &CellDraft {
        &self.draft
    }

    /// Robots.
    #[must_use]
    pub fn robots(&self) -> &[InCell] {
        &self.robots
    }

    /// Names of all links as `robot/link`, by [`LinkId`].
    #[must_use]
    pub fn link_names(&self) -> &[String] {
        &self.link_names
    }

    /// Everything that can touch, by [`BodyId`].
    #[must_use]
    pub fn bodies(&self) -> &[Body] {
        &self.bodies
    }

    /// A body.
    #[must_use]
    pub fn body(&self, id: BodyId) -> &Body {
        &self.bodies[id.0 as usize]
    }

    /// The numbers of a posture: robot after robot, joints in the order of the file, without fixed, mimic and held ones.
    #[must_use]
    pub fn coordinates(&self) -> &[Coordinate] {
        &self.coordinates
    }

    /// Joints that follow a coordinate (`<mimic>`) and have limits of their own.
    #[must_use]
    pub fn followers(&self) -> &[Follower] {
        &self.followers
    }

    /// Which bodies are checked against each other, and why the others are not.
    #[must_use]
    pub fn pairs(&self) -> &Pairs {
        &self.pairs
    }

    pub(crate) fn chain(&self) -> &Chain {
        &self.chain
    }

    /// The posture in which every coordinate is zero, or where that is outside its limits, at the nearer limit.
    #[must_use]
    pub fn zero_posture(&self) -> Vec<f64> {
        let zero = |c: &Coordinate| c.limits.map_or(0.0, |limits| 0.0_f64.clamp(limits.lower, limits.upper));
        self.coordinates.iter().map(zero).collect()
    }

    /// Coordinates of a posture that lie outside their limits, by index.
    pub fn outside_limits(&self, posture: &[f64]) -> impl Iterator<Item = usize> {
        let outside = |(c, q): (&Coordinate, &f64)| c.limits.is_some_and(|limits| !limits.contain(*q));
        self.coordinates
            .iter()
            .zip(posture)
            .map(outside)
            .enumerate()
            .filter(|(_, outside)| *outside)
            .map(|(i, _)| i)
    }
}

/// Joints of a robot that follow one that moves, and that have limits of their own.
fn followers_of<'a>(
    draft: &'a RobotDraftInCell,
    coordinates: &'a [Coordinate],
) -> impl Iterator<Item = Follower> + 'a {
    let joints = draft.robot.joints();
    joints.iter().filter_map(move |joint| {
        let limits = joint.limits?;
        let (mut leader, mut multiplier, mut offset) = (joint, 1.0, 0.0);
        // No joint follows itself, so this ends.
        while let Some(mimic) = leader.mimic {
            offset += multiplier * mimic.offset;
            multiplier *= mimic.multiplier;
            leader = &joints[mimic.joint.0 as usize];
        }
        if joint.mimic.is_none() || matches!(joint.kind, JointKind::Continuous { .. }) {
            return None;
        }
        let leads = |c: &Coordinate| c.robot == draft.name && c.joint == leader.name;
        let quantity = match joint.kind {
            JointKind::Prismatic { .. } => Quantity::Length,
            _ => Quantity::Angle,
        };
        let coordinate = coordinates.iter().position(leads)?;
        let (robot, joint) = (draft.name.clone(), joint.name.clone());
        Some(Follower { robot, joint, quantity, limits, coordinate, multiplier, offset })
    })
}

/// Values of the joints that a robot holds.
fn held_joints(draft: &RobotDraftInCell, faults: &mut Vec<CellFault>) -> HashMap<JointId, f64> {
    let mut held = HashMap::new();
    for (name, value) in &draft.hold {
        let robot = || draft.name.clone();
        let Some(id) = draft.robot.joint(name) else {
            let near = nearest_name(name, draft.robot.joints().iter().map(|joint| joint.name.as_str()));
            faults.push(CellFault::UnknownHeldJoint { robot: robot(), joint: name.clone(), near });
            continue;
        };
        let joint = &draft.robot.joints()[id.0 as usize];
        let reason = if joint.kind.coordinates().len() != 1 {
            Some("it does not have exactly one coordinate".to_owned())
        } else if joint.mimic.is_some() {
            Some("it follows another joint; hold that one".to_owned())
        } else if !value.is_finite() {
            Some("its value is not a finite number".to_owned())
        } else {
            let (scale, unit) = match joint.kind {
                JointKind::Prismatic { .. } => (1e3, "mm"),
                _ => (1f64.to_degrees(), "deg"),
            };
            // Four digits are as many as matter; what is out by less is shown with all.
            let shown = |value: f64| (value * scale * 1e4).round() / 1e4;
            joint.limits.filter(|limits| !limits.contain(*value)).map(|limits| {
                let is_hidden = shown(*value) == shown(limits.lower) || shown(*value) == shown(limits.upper);
                let value = if is_hidden { value * scale } else { shown(*value) };
                format!(
                    "{value} {unit} is outside its limits, {} to {} {unit}",
                    shown(limits.lower),
                    shown(limits.upper)
                )
            })
        };
        match reason {
            Some(reason) => faults.push(CellFault::BadHold { robot: robot(), joint: name.clone(), reason }),
            None => {
                held.insert(id, *value);
            }
        }
    }
    held
}

fn coordinates_of<'a>(
    draft: &'a RobotDraftInCell,
    held: &'a HashMap<JointId, f64>,
) -> impl Iterator<Item = Coordinate> + 'a {
    let moving = (0u32..)
        .zip(draft.robot.joints())
        .filter(|(id, joint)| joint.mimic.is_none() && !held.contains_key(&JointId(*id)));
    moving.flat_map(move |(_, joint)| {
        joint.kind.coordinates().iter().map(move |part| Coordinate {
            robot: draft.name.clone(),
            joint: if part.is_empty() { joint.name.clone() } else { format!("{}.{part}", joint.name) },
            quantity: match (joint.kind, *part) {
                (JointKind::Prismatic { .. }, _) | (_, "x" | "y" | "z") => Quantity::Length,
                _ => Quantity::Angle,
            },
            limits: joint.limits,
            max_speed: joint.max_speed,
        })
    })
}

fn tool_of(
    draft: &RobotDraftInCell,
    tool: &ToolDraft,
    first_link: u32,
    bodies: &mut Vec<Body>,
    faults: &mut Vec<CellFault>,
) -> Option<Tool> {
    let Some(link) = draft.robot.link(&tool.on) else {
        let near = nearest_name(&tool.on, draft.robot.links().iter().map(|link| link.name.as_str()));
        faults.push(CellFault::UnknownToolLink { robot: draft.name.clone(), link: tool.on.clone(), near });
        return None;
    };
    let on = LinkId(first_link + link.0);
    let name = format!("{}/tool", draft.name);
    if tool.pieces.iter().any(is_plane) {
        faults.push(CellFault::CarriedPlane { object: name.clone() });
    }
    if draft.robot.links().iter().any(|link| link.name == "tool" && !link.pieces.is_empty())
        && !tool.pieces.is_empty()
    {
        faults.push(CellFault::DuplicateName { name: name.clone(), count: 2 });
    }
    if !tool.pieces.is_empty() {
        bodies.push(Body {
            name,
            kind: BodyKind::Tool,
            carrier: Carrier::Link(on),
            pieces: tool.pieces.clone(),
        });
    }
    Some(Tool { on, link_from_tcp: tool.link_from_tcp })
}

/// Pairs that are taken out by name, and why.
fn not_checked(
    bodies: &[Body],
    link_of: &HashMap<&str, u32>,
    robots: &[InCell],
    disabled: Vec<(String, String, String)>,
    allow: &[[String; 2]],
    faults: &mut Vec<CellFault>,
) -> HashMap<[BodyId; 2], NotChecked> {
    let body_of: HashMap<&str, BodyId> =
        (0u32..).zip(bodies).map(|(id, body)| (body.name.as_str(), BodyId(id))).collect();
    let mut reasons = HashMap::new();
    let mut note = |a: &str, b: &str, reason: NotChecked| {
        // A link without shape has no body: there is nothing to check anyway.
        if let (Some(&a), Some(&b)) = (body_of.get(a), body_of.get(b)) {
            reasons.entry([a.min(b), a.max(b)]).or_insert(reason);
        }
    };
    for robot in robots {
        let full = |link: LinkId| format!("{}/{}", robot.name, robot.robot.links()[link.0 as usize].name);
        for joint in robot.robot.joints() {
            note(
                &full(joint.parent),
                &full(joint.child),
                NotChecked::Neighbours { joint: joint.name.clone() },
            );
        }
    }
    for (a, b, reason) in disabled {
        note(&a, &b, NotChecked::Disabled { reason });
    }
    for pair in allow {
        let [a, b] = pair;
        for name in pair {
            if !body_of.contains_key(name.as_str()) && !link_of.contains_key(name.as_str()) {
                // Comparing with every name takes time: a file full of unknown names gets no more advice.
                let known = body_of.keys().copied().chain(link_of.keys().copied());
                let near = if faults.len() < 32 { nearest_name(name, known) } else { None };
                faults.push(CellFault::UnknownAllowed { name: name.clone(), near });
            }
        }
        if a == b {
            faults.push(CellFault::AllowedWithItself { name: a.clone() });
        }
        note(a, b, NotChecked::Allowed);
    }
    reasons
}

impl Chain {
    /// Adds the links of a robot, from its root outward.
    fn add_robot(
        &mut self,
        robot: &Robot,
        world_from_root: Pose,
        first_link: u32,
        first_coordinate: usize,
        held: &HashMap<JointId, f64>,
    ) {
        let mut first_of = HashMap::new();
        let mut next = first_coordinate;
        for (id, joint) in (0u32..).map(JointId).zip(robot.joints()) {
            if joint.mimic.is_none() && !held.contains_key(&id) {
                first_of.insert(id, next);
                next += joint.kind.coordinates().len();
            }
        }
        self.add_root(LinkId(first_link + robot.root().0), world_from_root, robot.links().len());
        for &id in robot.outward() {
            let joint = &robot.joints()[id.0 as usize];
            let source = source_of(robot, id, held, &first_of);
            self.add_step(Step {
                parent: LinkId(first_link + joint.parent.0),
                link: LinkId(first_link + joint.child.0),
                parent_from_joint: joint.parent_from_joint,
                kind: joint.kind,
                source,
            });
        }
    }
}

/// Where a joint's value comes from, mimic relations followed to their end.
fn source_of(
    robot: &Robot,
    id: JointId,
    held: &HashMap<JointId, f64>,
    first_of: &HashMap<JointId, usize>,
) -> Source {
    let (mut at, mut multiplier, mut offset) = (id, 1.0, 0.0);
    // value = multiplier · value(at) + offset, all along the way. A robot has no mimic loops.
    while let Some(mimic) = robot.joints()[at.0 as usize].mimic {
        offset += multiplier * mimic.offset;
        multiplier *= mimic.multiplier;
        at = mimic.joint;
    }
    match (held.get(&at), first_of.get(&at)) {
        (Some(value), _) => Source::Constant(multiplier * value + offset),
        (None, Some(&index)) if robot.joints()[at.0 as usize].kind.coordinates().len() == 1 => {
            Source::Coordinate { index, multiplier, offset }
        }
        (None, Some(&first)) => Source::Coordinates { first },
        (None, None) => Source::Constant(0.0),
    }
}
