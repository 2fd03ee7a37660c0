//! Programs of a tool: a JSON list that mixes moves, or a CSV of poses or postures that are joined by lines of the tool.
//!
//! ```json
//! [{"ptp": [0, -1.2, 0.5, 0, 1, 0]},
//!  {"lin": {"xyz": [0.9, 0.1, 0.4], "quat": [0, 1, 0, 0]}, "zone": 0.01},
//!  {"circ": {"via": [1.0, 0.2, 0.4], "xyz": [0.9, 0.3, 0.4], "rpy": [3.14, 0, 0]}, "branch": "++-"},
//!  {"spline": [{"xyz": [0.8, 0.3, 0.5], "rpy": [3.14, 0, 0]}, {"matrix": [1, 0, 0, 0, -1, 0, 0, 0, -1, 0.8, 0.2, 0.5]}]}]
//! ```
//!
//! A pose is where the tip is in the world: `xyz` with `quat` (w, x, y, z), `rpy` as in URDF, or `rpy_deg`; or twelve numbers as `matrix`.
//! The first move is a `ptp` and says where the motion begins: in a posture, or at a pose with the branch on which it is reached.

use crate::fault::{Fault, Faults, ReadError};
use crate::load::bytes_of;
use crate::table::Table;
use crate::units::Units;
use crate::{poses, postures, text, waypoints};
use kansho_cell::Cell;
use kansho_cell::ik::{Branch, BranchSign, Followed, Ik, IkOptions, Tip};
use kansho_cell::route::{Blend, Law, Move, MoveKind, Route};
use kansho_geom::Pose;
use kansho_geom::glam::{DQuat, DVec3};
use serde_json::{Map, Value};
use std::path::Path;

/// Poses of a move at which inverse kinematics are asked where it leads to.
const LOOKED_AT: u32 = 16;

/// What a program says.
#[derive(Clone, Debug, PartialEq)]
pub struct Program {
    /// The posture in which it begins.
    pub start: Vec<f64>,
    /// What follows. Move 1 of a list, or row 1 of a table, is the start; move 2 stands first here.
    pub moves: Vec<Move>,
    /// For every coordinate of a posture that is outside its limits, where.
    pub outside_limits: Vec<Fault>,
}

/// What a file leaves open.
#[derive(Clone, Copy, Debug)]
pub struct ProgramOptions {
    /// What is moved along lines.
    pub tip: Tip,
    /// The branch on which the first pose is reached, where the file does not say.
    pub branch: Option<Branch>,
    /// The zone of moves that say nothing about it, in metres.
    pub zone: f64,
    /// Units of numbers that say nothing about it.
    pub units: Units,
}

/// Whether a file is a list of moves in which the tool is led, and not only joints.
#[must_use]
pub fn leads_the_tool(bytes: &[u8]) -> bool {
    let Ok(Value::Array(list)) = serde_json::from_slice::<Value>(&text::decoded(bytes)) else { return false };
    let is_tool = |entry: &Value| match entry {
        Value::Object(entry) => {
            entry.contains_key("lin")
                || entry.contains_key("circ")
                || entry.contains_key("spline")
                || entry.get("ptp").and_then(Value::as_object).is_some_and(is_pose)
                || entry.get("zone").and_then(Value::as_f64).is_some_and(|zone| zone != 0.0)
        }
        _ => false,
    };
    list.iter().any(is_tool)
}

/// Reads a program: JSON if the first letter is a bracket, otherwise a table whose rows are joined by lines of the tool.
///
/// # Errors
/// Everything that does not fit the cell, with its row or move.
pub fn read(path: &Path, cell: &Cell, options: &ProgramOptions) -> Result<Program, ReadError> {
    let fail = |faults| ReadError { path: path.to_owned(), faults };
    let bytes = bytes_of(path).map_err(|what| fail(vec![Fault::of_file(what)]))?;
    parse(&bytes, cell, options).map_err(fail)
}

