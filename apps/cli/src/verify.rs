use crate::{moving, say};
use clap::Args;
use kansho::check::verify::verify;
use kansho::io::certificate;
use serde_json::json;
use std::path::PathBuf;

#[derive(Args)]
#[command(after_help = "Example:\n  kansho verify certificate.json")]
pub(crate) struct Arguments {
    /// A certificate, as `kansho moving --certificate` writes it
    #[arg(value_name = "JSON")]
    certificate: PathBuf,

    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: &Arguments) -> u8 {
    let certified = match certificate::read(&arguments.certificate) {
        Ok(certified) => certified,
        Err(error) => return moving::refused(&[error], arguments.json),
    };
    let [a, b] = &certified.meshes;
    let [motion_a, motion_b] = &certified.motions;
    let verified = verify([a, b], [motion_a, motion_b], &certified.certificate);
    let [name_a, name_b] = &certified.names;
    if arguments.json {
        say::json_answer(&match &verified {
            Ok(found) => json!({
                "accepted": true, "bodies": certified.names, "clearance": found.clearance,
                "regions": found.regions, "exact": found.exact,
            }),
            Err(refused) => {
                json!({ "accepted": false, "bodies": certified.names, "why": refused.to_string() })
            }
        });
    } else {
        say::answer(&match &verified {
            Ok(found) => format!(
                "accepted: {name_a} and {name_b} ({} and {} triangles) stay more than {} m apart; {} regions, {} of them in whole numbers\n",
                a.triangles().len(),
                b.triangles().len(),
                found.clearance,
                found.regions,
                found.exact
            ),
            Err(refused) => format!("refused: {refused}\n"),
        });
    }
    u8::from(verified.is_err())
}
