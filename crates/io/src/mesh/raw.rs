use crate::fault::{Counted, Fault, Place};
use kansho_geom::glam::{DMat4, DVec3};
use kansho_geom::polygon;

/// Triangles that one file may hold, instances counted: beyond it a file is refused before memory runs out.
pub(crate) const MAX_TRIANGLES: usize = 50_000_000;

/// Side tests that cutting one file's polygons may take: about a minute. Only files made to be slow reach it.
const MAX_EFFORT: u64 = 5_000_000_000;

/// What a format reader hands to the door: points in the file's units and axes, polygons cut into triangles, every
/// triangle of the file in its order, nothing joined, nothing left out.
#[derive(Debug, Default)]
pub(crate) struct RawMesh {
    pub(crate) soup: Soup,
    /// Metres in one unit of the file, if the format or the file says so.
    pub(crate) metres_per_unit: Option<f64>,
    /// The axis that points up in the file, if the format or the file says so.
    pub(crate) up: Option<UpAxis>,
    pub(crate) warnings: Vec<Fault>,
}

/// The axis of a file that points up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UpAxis {
    /// X.
    X,
    /// Y, as in glTF always and in COLLADA often.
    Y,
    /// Z, as in robotics.
    Z,
}

/// Points and triangles that name them.
#[derive(Debug, Default)]
pub(crate) struct Soup {
    pub(crate) points: Vec<DVec3>,
    pub(crate) triangles: Vec<[u32; 3]>,
    /// Side tests that cutting polygons has taken so far.
    effort: u64,
}

impl Soup {
    pub(crate) fn new(points: Vec<DVec3>) -> Self {
        Self { points, ..Self::default() }
    }

    /// Adds a polygon cut into triangles. All corners must exist. An error says what is wrong with the outline.
    pub(crate) fn add_polygon(&mut self, corners: &[u32]) -> Result<Outline, String> {
        match *corners {
            [] | [_] | [_, _] => Ok(Outline::TooFew),
            [a, b, c] => {
                self.triangles.push([a, b, c]);
                Ok(Outline::Simple)
            }
            _ => self.add_polygon_with_holes(corners, &[]),
        }
    }

    /// As [`Soup::add_polygon`], with holes.
    pub(crate) fn add_polygon_with_holes(
        &mut self,
        outline: &[u32],
        holes: &[Vec<u32>],
    ) -> Result<Outline, String> {
        let at =
            |corners: &[u32]| -> Vec<DVec3> { corners.iter().map(|&i| self.points[i as usize]).collect() };
        let hole_points: Vec<Vec<DVec3>> = holes.iter().map(|hole| at(hole)).collect();
        let hole_slices: Vec<&[DVec3]> = hole_points.iter().map(Vec::as_slice).collect();
        let filling = polygon::fill(&at(outline), &hole_slices).map_err(|fault| fault.to_string())?;
        self.effort += filling.effort;
        if self.effort > MAX_EFFORT {
            return Err(
                "cutting this file's polygons into triangles takes too long: too many are very large".into(),
            );
        }
        let corners: Vec<u32> = outline.iter().chain(holes.iter().flatten()).copied().collect();
        self.triangles.extend(filling.triangles.iter().map(|t| t.map(|i| corners[i as usize])));
        Ok(if filling.simple { Outline::Simple } else { Outline::CrossesItself })
    }

    /// Adds an instance of another soup, placed by an affine matrix; a mirror turns its triangles round.
    pub(crate) fn add_instance(&mut self, part: &Self, here_from_part: &DMat4) -> Result<(), Fault> {
        if self.triangles.len() + part.triangles.len() > MAX_TRIANGLES
            || self.points.len() + part.points.len() > 3 * MAX_TRIANGLES
        {
            return Err(Fault::of_file(format!("instances add up to more than {MAX_TRIANGLES} triangles")));
        }
        let base = self.points.len() as u32;
        let mirrored = here_from_part.determinant() < 0.0;
        self.points.extend(part.points.iter().map(|&p| here_from_part.transform_point3(p)));
        self.triangles.extend(part.triangles.iter().map(|&[a, b, c]| {
            if mirrored { [base + a, base + c, base + b] } else { [base + a, base + b, base + c] }
        }));
        Ok(())
    }
}

/// How a polygon could be cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outline {
    Simple,
    CrossesItself,
    /// Fewer than three corners: nothing was added.
    TooFew,
}

/// Polygons of a file that are usable but odd, for one warning a kind.
#[derive(Debug, Default)]
pub(crate) struct OddOutlines {
    crossing: Counted,
    too_few: Counted,
}

impl OddOutlines {
    pub(crate) fn add(&mut self, outline: Outline, place: impl FnOnce() -> Place) {
        match outline {
            Outline::Simple => {}
            Outline::CrossesItself => self.crossing.add(place),
            Outline::TooFew => self.too_few.add(place),
        }
    }

    pub(crate) fn warnings(self) -> impl Iterator<Item = Fault> {
        let crossing = self.crossing.warning(|count| match count {
            1 => "1 polygon crosses or touches itself: which area is meant is unclear".into(),
            _ => format!("{count} polygons cross or touch themselves: which area is meant is unclear"),
        });
        let too_few = self.too_few.warning(|count| match count {
            1 => "1 face has fewer than 3 corners and is left out".into(),
            _ => format!("{count} faces have fewer than 3 corners and are left out"),
        });
        [too_few, crossing].into_iter().flatten()
    }
}

/// What a reader answers: a raw mesh, or all faults it found.
pub(crate) type Raw = Result<RawMesh, Vec<Fault>>;

/// A single fault as the answer.
pub(crate) fn refuse(fault: Fault) -> Raw {
    Err(vec![fault])
}
