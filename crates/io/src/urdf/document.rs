//! Links and joints as the file describes them.

use super::vocabulary;
use crate::xml::{self, Bad, Element};
use kansho_cell::{JointDraft, JointKind, Limits, MimicDraft};
use kansho_geom::glam::DVec3;
use kansho_geom::{Pose, tolerance};
use roxmltree::Attribute;

/// The largest multiplier or offset of a mimic joint, in radians or metres: with it, values are right to 1e-12 of either.
const MIMIC_LIMIT: f64 = 1e4;

/// How far the length of an axis may be from 1 before that is worth a word; no unit.
const UNIT_AXIS: f64 = 1e-3;

/// What the file describes, and what is wrong or odd about it.
pub(super) struct Described<'a> {
    pub(super) name: String,
    pub(super) links: Vec<DescribedLink<'a>>,
    pub(super) joints: Vec<DescribedJoint>,
    /// Links and joints without a name.
    pub(super) unnamed: usize,
    pub(super) bad: Vec<Bad>,
    pub(super) odd: Vec<Bad>,
}

pub(super) struct DescribedLink<'a> {
    pub(super) name: String,
    pub(super) collisions: Vec<Element<'a>>,
    pub(super) visuals: Vec<Element<'a>>,
}

pub(super) struct DescribedJoint {
    /// Nothing if it could not be read.
    pub(super) draft: Option<JointDraft>,
}

/// What simulators and controllers want; elements in them mean something else.
const EXTENSIONS: [&str; 5] = ["gazebo", "transmission", "ros2_control", "sensor", "plugin"];

impl<'a> Described<'a> {
    pub(super) fn of(root: Element<'a>) -> Self {
        let mut found = Self {
            name: root.attribute("name").unwrap_or("robot").to_owned(),
            links: Vec::new(),
            joints: Vec::new(),
            unnamed: 0,
            bad: Vec::new(),
            odd: Vec::new(),
        };
        vocabulary::check(root, &mut found.bad, &mut found.odd);
        for element in root.children().filter(Element::is_element) {
            match xml::tag(element) {
                "link" => found.link(element),
                "joint" => found.joint(element),
                _ => {}
            }
        }
        found.misplaced(root);
        found
    }

    /// Links, joints and collisions where nobody looks for them.
    fn misplaced(&mut self, root: Element<'a>) {
        let elsewhere = |element: &Element, parent: &str| {
            element.parent_element().is_some_and(|found| {
                xml::tag(found) != parent || found.parent_element().is_none() != (parent == "robot")
            })
        };
        // Simulators and controllers have elements of the same names that mean something else.
        let ours =
            root.children().filter(|part| !EXTENSIONS.contains(&xml::tag(*part)) && !xml::is_foreign(*part));
        let all = ours.flat_map(|part| part.descendants());
        for element in all.filter(|element| element.is_element() && !xml::is_foreign(*element)) {
            let lost = match xml::tag(element) {
                "collision" => elsewhere(&element, "link"),
                "link" => elsewhere(&element, "robot") && element.has_children(),
                _ => false,
            };
            if lost {
                let what =
                    format!("this <{}> does not stand where it counts, and would be lost", xml::tag(element));
                self.bad.push(Bad::at(element, what));
            }
        }
    }

