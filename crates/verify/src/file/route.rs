//! Certificates of routes as JSON: where a tool goes, the cubics of joints that were proven with, their margins, and why nothing touches.
//!
//! ```json
//! { "kansho": "route certificate 2", "hash": "of the proof", "proof": {
//!   "resolution": 1e-6, "cell": { ... }, "coordinates": ["arm/joint_1", ...],
//!   "tip": { "link": "arm/tool0", "number": 8, "link_from_tip": [12 numbers] }, "clearances": [["arm/link_1|floor", 0.0], ...],
//!   "routes": [{ "law": "slerp", "start": [joints],
//!     "legs": [{ "move": 0, "joints": [...] }, { "move": 1, "curve": { "kind": "lin", ... } }],
//!     "pieces": [{ "leg": 0, "part": [0, 1], "margin": 0.0, "tip_margin": 0.0, "cubics": [[4 numbers], ...], "steps": "ctcac..." }] }] } }
//! ```
//!
//! Cell, clearances and steps are as in certificates of motions. There is one route for each law of rotation that was asked for.
//!
//! A long one is a `route certificate 3`: legs and pieces of all routes stand in blocks, `"packed": ["letters", ...]`, in a tenth of the size
//! (`packed.rs`).

mod rows;

use super::CertificateFault as Fault;
use super::motion::pair_names;
use super::print::CellPrint;
use crate::motion::{MotionCertificate, PairProof, VerifiedMotion, explain};
use crate::route::{Arm, Margins, RefusedRoute, RoutePiece, verify_route};
use kansho_cell::ik::Tip;
use kansho_cell::route::{CurveKind, CurveTurn, Law, Leg, Loose, Place, PoseCurve, Route, RouteMotion};
use kansho_cell::{Cell, FrameId, JointMotion, JointPiece};
use kansho_geom::Pose;
use kansho_geom::glam::{DMat3, DVec3};
use kansho_geom::pose_motion::Span;
use serde::{Deserialize, Serialize};

const KIND: &str = "route certificate 2";

/// The same with packed legs.
const PACKED: &str = "route certificate 3";

/// Routes with more legs than this are packed.
const MANY: usize = 64;

/// Routes of a cell, and why they are free.
#[derive(Clone, Debug, PartialEq)]
pub struct CertifiedRoute {
    /// What tells the cell from others.
    pub cell: CellPrint,
    /// Names of the coordinates, in order.
    pub coordinates: Vec<String>,
    /// Names of the pairs, in order.
    pub pairs: Vec<String>,
    /// The link that carries the tip.
    pub link: String,
    /// The resolution that it was looked at with, in metres.
    pub resolution: f64,
    /// The same program with each law that was asked for.
    pub routes: Vec<OneRoute>,
}

/// A route and why it is free.
#[derive(Clone, Debug, PartialEq)]
pub struct OneRoute {
    /// How the tool turns on lines and arcs.
    pub law: Law,
    /// Where it goes.
    pub route: Route,
    /// The cubics with their margins.
    pub pieces: Vec<RoutePiece>,
    /// Why it is free.
    pub certificate: MotionCertificate,
}

