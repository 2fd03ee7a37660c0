//! Faults and warnings on their way to the user.

use super::xml::{self, Element};
use crate::fault::{Counted, Fault, Faults, Place};
use crate::mesh::raw::OddOutlines;
use crate::text;
use std::ops::Range;

/// Faults that are given a place. Finding the line means counting through the file, so in a file of faults not all of
/// them get one.
const PLACED: usize = 64;

/// A fault that knows its bytes in the text, but not yet its line.
#[derive(Debug)]
pub(super) struct Bad {
    pub(super) span: Range<usize>,
    pub(super) what: String,
    pub(super) help: Option<String>,
}

impl Bad {
    /// A fault at the opening tag of an element.
    pub(super) fn at(element: Element, what: impl Into<String>) -> Self {
        let start = element.range().start;
        Self { span: start..start + 1 + xml::tag(element).len(), what: what.into(), help: None }
    }

    #[must_use]
    pub(super) fn with_help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    pub(super) fn into_fault(self, text: &str) -> Fault {
        Fault { place: place(text, self.span), what: self.what, help: self.help }
    }
}

/// Everything that is to be said about a file.
pub(super) struct Report<'a> {
    pub(super) text: &'a str,
    faults: Faults,
    /// Where and what has been said: an element that is placed many times is reported once.
    said: Vec<(usize, String)>,
    warnings: Vec<Fault>,
    pub(super) lines: Counted,
    pub(super) outlines: OddOutlines,
    pub(super) controllers: Counted,
    pub(super) without_mesh: Counted,
}

impl<'a> Report<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self {
            text,
            faults: Faults::default(),
            said: Vec::new(),
            warnings: Vec::new(),
            lines: Counted::default(),
            outlines: OddOutlines::default(),
            controllers: Counted::default(),
            without_mesh: Counted::default(),
        }
    }

    pub(super) fn fault(&mut self, bad: Bad) {
        if self.said.iter().any(|(start, what)| *start == bad.span.start && *what == bad.what) {
            return;
        }
        if self.said.len() == PLACED {
            self.faults.push(Fault { place: Place::File, what: bad.what, help: bad.help });
            return;
        }
        self.said.push((bad.span.start, bad.what.clone()));
        self.faults.push(bad.into_fault(self.text));
    }

    /// The value, or nothing after its fault has been noted.
    pub(super) fn keep<T>(&mut self, result: Result<T, Bad>) -> Option<T> {
        result.map_err(|bad| self.fault(bad)).ok()
    }

    pub(super) fn warn(&mut self, warning: Fault) {
        self.warnings.push(warning);
    }

    pub(super) fn is_clean(&self) -> bool {
        self.faults.is_empty()
    }

    pub(super) fn place(&self, element: Element) -> Place {
        place(self.text, Bad::at(element, "").span)
    }

    /// All warnings if there were no faults, else all faults.
    pub(super) fn into_warnings(self) -> Result<Vec<Fault>, Vec<Fault>> {
        self.faults.into_result()?;
        let counted = [
            self.lines.warning(|n| format!("{} left out: lines have no surface", many(n, "set", "of lines"))),
            self.controllers.warning(|n| {
                format!(
                    "{}: the undeformed mesh is taken, skinning and morphing are not applied",
                    many(n, "instance", "of a controller")
                )
            }),
            self.without_mesh.warning(|n| format!("{} without a mesh placed", many(n, "geometry", ""))),
        ];
        let mut warnings = self.warnings;
        warnings.extend(self.outlines.warnings());
        warnings.extend(counted.into_iter().flatten());
        Ok(warnings)
    }
}

/// A number with its noun, `2 sets of lines`.
pub(super) fn many(n: usize, noun: &str, rest: &str) -> String {
    let plural = match noun.strip_suffix('y') {
        _ if n == 1 => noun.to_owned(),
        Some(stem) => format!("{stem}ies"),
        None => format!("{noun}s"),
    };
    format!("{n} {plural} {rest}").trim_end().to_owned()
}

/// The line on which an element opens.
pub(super) fn line(text: &str, element: Element) -> usize {
    1 + newlines(&text.as_bytes()[..element.range().start])
}

fn newlines(text: &[u8]) -> usize {
    text.iter().filter(|&&c| c == b'\n').count()
}

/// The line and column of a span of the text. What reaches beyond the line is cut off.
fn place(text: &str, span: Range<usize>) -> Place {
    let bytes = text.as_bytes();
    let start = span.start.min(bytes.len());
    let line_start = bytes[..start].iter().rposition(|&c| c == b'\n').map_or(0, |end| end + 1);
    let line_end =
        bytes[start..].iter().position(|&c| c == b'\n').map_or(bytes.len(), |length| start + length);
    let line = u32::try_from(1 + newlines(&bytes[..start])).unwrap_or(u32::MAX);
    let length = span.end.clamp(start, line_end) - start;
    text::place_in_line(&bytes[line_start..line_end], line, start - line_start, length)
}
