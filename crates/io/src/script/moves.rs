//! Sentences, with their names resolved.

use super::keys::{MOVE, PARTLY, SENSES, VERBS, keys_of};
use super::selector::{axes, direction};
use crate::cell::LengthUnit;
use crate::cell::toml::{Located, Report, Table, Value, shown};
use kansho_cell::nearest_name;
use kansho_geom::glam::DVec3;
use kansho_plan::script::resolved::{About, Move, Partly, Path, Toward, Until, Verb};
use kansho_plan::script::{Body, Relation, Touch};

/// Where a name leads.
enum Side {
    Moved(usize),
    Fixed(usize, usize),
}

/// The bodies that names are looked up in, and all contacts so far.
pub(super) struct Names<'b> {
    pub(super) moved: &'b Body,
    pub(super) fixed: &'b [Body],
    /// Names of bodies that could not be read: what is said of them is not held against the script.
    pub(super) broken: &'b [String],
    pub(super) units: LengthUnit,
    pub(super) touches: Vec<Touch>,
}

impl Names<'_> {
    /// `body.feature`.
    fn feature(&self, text: &Located<&str>, report: &mut Report) -> Option<Side> {
        let Some((body, feature)) = text.value.split_once('.') else {
            report.note(&text.at, format!("\"{}\" is no feature", shown(text.value))).help =
                Some("write the body and its feature: body.feature".into());
            return None;
        };
        if self.broken.iter().any(|name| name == body) {
            return None;
        }
        let bodies = || self.fixed.iter().chain([self.moved]);
        let Some(found) = bodies().find(|known| known.name == body) else {
            let near = nearest_name(body, bodies().map(|known| known.name.as_str()));
            let question = near.map_or(String::new(), |near| format!("; did you mean \"{near}\"?"));
            let fault = report.note(&text.at, format!("there is no body \"{}\"{question}", shown(body)));
            let names: Vec<&str> = bodies().map(|known| known.name.as_str()).collect();
            fault.help = Some(format!("known are {}", names.join(", ")));
            return None;
        };
        let names = || found.features.iter().map(|feature| feature.name.as_str());
        let Some(number) = names().position(|name| name == feature) else {
            let near = nearest_name(feature, names());
            let question = near.map_or(String::new(), |near| format!("; did you mean \"{body}.{near}\"?"));
            let what = format!("\"{}\" has no feature \"{}\"{question}", shown(body), shown(feature));
            let known: Vec<&str> = names().collect();
            report.note(&text.at, what).help = Some(match known.len() {
                0 => format!("no feature of \"{}\" has a name", shown(body)),
                _ => format!("known are {}", known.join(", ")),
            });
            return None;
        };
        if found.name == self.moved.name {
            return Some(Side::Moved(number));
        }
        let body = self.fixed.iter().position(|known| known.name == body)?;
        Some(Side::Fixed(body, number))
    }

    /// `body.feature on body.feature`, as its number.
    pub(super) fn touch(&mut self, text: &Located<&str>, report: &mut Report) -> Option<usize> {
        let words: Vec<&str> = text.value.split_whitespace().collect();
        let (left, relation, right) = match words[..] {
            [left, "on", right] => (left, Relation::On, right),
            [left, "touches", right] => (left, Relation::Touches, right),
            _ => {
                report.note(&text.at, format!("\"{}\" is no contact", shown(text.value))).help = Some(
                    "write \"body.feature on body.feature\" or \"body.feature touches body.feature\"".into(),
                );
                return None;
            }
        };
        let of = |word: &'_ str, report: &mut Report| {
            self.feature(&Located { value: word, at: text.at.clone() }, report)
        };
        let (left, right) = (of(left, report), of(right, report));
        let (moved, body, fixed) = match (left?, right?) {
            (Side::Moved(moved), Side::Fixed(body, fixed))
            | (Side::Fixed(body, fixed), Side::Moved(moved)) => (moved, body, fixed),
            _ => {
                report.note(&text.at, "a contact is between the moved body and a fixed one");
                return None;
            }
        };
        let touch = Touch { moved, body, fixed, relation, text: text.value.to_owned() };
        let same = |known: &Touch| {
            (known.moved, known.body, known.fixed, known.relation) == (moved, body, fixed, relation)
        };
        if let Some(number) = self.touches.iter().position(same) {
            return Some(number);
        }
        self.touches.push(touch);
        Some(self.touches.len() - 1)
    }

    /// One contact or a list of them; words that are no contacts are handed back.
    pub(super) fn contacts<'a>(
        &mut self,
        value: Value<'a>,
        words: &[&str],
        report: &mut Report,
    ) -> (Vec<usize>, Vec<&'a str>) {
        let texts = if value.is_list() {
            value.texts("a contact", report)
        } else {
            value.text("a contact", report).into_iter().collect()
        };
        let (mut found, mut other) = (Vec::new(), Vec::new());
        for text in texts {
            if words.contains(&text.value) {
                other.push(text.value);
            } else if let Some(number) = self.touch(&text, report) {
                found.push(number);
            }
        }
        (found, other)
    }

    pub(super) fn one(&mut self, value: Value, line: u32, report: &mut Report) -> Option<Move> {
        let table = value.table("a move", MOVE, report)?;
        let word = |key: &str, known: &[&'static str], report: &mut Report| -> Option<&'static str> {
            let text = table.get(key)?.text("a word", report)?;
            let found = known.iter().find(|word| **word == text.value).copied();
            if found.is_none() {
                let near = nearest_name(text.value, known.iter().copied());
                let question = near.map_or(String::new(), |near| format!("; did you mean \"{near}\"?"));
                report.note(&text.at, format!("\"{}\" is not known{question}", shown(text.value))).help =
                    Some(format!("known are {}", known.join(", ")));
            }
            found
        };
        let verb = word("do", VERBS, report);
        let (mut keep, mut level) = (Vec::new(), false);
        if let Some(value) = table.get("keep") {
            let (contacts, words) = self.contacts(value, &["level"], report);
            (keep, level) = (contacts, !words.is_empty());
        }
        let mut contacts = |key: &str, report: &mut Report| {
            table.get(key).map_or(Vec::new(), |value| self.contacts(value, &[], report).0)
        };
        let touching = contacts("until", report);
        if let Some(value) = table.get("until")
            && value.is_list()
            && value.list("a list of contacts", report).is_some_and(|list| list.is_empty())
        {
            report.note(&value.at(), "until names no contact, so this move would never end").help =
                Some("name at least one contact, or say how far by \"by\" or \"by_deg\"".into());
        }
        let allow = contacts("allow", report);
        let positive = |key: &str, report: &mut Report| {
            let value = table.get(key)?;
            let number = value.number(report)?;
            if !(number > 0.0) {
                report.note(&value.at(), format!("{key} is greater than zero"));
                return None;
            }
            Some(number)
        };
        let by = positive("by", report).map(|by| self.units.metres(by));
        let by_deg = table.get("by_deg").and_then(|value| value.number(report)).map(f64::to_radians);
        let verb = verb?;
        let takes = keys_of(verb);
        let others = MOVE.iter().map(|key| key.name).filter(|name| *name != "do" && !takes.contains(name));
        for other in table.those_of(others) {
            let article = if verb.starts_with('a') { "an" } else { "a" };
            report.note(&other.at, format!("\"{}\" is no key of {article} {verb}", other.value)).help =
                Some(format!("{article} {verb} takes {}", takes.join(", ")));
        }
        let ends = table.those_of(["until", "by", "by_deg"]);
        if let [_, second, ..] = &ends[..] {
            report.note(&second.at, "a move has one end: until, by or by_deg");
        }
        let turns = verb == "rotate";
        let until = match (table.get("until").is_some(), by, by_deg) {
            (true, ..) => Until::Touching(touching),
            (false, Some(by), _) if takes.contains(&"by") => Until::By(by),
            (false, _, Some(angle)) if turns => Until::By(angle.abs()),
            _ if verb == "follow" => Until::End,
            _ => {
                let fits = match verb {
                    "rotate" => "until or by_deg",
                    "place" => "until",
                    _ => "until or by",
                };
                report.note(&table.at, format!("a {verb} needs an end: {fits}"));
                return None;
            }
        };
        let verb = match verb {
            "approach" => Verb::Approach(self.toward(&table, report)?),
            "slide" => Verb::Slide(self.toward(&table, report)?),
            "rotate" => {
                let sense = word("turn", SENSES, report).map(|sense| if sense == "+" { 1.0 } else { -1.0 });
                if let (Some(sense), Some(angle)) = (sense, by_deg)
                    && sense > 0.0
                    && angle < 0.0
                {
                    let what = "turn = \"+\" and a negative by_deg say two different ways round";
                    report.note(&table.key_at("turn"), what).help =
                        Some("leave one of the two signs out".into());
                }
                let sense = sense.or(by_deg.map(|angle| if angle < 0.0 { -1.0 } else { 1.0 }));
                Verb::Rotate { about: self.about(&table, report)?, sense }
            }
            "place" => {
                let partly = match word("when_partly_touching", PARTLY, report) {
                    Some("slide") => Partly::Slide,
                    Some("pivot") => Partly::Pivot,
                    _ => Partly::Auto,
                };
                Verb::Place { toward: self.toward(&table, report)?, partly }
            }
            _ => {
                if table.get("spacing").is_none() {
                    report.note(&table.at, "a follow needs the key \"spacing\"");
                }
                let spacing = positive("spacing", report);
                let way = |key: &str, default: DVec3, report: &mut Report| {
                    table.get(key).map_or(Some(default), |value| direction(value, report))
                };
                let (forward, side) = (way("forward", DVec3::X, report), way("side", DVec3::Y, report));
                let along = table.get("along").and_then(|value| direction(value, report));
                Verb::Follow(Path {
                    along,
                    spacing: self.units.metres(spacing?),
                    forward: forward?,
                    side: side?,
                })
            }
        };
        Some(Move { verb, keep, level, until, allow, line })
    }

    fn toward(&self, table: &Table, report: &mut Report) -> Option<Toward> {
        match (table.get("along"), table.get("toward")) {
            (Some(along), None) => Some(Toward::Along(direction(along, report)?)),
            (None, Some(toward)) => {
                let text = toward.text("a feature", report)?;
                match self.feature(&text, report)? {
                    Side::Fixed(body, feature) => Some(Toward::Feature { body, feature }),
                    Side::Moved(_) => {
                        report.note(&text.at, "it goes toward a feature of a fixed body, not of itself");
                        None
                    }
                }
            }
            (Some(_), Some(_)) => {
                report.note(&table.key_at("toward"), "there is one direction: along or toward");
                None
            }
            (None, None) => {
                report.note(&table.at, "a move needs a direction: along or toward");
                None
            }
        }
    }

    fn about(&mut self, table: &Table, report: &mut Report) -> Option<About> {
        let Some(value) = table.get("about") else {
            report.note(&table.at, "a rotate needs the key \"about\"");
            return None;
        };
        if value.is_list() {
            return Some(About::Direction(direction(value, report)?));
        }
        let text = value.text("a feature, a contact or a direction", report)?;
        if let Some(&[d]) = axes(text.value).as_deref() {
            return Some(About::Direction(d));
        }
        if text.value.split_whitespace().count() > 1 {
            return Some(About::Contact(self.touch(&text, report)?));
        }
        Some(match self.feature(&text, report)? {
            Side::Moved(feature) => About::Moved { feature },
            Side::Fixed(body, feature) => About::Fixed { body, feature },
        })
    }
}
