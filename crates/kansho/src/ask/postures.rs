//! Which of many postures of a cell collide, or how near do bodies come in them?

use crate::answer::{ExitCode, FORMAT, Message};
use crate::budget::Budget;
use crate::prepared::PreparedCell;
use crate::table::field;
use kansho_cell::Cell;
use kansho_check::order::Order;
use kansho_check::postures::{self as engine, Answer, Find, looked_at, rough_postures};
use kansho_check::rough::RoughScene;
use kansho_check::scene::Scene;
use kansho_check::scene::models::Stages;
use kansho_geom::field::Field;
use kansho_geom::spheres::CoverFault;
use kansho_io::fields::{self, Restored};
use kansho_io::{Fault, Warning, limits};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Rows that are decided without models, to see how long the others would take.
const TRIED_ROWS: usize = 2000;

/// How much work without models is worth making them, in seconds. To make them and to fill their fields takes about one, of an arm among
/// some dozen objects, and they leave a part of the time.
const WORTH_SECS: f64 = 2.0;

/// What is asked of every posture.
#[derive(Clone, Debug)]
pub struct PosturesOptions {
    /// One pair that touches, all of them, or the least gap.
    pub find: Find,
    /// Which pairs are decided first. It matters for the speed without models; the answers are the same.
    pub order: Order,
    /// A radius in metres: spheres around the meshes are looked at instead of the meshes.
    pub spheres: Option<f64>,
    /// When models are made.
    pub models: Models,
    /// Where what models have worked out is kept for the next time.
    pub cache: Option<PathBuf>,
}

/// When models are made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Models {
    /// Before the first row.
    Always,
    /// Not at all.
    Never,
    /// If the first rows show that they are worth it, or if there are some.
    #[default]
    IfTheyPay,
}

impl Default for PosturesOptions {
    fn default() -> Self {
        let (find, order, models) = (Find::First, Order::default(), Models::default());
        Self { find, order, spheres: None, models, cache: None }
    }
}

/// What was found, row by row.
#[derive(Clone, Debug)]
pub struct FoundPostures {
    /// The shapes that were asked, with the names of pairs.
    pub scene: Arc<Scene>,
    /// The answer for each row.
    pub answers: Vec<Answer>,
    /// How models decided them, where there were models.
    pub models: Option<ModelsReport>,
    /// What is odd about the file of what was kept.
    pub warnings: Vec<Warning>,
}

/// Decides postures, one after the other in `rows`. The answers are the same with and without models, so time may decide which rows have them.
///
/// # Errors
/// The meshes cannot be covered by spheres of that radius.
///
/// # Panics
/// If the numbers are not a whole number of postures.
pub fn postures(
    cell: &PreparedCell,
    rows: &[f64],
    options: &PosturesOptions,
    budget: &Budget<'_>,
) -> Result<FoundPostures, CoverFault> {
    let asked = engine::PosturesOptions {
        find: options.find,
        order: options.order,
        deadline: budget.deadline,
        stop: budget.stop,
        done: budget.progress,
    };
    let bare = |scene: &Arc<Scene>, answers| FoundPostures {
        scene: Arc::clone(scene),
        answers,
        models: None,
        warnings: Vec::new(),
    };
    if rows.is_empty() {
        return Ok(bare(cell.plain(), Vec::new()));
    }
    if let Some(radius) = options.spheres {
        let rough = RoughScene::new(Arc::clone(cell.plain()), radius)?;
        return Ok(bare(rough.scene(), rough_postures(&rough, rows, &asked)));
    }
    // Models tell only whether something touches: gaps are measured without.
    let models = if options.find == Find::Gap { Models::Never } else { options.models };
    let mut answers = Vec::new();
    let mut left = rows;
    if models == Models::Never {
        return Ok(bare(cell.plain(), looked_at(cell.plain(), rows, &asked).0));
    }
    if models == Models::IfTheyPay && cell.known_models().is_none() {
        let columns = cell.cell().coordinates().len();
        let (first, others) = rows.split_at(rows.len().min(TRIED_ROWS * columns));
        let begin = Instant::now();
        answers = looked_at(cell.plain(), first, &asked).0;
        left = others;
        let share = others.len() as f64 / first.len() as f64;
        if begin.elapsed().as_secs_f64() * share <= WORTH_SECS {
            if !others.is_empty() {
                answers.extend(looked_at(cell.plain(), others, &asked).0);
            }
            return Ok(bare(cell.plain(), answers));
        }
    }
    let begin = Instant::now();
    let scene = cell.modelled();
    let restored =
        options.cache.as_deref().map(|path| fields::read(path, &fields_of(scene))).unwrap_or_default();
    let set_up = begin.elapsed();
    let (of_left, stages) = looked_at(scene, left, &asked);
    answers.extend(of_left);
    let report = scene.models().map(|models| ModelsReport {
        decided: shares(&stages).map(|(name, count, _)| (name.to_owned(), count)).into(),
        postures: stages.postures(),
        exact_pairs: stages.exact_pairs,
        pairs_of_groups: models.pairs(),
        set_up_seconds: set_up.as_secs_f64(),
        bytes: models.bytes(),
        cells_worked_out: known_cells(scene) - restored.cells,
        cells_restored: restored.cells,
    });
    let kept = options.cache.as_deref().and_then(|path| keep(path, scene, &restored));
    let warnings = restored.notice.into_iter().chain(kept).collect();
    Ok(FoundPostures { scene: Arc::clone(scene), answers, models: report, warnings })
}

