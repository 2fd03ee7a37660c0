//! Which objects block which, and in which order do they come apart?

use super::text::{at, places};
use super::{ContactOptions, RegionAnswer, engine, find, objects};
use crate::answer::{ExitCode, FORMAT, Message};
use kansho_cell::Cell;
use kansho_contact::{Assembly, Between, Part, Twist};
use kansho_geom::glam::DVec3;
use kansho_io::Fault;
use kansho_io::fault::Paint;
use kansho_plan::disassembly::{certificate, disassemble};
use kansho_verify::AnyCertificate;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;

/// Names that are listed at most.
const LISTED: usize = 8;

/// The directions that "who blocks whom" is asked for.
const AXES: [(&str, DVec3); 6] = [
    ("+x", DVec3::X),
    ("-x", DVec3::NEG_X),
    ("+y", DVec3::Y),
    ("-y", DVec3::NEG_Y),
    ("+z", DVec3::Z),
    ("-z", DVec3::NEG_Z),
];

/// How an assembly holds together and comes apart.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct AssemblyAnswer {
    /// The version of this answer.
    pub format: u32,
    /// How many objects there are.
    pub objects: usize,
    /// Pairs that touch.
    pub pairs: Vec<TouchingPair>,
    /// Pairs that overlap, or of which it is unclear how they touch, as `a|b`.
    pub faults: Vec<String>,
    /// For each direction and each object that cannot begin to move that way, what blocks it.
    pub blocked_by: BTreeMap<String, BTreeMap<String, Vec<String>>>,
    /// In which order they come apart, each push proven.
    pub steps: Vec<DisassemblyStep>,
    /// What stays; several objects if these could not be taken apart.
    pub left: Vec<String>,
    /// Where the certificate of all pushes was written; null where none could be made. Missing where none was requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub certificate: Option<Option<String>>,
    /// What is odd about the file.
    pub warnings: Vec<Message>,
    /// What is wrong with each pair of `faults`.
    #[serde(skip)]
    why: Vec<String>,
    /// Names of all objects, in their order.
    #[serde(skip)]
    names: Vec<String>,
    /// Whether any two of those that are left touch.
    #[serde(skip)]
    left_touch: bool,
}

/// Two objects that touch.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct TouchingPair {
    /// Which, as `a|b`.
    pub pair: String,
    /// How many conditions the second sets the first.
    pub and_conditions: usize,
    /// Where they touch.
    pub regions: Vec<RegionAnswer>,
}

/// A straight push.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct DisassemblyStep {
    /// The objects that leave together.
    pub parts: Vec<String>,
    /// A unit vector.
    pub direction: [f64; 3],
    /// How far, in metres, until they are past all others.
    pub length: f64,
}

/// Finds which objects block which, and an order of disassembly in which `stays` is not moved.
///
/// # Errors
/// Objects that cannot be in contact, or no object of that name.
pub fn assembly(
    cell: &Cell,
    stays: Option<&str>,
    options: &ContactOptions,
) -> Result<AssemblyAnswer, Vec<Fault>> {
    solved(cell, stays, options, false).map(|(answer, _)| answer)
}

/// The same, with the certificate of all pushes: or, in a sentence, why there is none.
///
/// # Errors
/// As [`assembly`].
pub fn certified_assembly(
    cell: &Cell,
    stays: Option<&str>,
    options: &ContactOptions,
) -> Result<(AssemblyAnswer, Result<AnyCertificate, String>), Vec<Fault>> {
    let (answer, found) = solved(cell, stays, options, true)?;
    Ok((answer, found.expect("it was asked for")))
}

type Certified = Option<Result<AnyCertificate, String>>;

