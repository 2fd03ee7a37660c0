use super::accessor::{Component, Elements, Source};
use super::document::{Accessor, Primitive, QUANTIZATION, numbered};
use crate::fault::{Counted, Fault, Faults, Place};
use crate::mesh::raw::{MAX_REPEATED, MAX_TRIANGLES, Soup};
use kansho_geom::glam::DVec3;
use std::collections::HashMap;

/// How far the bounds that a file gives may be from those of its positions, as a fraction of the largest coordinate.
///
/// The format wants them equal; six printed digits leave about 1e-6.
const BOUND_AGREES: f64 = 1e-5;

/// Reads meshes one by one and keeps what they share.
pub(super) struct MeshReader<'a> {
    source: &'a Source<'a>,
    /// Positions by accessor, checked; `None` where a fault was named. Primitives often share them.
    positions: HashMap<u32, Option<Elements<'a>>>,
    positions_checked: usize,
    triangles_read: usize,
    /// For the primitive at hand: one more than the point that a vertex became, or 0. All 0 between primitives, so
    /// that a primitive that uses three of a million shared vertices costs three.
    point_after: Vec<u32>,
    oddities: Oddities,
}

#[derive(Default)]
struct Oddities {
    without_triangles: Counted,
    empty: Counted,
    morphed: Counted,
    integers: Counted,
    other_bounds: Counted,
}

impl<'a> MeshReader<'a> {
    pub(super) fn new(source: &'a Source<'a>) -> Self {
        Self {
            source,
            positions: HashMap::new(),
            positions_checked: 0,
            triangles_read: 0,
            point_after: Vec::new(),
            oddities: Oddities::default(),
        }
    }

    /// All triangles of a mesh, in its own coordinates. Primitives with faults are left out.
    pub(super) fn mesh(&mut self, index: usize, faults: &mut Faults) -> Soup {
        let mesh = &self.source.document.meshes[index];
        let mut soup = Soup::default();
        for (number, primitive) in mesh.primitives.iter().enumerate() {
            let place = format!("{}, primitive {number}", numbered("mesh", index, mesh.name.as_ref()));
            self.primitive(&place, primitive, &mut soup, faults);
        }
        soup
    }

    pub(super) fn into_warnings(self) -> impl Iterator<Item = Fault> {
        let Oddities { without_triangles, empty, morphed, integers, other_bounds } = self.oddities;
        let warnings = [
            without_triangles.warning(|n| {
                format!("points and lines are not read: {n} of the primitives hold no triangles")
            }),
            empty.warning(|n| format!("has 0 corners (primitives like this: {n})")),
            morphed.warning(|n| {
                format!("morph targets are not applied: the shape at rest is read (primitives: {n})")
            }),
            integers.warning(|n| {
                format!("positions are integers, but the file does not name {QUANTIZATION} (accessors: {n})")
            }),
            other_bounds.warning(|n| {
                format!("positions do not reach from the min to the max that the file gives (accessors: {n})")
            }),
        ];
        warnings.into_iter().flatten()
    }

    fn primitive(&mut self, place: &str, primitive: &Primitive, soup: &mut Soup, faults: &mut Faults) {
        let mut fail = |what: String| faults.push(Fault::of_part(place, what));
        let topology = match primitive.mode {
            0..=3 => return self.oddities.without_triangles.add(|| Place::Part(place.into())),
            4 => Topology::Triangles,
            5 => Topology::Strip,
            6 => Topology::Fan,
            mode => return fail(format!("there is no mode {mode}")),
        };
        if primitive.targets.is_some() {
            self.oddities.morphed.add(|| Place::Part(place.into()));
        }
        let Some(position) = primitive.attributes.position else {
            return fail("has no POSITION attribute".into());
        };

        // Everything that the document alone tells comes before the first look at the buffers.
        let corners_in = primitive.indices.unwrap_or(position);
        let corners = match self.source.accessor(corners_in) {
            Ok(accessor) => accessor.count,
            Err(what) => return faults.push(Fault::of_part(format!("{place}, accessor {corners_in}"), what)),
        };
        if corners == 0 {
            return self.oddities.empty.add(|| Place::Part(place.into()));
        }
        let triangles = match topology.triangles(corners) {
            Ok(triangles) => triangles,
            Err(what) => return fail(what),
        };
        // Primitives may share their indices: without a limit a small file could hold any number of triangles.
        let most = MAX_TRIANGLES.min(MAX_REPEATED + self.source.bytes);
        if triangles > (most - self.triangles_read) as u64 {
            return fail(format!(
                "the meshes hold more than {most} triangles, the limit for a file of this size"
            ));
        }

        let Some(positions) = self.positions(place, position, faults) else { return };
        if positions.are_zero() && primitive.extensions.draco.is_none() {
            return faults.push(Fault::of_part(
                place,
                "its positions are all zero (their accessor has no buffer view): that is no surface",
            ));
        }
        if positions.are_zero() {
            return faults.push(
                Fault::of_part(
                    place,
                    "holds its triangles in KHR_draco_mesh_compression, which is not supported",
                )
                .with_help("save the file again without compression of meshes"),
            );
        }
        let corners = match primitive.indices {
            None => (0..positions.count as u32).collect(), // At most three for every triangle there is room for.
            Some(accessor) => match self.indices(place, accessor, positions.count, faults) {
                Some(corners) => corners,
                None => return,
            },
        };
        self.triangles_read += triangles as usize;
        let corners = self.points_of(corners, &positions, soup);
        topology.add(&corners, soup);
    }