/// Reads one from memory.
///
/// # Errors
/// As [`read`].
pub fn parse(bytes: &[u8], cell: &Cell, options: &ProgramOptions) -> Result<Program, Vec<Fault>> {
    let is_json = crate::json::is_meant(bytes);
    let reader = Reader::new(cell, options);
    let program = if is_json { reader.list(bytes)? } else { reader.table(bytes)? };
    if program.moves.is_empty() {
        return Err(vec![Fault::of_file("there is only where the motion begins in this file, and no move")]);
    }
    Ok(program)
}

/// Three signs: shoulder, elbow, wrist.
///
/// # Errors
/// What is none.
pub fn branch(text: &str) -> Result<Branch, String> {
    let way = |c: u8| match c {
        b'+' => Some(BranchSign::Plus),
        b'-' => Some(BranchSign::Minus),
        _ => None,
    };
    match text.as_bytes().iter().map(|c| way(*c)).collect::<Option<Vec<_>>>().as_deref() {
        Some(&[shoulder, elbow, wrist]) => Ok(Branch { shoulder, elbow, wrist }),
        _ => Err(format!("'{text}' is no branch: three signs for shoulder, elbow and wrist, such as ++-")),
    }
}

fn is_pose(entry: &Map<String, Value>) -> bool {
    ["xyz", "quat", "rpy", "rpy_deg", "matrix"].iter().any(|key| entry.contains_key(*key))
}

struct Reader<'a> {
    cell: &'a Cell,
    options: &'a ProgramOptions,
    ik: Option<Ik>,
}

/// One move of a list, before it is known where it begins.
enum Given {
    Joints(Vec<f64>),
    ToPose(Pose),
    Tool(Move),
}

impl<'a> Reader<'a> {
    fn new(cell: &'a Cell, options: &'a ProgramOptions) -> Self {
        Self { cell, options, ik: Ik::new(cell, &options.tip, &IkOptions::default()).ok() }
    }

    fn table(&self, bytes: &[u8]) -> Result<Program, Vec<Fault>> {
        let text = text::decoded(bytes);
        let table = Table::read(&text)?;
        let is_named = |name: &str| {
            let names = table.header.as_ref().map_or(&[][..], |header| &header.names);
            names.iter().any(|word| word.shown().to_ascii_lowercase().starts_with(name))
        };
        let dof = self.cell.coordinates().len();
        let line = |to: Pose| Move::line(to).with_zone(self.options.zone);
        if is_named("qw") || (table.columns == 12 && dof != 12) {
            let poses = poses::parse(bytes, Some(self.options.units.metres))?;
            let start = self
                .reached(&poses[0], self.options.branch, &self.cell.zero_posture())
                .map_err(|what| vec![Fault::of_part("row 1", what)])?;
            let moves = poses[1..].iter().map(|pose| line(*pose)).collect();
            return Ok(Program { start, moves, outside_limits: Vec::new() });
        }
        let rows = postures::parse(bytes, self.cell, &self.options.units)?;
        self.one_branch(&rows)?;
        let mut all = rows.iter().map(<[f64]>::to_vec);
        let start = all.next().ok_or_else(|| vec![Fault::of_file("there are no postures in this file")])?;
        // Rows are postures on the way: where the tip is in them is where lines go, and they have to arrive in them.
        let moves = all.map(|row| line(self.options.tip.placed(self.cell, &row)).arriving_at(row)).collect();
        Ok(Program { start, moves, outside_limits: rows.outside_limits().to_vec() })
    }

