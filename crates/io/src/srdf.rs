//! Which links of a robot are not checked against each other, from SRDF files.

use crate::fault::{Fault, ReadError};
use crate::load::bytes_of;
use crate::xml::{self, Bad, Element};
use kansho_cell::{DisabledPair, Robot, nearest_name};
use std::collections::HashSet;
use std::path::Path;

/// What an SRDF says.
#[derive(Clone, Debug)]
pub struct Srdf {
    /// Pairs of links that are not checked.
    pub disabled: Vec<DisabledPair>,
    /// Names of the groups.
    pub groups: Vec<String>,
    /// Oddities.
    pub warnings: Vec<Fault>,
}

/// Reads the SRDF of a robot.
///
/// `disable_collisions` takes a pair out; `disable_default_collisions` takes out all pairs of a link, of which
/// `enable_collisions` takes some back in.
///
/// A pair with a link that the robot does not have is passed over with a warning: files are shared between robots with
/// and without a gripper, and one pair more is checked. Where it would be one less, it is a fault.
///
/// # Errors
/// Everything that is wrong with it.
pub fn read(path: &Path, robot: &Robot) -> Result<Srdf, ReadError> {
    let refuse = |what| ReadError { path: path.to_owned(), faults: vec![Fault::of_file(what)] };
    parse(&bytes_of(path).map_err(refuse)?, path, robot)
}

/// As [`read`], from memory; `path` names it.
///
/// # Errors
/// As [`read`].
pub fn parse(bytes: &[u8], path: &Path, robot: &Robot) -> Result<Srdf, ReadError> {
    let refuse = |faults: Vec<Fault>| ReadError { path: path.to_owned(), faults };
    let text = xml::text_of(bytes).map_err(|fault| refuse(vec![fault]))?;
    let document = xml::parse(&text).map_err(|bad| refuse(vec![bad.into_fault(&text)]))?;
    let root = document.root_element();
    let mut reader = Reader { robot, bad: Vec::new(), warnings: Vec::new() };
    if xml::tag(root) != "robot" {
        let what = format!("the root element is <{}>, not <robot>", xml::shown(xml::tag(root)));
        return Err(refuse(vec![Bad::at(root, what).into_fault(&text)]));
    }
    if let Some(name) = root.attribute("name").filter(|name| *name != robot.name()) {
        let what =
            format!("the SRDF is of robot \"{}\", the URDF of robot \"{}\"", xml::shown(name), robot.name());
        reader.warnings.push(Bad::at(root, what));
    }
    reader.misspelt(root);
    let disabled = reader.disabled(root);
    let groups = reader.groups(root);
    let Reader { bad, warnings, .. } = reader;
    if bad.is_empty() {
        Ok(Srdf { disabled, groups, warnings: xml::faults_of(warnings, &text) })
    } else {
        Err(refuse(xml::faults_of(bad, &text)))
    }
}

/// What a name that the robot does not have amounts to.
#[derive(Clone, Copy)]
enum Unknown {
    /// A pair more is checked than was meant.
    Odd,
    /// A pair less might be.
    Bad,
}

struct Reader<'a> {
    robot: &'a Robot,
    bad: Vec<Bad>,
    warnings: Vec<Bad>,
}

/// What an SRDF may hold.
const PARTS: [&str; 14] = [
    "group",
    "group_state",
    "virtual_joint",
    "end_effector",
    "passive_joint",
    "disable_collisions",
    "enable_collisions",
    "disable_default_collisions",
    "joint_property",
    "link_sphere_approximation",
    "group_tcps",
    "group_opw",
    "kinematics_plugin_config",
    "contact_managers_plugin_config",
];

