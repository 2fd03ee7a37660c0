use super::{OutKind, OutMove};
use crate::plan_files::waypoints_csv;
use crate::robot_program::Zone;
use kansho_cell::Cell;
use kansho_cell::ik::Tip;
use serde_json::{Value, json};

/// Postures as a table that `kansho check` takes, in radians and metres. How moves go between them is not said.
#[must_use]
pub fn csv(cell: &Cell, moves: &[OutMove]) -> Vec<u8> {
    let postures: Vec<Vec<f64>> = moves.iter().map(|one| one.posture.clone()).collect();
    waypoints_csv(cell, &postures)
}

/// A list of moves that `kansho check` takes: poses of the tip in the world, to the last digit.
#[must_use]
pub fn json(cell: &Cell, tip: &Tip, moves: &[OutMove]) -> Vec<u8> {
    let one = |(k, one): (usize, &OutMove)| {
        let pose = tip.placed(cell, &one.posture);
        let rows = json!({ "matrix": pose.to_rows() });
        let mut entry = match one.kind {
            OutKind::Joint => json!({ "ptp": one.posture }),
            // The first move says where the motion begins.
            _ if k == 0 => json!({ "ptp": one.posture }),
            OutKind::Linear => json!({ "lin": rows }),
            OutKind::Circular(via) => {
                let via = via.translation();
                json!({ "circ": { "via": [via.x, via.y, via.z], "matrix": pose.to_rows() } })
            }
        };
        if let Zone::Radius(radius) = one.zone
            && k > 0
        {
            entry["zone"] = json!(radius);
        }
        entry
    };
    let list: Vec<Value> = moves.iter().enumerate().map(one).collect();
    let mut text = String::from("[");
    for (k, entry) in list.iter().enumerate() {
        text += if k == 0 { "\n" } else { ",\n" };
        text += &entry.to_string();
    }
    text += "\n]\n";
    text.into_bytes()
}