    /// Lines of the tool do not change the branch. Where corners are exact, arriving in the rows shows it; where they are rounded, the rows
    /// are passed by.
    fn one_branch(&self, rows: &postures::Postures) -> Result<(), Vec<Fault>> {
        if self.options.zone == 0.0 {
            return Ok(());
        }
        let branches: Vec<Option<Branch>> = rows.iter().map(|row| self.branch(row)).collect();
        let mut faults = Faults::default();
        for (k, branch) in branches.iter().enumerate() {
            match (branch, &branches[0]) {
                (Some(branch), Some(first)) if branch != first => {
                    let what = format!(
                        "the arm is on the branch {branch}, and was on {first}: a line of the tool cannot change it"
                    );
                    faults.push(Fault::of_part(format!("row {}", k + 1), what));
                }
                (Some(_), Some(_)) => {}
                _ => {
                    let what = "branches of this arm have no names here, so nothing tells whether rounded lines pass by this posture: use zone 0, or poses";
                    faults.push(Fault::of_part(format!("row {}", k + 1), what));
                    break;
                }
            }
        }
        faults.into_result()
    }

    /// The posture in which a move of the tool ends, as far as inverse kinematics can follow it.
    fn arrived(&self, from: &[f64], one: &Move) -> Option<Vec<f64>> {
        let ik = self.ik.as_ref()?;
        let route = Route::new(
            self.cell,
            self.options.tip,
            from.to_vec(),
            std::slice::from_ref(one),
            Law::Slerp,
            Blend::Inside,
        );
        let mut values = ik.values_in(from);
        let mut scratch = kansho_cell::ik::Solutions::default();
        for leg in route.ok()?.legs() {
            let kansho_cell::route::RouteMotion::Tool { curve, part, .. } = &leg.way else { continue };
            for k in 1..=LOOKED_AT {
                let there = curve.at(part.at(f64::from(k) / f64::from(LOOKED_AT)));
                match ik.follow(&there, &values, &mut scratch) {
                    Followed::On { values: next, .. } => values = next,
                    Followed::Ends(_) => return None,
                }
            }
        }
        let mut posture = from.to_vec();
        ik.put(&values, &mut posture);
        Some(posture)
    }

    fn list(&self, bytes: &[u8]) -> Result<Program, Vec<Fault>> {
        let whole = |what: String| vec![Fault::of_file(what)];
        let value: Value =
            crate::json::parse(bytes).map_err(|error| whole(format!("this is no JSON: {error}")))?;
        let Value::Array(list) = value else {
            return Err(whole(
                "a motion in JSON is a list of moves, such as [{\"ptp\": [0, 1]}, ...]".into(),
            ));
        };
        let mut faults = Faults::default();
        let mut program = Program { start: Vec::new(), moves: Vec::new(), outside_limits: Vec::new() };
        // The last posture that is known: what says on which branch lines are.
        let mut known: Option<Vec<f64>> = None;
        for (number, entry) in (1..).zip(&list) {
            let part = || format!("move {number}");
            let one = self.one(entry).and_then(|(given, zone, wish)| {
                if number == 1 && zone.is_some_and(|zone| zone > 0.0) {
                    return Err("a motion begins here, so there is no corner to be rounded".to_owned());
                }
                let zone = zone.unwrap_or(if number == 1 { 0.0 } else { self.options.zone });
                match (given, &known) {
                    (Given::Joints(to), _) => {
                        self.keeps(wish, &to)?;
                        Ok((Move::joints(to.clone()).with_zone(zone), Some(to)))
                    }
                    (Given::ToPose(_), None) if number > 1 => {
                        Err("the tool cannot be followed to where this move begins, so its turns are not known: give the joints of this ptp".to_owned())
                    }
                    (Given::ToPose(pose), near) => {
                        let zero = self.cell.zero_posture();
                        let near = near.as_ref().unwrap_or(&zero);
                        let wish = wish.or(if number == 1 { self.options.branch } else { self.branch(near) });
                        let to = self.reached(&pose, wish, near)?;
                        Ok((Move::joints(to.clone()).with_zone(zone), Some(to)))
                    }
                    (Given::Tool(_), None) if number == 1 => {
                        Err("a motion begins with a ptp, which says in which posture: {\"ptp\": [joint values]}, or {\"ptp\": {pose}, \"branch\": \"++-\"}".to_owned())
                    }
                    (Given::Tool(one), None) => Ok((one.with_zone(zone), None)),
                    (Given::Tool(one), Some(from)) => {
                        self.keeps(wish, from)?;
                        let there = self.arrived(from, &one);
                        Ok((one.with_zone(zone), there))
                    }
                }
            });
            match one {
                Err(what) => faults.push(Fault::of_part(part(), what)),
                Ok((one, posture)) => {
                    if let MoveKind::Joints(to) = &one.kind {
                        program.outside_limits.extend(waypoints::outside(self.cell, to, &part()));
                    }
                    known = posture;
                    if number == 1 {
                        program.start = known.clone().unwrap_or_default();
                    } else {
                        program.moves.push(one);
                    }
                }
            }
        }
        faults.into_result()?;
        if list.is_empty() {
            return Err(whole("there are no moves in this list".into()));
        }
        Ok(program)
    }

