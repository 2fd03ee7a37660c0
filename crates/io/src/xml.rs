//! XML documents: elements, words, and where they stand.

use crate::fault::{Fault, Place};
use crate::text::{self, Word};
use roxmltree::{Document, Error, Node};
use std::borrow::Cow;
use std::ops::Range;

/// Attributes that one element may have, and namespace prefixes that a document may declare.
///
/// The parser compares each of them with all others, so that without a limit a small file could keep it busy for hours.
/// COLLADA and URDF need ten and two.
const MAX_ATTRIBUTES: usize = 64;
const MAX_PREFIXES: usize = 32;

pub(crate) type Element<'a> = Node<'a, 'a>;

/// A fault that knows its bytes in the text, but not yet its line.
#[derive(Debug)]
pub(crate) struct Bad {
    pub(crate) span: Range<usize>,
    pub(crate) what: String,
    pub(crate) help: Option<String>,
}

impl Bad {
    /// A fault at the opening tag of an element.
    pub(crate) fn at(element: Element, what: impl Into<String>) -> Self {
        let start = element.range().start;
        Self { span: start..start + 1 + tag(element).len(), what: what.into(), help: None }
    }

    #[must_use]
    pub(crate) fn with_help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    pub(crate) fn into_fault(self, text: &str) -> Fault {
        Fault { place: place(text, self.span), what: self.what, help: self.help }
    }
}

/// The text of a file, whatever of the encodings that XML demands it is in, with `\n` at the end of lines, as XML wants
/// it seen.
pub(crate) fn text_of(bytes: &[u8]) -> Result<Cow<'_, str>, Fault> {
    if bytes.starts_with(b"<\0") || bytes.starts_with(b"\0<") {
        return Err(
            Fault::at_byte(0, "the text is UTF-16 without a byte-order mark").with_help("save it as UTF-8")
        );
    }
    let text = match text::decoded(bytes) {
        Cow::Borrowed(text) => {
            let skipped = bytes.len() - text.len();
            let utf8 = std::str::from_utf8(text);
            Cow::Borrowed(utf8.map_err(|error| not_utf8(bytes, skipped + error.valid_up_to()))?)
        }
        Cow::Owned(text) => {
            Cow::Owned(String::from_utf8(text).map_err(|e| not_utf8(bytes, e.utf8_error().valid_up_to()))?)
        }
    };
    if text.contains('\r') {
        return Ok(Cow::Owned(text.replace("\r\n", "\n").replace('\r', "\n")));
    }
    Ok(text)
}

fn not_utf8(bytes: &[u8], byte: usize) -> Fault {
    let value = bytes.get(byte).copied().unwrap_or_default();
    let declared = match declared_encoding(bytes) {
        Some(name) if !name.eq_ignore_ascii_case("utf-8") => {
            format!("; the XML declaration names the encoding '{}', which is not read", shown(name))
        }
        _ => String::new(),
    };
    Fault::at_byte(byte, format!("the text is not UTF-8: 0x{value:02X} cannot stand here{declared}"))
        .with_help("save it as UTF-8")
}

/// What the XML declaration at the start of a file says about its encoding.
fn declared_encoding(bytes: &[u8]) -> Option<&str> {
    let head = &bytes[..bytes.len().min(256)];
    let head = head.utf8_chunks().next()?.valid();
    let declaration = head.trim_start_matches('\u{feff}').strip_prefix("<?xml")?.split("?>").next()?;
    let value = declaration.split_once("encoding")?.1.trim_start().strip_prefix('=')?.trim_start();
    let quote = value.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    value[1..].split(quote).next()
}

/// The document of a text. Document type definitions are refused: they can make a small file expand without end.
pub(crate) fn parse(text: &str) -> Result<Document<'_>, Bad> {
    unreasonable(text).map_or(Ok(()), Err)?;
    Document::parse(text).map_err(|error| syntax(text, &error))
}

/// What in a text the parser had better not be asked to parse.
fn unreasonable(text: &str) -> Option<Bad> {
    let bytes = text.as_bytes();
    let mut prefixes = Vec::new();
    let mut at = 0;
    while let Some(distance) = bytes[at..].iter().position(|&c| c == b'<') {
        at += distance;
        let rest = &bytes[at..];
        at += if rest.starts_with(b"<!--") {
            past(rest, b"-->")
        } else if rest.starts_with(b"<![CDATA[") {
            past(rest, b"]]>")
        } else if rest.starts_with(b"<?") {
            past(rest, b"?>")
        } else if rest.starts_with(b"<!DOCTYPE") {
            let what = "a document type definition (<!DOCTYPE>) is refused: no file here needs one";
            let bad = Bad { span: at..at + b"<!DOCTYPE".len(), what: what.into(), help: None };
            return Some(bad.with_help("remove it"));
        } else {
            match past_tag(rest, &mut prefixes) {
                Ok(length) => length,
                Err(what) => return Some(Bad { span: at..at + 1, what, help: None }),
            }
        };
    }
    None
}

