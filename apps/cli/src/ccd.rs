use crate::{BAD_INPUT, UNDECIDED, say};
use clap::{Args, ValueEnum};
use kansho::geom::moving::{First, Scratch, Wanted};
use kansho::io::ccd::{self, Kind, Query};
use kansho::io::{Fault, ReadError};
use serde_json::{Value, json};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;

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

/// Runs of every query, of which the fastest counts: other work on the machine only makes one slower.
const RUNS: usize = 3;

/// Wrong answers that are listed one by one without `--json`.
const LISTED: usize = 20;

pub(crate) fn run(arguments: &Arguments) -> u8 {
    let mut errors = Vec::new();
    let files: Vec<(&Path, Kind, Vec<Query>)> =
        arguments.files.iter().filter_map(|path| read(path, arguments.kind, &mut errors)).collect();
    if !errors.is_empty() {
        say::errors(&errors);
        if arguments.json {
            say::json_answer(&json!({ "errors": say::errors_json(&errors) }));
        }
        return BAD_INPUT;
    }
    let mut tally = Tally::default();
    for (path, kind, queries) in &files {
        tally.file(path, *kind, queries);
    }
    say::answer(&if arguments.json { format!("{:#}\n", tally.json()) } else { tally.text() });
    if tally.false_negatives + tally.false_positives > 0 {
        1
    } else if tally.undecided > 0 {
        UNDECIDED
    } else {
        0
    }
}

fn read<'a>(
    path: &'a Path,
    kind: Option<KindName>,
    errors: &mut Vec<ReadError>,
) -> Option<(&'a Path, Kind, Vec<Query>)> {
    let kind = match kind {
        Some(KindName::VertexFace) => Some(Kind::VertexFace),
        Some(KindName::EdgeEdge) => Some(Kind::EdgeEdge),
        None => Kind::of_folder(path),
    };
    let queries = ccd::read(path).map_err(|error| errors.push(error)).ok()?;
    if kind.is_none() {
        let fault = Fault::of_file("no folder of this file says what its queries are about")
            .with_help("say --kind vertex-face or --kind edge-edge");
        errors.push(ReadError { path: path.to_owned(), faults: vec![fault] });
    }
    Some((path, kind?, queries))
}

/// What came out.
#[derive(Default)]
struct Tally {
    queries: usize,
    touch: usize,
    false_negatives: usize,
    false_positives: usize,
    undecided: usize,
    exact: u64,
    micros: Vec<f64>,
    wrong: Vec<Value>,
}

impl Tally {
    fn file(&mut self, path: &Path, kind: Kind, queries: &[Query]) {
        // Whether, and not when.
        let wanted = Wanted { tolerance: 1.0, ..Wanted::default() };
        let mut scratch = Scratch::default();
        let mut fastest = vec![f64::INFINITY; queries.len()];
        let mut answers = Vec::new();
        for _ in 0..RUNS {
            answers.clear();
            scratch = Scratch::default();
            for (query, fastest) in queries.iter().zip(&mut fastest) {
                let start = Instant::now();
                let answer = query.first(kind, &wanted, &mut scratch);
                *fastest = fastest.min(start.elapsed().as_secs_f64() * 1e6);
                answers.push(answer);
            }
        }
        self.queries += queries.len();
        self.exact += scratch.exact;
        self.micros.extend(fastest);
        for (query, answer) in queries.iter().zip(answers) {
            let what = match answer {
                First::Never if query.touch => {
                    self.false_negatives += 1;
                    "false negative"
                }
                First::At { .. } if !query.touch => {
                    self.false_positives += 1;
                    "false positive"
                }
                First::Undecided => {
                    self.undecided += 1;
                    "undecided"
                }
                First::Never | First::At { .. } => "",
            };
            self.touch += usize::from(matches!(answer, First::At { .. }));
            if !what.is_empty() {
                self.wrong.push(json!({ "file": path.to_string_lossy(), "line": query.line, "what": what }));
            }
        }
    }

    /// Mean, median and worst, in microseconds.
    fn times(&self) -> [f64; 3] {
        let mut sorted = self.micros.clone();
        sorted.sort_by(f64::total_cmp);
        let mean = sorted.iter().sum::<f64>() / sorted.len() as f64;
        [mean, sorted[sorted.len() / 2], sorted[sorted.len() - 1]]
    }

    fn json(&self) -> Value {
        let [mean, median, worst] = self.times();
        json!({
            "queries": self.queries,
            "touch": self.touch,
            "false_negatives": self.false_negatives,
            "false_positives": self.false_positives,
            "undecided": self.undecided,
            "exact": self.exact,
            "mean_us": mean,
            "median_us": median,
            "worst_us": worst,
            "wrong": self.wrong,
        })
    }

    fn text(&self) -> String {
        let mut text = String::new();
        for wrong in self.wrong.iter().take(LISTED) {
            let part = |key: &str| wrong[key].as_str().unwrap_or_default().to_owned();
            writeln!(text, "{}:{}: {}", part("file"), wrong["line"], part("what"))
                .expect("writing to a string succeeds");
        }
        if self.wrong.len() > LISTED {
            writeln!(text, "and {} more", self.wrong.len() - LISTED).expect("writing to a string succeeds");
        }
        let [mean, median, worst] = self.times();
        writeln!(
            text,
            "{} queries, {} touch: {} false negatives, {} false positives, {} undecided\n\
             microseconds each: mean {mean:.2}, median {median:.2}, worst {worst:.1}; {} needed whole numbers",
            self.queries, self.touch, self.false_negatives, self.false_positives, self.undecided, self.exact,
        )
        .expect("writing to a string succeeds");
        text
    }
}