    fn branch(&self, posture: &[f64]) -> Option<Branch> {
        let ik = self.ik.as_ref()?;
        ik.branch(&ik.values_in(posture)).0
    }

    /// A line of the tool stays on its branch, whatever is wished for.
    fn keeps(&self, wish: Option<Branch>, from: &[f64]) -> Result<(), String> {
        let Some(wish) = wish else { return Ok(()) };
        match self.branch(from) {
            None => Err(format!("the branch {wish} is wished for, but branches of this arm have no names")),
            Some(now) if now != wish => Err(format!(
                "the branch {wish} is wished for, but the arm is on {now}, and a move of the tool cannot change it: change it by a ptp before"
            )),
            Some(_) => Ok(()),
        }
    }

    /// The posture in which a pose is reached on a branch.
    fn reached(&self, pose: &Pose, wish: Option<Branch>, near: &[f64]) -> Result<Vec<f64>, String> {
        let Some(ik) = &self.ik else { return Err("no joint moves the tip".into()) };
        let mut solutions = kansho_cell::ik::Solutions::default();
        ik.solve_into(pose, Some(&ik.values_in(near)), &mut solutions);
        if solutions.is_empty() {
            return Err("the pose is out of reach, or joints would have to leave their limits".into());
        }
        let names: Vec<String> = solutions.iter().filter_map(|s| s.branch).map(|b| b.to_string()).collect();
        let mut fitting = solutions.iter().filter(|s| wish.is_none() || s.branch == wish);
        match (fitting.next(), fitting.next(), wish) {
            (None, _, Some(wish)) => {
                Err(format!("the pose is not reached on the branch {wish}; it is on {}", names.join(", ")))
            }
            (Some(_), Some(_), None) => Err(format!(
                "the pose is reached on several branches ({}): say which, as in \"branch\": \"{}\" or ⟦branch={}⟧",
                names.join(", "),
                names.first().map_or("+++", |name| name),
                names.first().map_or("+++", |name| name)
            )),
            (Some(only), _, _) => {
                let mut posture = near.to_vec();
                ik.put(only.values, &mut posture);
                Ok(posture)
            }
            (None, _, None) => Err("the pose is out of reach".into()),
        }
    }

