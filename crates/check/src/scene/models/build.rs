use super::groups::{Grouped, groups};
use super::inside::{Holders, Piece};
use super::{Group, GroupPair, Models};
use crate::reach::{Climb, climb};
use crate::scene::Scene;
use kansho_cell::{FrameId, Geometry};
use kansho_geom::field::{BallTree, Field, FieldOptions, FieldPart, Inner, Roots};
use kansho_geom::glam::DVec3;
use kansho_geom::spheres::{CoverFault, CoverOptions, Hierarchy, Surface, cover};
use kansho_geom::tree::Scratch;
use kansho_geom::{Aabb, Ball};
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

/// Balls inside the bodies of a group, at most.
const INNER: usize = 24;
/// Memory that the cells of what stands still may take, and those of all links: if all were looked at.
const BYTES: usize = 256 << 20;
/// Smallest balls of a part, at most: beyond, they become larger.
const MOST_BALLS: usize = 200_000;
/// Postures that tell where a robot will be.
const SAMPLED: usize = 400;

impl Models {
    /// Models of a scene, with smallest balls that suit its bodies.
    #[must_use]
    pub fn new(scene: &Scene) -> Option<Self> {
        Self::of_radius(scene, suitable(scene), true).ok()
    }

    /// Models with smallest balls of a radius. If it is not `exactly` that radius that matters, balls become larger where they would
    /// be too many.
    pub(crate) fn of_radius(scene: &Scene, radius: f64, may_grow: bool) -> Result<Self, CoverFault> {
        let (grouped, pairs) = groups(scene);
        let geometries: Vec<&Geometry> = scene
            .cell
            .bodies()
            .iter()
            .flat_map(|body| body.pieces.iter().map(|piece| &piece.geometry))
            .collect();
        let field_part = |part: u32| {
            let of = &scene.parts[part as usize];
            match geometries[part as usize] {
                Geometry::Primitive(primitive) => FieldPart::formula(*primitive, of.frame_from_part),
                Geometry::Mesh(_) => FieldPart::mesh(std::sync::Arc::clone(&of.solid), of.frame_from_part)
                    .expect("a mesh is a mesh"),
            }
        };
        let parts_of = |group: &Grouped| -> Vec<u32> {
            group.bodies.iter().flat_map(|body| scene.parts_of(*body)).map(|part| part as u32).collect()
        };
        // What stands still is the field; of two that move, the one with more surface.
        let area = |group: &Grouped| -> f64 { group.bodies.iter().map(|body| scene.surface(*body).1).sum() };
        let areas: Vec<f64> = grouped.iter().map(area).collect();
        let ends: Vec<bool> = grouped
            .iter()
            .map(|group| {
                parts_of(group).iter().all(|part| scene.parts[*part as usize].solid.aabb().is_some())
            })
            .collect();
        let sorted = |&[a, b]: &[usize; 2]| {
            let is_field = |x: usize, y: usize| {
                grouped[x].frame == FrameId::WORLD
                    || (grouped[y].frame != FrameId::WORLD && (!ends[x], areas[x]) > (!ends[y], areas[y]))
            };
            if is_field(a, b) { [a, b] } else { [b, a] }
        };
        let pairs: Vec<[usize; 2]> = pairs.iter().map(sorted).collect();
        let regions = regions(scene, &grouped, &pairs, radius);
        let fields = regions.iter().flatten().count().max(1);
        // Large balls are no reason for large cells.
        let fine = radius.min(suitable(scene));
        let inside: Vec<Vec<Ball>> = (0..scene.parts.len() as u32)
            .into_par_iter()
            .map_init(Scratch::default, |scratch, part| field_part(part).balls_inside(scratch))
            .collect();
        let make = |(k, group): (usize, &Grouped)| {
            let parts = parts_of(group);
            let field_parts: Vec<FieldPart> = parts.iter().map(|part| field_part(*part)).collect();
            let has_balls = pairs.iter().any(|pair| pair[1] == k);
            let mut covers: Vec<(u32, Hierarchy)> = Vec::new();
            let mut bare = Vec::new();
            if has_balls {
                for &part in &parts {
                    // Small parts take small balls.
                    let size = scene.parts[part as usize].solid.aabb().map_or(0.0, |aabb| aabb.diagonal());
                    let own = if may_grow { (size / 48.0).clamp(radius / 4.0, radius) } else { radius };
                    match cover_part(geometries[part as usize], own, may_grow) {
                        Ok(cover) => covers.push((part, cover)),
                        Err(fault) if !may_grow && matches!(geometries[part as usize], Geometry::Mesh(_)) => {
                            return Err(fault);
                        }
                        // The formula, or the triangles, will tell.
                        Err(_) => bare.push(part),
                    }
                }
            }
            let around = ball(&field_parts);
            let middle = around.map_or(DVec3::ZERO, |ball| ball.centre());
            let trees: Vec<(u32, BallTree)> = covers
                .iter()
                .map(|(part, cover)| {
                    (*part, BallTree::new(cover, scene.parts[*part as usize].frame_from_part, middle))
                })
                .collect();
            let of_group = parts.iter().flat_map(|part| inside[*part as usize].iter().copied());
            let inner = Inner::new(if has_balls { of_group.collect() } else { Vec::new() }, INNER);
            let roots: Vec<Ball> = trees.iter().map(|(_, tree)| *tree.ball()).collect();
            let mut mask = vec![0; scene.standing.blocks()];
            parts.iter().for_each(|part| mask[*part as usize / 8] |= 1 << (part % 8));
            let field = regions[k].map(|region| {
                // Links are small, and near each other. What stands still is large: smaller cells would leave less to the exact test,
                // and take longer to fetch.
                let cell = if group.frame == FrameId::WORLD { 1.65 * fine } else { fine };
                let options = FieldOptions {
                    cell,
                    bytes: if group.frame == FrameId::WORLD { BYTES } else { BYTES / fields },
                };
                Field::new(field_parts.clone(), region, &options)
            });
            Ok(Group {
                frame: group.frame,
                mask,
                ball: around,
                field,
                roots: Roots::new(&roots, middle),
                trees,
                inner,
                bare,
                parts,
            })
        };
        let groups = grouped.par_iter().enumerate().map(make).collect::<Result<Vec<Group>, _>>()?;
        let pieces: Vec<Vec<Piece>> = groups
            .par_iter()
            .map(|group| if group.field.is_some() { pieces(scene, group, &inside) } else { Vec::new() })
            .collect();
        let mut ranged = BTreeSet::new();
        let climbs: Vec<Climb> =
            grouped.iter().map(|group| climb(&scene.cell, &group.bodies, &mut ranged)).collect();
        let mut per_unit = vec![0.0; scene.cell.coordinates().len() * pairs.len()];
        for (k, &[field, balls]) in pairs.iter().enumerate() {
            for moved in Climb::between(&climbs[field], &climbs[balls]) {
                moved.per_unit().for_each(|(coordinate, far)| per_unit[coordinate * pairs.len() + k] += far);
            }
        }
        let pairs: Vec<GroupPair> = pairs
            .iter()
            .map(|&[field, balls]| {
                let trees = &groups[balls].trees;
                let of_balls = groups[balls].parts.iter().map(|part| {
                    let tree = trees.iter().position(|(of, _)| of == part);
                    (*part, tree, &scene.parts[*part as usize])
                });
                let holders = Holders::new(of_balls, &pieces[field]);
                GroupPair { field: field as u32, balls: balls as u32, holders }
            })
            .collect();
        let still = still(&groups, &pairs);
        Ok(Self { groups, pairs, still, radius, ranged: ranged.into_iter().collect(), per_unit })
    }
}

