use crate::body::{BodyPiece, Geometry};
use crate::joint::{Joint, JointId, JointKind, Limits, LinkId, Mimic};
use kansho_geom::Pose;
use kansho_geom::glam::DVec3;
use kansho_geom::primitive::Shape;
use std::collections::HashMap;

/// A tree of links and joints that has been checked: names are unique, every joint hangs on a link, there is one root
/// and no loop, axes are unit vectors, limits stand the right way round, and mimic joints end at one that moves.
#[derive(Clone, Debug)]
pub struct Robot {
    pub(crate) name: String,
    pub(crate) links: Vec<Link>,
    pub(crate) joints: Vec<Joint>,
    pub(crate) root: LinkId,
    /// Joints so that parents come before children.
    pub(crate) outward: Vec<JointId>,
}

/// A link: what moves as one.
#[derive(Clone, Debug)]
pub struct Link {
    /// Name.
    pub name: String,
    /// Its shapes for collision checks; none for a mere frame.
    pub pieces: Vec<BodyPiece>,
}

/// A robot as a file or a generator gives it; nothing is checked yet.
#[derive(Clone, Debug, Default)]
pub struct RobotDraft {
    /// Name.
    pub name: String,
    /// Links.
    pub links: Vec<LinkDraft>,
    /// Joints.
    pub joints: Vec<JointDraft>,
}

/// A link as given.
pub type LinkDraft = Link;

/// A joint as given: links by name, axes of any length.
#[derive(Clone, Debug)]
pub struct JointDraft {
    /// Name.
    pub name: String,
    /// How it moves.
    pub kind: JointKind,
    /// Name of the link that it hangs on.
    pub parent: String,
    /// Name of the link that it moves.
    pub child: String,
    /// Where it is, at rest, in the parent.
    pub parent_from_joint: Pose,
    /// Range of its coordinate.
    pub limits: Option<Limits>,
    /// Largest speed.
    pub max_speed: Option<f64>,
    /// Whose value it follows.
    pub mimic: Option<MimicDraft>,
}

/// A mimic relation as given.
#[derive(Clone, Debug)]
pub struct MimicDraft {
    /// Name of the other joint.
    pub joint: String,
    /// Multiplier.
    pub multiplier: f64,
    /// Offset.
    pub offset: f64,
}