    /// The checked positions of an accessor.
    fn positions(&mut self, place: &str, accessor: u32, faults: &mut Faults) -> Option<Elements<'a>> {
        if let Some(known) = self.positions.get(&accessor) {
            return *known;
        }
        let checked = self.check_positions(place, accessor);
        let positions = checked.map_err(|fault| fault.into_iter().for_each(|fault| faults.push(fault))).ok();
        self.positions.insert(accessor, positions);
        positions
    }

    fn check_positions(&mut self, place: &str, index: u32) -> Result<Elements<'a>, Option<Fault>> {
        let place = || format!("{place}, accessor {index}");
        let source = self.source;
        let accessor = source.accessor(index).map_err(|what| Fault::of_part(place(), what))?;
        let positions =
            source.positions(accessor).map_err(|what| what.map(|what| Fault::of_part(place(), what)))?;
        // Accessors may overlap: without a limit a small file could ask for any number of checks.
        self.positions_checked = self.positions_checked.saturating_add(positions.count);
        if self.positions_checked > 3 * MAX_TRIANGLES {
            let what = format!("the meshes hold more than {} positions", 3 * MAX_TRIANGLES);
            return Err(Some(Fault::of_part(place(), what)));
        }
        let quantized = &source.document.extensions_used;
        if positions.component != Component::F32 && !quantized.iter().any(|name| name == QUANTIZATION) {
            self.oddities.integers.add(|| Place::Part(place()));
        }
        let (bounds, not_finite) = bounds(&positions);
        if let Some((first, more)) = not_finite {
            let shown = and_more(positions.point(first).to_string(), more);
            let what = format!("a coordinate is not a finite number ({shown})");
            return Err(Some(Fault::of_part(format!("{}, vertex {first}", place()), what)));
        }
        if positions.component == Component::F32 && !agrees(bounds, accessor) {
            self.oddities.other_bounds.add(|| Place::Part(place()));
        }
        Ok(positions)
    }

    /// The vertices that an accessor of indices names, all of them below `vertices`.
    fn indices(&self, place: &str, index: u32, vertices: usize, faults: &mut Faults) -> Option<Vec<u32>> {
        let place = || format!("{place}, accessor {index}");
        let elements = self
            .source
            .accessor(index)
            .map_err(Some)
            .and_then(|accessor| self.source.indices(accessor))
            .map_err(|what| what.into_iter().for_each(|what| faults.push(Fault::of_part(place(), what))))
            .ok()?;
        let mut corners = Vec::with_capacity(elements.count);
        corners.extend((0..elements.count).map(|at| elements.index(at)));

        let restart = elements.component.largest();
        let mut report = |wrong: &dyn Fn(u32) -> bool, what: &str| {
            let mut wrong = corners.iter().enumerate().filter(|&(_, &vertex)| wrong(vertex));
            let (at, vertex) = wrong.next()?;
            let shown = and_more(vertex.to_string(), wrong.count());
            faults.push(Fault::of_part(format!("{}, index {at}", place()), format!("{what}: {shown}")));
            Some(())
        };
        let restarts =
            report(&|vertex| vertex == restart, "the largest number of its type, which the format forbids");
        let strangers = report(
            &|vertex| vertex != restart && vertex as usize >= vertices,
            &format!("names a vertex that does not exist (there are {vertices})"),
        );
        (restarts.is_none() && strangers.is_none()).then_some(corners)
    }

    /// Adds the vertices that are used to the soup, once each and in their order, and renumbers the corners.
    fn points_of(&mut self, mut corners: Vec<u32>, positions: &Elements<'_>, soup: &mut Soup) -> Vec<u32> {
        if self.point_after.len() < positions.count {
            self.point_after = vec![0; positions.count]; // Untouched zeros take no memory.
        }
        let mut used = Vec::new();
        for &vertex in &corners {
            let point_after = &mut self.point_after[vertex as usize];
            if *point_after == 0 {
                *point_after = 1;
                used.push(vertex);
            }
        }
        used.sort_unstable();
        soup.points.reserve(used.len());
        for &vertex in &used {
            soup.points.push(positions.point(vertex as usize));
            self.point_after[vertex as usize] = soup.points.len() as u32;
        }
        corners.iter_mut().for_each(|corner| *corner = self.point_after[*corner as usize] - 1);
        used.into_iter().for_each(|vertex| self.point_after[vertex as usize] = 0);
        corners
    }
}

