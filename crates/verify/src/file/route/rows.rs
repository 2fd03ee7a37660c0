//! Legs and pieces of routes as rows that are packed: a list for each route, a row for each leg with its pieces.

use super::{ArcFile, Body, CurveFile, LegFile, MANY, PieceFile};
use crate::file::packed::{Row, packed, unpacked};

/// Kinds of curves, by the number that a row has for them.
const KINDS: [&str; 4] = ["lin", "circ", "spline", "corner"];

/// The number of a leg that goes to a posture.
const JOINTS: u64 = KINDS.len() as u64;

/// How a piece is written: all of its cubics, or the last three numbers of each, which begins where the one before ended.
const WHOLE: u64 = 0;
const GOES_ON: u64 = 1;

/// The same with packed legs, if it has many, and they come back as they are.
pub(super) fn pack(body: Body) -> Body {
    if body.routes.iter().all(|route| route.legs.len() <= MANY) {
        return body;
    }
    let lists: Option<Vec<Vec<Row>>> =
        body.routes.iter().map(|route| rows(&route.legs, &route.pieces)).collect();
    let Some(blocks) = lists.and_then(|lists| packed(&lists)) else { return body };
    let mut body = body;
    for route in &mut body.routes {
        (route.legs, route.pieces) = (Vec::new(), Vec::new());
    }
    Body { packed: Some(blocks), ..body }
}

/// The same with legs and pieces where they are packed.
pub(super) fn unpack(body: Body) -> Result<Body, &'static str> {
    let Some(blocks) = &body.packed else { return Ok(body) };
    if body.routes.iter().any(|route| !route.legs.is_empty() || !route.pieces.is_empty()) {
        return Err("legs are packed, and stand beside it as well");
    }
    let lists = unpacked(blocks, body.routes.len())?;
    let mut body = body;
    for (route, rows) in body.routes.iter_mut().zip(lists) {
        let mut last: Vec<f64> = Vec::new();
        for (number, row) in rows.iter().enumerate() {
            let found = RowReader::new(row).leg(number, &mut last).filter(|(_, _, is_done)| *is_done);
            let (leg, pieces, _) = found.ok_or("a row is no leg")?;
            route.legs.push(leg);
            route.pieces.extend(pieces);
        }
    }
    Ok(Body { packed: None, ..body })
}

/// A row for each leg; none if pieces are not in the order of the legs.
fn rows(legs: &[LegFile], pieces: &[PieceFile]) -> Option<Vec<Row>> {
    let mut rest = pieces;
    let mut last: &[[f64; 4]] = &[];
    let mut all = Vec::with_capacity(legs.len());
    for (number, leg) in legs.iter().enumerate() {
        let mut row = Row::default();
        push_leg(&mut row, leg)?;
        let (own, others) = rest.split_at(rest.iter().take_while(|piece| piece.leg == number).count());
        rest = others;
        row.counts.push(own.len() as u64);
        for piece in own {
            let cubics = &piece.cubics;
            let goes_on = cubics.len() == last.len()
                && cubics.iter().zip(last).all(|(c, last)| c[0].to_bits() == last[3].to_bits());
            row.counts.extend([if goes_on { GOES_ON } else { WHOLE }, cubics.len() as u64]);
            row.counts.push(piece.steps.len() as u64);
            row.numbers.extend(cubics.iter().flat_map(|c| &c[usize::from(goes_on)..]));
            row.numbers.extend(piece.part);
            row.numbers.extend([piece.margin, piece.tip_margin?]);
            row.letters += &piece.steps;
            last = cubics;
        }
        all.push(row);
    }
    rest.is_empty().then_some(all)
}

fn push_leg(row: &mut Row, leg: &LegFile) -> Option<()> {
    row.counts.push(leg.of_move as u64);
    match (&leg.joints, &leg.curve) {
        (Some(to), None) => {
            row.counts.extend([JOINTS, to.len() as u64]);
            row.numbers.extend(to);
        }
        (None, Some(curve)) => {
            let kind = KINDS.iter().position(|kind| *kind == curve.kind)? as u64;
            let arrives = curve.arrives.as_ref().map_or(0, |posture| posture.len() as u64 + 1);
            let is_arc = u64::from(curve.arc.is_some());
            row.counts.extend([kind, is_arc, curve.turns.len() as u64, arrives]);
            match (&curve.cubic, &curve.arc) {
                (Some(points), None) => row.numbers.extend(points.iter().flatten()),
                (None, Some(ArcFile { centre, arm, axis, angle })) => {
                    row.numbers.extend([centre, arm, axis].into_iter().flatten());
                    row.numbers.push(*angle);
                }
                _ => return None,
            }
            row.numbers.extend(curve.rotation);
            row.numbers.extend(curve.turns.iter().flat_map(|(axis, angle)| axis.iter().chain(angle)));
            row.numbers.extend(curve.part);
            row.numbers.extend(curve.loose);
            row.numbers.extend(curve.arrives.iter().flatten());
        }
        _ => return None,
    }
    Some(())
}

