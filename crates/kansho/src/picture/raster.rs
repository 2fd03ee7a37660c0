//! Pictures of a cell, drawn without graphics hardware: triangles into a grid of pixels, the nearest wins.

use super::shade::Shaded;
use kansho_cell::{BodyKind, Cell};
use kansho_geom::glam::DVec3;
use kansho_io::png::Picture;

/// Shades of each colour.
const SHADES: usize = 26;

/// Nothing, lines of the way, points that matter.
const FIXED: [[u8; 3]; 3] = [[255, 255, 255], [24, 140, 70], [209, 36, 47]];
const WAY: u8 = 1;
const MARK: u8 = 2;

/// Of robots, tools and objects, as in the viewer.
const ROBOTS: [[u8; 3]; 3] = [[238, 138, 60], [233, 180, 76], [217, 108, 79]];
const TOOL: [u8; 3] = [91, 157, 245];
const OBJECTS: [[u8; 3]; 4] = [[143, 163, 184], [157, 181, 154], [179, 159, 191], [194, 171, 139]];

/// Which surfaces a cell has, and where each of them stands on its carrier.
pub struct Drawable<'a> {
    /// What is drawn.
    pub cell: &'a Cell,
    /// Its surfaces.
    pub surfaces: &'a [Shaded],
    /// For each body and each of its pieces the number of its surface.
    pub of_pieces: &'a [Vec<Option<usize>>],
}

/// From where, and what.
pub struct View {
    /// The direction towards whoever looks, of length one.
    pub from: DVec3,
    /// The point in the middle, in metres.
    pub target: DVec3,
    /// Half of the height of what is seen, in metres: lines stay parallel.
    pub half: f64,
}