fn solved(
    cell: &Cell,
    stays: Option<&str>,
    options: &ContactOptions,
    certifies: bool,
) -> Result<(AssemblyAnswer, Certified), Vec<Fault>> {
    let objects = objects(cell, options.noise)?;
    let stays = stays.map(|name| find(&objects, name)).transpose().map_err(|fault| vec![fault])?;
    let parts: Vec<&Part> = objects.iter().map(|object| &object.part).collect();
    let assembly = Assembly::of(&parts, &engine(options));
    let plan = disassemble(&parts, &assembly, stays);
    let name = |i: usize| objects[i].name.clone();
    let names = |list: &[usize]| list.iter().map(|&i| name(i)).collect::<Vec<_>>();
    let pair = |[a, b]: [usize; 2]| format!("{}|{}", name(a), name(b));
    let blocked_by = AXES.map(|(axis, v)| {
        let graph = assembly.blocking_graph(&Twist { v, w: DVec3::ZERO });
        let blocked = graph.iter().enumerate().filter(|(_, by)| !by.is_empty());
        (axis.to_owned(), blocked.map(|(i, by)| (name(i), names(by))).collect())
    });
    let touching = |list: &[usize]| {
        let both = |pair: [usize; 2]| pair.iter().all(|i| list.contains(i));
        assembly.pairs.iter().any(|p| both(p.parts)) || assembly.faults.iter().any(|f| both(f.0))
    };
    let why = |state: &Between| match state {
        Between::Overlapping { depth, point } => {
            format!("overlap, at least {depth:.6} m deep at {}", at(*point))
        }
        _ => "unclear how they touch".into(),
    };
    let certified = certifies.then(|| {
        if plan.steps.is_empty() {
            return Err("there are no pushes".to_owned());
        }
        let named: Vec<(&str, &Part)> =
            objects.iter().map(|object| (object.name.as_str(), &object.part)).collect();
        let found = certificate(&named, &assembly, &plan, None)?;
        Ok(AnyCertificate::Contact(Box::new(found)))
    });
    let answer = AssemblyAnswer {
        format: FORMAT,
        objects: objects.len(),
        pairs: assembly
            .pairs
            .iter()
            .map(|touching| TouchingPair {
                pair: pair(touching.parts),
                and_conditions: touching.set.count(),
                regions: touching.regions.iter().map(RegionAnswer::of).collect(),
            })
            .collect(),
        faults: assembly.faults.iter().map(|(parts, _)| pair(*parts)).collect(),
        blocked_by: blocked_by.into(),
        steps: plan
            .steps
            .iter()
            .map(|step| DisassemblyStep {
                parts: names(&step.parts),
                direction: step.direction.to_array(),
                length: step.length,
            })
            .collect(),
        left: names(&plan.left),
        certificate: None,
        warnings: Vec::new(),
        why: assembly.faults.iter().map(|(_, state)| why(state)).collect(),
        names: objects.iter().map(|object| object.name.clone()).collect(),
        left_touch: touching(&plan.left),
    };
    Ok((answer, certified))
}

impl AssemblyAnswer {
    /// Whether a single object is left.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.left.len() <= 1
    }

    /// What the command ends with.
    #[must_use]
    pub fn exit_code(&self) -> ExitCode {
        if self.is_complete() && self.faults.is_empty() { ExitCode::Done } else { ExitCode::No }
    }

    /// In words.
    #[must_use]
    pub fn text(&self, paint: &impl Paint) -> String {
        let head = paint.strong(&format!("{} objects, {} pairs touch", self.objects, self.pairs.len()));
        let mut lines = vec![head];
        lines.extend(self.pairs.iter().map(|pair| format!("  {}  {}", pair.pair, places(&pair.regions))));
        lines.extend(self.faults.iter().zip(&self.why).map(|(pair, why)| format!("  {pair}  {why}")));
        lines.push("who blocks whom".into());
        for (axis, _) in AXES {
            let is_free = |name: &&String| !self.blocked_by[axis].contains_key(*name);
            let free: Vec<&str> = self.names.iter().filter(is_free).map(String::as_str).collect();
            let free = match free.len() {
                0 => "none".to_owned(),
                count if count > LISTED => format!("{count} objects"),
                _ => free.join(", "),
            };
            lines.push(format!("  {axis}  free to begin: {free}"));
        }
        lines.push("order of disassembly, each push proven".into());
        lines.extend(self.steps.iter().enumerate().map(
            |(k, DisassemblyStep { parts, direction, length })| {
                format!("  {:>3}. {} along {} for {length:.6} m", k + 1, parts.join(" and "), at(*direction))
            },
        ));
        let left = self.left.join(", ");
        lines.push(match (self.is_complete(), self.left_touch) {
            (true, _) => format!("  {left} stays"),
            (false, true) => format!("  no straight push was found that takes these apart: {left}"),
            (false, false) => format!(
                "  these do not touch each other, but no straight push was found that leads one past the others: {left}"
            ),
        });
        if let Some(Some(certificate)) = &self.certificate {
            lines.push(format!("certificate  {certificate}"));
        }
        lines.join("\n") + "\n"
    }
}
