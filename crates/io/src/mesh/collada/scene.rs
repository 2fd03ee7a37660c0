//! Which geometries are placed, and where.

use super::geometry::Shapes;
use super::references::{self, Ids};
use super::report::{Report, many};
use super::transform;
use crate::fault::{Fault, Place};
use crate::mesh::raw::{Assembly, Soup};
use crate::xml::{self, Bad, Element};
use kansho_cell::nearest_name;
use kansho_geom::glam::DMat4;
use roxmltree::NodeId;
use std::collections::{HashMap, HashSet};

/// Elements that are looked at on the way through the scene, each as often as it is placed.
///
/// A hundred nodes that each place the next one twice would otherwise keep us busy for ever, even with nothing in them.
/// This many take less than a second.
const MAX_VISITS: usize = 4_000_000;

/// Controllers that may stand between an instance and its geometry: a skin of a morph of a mesh has two.
const MAX_CONTROLLERS: usize = 16;

/// What may stand in a visual scene, and in a node: COLLADA 1.4 and 1.5 define no more.
const VISUAL_SCENE: [&str; 4] = ["asset", "node", "evaluate_scene", "extra"];
const NODE: [&str; 14] = [
    "asset",
    "lookat",
    "matrix",
    "rotate",
    "scale",
    "skew",
    "translate",
    "instance_camera",
    "instance_controller",
    "instance_geometry",
    "instance_light",
    "instance_node",
    "node",
    "extra",
];

