//! Many motions of one segment each.

use super::Asked;
use crate::postures::field;
use crate::progress::Progress;
use crate::{BAD_INPUT, UNDECIDED, moving, say};
use kansho::cell::{Cell, JointMotion, JointPiece};
use kansho::check::motion::{MotionScene, MotionWorkspace};
use kansho::check::scene::Scene;
use kansho::check::verdict::Verdict;
use kansho::io::postures;
use rayon::prelude::*;
use serde_json::{Value, json};
use std::path::Path;
use std::sync::atomic::Ordering;

/// The answer for a segment.
enum Row {
    Free { clearance: f64 },
    Touches { t: f64, pair: String, gap: f64, at_start: bool },
    Undecided,
}

pub(super) fn run(mut asked: Asked<'_>, path: &Path, cell: Cell) -> u8 {
    let arguments = asked.arguments;
    let rows = match postures::read_segments(path, &cell, &arguments.units.units()) {
        Ok(rows) => rows,
        Err(error) => return moving::refused(&[error], arguments.json),
    };
    if let Err(code) = asked.outside(path, rows.outside_limits().to_vec()) {
        return code;
    }
    let postures: Vec<&[f64]> = rows.iter().collect();
    let outside: Vec<String> = postures
        .chunks_exact(2)
        .map(|pair| kansho::io::limits::names_outside(&cell, pair).join(";"))
        .collect();
    let scene = asked.scene(cell);
    let answers: Vec<Row> = crate::threads::on(arguments.threads, || {
        let prepared = MotionScene::new(&scene);
        let progress = Progress::of(postures.len() / 2);
        let one = |workspace: &mut MotionWorkspace, pair: &[&[f64]]| {
            let motion = JointMotion::of_piece(JointPiece::line(pair[0], pair[1]));
            let row = answer(&asked, &scene, &prepared, &motion, workspace);
            progress.counter().fetch_add(1, Ordering::Relaxed);
            row
        };
        postures.par_chunks_exact(2).map_init(|| prepared.workspace(), one).collect()
    });
    let table = as_table(&answers, &outside);
    if let Some(out) = &arguments.out
        && let Err(error) = kansho::io::whole_file(out, table.as_bytes())
    {
        say::write_error(&error);
        return BAD_INPUT;
    }
    let count = |is: fn(&Row) -> bool| answers.iter().filter(|row| is(row)).count();
    let free = count(|row| matches!(row, Row::Free { .. }));
    let touches = count(|row| matches!(row, Row::Touches { .. }));
    let undecided = count(|row| matches!(row, Row::Undecided));
    if arguments.json {
        let rows: Vec<Value> = answers.iter().zip(&outside).map(row_json).collect();
        say::json_answer(&json!({
            "segments": answers.len(), "free": free, "touches": touches, "undecided": undecided, "rows": rows,
            "warnings": say::warnings_json(&asked.warnings),
        }));
    } else if arguments.out.is_some() {
        let open = if undecided > 0 { format!(", {undecided} are undecided") } else { String::new() };
        say::answer(&format!("{touches} of {} segments touch, {free} are free{open}\n", answers.len()));
    } else {
        say::answer(&table);
    }
    match (touches, undecided) {
        (0, 0) => 0,
        (0, _) => UNDECIDED,
        _ => 1,
    }
}

fn answer(
    asked: &Asked<'_>,
    scene: &Scene,
    prepared: &MotionScene<'_>,
    motion: &JointMotion,
    workspace: &mut MotionWorkspace,
) -> Row {
    match prepared.motion(motion, &asked.options, workspace).verdict {
        Verdict::Free(proof) => {
            let clearance = if asked.arguments.tight {
                prepared.least_gap(motion, &asked.options, proof.clearance, workspace).proven
            } else {
                proof.clearance
            };
            Row::Free { clearance }
        }
        Verdict::Touches(found) => Row::Touches {
            t: found.time.end,
            pair: scene.pair_name(found.pair),
            gap: found.gap,
            at_start: found.at_start,
        },
        Verdict::Undecided { .. } => Row::Undecided,
    }
}

fn as_table(answers: &[Row], outside: &[String]) -> String {
    let mut text = String::from("verdict,t,pair,clearance,outside_limits\n");
    for (row, outside) in answers.iter().zip(outside) {
        text += &match row {
            Row::Free { clearance } => format!("free,,,{clearance}"),
            Row::Touches { t, pair, .. } => format!("touches,{t},{},", field(pair)),
            Row::Undecided => "undecided,,,".to_owned(),
        };
        text += &format!(",{}\n", field(outside));
    }
    text
}

fn row_json((row, outside): (&Row, &String)) -> Value {
    let mut row = match row {
        Row::Free { clearance } => {
            json!({ "verdict": "free", "clearance": clearance.is_finite().then_some(clearance) })
        }
        Row::Touches { t, pair, gap, at_start } => {
            json!({ "verdict": "touches", "t": t, "pair": pair, "gap": gap, "at_start": at_start })
        }
        Row::Undecided => json!({ "verdict": "undecided" }),
    };
    if !outside.is_empty() {
        row["outside_limits"] = json!(outside.split(';').collect::<Vec<_>>());
    }
    row
}