/// What is wrong with a robot. Every variant names its link or joint.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[expect(missing_docs, reason = "the messages say what the fields are")]
pub enum RobotFault {
    #[error("the robot has no links")]
    NoLinks,
    #[error("{count} links are named \"{link}\"")]
    DuplicateLink { link: String, count: usize },
    #[error("{count} joints are named \"{joint}\"")]
    DuplicateJoint { joint: String, count: usize },
    #[error("joint \"{joint}\" hangs on link \"{link}\", which is not defined")]
    UnknownParent { joint: String, link: String },
    #[error("joint \"{joint}\" moves link \"{link}\", which is not defined")]
    UnknownChild { joint: String, link: String },
    #[error("joint \"{joint}\" hangs link \"{link}\" on itself")]
    OwnParent { joint: String, link: String },
    #[error("link \"{link}\" has two parents: the joints \"{first}\" and \"{second}\"")]
    TwoParents { link: String, first: String, second: String },
    #[error("there are {} roots, links that no joint moves: {}", roots.len(), quoted(roots))]
    ManyRoots { roots: Vec<String> },
    #[error("the joints {} form a loop", quoted(joints))]
    Loop { joints: Vec<String> },
    #[error("joint \"{joint}\" has an axis without direction: {axis}")]
    NoAxis { joint: String, axis: DVec3 },
    #[error("joint \"{joint}\" needs limits")]
    NoLimits { joint: String },
    #[error("joint \"{joint}\" has limits the wrong way round: lower {lower}, upper {upper}")]
    LimitsReversed { joint: String, lower: f64, upper: f64 },
    #[error("joint \"{joint}\": {what} is not a finite number")]
    NotFinite { joint: String, what: &'static str },
    #[error("joint \"{joint}\" mimics \"{of}\", which is not defined")]
    UnknownMimic { joint: String, of: String },
    #[error("joint \"{joint}\" mimics \"{of}\", but {reason}")]
    BadMimic { joint: String, of: String, reason: &'static str },
    #[error("the joints {} mimic each other in a circle", quoted(joints))]
    MimicLoop { joints: Vec<String> },
    #[error("link \"{link}\" has a plane, which is infinite and cannot be carried")]
    CarriedPlane { link: String },
}

/// At most eight names in quotes; the rest is counted.
fn quoted(names: &[String]) -> String {
    let shown: Vec<String> = names.iter().take(8).map(|name| format!("\"{name}\"")).collect();
    let more = if names.len() > 8 { format!(" and {} more", names.len() - 8) } else { String::new() };
    format!("{}{more}", shown.join(", "))
}

impl Robot {
    /// Checks a draft.
    ///
    /// # Errors
    /// Everything that is wrong with it, at once.
    pub fn new(draft: RobotDraft) -> Result<Self, Vec<RobotFault>> {
        let mut faults = Vec::new();
        if draft.links.is_empty() {
            return Err(vec![RobotFault::NoLinks]);
        }
        let link_of = unique(draft.links.iter().map(|link| &link.name), |link, count| {
            faults.push(RobotFault::DuplicateLink { link, count });
        });
        let joint_of = unique(draft.joints.iter().map(|joint| &joint.name), |joint, count| {
            faults.push(RobotFault::DuplicateJoint { joint, count });
        });
        let mut joints = Vec::with_capacity(draft.joints.len());
        for joint in &draft.joints {
            joints.extend(checked(joint, &link_of, &joint_of, &mut faults));
        }
        for link in draft.links.iter().filter(|link| link.pieces.iter().any(is_plane)) {
            faults.push(RobotFault::CarriedPlane { link: link.name.clone() });
        }
        // The tree and the mimic relations can only be judged when every name means something.
        if joints.len() < draft.joints.len() || !faults.is_empty() {
            return Err(faults);
        }
        mimic_faults(&joints, &mut faults);
        let links = draft.links;
        let tree = tree(&links, &joints, &mut faults);
        match tree {
            Some((root, outward)) if faults.is_empty() => {
                Ok(Self { name: draft.name, links, joints, root, outward })
            }
            _ => Err(faults),
        }
    }

    /// Its name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Links in the order of the file.
    #[must_use]
    pub fn links(&self) -> &[Link] {
        &self.links
    }

    /// Joints in the order of the file.
    #[must_use]
    pub fn joints(&self) -> &[Joint] {
        &self.joints
    }

    /// The link that no joint moves.
    #[must_use]
    pub fn root(&self) -> LinkId {
        self.root
    }

    /// Joints so that parents come before children.
    #[must_use]
    pub fn outward(&self) -> &[JointId] {
        &self.outward
    }

    /// The link of a name.
    #[must_use]
    pub fn link(&self, name: &str) -> Option<LinkId> {
        self.links.iter().position(|link| link.name == name).map(|index| LinkId(index as u32))
    }

    /// The joint of a name.
    #[must_use]
    pub fn joint(&self, name: &str) -> Option<JointId> {
        self.joints.iter().position(|joint| joint.name == name).map(|index| JointId(index as u32))
    }
}

/// Whether a piece is a half-space.
pub(crate) fn is_plane(piece: &BodyPiece) -> bool {
    matches!(&piece.geometry, Geometry::Primitive(p) if matches!(p.shape(), Shape::HalfSpace { .. }))
}

/// Index of each name; names that stand several times are told once.
fn unique<'a>(
    names: impl Iterator<Item = &'a String>,
    mut repeated: impl FnMut(String, usize),
) -> HashMap<&'a str, u32> {
    let mut first = HashMap::new();
    let mut again: Vec<(&str, usize)> = Vec::new();
    for (index, name) in (0u32..).zip(names) {
        if first.contains_key(name.as_str()) {
            match again.iter_mut().find(|(known, _)| known == name) {
                Some((_, count)) => *count += 1,
                None => again.push((name, 2)),
            }
        } else {
            first.insert(name.as_str(), index);
        }
    }
    again.into_iter().for_each(|(name, count)| repeated(name.to_owned(), count));
    first
}

/// A joint with its names resolved, or nothing after its faults were noted.
fn checked(
    draft: &JointDraft,
    link_of: &HashMap<&str, u32>,
    joint_of: &HashMap<&str, u32>,
    faults: &mut Vec<RobotFault>,
) -> Option<Joint> {
    let before = faults.len();
    let joint = || draft.name.clone();
    let parent = link_of.get(draft.parent.as_str());
    let child = link_of.get(draft.child.as_str());
    if parent.is_none() {
        faults.push(RobotFault::UnknownParent { joint: joint(), link: draft.parent.clone() });
    }
    if child.is_none() {
        faults.push(RobotFault::UnknownChild { joint: joint(), link: draft.child.clone() });
    }
    if parent.is_some() && parent == child {
        faults.push(RobotFault::OwnParent { joint: joint(), link: draft.parent.clone() });
    }
    let mut unit = |axis: DVec3| {
        // Scaled first: the square of a very long or short axis is no number any more.
        (axis / axis.abs().max_element()).try_normalize().unwrap_or_else(|| {
            faults.push(RobotFault::NoAxis { joint: joint(), axis });
            DVec3::Z
        })
    };
    let kind = match draft.kind {
        JointKind::Fixed => JointKind::Fixed,
        JointKind::Floating => JointKind::Floating,
        JointKind::Revolute { axis } => JointKind::Revolute { axis: unit(axis) },
        JointKind::Continuous { axis } => JointKind::Continuous { axis: unit(axis) },
        JointKind::Prismatic { axis } => JointKind::Prismatic { axis: unit(axis) },
        JointKind::Planar { normal } => JointKind::Planar { normal: unit(normal) },
    };
    let needs_limits = matches!(kind, JointKind::Revolute { .. } | JointKind::Prismatic { .. });
    let limits = if needs_limits { draft.limits } else { None };
    match limits {
        None if needs_limits => faults.push(RobotFault::NoLimits { joint: joint() }),
        Some(Limits { lower, upper }) if !lower.is_finite() || !upper.is_finite() => {
            faults.push(RobotFault::NotFinite { joint: joint(), what: "a limit" });
        }
        Some(Limits { lower, upper }) if lower > upper => {
            faults.push(RobotFault::LimitsReversed { joint: joint(), lower, upper });
        }
        _ => {}
    }
    let mimic = draft.mimic.as_ref().and_then(|mimic| {
        if !mimic.multiplier.is_finite() || !mimic.offset.is_finite() {
            faults.push(RobotFault::NotFinite {
                joint: joint(),
                what: "the multiplier or offset of its mimic",
            });
        }
        let of = joint_of.get(mimic.joint.as_str());
        if of.is_none() {
            faults.push(RobotFault::UnknownMimic { joint: joint(), of: mimic.joint.clone() });
        }
        Some(Mimic { joint: JointId(*of?), multiplier: mimic.multiplier, offset: mimic.offset })
    });
    if faults.len() > before {
        return None;
    }
    Some(Joint {
        name: joint(),
        kind,
        parent: LinkId(*parent?),
        child: LinkId(*child?),
        parent_from_joint: draft.parent_from_joint,
        limits,
        max_speed: draft.max_speed,
        mimic,
    })
}

