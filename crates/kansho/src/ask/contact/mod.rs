//! What does touching allow? Of one object among others that stand still; and of an assembly, which parts block which, and how it comes apart.

mod answer;
mod assembly;
mod text;

pub use answer::{
    BetweenAnswer, BranchAnswer, ContactAnswer, ContactPoint, ContactRing, ContactSegment, Freedoms,
    JudgedMotion, PullOutAnswer, RegionAnswer, StandsAnswer,
};
pub use assembly::{AssemblyAnswer, DisassemblyStep, TouchingPair, assembly, certified_assembly};

use kansho_cell::{Cell, nearest_name};
use kansho_contact::{FoundContacts, Held, Part, contacts};
use kansho_geom::glam::DVec3;
use kansho_io::Fault;
use kansho_plan::parts::{StandingPart, standing};

/// What counts as touching.
#[derive(Clone, Copy, Debug, Default)]
pub struct ContactOptions {
    /// Gaps and overlaps up to this many metres; by default it follows from the sizes.
    pub tolerance: Option<f64>,
    /// How far, in metres, corners of meshes may be from where they should be; by default it follows from the sizes.
    pub noise: Option<f64>,
}

/// The objects of a cell that stand still, as closed bodies.
///
/// # Errors
/// Every object that cannot be in contact, such as open surfaces.
pub fn objects(cell: &Cell, noise: Option<f64>) -> Result<Vec<StandingPart>, Vec<Fault>> {
    standing(cell, noise).map_err(|faults| faults.into_iter().map(Fault::of_file).collect())
}

/// The object of a name.
///
/// # Errors
/// There is none, with the names that there are.
pub fn find(objects: &[StandingPart], name: &str) -> Result<usize, Fault> {
    objects.iter().position(|object| object.name == name).ok_or_else(|| {
        let names: Vec<&str> = objects.iter().map(|object| object.name.as_str()).collect();
        let near = nearest_name(name, names.iter().copied());
        let hint = near.map_or_else(
            || format!("there are: {}", names.join(", ")),
            |near| format!("did you mean \"{near}\"?"),
        );
        Fault::of_file(format!("no object that stands still is named \"{name}\"; {hint}"))
    })
}

/// How an object touches the others.
#[derive(Clone, Debug)]
pub struct BodiesInContact {
    /// The object that may move.
    pub moving: StandingPart,
    /// All others.
    pub others: Vec<StandingPart>,
    /// Where they touch, and what that allows.
    pub found: FoundContacts,
}

/// Finds where an object touches the others.
///
/// # Errors
/// Objects that cannot be in contact, or no object of that name.
pub fn contact(cell: &Cell, moving: &str, options: &ContactOptions) -> Result<BodiesInContact, Vec<Fault>> {
    let mut others = objects(cell, options.noise)?;
    let moving = find(&others, moving).map_err(|fault| vec![fault])?;
    let moving = others.remove(moving);
    Ok(of_parts(moving, others, options))
}

/// The same of objects that are at hand.
#[must_use]
pub fn of_parts(
    moving: StandingPart,
    others: Vec<StandingPart>,
    options: &ContactOptions,
) -> BodiesInContact {
    let fixed: Vec<&Part> = others.iter().map(|object| &object.part).collect();
    let found = contacts(&moving.part, &fixed, &engine(options));
    BodiesInContact { moving, others, found }
}

fn engine(options: &ContactOptions) -> kansho_contact::ContactOptions {
    kansho_contact::ContactOptions { touch: options.tolerance }
}

/// The direction of gravity.
pub const GRAVITY: DVec3 = DVec3::NEG_Z;

/// How a body is held, in words.
#[must_use]
pub fn held_word(held: Held) -> &'static str {
    match held {
        Held::FormClosure => "immobile, by form closure",
        Held::SecondOrder => "immobile in second order; the first order leaves one motion",
        Held::Not => "no",
        Held::Unknown => "not known",
    }
}
