//! Faults and warnings on their way to the user.

use crate::fault::{Counted, Fault, Faults, Place};
use crate::mesh::raw::OddOutlines;
use crate::xml::{Bad, Element, content, not_a_number, place};

/// Faults that are given a place. Finding the line means counting through the file, so in a file of faults not all of
/// them get one.
const PLACED: usize = 64;

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

    /// The numbers in an element; nothing if some are not finite numbers, after saying so.
    pub(super) fn numbers(&mut self, element: Element) -> Option<Vec<f64>> {
        let text = content(element);
        let mut all = Vec::new();
        let mut good = true;
        for word in text.split_ascii_whitespace() {
            match word.parse::<f64>() {
                Ok(number) if number.is_finite() => all.push(number),
                _ => {
                    good = false;
                    self.fault(not_a_number(element, word));
                }
            }
        }
        good.then_some(all)
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
