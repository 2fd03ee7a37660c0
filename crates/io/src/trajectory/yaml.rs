//! As much of YAML as messages of ROS have: maps and lists, by indentation or in brackets, and plain values.

use crate::text;

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
        match &self.is {
            Is::Map(all) => all.iter().find(|(name, _)| name == key).map(|(_, node)| node),
            _ => None,
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
}

/// Reads a document.
pub(super) fn parse(bytes: &[u8]) -> Result<Node, Wrong> {
    let mut lines = Vec::new();
    let mut begun = false;
    for line in text::lines(bytes) {
        let text =
            std::str::from_utf8(line.text).map_err(|_| (line.number, "this is no UTF-8".to_owned()))?;
        let text = without_comment(text);
        if text.trim() == "---" || text.trim() == "..." {
            if begun {
                break;
            }
            continue;
        }
        if text.trim().is_empty() {
            continue;
        }
        if text.trim_start_matches(' ').starts_with('\t') {
            return Err((line.number, "a line begins with a tabulator, which is no indentation".into()));
        }
        begun = true;
        let indent = text.len() - text.trim_start().len();
        // A list in brackets may go on in the next line.
        match lines.last_mut() {
            Some(Row { text: open, .. }) if depth(open) > 0 => {
                open.push(' ');
                *open += text.trim();
            }
            _ => lines.push(Row { line: line.number, indent, text: text.trim().to_owned() }),
        }
    }
    let mut reader = Reader { rows: lines, at: 0 };
    let Some(first) = reader.rows.first() else { return Err((1, "there is nothing in this file".into())) };
    let indent = first.indent;
    let node = reader.block(indent, 0)?;
    match reader.rows.get(reader.at) {
        None => Ok(node),
        Some(row) => Err((row.line, "the indentation of this line fits nothing before it".into())),
    }
}

struct Row {
    line: u32,
    indent: usize,
    text: String,
}

/// Brackets that are open at the end of a text.
fn depth(text: &str) -> i32 {
    text.chars().map(|c| i32::from("[{".contains(c)) - i32::from("]}".contains(c))).sum()
}

fn without_comment(text: &str) -> &str {
    let mut before = ' ';
    for (at, c) in text.char_indices() {
        if c == '#' && before.is_whitespace() {
            return &text[..at];
        }
        before = c;
    }
    text
}

struct Reader {
    rows: Vec<Row>,
    at: usize,
}

impl Reader {
    /// All rows with an indentation, and what is deeper.
    fn block(&mut self, indent: usize, deep: usize) -> Result<Node, Wrong> {
        let line = self.rows[self.at].line;
        if deep > DEPTH {
            return Err((line, "values are too deep in each other".into()));
        }
        let is_list = is_item(&self.rows[self.at].text);
        let (mut list, mut map): (Vec<Node>, Vec<(String, Node)>) = (Vec::new(), Vec::new());
        while let Some(row) = self.rows.get(self.at).filter(|row| row.indent == indent) {
            let line = row.line;
            if is_item(&row.text) != is_list {
                // A list may stand as deep as the key that it belongs to.
                break;
            }
            if is_list {
                let rest = row.text[1..].trim_start();
                let inner = indent + row.text.len() - rest.len();
                if rest.is_empty() {
                    self.at += 1;
                    list.push(self.below(indent, line, deep)?);
                } else if key_of(rest).is_some() {
                    // A map begins in the line of its item.
                    let text = rest.to_owned();
                    self.rows[self.at] = Row { line, indent: inner, text };
                    list.push(self.block(inner, deep + 1)?);
                } else {
                    list.push(flow(rest, line)?);
                    self.at += 1;
                }
                continue;
            }
            let Some((key, value)) = key_of(&row.text) else {
                return Err((line, format!("'{}' is no key with a value", row.text)));
            };
            let (key, value) = (key.to_owned(), value.to_owned());
            if map.iter().any(|(known, _)| *known == key) {
                return Err((line, format!("'{key}' stands twice")));
            }
            self.at += 1;
            let node = if value.is_empty() { self.below(indent, line, deep)? } else { flow(&value, line)? };
            map.push((key, node));
        }
        Ok(Node { line, is: if is_list { Is::List(list) } else { Is::Map(map) } })
    }

    /// What belongs to a key or an item whose line is empty behind it.
    fn below(&mut self, indent: usize, line: u32, deep: usize) -> Result<Node, Wrong> {
        match self.rows.get(self.at) {
            Some(row) if row.indent > indent || (row.indent == indent && is_item(&row.text)) => {
                let indent = row.indent;
                self.block(indent, deep + 1)
            }
            _ => Ok(Node { line, is: Is::Empty }),
        }
    }
}