/// Why a cell in which nothing moves has no postures, and what touches in it.
#[must_use]
pub fn nothing_moves(cell: Cell) -> Fault {
    let scene = Scene::new(Arc::new(cell));
    let touching: Vec<String> = scene.always().map(|pair| scene.pair_name(pair)).collect();
    Fault::of_file(match touching.as_slice() {
        [] => "nothing in this cell moves, so it has no postures; no pair that is checked touches".to_owned(),
        pairs => {
            format!("nothing in this cell moves, so it has no postures; these touch: {}", pairs.join(", "))
        }
    })
}

fn fields_of(scene: &Scene) -> Vec<&Field> {
    scene.models().iter().flat_map(|models| models.fields()).collect()
}

fn known_cells(scene: &Scene) -> usize {
    fields_of(scene).into_iter().map(Field::known_cells).sum()
}

/// Keeps what was worked out, if there is anything new. That it cannot be kept changes no answer, so it is a warning.
fn keep(path: &Path, scene: &Scene, restored: &Restored) -> Option<Warning> {
    if restored.notice.is_none() && restored.cells == known_cells(scene) {
        return None;
    }
    let error = fields::write(path, &fields_of(scene)).err()?;
    let fault = Fault::of_file(format!("fields are not kept: {}", error.what));
    Some(Warning { path: error.path, fault })
}

/// Which of many postures collide.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct PosturesAnswer {
    /// The version of this answer.
    pub format: u32,
    /// How many there are.
    pub postures: usize,
    /// How many collide.
    pub hits: usize,
    /// How many are undecided.
    pub undecided: usize,
    /// One row for each, in their order.
    pub rows: Vec<PostureRow>,
    /// What is odd about the cell and the table.
    pub warnings: Vec<Message>,
    /// How models decided them, if that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub models: Option<ModelsReport>,
    /// Whether gaps were measured.
    #[serde(skip)]
    pub is_measured: bool,
}

/// The answer for one posture.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct PostureRow {
    /// 1 if something touches, 0 if nothing does, null if it is undecided.
    pub hit: Option<u8>,
    /// The pairs that touch, one or all, as `a|b`; with gaps the nearest pair.
    pub pairs: Vec<String>,
    /// The least gap, in metres.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub distance: Option<f64>,
    /// Its two points in the world.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub points: Option<[[f64; 3]; 2]>,
    /// Joints that are outside their limits.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub outside_limits: Vec<String>,
}

/// How models decided postures, and what they took.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ModelsReport {
    /// How many postures they decided.
    pub postures: u64,
    /// How many each stage decided.
    pub decided: BTreeMap<String, u64>,
    /// Pairs of shapes that were decided exactly.
    pub exact_pairs: u64,
    /// Pairs of groups of bodies.
    pub pairs_of_groups: usize,
    /// What it took to make the models.
    pub set_up_seconds: f64,
    /// What memory they take in the end.
    pub bytes: usize,
    /// Cells of fields that were worked out.
    pub cells_worked_out: usize,
    /// Cells of fields that were kept from an earlier run.
    pub cells_restored: usize,
}

/// Each stage: its name for programs, how many postures it decided, and what it says of them.
fn shares(stages: &Stages) -> [(&'static str, u64, &'static str); 7] {
    let [always, kept, last, inside, around, free, touch] = STAGES;
    [
        (always.0, stages.always, always.1),
        (kept.0, stages.kept, kept.1),
        (last.0, stages.last, last.1),
        (inside.0, stages.inner, inside.1),
        (around.0, stages.spheres, around.1),
        (free.0, stages.exact_free, free.1),
        (touch.0, stages.exact_hit, touch.1),
    ]
}