impl Reader<'_> {
    /// Warns of elements that nobody knows: a misspelt one would have no effect.
    fn misspelt(&mut self, root: Element) {
        for element in root.children().filter(Element::is_element) {
            let name = xml::tag(element);
            if element.tag_name().namespace().is_none() && !PARTS.contains(&name) {
                let near = nearest_name(name, PARTS)
                    .map_or(String::new(), |near| format!("; did you mean <{near}>?"));
                self.warnings.push(Bad::at(
                    element,
                    format!("<{}> is not understood and passed over{near}", xml::shown(name)),
                ));
            }
        }
    }

    fn disabled(&mut self, root: Element) -> Vec<DisabledPair> {
        let mut all = Vec::new();
        for element in xml::children(root, "disable_collisions") {
            let links =
                [self.link(element, "link1", Unknown::Odd), self.link(element, "link2", Unknown::Odd)];
            if let [Some(a), Some(b)] = links {
                if a == b {
                    self.bad.push(Bad::at(element, format!("link \"{a}\" is disabled with itself")));
                }
                let reason = element.attribute("reason").unwrap_or_default().to_owned();
                all.push(DisabledPair { links: [a, b], reason });
            }
        }
        let mut enabled: HashSet<[String; 2]> = HashSet::new();
        for element in xml::children(root, "enable_collisions") {
            let links =
                [self.link(element, "link1", Unknown::Bad), self.link(element, "link2", Unknown::Bad)];
            if let [Some(a), Some(b)] = links {
                enabled.extend([[a.clone(), b.clone()], [b, a]]);
            }
        }
        let without_default: Vec<String> = xml::children(root, "disable_default_collisions")
            .filter_map(|element| self.link(element, "link", Unknown::Bad))
            .collect();
        for link in &without_default {
            let others = self.robot.links().iter().map(|other| &other.name).filter(|other| *other != link);
            for other in others.filter(|other| !enabled.contains(&[link.clone(), (*other).clone()])) {
                let reason = "no default collisions".to_owned();
                all.push(DisabledPair { links: [link.clone(), other.clone()], reason });
            }
        }
        all
    }

    fn groups(&mut self, root: Element) -> Vec<String> {
        let mut names = Vec::new();
        for group in xml::children(root, "group") {
            match group.attribute("name") {
                Some(name) => names.push(name.to_owned()),
                None => self.bad.push(Bad::at(group, "this <group> has no name")),
            }
            for part in group.children().filter(Element::is_element) {
                match xml::tag(part) {
                    "link" => {
                        self.link(part, "name", Unknown::Odd);
                    }
                    "chain" => {
                        self.link(part, "base_link", Unknown::Odd);
                        self.link(part, "tip_link", Unknown::Odd);
                    }
                    "joint" => self.joint(part),
                    _ => {}
                }
            }
        }
        names
    }

    /// The link that an attribute names, if the robot has it.
    fn link(&mut self, element: Element, attribute: &str, unknown: Unknown) -> Option<String> {
        let Some(name) = element.attribute(attribute) else {
            self.bad.push(Bad::at(element, format!("this <{}> has no {attribute}", xml::tag(element))));
            return None;
        };
        if self.robot.link(name).is_none() {
            let known = self.robot.links().iter().map(|link| link.name.as_str());
            self.unknown(element, unknown, "link", name, known);
            return None;
        }
        Some(name.to_owned())
    }

    fn joint(&mut self, element: Element) {
        match element.attribute("name") {
            Some(name) if self.robot.joint(name).is_some() => {}
            Some(name) => {
                let known = self.robot.joints().iter().map(|joint| joint.name.as_str());
                self.unknown(element, Unknown::Odd, "joint", name, known);
            }
            None => self.bad.push(Bad::at(element, "this <joint> has no name")),
        }
    }

    fn unknown<'k>(
        &mut self,
        element: Element,
        unknown: Unknown,
        kind: &str,
        name: &str,
        known: impl Iterator<Item = &'k str>,
    ) {
        let mut bad = Bad::at(element, format!("the robot has no {kind} \"{}\"", xml::shown(name)));
        if let Some(near) = nearest_name(name, known) {
            bad = bad.with_help(format!("did you mean \"{near}\"?"));
        }
        match unknown {
            Unknown::Odd => self.warnings.push(bad),
            Unknown::Bad => self.bad.push(bad),
        }
    }
}