/// Mimic joints must follow one with a single coordinate, and not themselves.
fn mimic_faults(joints: &[Joint], faults: &mut Vec<RobotFault>) {
    let followed = |index: usize| joints[index].mimic.map(|mimic| mimic.joint.0 as usize);
    // 0: not looked at, 1: on the path that is being followed, 2: ends well or has been told.
    let mut state = vec![0u8; joints.len()];
    for (start, joint) in joints.iter().enumerate() {
        if let Some(of) = followed(start) {
            let single = |index: usize| joints[index].kind.coordinates().len() == 1;
            let reason = match (single(start), single(of)) {
                (false, _) => Some("only a joint with one coordinate can follow another"),
                (true, false) => Some("only a joint with one coordinate can be followed"),
                (true, true) => None,
            };
            if let Some(reason) = reason {
                let (joint, of) = (joint.name.clone(), joints[of].name.clone());
                faults.push(RobotFault::BadMimic { joint, of, reason });
            }
        }
        let mut path = Vec::new();
        let mut here = Some(start);
        while let Some(index) = here.filter(|&index| state[index] == 0) {
            state[index] = 1;
            path.push(index);
            here = followed(index);
        }
        if let Some(meeting) = here.filter(|&index| state[index] == 1) {
            let circle = path.iter().skip_while(|&&index| index != meeting);
            faults.push(RobotFault::MimicLoop {
                joints: circle.map(|&index| joints[index].name.clone()).collect(),
            });
        }
        path.into_iter().for_each(|index| state[index] = 2);
    }
}

/// The root and the joints from it outward, or nothing after the faults were noted.
fn tree(links: &[Link], joints: &[Joint], faults: &mut Vec<RobotFault>) -> Option<(LinkId, Vec<JointId>)> {
    let mut parent_joint: Vec<Option<usize>> = vec![None; links.len()];
    let mut children: Vec<Vec<usize>> = vec![Vec::new(); links.len()];
    for (index, joint) in joints.iter().enumerate() {
        let child = joint.child.0 as usize;
        if let Some(first) = parent_joint[child] {
            faults.push(RobotFault::TwoParents {
                link: links[child].name.clone(),
                first: joints[first].name.clone(),
                second: joint.name.clone(),
            });
        } else {
            parent_joint[child] = Some(index);
        }
        children[joint.parent.0 as usize].push(index);
    }
    let roots: Vec<usize> = (0..links.len()).filter(|&link| parent_joint[link].is_none()).collect();
    if roots.len() > 1 {
        faults.push(RobotFault::ManyRoots {
            roots: roots.iter().map(|&link| links[link].name.clone()).collect(),
        });
    }
    // Breadth first, without recursion: chains may be thousands of links long.
    let mut outward = Vec::with_capacity(joints.len());
    let mut reached = vec![false; links.len()];
    let mut next = roots.clone();
    while let Some(link) = next.pop() {
        reached[link] = true;
        for &joint in &children[link] {
            let child = joints[joint].child.0 as usize;
            if parent_joint[child] == Some(joint) {
                outward.push(JointId(joint as u32));
                next.push(child);
            }
        }
    }
    // Links that no root reaches sit on a loop or hang on one; follow the parents until a link comes again.
    if let Some(lost) = (0..links.len()).find(|&link| !reached[link]) {
        let mut seen = vec![false; links.len()];
        let mut link = lost;
        while !seen[link] {
            seen[link] = true;
            link = joints[parent_joint[link]?].parent.0 as usize;
        }
        let start = link;
        let mut circle = Vec::new();
        loop {
            let joint = parent_joint[link]?;
            circle.push(joints[joint].name.clone());
            link = joints[joint].parent.0 as usize;
            if link == start {
                break;
            }
        }
        faults.push(RobotFault::Loop { joints: circle });
    }
    match roots[..] {
        [root] => Some((LinkId(root as u32), outward)),
        _ => None,
    }
}
