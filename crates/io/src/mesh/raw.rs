use crate::fault::{Counted, Fault, Place};
use kansho_geom::glam::{DMat4, DVec3, DVec4};
use kansho_geom::polygon::{self, OutlineFault};

/// Triangles that one file may hold, instances counted: beyond it a file is refused before memory runs out.
pub(crate) const MAX_TRIANGLES: usize = 50_000_000;

/// Side tests that cutting one file's polygons may take: about five seconds. Only files made to be slow reach it: a plate
/// with five thousand holes takes a fifth of it.
const MAX_EFFORT: u64 = 200_000_000;

/// How far the corners of a polygon may leave its mean plane without a warning, as a fraction of its size. Coordinates
/// printed with four digits stay below it; a face that is meant to be bent does not.
const FLAT: f64 = 1e-3;

/// Triangles that parts placed again may add, whatever the size of the file; and the bytes of the file for each one
/// more. Some hundred megabytes, and some twenty times the file: assemblies have fewer, files made to fill memory more.
pub(crate) const MAX_REPEATED: usize = 2_000_000;
const BYTES_PER_REPEATED: usize = 5;

/// What a format reader hands to `load`: points in the file's units and axes, polygons cut into triangles, every
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
        let outline_points = at(outline);
        let filling = match polygon::fill_within(&outline_points, &hole_slices, MAX_EFFORT - self.effort) {
            Ok(filling) => filling,
            Err(OutlineFault::TooLong) => {
                self.effort = MAX_EFFORT; // The next large one need not try.
                return Err(
                    "cutting this file's polygons into triangles takes too long: they are too large and too tangled"
                        .into(),
                );
            }
            Err(fault) => return Err(fault.to_string()),
        };
        self.effort += filling.effort;
        let corners: Vec<u32> = outline.iter().chain(holes.iter().flatten()).copied().collect();
        self.triangles.extend(filling.triangles.iter().map(|t| t.map(|i| corners[i as usize])));
        Ok(match filling.simple {
            false => Outline::CrossesItself,
            true if polygon::unevenness(&outline_points) > FLAT => Outline::Uneven,
            true => Outline::Simple,
        })
    }
}

/// Parts of a file, each placed any number of times.
pub(crate) struct Assembly {
    pub(crate) soup: Soup,
    /// Triangles that repeated parts may add still, and that they may add in all.
    room: usize,
    most_repeated: usize,
}

impl Assembly {
    /// Nothing yet, from a file of so many bytes.
    pub(crate) fn of_file(bytes: usize) -> Self {
        let most_repeated = MAX_REPEATED + bytes / BYTES_PER_REPEATED;
        Self { soup: Soup::default(), room: most_repeated, most_repeated }
    }

    /// Places a part by an affine matrix, for the first time or once more; a mirror turns its triangles round.
    pub(crate) fn place(&mut self, part: &Soup, here_from_part: &DMat4, again: bool) -> Result<(), String> {
        // Points that no triangle uses count too.
        let size = part.triangles.len().max(part.points.len() / 3);
        if again {
            self.room = self.room.checked_sub(size).ok_or_else(|| {
                format!(
                    "parts placed more than once add more than {} triangles, the limit for a file of this size",
                    self.most_repeated
                )
            })?;
        }
        let Soup { points, triangles, .. } = &mut self.soup;
        if triangles.len().max(points.len() / 3) + size > MAX_TRIANGLES {
            return Err(format!("the parts add up to more than {MAX_TRIANGLES} triangles"));
        }
        let base = points.len() as u32;
        let mirrored = here_from_part.determinant() < 0.0;
        points.extend(part.points.iter().map(|&p| here_from_part.transform_point3(p)));
        triangles.extend(part.triangles.iter().map(|&[a, b, c]| {
            if mirrored { [base + a, base + c, base + b] } else { [base + a, base + b, base + c] }
        }));
        Ok(())
    }
}

/// How a polygon could be cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outline {
    Simple,
    /// Simple, but its corners do not lie in a plane.
    Uneven,
    CrossesItself,
    /// Fewer than three corners: nothing was added.
    TooFew,
}

/// Polygons of a file that are usable but odd, for one warning a kind.
#[derive(Debug, Default)]
pub(crate) struct OddOutlines {
    uneven: Counted,
    crossing: Counted,
    too_few: Counted,
}

impl OddOutlines {
    pub(crate) fn add(&mut self, outline: Outline, place: impl FnOnce() -> Place) {
        match outline {
            Outline::Simple => {}
            Outline::Uneven => self.uneven.add(place),
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
        let uneven = self.uneven.warning(|count| match count {
            1 => "1 polygon is not flat: how it is cut into triangles is a choice".into(),
            _ => format!("{count} polygons are not flat: how they are cut into triangles is a choice"),
        });
        [too_few, crossing, uneven].into_iter().flatten()
    }
}

/// How far the last entry of a matrix may be from 1. Exporters that invert matrices in single precision write
/// 0.9999999; more than some rounding errors of 6e-8 is another matrix.
const SCALE_NOISE: f64 = 1e-6;

/// The matrix with exactly 0 0 0 1 as its last row; or that row, if it is more than rounding away.
pub(crate) fn affine(matrix: DMat4) -> Result<DMat4, DVec4> {
    let row = matrix.row(3);
    if row.truncate() != DVec3::ZERO || (row.w - 1.0).abs() > SCALE_NOISE {
        return Err(row);
    }
    // What homogeneous coordinates mean: (x, y, z, w) is the point (x, y, z) / w.
    Ok(DMat4::from_cols_array(&matrix.to_cols_array().map(|entry| entry / row.w)))
}

/// What a reader answers: a raw mesh, or all faults it found.
pub(crate) type Raw = Result<RawMesh, Vec<Fault>>;

/// A single fault as the answer.
pub(crate) fn refuse(fault: Fault) -> Raw {
    Err(vec![fault])
}
