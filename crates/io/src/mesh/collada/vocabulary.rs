//! Words of a COLLADA document on the way to its numbers: a misspelt one has no effect, and would change sizes and places without a word.

use super::report::Report;
use crate::fault::Fault;
use crate::xml::{self, Bad, Element};
use kansho_cell::nearest_name;
use std::collections::HashSet;

/// An element with the attributes that COLLADA 1.4 and 1.5 give it.
struct Word {
    element: &'static str,
    attributes: &'static [&'static str],
    /// What may stand in it; nothing where another part of the reader looks at that.
    parts: Option<&'static [&'static str]>,
    /// What may stand in it once.
    once: &'static [&'static str],
}

const fn word(element: &'static str, attributes: &'static [&'static str]) -> Word {
    Word { element, attributes, parts: None, once: &[] }
}

const fn list(element: &'static str, parts: &'static [&'static str]) -> Word {
    Word { element, attributes: &["id", "name"], parts: Some(parts), once: &[] }
}

const fn part(
    element: &'static str,
    attributes: &'static [&'static str],
    parts: &'static [&'static str],
    once: &'static [&'static str],
) -> Word {
    Word { element, attributes, parts: Some(parts), once }
}

const SURFACE: &[&str] = &["count", "material", "name"];
const STEP: &[&str] = &["sid"];
const INSTANCE: &[&str] = &["url", "sid", "name"];

/// Everything between the root and the numbers of a mesh. Elements that are not here (materials, lights, physics) are not looked into.
const WORDS: &[Word] = &[
    part(
        "COLLADA",
        &["version", "base"],
        &[
            "asset",
            "library_animations",
            "library_animation_clips",
            "library_articulated_systems",
            "library_cameras",
            "library_controllers",
            "library_effects",
            "library_force_fields",
            "library_formulas",
            "library_geometries",
            "library_images",
            "library_joints",
            "library_kinematics_models",
            "library_kinematics_scenes",
            "library_lights",
            "library_materials",
            "library_nodes",
            "library_physics_materials",
            "library_physics_models",
            "library_physics_scenes",
            "library_visual_scenes",
            "scene",
            "extra",
        ],
        &["asset", "scene"],
    ),
    part(
        "asset",
        &[],
        &[
            "contributor",
            "coverage",
            "created",
            "keywords",
            "modified",
            "revision",
            "subject",
            "title",
            "unit",
            "up_axis",
            "extra",
        ],
        &["unit", "up_axis"],
    ),
    word("unit", &["meter", "name"]),
    list("library_geometries", &["asset", "geometry", "extra"]),
    list("library_controllers", &["asset", "controller", "extra"]),
    list("library_nodes", &["asset", "node", "extra"]),
    list("library_visual_scenes", &["asset", "visual_scene", "extra"]),
    part(
        "scene",
        &[],
        &["instance_visual_scene", "instance_physics_scene", "instance_kinematics_scene", "extra"],
        &[],
    ),
    part("instance_visual_scene", INSTANCE, &["extra"], &[]),
    Word { element: "geometry", attributes: &["id", "name"], parts: None, once: &["asset"] },
    word("mesh", &[]),
    part(
        "source",
        &["id", "name"],
        &[
            "asset",
            "IDREF_array",
            "Name_array",
            "SIDREF_array",
            "bool_array",
            "float_array",
            "int_array",
            "token_array",
            "technique_common",
            "technique",
            "extra",
        ],
        &["technique_common"],
    ),
    part("technique_common", &[], &["accessor", "asset"], &["accessor"]),
    part("accessor", &["count", "offset", "source", "stride"], &["param"], &[]),
    part("param", &["name", "sid", "type", "semantic"], &[], &[]),
    word("float_array", &["count", "id", "name", "digits", "magnitude"]),
    part("vertices", &["id", "name"], &["input", "extra"], &[]),
    part("input", &["semantic", "source", "offset", "set"], &[], &[]),
    word("triangles", SURFACE),
    word("tristrips", SURFACE),
    word("trifans", SURFACE),
    word("polylist", SURFACE),
    word("polygons", SURFACE),
    Word { element: "visual_scene", attributes: &["id", "name"], parts: None, once: &["asset"] },
    Word {
        element: "node",
        attributes: &["id", "name", "sid", "type", "layer"],
        parts: None,
        once: &["asset"],
    },
    word("lookat", STEP),
    word("matrix", STEP),
    word("rotate", STEP),
    word("scale", STEP),
    word("skew", STEP),
    word("translate", STEP),
    part("instance_geometry", INSTANCE, &["bind_material", "extra"], &["bind_material"]),
    part("instance_controller", INSTANCE, &["skeleton", "bind_material", "extra"], &["bind_material"]),
    part("instance_node", &["url", "sid", "name", "proxy"], &["extra"], &[]),
    part("controller", &["id", "name"], &["asset", "skin", "morph", "extra"], &["asset", "skin", "morph"]),
    part(
        "skin",
        &["source"],
        &["bind_shape_matrix", "source", "joints", "vertex_weights", "extra"],
        &["bind_shape_matrix"],
    ),
    part("morph", &["source", "method"], &["source", "targets", "extra"], &[]),
];