/// How far to go to stand behind a mark.
fn past(text: &[u8], mark: &[u8]) -> usize {
    text.windows(mark.len()).position(|window| window == mark).map_or(text.len(), |at| at + mark.len())
}

/// How far to go to stand behind a tag, unless it has too many attributes.
fn past_tag<'a>(text: &'a [u8], prefixes: &mut Vec<&'a [u8]>) -> Result<usize, String> {
    let mut quote = None;
    let mut attributes = 0;
    for (at, &c) in text.iter().enumerate().skip(1) {
        match (quote, c) {
            (Some(open), _) if c == open => quote = None,
            (Some(_), _) => {}
            (None, b'"' | b'\'') => {
                quote = Some(c);
                attributes += 1;
                if attributes > MAX_ATTRIBUTES {
                    return Err(format!("an element with more than {MAX_ATTRIBUTES} attributes"));
                }
            }
            (None, b'>') => return Ok(at + 1),
            (None, b'<') => return Ok(at), // Not XML, as the parser will say.
            (None, b'x') if text[at..].starts_with(b"xmlns:") => {
                let name =
                    text[at..].split(|c| *c == b'=' || c.is_ascii_whitespace()).next().unwrap_or_default();
                if !prefixes.contains(&name) {
                    prefixes.push(name);
                }
                if prefixes.len() > MAX_PREFIXES {
                    return Err(format!("more than {MAX_PREFIXES} namespace prefixes"));
                }
            }
            (None, _) => {}
        }
    }
    Ok(text.len())
}

/// An error of the parser in our words.
fn syntax(text: &str, error: &Error) -> Bad {
    let end = text.trim_end().len();
    let bad = |span: Range<usize>, what: String| Bad { span, what, help: None };
    match error {
        Error::UnclosedRootNode | Error::UnexpectedEndOfStream => bad(
            end.saturating_sub(1)..end,
            "the text ends in the middle of the XML: elements are still open, the file is incomplete".into(),
        ),
        Error::NoRootNode => bad(0..1, "there is no XML element in this file".into()),
        _ => {
            let position = error.pos();
            let what = error.to_string().replace(&format!(" at {position}"), "");
            let start = offset(text, position.row as usize, position.col as usize);
            bad(start..start + 1, format!("this is not XML: {what}"))
        }
    }
}

/// The byte at a line and column, both from 1.
fn offset(text: &str, line: usize, column: usize) -> usize {
    let before: usize = text.split_inclusive('\n').take(line - 1).map(str::len).sum();
    let in_line = text[before..].char_indices().nth(column.saturating_sub(1));
    before + in_line.map_or(text.len() - before, |(at, _)| at)
}

/// The name of an element: as it is known if the element has no namespace or that of the root, and with its prefix (`sim:link`) if it is
/// of another language. A name with a prefix is none that a reader here knows.
pub(crate) fn tag<'a>(element: Element<'a>) -> &'a str {
    if !is_foreign(element) {
        return element.tag_name().name();
    }
    let rest = &element.document().input_text()[element.range().start + 1..];
    let end = rest.find(|c: char| c.is_ascii_whitespace() || c == '/' || c == '>').unwrap_or(rest.len());
    match &rest[..end] {
        name if name.contains(':') => name,
        // A default namespace of its own has no prefix: the namespace itself is shown.
        _ => element.tag_name().namespace().unwrap_or("?"),
    }
}

/// Whether an element is of another language than the root: it has a namespace, and another one.
pub(crate) fn is_foreign(element: Element<'_>) -> bool {
    let namespace = element.tag_name().namespace();
    namespace.is_some() && namespace != element.document().root_element().tag_name().namespace()
}

/// The elements in an element that have this name.
pub(crate) fn children<'a>(element: Element<'a>, name: &'a str) -> impl Iterator<Item = Element<'a>> {
    element.children().filter(move |child| tag(*child) == name)
}

/// The first element in an element that has this name.
pub(crate) fn child<'a>(element: Element<'a>, name: &'a str) -> Option<Element<'a>> {
    children(element, name).next()
}