    /// Parts that may stand once: of a second one nobody could say which is meant.
    pub(super) fn at_most_once(element: Element, names: &[&'static str], bad: &mut Vec<Bad>) {
        for name in names {
            if let Some(second) = xml::children(element, name).nth(1) {
                bad.push(Bad::at(second, format!("a second <{name}> in one <{}>", xml::tag(element))));
            }
        }
    }

    fn link(&mut self, element: Element<'a>) {
        let Some(name) = self.name_of(element) else { return };
        let collisions: Vec<Element> = xml::children(element, "collision").collect();
        let visuals: Vec<Element> = xml::children(element, "visual").collect();
        if collisions.is_empty() && !visuals.is_empty() {
            let what =
                format!("link \"{name}\" can be seen but has no <collision>: nothing is checked against it");
            self.odd.push(Bad::at(element, what));
        }
        self.links.push(DescribedLink { name, collisions, visuals });
    }

    fn joint(&mut self, element: Element<'a>) {
        Self::at_most_once(element, &["origin", "parent", "child", "axis", "limit", "mimic"], &mut self.bad);
        let Some(name) = self.name_of(element) else { return };
        let draft = self.joint_draft(element, name);
        self.joints.push(DescribedJoint { draft });
    }

    fn name_of(&mut self, element: Element) -> Option<String> {
        match element.attribute("name").map(str::trim) {
            Some(name) if !name.is_empty() => Some(name.to_owned()),
            _ => {
                self.unnamed += 1;
                self.bad.push(Bad::at(element, format!("this <{}> has no name", xml::tag(element))));
                None
            }
        }
    }

    fn joint_draft(&mut self, element: Element, name: String) -> Option<JointDraft> {
        let before = self.bad.len();
        let link = |part: &'static str, bad: &mut Vec<Bad>| {
            let named = xml::child(element, part).and_then(|part| part.attribute("link"));
            if named.is_none() {
                bad.push(Bad::at(element, format!("joint \"{name}\" has no <{part} link=\"...\">")));
            }
            named.map(|link| link.trim().to_owned())
        };
        let parent = link("parent", &mut self.bad);
        let child = link("child", &mut self.bad);
        let parent_from_joint = origin(element, &mut self.bad);
        let kind = self.kind(element, &name);
        let limit = xml::child(element, "limit");
        let mut number = |element: Option<Element>, name: &str| {
            let attribute = element.and_then(|element| element.attribute_node(name))?;
            one_number(attribute).map_err(|fault| self.bad.push(fault)).ok()
        };
        let (lower, upper) = (number(limit, "lower"), number(limit, "upper"));
        let max_speed = number(limit, "velocity");
        let most = [("velocity", max_speed), ("effort", number(limit, "effort"))];
        let max_speed = max_speed.filter(|speed| *speed > 0.0);
        let mimic = xml::child(element, "mimic").map(|mimic| {
            let (multiplier, offset) = (number(Some(mimic), "multiplier"), number(Some(mimic), "offset"));
            (mimic, multiplier.unwrap_or(1.0), offset.unwrap_or(0.0))
        });
        let mimic = mimic.and_then(|(mimic, multiplier, offset)| match mimic.attribute("joint") {
            // Values are worked out in double precision: of a joint that is so far from its range nothing could be said.
            Some(_) if !(multiplier.abs().max(offset.abs()) <= MIMIC_LIMIT) => {
                let what = format!(
                    "the <mimic> of joint \"{name}\" has multiplier {multiplier:e} and offset {offset:e}: more than {MIMIC_LIMIT:e}"
                );
                self.bad.push(Bad::at(mimic, what));
                None
            }
            Some(joint) => Some(MimicDraft { joint: joint.trim().to_owned(), multiplier, offset }),
            None => {
                self.bad.push(Bad::at(mimic, format!("the <mimic> of joint \"{name}\" names no joint")));
                None
            }
        });
        for (what, value) in most {
            if let (Some(limit), Some(value)) = (limit, value.filter(|value| *value < 0.0)) {
                let place = limit.attribute_node(what).map_or(0..0, |attribute| attribute.range());
                let what =
                    format!("joint \"{name}\" has {what}=\"{value}\": the most it may have is not negative");
                self.bad.push(Bad { span: place, what, help: None });
            }
        }
        let mimic = match (&kind, xml::child(element, "mimic")) {
            (Some(JointKind::Fixed), Some(place)) => {
                let what = format!("joint \"{name}\" is fixed: its <mimic> says nothing and is passed over");
                self.odd.push(Bad::at(place, what));
                None
            }
            _ => mimic,
        };
        let limits = limit.map(|_| Limits { lower: lower.unwrap_or(0.0), upper: upper.unwrap_or(0.0) });
        let kind = kind.filter(|_| self.bad.len() == before)?;
        if let (Some(limit), JointKind::Revolute { .. } | JointKind::Prismatic { .. }, (None, None)) =
            (limit, kind, (lower, upper))
        {
            let what =
                format!("joint \"{name}\" has neither lower nor upper limit: both are 0, it cannot move");
            self.odd.push(Bad::at(limit, what));
        }
        let parent_from_joint = parent_from_joint?;
        Some(JointDraft {
            name,
            kind,
            parent: parent?,
            child: child?,
            parent_from_joint,
            limits,
            max_speed,
            mimic,
        })
    }

