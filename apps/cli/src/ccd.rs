use crate::say;
use clap::{Args, ValueEnum};
use kansho::ask::ccd::ccd;
use kansho::io::ccd::Kind;
use std::path::PathBuf;

#[derive(Args)]
#[command(
    after_help = "Examples:\n  kansho ccd queries/*/vertex-face/*.csv queries/*/edge-edge/*.csv\n  kansho ccd mine.csv --kind edge-edge --json\n\n\
                  Eight rows of a file are a query: four points at the start, then at the end (a vertex and the corners of a face, or\n\
                  the ends of two edges); numerator and denominator of x, y, z, and 1 if they touch. Answers are exact. Every query\n\
                  runs three times on one thread, and the fastest counts. Exit code 1: an answer differs from the file's; 2: one is\n\
                  undecided."
)]
pub(crate) struct Arguments {
    /// Files of queries
    #[arg(value_name = "QUERIES", required = true)]
    files: Vec<PathBuf>,

    /// What the queries are about; by default the nearest folder of each file says so
    #[arg(long, value_enum)]
    kind: Option<KindName>,

    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, ValueEnum)]
enum KindName {
    /// A vertex and a face
    VertexFace,
    /// Two edges
    EdgeEdge,
}

pub(crate) fn run(arguments: &Arguments) -> u8 {
    let kind = arguments.kind.map(|kind| match kind {
        KindName::VertexFace => Kind::VertexFace,
        KindName::EdgeEdge => Kind::EdgeEdge,
    });
    let answered = ccd(&arguments.files, kind).map(|answer| {
        if arguments.json {
            say::json_of(&answer);
        } else {
            say::answer(&answer.text());
        }
        answer.exit_code()
    });
    say::ended(answered.map_err(Into::into), arguments.json)
}
