//! Values of YAML files with their lines. The parser is `saphyr-parser`; what it reads becomes a tree here, whole or not at all.

use saphyr_parser::{Event, Parser, ScalarStyle, Tag};
use std::borrow::Cow;

/// How deep values may be in each other.
const DEPTH: usize = 40;

/// A value with its line.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Node {
    pub(super) line: u32,
    pub(super) is: Is,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Is {
    Empty,
    Plain(String),
    List(Vec<Node>),
    Map(Vec<(String, Node)>),
}

/// What is wrong, and in which line.
pub(super) type Wrong = (u32, String);

impl Node {
    /// The value of a key.
    pub(super) fn get(&self, key: &str) -> Option<&Self> {
        self.entries().iter().find(|(name, _)| name == key).map(|(_, node)| node)
    }

    /// All keys with their values; none if it is no map.
    pub(super) fn entries(&self) -> &[(String, Self)] {
        match &self.is {
            Is::Map(all) => all,
            _ => &[],
        }
    }

    /// A finite number.
    pub(super) fn number(&self) -> Result<f64, Wrong> {
        let number = match &self.is {
            Is::Plain(text) => text.parse::<f64>().ok().filter(|number| number.is_finite()),
            _ => None,
        };
        number.ok_or_else(|| (self.line, "a finite number is missing here".into()))
    }

    /// A list; nothing is an empty one.
    pub(super) fn list(&self) -> Result<&[Self], Wrong> {
        match &self.is {
            Is::List(all) => Ok(all),
            Is::Empty => Ok(&[]),
            _ => Err((self.line, "a list is missing here".into())),
        }
    }

    /// Whether there is nothing in it.
    pub(super) fn is_empty(&self) -> bool {
        match &self.is {
            Is::Empty => true,
            Is::Plain(text) => text.is_empty(),
            Is::List(all) => all.is_empty(),
            Is::Map(all) => all.is_empty(),
        }
    }
}

/// Reads all documents of a file; those with nothing in them are left out.
pub(super) fn parse(bytes: &[u8]) -> Result<Vec<Node>, Wrong> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let text = std::str::from_utf8(bytes).map_err(|wrong| {
        let before = &bytes[..wrong.valid_up_to()];
        (1 + before.iter().filter(|byte| **byte == b'\n').count() as u32, "this is no UTF-8".to_owned())
    })?;
    let mut documents = Vec::new();
    let mut builder = Builder::default();
    for event in Parser::new_from_str(text) {
        let (event, span) = event.map_err(|wrong| {
            let line = number(wrong.marker().line());
            let what = format!("this is no YAML: {}", crate::xml::shown(wrong.info()));
            (line, what)
        })?;
        if let Some(document) = builder.take(event, number(span.start.line()))? {
            documents.push(document);
        }
    }
    documents.retain(|document| !matches!(document.is, Is::Empty));
    Ok(documents)
}

fn number(line: usize) -> u32 {
    u32::try_from(line).unwrap_or(u32::MAX).max(1)
}

/// Puts a tree together, without recursion over the file's nesting.
#[derive(Default)]
struct Builder {
    open: Vec<Open>,
    done: Option<Node>,
}

/// A list or a map that is not yet complete.
struct Open {
    line: u32,
    is: Kind,
}

enum Kind {
    List(Vec<Node>),
    Map { all: Vec<(String, Node)>, key: Option<(u32, String)> },
}

impl Builder {
    /// Takes an event in a line; the document that it ends.
    fn take(&mut self, event: Event<'_>, line: u32) -> Result<Option<Node>, Wrong> {
        match event {
            Event::Nothing | Event::StreamStart | Event::StreamEnd | Event::DocumentStart(_) => {}
            Event::DocumentEnd => return Ok(self.done.take()),
            Event::Alias(_) => return Err((line, "references to other values (*name) are not read".into())),
            Event::Scalar(text, style, anchor, tag) => {
                plain(anchor, tag.as_ref(), line)?;
                self.value(Node { line, is: scalar(text, style) })?;
            }
            Event::SequenceStart(anchor, tag) => {
                plain(anchor, tag.as_ref(), line)?;
                self.begin(Open { line, is: Kind::List(Vec::new()) })?;
            }
            Event::MappingStart(anchor, tag) => {
                plain(anchor, tag.as_ref(), line)?;
                self.begin(Open { line, is: Kind::Map { all: Vec::new(), key: None } })?;
            }
            Event::SequenceEnd | Event::MappingEnd => {
                let open = self.open.pop().ok_or_else(|| (line, "this ends nothing".to_owned()))?;
                let is = match open.is {
                    Kind::List(all) => Is::List(all),
                    Kind::Map { all, .. } => Is::Map(all),
                };
                self.value(Node { line: open.line, is })?;
            }
        }
        Ok(None)
    }