/// The text in an element, however many comments and sections divide it.
pub(crate) fn content<'a>(element: Element<'a>) -> Cow<'a, str> {
    let mut texts = element.children().filter(Node::is_text).filter_map(|node| node.text());
    match (texts.next(), texts.next()) {
        (None, _) => Cow::Borrowed(""),
        (Some(only), None) => Cow::Borrowed(only),
        (Some(first), Some(second)) => Cow::Owned([first, second].into_iter().chain(texts).collect()),
    }
}

/// An element for messages: its name and its id.
pub(crate) fn label(element: Element) -> String {
    match element.attribute("id").or_else(|| element.attribute("name")) {
        Some(id) => format!("{} '{}'", tag(element), shown(id)),
        None => format!("<{}>", shown(tag(element))),
    }
}

/// Part of the text for messages.
pub(crate) fn shown(text: &str) -> String {
    text::shortened(text.as_bytes(), 60)
}

/// A fault at a word of an element's text.
pub(crate) fn bad_word(element: Element, word: &str, what: String) -> Bad {
    let text = element.document().input_text();
    let start = (word.as_ptr() as usize).wrapping_sub(text.as_ptr() as usize);
    // Text that was put together from several pieces does not stand in the file: the element does.
    if start < text.len() {
        Bad { span: start..start + word.len(), what, help: None }
    } else {
        Bad::at(element, what)
    }
}

/// The numbers in an element that must have just as many.
pub(crate) fn exactly<const N: usize>(element: Element) -> Result<[f64; N], Bad> {
    let text = content(element);
    let mut all = [0.0; N];
    let mut count = 0;
    for word in text.split_ascii_whitespace() {
        match word.parse::<f64>() {
            Ok(number) if number.is_finite() => {
                if let Some(place) = all.get_mut(count) {
                    *place = number;
                }
            }
            _ => return Err(not_a_number(element, word)),
        }
        count += 1;
    }
    if count == N {
        Ok(all)
    } else {
        Err(Bad::at(element, format!("<{}> needs {N} numbers, this has {count}", tag(element))))
    }
}

pub(crate) fn not_a_number(element: Element, word: &str) -> Bad {
    let fault = Word { text: word.as_bytes(), line_text: word.as_bytes(), line: 1 }.number().err();
    let (what, help) = fault.map_or_else(Default::default, |fault| (fault.what, fault.help));
    Bad { help, ..bad_word(element, word, what) }
}

/// A whole number as attribute, if it is there.
pub(crate) fn whole(element: Element, name: &str) -> Result<Option<usize>, Bad> {
    let Some(attribute) = element.attribute_node(name) else { return Ok(None) };
    attribute.value().trim().parse().map(Some).map_err(|_| {
        let what = format!("{name}=\"{}\" is not a whole number from 0", shown(attribute.value()));
        Bad { span: attribute.range(), what, help: None }
    })
}

/// Faults that are given a place.
pub(crate) const PLACED: usize = 64;

/// Faults with their places, up to a limit: finding a line means counting through the file.
pub(crate) fn faults_of(bad: Vec<Bad>, text: &str) -> Vec<Fault> {
    let more = bad.len().saturating_sub(PLACED);
    let mut faults: Vec<Fault> = bad.into_iter().take(PLACED).map(|bad| bad.into_fault(text)).collect();
    if more > 0 {
        faults.push(Fault::of_file(format!("and {more} more faults")));
    }
    faults
}

/// The line on which an element opens.
pub(crate) fn line(text: &str, element: Element) -> usize {
    1 + newlines(&text.as_bytes()[..element.range().start])
}

fn newlines(text: &[u8]) -> usize {
    text.iter().filter(|&&c| c == b'\n').count()
}

/// The line and column of a span of the text. What reaches beyond the line is cut off.
pub(crate) fn place(text: &str, span: Range<usize>) -> Place {
    let bytes = text.as_bytes();
    let start = span.start.min(bytes.len());
    let line_start = bytes[..start].iter().rposition(|&c| c == b'\n').map_or(0, |end| end + 1);
    let line_end =
        bytes[start..].iter().position(|&c| c == b'\n').map_or(bytes.len(), |length| start + length);
    let line = u32::try_from(1 + newlines(&bytes[..start])).unwrap_or(u32::MAX);
    let length = span.end.clamp(start, line_end) - start;
    text::place_in_line(&bytes[line_start..line_end], line, start - line_start, length)
}
