//! A step as a drawing: from the side and from above.

use crate::Step;
use kansho::cell::{Body, Cell, Geometry};
use kansho::geom::glam::{DVec2, DVec3};
use std::fmt::Write;

/// Pixels a metre.
const SCALE: f64 = 210.0;

/// Room around a view, in pixels.
const MARGIN: f64 = 24.0;

/// Height of the text above the views, in pixels.
const HEAD: f64 = 64.0;

/// The part of the world that is shown.
const LOW: DVec3 = DVec3::new(-0.55, -1.25, 0.0);
const HIGH: DVec3 = DVec3::new(1.75, 1.25, 1.95);

/// How the world is seen: which way is right and which is up, and which comes toward the eye.
struct View {
    title: &'static str,
    right: DVec3,
    up: DVec3,
    toward: DVec3,
    /// Where its upper left corner is, in pixels.
    left: f64,
}

impl View {
    fn size(&self) -> DVec2 {
        let extent = HIGH - LOW;
        DVec2::new(extent.dot(self.right.abs()), extent.dot(self.up.abs())) * SCALE
    }

    /// A point in pixels.
    fn point(&self, p: DVec3) -> DVec2 {
        let from_low = DVec2::new((p - LOW).dot(self.right), (p - LOW).dot(self.up)) * SCALE;
        DVec2::new(self.left + from_low.x, HEAD + MARGIN + self.size().y - from_low.y)
    }
}

/// The drawing, as a whole SVG file. Spheres that collide are red.
pub(crate) fn svg(cell: &Cell, number: usize, seconds: f64, step: &Step, all: usize) -> String {
    let mut side = View { title: "side", right: DVec3::X, up: DVec3::Z, toward: -DVec3::Y, left: MARGIN };
    let mut top = View { title: "top", right: DVec3::X, up: DVec3::Y, toward: DVec3::Z, left: 0.0 };
    top.left = side.left + side.size().x + 2.0 * MARGIN;
    let size = DVec2::new(top.left + top.size().x + MARGIN, HEAD + top.size().y + 2.0 * MARGIN + 20.0);
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {:.0} {:.0}\" font-family=\"sans-serif\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n",
        size.x, size.y
    );
    let mut line = |y: f64, size: f64, colour: &str, words: &str| {
        writeln!(
            text,
            "<text x=\"{MARGIN}\" y=\"{y}\" font-size=\"{size}\" fill=\"{colour}\">{words}</text>"
        )
        .expect("writing to a string succeeds");
    };
    let head = format!("step {number}, {seconds:.1} s: {} of {all} centres moved", step.moved);
    line(30.0, 18.0, "#222222", &head);
    let (words, colour) = said(cell, step);
    line(54.0, 15.0, colour, &words);
    for view in [&mut side, &mut top] {
        draw(&mut text, view, cell, step);
    }
    text + "</svg>\n"
}

/// Who meets whom.
fn said(cell: &Cell, step: &Step) -> (String, &'static str) {
    let met: Vec<String> = step
        .collisions
        .iter()
        .map(|collision| collision.pair.map(|body| cell.body(body).name.as_str()).join(" meets "))
        .collect();
    if met.is_empty() { ("free".into(), "#2e7d32") } else { (met.join(", "), "#c62828") }
}

fn draw(text: &mut String, view: &View, cell: &Cell, step: &Step) {
    let mut add = |line: String| writeln!(text, "{line}").expect("writing to a string succeeds");
    let (corner, size) = (DVec2::new(view.left, HEAD + MARGIN), view.size());
    add(format!(
        "<g><rect x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\" fill=\"#f6f7f8\" stroke=\"#c0c4c8\"/>",
        corner.x, corner.y, size.x, size.y
    ));
    let placed = cell.place(&step.posture);
    // What is nearest to the eye is drawn last.
    let mut shapes: Vec<(f64, String)> = Vec::new();
    for body in cell.bodies() {
        let world_from_carrier = placed.world_from_carrier(body);
        for piece in &body.pieces {
            let world_from_piece = world_from_carrier * piece.carrier_from_piece;
            let corners: Vec<DVec3> = match &piece.geometry {
                Geometry::Mesh(mesh) => mesh.vertices().to_vec(),
                Geometry::Primitive(primitive) => {
                    primitive.tessellated(1e-3).map_or_else(Vec::new, |mesh| mesh.vertices().to_vec())
                }
            };
            let corners: Vec<DVec3> = corners.into_iter().map(|p| world_from_piece * p).collect();
            let near = corners.iter().map(|p| p.dot(view.toward)).fold(f64::NEG_INFINITY, f64::max);
            let outline = hull(corners.iter().map(|p| view.point(*p)).collect());
            let points: Vec<String> = outline.iter().map(|p| format!("{:.1},{:.1}", p.x, p.y)).collect();
            let (fill, line) = colours(body);
            let polygon =
                format!("<polygon points=\"{}\" fill=\"{fill}\" stroke=\"{line}\"/>", points.join(" "));
            shapes.push((near, polygon));
        }
    }
    shapes.sort_by(|a, b| a.0.total_cmp(&b.0));
    shapes.into_iter().for_each(|(_, polygon)| add(polygon));
    for ball in step.collisions.iter().flat_map(|collision| collision.portions.iter().flatten()) {
        let (p, r) = (view.point(ball.centre()), ball.radius() * SCALE);
        add(format!(
            "<circle class=\"portion\" cx=\"{:.1}\" cy=\"{:.1}\" r=\"{r:.1}\" fill=\"#e53935\" fill-opacity=\"0.35\" stroke=\"#b71c1c\" stroke-width=\"0.6\"/>",
            p.x, p.y
        ));
    }
    let name = DVec2::new(corner.x + 8.0, corner.y + 20.0);
    add(format!(
        "<text x=\"{:.1}\" y=\"{:.1}\" font-size=\"14\" fill=\"#555b60\">{}</text></g>",
        name.x, name.y, view.title
    ));
}

/// Fill and outline.
fn colours(body: &Body) -> (&'static str, &'static str) {
    match body.name.as_str() {
        "arm/tool" => ("#f9a825", "#8d5f00"),
        name if name.starts_with("arm/") => ("#90a4ae", "#455a64"),
        "conveyor/bed" => ("#cfd8dc", "#90a4ae"),
        _ => ("#81c784", "#2e7d32"),
    }
}

/// The convex hull of points (Andrew's chains).
fn hull(mut points: Vec<DVec2>) -> Vec<DVec2> {
    points.sort_by(|a, b| a.x.total_cmp(&b.x).then(a.y.total_cmp(&b.y)));
    let chain = |points: &mut dyn Iterator<Item = DVec2>| {
        let mut chain: Vec<DVec2> = Vec::new();
        for p in points {
            while let [.., a, b] = chain[..]
                && (b - a).perp_dot(p - b) <= 0.0
            {
                chain.pop();
            }
            chain.push(p);
        }
        chain.pop();
        chain
    };
    let mut outline = chain(&mut points.iter().copied());
    outline.extend(chain(&mut points.iter().rev().copied()));
    outline
}