fn is_item(text: &str) -> bool {
    text == "-" || text.starts_with("- ")
}

/// `key: value`
fn key_of(text: &str) -> Option<(&str, &str)> {
    if text.starts_with(['[', '{', '"', '\'']) {
        return None;
    }
    let at = text.find(':')?;
    let rest = &text[at + 1..];
    (rest.is_empty() || rest.starts_with(' ')).then(|| (text[..at].trim(), rest.trim()))
}

/// A value that stands in one line.
fn flow(text: &str, line: u32) -> Result<Node, Wrong> {
    if is_item(text) || text.starts_with(['&', '*', '!', '|', '>']) {
        return Err((line, "lists in lists, references and long texts are not read".into()));
    }
    let mut rest = text;
    let node = value(&mut rest, line, 0)?;
    if rest.trim().is_empty() {
        Ok(node)
    } else {
        Err((line, format!("'{}' stands behind a value", rest.trim())))
    }
}

fn value(rest: &mut &str, line: u32, deep: usize) -> Result<Node, Wrong> {
    let wrong = |what: &str| (line, what.to_owned());
    if deep > DEPTH {
        return Err(wrong("values are too deep in each other"));
    }
    *rest = rest.trim_start();
    let node = |is: Is| Ok(Node { line, is });
    match rest.chars().next() {
        None => node(Is::Empty),
        Some('[') => {
            let mut all = Vec::new();
            *rest = &rest[1..];
            loop {
                *rest = rest.trim_start();
                if let Some(after) = rest.strip_prefix(']') {
                    *rest = after;
                    return node(Is::List(all));
                }
                if rest.is_empty() {
                    return Err(wrong("a list has no end: the file may be cut short"));
                }
                all.push(value(rest, line, deep + 1)?);
                *rest = rest.trim_start();
                match rest.strip_prefix(',') {
                    Some(after) => *rest = after,
                    None if rest.starts_with(']') => {}
                    None => return Err(wrong("a list has no end: the file may be cut short")),
                }
            }
        }
        Some('{') => {
            let mut all = Vec::new();
            *rest = &rest[1..];
            loop {
                *rest = rest.trim_start();
                if let Some(after) = rest.strip_prefix('}') {
                    *rest = after;
                    return node(Is::Map(all));
                }
                let (key, after) = rest
                    .split_once(':')
                    .ok_or_else(|| wrong("a map has no end: the file may be cut short"))?;
                let key = key.trim().trim_matches(['"', '\'']).to_owned();
                *rest = after;
                all.push((key, value(rest, line, deep + 1)?));
                *rest = rest.trim_start();
                match rest.strip_prefix(',') {
                    Some(after) => *rest = after,
                    None if rest.starts_with('}') => {}
                    None => return Err(wrong("a map has no end: the file may be cut short")),
                }
            }
        }
        Some(quote @ ('"' | '\'')) => {
            let inner = &rest[1..];
            let end = inner.find(quote).ok_or_else(|| wrong("a text has no end"))?;
            *rest = &inner[end + 1..];
            node(Is::Plain(inner[..end].to_owned()))
        }
        Some(_) => {
            // In brackets a value ends at a comma or a bracket.
            let end = if deep > 0 { rest.find([',', ']', '}']).unwrap_or(rest.len()) } else { rest.len() };
            let plain = rest[..end].trim().to_owned();
            *rest = &rest[end..];
            node(if plain.is_empty() || plain == "~" || plain == "null" {
                Is::Empty
            } else {
                Is::Plain(plain)
            })
        }
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
            ("a: 1\n---\na: 2\n", "{a=1}"),
        ] {
            let found = parse(text.as_bytes()).unwrap_or_else(|wrong| panic!("{text}: {wrong:?}"));
            assert_eq!(shown(&found), expected, "{text}");
        }
        for (text, line, expected) in [
            ("", 1, "nothing"),
            ("a: 1\n\tb: 2\n", 2, "tabulator"),
            ("a: 1\n   b: 2\n", 2, "fits nothing"),
            ("a: [1, 2\n", 1, "cut short"),
            ("a: 1\na: 2\n", 2, "stands twice"),
            ("a\n", 1, "no key"),
            ("- - 2\n", 1, "lists in lists"),
            ("a: [1] 2\n", 1, "stands behind"),
        ] {
            let (found, what) = parse(text.as_bytes()).expect_err(text);
            assert!(found == line && what.contains(expected), "{text}: {found} {what}");
        }
        let deep = "[".repeat(5000);
        assert!(parse(format!("a: {deep}").as_bytes()).is_err());
    }
}
