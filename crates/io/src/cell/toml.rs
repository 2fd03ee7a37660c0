//! TOML with the place of every key and value, and typed access that notes each fault and goes on.

use super::schema::Key;
use crate::fault::{Fault, Faults, Place};
use crate::load::bytes_of;
use crate::text::{decoded, place_in_line};
use ::toml::Spanned;
use ::toml::de::{DeTable, DeValue};
use kansho_cell::nearest_name;
use std::ops::Range;
use std::path::Path;

/// Bytes of the text.
pub(crate) type Where = Range<usize>;

/// Something and where it stands.
#[derive(Clone, Debug)]
pub(crate) struct Located<T> {
    pub(crate) value: T,
    pub(crate) at: Where,
}

/// Faults whose lines are looked up; fewer are told.
const PLACED: usize = 100;

/// Faults of one text, collected out of order.
pub(crate) struct Report<'t> {
    text: &'t str,
    found: Vec<Noted>,
}

/// A fault whose line is looked up only if it is told: a hopeless text has more than anyone reads.
pub(crate) struct Noted {
    /// Nothing for the file as a whole.
    at: Option<Where>,
    what: String,
    pub(crate) help: Option<String>,
}

impl<'t> Report<'t> {
    pub(crate) fn new(text: &'t str) -> Self {
        Self { text, found: Vec::new() }
    }

    /// Notes a fault; the caller may add help to it.
    pub(crate) fn note(&mut self, at: &Where, what: impl Into<String>) -> &mut Noted {
        self.add(Noted { at: Some(at.clone()), what: what.into(), help: None })
    }

    /// Notes a fault of the file as a whole.
    pub(crate) fn note_file(&mut self, what: impl Into<String>) -> &mut Noted {
        self.add(Noted { at: None, what: what.into(), help: None })
    }

    fn add(&mut self, noted: Noted) -> &mut Noted {
        self.found.push(noted);
        self.found.last_mut().expect("one was pushed")
    }

    /// All faults in the order of the text, those of the whole file last.
    pub(crate) fn into_faults(mut self) -> Vec<Fault> {
        self.found.sort_by_key(|noted| noted.at.as_ref().map_or(usize::MAX, |at| at.start));
        let mut faults = Faults::default();
        let text = self.text.as_bytes();
        for (index, Noted { at, what, help }) in self.found.into_iter().enumerate() {
            // Those that are only counted need no place.
            let at = at.filter(|_| index < PLACED);
            let place = at.map_or(Place::File, |at| place_of(text, &at));
            faults.push(Fault { place, what, help });
        }
        faults.into_vec()
    }
}

/// Number of the line of a byte, from 1.
fn line_of(text: &[u8], byte: usize) -> usize {
    1 + text[..byte.min(text.len())].iter().filter(|&&c| c == b'\n').count()
}

/// The place of some bytes of a text; what goes beyond the end of its line is cut off.
pub(crate) fn place_of(text: &[u8], at: &Where) -> Place {
    let start = at.start.min(text.len());
    let line_start = text[..start].iter().rposition(|&c| c == b'\n').map_or(0, |newline| newline + 1);
    let line_end = text[start..].iter().position(|&c| c == b'\n').map_or(text.len(), |length| start + length);
    let line = line_of(text, line_start);
    let line_text = text[line_start..line_end].trim_ascii_end();
    place_in_line(line_text, line as u32, start - line_start, at.end.saturating_sub(start))
}

/// The text of a TOML file of at most so many bytes; `what` says what kind of file that is, as in "a job file".
pub(crate) fn text_of(path: &Path, what: &str, most: usize) -> Result<String, Fault> {
    let bytes = bytes_of(path).map_err(Fault::of_file)?;
    if bytes.len() > most {
        return Err(Fault::of_file(format!("{what} is not larger than {most} bytes")));
    }
    let decoded = decoded(&bytes);
    let text = std::str::from_utf8(&decoded).map_err(|error| {
        let byte = error.valid_up_to();
        let place = place_of(&decoded, &(byte..byte + 1));
        Fault { place, what: "the file is not UTF-8".into(), help: None }
    })?;
    Ok(text.to_owned())
}

/// The tables of a text.
///
/// # Errors
/// What is not TOML: the first fault of each line, because the others mostly follow from it.
pub(crate) fn parse(text: &str) -> Result<Spanned<DeTable<'_>>, Vec<Fault>> {
    let (table, errors) = DeTable::parse_recoverable(text);
    if errors.is_empty() {
        return Ok(table);
    }
    let mut report = Report::new(text);
    let mut errors: Vec<(Where, &str)> =
        errors.iter().map(|error| (error.span().unwrap_or_default(), error.message())).collect();
    errors.sort_by_key(|(at, _)| at.start);
    errors.truncate(PLACED); // Each costs a walk to its line.
    errors.dedup_by_key(|(at, _)| line_of(text.as_bytes(), at.start));
    for (at, message) in errors {
        report.note(&at, format!("this is not TOML: {message}"));
    }
    Err(report.into_faults())
}

