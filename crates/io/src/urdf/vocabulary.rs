//! Words of a URDF: what is misspelt has no effect, and a shape that stands elsewhere than was meant proves nothing.

use crate::xml::{self, Bad, Element};
use kansho_cell::nearest_name;
use roxmltree::Attribute;
use std::collections::HashSet;

/// An element, the attributes that URDF and its readers know of it, and the elements that may stand in it.
struct Word {
    element: &'static str,
    attributes: &'static [&'static str],
    parts: &'static [&'static str],
}

const fn word(
    element: &'static str,
    attributes: &'static [&'static str],
    parts: &'static [&'static str],
) -> Word {
    Word { element, attributes, parts }
}

/// Everything that places, shapes or moves a body. Other elements (inertia, looks, what simulators want) are not looked into.
const WORDS: &[Word] = &[
    word(
        "robot",
        &["name", "version"],
        &["link", "joint", "material", "transmission", "gazebo", "ros2_control", "sensor", "plugin"],
    ),
    word(
        "link",
        &["name", "type"],
        &[
            "inertial",
            "visual",
            "collision",
            "contact",
            "sensor",
            "gravity",
            "self_collision_checking",
            "collision_checking",
        ],
    ),
    word(
        "joint",
        &["name", "type"],
        &[
            "origin",
            "parent",
            "child",
            "axis",
            "limit",
            "mimic",
            "dynamics",
            "calibration",
            "safety_controller",
            "property",
        ],
    ),
    word("collision", &["name", "group", "concave"], &["origin", "geometry", "material", "verbose"]),
    word("geometry", &[], &["mesh", "box", "cylinder", "sphere", "capsule"]),
    word("origin", &["xyz", "rpy"], &[]),
    word("parent", &["link"], &[]),
    word("child", &["link"], &[]),
    word("axis", &["xyz"], &[]),
    word("limit", &["lower", "upper", "effort", "velocity", "acceleration", "deceleration", "jerk"], &[]),
    word("mimic", &["joint", "multiplier", "offset"], &[]),
    word("mesh", &["filename", "scale"], &[]),
    word("box", &["size"], &[]),
    word("cylinder", &["radius", "length"], &[]),
    word("capsule", &["radius", "length"], &[]),
    word("sphere", &["radius"], &[]),
];

/// Looks for words that nobody knows, in everything below a `<robot>` that matters here. One that is spelt nearly like a known word is a
/// fault (`bad`); any other is told (`odd`), and so is text where elements are expected.
///
/// Elements and attributes with a namespace are of other programs (`drake:`, `tesseract:`): they are told, each name once.
pub(super) fn check(root: Element, bad: &mut Vec<Bad>, odd: &mut Vec<Bad>) {
    let mut foreign: HashSet<String> = HashSet::new();
    let mut open = vec![root];
    while let Some(element) = open.pop() {
        let name = xml::tag(element);
        let Some(word) = WORDS.iter().find(|word| word.element == name) else { continue };
        for attribute in element.attributes() {
            if attribute.namespace().is_some() {
                let written = &element.document().input_text()[attribute.range_qname()];
                if !is_of_xml(&attribute) && foreign.insert(format!("{written}=")) {
                    let what = format!(
                        "'{}' of <{name}> is of another namespace and passed over",
                        xml::shown(written)
                    );
                    odd.push(Bad { span: attribute.range(), what, help: None });
                }
                continue;
            }
            if word.attributes.contains(&attribute.name()) {
                continue;
            }
            let shown = xml::shown(attribute.name());
            let near = nearest_name(attribute.name(), word.attributes.iter().copied());
            let fault = |what: String, help| Bad { span: attribute.range(), what, help };
            match near {
                Some(near) => bad.push(fault(
                    format!("<{name}> has no attribute '{shown}'"),
                    Some(format!("did you mean '{near}'?")),
                )),
                None if name == "origin" => {
                    bad.push(fault(format!("an <origin> has xyz and rpy; '{shown}' is not understood"), None))
                }
                None => {
                    odd.push(fault(format!("'{shown}' of <{name}> is not understood and passed over"), None))
                }
            }
        }
        for part in element.children() {
            if part.is_text() && !part.text().unwrap_or_default().trim().is_empty() {
                let what = format!("text in <{name}> is passed over: its values are attributes");
                odd.push(Bad { span: part.range(), what, help: None });
            }
            if !part.is_element() {
                continue;
            }
            let found = xml::tag(part);
            if xml::is_foreign(part) {
                if foreign.insert(format!("<{found}")) {
                    let what = format!("<{}> is of another namespace and passed over", xml::shown(found));
                    odd.push(Bad::at(part, what));
                }
                continue;
            }
            if found == "loop_joint" {
                let what = "a <loop_joint> closes a loop of links, which kansho does not move as one";
                let help = "remove it; give the joints that it couples a <mimic>, or hold them in the cell";
                bad.push(Bad::at(part, what).with_help(help));
                continue;
            }
            if word.parts.contains(&found) {
                open.push(part);
                continue;
            }
            // What is no shape is refused where shapes are read, with the shapes that are known.
            if name == "geometry" {
                continue;
            }
            let shown = xml::shown(found);
            match nearest_name(found, word.parts.iter().copied()) {
                Some(near) => bad.push(
                    Bad::at(part, format!("there is no <{shown}> in a <{name}>"))
                        .with_help(format!("did you mean <{near}>?")),
                ),
                None => odd.push(Bad::at(part, format!("<{shown}> is not understood and passed over"))),
            }
        }
    }
    bad.sort_by_key(|bad| bad.span.start);
    odd.sort_by_key(|odd| odd.span.start);
}

/// Whether an attribute is of XML itself (`xml:base`, `xsi:schemaLocation`).
fn is_of_xml(attribute: &Attribute) -> bool {
    attribute.namespace().is_some_and(|namespace| namespace.starts_with("http://www.w3.org/"))
}
