//! Curves with normals, as SprutCAM writes them (5DC): `X Y Z NX NY NZ`, a `;` between two curves.

use super::{Builder, Lengths, Toolpath, ToolpathOptions, Wrong};
use crate::text;
use kansho_geom::glam::DVec3;

pub(super) fn read(bytes: &[u8], options: &ToolpathOptions) -> Result<Toolpath, Wrong> {
    let metres = Lengths::new(options.unit.as_ref()).metres().unwrap_or(1e-3);
    let mut builder = Builder::of(bytes.len());
    let mut wrong: Wrong = Vec::new();
    let mut begins = true;
    for line in text::lines(bytes) {
        let raw = String::from_utf8_lossy(line.text).into_owned();
        let (body, ends) = match raw.split_once(';') {
            Some((body, behind)) => {
                if !behind.trim().is_empty() {
                    wrong.push((
                        line.number,
                        "something stands behind the ';' that ends a curve: begin a new line there".into(),
                    ));
                }
                (body.to_owned(), true)
            }
            None => (raw, false),
        };
        let words: Vec<&str> = body.split([' ', '\t', ',']).filter(|word| !word.is_empty()).collect();
        if !words.is_empty() {
            builder.path.statements += 1;
            let numbers: Option<Vec<f64>> =
                words.iter().map(|word| word.parse().ok().filter(|n: &f64| n.is_finite())).collect();
            match numbers.as_deref() {
                Some([x, y, z, nx, ny, nz]) => match DVec3::new(*nx, *ny, *nz).try_normalize() {
                    Some(normal) => {
                        if begins && !builder.path.points.is_empty() {
                            builder.stroke += 1;
                        }
                        begins = false;
                        let point = DVec3::new(*x, *y, *z) * metres;
                        builder.feed(point, -normal, None, line.number);
                    }
                    None => wrong.push((line.number, "the normal has no length".into())),
                },
                Some(other) => wrong.push((
                    line.number,
                    format!("a point has six numbers, x, y, z and the normal; not {}", other.len()),
                )),
                None => wrong.push((
                    line.number,
                    "these are no finite numbers: lines that set quaternions or angles are not understood"
                        .into(),
                )),
            }
        }
        begins |= ends;
    }
    builder.done(wrong)
}