    fn kind(&mut self, element: Element, name: &str) -> Option<JointKind> {
        // The axis is x where none is given.
        let axis = match xml::child(element, "axis") {
            None => DVec3::X,
            Some(axis) => match numbers::<3>(axis, "xyz") {
                Ok(Some(xyz)) => DVec3::from_array(xyz),
                Ok(None) => {
                    self.bad.push(Bad::at(axis, format!("the <axis> of joint \"{name}\" has no xyz")));
                    return None;
                }
                Err(bad) => {
                    self.bad.push(bad);
                    return None;
                }
            },
        };
        let kind = match element.attribute("type").map(str::trim) {
            Some("fixed") => JointKind::Fixed,
            Some("floating") => JointKind::Floating,
            Some("revolute") => JointKind::Revolute { axis },
            Some("continuous") => JointKind::Continuous { axis },
            Some("prismatic") => JointKind::Prismatic { axis },
            Some("planar") => JointKind::Planar { normal: axis },
            Some(other) => {
                let what = format!("joint \"{name}\" is of the unknown type \"{}\"", xml::shown(other));
                let known = "known are fixed, revolute, continuous, prismatic, planar and floating";
                self.bad.push(Bad::at(element, what).with_help(known));
                return None;
            }
            None => {
                self.bad.push(Bad::at(element, format!("joint \"{name}\" has no type")));
                return None;
            }
        };
        let needs_axis = !matches!(kind, JointKind::Fixed | JointKind::Floating);
        let length = axis.length();
        if needs_axis && length > 0.0 && (length - 1.0).abs() > UNIT_AXIS {
            let place = xml::child(element, "axis").unwrap_or(element);
            let what = format!("the axis of joint \"{name}\" has length {length}; it was made a unit vector");
            self.odd.push(Bad::at(place, what));
        }
        Some(kind)
    }
}

/// The pose of an element's `<origin>`; the identity if it has none. Nothing after noting what is wrong.
pub(super) fn origin(element: Element, bad: &mut Vec<Bad>) -> Option<Pose> {
    let Some(origin) = xml::child(element, "origin") else { return Some(Pose::IDENTITY) };
    let mut vector = |name: &str| match numbers::<3>(origin, name) {
        Ok(numbers) => Some(numbers.map_or(DVec3::ZERO, DVec3::from_array)),
        Err(fault) => {
            bad.push(fault);
            None
        }
    };
    let (xyz, rpy) = (vector("xyz"), vector("rpy"));
    let (xyz, rpy) = (xyz?, rpy?);
    if xyz.abs().max_element() > tolerance::COORDINATE_LIMIT {
        let what = format!("the origin {xyz} is beyond the limit of {:e} m", tolerance::COORDINATE_LIMIT);
        bad.push(Bad::at(origin, what));
        return None;
    }
    Some(Pose::from_rpy(xyz, rpy))
}

/// As many finite numbers as an attribute must have; nothing if it is not there.
pub(super) fn numbers<const N: usize>(element: Element, name: &str) -> Result<Option<[f64; N]>, Bad> {
    let Some(attribute) = element.attribute_node(name) else { return Ok(None) };
    let words: Vec<&str> = attribute.value().split_ascii_whitespace().collect();
    let mut all = [0.0; N];
    if words.len() != N {
        let what = format!(
            "{name}=\"{}\" must have {N} numbers, this has {}",
            xml::shown(attribute.value()),
            words.len()
        );
        return Err(Bad { span: attribute.range(), what, help: None });
    }
    for (number, word) in all.iter_mut().zip(words) {
        *number = finite(word).map_err(|what| Bad {
            span: attribute.range(),
            what: format!("{name}: {what}"),
            help: None,
        })?;
    }
    Ok(Some(all))
}

fn one_number(attribute: Attribute) -> Result<f64, Bad> {
    finite(attribute.value().trim()).map_err(|what| Bad {
        span: attribute.range(),
        what: format!("{}: {what}", attribute.name()),
        help: None,
    })
}

fn finite(word: &str) -> Result<f64, String> {
    match word.parse::<f64>() {
        Ok(number) if number.is_finite() => Ok(number),
        Ok(_) => Err(format!("'{}' is not a finite number", xml::shown(word))),
        Err(_) => Err(format!("'{}' is not a number", xml::shown(word))),
    }
}
