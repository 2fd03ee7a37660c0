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

/// What a group is made of.
const GROUP_PARTS: [&str; 4] = ["link", "joint", "chain", "group"];

impl Reader<'_> {
    /// Warns of elements that nobody knows: a misspelt one would have no effect.
    fn misspelt(&mut self, root: Element) {
        for element in root.children().filter(Element::is_element) {
            let name = xml::tag(element);
            if element.tag_name().namespace().is_none() && !PARTS.contains(&name) {
                let near = nearest_name(name, PARTS);
                // Without it, a pair would not be checked.
                if near.as_deref() == Some("enable_collisions") {
                    let what = format!("an SRDF has no <{}>", xml::shown(name));
                    self.bad.push(Bad::at(element, what).with_help("did you mean <enable_collisions>?"));
                    continue;
                }
                let near = near.map_or(String::new(), |near| format!("; did you mean <{near}>?"));
                self.warnings.push(Bad::at(
                    element,
                    format!("<{}> is not understood and passed over{near}", xml::shown(name)),
                ));
            }
        }
    }

    /// Refuses what MoveIt does not read in an element that takes pairs out, or back in: `enabled="false"` there would not do what it says.
    fn only(&mut self, element: Element, known: &[&'static str]) {
        let tag = xml::tag(element);
        for attribute in element.attributes() {
            let name = attribute.name();
            if attribute.namespace().is_some() || known.contains(&name) {
                continue;
            }
            let what = format!("<{tag}> has no attribute '{}'", xml::shown(name));
            let help = match nearest_name(name, known.iter().copied()) {
                Some(near) => format!("did you mean '{near}'?"),
                None => format!(
                    "it has {}, and MoveIt reads no other; remove the whole element if it shall not count",
                    known.join(", ")
                ),
            };
            self.bad.push(Bad { span: attribute.range(), what, help: Some(help) });
        }
        for part in element.children() {
            let is_text = part.is_text() && part.text().is_some_and(|text| !text.trim().is_empty());
            if is_text || part.is_element() {
                let what = format!("what stands in this <{tag}> is passed over: its values are attributes");
                self.warnings.push(Bad::at(element, what));
                break;
            }
        }
    }

    fn disabled(&mut self, root: Element) -> Vec<DisabledPair> {
        let mut all = Vec::new();
        let pair = ["link1", "link2", "reason"];
        for element in xml::children(root, "disable_collisions") {
            self.only(element, &pair);
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
        let both_ways = |DisabledPair { links: [a, b], .. }: &DisabledPair| {
            [[a.clone(), b.clone()], [b.clone(), a.clone()]]
        };
        let taken_out: HashSet<[String; 2]> = all.iter().flat_map(both_ways).collect();
        let mut enabled: HashSet<[String; 2]> = HashSet::new();
        for element in xml::children(root, "enable_collisions") {
            self.only(element, &pair);
            let links =
                [self.link(element, "link1", Unknown::Bad), self.link(element, "link2", Unknown::Bad)];
            if let [Some(a), Some(b)] = links {
                // MoveIt disables it then, whatever the order.
                if taken_out.contains(&[a.clone(), b.clone()]) {
                    let what = format!("the pair \"{a}\" and \"{b}\" is both disabled and enabled");
                    self.bad.push(
                        Bad::at(element, what)
                            .with_help("remove one of the two: MoveIt takes it as disabled"),
                    );
                }
                enabled.extend([[a.clone(), b.clone()], [b, a]]);
            }
        }
        let without_default: Vec<String> = xml::children(root, "disable_default_collisions")
            .filter_map(|element| {
                self.only(element, &["link"]);
                self.link(element, "link", Unknown::Bad)
            })
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
                    "group" => {}
                    other => {
                        let near = nearest_name(other, GROUP_PARTS)
                            .map_or(String::new(), |near| format!("; did you mean <{near}>?"));
                        let what = format!("<{}> in a <group> is passed over{near}", xml::shown(other));
                        self.warnings.push(Bad::at(part, what));
                    }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::urdf::{RobotOptions, parse as robot};

    const ROBOT: &str = r#"<robot name="r"><link name="a"/><link name="b"/><link name="c"/>
<joint name="ab" type="fixed"><parent link="a"/><child link="b"/></joint>
<joint name="bc" type="fixed"><parent link="b"/><child link="c"/></joint></robot>"#;

    fn read(body: &str) -> Result<Srdf, String> {
        let loaded = robot(ROBOT.as_bytes(), Path::new("r.urdf"), &RobotOptions::default()).expect("a robot");
        let text = format!("<robot name=\"r\">{body}</robot>");
        parse(text.as_bytes(), Path::new("r.srdf"), &loaded.robot).map_err(|error| {
            let told = |fault: &Fault| format!("{fault} ({})", fault.help.as_deref().unwrap_or_default());
            error.faults.iter().map(told).collect::<Vec<_>>().join("\n")
        })
    }

    /// An attribute that MoveIt does not read would not do what it says.
    #[test]
    fn words_that_do_not_count_are_refused() {
        let pair = r#"<disable_collisions link1="a" link2="c" reason="Never"/>"#;
        for (body, expected) in [
            (r#"<disable_collisions link1="a" link2="c" reson="Never"/>"#, "did you mean 'reason'?"),
            (r#"<disable_collisions link1="a" link2="c" enabled="false"/>"#, "has no attribute 'enabled'"),
            (r#"<disable_default_collisions link="a" reason="x"/>"#, "has no attribute 'reason'"),
            (r#"<enable_collision link1="a" link2="c"/>"#, "did you mean <enable_collisions>?"),
            (
                &format!(r#"{pair}<enable_collisions link1="c" link2="a"/>"#),
                "the pair \"c\" and \"a\" is both disabled and enabled",
            ),
        ] {
            let told = read(body).expect_err(body);
            assert!(told.contains(expected), "{body}: {told}");
        }
        for (body, expected) in [
            (r#"<disable_collisions link1="a" link2="c">Never</disable_collisions>"#, "what stands in this"),
            (r#"<group name="g"><chian base_link="a" tip_link="c"/></group>"#, "did you mean <chain>?"),
        ] {
            let found = read(body).expect(body);
            assert!(
                found.warnings.len() == 1 && found.warnings[0].to_string().contains(expected),
                "{:?}",
                found.warnings
            );
        }
        assert!(read(pair).expect("good").warnings.is_empty());
    }
}