    fn one(&self, entry: &Value) -> Result<(Given, Option<f64>, Option<Branch>), String> {
        let Value::Object(entry) = entry else {
            return Err(
                "a move is an object, such as {\"lin\": {\"xyz\": [0, 0, 1], \"quat\": [1, 0, 0, 0]}}".into(),
            );
        };
        let (mut zone, mut wish, mut given) = (None, None, None);
        for (key, value) in entry {
            let kind = match key.as_str() {
                "zone" => {
                    let metres = value.as_f64().map(|zone| zone * self.options.units.metres);
                    zone = metres.filter(|zone| *zone >= 0.0 && zone.is_finite());
                    if zone.is_none() {
                        return Err(format!("the zone {value} is no length"));
                    }
                    continue;
                }
                "branch" => {
                    let text =
                        value.as_str().ok_or_else(|| format!("{value} is no branch, such as \"++-\""))?;
                    wish = Some(branch(text)?);
                    continue;
                }
                "ptp" => match value {
                    Value::Object(named) if is_pose(named) => Given::ToPose(self.pose(named, &[])?),
                    _ => Given::Joints(waypoints::posture(value, self.cell, &self.options.units)?),
                },
                "lin" => Given::Tool(Move::line(self.pose(object(value, key)?, &[])?)),
                "circ" => {
                    let circ = object(value, key)?;
                    let via = match circ.get("via") {
                        None => return Err("a circ has a point on the way, 'via'".into()),
                        Some(Value::Object(pose)) => {
                            if let Some(key) = pose.keys().find(|key| *key != "xyz") {
                                return Err(format!(
                                    "'{key}' is no part of the point on the way: only xyz is"
                                ));
                            }
                            self.numbers::<3>(pose.get("xyz"), "xyz")?
                        }
                        via => self.numbers::<3>(via, "via")?,
                    };
                    let via = DVec3::from(via) * self.options.units.metres;
                    Given::Tool(Move::arc(via, self.pose(circ, &["via"])?))
                }
                "spline" => {
                    let Value::Array(list) = value else { return Err("a spline is a list of poses".into()) };
                    if list.is_empty() {
                        return Err("a spline goes through one pose at least".into());
                    }
                    let pose = |value: &Value| self.pose(object(value, "spline")?, &[]);
                    Given::Tool(Move::spline(list.iter().map(pose).collect::<Result<_, _>>()?))
                }
                _ => return Err(format!("'{key}' is no kind of move: there are ptp, lin, circ and spline")),
            };
            if given.replace(kind).is_some() {
                return Err("a move is of one kind only".into());
            }
        }
        let given = given.ok_or("there is no kind in this move: ptp, lin, circ or spline")?;
        Ok((given, zone, wish))
    }

    fn pose(&self, entry: &Map<String, Value>, others: &[&str]) -> Result<Pose, String> {
        let known = ["xyz", "quat", "rpy", "rpy_deg", "matrix"];
        if let Some(key) =
            entry.keys().find(|key| !known.contains(&key.as_str()) && !others.contains(&key.as_str()))
        {
            return Err(format!("'{key}' is no part of a pose: there are {}", known.join(", ")));
        }
        let metres = self.options.units.metres;
        if entry.contains_key("matrix") {
            if known[..4].iter().any(|key| entry.contains_key(*key)) {
                return Err("a matrix says all of a pose, and nothing can stand beside it".into());
            }
            let mut numbers = self.numbers::<12>(entry.get("matrix"), "matrix")?;
            numbers[9..].iter_mut().for_each(|length| *length *= metres);
            return Pose::from_rows(&numbers).map_err(|not| not.to_string());
        }
        let xyz = DVec3::from(self.numbers::<3>(entry.get("xyz"), "xyz")?) * metres;
        let turned: Vec<&str> = known[1..4].iter().copied().filter(|key| entry.contains_key(*key)).collect();
        let quat = match turned[..] {
            ["quat"] => {
                let [w, x, y, z] = self.numbers::<4>(entry.get("quat"), "quat")?;
                DQuat::from_xyzw(x, y, z, w)
            }
            ["rpy"] | ["rpy_deg"] => {
                let key = turned[0];
                let angles = DVec3::from(self.numbers::<3>(entry.get(key), key)?);
                let radians = if key == "rpy" { self.options.units.radians } else { 1f64.to_radians() };
                Pose::from_rpy(DVec3::ZERO, angles * radians).quat()
            }
            [] => return Err("nothing says how the tool is turned: quat (w, x, y, z), rpy or rpy_deg".into()),
            _ => return Err(format!("{} say the same thing twice", turned.join(" and "))),
        };
        Pose::from_quat(quat, xyz).map_err(|not| not.to_string())
    }

    fn numbers<const N: usize>(&self, value: Option<&Value>, name: &str) -> Result<[f64; N], String> {
        let wrong = || format!("'{name}' is a list of {N} finite numbers");
        let Some(Value::Array(list)) = value else { return Err(wrong()) };
        let numbers: Option<Vec<f64>> = list.iter().map(|v| v.as_f64().filter(|v| v.is_finite())).collect();
        numbers.and_then(|numbers| numbers.try_into().ok()).ok_or_else(wrong)
    }
}