/// Looks at every element on the way to a number. A word that is spelt nearly like a known one, or that counts elsewhere, is a fault; any
/// other is told, each once.
pub(super) fn check<'a>(root: Element<'a>, report: &mut Report<'a>) {
    let mut said: HashSet<(&str, String)> = HashSet::new();
    let mut open = vec![root];
    while let Some(element) = open.pop() {
        let tag = xml::tag(element);
        let Some(word) = WORDS.iter().find(|word| word.element == tag) else { continue };
        // Attributes of other namespaces (xsi:schemaLocation) say nothing of shapes.
        for attribute in element.attributes().filter(|attribute| attribute.namespace().is_none()) {
            let name = attribute.name();
            if word.attributes.contains(&name) || !said.insert((word.element, name.to_owned())) {
                continue;
            }
            let what = format!("COLLADA has no attribute '{}' of <{tag}>", xml::shown(name));
            let bad = Bad { span: attribute.range(), what, help: None };
            tell(bad, nearest_name(name, word.attributes.iter().copied()), report);
        }
        for name in word.once {
            if let Some(second) = xml::children(element, name).nth(1) {
                report.fault(Bad::at(
                    second,
                    format!("a second <{name}> in one <{tag}>: which one counts is not said"),
                ));
            }
        }
        let before = open.len();
        for child in element.children().filter(Element::is_element) {
            let found = xml::tag(child);
            let Some(parts) = word.parts.filter(|parts| !parts.contains(&found)) else {
                open.push(child);
                continue;
            };
            if !said.insert((word.element, format!("<{found}>"))) {
                continue;
            }
            let bad = Bad::at(child, format!("COLLADA has no <{}> in {}", xml::shown(found), within(tag)));
            // What counts elsewhere is meant to count: here it would be lost.
            if WORDS.iter().any(|word| word.element == found) {
                report.fault(bad.with_help("move it to where it counts, or remove it"));
                continue;
            }
            tell(bad, nearest_name(found, parts.iter().copied()).map(|near| format!("<{near}>")), report);
        }
        open[before..].reverse(); // The first child is popped first.
    }
}

fn within(tag: &str) -> String {
    let article = if tag.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" };
    format!("{article} <{tag}>")
}

/// A fault if some known word is near, and otherwise a warning.
fn tell(bad: Bad, near: Option<String>, report: &mut Report<'_>) {
    match near {
        Some(near) => report.fault(bad.with_help(format!("did you mean {near}?"))),
        None => {
            let Fault { place, what, help } = bad.into_fault(report.text);
            report.warn(Fault { place, what: format!("{what}: it is passed over"), help });
        }
    }
}
