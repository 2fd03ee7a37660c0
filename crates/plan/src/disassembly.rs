//! In which order, and in which directions, does an assembly come apart?
//!
//! What the contacts allow says which sets of parts may begin to move, and which way; each push is then proven as a finite
//! motion, against every part that is still there, by [`kansho_check::slide`] with the contacts that were found allowed.

use kansho_check::slide::{Named, Placed, Push, push};
use kansho_check::sliding_contact::builder::ContactBuilder;
use kansho_check::sliding_contact::certify::CertifyOptions;
use kansho_check::sliding_contact::{MayTouch, Patch, SlidingMotion};
use kansho_contact::{Assembly, ContactOptions, Part, Twist};
use kansho_geom::glam::DVec3;
use kansho_geom::{Mesh, Pose};
use kansho_verify::contact::ContactCertificate;
use std::time::Instant;

/// One step: some parts leave together.
#[derive(Clone, Debug, PartialEq)]
pub struct DisassemblyStep {
    /// Which parts, in ascending order.
    pub parts: Vec<usize>,
    /// Unit vector.
    pub direction: DVec3,
    /// How far, until their boxes are apart from all others.
    pub length: f64,
}

/// How an assembly comes apart.
#[derive(Clone, Debug, PartialEq)]
pub struct Disassembly {
    /// Steps, each proven; one part, or several that could not be taken apart, stays.
    pub steps: Vec<DisassemblyStep>,
    /// What stays in the end, in ascending order. More than one part if no way was found to take these apart by pushes.
    pub left: Vec<usize>,
    /// Pushes that the contacts allow but that collide farther on: parts, direction, and with which part.
    pub collide: Vec<(DisassemblyStep, usize)>,
}

impl Disassembly {
    /// Whether a single part is left.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.left.len() <= 1
    }
}

/// Finds an order of disassembly by straight pushes; `stays` is not moved, like a floor.
///
/// Greedy, and complete for pushes: what can leave can still leave after others have left.
#[must_use]
pub fn disassemble(parts: &[&Part], assembly: &Assembly, stays: Option<usize>) -> Disassembly {
    let mut left: Vec<usize> = (0..parts.len()).collect();
    let mut plan = Disassembly { steps: Vec::new(), left: Vec::new(), collide: Vec::new() };
    let directions = preferred(assembly.directions());
    while left.len() > 1 {
        let mut next =
            |directions: &[DVec3]| next(parts, assembly, stays, &left, directions, &mut plan.collide);
        let Some(step) = next(&directions).or_else(|| next(&aside(parts, &left))) else { break };
        left.retain(|i| !step.parts.contains(i));
        plan.steps.push(step);
    }
    plan.left = left;
    plan
}

/// The same from parts alone.
#[must_use]
pub fn disassemble_parts(
    parts: &[&Part],
    options: &ContactOptions,
    stays: Option<usize>,
) -> (Assembly, Disassembly) {
    let assembly = Assembly::of(parts, options);
    let plan = disassemble(parts, &assembly, stays);
    (assembly, plan)
}

/// Most regions of a push and one of the other parts.
const MOST_REGIONS: u64 = 4_000_000;

/// Why each push of a disassembly touches nothing but what touches at the start, for others to check.
///
/// Parts are given their places in the world first, with coordinates rounded once. Faces of contacts that were found may overlap by what
/// counts as touching.
///
/// # Errors
/// In a sentence: of which push there is no certificate.
pub fn certificate(
    parts: &[(&str, &Part)],
    assembly: &Assembly,
    plan: &Disassembly,
    deadline: Option<Instant>,
) -> Result<ContactCertificate, String> {
    let placed = parts.iter().map(|(name, part)| {
        let placed = if part.world_from_mesh() == Pose::IDENTITY {
            part.mesh().as_ref().clone()
        } else {
            let welded = part.mesh().placed(part.world_from_mesh());
            welded.map_err(|fault| format!("\"{name}\" in its place is no mesh: {fault}"))?.mesh
        };
        if placed.triangles() != part.mesh().triangles() {
            return Err(format!("\"{name}\" in its place loses triangles"));
        }
        Ok(((*name).to_owned(), placed))
    });
    let bodies = placed.collect::<Result<Vec<(String, Mesh)>, String>>()?;
    let meshes: Vec<Mesh> = bodies.iter().map(|(_, mesh)| mesh.clone()).collect();
    let tolerance = assembly.pairs.iter().map(|pair| pair.touch).fold(0.0, f64::max);
    // Where nothing touches at the start, any length will do.
    let tolerance = if tolerance > 0.0 { tolerance } else { 1e-9 };
    let options = CertifyOptions { tolerance, most_regions: MOST_REGIONS, deadline };
    let mut builder = ContactBuilder::new(bodies, true, options);
    let only: Vec<&Part> = parts.iter().map(|(_, part)| *part).collect();
    for (k, step) in plan.steps.iter().enumerate() {
        let names: Vec<&str> = step.parts.iter().map(|&part| parts[part].0).collect();
        let label = format!("{}. push {}", k + 1, names.join(" and "));
        let way = SlidingMotion::Straight { from: Pose::IDENTITY, by: step.direction * step.length };
        let may_touch = |[moving, fixed]: [usize; 2]| -> Vec<MayTouch> {
            let (named, _) = named(&only, assembly, moving, fixed);
            let patches = named.into_iter().map(|named| MayTouch {
                moving: patch(&meshes[moving], &named.moving),
                fixed: patch(&meshes[fixed], &named.fixed),
            });
            patches.collect()
        };
        builder.push(&label, &step.parts, &way, may_touch).map_err(|why| why.to_string())?;
    }
    Ok(builder.finish())
}