/// Pairs whose field stands still and whose balls have an end, up to eight of one field together.
fn still(groups: &[Group], pairs: &[GroupPair]) -> Vec<Vec<u32>> {
    let mut of_fields: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for (index, pair) in (0u32..).zip(pairs) {
        let is_still = groups[pair.field as usize].frame == FrameId::WORLD;
        if is_still && groups[pair.balls as usize].ball.is_some() {
            of_fields.entry(pair.field).or_default().push(index);
        }
    }
    of_fields.values().flat_map(|pairs| pairs.chunks(8).map(<[u32]>::to_vec)).collect()
}

/// A hundredth of the largest link: of an arm that reaches a metre, half a centimetre.
fn suitable(scene: &Scene) -> f64 {
    let moving = scene.parts.iter().filter(|part| part.frame != FrameId::WORLD);
    let sizes = moving.filter_map(|part| part.solid.aabb()).map(|aabb| aabb.diagonal());
    let largest = sizes.filter(|size| size.is_finite()).fold(0.0, f64::max);
    if largest > 0.0 { largest / 100.0 } else { 1.0 }
}

fn cover_part(geometry: &Geometry, radius: f64, may_grow: bool) -> Result<Hierarchy, CoverFault> {
    let surface = match geometry {
        Geometry::Mesh(mesh) => Surface::Mesh(mesh),
        Geometry::Primitive(primitive) => Surface::Primitive(primitive),
    };
    let mut options = CoverOptions::of_radius(radius);
    if !may_grow {
        return cover(&surface, &options);
    }
    options.most = MOST_BALLS;
    loop {
        match cover(&surface, &options) {
            Err(CoverFault::TooMany { .. } | CoverFault::TooFine { .. }) if options.radius < 1e6 => {
                options.radius *= 2.0;
            }
            done => return done,
        }
    }
}

