//! One motion as the contents of a block.

use super::BundledMotion;
use crate::file::bytes::{Rest, push_count};
use kansho_cell::JointMotion;

pub(super) fn contents(one: &BundledMotion) -> Vec<u8> {
    let mut bytes = Vec::new();
    let pieces = one.motion.pieces();
    // Lines between waypoints, if that gives the same cubics to the last digit.
    let mut waypoints: Vec<Vec<f64>> = vec![one.motion.at(0.0)];
    waypoints.extend(pieces.iter().map(|piece| piece.controls().iter().map(|c| c[3]).collect()));
    let is_lines = JointMotion::lines(&waypoints).is_ok_and(|lines| lines == one.motion);
    push_count(&mut bytes, one.number);
    push_count(&mut bytes, u64::from(!is_lines));
    push_count(&mut bytes, pieces.len() as u64);
    push_count(&mut bytes, pieces.first().map_or(0, |piece| piece.controls().len()) as u64);
    if is_lines {
        waypoints.iter().flatten().for_each(|x| bytes.extend(x.to_le_bytes()));
    } else {
        let controls = pieces.iter().flat_map(|piece| piece.controls()).flatten();
        controls.for_each(|x| bytes.extend(x.to_le_bytes()));
    }
    for letters in &one.letters {
        push_count(&mut bytes, letters.len() as u64);
        bytes.extend(letters.as_bytes());
    }
    bytes
}

pub(super) fn motion(contents: &[u8], coordinates: usize) -> Result<BundledMotion, &'static str> {
    let mut rest = Rest::new(contents);
    let mut count = |what: &'static str| rest.count().ok_or(what);
    let number = count("its number is none")?;
    let form = count("its form is none")?;
    let pieces = usize::try_from(count("it has no number of pieces")?).unwrap_or(usize::MAX);
    let given = count("it has no number of coordinates")?;
    if given != coordinates as u64 || pieces == 0 {
        return Err("it is not a motion of this cell");
    }
    let short = "it has fewer numbers than it says";
    let motion = match form {
        0 => {
            let count = pieces.checked_add(1).and_then(|count| count.checked_mul(coordinates));
            let numbers = count.and_then(|count| rest.numbers(count)).ok_or(short)?;
            let waypoints: Vec<Vec<f64>> = if coordinates == 0 {
                return Err("it has no coordinates");
            } else {
                numbers.chunks_exact(coordinates).map(<[f64]>::to_vec).collect()
            };
            JointMotion::lines(&waypoints).map_err(|_| "its waypoints are none")?
        }
        1 => {
            let of_piece = coordinates.checked_mul(4).filter(|count| *count > 0);
            let count = of_piece.and_then(|count| count.checked_mul(pieces)).ok_or(short)?;
            let numbers = rest.numbers(count).ok_or(short)?;
            let controls = numbers.chunks_exact(4 * coordinates).map(|piece| {
                piece.chunks_exact(4).map(|c| [c[0], c[1], c[2], c[3]]).collect::<Vec<[f64; 4]>>()
            });
            JointMotion::of_controls(controls.collect()).ok_or("its pieces do not make one motion")?
        }
        _ => return Err("its form is none"),
    };
    let mut letters = Vec::new();
    for _ in 0..pieces {
        let length = rest.count().and_then(|length| usize::try_from(length).ok());
        let bytes = length.and_then(|length| rest.take(length)).ok_or("it has fewer letters than it says")?;
        let text = std::str::from_utf8(bytes).map_err(|_| "its letters are none")?;
        letters.push(text.to_owned());
    }
    if !rest.is_empty() {
        return Err("it has more bytes than it says");
    }
    Ok(BundledMotion { number, motion, letters })
}