/// A face by its triangles.
fn patch(mesh: &Mesh, triangles: &[u32]) -> Patch {
    let mut vertices: Vec<u32> = Vec::new();
    let mut normal = DVec3::ZERO;
    for &triangle in triangles {
        let corners = mesh.triangles()[triangle as usize];
        vertices.extend(corners);
        let [a, b, c] = corners.map(|v| mesh.vertices()[v as usize]);
        normal += (b - a).cross(c - a);
    }
    vertices.sort_unstable();
    vertices.dedup();
    Patch { vertices, normals: normal.try_normalize().into_iter().collect(), edge: None }
}

/// Directions that no contact tells, for what touches nothing: along the axes, and for each part away from the middle of the others.
fn aside(parts: &[&Part], left: &[usize]) -> Vec<DVec3> {
    let axes = [DVec3::Z, DVec3::X, DVec3::Y].into_iter().flat_map(|d| [d, -d]);
    let away = left.iter().filter_map(|&i| {
        let others = left.iter().filter(|&&j| j != i).map(|&j| parts[j].centre());
        (parts[i].centre() * (left.len() - 1) as f64 - others.sum::<DVec3>()).try_normalize()
    });
    axes.chain(away).collect()
}

/// Upward first: what can be lifted need not be slid.
fn preferred(mut directions: Vec<DVec3>) -> Vec<DVec3> {
    directions.sort_by(|a, b| b.z.total_cmp(&a.z));
    directions
}

fn next(
    parts: &[&Part],
    assembly: &Assembly,
    stays: Option<usize>,
    left: &[usize],
    directions: &[DVec3],
    collide: &mut Vec<(DisassemblyStep, usize)>,
) -> Option<DisassemblyStep> {
    // Small sets first.
    let mut candidates: Vec<(Vec<usize>, DVec3)> = Vec::new();
    for &direction in directions {
        let graph = assembly.blocking_graph(&Twist { v: direction, w: DVec3::ZERO });
        for &part in left {
            let set = closure(part, &graph, left);
            let may = set.len() < left.len() && stays.is_none_or(|s| !set.contains(&s));
            if may && !candidates.iter().any(|(other, d)| *other == set && *d == direction) {
                candidates.push((set, direction));
            }
        }
    }
    candidates.sort_by_key(|(set, _)| set.len());
    for (set, direction) in candidates {
        let others: Vec<usize> = left.iter().copied().filter(|i| !set.contains(i)).collect();
        let step =
            DisassemblyStep { length: way_out(parts, &set, &others, direction), parts: set, direction };
        match step
            .parts
            .iter()
            .find_map(|&i| others.iter().find(|&&j| !is_free(parts, assembly, i, j, &step)))
        {
            None => return Some(step),
            Some(&with) => {
                if !collide.iter().any(|(known, _)| *known == step) {
                    collide.push((step, with));
                }
            }
        }
    }
    None
}

/// A part and all that block it, one after the other, among those that are left.
fn closure(part: usize, graph: &[Vec<usize>], left: &[usize]) -> Vec<usize> {
    let mut set = vec![part];
    let mut next = 0;
    while let Some(&i) = set.get(next) {
        next += 1;
        set.extend(
            graph[i].iter().filter(|j| left.contains(j) && !set.contains(j)).copied().collect::<Vec<_>>(),
        );
    }
    set.sort_unstable();
    set
}

/// How far to go until the boxes are apart along the direction.
fn way_out(parts: &[&Part], set: &[usize], others: &[usize], direction: DVec3) -> f64 {
    let along = |i: usize| {
        let mesh = parts[i].mesh().vertices().iter().map(|&p| direction.dot(parts[i].world_from_mesh() * p));
        mesh.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), x| (l.min(x), h.max(x)))
    };
    let start = set.iter().map(|&i| along(i).0).fold(f64::INFINITY, f64::min);
    let end = others.iter().map(|&j| along(j).1).fold(f64::NEG_INFINITY, f64::max);
    let size = set.iter().map(|&i| parts[i].size()).fold(0.0, f64::max);
    (end - start).max(0.0) + 0.1 * size
}

fn is_free(
    parts: &[&Part],
    assembly: &Assembly,
    moving: usize,
    fixed: usize,
    step: &DisassemblyStep,
) -> bool {
    let (named, tolerance) = named(parts, assembly, moving, fixed);
    let placed = |i: usize| Placed { mesh: parts[i].mesh(), world_from_mesh: parts[i].world_from_mesh() };
    push(placed(moving), placed(fixed), step.direction, step.length, &named, tolerance) == Push::Free
}

/// Faces of two parts that touch at the start, and what counts as touching.
fn named(parts: &[&Part], assembly: &Assembly, moving: usize, fixed: usize) -> (Vec<Named>, f64) {
    let mut named: Vec<Named> = Vec::new();
    let mut tolerance = 0.0;
    for pair in &assembly.pairs {
        let order = match pair.parts {
            [a, b] if (a, b) == (moving, fixed) => [0, 1],
            [a, b] if (b, a) == (moving, fixed) => [1, 0],
            _ => continue,
        };
        tolerance = pair.touch;
        for contact in &pair.set.contacts {
            let on = order.map(|k| contact.on[k]);
            for m in parts[moving].faces_at(on[0]) {
                for f in parts[fixed].faces_at(on[1]) {
                    named.push(Named { moving: m.clone(), fixed: f });
                }
            }
        }
    }
    named.sort_by(|a, b| (&a.moving, &a.fixed).cmp(&(&b.moving, &b.fixed)));
    named.dedup_by(|a, b| a.moving == b.moving && a.fixed == b.fixed);
    (named, tolerance)
}