    fn begin(&mut self, open: Open) -> Result<(), Wrong> {
        if self.open.len() >= DEPTH {
            return Err((open.line, "values are too deep in each other".into()));
        }
        self.open.push(open);
        Ok(())
    }

    fn value(&mut self, node: Node) -> Result<(), Wrong> {
        match self.open.last_mut().map(|open| &mut open.is) {
            None => self.done = Some(node),
            Some(Kind::List(all)) => all.push(node),
            Some(Kind::Map { all, key }) => match key.take() {
                Some((_, name)) => all.push((name, node)),
                None => {
                    let Is::Plain(name) = node.is else {
                        return Err((node.line, "a key is a plain text".into()));
                    };
                    if name == "<<" {
                        return Err((node.line, "merged maps (<<) are not read".into()));
                    }
                    if all.iter().any(|(known, _)| *known == name) {
                        return Err((node.line, format!("'{}' stands twice", crate::xml::shown(&name))));
                    }
                    *key = Some((node.line, name));
                }
            },
        }
        Ok(())
    }
}

/// Names of values and types that change what a value means are refused.
fn plain(anchor: usize, tag: Option<&Cow<'_, Tag>>, line: u32) -> Result<(), Wrong> {
    // Names alone change nothing; what refers to them does.
    let _ = anchor;
    match tag {
        None => Ok(()),
        Some(tag) => {
            let shown = crate::xml::shown(&format!("{}{}", tag.handle, tag.suffix));
            Err((line, format!("types of values ({shown}) are not read")))
        }
    }
}

fn scalar(text: Cow<'_, str>, style: ScalarStyle) -> Is {
    match style {
        ScalarStyle::Plain if matches!(&*text, "" | "~" | "null" | "Null" | "NULL") => Is::Empty,
        _ => Is::Plain(text.into_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(node: &Node) -> String {
        match &node.is {
            Is::Empty => "-".into(),
            Is::Plain(text) => text.clone(),
            Is::List(all) => format!("[{}]", all.iter().map(shown).collect::<Vec<_>>().join(" ")),
            Is::Map(all) => {
                let one = |(key, node): &(String, Node)| format!("{key}={}", shown(node));
                format!("{{{}}}", all.iter().map(one).collect::<Vec<_>>().join(" "))
            }
        }
    }

    #[test]
    fn documents() {
        for (text, expected) in [
            ("a: 1\nb: [1, -2.5,3e1]\n", "{a=1 b=[1 -2.5 3e1]}"),
            ("# x\n---\na:\n  - b: 1\n    c: {d: 2, e: ''}\n  - b: 3\n", "{a=[{b=1 c={d=2 e=}} {b=3}]}"),
            ("a:\n- 1\n- [2,\n   3]\n-\n  b: 1\nc: ~ # none\n", "{a=[1 [2 3] {b=1}] c=-}"),
            ("a: 1\n---\na: 2\n", "{a=1} {a=2}"),
            ("a: 1\n...\n---\na: 2\n---\n", "{a=1} {a=2}"),
            ("- - 2\n", "[[2]]"),
            ("\"a\": 'it''s'\n", "{a=it's}"),
            ("", ""),
            ("---\n", ""),
        ] {
            let found = parse(text.as_bytes()).unwrap_or_else(|wrong| panic!("{text}: {wrong:?}"));
            assert_eq!(found.iter().map(shown).collect::<Vec<_>>().join(" "), expected, "{text}");
        }
        for (text, line, expected) in [
            ("a: 1\n\tb: 2\n", 1, "no YAML"),
            ("a: [1, 2\n", 2, "no YAML"),
            ("a: 1\na: 2\n", 2, "stands twice"),
            ("{a: 1, b: 2, a: 3}\n", 1, "stands twice"),
            ("- {x: 1,\n   x: 2}\n", 2, "stands twice"),
            ("a: &n 1\nb: *n\n", 2, "references"),
            ("a: &n {c: 1}\nb:\n  <<: 1\n", 3, "merged"),
            ("a: !!str 1\n", 1, "types of values"),
            ("[1, 2]: 3\n", 1, "a key is a plain text"),
            ("a: [1] 2\n", 1, "no YAML"),
        ] {
            let (found, what) = parse(text.as_bytes()).expect_err(text);
            assert!(found == line && what.contains(expected), "{text}: {found} {what}");
        }
        let deep = "[".repeat(5000);
        assert!(parse(format!("a: {deep}").as_bytes()).is_err());
    }
}