/// How corners make triangles.
#[derive(Clone, Copy)]
enum Topology {
    Triangles,
    Strip,
    Fan,
}

impl Topology {
    /// The number of triangles that some corners make, more than none.
    fn triangles(self, corners: u64) -> Result<u64, String> {
        match self {
            Self::Triangles if !corners.is_multiple_of(3) => {
                Err(format!("has {corners} corners, which is no multiple of three"))
            }
            Self::Triangles => Ok(corners / 3),
            Self::Strip | Self::Fan if corners < 3 => {
                Err(format!("has {corners} corners, too few for a strip or fan of triangles"))
            }
            Self::Strip | Self::Fan => Ok(corners - 2),
        }
    }

    /// Adds the triangles in the order of corners that the format prescribes (section 3.7.2.1).
    fn add(self, corners: &[u32], soup: &mut Soup) {
        match self {
            Self::Triangles => soup.triangles.extend(corners.as_chunks().0),
            Self::Strip => soup.triangles.extend(
                corners
                    .windows(3)
                    .enumerate()
                    .map(|(index, w)| if index % 2 == 0 { [w[0], w[1], w[2]] } else { [w[0], w[2], w[1]] }),
            ),
            Self::Fan => {
                soup.triangles.extend(corners[1..].windows(2).map(|w| [w[0], w[1], corners[0]]));
            }
        }
    }
}

/// Least and greatest coordinates; the first vertex that is not finite, and how many more there are.
fn bounds(positions: &Elements<'_>) -> ([DVec3; 2], Option<(usize, usize)>) {
    let mut least = DVec3::INFINITY;
    let mut greatest = DVec3::NEG_INFINITY;
    let mut not_finite: Option<(usize, usize)> = None;
    for vertex in 0..positions.count {
        let point = positions.point(vertex);
        if !point.is_finite() {
            not_finite = Some(not_finite.map_or((vertex, 0), |(first, more)| (first, more + 1)));
        }
        least = least.min(point);
        greatest = greatest.max(point);
    }
    ([least, greatest], not_finite)
}

/// False if the accessor gives other bounds than its positions have: they may come from another file.
fn agrees(bounds: [DVec3; 2], accessor: &Accessor) -> bool {
    let declared = [&accessor.min, &accessor.max].map(|bound| match bound[..] {
        [Some(x), Some(y), Some(z)] => Some(DVec3::new(x, y, z)),
        _ => None, // Required, but nothing is lost without.
    });
    bounds.into_iter().zip(declared).all(|(bound, declared)| {
        let Some(declared) = declared else { return true };
        let size = bounds.map(|bound| bound.abs().max_element());
        bound.abs_diff_eq(declared, BOUND_AGREES * size[0].max(size[1]))
    })
}

/// `7`, or `7 and 3 more`.
fn and_more(first: String, more: usize) -> String {
    if more == 0 { first } else { format!("{first} and {more} more") }
}