/// Around all parts, in their frame.
fn ball(parts: &[FieldPart]) -> Option<Ball> {
    let [low, high] = parts
        .iter()
        .map(FieldPart::extent)
        .fold([DVec3::INFINITY, DVec3::NEG_INFINITY], |[low, high], [l, h]| [low.min(l), high.max(h)]);
    let radius = 0.5 * (high - low).length();
    radius.is_finite().then(|| Ball::new((low + high) * 0.5, radius * (1.0 + 1e-12)))
}

/// For each group that is the field of a pair, where its cells should be: where it is, and where the others get.
fn regions(scene: &Scene, grouped: &[Grouped], pairs: &[[usize; 2]], radius: f64) -> Vec<Option<Aabb>> {
    let mut regions: Vec<Option<Aabb>> = vec![None; grouped.len()];
    let cell = scene.cell();
    let ball = |group: &Grouped| -> Option<Ball> {
        let extents = group.bodies.iter().flat_map(|body| scene.parts_of(*body)).map(|part| {
            let part = &scene.parts[part];
            let aabb = part.solid.aabb()?;
            Some((part.frame_from_part * aabb.centre(), 0.5 * aabb.diagonal()))
        });
        let extents: Vec<(DVec3, f64)> = extents.collect::<Option<_>>()?;
        let around = Aabb::of_points(extents.iter().flat_map(|(c, r)| [*c - *r, *c + *r]))?;
        Some(Ball::new(around.centre(), 0.5 * around.diagonal()))
    };
    let balls: Vec<Option<Ball>> = grouped.iter().map(ball).collect();
    let mut reached: Vec<Option<Aabb>> = vec![None; grouped.len()];
    let mut placed = cell.place(&cell.zero_posture());
    for posture in crate::sample::postures(cell).take(SAMPLED) {
        cell.place_into(&posture, &mut placed);
        for &[field, others] in pairs {
            let Some(ball) = &balls[others] else { continue };
            let field_from_other = placed.world_from_frame(grouped[field].frame).inverse()
                * placed.world_from_frame(grouped[others].frame);
            let centre = field_from_other * ball.centre();
            let around = Aabb::of_points([centre - ball.radius(), centre + ball.radius()]);
            reached[field] = match (reached[field], around) {
                (Some(x), Some(y)) => Some(x.union(&y)),
                (x, y) => x.or(y),
            };
        }
    }
    for &[field, _] in pairs {
        let own = grouped[field].bodies.iter().flat_map(|body| scene.parts_of(*body)).map(|part| {
            let part = &scene.parts[part];
            Some(match part.solid.aabb() {
                Some(aabb) => {
                    let centre = part.frame_from_part * aabb.centre();
                    let reach = DVec3::splat(0.5 * aabb.diagonal());
                    [centre - reach, centre + reach]
                }
                None => return None,
            })
        });
        // What is beyond the boxes by more than a small ball is free anyhow.
        let room = DVec3::splat(8.0 * radius);
        let own: Option<Vec<[DVec3; 2]>> = own.collect();
        let own = own.map(|corners| {
            corners.iter().fold([DVec3::INFINITY, DVec3::NEG_INFINITY], |[low, high], [l, h]| {
                [low.min(*l), high.max(*h)]
            })
        });
        let Some(reached) = reached[field] else { continue };
        let (mut low, mut high) = (reached.min() - room, reached.max() + room);
        if let Some([own_low, own_high]) = own {
            (low, high) = (low.max(own_low - room), high.min(own_high + room));
        }
        // Nothing in common: any small region will do.
        let high = high.max(low + room);
        regions[field] = Aabb::of_points([low, high]);
    }
    regions
}

/// The connected pieces of a group.
fn pieces(scene: &Scene, group: &Group, inside: &[Vec<Ball>]) -> Vec<Piece> {
    let largest = |part: u32| inside[part as usize].iter().map(Ball::radius).fold(0.0, f64::max);
    let mut pieces = Vec::new();
    for &part in &group.parts {
        let of = &scene.parts[part as usize];
        match of.solid.tree() {
            Some(tree) => {
                let ends: Vec<[DVec3; 2]> = tree.piece_ends().collect();
                let inner = if ends.len() == 1 { largest(part) } else { 0.0 };
                pieces.extend(ends.into_iter().map(|ends| Piece {
                    part,
                    ends: ends.map(|p| of.frame_from_part * p),
                    inner,
                }));
            }
            None => {
                // A formula without end is inside nothing.
                if of.solid.aabb().is_some() {
                    let centre = of.frame_from_part.translation();
                    let inner = largest(part);
                    pieces.push(Piece { part, ends: [centre; 2], inner });
                }
            }
        }
    }
    pieces
}
