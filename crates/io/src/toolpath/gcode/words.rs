//! From a line to the words of its block.

use super::codes;
use std::collections::BTreeMap;

/// A letter (or a name) and its number, if it has one.
type Word = (String, Option<f64>);

/// Letters that have a number, and addresses like them.
const LETTERS: [&str; 23] = [
    "X", "Y", "Z", "A", "B", "C", "I", "J", "K", "R", "A3", "B3", "C3", "F", "S", "T", "H", "D", "P", "Q",
    "U", "L", "O",
];

/// Words without a number, which switch modes or say something to the operator.
const NAMES: [&str; 16] = [
    "TRAORI", "TCPM", "TRAFOOF", "FUNCTION", "ORIVECT", "ORIWKS", "ORIAXES", "AXIS", "POS", "SPAT",
    "PATHCTRL", "VECTOR", "RESET", "CUT", "MSG", "TCP",
];

/// The words of a block, by what they are.
#[derive(Debug, Default)]
pub(super) struct Block {
    /// G codes in tenths.
    pub(super) g: Vec<u32>,
    pub(super) m: Vec<f64>,
    names: Vec<&'static str>,
    /// Letters with their numbers; those that something uses are taken out.
    values: BTreeMap<&'static str, f64>,
}

impl Block {
    /// The block of a line; none if there is nothing in it that counts.
    pub(super) fn of(line: &[u8]) -> Result<Option<Self>, String> {
        let text = without_comments(line)?;
        let mut text = text.trim();
        let is_optional = text.starts_with('/');
        if is_optional {
            text = text[1..].trim_start_matches(|c: char| c.is_ascii_digit());
        }
        let words = words(text)?;
        if words.is_empty() {
            return Ok(None);
        }
        let block = Self::sorted(&words)?;
        if block.g.is_empty() && block.m.is_empty() && block.names.is_empty() && block.values.is_empty() {
            return Ok(None);
        }
        if !is_optional {
            return Ok(Some(block));
        }
        let is_quiet = block.g.is_empty()
            && block.names.is_empty()
            && block.m.iter().all(|code| codes::is_harmless_m(*code))
            && block.values.keys().all(|letter| ["S", "T", "F"].contains(letter));
        if is_quiet {
            return Ok(None);
        }
        Err("whether this block is run is up to the operator (/): remove the / or the block".into())
    }

    fn sorted(words: &[Word]) -> Result<Self, String> {
        let mut block = Self::default();
        for (name, number) in words {
            match (name.as_str(), number) {
                ("N", _) => {}
                ("G", Some(code)) => {
                    let tenths = (code * 10.0).round();
                    // What is no code must not become one by rounding: G-1 is not G0. A number with one digit after the point
                    // is read as the nearest there is, and so is this quotient.
                    if !(0.0..1e6).contains(&tenths) || tenths / 10.0 != *code {
                        return Err(format!("G{code} is not understood"));
                    }
                    let tenths = tenths as u32;
                    if let Some(group) = codes::group(tenths)
                        && let Some(other) = block.g.iter().find(|known| codes::group(**known) == Some(group))
                        && *other != tenths
                    {
                        let [a, b] = [*other, tenths].map(|tenths| f64::from(tenths) / 10.0);
                        return Err(format!("G{a} and G{b} in one block: {group} is not clear"));
                    }
                    block.g.push(tenths);
                }
                ("M", Some(code)) => block.m.push(*code),
                (name, Some(number)) if LETTERS.contains(&name) => {
                    let name = LETTERS.into_iter().find(|known| *known == name).unwrap_or_default();
                    if block.values.insert(name, *number).is_some() {
                        return Err(format!("{name} stands twice in one block"));
                    }
                }
                (name, None) if NAMES.contains(&name) => {
                    block.names.extend(NAMES.into_iter().find(|known| *known == name));
                }
                // FUNCTION TCPM F TCP: the F is a word there.
                ("F", None) if block.has_name("TCPM") => {}
                (name, None) if name.len() == 1 => return Err(format!("{name} has no number")),
                (name, _) => return Err(format!("'{name}' is not understood")),
            }
        }
        Ok(block)
    }

    pub(super) fn has_name(&self, name: &str) -> bool {
        self.names.contains(&name)
    }

    pub(super) fn has_g(&self, tenths: u32) -> bool {
        self.g.contains(&tenths)
    }

    pub(super) fn has(&self, letters: &[&str]) -> bool {
        letters.iter().any(|letter| self.values.contains_key(letter))
    }

    pub(super) fn value(&self, letter: &str) -> Option<f64> {
        self.values.get(letter).copied()
    }

    /// The number of a letter, which has its use now.
    pub(super) fn take(&mut self, letter: &str) -> Option<f64> {
        self.values.remove(letter)
    }

    /// Whatever nobody has taken means nothing, or something that is not known.
    pub(super) fn all_used(&self) -> Result<(), String> {
        match self.values.keys().next() {
            None => Ok(()),
            Some(&"R") => {
                Err("R means nothing on a straight move: rounded corners are not understood".into())
            }
            Some(letter @ (&"I" | &"J" | &"K")) => {
                Err(format!("{letter} means nothing here: it is of arcs (G2, G3) and of G43.5"))
            }
            Some(letter) => Err(format!(
                "{letter} means nothing here that kansho understands: remove it if it changes nothing"
            )),
        }
    }
}

fn without_comments(line: &[u8]) -> Result<String, String> {
    let mut text = String::new();
    let mut depth = 0;
    for &c in line {
        match c {
            b'(' => depth += 1,
            b')' if depth > 0 => depth -= 1,
            b';' if depth == 0 => break,
            _ if depth > 0 => {}
            _ if !c.is_ascii() => return Err(format!("the byte 0x{c:02X} is no part of this language")),
            _ => text.push(c.to_ascii_uppercase() as char),
        }
    }
    if depth > 0 {
        return Err("a comment has no end".into());
    }
    Ok(text)
}

fn words(text: &str) -> Result<Vec<Word>, String> {
    let mut all = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        if first.is_whitespace() {
            rest = &rest[1..];
            continue;
        }
        if first == ',' {
            return Err("rounded corners and chamfers (,R and ,C) are not understood".into());
        }
        if !first.is_ascii_alphabetic() {
            return Err(format!("'{first}' begins no word"));
        }
        // Names such as TRAORI, and addresses such as A3=0.5.
        let letters = rest.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(rest.len());
        let (mut name, mut after) = (rest[..letters].to_owned(), &rest[letters..]);
        if letters == 1 && after.as_bytes().get(1) == Some(&b'=') {
            name.push(after.as_bytes()[0] as char);
            after = &after[2..];
        } else if let Some(value) = after.strip_prefix('=') {
            after = value;
        }
        let blank = after.len() - after.trim_start().len();
        let numeric = after.trim_start();
        let end = numeric.find(|c: char| !(c.is_ascii_digit() || "+-.".contains(c))).unwrap_or(numeric.len());
        if end == 0 {
            all.push((name, None));
            rest = after;
            continue;
        }
        let number: f64 =
            numeric[..end].parse().map_err(|_| format!("'{name}{}' is no number", &numeric[..end]))?;
        all.push((name, Some(number)));
        rest = &after[blank + end..];
    }
    Ok(all)
}