/// The form of cells, jobs and scripts that this version reads and writes.
pub(crate) const FORMAT: i64 = 1;

/// The tables of a file that says which form it has in the key `format`; without that it has the first one. `what` says what kind of file it is,
/// as in "this cell".
///
/// # Errors
/// What is not TOML; a form that is not known, and then nothing else: its keys may mean something else.
pub(crate) fn parse_file<'a>(text: &'a str, what: &str) -> Result<Spanned<DeTable<'a>>, Vec<Fault>> {
    let table = parse(text)?;
    if let Some(fault) = other_kind(table.get_ref(), what) {
        return Err(vec![fault]);
    }
    let Some(format) = table.get_ref().get("format") else { return Ok(table) };
    let number = match format.get_ref() {
        DeValue::Integer(number) => i64::from_str_radix(number.as_str(), number.radix()).ok(),
        _ => None,
    };
    if number == Some(FORMAT) {
        return Ok(table);
    }
    let mut report = Report::new(text);
    match number {
        Some(newer) if newer > FORMAT => {
            report
                .note(
                    &format.span(),
                    format!("{what} has format {newer}, and this kansho reads format {FORMAT}"),
                )
                .help = Some("a newer kansho reads it".into());
        }
        _ => {
            report.note(
                &format.span(),
                format!("format is a number of a form: {FORMAT} is the only one so far"),
            );
        }
    }
    Err(report.into_faults())
}

/// What a file is that has the keys of another kind of file than it was taken for.
fn other_kind(document: &DeTable<'_>, wanted: &str) -> Option<Fault> {
    let has = |key: &str| document.contains_key(key);
    let kind = match () {
        () if has("path") || has("tool_axis") => "job",
        () if has("moved") || (has("move") && has("fixed")) => "script",
        () if (has("robot") || has("object")) && !has("move") => "cell",
        () if has("language") && (has("base") || has("flange") || has("tools")) => "profile of a controller",
        () => return None,
    };
    // A script may name a robot, and a job a cell.
    let wanted = wanted.strip_prefix("this ").unwrap_or(wanted);
    if kind == wanted {
        return None;
    }
    let help = match kind {
        "job" => {
            let cell = document.get("cell").and_then(|cell| cell.get_ref().as_str()).unwrap_or("cell.toml");
            format!("kansho plan plans it; its cell is \"{}\"", shown(cell))
        }
        "script" => "kansho script runs it".to_owned(),
        "cell" => "kansho check and kansho view take it".to_owned(),
        _ => "it goes with a robot program: ⟦profile⟧".to_owned(),
    };
    Some(Fault::of_file(format!("this is a {kind}, and not a {wanted}")).with_help(help))
}

/// A table whose keys are all known.
pub(crate) struct Table<'a> {
    entries: &'a DeTable<'a>,
    /// Its header, or the braces and what is between them.
    pub(crate) at: Where,
}

impl<'a> Table<'a> {
    /// Notes keys that `what` does not have, and those that it must have.
    pub(crate) fn new(
        entries: &'a DeTable<'a>,
        at: Where,
        what: &str,
        keys: &[Key],
        report: &mut Report,
    ) -> Self {
        for key in entries.keys().filter(|key| keys.iter().all(|known| known.name != key.get_ref().as_ref()))
        {
            let name = shown(key.get_ref());
            let names = || keys.iter().map(|known| known.name);
            let near = nearest_name(key.get_ref(), names());
            let question = near.map_or(String::new(), |near| format!("; did you mean \"{near}\"?"));
            let fault = report.note(&key.span(), format!("{what} has no key \"{name}\"{question}"));
            fault.help = Some(format!("known are {}", names().collect::<Vec<_>>().join(", ")));
        }
        let table = Self { entries, at };
        for key in keys.iter().filter(|key| key.required && table.get(key.name).is_none()) {
            report.note(&table.at, format!("{what} needs the key \"{}\"", key.name)).help =
                Some(key.about.to_owned());
        }
        table
    }

    /// What stands in it.
    pub(crate) fn entries(&self) -> &'a DeTable<'a> {
        self.entries
    }

    pub(crate) fn get(&self, key: &str) -> Option<Value<'a>> {
        self.entries.get(key).map(Value)
    }

    /// Where a key stands; the table if it does not.
    pub(crate) fn key_at(&self, key: &str) -> Where {
        self.entries.get_key_value(key).map_or(self.at.clone(), |(key, _)| key.span())
    }

    /// Which of these keys it has, in the order of the text.
    pub(crate) fn those_of(
        &self,
        keys: impl IntoIterator<Item = &'static str>,
    ) -> Vec<Located<&'static str>> {
        let found = keys.into_iter().filter(|key| self.get(key).is_some());
        let mut found: Vec<_> = found.map(|value| Located { value, at: self.key_at(value) }).collect();
        found.sort_by_key(|key| key.at.start);
        found
    }
}

/// A value of any type.
#[derive(Clone, Copy)]
pub(crate) struct Value<'a>(&'a Spanned<DeValue<'a>>);