fn object<'v>(value: &'v Value, key: &str) -> Result<&'v Map<String, Value>, String> {
    value.as_object().ok_or_else(|| {
        format!("'{key}' is about a pose, such as {{\"xyz\": [0, 0, 1], \"quat\": [1, 0, 0, 0]}}")
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use kansho_cell::builtin;
    use kansho_cell::route::MoveKind;

    fn read_text(text: &str) -> Result<Program, Vec<Fault>> {
        let cell = builtin::cell();
        let tip = Tip::tool(&cell, "arm").expect("a tool");
        let options = ProgramOptions { tip, branch: None, zone: 0.0, units: Units::default() };
        parse(text.as_bytes(), &cell, &options)
    }

    const START: &str = "{\"ptp\": [0, -0.6, 0.26, 0, 0.6, 0]}";

    #[test]
    fn moves_are_read() {
        let text = format!(
            "[{START}, {{\"lin\": {{\"xyz\": [1, 2, 3], \"quat\": [0, 1, 0, 0]}}, \"zone\": 0.01}}, \
             {{\"circ\": {{\"via\": [1, 1, 1], \"xyz\": [0, 0, 1], \"rpy_deg\": [0, 0, 90]}}}}, \
             {{\"spline\": [{{\"matrix\": [1, 0, 0, 0, 1, 0, 0, 0, 1, 4, 5, 6]}}]}}]"
        );
        let program = read_text(&text).expect("good");
        let marked = format!("\u{feff}{text}");
        assert!(leads_the_tool(marked.as_bytes()) && read_text(&marked).as_ref() == Ok(&program));
        assert_eq!(program.start, [0.0, -0.6, 0.26, 0.0, 0.6, 0.0]);
        assert_eq!(program.moves.len(), 3);
        assert_eq!(program.moves[0].zone, 0.01);
        let MoveKind::Line(to) = &program.moves[0].kind else { panic!("a line") };
        assert_eq!(to.translation(), DVec3::new(1.0, 2.0, 3.0));
        assert!(to.rotation().y_axis.abs_diff_eq(-DVec3::Y, 1e-15));
        let MoveKind::Arc { via, to } = &program.moves[1].kind else { panic!("an arc") };
        assert!(*via == DVec3::ONE && to.rotation().x_axis.abs_diff_eq(DVec3::Y, 1e-15));
        let MoveKind::Spline(poses) = &program.moves[2].kind else { panic!("a spline") };
        assert_eq!(poses[0].translation(), DVec3::new(4.0, 5.0, 6.0));
    }

    #[test]
    fn faults_name_their_move() {
        for (moves, expected) in [
            (
                "{\"lin\": {\"xyz\": [1, 2, 3], \"quat\": [0, 0, 0, 0]}}",
                "move 2: the quaternion has length 0.000000, not 1",
            ),
            ("{\"lin\": {\"xyz\": [1, 2, 3]}}", "move 2: nothing says how the tool is turned"),
            (
                "{\"lin\": {\"xyz\": [1, 2], \"quat\": [1, 0, 0, 0]}}",
                "move 2: 'xyz' is a list of 3 finite numbers",
            ),
            (
                "{\"lin\": {\"xyz\": [1, 2, null], \"quat\": [1, 0, 0, 0]}}",
                "move 2: 'xyz' is a list of 3 finite numbers",
            ),
            (
                "{\"lin\": {\"xyz\": [1, 2, 3], \"quat\": [1, 0, 0, 0], \"rpy\": [0, 0, 0]}}",
                "quat and rpy say the same thing twice",
            ),
            ("{\"lin\": {\"xyz\": [1, 2, 3], \"wpr\": [0, 0, 0]}}", "'wpr' is no part of a pose"),
            ("{\"lin\": 3}", "move 2: 'lin' is about a pose"),
            ("{\"lin\": {\"matrix\": [2, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0]}}", "not a rotation"),
            ("{\"circ\": {\"xyz\": [0, 0, 1], \"quat\": [1, 0, 0, 0]}}", "'via'"),
            ("{\"spline\": []}", "a spline goes through one pose at least"),
            ("{\"ptp\": [0, 0]}", "move 2: 2 numbers, but a posture of this cell has 6"),
            ("{\"ptp\": {\"xyz\": [100, 0, 0], \"quat\": [1, 0, 0, 0]}}", "move 2: the pose is out of reach"),
            (
                "{\"lin\": {\"xyz\": [1, 2, 3], \"quat\": [1, 0, 0, 0]}, \"zone\": -1}",
                "the zone -1 is no length",
            ),
            (
                "{\"lin\": {\"xyz\": [1, 2, 3], \"quat\": [1, 0, 0, 0]}, \"branch\": \"+\"}",
                "'+' is no branch",
            ),
            ("{\"wait\": 3}", "'wait' is no kind of move"),
            ("{}", "there is no kind in this move"),
            ("3", "a move is an object"),
        ] {
            let faults = read_text(&format!("[{START}, {moves}]")).expect_err("bad");
            let told: Vec<String> = faults.iter().map(ToString::to_string).collect();
            assert!(told.iter().any(|fault| fault.contains(expected)), "{moves}: {told:?}");
        }
        for (text, expected) in [
            (format!("[{START}]"), "no move"),
            ("[{\"lin\": {\"xyz\": [1, 2, 3], \"quat\": [1, 0, 0, 0]}}]".into(), "begins with a ptp"),
            ("[".into(), "this is no JSON"),
            ("x,y,z,qw,qx,qy,qz\n1,2,3,0,0,0,0\n".into(), "the quaternion has length 0.000000, not 1"),
            ("x,y,z,qw,qx,qy,qz\n1,2,30,1,0,0,0\n1,2,31,1,0,0,0\n".into(), "row 1: the pose is out of reach"),
        ] {
            let faults = read_text(&text).expect_err("bad");
            let told: Vec<String> = faults.iter().map(ToString::to_string).collect();
            assert!(told.iter().any(|fault| fault.contains(expected)), "{text}: {told:?}");
        }
    }

    /// Branches that are wished for: that which it is on, another one, and one of several for a pose.
    #[test]
    fn wishes_for_branches() {
        let cell = builtin::cell();
        let tip = Tip::tool(&cell, "arm").expect("a tool");
        let ik = Ik::new(&cell, &tip, &IkOptions::default()).expect("an arm");
        let start = [0.0, -0.6, 0.26, 0.0, 0.6, 0.0];
        let now = ik.branch(&start).0.expect("a closed form");
        let pose = tip.placed(&cell, &start);
        let rows: Vec<String> = pose.to_rows().iter().map(ToString::to_string).collect();
        let line = |branch: &str| {
            format!("[{START}, {{\"lin\": {{\"matrix\": [{}]}}, \"branch\": \"{branch}\"}}]", rows.join(","))
        };
        assert!(read_text(&line(&now.to_string())).is_ok());
        let other = if now.to_string() == "+++" { "++-" } else { "+++" };
        let faults = read_text(&line(other)).expect_err("another branch");
        assert!(faults[0].to_string().contains("a move of the tool cannot change it"), "{faults:?}");
        let first =
            |branch: &str| format!("[{{\"ptp\": {{\"matrix\": [{}]}}{branch}}}, {START}]", rows.join(","));
        let faults = read_text(&first("")).expect_err("several");
        assert!(faults[0].to_string().contains("several branches"), "{faults:?}");
        let chosen = read_text(&first(&format!(", \"branch\": \"{now}\""))).expect("one of them");
        assert!(chosen.start.iter().zip(start).all(|(a, b)| (a - b).abs() < 1e-9), "{:?}", chosen.start);
    }
}
