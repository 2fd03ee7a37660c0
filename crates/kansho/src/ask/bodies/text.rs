//! What was found of two moving bodies, in words.

use super::{BodiesAnswer, BodiesContact, BodiesVerdict, FeatureAnswer, Interpolation, NamedFeature};
use std::fmt::Write;

impl BodiesAnswer {
    /// In words.
    #[must_use]
    pub fn text(&self) -> String {
        let mut text = String::new();
        let mut line = |words: String| writeln!(text, "{words}").expect("writing to a string succeeds");
        match &self.found {
            BodiesVerdict::Free { clearance } => {
                line(format!("free at every instant; the gap is at least {clearance:.6e} m"));
            }
            BodiesVerdict::Undecided { open: [from, to] } => {
                line(format!("undecided from t = {from} to {to}"))
            }
            BodiesVerdict::Touches(contact) => touching(contact, &mut line),
        }
        let [a, b] = self.shear;
        match (self.interpolate, self.inflated) {
            (Interpolation::Cubic | Interpolation::Linear, _) => line(format!(
                "  motion   exact for the cubics through the poses; max|R'R - I| is {a:.3e} of A, {b:.3e} of B",
            )),
            (_, Some(inflated)) => line(format!(
                "  motion   rigid, as it is; it differs from the cubics of the proof by at most {inflated:.3e} m, which was taken off",
            )),
            (_, None) => {}
        }
        line(format!("  work     {} spans, {} instants", self.spans, self.instants));
        text
    }
}

fn touching(contact: &BodiesContact, line: &mut impl FnMut(String)) {
    match contact.at_start {
        Some(how) => line(format!("overlap at the start: {how}")),
        None => line(format!("first contact at t = {} to {}", contact.t[0], contact.t[1])),
    }
    let of_triangle = |k: usize| match (contact.features[k], contact.triangles[k]) {
        (FeatureAnswer::Corner(corner), triangle) => format!("corner {corner} of triangle {triangle}"),
        (FeatureAnswer::Edge(edge), triangle) => format!("edge {edge} of triangle {triangle}"),
        (FeatureAnswer::Face, triangle) => format!("the face of triangle {triangle}"),
    };
    let feature = |k: usize| match contact.named[k] {
        Some(NamedFeature::Vertex { vertex }) => format!("vertex {vertex}"),
        Some(NamedFeature::Edge { edge, .. }) => format!("edge {edge}"),
        Some(NamedFeature::Face { face }) => format!("face {face}"),
        None => of_triangle(k),
    };
    line(format!("  between  {} of A and {} of B", feature(0), feature(1)));
    line(format!("  that is  {} and {}", of_triangle(0), of_triangle(1)));
    let [[x, y, z], _] = contact.points;
    line(format!("  point    ({x}, {y}, {z})"));
    if let Some([x, y, z]) = contact.normal {
        line(format!("  normal   ({x}, {y}, {z}), from A to B"));
    }
}
