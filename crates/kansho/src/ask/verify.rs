//! Does a certificate hold? It is checked anew by other means than those that made it.

use crate::answer::{ExitCode, FORMAT};
use kansho_cell::route::{Law, MoveNumber, Route};
use kansho_cell::{BodyId, Cell};
use kansho_io::motion_file::Moved;
use kansho_verify::contact::{ContactCertificate, verify_contact};
use kansho_verify::file::CertifiedBodies;
use kansho_verify::file::CertifiedRoute;
use kansho_verify::file::bundle::{BundleReader, VerifiedBundle, verify_bundle};
use kansho_verify::file::{AnyCertificate, CertifiedMotion};
use schemars::JsonSchema;
use serde::Serialize;
use std::fmt::Write;

/// Poses of a Cartesian path that differ by no more are the same: what rounding makes of numbers of a file, in metres and radians.
const SAME: f64 = 1e-9;

/// Whether a certificate holds.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct VerifyAnswer {
    /// The version of this answer.
    pub format: u32,
    /// Whether it proves what it says.
    pub accepted: bool,
    /// Why it does not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// The two bodies that it is about, if it is about no cell.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bodies: Option<[String; 2]>,
    /// What is proven, if it is accepted.
    #[serde(flatten)]
    pub proven: Option<Proven>,
    /// One line for a record, if it is accepted: hashes of the cell, of what moves and of the certificate, and the version that says so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub record: Option<String>,
    /// What is proven of each pair, the largest gaps first; missing where nobody asked for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pairs: Option<Vec<ExplainedPair>>,
    /// What is proven of each motion in contact and each pair of bodies, in order; missing where nobody asked for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub contacts: Option<Vec<ExplainedContact>>,
}

/// What a certificate shows of a motion in contact and a pair of bodies.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ExplainedContact {
    /// The motion, as the certificate calls it: a label.
    #[serde(rename = "move")]
    pub of_move: String,
    /// The moving and the fixed body, as `a|b`.
    pub pair: String,
    /// Features that may touch, and in how many regions that is used.
    pub features: Vec<ExplainedFeatures>,
    /// Regions of space and time that were checked.
    pub regions: usize,
    /// How many of these are in contact, or may be.
    pub in_contact: usize,
}

/// Two features that may touch.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ExplainedFeatures {
    /// The middle of each: of the moving body in the coordinates of its mesh, of the fixed one in the world, in metres.
    pub middles: [[f64; 3]; 2],
    /// How many corners each has.
    pub corners: [usize; 2],
    /// Regions in which they may touch.
    pub regions: usize,
}

/// What a certificate shows of a pair.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ExplainedPair {
    /// The bodies, as `a|b`.
    pub pair: String,
    /// Its gap is more than this at all times, in metres; null where nothing had to be shown.
    pub gap: Option<f64>,
    /// The piece of the motion, from 1, of which the least is known.
    pub piece: usize,
    /// Regions of space and time that show it.
    pub regions: usize,
}

/// What an accepted certificate proves.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum Proven {
    /// A motion of all joints.
    Joints {
        /// How many waypoints it has.
        waypoints: usize,
        /// Where it begins.
        from: Vec<f64>,
        /// Where it ends.
        to: Vec<f64>,
        /// What holds all along.
        #[serde(flatten)]
        all: ProvenGaps,
    },
    /// Cartesian paths of a TCP.
    Tool {
        /// How many moves its list has, the start included.
        moves: usize,
        /// The orientation interpolations; null unless they were compared with those of a motion, for in the certificate they are labels.
        laws: Option<Vec<String>>,
        /// The link that is led.
        tip: String,
        /// How far joints may be off the cubics that are proven, in metres at the bodies: counted in the proof.
        margin: f64,
        /// Where it begins.
        from: Vec<f64>,
        /// What holds all along.
        #[serde(flatten)]
        all: ProvenGaps,
    },
    /// Many motions of all joints.
    Bundle {
        /// How many.
        motions: u64,
        /// What tells the file from any other.
        fingerprint: String,
        /// What holds all along.
        #[serde(flatten)]
        all: ProvenGaps,
    },
    /// Bodies that move in contact.
    Contact {
        /// How many motions: straight ones and turns.
        moves: usize,
        /// How deep features that may touch may overlap, in metres. Nothing else touches.
        tolerance: f64,
        /// How many regions of space and time were checked.
        regions: usize,
        /// How many of these are in contact, or may be.
        in_contact: usize,
        /// How many pairs of bodies, over all motions.
        #[serde(skip)]
        pairs: usize,
    },
    /// Two moving bodies.
    Bodies {
        /// How many regions were decided in whole numbers.
        exact: usize,
        /// How many triangles each has.
        #[serde(skip)]
        triangles: [usize; 2],
        /// What holds all along.
        #[serde(flatten)]
        all: ProvenGaps,
    },
}