impl Drawable<'_> {
    /// A triangle after the other, in the world, each with its body.
    fn triangles(&self, posture: &[f64], mut each: impl FnMut(usize, [DVec3; 3])) {
        let placed = self.cell.place(posture);
        for (index, (body, surfaces)) in self.cell.bodies().iter().zip(self.of_pieces).enumerate() {
            let world_from_carrier = placed.world_from_carrier(body);
            for (piece, surface) in body.pieces.iter().zip(surfaces) {
                let Some(surface) = surface else { continue };
                let at = world_from_carrier * piece.carrier_from_piece;
                let shaded = &self.surfaces[*surface];
                let corner = |k: u32| {
                    let p = &shaded.positions[3 * k as usize..][..3];
                    at * DVec3::new(p[0].into(), p[1].into(), p[2].into())
                };
                shaded.corners.chunks_exact(3).for_each(|t| each(index, [t[0], t[1], t[2]].map(corner)));
            }
        }
    }

    /// Looks at all of it from a side.
    #[must_use]
    pub fn whole(&self, posture: &[f64], from: DVec3, aspect: f64) -> View {
        let from = from.try_normalize().unwrap_or(DVec3::Z);
        let (right, up) = axes(from);
        let (mut low, mut high) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
        self.triangles(posture, |_, corners| {
            for corner in corners {
                let seen = DVec3::new(corner.dot(right), corner.dot(up), corner.dot(from));
                (low, high) = (low.min(seen), high.max(seen));
            }
        });
        if !low.is_finite() {
            return View { from, target: DVec3::ZERO, half: 1.0 };
        }
        let middle = (low + high) / 2.0;
        let half = 0.53 * (high.y - low.y).max((high.x - low.x) / aspect).max(1e-3);
        View { from, target: right * middle.x + up * middle.y + from * middle.z, half }
    }

    /// Draws it as a PNG, with a path through space and a point that matters.
    #[must_use]
    pub fn draw(
        &self,
        posture: &[f64],
        view: &View,
        [width, height]: [usize; 2],
        way: &[DVec3],
        mark: Option<DVec3>,
    ) -> Vec<u8> {
        let mut palette = FIXED.to_vec();
        let colours = ROBOTS.iter().chain([&TOOL]).chain(&OBJECTS);
        for colour in colours {
            palette.extend((0..SHADES).map(|shade| {
                let light = 0.28 + 0.78 * shade as f64 / (SHADES - 1) as f64;
                colour.map(|channel| (f64::from(channel) * light).min(255.0) as u8)
            }));
        }
        let mut canvas = Canvas {
            picture: Picture::new(width, height, palette),
            depths: vec![f64::NEG_INFINITY; width * height],
        };
        let (right, up) = axes(view.from);
        let scale = height as f64 / (2.0 * view.half);
        let seen = |p: DVec3| {
            let own = p - view.target;
            DVec3::new(
                0.5 * width as f64 + scale * own.dot(right),
                0.5 * height as f64 - scale * own.dot(up),
                own.dot(view.from),
            )
        };
        let light = (view.from + 0.6 * up - 0.5 * right).normalize_or_zero();
        let colours = self.colours();
        self.triangles(posture, |body, corners| {
            let [a, b, c] = corners;
            let normal = (b - a).cross(c - a).normalize_or_zero();
            let shade = (normal.dot(light).abs() * (SHADES - 1) as f64) as usize;
            let colour = FIXED.len() + colours[body] * SHADES + shade.min(SHADES - 1);
            canvas.triangle(corners.map(seen), colour as u8);
        });
        // A way is seen a little through what is before it.
        let lift = DVec3::Z * 0.02 * view.half;
        way.windows(2).for_each(|two| canvas.line([seen(two[0]) + lift, seen(two[1]) + lift], WAY));
        if let Some(mark) = mark {
            let [x, y, _] = seen(mark).to_array();
            canvas.disc([x, y], 0.012 * height as f64, MARK);
        }
        canvas.picture.to_png()
    }

    /// The number of the colour of each body.
    fn colours(&self) -> Vec<usize> {
        let mut robots: Vec<&str> = Vec::new();
        let mut objects = 0;
        let mut colours = Vec::new();
        for body in self.cell.bodies() {
            colours.push(match body.kind {
                BodyKind::Tool => ROBOTS.len(),
                BodyKind::Object => {
                    objects += 1;
                    ROBOTS.len() + 1 + (objects - 1) % OBJECTS.len()
                }
                BodyKind::Link => {
                    let robot = body.name.split('/').next().unwrap_or_default();
                    let known = robots.iter().position(|name| *name == robot);
                    if known.is_none() {
                        robots.push(robot);
                    }
                    known.unwrap_or(robots.len() - 1) % ROBOTS.len()
                }
            });
        }
        colours
    }
}

/// Right and up, seen from a side.
fn axes(from: DVec3) -> (DVec3, DVec3) {
    let right = DVec3::Z.cross(from).try_normalize().unwrap_or(DVec3::X);
    (right, from.cross(right))
}

struct Canvas {
    picture: Picture,
    depths: Vec<f64>,
}

