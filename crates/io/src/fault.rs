//! What is wrong with a file, and where.

use std::borrow::Cow;
use std::fmt;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// One thing that is wrong (or odd) in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Where.
    pub place: Place,
    /// What, in one sentence without a full stop.
    pub what: String,
    /// What the user could do about it.
    pub help: Option<String>,
}

/// A place in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// The file as a whole.
    File,
    /// A word or line of text.
    Line {
        /// Line, from 1.
        line: u32,
        /// Column in characters, from 1.
        column: u32,
        /// Length of the faulty part in characters; at least 1.
        length: u32,
        /// The line itself; if it is very long, the part around the fault.
        quote: String,
        /// Where in the quote the faulty part begins, in characters from 0.
        mark: u32,
    },
    /// An offset in bytes, from 0.
    Byte(u64),
    /// A named or numbered part, such as `mesh 2, primitive 0` or `triangle 17`.
    Part(String),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File => Ok(()),
            Self::Line { line, column, .. } => write!(f, "line {line}, column {column}"),
            Self::Byte(byte) => write!(f, "byte {byte}"),
            Self::Part(part) => f.write_str(&printable(part)),
        }
    }
}

/// A text with control characters as what they are called: words of a file are quoted in messages, and a terminal would obey them.
pub(crate) fn printable(text: &str) -> Cow<'_, str> {
    if !text.contains(char::is_control) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        if c.is_control() { shown.extend(c.escape_default()) } else { shown.push(c) }
    }
    Cow::Owned(shown)
}

impl Fault {
    /// A fault of the whole file.
    pub fn of_file(what: impl Into<String>) -> Self {
        Self { place: Place::File, what: what.into(), help: None }
    }

    /// A fault at a byte.
    pub fn at_byte(byte: usize, what: impl Into<String>) -> Self {
        Self { place: Place::Byte(byte as u64), what: what.into(), help: None }
    }

    /// A fault of a named part.
    pub fn of_part(part: impl Into<String>, what: impl Into<String>) -> Self {
        Self { place: Place::Part(part.into()), what: what.into(), help: None }
    }

    /// The same fault with advice.
    #[must_use]
    pub fn with_help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.place {
            Place::File => {}
            _ => write!(f, "{}: ", self.place)?,
        }
        f.write_str(&printable(&self.what))
    }
}

/// How the parts of a message look.
pub trait Paint {
    /// The word that says which kind of message it is.
    fn kind(&self, text: &str) -> String;
    /// What it is about.
    fn strong(&self, text: &str) -> String;
    /// What leads the eye.
    fn dim(&self, text: &str) -> String;
    /// What is underlined.
    fn mark(&self, text: &str) -> String;
}

/// As it is.
#[derive(Clone, Copy, Debug)]
pub struct Plain;

impl Paint for Plain {
    fn kind(&self, text: &str) -> String {
        text.to_owned()
    }

    fn strong(&self, text: &str) -> String {
        text.to_owned()
    }

    fn dim(&self, text: &str) -> String {
        text.to_owned()
    }

    fn mark(&self, text: &str) -> String {
        text.to_owned()
    }
}

/// A message in the shape that compilers use: what, where, the line quoted and underlined, advice. Ends with a line feed. Control
/// characters that come from a file are spelt out.
#[must_use]
pub fn message(kind: &str, path: &Path, fault: &Fault, paint: &dyn Paint) -> String {
    let path = path.display().to_string();
    let path = printable(&path);
    let arrow = paint.dim(" -->");
    let mut text =
        format!("{}{}\n", paint.kind(kind), paint.strong(&format!(": {}", printable(&fault.what))));
    let mut gutter = 1;
    let mut line_of =
        |words: fmt::Arguments<'_>| writeln!(text, "{words}").expect("writing to a string succeeds");
    match &fault.place {
        Place::File => line_of(format_args!("{arrow} {path}")),
        Place::Line { line, column, length, quote, mark } => {
            gutter = line.to_string().len();
            let (pad, shift) = (" ".repeat(gutter), " ".repeat(*mark as usize));
            let (arrow, bar, numbered) = (paint.dim("-->"), paint.dim("|"), paint.dim(&format!("{line} |")));
            let carets = paint.mark(&"^".repeat((*length).max(1) as usize));
            line_of(format_args!("{pad}{arrow} {path}:{line}:{column} (line {line})"));
            line_of(format_args!("{pad} {bar}"));
            line_of(format_args!("{numbered} {}", printable(quote)));
            line_of(format_args!("{pad} {bar} {shift}{carets}"));
        }
        Place::Byte(byte) => line_of(format_args!("{arrow} {path}, byte {byte}")),
        Place::Part(part) => line_of(format_args!("{arrow} {path}, {}", printable(part))),
    }
    if let Some(help) = &fault.help {
        line_of(format_args!("{} {} {}", " ".repeat(gutter), paint.dim("= help:"), printable(help)));
    }
    text
}