/// How far bodies stay apart.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ProvenGaps {
    /// All gaps stay larger than this, in metres; null where nothing that is checked can touch.
    pub clearance: Option<f64>,
    /// How many regions of space and time were checked.
    pub regions: usize,
    /// How many pairs of bodies.
    #[serde(skip)]
    pub pairs: usize,
}

/// The certificate and what it is checked against do not belong together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WrongPartner {
    /// It is about bodies that it holds, and a cell was named.
    NeedsNoCell,
    /// It is about a cell, and none was named.
    NeedsCell,
}

/// Whether a certificate goes with a cell, or without one.
///
/// # Errors
/// A cell is missing, or not wanted.
pub fn partner(certificate: &AnyCertificate, has_cell: bool) -> Result<(), WrongPartner> {
    match (certificate.is_of_bodies(), has_cell) {
        (true, true) => Err(WrongPartner::NeedsNoCell),
        (false, false) => Err(WrongPartner::NeedsCell),
        _ => Ok(()),
    }
}

/// Checks a certificate anew: for a cell, unless it is about bodies, which it holds. If a motion is given, the certificate has to be about that.
///
/// # Errors
/// A cell is missing, or not wanted.
pub fn verify(
    certificate: &AnyCertificate,
    cell: Option<&Cell>,
    motion: Option<&Moved>,
) -> Result<VerifyAnswer, WrongPartner> {
    let found = match (certificate, cell) {
        (AnyCertificate::Contact(held), None) => of_contact(held),
        (AnyCertificate::Contact(_), Some(_)) => return Err(WrongPartner::NeedsNoCell),
        (AnyCertificate::Bodies(certified), None) => of_bodies(certified),
        (AnyCertificate::Bodies(_), Some(_)) => return Err(WrongPartner::NeedsNoCell),
        (AnyCertificate::Cell(_) | AnyCertificate::Route(_), None) => return Err(WrongPartner::NeedsCell),
        (AnyCertificate::Cell(certified), Some(cell)) => of_joints(certified, cell, motion),
        (AnyCertificate::Route(certified), Some(cell)) => of_routes(certified, cell, motion),
    };
    let record = if found.accepted { certificate.record() } else { None };
    Ok(VerifyAnswer { record, ..found })
}

/// What an accepted certificate of a cell shows of each pair, the largest gaps first; nothing of one that is refused, or is of two bodies.
#[must_use]
pub fn explained(certificate: &AnyCertificate, cell: &Cell) -> Option<Vec<ExplainedPair>> {
    let found = match certificate {
        AnyCertificate::Bodies(_) | AnyCertificate::Contact(_) => return None,
        AnyCertificate::Cell(certified) => certified.explain(cell).ok()?,
        AnyCertificate::Route(certified) => certified.explain(cell).ok()?,
    };
    let mut found: Vec<ExplainedPair> = found
        .into_iter()
        .map(|proof| ExplainedPair {
            pair: proof.bodies.map(|body| cell.body(body).name.as_str()).join("|"),
            gap: proof.gap.is_finite().then_some(proof.gap),
            piece: proof.piece + 1,
            regions: proof.regions,
        })
        .collect();
    let gap = |pair: &ExplainedPair| pair.gap.unwrap_or(f64::INFINITY);
    found.sort_by(|x, y| gap(y).total_cmp(&gap(x)));
    Some(found)
}

/// What an accepted certificate of bodies in contact shows of each motion and pair; nothing of any other.
#[must_use]
pub fn explained_contacts(certificate: &AnyCertificate) -> Option<Vec<ExplainedContact>> {
    let AnyCertificate::Contact(held) = certificate else { return None };
    let found = verify_contact(held).ok()?;
    let mut next = vec![0; held.moves.len()];
    let explain = |pair: &kansho_verify::contact::VerifiedPair| {
        let proof = &held.moves[pair.of_move].pairs[next[pair.of_move]];
        next[pair.of_move] += 1;
        let bodies = pair.bodies.map(|body| &held.bodies[body]);
        let features = proof.may_touch.iter().zip(&pair.kept_of).map(|(features, &regions)| {
            let vertices = [0, 1].map(|k: usize| &bodies[k].features[features[k]]);
            let middle = |k: usize| {
                let places = vertices[k].iter().map(|&v| bodies[k].mesh.vertices()[v as usize]);
                (places.sum::<kansho_geom::glam::DVec3>() / vertices[k].len() as f64).to_array()
            };
            ExplainedFeatures { middles: [middle(0), middle(1)], corners: vertices.map(Vec::len), regions }
        });
        ExplainedContact {
            of_move: held.moves[pair.of_move].label.clone(),
            pair: bodies.map(|body| body.name.as_str()).join("|"),
            features: features.collect(),
            regions: pair.regions,
            in_contact: pair.kept,
        }
    };
    Some(found.pairs.iter().map(explain).collect())
}