impl Canvas {
    /// Colours what is inside of a triangle and nearest so far.
    fn triangle(&mut self, [a, b, c]: [DVec3; 3], colour: u8) {
        let area = (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
        if !(area.abs() > 1e-12) {
            return;
        }
        let (width, height) = (self.picture.width, self.picture.height);
        let low = a.min(b).min(c);
        let high = a.max(b).max(c);
        let range = |low: f64, high: f64, end: usize| {
            (low.floor().max(0.0) as usize)..((high.ceil().max(0.0) as usize) + 1).min(end)
        };
        for row in range(low.y, high.y, height) {
            for column in range(low.x, high.x, width) {
                let p = DVec3::new(column as f64 + 0.5, row as f64 + 0.5, 0.0);
                let part =
                    |u: DVec3, v: DVec3| ((u.x - p.x) * (v.y - p.y) - (u.y - p.y) * (v.x - p.x)) / area;
                let [wa, wb, wc] = [part(b, c), part(c, a), part(a, b)];
                if wa < 0.0 || wb < 0.0 || wc < 0.0 {
                    continue;
                }
                self.put([column, row], wa * a.z + wb * b.z + wc * c.z, colour);
            }
        }
    }

    fn line(&mut self, [a, b]: [DVec3; 2], colour: u8) {
        let steps = ((b - a).truncate().length().ceil().clamp(1.0, 1e4)) as usize;
        for k in 0..=steps {
            let p = a + (b - a) * (k as f64 / steps as f64);
            for (dx, dy) in [(0.0, 0.0), (1.0, 0.0), (0.0, 1.0)] {
                let (x, y) = (p.x + dx, p.y + dy);
                if x >= 0.0 && y >= 0.0 && x < self.picture.width as f64 && y < self.picture.height as f64 {
                    self.put([x as usize, y as usize], p.z, colour);
                }
            }
        }
    }

    fn disc(&mut self, [x, y]: [f64; 2], radius: f64, colour: u8) {
        let reach = radius.ceil() as i64;
        for dy in -reach..=reach {
            for dx in -reach..=reach {
                let [px, py] = [x as i64 + dx, y as i64 + dy];
                let inside =
                    px >= 0 && py >= 0 && px < self.picture.width as i64 && py < self.picture.height as i64;
                if inside && (dx * dx + dy * dy) as f64 <= radius * radius {
                    self.put([px as usize, py as usize], f64::INFINITY, colour);
                }
            }
        }
    }

    fn put(&mut self, [column, row]: [usize; 2], depth: f64, colour: u8) {
        let at = row * self.picture.width + column;
        if depth > self.depths[at] {
            self.depths[at] = depth;
            self.picture.pixels[at] = colour;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Shapes, shade};
    use super::*;
    use kansho_cell::builtin;

    #[test]
    fn a_picture_shows_the_cell_in_the_middle_and_nothing_at_its_rim() {
        let cell = builtin::cell();
        let shapes = Shapes::of(&cell);
        let surfaces: Vec<Shaded> = shapes.list.iter().map(|(mesh, _)| shade(mesh)).collect();
        let drawable = Drawable { cell: &cell, surfaces: &surfaces, of_pieces: &shapes.of_pieces };
        let home = builtin::home();
        for from in [DVec3::new(1.0, -1.25, 0.75), DVec3::Z, -DVec3::Y] {
            let view = drawable.whole(&home, from, 1.5);
            let mut canvas = Canvas {
                picture: Picture::new(300, 200, FIXED.to_vec()),
                depths: vec![f64::NEG_INFINITY; 300 * 200],
            };
            let (right, up) = axes(view.from);
            let scale = 200.0 / (2.0 * view.half);
            drawable.triangles(&home, |_, corners| {
                let seen = |p: DVec3| {
                    let own = p - view.target;
                    DVec3::new(
                        150.0 + scale * own.dot(right),
                        100.0 - scale * own.dot(up),
                        own.dot(view.from),
                    )
                };
                canvas.triangle(corners.map(seen), 1);
            });
            let pixels = &canvas.picture.pixels;
            let drawn = pixels.iter().filter(|pixel| **pixel == 1).count();
            assert!(drawn > 4000, "{drawn} from {from}");
            assert!(pixels[..300].iter().chain(&pixels[199 * 300..]).all(|pixel| *pixel == 0), "{from}");
            assert!((0..200).all(|row| pixels[row * 300] == 0 && pixels[row * 300 + 299] == 0), "{from}");
            assert!(drawable.draw(&home, &view, [300, 200], &[], None).starts_with(b"\x89PNG"));
        }
    }

    #[test]
    fn what_is_nearer_is_seen() {
        let mut canvas =
            Canvas { picture: Picture::new(10, 10, FIXED.to_vec()), depths: vec![f64::NEG_INFINITY; 100] };
        let triangle = |z: f64| [DVec3::new(0.0, 0.0, z), DVec3::new(20.0, 0.0, z), DVec3::new(0.0, 20.0, z)];
        canvas.triangle(triangle(1.0), 1);
        canvas.triangle(triangle(0.0), 2);
        assert!(canvas.picture.pixels.iter().all(|pixel| *pixel == 1));
        canvas.triangle(triangle(2.0), 2);
        assert!(canvas.picture.pixels.iter().all(|pixel| *pixel == 2));
    }
}