/// Why a file was refused: every fault that was found, at least one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadError {
    /// The file.
    pub path: PathBuf,
    /// What is wrong with it.
    pub faults: Vec<Fault>,
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.path.display().to_string();
        let path = printable(&path);
        for (index, fault) in self.faults.iter().enumerate() {
            let gap = if index == 0 { "" } else { "\n" };
            write!(f, "{gap}{path}: {fault}")?;
        }
        Ok(())
    }
}

impl std::error::Error for ReadError {}

/// An oddity of a usable file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning {
    /// The file.
    pub path: PathBuf,
    /// What is odd about it.
    pub fault: Fault,
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", printable(&self.path.display().to_string()), self.fault)
    }
}

/// Why a file could not be written. Nothing is left behind at its path.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}: {}", printable(&path.display().to_string()), printable(what))]
pub struct WriteError {
    /// The file.
    pub path: PathBuf,
    /// What went wrong.
    pub what: String,
}

/// Collects faults up to a limit, so that a hopeless file gives a readable answer.
#[derive(Debug, Default)]
pub(crate) struct Faults {
    found: Vec<Fault>,
    more: usize,
}

impl Faults {
    /// Faults listed one by one; the rest is counted.
    const LISTED: usize = 20;

    pub(crate) fn push(&mut self, fault: Fault) {
        if self.found.len() < Self::LISTED {
            self.found.push(fault);
        } else {
            self.more += 1;
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    pub(crate) fn into_vec(mut self) -> Vec<Fault> {
        if self.more > 0 {
            self.found.push(Fault::of_file(format!("and {} more faults", self.more)));
        }
        self.found
    }

    /// `Ok` if nothing was pushed.
    pub(crate) fn into_result(self) -> Result<(), Vec<Fault>> {
        if self.is_empty() { Ok(()) } else { Err(self.into_vec()) }
    }
}

/// The first twenty of some faults, and how many more there are. Only those that are listed are looked up in their file.
#[must_use]
pub fn listed<T>(all: impl ExactSizeIterator<Item = T>, fault: impl FnMut(T) -> Fault) -> Vec<Fault> {
    let more = all.len().saturating_sub(Faults::LISTED);
    let mut faults: Vec<Fault> = all.take(Faults::LISTED).map(fault).collect();
    faults.extend((more > 0).then(|| Fault::of_file(format!("and {more} more faults"))));
    faults
}

/// Counts one kind of oddity and keeps the first place, for one warning instead of thousands.
#[derive(Debug, Default)]
pub(crate) struct Counted {
    count: usize,
    first: Option<Place>,
}

impl Counted {
    pub(crate) fn add(&mut self, place: impl FnOnce() -> Place) {
        self.count += 1;
        if self.first.is_none() {
            self.first = Some(place());
        }
    }

    /// A warning at the first place, worded for the count, if there was any.
    pub(crate) fn warning(self, what: impl FnOnce(usize) -> String) -> Option<Fault> {
        self.first.map(|place| Fault { place, what: what(self.count), help: None })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file that says `ESC ]0;...` must not be able to speak to the terminal of whoever reads the message.
    #[test]
    fn control_characters_are_spelt_out() {
        let path = Path::new("a\u{1b}[2Jb");
        for place in [Place::File, Place::Part("mesh \u{7}".into()), Place::Byte(7)] {
            let fault = Fault {
                place,
                what: "'\u{1b}]0;x\u{7}\r' is no number".into(),
                help: Some("\u{9b}1m".into()),
            };
            let text = message("error", path, &fault, &Plain);
            assert!(text.lines().all(|line| !line.contains(char::is_control)), "{text:?}");
            assert!(text.contains("'\\u{1b}]0;x\\u{7}\\r' is no number"), "{text}");
            let error = ReadError { path: path.to_owned(), faults: vec![fault] };
            assert!(!error.to_string().contains(char::is_control), "{error}");
        }
    }
}