/// Checks a file of many motions of a cell, with memory for some of them at a time.
pub fn bundle<R: std::io::Read>(reader: &mut BundleReader<R>, cell: &Cell) -> VerifyAnswer {
    let found = verify_bundle(reader, cell, &mut |_| {});
    let record = found.as_ref().ok().map(VerifiedBundle::record);
    let found = found.map_err(|why| why.to_string()).map(|found| Proven::Bundle {
        motions: found.motions,
        fingerprint: found.fingerprint,
        all: ProvenGaps {
            clearance: found.clearance.is_finite().then_some(found.clearance),
            regions: found.regions,
            pairs: cell.pairs().checked().len(),
        },
    });
    VerifyAnswer { record, ..answer(found) }
}

fn answer(found: Result<Proven, String>) -> VerifyAnswer {
    let (proven, why) = match found {
        Ok(proven) => (Some(proven), None),
        Err(why) => (None, Some(why)),
    };
    VerifyAnswer {
        format: FORMAT,
        accepted: proven.is_some(),
        why,
        bodies: None,
        proven,
        record: None,
        pairs: None,
        contacts: None,
    }
}

const OTHER_MOTION: &str = "it is about another motion";

fn of_joints(certified: &CertifiedMotion, cell: &Cell, motion: Option<&Moved>) -> VerifyAnswer {
    let is_it = |motion: &Moved| matches!(motion, Moved::Joints(motion) if *motion == certified.motion);
    if motion.is_some_and(|motion| !is_it(motion)) {
        return answer(Err(OTHER_MOTION.into()));
    }
    // Pairs that never move relative to each other are apart, and no motion could do better.
    let moves = |bodies: &[BodyId; 2]| {
        let [a, b] = bodies.map(|body| cell.in_frame(cell.body(body).carrier).frame);
        a != b
    };
    let found = certified.verify(cell).map_err(|why| why.to_string()).map(|found| {
        let checked = cell.pairs().checked();
        let gaps = checked.iter().zip(&certified.certificate.clearances);
        let least =
            gaps.filter(|(bodies, _)| moves(bodies)).map(|(_, gap)| *gap).fold(f64::INFINITY, f64::min);
        Proven::Joints {
            waypoints: certified.motion.pieces().len() + 1,
            from: certified.motion.at(0.0),
            to: certified.motion.at(1.0),
            all: ProvenGaps {
                clearance: least.is_finite().then_some(least),
                regions: found.regions,
                pairs: checked.len(),
            },
        }
    });
    answer(found)
}

fn of_routes(certified: &CertifiedRoute, cell: &Cell, motion: Option<&Moved>) -> VerifyAnswer {
    let is_proven = |(law, route): &(Law, Route)| {
        certified.routes.iter().any(|one| one.law == *law && one.route.is_near(route, SAME))
    };
    let is_it = |motion: &Moved| matches!(motion, Moved::Tool(routes) if routes.iter().all(is_proven));
    if motion.is_some_and(|motion| !is_it(motion)) {
        return answer(Err(OTHER_MOTION.into()));
    }
    let first = &certified.routes[0];
    let pieces = certified.routes.iter().flat_map(|one| &one.pieces);
    let found = certified.verify(cell).map_err(|why| why.to_string()).map(|found| Proven::Tool {
        moves: first.route.legs().last().map_or(0, |leg| MoveNumber::of_move(leg.of_move).get()),
        laws: motion.map(|_| certified.routes.iter().map(|one| one.law.to_string()).collect()),
        tip: certified.link.clone(),
        margin: pieces.map(|piece| piece.margins.of_joints).fold(0.0, f64::max),
        from: first.route.start().to_vec(),
        all: ProvenGaps {
            clearance: found.clearance.is_finite().then_some(found.clearance),
            regions: found.regions,
            pairs: cell.pairs().checked().len(),
        },
    });
    answer(found)
}

fn of_contact(held: &ContactCertificate) -> VerifyAnswer {
    let found = verify_contact(held).map_err(|why| why.to_string()).map(|found| Proven::Contact {
        moves: found.moves,
        tolerance: found.tolerance,
        regions: found.regions(),
        in_contact: found.kept(),
        pairs: found.pairs.len(),
    });
    answer(found)
}

fn of_bodies(certified: &CertifiedBodies) -> VerifyAnswer {
    let found = certified.verify().map_err(|why| why.to_string()).map(|found| Proven::Bodies {
        exact: found.exact,
        triangles: certified.meshes.each_ref().map(|mesh| mesh.triangles().len()),
        all: ProvenGaps { clearance: Some(found.clearance), regions: found.regions, pairs: 1 },
    });
    VerifyAnswer { bodies: Some(certified.names.clone()), ..answer(found) }
}

