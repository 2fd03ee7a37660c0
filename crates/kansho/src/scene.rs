//! Prepared cells, and pairs by their names.

use kansho_cell::{BodyId, Cell, nearest_name};
use kansho_check::scene::{PairId, Scene};
use kansho_io::Fault;

/// What users must know of a cell to read the answers about it: pairs that touch in every posture, bodies without an inside.
pub fn warnings(scene: &Scene) -> impl Iterator<Item = Fault> {
    let always = scene.always().map(|pair| {
        let name = scene.pair_name(pair);
        Fault::of_file(format!("{name} touch in every posture, for they never move relative to each other"))
            .with_help("if that is meant to be, allow the pair in the cell")
    });
    let open: Vec<&str> = scene.open_bodies().map(|id| scene.cell().body(id).name.as_str()).collect();
    let open = (!open.is_empty()).then(|| {
        Fault::of_file(format!(
            "open surfaces have no inside, so a body wholly inside one does not count as a hit: {}",
            open.join(", ")
        ))
    });
    always.chain(open)
}

/// The checked pairs that are named as `a|b`, either way round, each with its own clearance in metres.
///
/// # Errors
/// Pairs that do not exist, are not checked, never move relative to each other, or stand twice.
pub fn named_pairs(cell: &Cell, named: &[(String, f64)]) -> Result<Vec<(PairId, f64)>, Vec<Fault>> {
    let name = |[a, b]: [BodyId; 2]| format!("{}|{}", cell.body(a).name, cell.body(b).name);
    let checked = cell.pairs().checked();
    let (mut found, mut faults) = (Vec::new(), Vec::new());
    for (pair, metres) in named {
        let is_it = |&[a, b]: &[BodyId; 2]| name([a, b]) == *pair || name([b, a]) == *pair;
        if let Some(index) = checked.iter().position(is_it) {
            let [a, b] = checked[index].map(|body| cell.in_frame(cell.body(body).carrier).frame);
            let id = PairId(index as u32);
            if a == b {
                let what = format!("{pair} never move relative to each other, so only touching counts");
                faults.push(Fault::of_file(what));
            } else if found.iter().any(|(known, _)| *known == id) {
                faults.push(Fault::of_file(format!("{pair} stands twice")));
            } else {
                found.push((id, *metres));
            }
        } else if let Some((_, why)) = cell.pairs().not_checked().iter().find(|(bodies, _)| is_it(bodies)) {
            faults.push(Fault::of_file(format!("{pair} are not checked: {why}")));
        } else {
            let names: Vec<String> =
                checked.iter().flat_map(|&[a, b]| [name([a, b]), name([b, a])]).collect();
            let fault = Fault::of_file(format!("there is no pair '{pair}'"));
            faults.push(match nearest_name(pair, names.iter().map(String::as_str)) {
                Some(near) => fault.with_help(format!("did you mean {near}?")),
                None => fault.with_help("kansho pairs CELL lists them"),
            });
        }
    }
    if faults.is_empty() { Ok(found) } else { Err(faults) }
}