/// Names of stages, and what each says of a posture.
const STAGES: [(&str, &str); 7] = [
    ("always", "touch, for a pair that never moves relative to each other does"),
    ("kept", "free, kept from an earlier posture: nothing moved as far as the gaps were"),
    ("last", "touch, for the pair that touched last does so again"),
    ("balls_inside", "touch, by balls inside bodies"),
    ("balls_around", "free, by balls around bodies"),
    ("exact_free", "free, but near: the shapes themselves had to tell"),
    ("exact_touch", "touch, by the shapes themselves"),
];

impl ModelsReport {
    /// In words.
    #[must_use]
    pub fn text(&self) -> String {
        let mut text = format!("{} postures were decided:\n", self.postures);
        for (name, what) in STAGES {
            let count = self.decided.get(name).copied().unwrap_or(0);
            if count > 0 {
                let percent = 100.0 * count as f64 / self.postures as f64;
                writeln!(text, "{percent:6.2} % {what}").expect("writing to a string succeeds");
            }
        }
        let Self { pairs_of_groups, exact_pairs, cells_worked_out, cells_restored, .. } = self;
        let (seconds, megabytes) =
            (Duration::from_secs_f64(self.set_up_seconds).as_secs_f64(), self.bytes as f64 * 1e-6);
        write!(
            text,
            "{pairs_of_groups} pairs of groups of bodies; {exact_pairs} pairs of shapes looked at; {cells_worked_out} cells of fields worked out, {cells_restored} kept from before\n\
             models set up in {seconds:.3} s, {megabytes:.1} MB in the end"
        )
        .expect("writing to a string succeeds");
        text
    }
}

impl FoundPostures {
    /// The answer with names, of the postures that were asked about.
    #[must_use]
    pub fn answer(&self, rows: &[f64], find: Find) -> PosturesAnswer {
        let columns = self.scene.cell().coordinates().len();
        let rows = self
            .answers
            .iter()
            .zip(rows.chunks_exact(columns))
            .map(|(answer, posture)| self.row(answer, posture));
        let rows: Vec<PostureRow> = rows.collect();
        let count = |hit: Option<u8>| rows.iter().filter(|row| row.hit == hit).count();
        PosturesAnswer {
            format: FORMAT,
            postures: rows.len(),
            hits: count(Some(1)),
            undecided: count(None),
            rows,
            warnings: Vec::new(),
            models: None,
            is_measured: find == Find::Gap,
        }
    }

    fn row(&self, answer: &Answer, posture: &[f64]) -> PostureRow {
        let scene = &self.scene;
        let (hit, pairs, found) = match answer {
            Answer::Free(found) => (Some(0), found.iter().map(|found| found.pair).collect(), *found),
            Answer::Touches(pairs, found) => (Some(1), pairs.clone(), *found),
            Answer::Undecided => (None, Vec::new(), None),
        };
        PostureRow {
            hit,
            pairs: pairs.into_iter().map(|pair| scene.pair_name(pair)).collect(),
            distance: found.map(|found| found.gap),
            points: found.map(|found| found.points.map(|point| point.to_array())),
            outside_limits: limits::names_outside(scene.cell(), &[posture]),
        }
    }
}

impl PosturesAnswer {
    /// What the command ends with.
    #[must_use]
    pub fn exit_code(&self) -> ExitCode {
        match (self.hits, self.undecided) {
            (0, 0) => ExitCode::Done,
            (0, _) => ExitCode::Undecided,
            _ => ExitCode::No,
        }
    }

    /// How many there are of each, in words.
    #[must_use]
    pub fn summary(&self) -> String {
        let open =
            if self.undecided > 0 { format!(", {} are undecided", self.undecided) } else { String::new() };
        format!("{} of {} postures touch{open}\n", self.hits, self.postures)
    }

    /// One row a posture, as CSV with a header.
    #[must_use]
    pub fn table(&self) -> String {
        let measured = if self.is_measured { ",distance,ax,ay,az,bx,by,bz" } else { "" };
        let mut text = format!("hit,pair{measured},outside_limits\n");
        for row in &self.rows {
            match row.hit {
                Some(hit) => write!(text, "{hit},"),
                None => write!(text, "undecided,"),
            }
            .expect("writing to a string succeeds");
            text += &field(&row.pairs.join(";"));
            match (row.distance, row.points) {
                _ if !self.is_measured => {}
                (Some(gap), Some([p, q])) => {
                    let numbers = [gap].into_iter().chain(p).chain(q);
                    numbers.for_each(|number| {
                        write!(text, ",{number}").expect("writing to a string succeeds");
                    });
                }
                _ => text += ",,,,,,,",
            }
            text.push(',');
            text += &field(&row.outside_limits.join(";"));
            text.push('\n');
        }
        text
    }
}