impl<'a> Value<'a> {
    pub(crate) fn at(self) -> Where {
        self.0.span()
    }

    pub(crate) fn is_list(self) -> bool {
        self.0.get_ref().is_array()
    }

    pub(crate) fn is_text(self) -> bool {
        self.0.get_ref().is_str()
    }

    pub(crate) fn is_truth(self) -> bool {
        matches!(self.0.get_ref(), DeValue::Boolean(_))
    }

    pub(crate) fn is_table(self) -> bool {
        self.0.get_ref().is_table()
    }

    /// Notes that it is of the wrong type.
    fn expected<T>(self, what: &str, report: &mut Report) -> Option<T> {
        let found = match self.0.get_ref() {
            DeValue::String(_) => "a string",
            DeValue::Integer(_) | DeValue::Float(_) => "a number",
            DeValue::Boolean(_) => "true or false",
            DeValue::Datetime(_) => "a date or time",
            DeValue::Array(_) => "a list",
            DeValue::Table(_) => "a table",
        };
        report.note(&self.at(), format!("expected {what}, found {found}"));
        None
    }

    pub(crate) fn text(self, what: &str, report: &mut Report) -> Option<Located<&'a str>> {
        match self.0.get_ref() {
            DeValue::String(text) => Some(Located { value: text.as_ref(), at: self.at() }),
            _ => self.expected(what, report),
        }
    }

    pub(crate) fn texts(self, what: &str, report: &mut Report) -> Vec<Located<&'a str>> {
        let list = self.list("a list of strings", report).unwrap_or_default();
        list.into_iter().filter_map(|value| value.text(what, report)).collect()
    }

    pub(crate) fn number(self, report: &mut Report) -> Option<f64> {
        let number = match self.0.get_ref() {
            DeValue::Float(float) => float.as_str().parse().ok(),
            // Through f64, so that -0 keeps its sign and large numbers are rounded instead of refused.
            DeValue::Integer(integer) if integer.radix() == 10 => integer.as_str().parse().ok(),
            DeValue::Integer(integer) => {
                u64::from_str_radix(integer.as_str(), integer.radix()).ok().map(|integer| integer as f64)
            }
            _ => return self.expected("a number", report),
        };
        let finite = number.filter(|number: &f64| number.is_finite());
        if finite.is_none() {
            report.note(&self.at(), "this is not a finite number");
        }
        finite
    }

    pub(crate) fn truth(self, report: &mut Report) -> Option<bool> {
        match self.0.get_ref() {
            DeValue::Boolean(truth) => Some(*truth),
            _ => self.expected("true or false", report),
        }
    }

    pub(crate) fn numbers<const N: usize>(self, report: &mut Report) -> Option<[f64; N]> {
        let expected = format!("{N} numbers");
        let list = self.list(&expected, report)?;
        if list.len() != N {
            report.note(&self.at(), format!("expected {expected}, found {}", list.len()));
            return None;
        }
        let numbers: Vec<Option<f64>> = list.into_iter().map(|value| value.number(report)).collect();
        let numbers: Vec<f64> = numbers.into_iter().collect::<Option<_>>()?;
        numbers.try_into().ok()
    }

    pub(crate) fn list(self, what: &str, report: &mut Report) -> Option<Vec<Value<'a>>> {
        match self.0.get_ref() {
            DeValue::Array(list) => Some(list.iter().map(Value).collect()),
            _ => self.expected(what, report),
        }
    }

    /// The tables under `[[key]]`.
    pub(crate) fn tables(self, key: &str, report: &mut Report) -> Vec<Value<'a>> {
        if let DeValue::Table(_) = self.0.get_ref() {
            report.note(
                &self.at(),
                format!("there may be several of these: write [[{key}]] instead of [{key}]"),
            );
            return Vec::new();
        }
        self.list(&format!("[[{key}]]"), report).unwrap_or_default()
    }

    pub(crate) fn table(self, what: &str, keys: &[Key], report: &mut Report) -> Option<Table<'a>> {
        match self.0.get_ref() {
            DeValue::Table(entries) => Some(Table::new(entries, self.at(), what, keys, report)),
            _ => self.expected("a table", report),
        }
    }

    /// A table whose keys are names of the user's.
    pub(crate) fn entries(self, report: &mut Report) -> Vec<(Located<&'a str>, Value<'a>)> {
        match self.0.get_ref() {
            DeValue::Table(entries) => {
                let entry = |(key, value): (&'a Spanned<_>, &'a Spanned<_>)| {
                    let key: (&std::borrow::Cow<str>, Where) = (key.get_ref(), key.span());
                    (Located { value: key.0.as_ref(), at: key.1 }, Value(value))
                };
                entries.iter().map(entry).collect()
            }
            _ => self.expected("a table", report).unwrap_or_default(),
        }
    }
}

/// A name for messages, shortened and printable.
pub(crate) fn shown(name: &str) -> String {
    crate::text::shortened(name.as_bytes(), 40)
}
