//! The same file with spheres for shapes.

use super::document::Described;
use crate::fault::{Fault, ReadError};
use crate::load::bytes_of;
use crate::xml::{self, Element};
use kansho_geom::Ball;
use std::fmt::Write;
use std::path::Path;

/// The text of a URDF in which the collision shapes of every link are replaced by balls, given in the order of the links.
///
/// Everything else stays as it is, byte for byte: joints, limits, inertia, what is looked at, comments. Numbers are written so
/// that reading them gives the same `f64`, so balls that cover a link still do. Lines end with `\n`.
///
/// # Errors
/// The file cannot be read, or has not as many links as there are lists of balls.
pub fn with_spheres(path: &Path, links: &[Vec<Ball>]) -> Result<String, ReadError> {
    let refuse = |fault: Fault| ReadError { path: path.to_owned(), faults: vec![fault] };
    let bytes = bytes_of(path).map_err(|what| refuse(Fault::of_file(what)))?;
    let text = xml::text_of(&bytes).map_err(refuse)?;
    let document = xml::parse(&text).map_err(|bad| refuse(bad.into_fault(&text)))?;
    let described = Described::of(document.root_element());
    if described.links.len() != links.len() {
        let what =
            format!("{} links are covered by spheres, the file has {}", links.len(), described.links.len());
        return Err(refuse(Fault::of_file(what)));
    }
    let mut new = String::with_capacity(text.len());
    let mut copied = 0;
    for (link, balls) in described.links.iter().zip(links) {
        for (k, collision) in link.collisions.iter().enumerate() {
            let span = collision.range();
            let indent = indent_of(&text, span.start);
            let kept = &text[copied..span.start];
            if k == 0 {
                new += kept;
                write_balls(&mut new, balls, indent);
            } else {
                // The line that this one leaves empty goes with it.
                new += kept.strip_suffix(indent).and_then(|kept| kept.strip_suffix('\n')).unwrap_or(kept);
            }
            copied = span.end;
        }
    }
    new += &text[copied..];
    // What declares another encoding was decoded by then.
    Ok(as_utf8(new, document.root_element()))
}

/// Blanks between the beginning of the line and an element, if there is nothing else.
fn indent_of(text: &str, start: usize) -> &str {
    let line = text[..start].rfind('\n').map_or(0, |end| end + 1);
    let before = &text[line..start];
    if before.trim().is_empty() { before } else { "" }
}

fn write_balls(text: &mut String, balls: &[Ball], indent: &str) {
    for (k, ball) in balls.iter().enumerate() {
        let [x, y, z] = ball.centre().to_array();
        let separator = if k == 0 { "" } else { "\n" };
        let indent = if k == 0 { "" } else { indent };
        write!(
            text,
            "{separator}{indent}<collision><origin xyz=\"{x} {y} {z}\"/><geometry><sphere radius=\"{}\"/></geometry></collision>",
            ball.radius()
        )
        .expect("writing to a string succeeds");
    }
}

/// A declaration of UTF-16 would be wrong now.
fn as_utf8(text: String, root: Element) -> String {
    let head = text.find("?>").filter(|end| text.starts_with("<?xml") && *end < root.range().start);
    match head {
        Some(end) if text[..end].to_ascii_lowercase().contains("utf-16") => {
            format!("<?xml version=\"1.0\" encoding=\"UTF-8\"{}", &text[end..])
        }
        _ => text,
    }
}