/// An element that COLLADA does not define there: most likely one of those that it does.
pub(super) fn unknown(element: Element, known: &[&'static str]) -> Bad {
    let tag = xml::tag(element);
    let inside = element.parent_element().map_or("document", xml::tag);
    let near = nearest_name(tag, known.iter().copied());
    let question = near.map_or(String::new(), |near| format!("; did you mean <{near}>?"));
    let what = format!("COLLADA has no <{}> in a <{inside}>{question}", xml::shown(tag));
    Bad::at(element, what).with_help(format!("known are {}", known.join(", ")))
}

/// What the document shows.
pub(super) enum Scene<'a> {
    /// This, as it says.
    Named(Element<'a>),
    /// This is all there is, but nothing says that it is meant.
    Only(Element<'a>),
    /// There is no visual scene.
    None,
}

/// The scene of a document.
pub(super) fn of_document<'a>(root: Element<'a>, ids: &Ids<'a>) -> Result<Scene<'a>, Bad> {
    let mut instances =
        xml::children(root, "scene").flat_map(|scene| xml::children(scene, "instance_visual_scene"));
    match (instances.next(), instances.next()) {
        (Some(instance), None) => return ids.target(instance, "url", "visual_scene").map(Scene::Named),
        (Some(_), Some(second)) => {
            return Err(Bad::at(second, "the document shows more than one visual scene"));
        }
        (None, _) => {}
    }
    let mut scenes = references::of_library(root, "library_visual_scenes", "visual_scene");
    match (scenes.next(), scenes.next()) {
        (None, _) => Ok(Scene::None),
        (Some(only), None) => Ok(Scene::Only(only)),
        (Some(_), Some(second)) => {
            Err(Bad::at(second, "there are several visual scenes, and no <scene> says which one is meant"))
        }
    }
}

/// A walk through the nodes of a scene that gathers what they place.
pub(super) struct Walk<'a, 'r> {
    pub(super) report: &'r mut Report<'a>,
    ids: &'r Ids<'a>,
    shapes: Shapes<'a, 'r>,
    assembly: Assembly,
    visits: usize,
    /// The nodes from the scene down to where we are, and the same as a set.
    path: Vec<Element<'a>>,
    on_path: HashSet<NodeId>,
    /// What has been worked out once, and is needed again if its node is placed again. Nothing stands for a fault that
    /// has been reported.
    transforms: HashMap<NodeId, Option<DMat4>>,
    targets: HashMap<NodeId, Option<Placed<'a>>>,
    placed: HashSet<NodeId>,
}

/// What an instance places.
#[derive(Clone, Copy)]
enum Placed<'a> {
    Node(Element<'a>),
    /// A geometry, after a transform of its own.
    Geometry(Element<'a>, DMat4),
}

enum Step<'a> {
    Enter { node: Element<'a>, scene_from_parent: DMat4 },
    Leave,
}

impl<'a, 'r> Walk<'a, 'r> {
    pub(super) fn new(ids: &'r Ids<'a>, report: &'r mut Report<'a>) -> Self {
        let bytes = report.text.len();
        Self {
            report,
            ids,
            shapes: Shapes::new(ids),
            assembly: Assembly::of_file(bytes),
            visits: 0,
            path: Vec::new(),
            on_path: HashSet::new(),
            transforms: HashMap::new(),
            targets: HashMap::new(),
            placed: HashSet::new(),
        }
    }

    /// Places everything in a visual scene.
    pub(super) fn scene(&mut self, scene: Element<'a>) {
        let walked = self.nodes(scene);
        self.report.keep(walked);
    }

    /// Places geometries as they are.
    pub(super) fn each_once(&mut self, geometries: impl Iterator<Item = Element<'a>>) {
        for geometry in geometries {
            let added = self.add(geometry, geometry, &DMat4::IDENTITY);
            if self.report.keep(added).is_none() {
                return;
            }
        }
    }

    /// What was placed. What was not, is told.
    pub(super) fn finish(self, geometries: impl Iterator<Item = Element<'a>>) -> Soup {
        let unused: Vec<Element> =
            geometries.filter(|geometry| !self.placed.contains(&geometry.id())).collect();
        if let (Some(first), true) = (unused.first(), self.report.is_clean()) {
            let what = format!(
                "{} left out: the scene does not place {}",
                many(unused.len(), "geometry", ""),
                if unused.len() == 1 { "it" } else { "them" }
            );
            let place = self.report.place(*first);
            self.report.warn(Fault { place, what: format!("{}: {what}", xml::label(*first)), help: None });
        }
        self.assembly.soup
    }

    /// Nodes in the order of the document. A stack of steps and not of calls: a file can nest nodes deeper than calls
    /// can go.
    fn nodes(&mut self, scene: Element<'a>) -> Result<(), Bad> {
        for child in scene.children().filter(|child| child.is_element()) {
            if !VISUAL_SCENE.contains(&xml::tag(child)) {
                self.report.fault(unknown(child, &VISUAL_SCENE));
            }
        }
        let mut steps = Vec::new();
        self.push_reversed(&mut steps, xml::children(scene, "node"), DMat4::IDENTITY);
        while let Some(step) = steps.pop() {
            match step {
                Step::Enter { node, scene_from_parent } => self.enter(node, scene_from_parent, &mut steps)?,
                Step::Leave => {
                    let left = self.path.pop().expect("a node is left after it was entered");
                    self.on_path.remove(&left.id());
                }
            }
        }
        Ok(())
    }

    fn enter(
        &mut self,
        node: Element<'a>,
        scene_from_parent: DMat4,
        steps: &mut Vec<Step<'a>>,
    ) -> Result<(), Bad> {
        self.path.push(node);
        self.on_path.insert(node.id());
        steps.push(Step::Leave);
        // A faulty transform counts as none, to find the faults further down: the file is refused anyway.
        let parent_from_node = self.parent_from_node(node).unwrap_or(DMat4::IDENTITY);
        let scene_from_node = scene_from_parent * parent_from_node;
        if !scene_from_node.is_finite() {
            return Err(Bad::at(node, format!("{} lies beyond all numbers", xml::label(node))));
        }
        let mut below = Vec::new();
        for element in node.children() {
            self.visits += 1;
            if self.visits > MAX_VISITS {
                let what = format!("instances of nodes add up to more than {MAX_VISITS} elements");
                return Err(Bad::at(node, what));
            }
            match xml::tag(element) {
                "node" => below.push(element),
                _ if !element.is_element() => {}
                "instance_geometry" | "instance_controller" | "instance_node" => match self.target(element) {
                    Some(Placed::Node(target)) => below.extend(self.unless_circular(element, target)),
                    Some(Placed::Geometry(geometry, node_from_geometry)) => {
                        self.add(element, geometry, &(scene_from_node * node_from_geometry))?;
                    }
                    None => {}
                },
                known if NODE.contains(&known) => {}
                _ => self.report.fault(unknown(element, &NODE)),
            }
        }
        self.push_reversed(steps, below.into_iter(), scene_from_node);
        Ok(())
    }

    /// Pushes nodes so that the first one is popped first.
    fn push_reversed(
        &mut self,
        steps: &mut Vec<Step<'a>>,
        nodes: impl Iterator<Item = Element<'a>>,
        scene_from_parent: DMat4,
    ) {
        let start = steps.len();
        steps.extend(nodes.map(|node| Step::Enter { node, scene_from_parent }));
        steps[start..].reverse();
    }

    fn parent_from_node(&mut self, node: Element<'a>) -> Option<DMat4> {
        if let Some(known) = self.transforms.get(&node.id()) {
            return *known;
        }
        let found = self.report.keep(transform::parent_from_node(node));
        self.transforms.insert(node.id(), found);
        found
    }

    /// What an instance places.
    fn target(&mut self, instance: Element<'a>) -> Option<Placed<'a>> {
        if let Some(known) = self.targets.get(&instance.id()) {
            return *known;
        }
        let found = match xml::tag(instance) {
            "instance_node" => self.ids.target(instance, "url", "node").map(Placed::Node),
            "instance_controller" => {
                let url = xml::shown(instance.attribute("url").unwrap_or(""));
                self.report.controllers.add(|| Place::Part(format!("controller '{url}'")));
                self.ids
                    .target(instance, "url", "controller")
                    .and_then(|controller| self.deformed(controller))
            }
            _ => {
                let geometry = self.ids.target(instance, "url", "geometry");
                geometry.map(|geometry| Placed::Geometry(geometry, DMat4::IDENTITY))
            }
        };
        let found = self.report.keep(found);
        self.targets.insert(instance.id(), found);
        found
    }

    /// The geometry that a controller deforms, undeformed, where the skin takes it from.
    fn deformed(&self, controller: Element<'a>) -> Result<Placed<'a>, Bad> {
        let mut controller = controller;
        let mut skin_from_geometry = DMat4::IDENTITY;
        for _ in 0..MAX_CONTROLLERS {
            let kind = controller.children().find(|child| matches!(xml::tag(*child), "skin" | "morph"));
            let Some(kind) = kind else {
                return Err(Bad::at(
                    controller,
                    format!("{} has neither skin nor morph", xml::label(controller)),
                ));
            };
            if let Some(bind) = xml::child(kind, "bind_shape_matrix") {
                skin_from_geometry *= transform::matrix(bind)?;
            }
            if !self.ids.is_target(kind, "source", "controller") {
                let geometry = self.ids.target(kind, "source", "geometry")?;
                return Ok(Placed::Geometry(geometry, skin_from_geometry));
            }
            controller = self.ids.target(kind, "source", "controller")?;
        }
        let what = format!("more than {MAX_CONTROLLERS} controllers deform each other, perhaps in a circle");
        Err(Bad::at(controller, what))
    }

    /// The node that an instance places, unless the instance is a part of it.
    fn unless_circular(&mut self, instance: Element<'a>, target: Element<'a>) -> Option<Element<'a>> {
        if !self.on_path.contains(&target.id()) {
            return Some(target);
        }
        let start = self.path.iter().position(|node| node.id() == target.id()).unwrap_or_default();
        let circle = &self.path[start..];
        let mut names: Vec<String> = circle.iter().take(8).map(|node| xml::label(*node)).collect();
        if circle.len() > names.len() {
            names.push("…".into());
        }
        names.push(xml::label(target));
        self.report
            .fault(Bad::at(instance, format!("nodes place each other in a circle: {}", names.join(" → "))));
        None
    }

    fn add(
        &mut self,
        at: Element<'a>,
        geometry: Element<'a>,
        scene_from_geometry: &DMat4,
    ) -> Result<(), Bad> {
        let again = !self.placed.insert(geometry.id());
        let Some(part) = self.shapes.of(geometry, self.report) else { return Ok(()) };
        self.assembly.place(part, scene_from_geometry, again).map_err(|what| Bad::at(at, what))
    }
}
