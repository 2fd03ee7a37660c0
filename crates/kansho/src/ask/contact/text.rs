//! What contacts are and allow, in words.

use super::{ContactAnswer, Freedoms, PullOutAnswer, RegionAnswer};
use kansho_contact::ContactSet;
use kansho_contact::set::Condition;
use kansho_geom::glam::DVec3;
use kansho_io::fault::Paint;
use std::fmt::Write;

/// Conditions that are named at most, where a motion is blocked.
const NAMED: usize = 4;

impl ContactAnswer {
    /// In words.
    #[must_use]
    pub fn text(&self, paint: &impl Paint) -> String {
        let mut text = paint.strong(&self.moving);
        let of_state = |state| self.between.iter().filter(move |between| between.state == state).count();
        if self.contacts.is_empty() && self.freedoms.is_some() {
            text += " touches nothing\n";
        } else {
            writeln!(
                text,
                " touches {} of {} objects, in {} points with {} conditions{}{}",
                of_state("touching"),
                self.between.len(),
                self.contacts.len(),
                self.and_conditions,
                also(self.segments.len(), "along 1 edge", "along {n} edges"),
                also(self.rings.len(), "around 1 circle", "around {n} circles"),
            )
            .expect("writing to a string succeeds");
        }
        for between in &self.between {
            let at = || between.point.map(at).unwrap_or_default();
            let line = match (between.state, &between.regions) {
                (_, Some(regions)) => format!("touches: {}", places(regions)),
                ("apart", _) => format!("no contact, {:.6} m apart", between.gap.unwrap_or_default()),
                ("overlapping", _) => format!(
                    "overlaps, at least {:.6} m deep at {}: no constraints are made of that",
                    between.depth.unwrap_or_default(),
                    at()
                ),
                _ => format!(
                    "unclear at {}: features closer to each other than the tolerance, or too many",
                    at()
                ),
            };
            writeln!(text, "  {:<12} {line}", between.body).expect("writing to a string succeeds");
        }
        let mut line = |label: &str, what: &str| {
            let label = paint.dim(&format!("{label:<12}"));
            writeln!(text, "  {label} {what}").expect("writing to a string succeeds");
        };
        if let Some(freedoms) = self.freedoms.as_ref().filter(|_| !self.contacts.is_empty()) {
            allowed(freedoms, &mut line);
        }
        if let Some(motion) = &self.motion {
            let by: Vec<&str> = motion.by.iter().take(NAMED).map(String::as_str).collect();
            let by = if by.is_empty() { String::new() } else { format!(" by {}", by.join("; ")) };
            line("motion", &format!("{}{by}", motion.verdict));
        }
        text
    }
}

fn allowed(freedoms: &Freedoms, line: &mut impl FnMut(&str, &str)) {
    line("freedoms", &freedoms.freedoms);
    if freedoms.branches.iter().any(|branch| branch.kind != "exact") {
        line(
            "more",
            "these are allowed, and some others: edges along edges and circles leave more than a list can have; ⟦motion⟧ asks about one",
        );
    }
    line("held", freedoms.held.unwrap_or_default());
    line(
        "pull out",
        &match freedoms.pull_out {
            Some(PullOutAnswer::Along { along }) => format!("along {}", at(along)),
            Some(PullOutAnswer::Slides { slides }) => {
                format!("slides along {} both ways, nothing pushes it out", at(slides))
            }
            Some(PullOutAnswer::No(())) | None => "not without turning".into(),
        },
    );
    if let Some(stands) = &freedoms.stands {
        line(
            "gravity -z",
            &match (stands.frictionless, stands.with_friction) {
                (true, _) => "stands without friction".into(),
                (false, true) => format!("stands with friction of {}", stands.friction),
                (false, false) => {
                    format!("does not stand, not with friction of {} either", stands.friction)
                }
            },
        );
    }
    if freedoms.branches.iter().any(|branch| branch.ambiguous) {
        line("ambiguous", "noise leaves it open what is free: a singular value sits at the threshold");
    }
}

fn also(count: usize, one: &str, many: &str) -> String {
    match count {
        0 => String::new(),
        1 => format!(" and {one}"),
        n => format!(" and {}", many.replace("{n}", &n.to_string())),
    }
}

/// A condition by its place.
pub(super) fn condition<'a>(
    set: &ContactSet,
    condition: Condition,
    name: &impl Fn(usize) -> &'a str,
) -> String {
    match condition {
        Condition::Point(i, _) => {
            let contact = &set.contacts[i];
            format!("{} at {}", name(contact.fixed), at(contact.point.to_array()))
        }
        Condition::Ring(i) => {
            let ring = &set.rings[i];
            format!("{} all the way round {}", name(ring.fixed), at(ring.pole.to_array()))
        }
        Condition::Segment(i) => {
            let segment = &set.segments[i];
            format!("{} along an edge from {}", name(segment.fixed), at(segment.ends[0].to_array()))
        }
    }
}

/// A point or a direction with as many digits as matter.
pub(super) fn at(p: impl Into<DVec3>) -> String {
    let number = |x: f64| {
        let text = format!("{:.6}", if x.abs() < 5e-7 { 0.0 } else { x });
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    };
    let p: DVec3 = p.into();
    format!("({}, {}, {})", number(p.x), number(p.y), number(p.z))
}

/// How many faces, lines and points.
pub(super) fn places(places: &[RegionAnswer]) -> String {
    let (mut faces, mut lines, mut points, mut whole) = (0, 0, 0, 0.0);
    for place in places {
        match place {
            RegionAnswer::Polygon { area, .. } => {
                faces += 1;
                whole += area;
            }
            RegionAnswer::Segment { .. } => lines += 1,
            RegionAnswer::Point { .. } => points += 1,
        }
    }
    let count = |n: usize, one: &str, many: &str| match n {
        0 => None,
        1 => Some(format!("1 {one}")),
        n => Some(format!("{n} {many}")),
    };
    [
        count(faces, "face", "faces").map(|text| format!("{text} ({whole:.6} m²)")),
        count(lines, "line", "lines"),
        count(points, "point", "points"),
    ]
    .into_iter()
    .flatten()
    .collect::<Vec<_>>()
    .join(", ")
}