/// What is left of a row.
struct RowReader<'a> {
    counts: &'a [u64],
    numbers: &'a [f64],
    letters: &'a str,
}

impl<'a> RowReader<'a> {
    fn new(row: &'a Row) -> Self {
        Self { counts: &row.counts, numbers: &row.numbers, letters: &row.letters }
    }

    fn count(&mut self) -> Option<usize> {
        let (count, rest) = self.counts.split_first()?;
        self.counts = rest;
        usize::try_from(*count).ok()
    }

    fn numbers(&mut self, count: usize) -> Option<&'a [f64]> {
        let (taken, rest) = self.numbers.split_at_checked(count)?;
        self.numbers = rest;
        Some(taken)
    }

    fn array<const N: usize>(&mut self) -> Option<[f64; N]> {
        self.numbers(N)?.try_into().ok()
    }

    fn steps(&mut self, count: usize) -> Option<&'a str> {
        let (taken, rest) = self.letters.split_at_checked(count)?;
        self.letters = rest;
        Some(taken)
    }

    /// A leg with its pieces, and whether the row has nothing more. `last`: where the last piece ended.
    fn leg(mut self, number: usize, last: &mut Vec<f64>) -> Option<(LegFile, Vec<PieceFile>, bool)> {
        let of_move = self.count()?;
        let (joints, curve) = match self.count()? {
            kind if kind as u64 == JOINTS => {
                let count = self.count()?;
                (Some(self.numbers(count)?.to_vec()), None)
            }
            kind => (None, Some(self.curve(KINDS.get(kind)?)?)),
        };
        let count = self.count()?;
        let pieces = (0..count).map(|_| self.piece(number, last)).collect::<Option<Vec<_>>>()?;
        let is_done = self.counts.is_empty() && self.numbers.is_empty() && self.letters.is_empty();
        Some((LegFile { of_move, joints, curve }, pieces, is_done))
    }

    fn curve(&mut self, kind: &str) -> Option<CurveFile> {
        let [is_arc, turns, arrives] = [self.count()?, self.count()?, self.count()?];
        let (cubic, arc) = match is_arc {
            0 => (Some([self.array()?, self.array()?, self.array()?, self.array()?]), None),
            1 => {
                let [centre, arm, axis] = [self.array()?, self.array()?, self.array()?];
                let [angle] = self.array()?;
                (None, Some(ArcFile { centre, arm, axis, angle }))
            }
            _ => return None,
        };
        let rotation = self.array()?;
        let turns = (0..turns).map(|_| Some((self.array()?, self.array()?))).collect::<Option<Vec<_>>>()?;
        let [part, loose] = [self.array()?, self.array()?];
        let arrives = match arrives.checked_sub(1) {
            Some(count) => Some(self.numbers(count)?.to_vec()),
            None => None,
        };
        Some(CurveFile { kind: kind.to_owned(), cubic, arc, rotation, turns, part, loose, arrives })
    }

    fn piece(&mut self, leg: usize, last: &mut Vec<f64>) -> Option<PieceFile> {
        let [form, count, steps] = [self.count()?, self.count()?, self.count()?];
        let cubics: Vec<[f64; 4]> = match form as u64 {
            WHOLE => (0..count).map(|_| self.array()).collect::<Option<_>>()?,
            GOES_ON if count == last.len() => {
                let of = |from: &f64| self.array().map(|[a, b, c]| [*from, a, b, c]);
                last.iter().map(of).collect::<Option<_>>()?
            }
            _ => return None,
        };
        *last = cubics.iter().map(|c| c[3]).collect();
        let part = self.array()?;
        let [margin, tip_margin] = self.array()?;
        let steps = self.steps(steps)?.to_owned();
        Some(PieceFile { leg, part, margin, tip_margin: Some(tip_margin), cubics, steps })
    }
}

#[cfg(test)]
mod tests {
    use super::super::{RouteFile, TipFile};
    use super::*;
    use crate::file::CellPrint;
    use kansho_cell::builtin;
    use kansho_geom::random::Random;

    fn numbers(random: &mut Random, count: usize) -> Vec<f64> {
        (0..count).map(|_| random.fraction() - 0.5).collect()
    }

    fn three(random: &mut Random) -> [f64; 3] {
        std::array::from_fn(|_| random.fraction())
    }