/// Why a certificate proves nothing of a cell.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum RefusedRoutes {
    /// It is about another cell.
    #[error("it is about another cell: {0}")]
    OtherCell(String),
    /// The check itself says no.
    #[error("{law}: {why}")]
    Check {
        /// Of which law.
        law: Law,
        /// What is wrong.
        why: RefusedRoute,
    },
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    kansho: String,
    hash: String,
    proof: Body,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Body {
    resolution: f64,
    cell: CellPrint,
    coordinates: Vec<String>,
    tip: TipFile,
    clearances: Vec<(String, f64)>,
    routes: Vec<RouteFile>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    packed: Option<Vec<String>>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct TipFile {
    link: String,
    number: u32,
    link_from_tip: [f64; 12],
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct RouteFile {
    law: String,
    start: Vec<f64>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    legs: Vec<LegFile>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pieces: Vec<PieceFile>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct LegFile {
    #[serde(rename = "move")]
    of_move: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    joints: Option<Vec<f64>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    curve: Option<CurveFile>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct CurveFile {
    kind: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    cubic: Option<[[f64; 3]; 4]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    arc: Option<ArcFile>,
    /// Row by row.
    rotation: [f64; 9],
    /// Axes, and angles as cubics.
    turns: Vec<([f64; 3], [f64; 4])>,
    part: [f64; 2],
    loose: [f64; 2],
    #[serde(skip_serializing_if = "Option::is_none")]
    arrives: Option<Vec<f64>>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ArcFile {
    centre: [f64; 3],
    arm: [f64; 3],
    axis: [f64; 3],
    angle: f64,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct PieceFile {
    leg: usize,
    part: [f64; 2],
    margin: f64,
    /// The same where none is given.
    #[serde(skip_serializing_if = "Option::is_none")]
    tip_margin: Option<f64>,
    cubics: Vec<[f64; 4]>,
    steps: String,
}

impl CertifiedRoute {
    /// Certificates of the same program with each law, with what they are about.
    ///
    /// # Panics
    /// If there is no route.
    #[must_use]
    pub fn new(cell: &Cell, resolution: f64, routes: Vec<OneRoute>) -> Self {
        let tip = routes.first().expect("a route").route.tip();
        Self {
            cell: CellPrint::of(cell),
            coordinates: cell.coordinates().iter().map(|c| c.full_name()).collect(),
            pairs: pair_names(cell),
            link: cell.link_names()[tip.link.0 as usize].clone(),
            resolution,
            routes,
        }
    }

    /// A hash of what moves: of each law the start and the legs.
    #[must_use]
    pub fn program(&self) -> String {
        let routes: Vec<(String, RouteFile)> = self
            .routes
            .iter()
            .map(|one| (one.law.to_string(), RouteFile { pieces: Vec::new(), ..route_file(one) }))
            .collect();
        let text = serde_json::to_string(&routes).expect("numbers and lists can be written");
        blake3::hash(text.as_bytes()).to_hex().to_string()
    }

    /// What it shows of each pair, for the law of rotation of which least is known.
    ///
    /// # Errors
    /// As [`CertifiedRoute::verify`].
    pub fn explain(&self, cell: &Cell) -> Result<Vec<PairProof>, RefusedRoutes> {
        self.verify(cell)?;
        let mut all: Vec<PairProof> = Vec::new();
        for one in &self.routes {
            let wrong = |why: RefusedRoute| RefusedRoutes::Check { law: one.law, why };
            let arm = Arm::new(cell, &one.route.tip()).map_err(|why| wrong(why.into()))?;
            let motion = JointMotion::of_pieces(one.pieces.iter().map(|piece| piece.piece.clone()).collect());
            let motion = motion.ok_or_else(|| wrong(RefusedRoute::Short))?;
            let margin = |piece: usize, frames: [FrameId; 2]| one.pieces[piece].margins.of(&arm, frames);
            let found = explain(cell, &motion, &one.certificate, &margin).map_err(|why| wrong(why.into()))?;
            if all.is_empty() {
                all = found;
            } else {
                for (least, found) in all.iter_mut().zip(found) {
                    let regions = least.regions + found.regions;
                    *least = PairProof { regions, ..if found.gap < least.gap { found } else { *least } };
                }
            }
        }
        Ok(all)
    }

    /// Re-checks it for a cell, by the verifier that shares only forward kinematics and the formulas of curves with the search.
    ///
    /// # Errors
    /// It is about another cell, or does not prove what it says.
    pub fn verify(&self, cell: &Cell) -> Result<VerifiedMotion, RefusedRoutes> {
        if let Some(difference) = self.cell.difference(&CellPrint::of(cell)) {
            return Err(RefusedRoutes::OtherCell(difference));
        }
        let names: Vec<String> = cell.coordinates().iter().map(|c| c.full_name()).collect();
        if self.coordinates != names {
            return Err(RefusedRoutes::OtherCell("its coordinates have other names".into()));
        }
        if self.pairs != pair_names(cell) {
            return Err(RefusedRoutes::OtherCell("other pairs are checked".into()));
        }
        let mut all = VerifiedMotion { clearance: f64::INFINITY, regions: 0 };
        for one in &self.routes {
            let link = one.route.tip().link.0 as usize;
            if cell.link_names().get(link) != Some(&self.link) {
                return Err(RefusedRoutes::OtherCell(format!(
                    "the link \"{}\" has another number",
                    self.link
                )));
            }
            let found = verify_route(cell, &one.route, &one.pieces, &one.certificate)
                .map_err(|why| RefusedRoutes::Check { law: one.law, why })?;
            all = VerifiedMotion {
                clearance: all.clearance.min(found.clearance),
                regions: all.regions + found.regions,
            };
        }
        Ok(all)
    }

    /// It as JSON. Numbers are written so that they come back to the last bit.
    #[must_use]
    pub fn to_json(&self) -> String {
        let first = &self.routes[0];
        let tip = first.route.tip();
        let body = Body {
            resolution: self.resolution,
            cell: self.cell.clone(),
            coordinates: self.coordinates.clone(),
            tip: TipFile {
                link: self.link.clone(),
                number: tip.link.0,
                link_from_tip: tip.link_from_tip.to_rows(),
            },
            clearances: self
                .pairs
                .iter()
                .cloned()
                .zip(first.certificate.clearances.iter().copied())
                .collect(),
            routes: self.routes.iter().map(route_file).collect(),
            packed: None,
        };
        let body = rows::pack(body);
        let kind = if body.packed.is_some() { PACKED } else { KIND };
        let file = File { kansho: kind.into(), hash: hash(&body), proof: body };
        serde_json::to_string(&file).expect("numbers and lists can be written") + "\n"
    }
}

fn hash(body: &Body) -> String {
    let text = serde_json::to_string(body).expect("numbers and lists can be written");
    blake3::hash(text.as_bytes()).to_hex().to_string()
}

fn route_file(one: &OneRoute) -> RouteFile {
    let leg = |leg: &Leg| {
        let (joints, curve) = match &leg.way {
            RouteMotion::Joints(to) => (Some(to.clone()), None),
            RouteMotion::Tool { curve, part, loose, arrives } => {
                let (cubic, arc) = match *curve.place() {
                    Place::Cubic(points) => (Some(points.map(|p| p.to_array())), None),
                    Place::Arc { centre, arm, axis, angle } => {
                        let [centre, arm, axis] = [centre, arm, axis].map(|v| v.to_array());
                        (None, Some(ArcFile { centre, arm, axis, angle }))
                    }
                };
                let curve = CurveFile {
                    kind: curve.kind().to_string(),
                    cubic,
                    arc,
                    rotation: curve.first().transpose().to_cols_array(),
                    turns: curve.turns().iter().map(|turn| (turn.axis.to_array(), turn.angle)).collect(),
                    part: [part.start, part.end],
                    loose: [loose.place, loose.turn],
                    arrives: arrives.clone(),
                };
                (None, Some(curve))
            }
        };
        LegFile { of_move: leg.of_move, joints, curve }
    };
    let piece = |(piece, steps): (&RoutePiece, &String)| PieceFile {
        leg: piece.leg,
        part: [piece.part.start, piece.part.end],
        margin: piece.margins.of_joints,
        tip_margin: Some(piece.margins.of_tip),
        cubics: piece.piece.controls().to_vec(),
        steps: steps.clone(),
    };
    RouteFile {
        law: one.law.to_string(),
        start: one.route.start().to_vec(),
        legs: one.route.legs().iter().map(leg).collect(),
        pieces: one.pieces.iter().zip(&one.certificate.pieces).map(piece).collect(),
    }
}

/// Reads one from memory.
///
/// # Errors
/// The file is none, was changed or cut short.
pub fn parse(bytes: &[u8]) -> Result<CertifiedRoute, Fault> {
    super::current(bytes, &[KIND, PACKED])?;
    let file: File = serde_json::from_slice(bytes)
        .map_err(|error| Fault::new(format!("this is no certificate of a route: {error}")))?;
    if file.hash != hash(&file.proof) {
        return Err(Fault::new("it was changed: its hash is another"));
    }
    if (file.kansho == PACKED) != file.proof.packed.is_some() {
        return Err(Fault::new(format!("only a '{PACKED}' has packed legs, and each does")));
    }
    let body = rows::unpack(file.proof).map_err(|what| Fault::of_part("packed".into(), what))?;
    if !(body.resolution > 0.0 && body.resolution.is_finite()) {
        return Err(Fault::new(format!("the resolution {} is no length", body.resolution)));
    }
    let link_from_tip = Pose::from_rows(&body.tip.link_from_tip)
        .map_err(|not| Fault::new(format!("the tip is nowhere: {not}")))?;
    let tip = Tip { link: kansho_cell::LinkId(body.tip.number), link_from_tip };
    let (pairs, clearances): (Vec<String>, Vec<f64>) = body.clearances.into_iter().unzip();
    if body.routes.is_empty() {
        return Err(Fault::new("there is no route in it"));
    }
    let routes = body.routes.into_iter().map(|route| one(route, tip, &clearances));
    Ok(CertifiedRoute {
        cell: body.cell,
        coordinates: body.coordinates,
        pairs,
        link: body.tip.link,
        resolution: body.resolution,
        routes: routes.collect::<Result<_, _>>()?,
    })
}

fn one(file: RouteFile, tip: Tip, clearances: &[f64]) -> Result<OneRoute, Fault> {
    let law = match file.law.as_str() {
        "slerp" => Law::Slerp,
        "swivel-twist" => Law::SwivelTwist,
        other => return Err(Fault::new(format!("'{other}' is no law of rotation"))),
    };
    let legs = file.legs.into_iter().enumerate().map(|(number, leg)| {
        let wrong = |what: &str| Fault::of_part(format!("leg {number}"), what);
        let way = match (leg.joints, leg.curve) {
            (Some(to), None) => RouteMotion::Joints(to),
            (None, Some(curve)) => {
                tool(curve).ok_or_else(|| wrong("its curve is none, or not a part of one"))?
            }
            _ => return Err(wrong("it goes to a posture or along a curve")),
        };
        Ok(Leg { of_move: leg.of_move, way })
    });
    let legs = legs.collect::<Result<Vec<_>, _>>()?;
    let route = Route::of_legs(tip, file.start, legs).ok_or_else(|| Fault::new("a route has no legs"))?;
    let (mut pieces, mut steps) = (Vec::new(), Vec::new());
    for (number, given) in file.pieces.into_iter().enumerate() {
        let wrong = |what: &str| Fault::of_part(format!("piece {number}"), what);
        let [start, end] = given.part;
        if !(start >= 0.0 && start < end && end <= 1.0) {
            return Err(wrong("its part of a curve is none"));
        }
        let piece = JointPiece::of_controls(given.cubics).ok_or_else(|| wrong("a cubic is not finite"))?;
        let margins = Margins { of_tip: given.tip_margin.unwrap_or(given.margin), of_joints: given.margin };
        pieces.push(RoutePiece { leg: given.leg, part: Span::new(start, end), piece, margins });
        steps.push(given.steps);
    }
    let certificate = MotionCertificate { clearances: clearances.to_vec(), pieces: steps };
    Ok(OneRoute { law, route, pieces, certificate })
}

fn tool(file: CurveFile) -> Option<RouteMotion> {
    let kind = match file.kind.as_str() {
        "lin" => CurveKind::Line,
        "circ" => CurveKind::Arc,
        "spline" => CurveKind::Spline,
        "corner" => CurveKind::Corner,
        _ => return None,
    };
    let place = match (file.cubic, file.arc) {
        (Some(points), None) => Place::Cubic(points.map(DVec3::from)),
        (None, Some(ArcFile { centre, arm, axis, angle })) => {
            let [centre, arm, axis] = [centre, arm, axis].map(DVec3::from);
            Place::Arc { centre, arm, axis, angle }
        }
        _ => return None,
    };
    let turns = file.turns.into_iter().map(|(axis, angle)| CurveTurn { axis: axis.into(), angle }).collect();
    let first = DMat3::from_cols_array(&file.rotation).transpose();
    let curve = PoseCurve::of_parts(kind, place, first, turns)?;
    let [start, end] = file.part;
    let [place, turn] = file.loose;
    let is_good = start >= 0.0 && start < end && end <= 1.0 && place >= 0.0 && turn >= 0.0;
    let part = is_good.then(|| Span::new(start, end))?;
    Some(RouteMotion::Tool { curve, part, loose: Loose { place, turn }, arrives: file.arrives })
}
