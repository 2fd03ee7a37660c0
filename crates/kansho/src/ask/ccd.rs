//! Do moving corners meet moving triangles, and moving edges each other? Public queries with known answers, answered exactly.

use crate::answer::{ExitCode, FORMAT};
use kansho_geom::moving_features::{First, Scratch, Wanted};
use kansho_io::ccd::{self, Kind, Query};
use kansho_io::{Fault, ReadError};
use schemars::JsonSchema;
use serde::Serialize;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Runs of every query, of which the fastest counts: other work on the machine only makes one slower.
const RUNS: usize = 3;

/// Wrong answers that are listed one by one in the text.
const LISTED: usize = 20;

/// What came of queries.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct CcdAnswer {
    /// The version of this answer.
    pub format: u32,
    /// How many there are.
    pub queries: usize,
    /// How many touch.
    pub touch: usize,
    /// How many touch by the file and not by the answer.
    pub false_negatives: usize,
    /// How many touch by the answer and not by the file.
    pub false_positives: usize,
    /// How many are undecided.
    pub undecided: usize,
    /// How many needed whole numbers.
    pub exact: u64,
    /// What one takes, in microseconds: the mean.
    pub mean_us: f64,
    /// The median.
    pub median_us: f64,
    /// The slowest.
    pub worst_us: f64,
    /// Those that differ from the file.
    pub wrong: Vec<WrongQuery>,
}

/// A query whose answer differs from the file's.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct WrongQuery {
    /// The file.
    pub file: String,
    /// The line where it begins, from 1.
    pub line: u32,
    /// `false negative`, `false positive` or `undecided`.
    pub what: &'static str,
}

/// Answers the queries of files. What they are about is `kind`, or else what the nearest folder of each file says.
///
/// # Errors
/// Every fault of every file.
pub fn ccd(files: &[PathBuf], kind: Option<Kind>) -> Result<CcdAnswer, Vec<ReadError>> {
    let mut errors = Vec::new();
    let read: Vec<_> = files.iter().filter_map(|path| queries(path, kind, &mut errors)).collect();
    if !errors.is_empty() {
        return Err(errors);
    }
    let mut tally = Tally::default();
    read.iter().for_each(|(path, kind, queries)| tally.count(path, *kind, queries));
    Ok(tally.answer())
}

fn queries<'a>(
    path: &'a Path,
    kind: Option<Kind>,
    errors: &mut Vec<ReadError>,
) -> Option<(&'a Path, Kind, Vec<Query>)> {
    let kind = kind.or_else(|| Kind::of_folder(path));
    let queries = ccd::read(path).map_err(|error| errors.push(error)).ok()?;
    if kind.is_none() {
        let fault = Fault::of_file("no folder of this file says what its queries are about")
            .with_help("say ⟦kind=vertex-face⟧ or ⟦kind=edge-edge⟧");
        errors.push(ReadError { path: path.to_owned(), faults: vec![fault] });
    }
    Some((path, kind?, queries))
}

#[derive(Default)]
struct Tally {
    queries: usize,
    touch: usize,
    exact: u64,
    micros: Vec<f64>,
    wrong: Vec<WrongQuery>,
}

impl Tally {
    fn count(&mut self, path: &Path, kind: Kind, queries: &[Query]) {
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
                First::Never if query.touch => FALSE_NEGATIVE,
                First::At { .. } if !query.touch => FALSE_POSITIVE,
                First::Undecided => UNDECIDED,
                First::Never | First::At { .. } => "",
            };
            self.touch += usize::from(matches!(answer, First::At { .. }));
            if !what.is_empty() {
                let file = path.to_string_lossy().into_owned();
                self.wrong.push(WrongQuery { file, line: query.line, what });
            }
        }
    }

    fn answer(mut self) -> CcdAnswer {
        self.micros.sort_by(f64::total_cmp);
        let count = |what| self.wrong.iter().filter(|wrong| wrong.what == what).count();
        CcdAnswer {
            format: FORMAT,
            queries: self.queries,
            touch: self.touch,
            false_negatives: count(FALSE_NEGATIVE),
            false_positives: count(FALSE_POSITIVE),
            undecided: count(UNDECIDED),
            exact: self.exact,
            mean_us: self.micros.iter().sum::<f64>() / self.micros.len() as f64,
            median_us: self.micros[self.micros.len() / 2],
            worst_us: self.micros[self.micros.len() - 1],
            wrong: self.wrong,
        }
    }
}

const FALSE_NEGATIVE: &str = "false negative";
const FALSE_POSITIVE: &str = "false positive";
const UNDECIDED: &str = "undecided";

impl CcdAnswer {
    /// What the command ends with.
    #[must_use]
    pub fn exit_code(&self) -> ExitCode {
        match (self.false_negatives + self.false_positives, self.undecided) {
            (0, 0) => ExitCode::Done,
            (0, _) => ExitCode::Undecided,
            _ => ExitCode::No,
        }
    }

    /// In words.
    #[must_use]
    pub fn text(&self) -> String {
        let mut text = String::new();
        for WrongQuery { file, line, what } in self.wrong.iter().take(LISTED) {
            writeln!(text, "{file}:{line}: {what}").expect("writing to a string succeeds");
        }
        if self.wrong.len() > LISTED {
            writeln!(text, "and {} more", self.wrong.len() - LISTED).expect("writing to a string succeeds");
        }
        let Self { queries, touch, false_negatives, false_positives, undecided, exact, .. } = self;
        let Self { mean_us: mean, median_us: median, worst_us: worst, .. } = self;
        writeln!(
            text,
            "{queries} queries, {touch} touch: {false_negatives} false negatives, {false_positives} false positives, {undecided} undecided\n\
             microseconds each: mean {mean:.2}, median {median:.2}, worst {worst:.1}; {exact} needed whole numbers",
        )
        .expect("writing to a string succeeds");
        text
    }
}