impl VerifyAnswer {
    /// What the command ends with.
    #[must_use]
    pub fn exit_code(&self) -> ExitCode {
        if self.accepted { ExitCode::Done } else { ExitCode::No }
    }

    /// How many regions were checked, if it is accepted.
    #[must_use]
    pub fn regions(&self) -> Option<usize> {
        self.proven.as_ref().map(|proven| match proven {
            Proven::Joints { all, .. }
            | Proven::Tool { all, .. }
            | Proven::Bundle { all, .. }
            | Proven::Bodies { all, .. } => all.regions,
            Proven::Contact { regions, .. } => *regions,
        })
    }
}

/// The answer in words, with a line feed at the end.
#[must_use]
pub fn text(answer: &VerifyAnswer) -> String {
    let mut text = verdict(answer);
    if let Some(record) = &answer.record {
        writeln!(text, "  record   {record}").expect("writing to a string succeeds");
    }
    for ExplainedPair { pair, gap, piece, regions } in answer.pairs.iter().flatten() {
        match gap {
            Some(gap) => writeln!(
                text,
                "  {pair}: more than {:.4} mm apart, least in motion {piece}; {regions} region{}",
                gap * 1e3,
                if *regions == 1 { "" } else { "s" }
            ),
            None => writeln!(text, "  {pair}: nothing of it moves or has a shape"),
        }
        .expect("writing to a string succeeds");
    }
    for contact in answer.contacts.iter().flatten() {
        writeln!(
            text,
            "  {}, {}: {} region{}, {} of them in contact",
            contact.of_move,
            contact.pair,
            contact.regions,
            if contact.regions == 1 { "" } else { "s" },
            contact.in_contact
        )
        .expect("writing to a string succeeds");
        for ExplainedFeatures { middles, corners: [a, b], regions } in &contact.features {
            let [of_moving, of_fixed] = middles.map(|middle| numbers(&middle));
            writeln!(
                text,
                "      may touch: {a} corners around ({of_moving}) of the mesh that moves, {b} around ({of_fixed}); {regions} region{}",
                if *regions == 1 { "" } else { "s" }
            )
            .expect("writing to a string succeeds");
        }
    }
    text
}

fn verdict(answer: &VerifyAnswer) -> String {
    let Some(proven) = &answer.proven else {
        return format!("refused: {}\n", answer.why.as_deref().unwrap_or_default());
    };
    let least = |all: &ProvenGaps| all.clearance.unwrap_or(f64::INFINITY);
    match proven {
        Proven::Joints { waypoints, from, to, all } => format!(
            "accepted: {} pairs stay more than {} m apart on the way through {waypoints} waypoints; {} regions\n  from     {}\n  to       {}\n",
            all.pairs,
            least(all),
            all.regions,
            numbers(from),
            numbers(to),
        ),
        Proven::Tool { moves, laws, tip, margin, from, all } => {
            let laws = laws.as_ref().map_or_else(
                || "not checked: name the motion, and its curves are compared".to_owned(),
                |laws| laws.join(", "),
            );
            format!(
                "accepted: {} pairs stay more than {} m apart while {tip} is led through the {moves} moves of its list; {} regions\n  law      {laws}\n  margins  at most {margin:.2e} m for what joints are off the cubics\n  from     {}\n",
                all.pairs,
                least(all),
                all.regions,
                numbers(from),
            )
        }
        Proven::Bundle { motions, all, .. } => format!(
            "accepted: {motions} motions, in each of which {} pairs stay more than {} m apart; {} regions\n",
            all.pairs,
            least(all),
            all.regions,
        ),
        Proven::Contact { moves, tolerance, regions, in_contact, pairs } => format!(
            "accepted: {moves} motion{} of {pairs} pair{} of bodies: features that may touch overlap by at most {:.3e} m, and nothing else touches; {regions} regions, {in_contact} of them in contact\n",
            if *moves == 1 { "" } else { "s" },
            if *pairs == 1 { "" } else { "s" },
            // Four digits, never fewer metres than are meant.
            tolerance * 1.0005,
        ),
        Proven::Bodies { exact, triangles: [a, b], all } => {
            let mut text = String::from("accepted: ");
            if let Some([name_a, name_b]) = &answer.bodies {
                write!(text, "{name_a} and {name_b} ").expect("writing to a string succeeds");
            }
            text += &format!(
                "({a} and {b} triangles) stay more than {} m apart; {} regions, {exact} of them in whole numbers\n",
                least(all),
                all.regions,
            );
            text
        }
    }
}

fn numbers(posture: &[f64]) -> String {
    posture.iter().map(|value| format!("{value:.6}")).collect::<Vec<_>>().join(", ")
}