    fn leg(random: &mut Random, of_move: usize) -> LegFile {
        if random.below(5) == 0 {
            return LegFile { of_move, joints: Some(numbers(random, 6)), curve: None };
        }
        let is_arc = random.below(3) == 0;
        let arc = |random: &mut Random| ArcFile {
            centre: three(random),
            arm: three(random),
            axis: three(random),
            angle: random.fraction(),
        };
        let turns = random.below(3);
        let curve = CurveFile {
            kind: KINDS[random.below(4)].into(),
            cubic: (!is_arc).then(|| std::array::from_fn(|_| three(random))),
            arc: is_arc.then(|| arc(random)),
            rotation: std::array::from_fn(|_| random.fraction()),
            turns: (0..turns).map(|_| (three(random), std::array::from_fn(|_| random.fraction()))).collect(),
            part: [0.0, random.fraction()],
            loose: [random.fraction(), 0.0],
            arrives: (random.below(2) == 0).then(|| numbers(random, 6)),
        };
        LegFile { of_move, joints: None, curve: Some(curve) }
    }

    /// Legs with none, one or more pieces each, most of which begin where the one before ended.
    fn route(random: &mut Random, law: &str, count: usize) -> RouteFile {
        let legs: Vec<LegFile> = (0..count).map(|k| leg(random, k / 2)).collect();
        let mut pieces: Vec<PieceFile> = Vec::new();
        for leg in 0..count {
            for _ in 0..random.below(3) {
                let mut cubics: Vec<[f64; 4]> =
                    (0..6).map(|_| std::array::from_fn(|_| random.fraction())).collect();
                if let Some(before) = pieces.last().filter(|_| random.below(9) > 0) {
                    cubics.iter_mut().zip(&before.cubics).for_each(|(c, before)| c[0] = before[3]);
                }
                pieces.push(PieceFile {
                    leg,
                    part: [0.0, 1.0],
                    margin: random.fraction(),
                    tip_margin: Some(random.fraction()),
                    cubics,
                    steps: "ctab".repeat(random.below(20)),
                });
            }
        }
        RouteFile { law: law.into(), start: numbers(random, 6), legs, pieces }
    }

    fn body(random: &mut Random) -> Body {
        let count = MANY + 1 + random.below(200);
        let fewer = count - random.below(3);
        Body {
            resolution: 1e-6,
            cell: CellPrint::of(&builtin::cell()),
            coordinates: vec!["arm/joint_1".into()],
            tip: TipFile { link: "arm/tool0".into(), number: 7, link_from_tip: [0.0; 12] },
            clearances: vec![("a|b".into(), 0.0)],
            routes: vec![route(random, "slerp", count), route(random, "swivel-twist", fewer)],
            packed: None,
        }
    }

    #[test]
    fn packed_legs_come_back_as_they_were() {
        let mut random = Random::new(3);
        for _ in 0..50 {
            let body = body(&mut random);
            let plain = serde_json::to_string(&body).expect("JSON");
            let packed = pack(body);
            assert!(packed.packed.is_some() && packed.routes.iter().all(|route| route.legs.is_empty()));
            let text = serde_json::to_string(&packed).expect("JSON");
            assert!(text.len() < plain.len(), "{} {}", text.len(), plain.len());
            let again = unpack(serde_json::from_str(&text).expect("the same")).expect("it was just packed");
            assert_eq!(serde_json::to_string(&again).expect("JSON"), plain);
        }
    }

    #[test]
    fn rows_that_are_no_legs_are_refused() {
        let mut random = Random::new(4);
        let body = pack(body(&mut random));
        let blocks = body.packed.clone().expect("it is packed");
        let refused = |blocks: Vec<String>| {
            let text = serde_json::to_string(&Body { packed: Some(blocks), ..again(&body) }).expect("JSON");
            unpack(serde_json::from_str(&text).expect("the same form")).is_err()
        };
        let lists = unpacked(&blocks, 2).expect("it was just packed");
        for k in 0..300 {
            let mut lists = lists.clone();
            let row = &mut lists[random.below(2)][random.below(MANY)];
            // One count, number or letter more or less.
            match k % 5 {
                0 => row.counts.push(0),
                1 => drop(row.counts.pop()),
                2 => row.numbers.push(0.0),
                3 => drop(row.numbers.pop()),
                _ => row.letters.push('c'),
            }
            assert!(refused(packed(&lists).expect("as small as before")), "{k}");
        }
        assert!(refused(vec![blocks[0].replace(&blocks[0][..8], "AAAAAAAA")]));
        assert!(refused(vec![format!("{}====", blocks[0])]));
    }

    fn again(body: &Body) -> Body {
        serde_json::from_str(&serde_json::to_string(body).expect("JSON")).expect("the same")
    }
}
