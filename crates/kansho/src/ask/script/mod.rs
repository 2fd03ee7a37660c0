//! What comes of movements in words: exact poses, and a motion that is proven.

mod answer;
mod files;
mod robot;
mod shown;
mod text;

pub use answer::{
    AboutAxis, ContactThere, LostContact, PathSample, PoseAnswer, ProofCounts, ScriptAnswer, ScriptBlock,
    ScriptFreedoms, ScriptPath, ScriptStep,
};
pub use files::poses;
pub use robot::RobotAnswer;
pub use shown::{
    EditAnswer, EditedScript, LineFault, ShownBlock, ShownContact, ShownMove, ShownScript, ShownWay, edited,
};
pub use text::fault;

use crate::answer::{ExitCode, Message};
use crate::budget::Budget;
use kansho_io::script::{LoadedScript, read};
use kansho_io::{ReadError, Warning};
use kansho_plan::script::{self as engine, Answer, Status};
use kansho_verify::AnyCertificate;
use robot::RobotMotion;
use std::path::{Path, PathBuf};

/// A script, and what came of it.
#[derive(Clone, Debug)]
pub struct DoneScript {
    /// The script.
    pub loaded: LoadedScript,
    /// What came of its moves.
    pub found: Answer,
    /// What is odd about its files.
    pub warnings: Vec<Warning>,
    robot: Option<RobotMotion>,
}

/// Reads a script and does what it says. If it names a robot, this leads it along what came of the script.
///
/// # Errors
/// What is wrong with the files.
pub fn script(path: &Path, packages: &[PathBuf], budget: &Budget<'_>) -> Result<DoneScript, Vec<ReadError>> {
    let loaded = read(path)?;
    let found = moves(&loaded, budget);
    let robot = robot::lead(&loaded, &found, packages, budget)?;
    let of_robot = robot.iter().flat_map(|robot| &robot.warnings);
    let warnings = loaded.warnings.iter().chain(of_robot).cloned().collect();
    Ok(DoneScript { loaded, found, warnings, robot })
}

/// Does the moves of a script, without a robot.
#[must_use]
pub fn moves(loaded: &LoadedScript, budget: &Budget<'_>) -> Answer {
    let Budget { deadline, stop, .. } = *budget;
    engine::run(&loaded.script, &engine::Options { deadline, stop })
}

impl DoneScript {
    /// The answer, in the units of the script.
    #[must_use]
    pub fn answer(&self) -> ScriptAnswer {
        let mut answer = ScriptAnswer::of(&self.loaded, &self.found);
        answer.robot = self.robot.as_ref().map(|robot| robot.answer.clone());
        answer.warnings = Message::of_warnings(&self.warnings);
        answer.errors = self.error().map(|error| Message::of_errors(&[error]));
        answer
    }

    /// Why it does not come to its end, at the place of its last move.
    #[must_use]
    pub fn error(&self) -> Option<ReadError> {
        let what = fault(&self.loaded, &self.found)?;
        let step = self.found.steps.last().expect("a fault has a step");
        Some(self.loaded.fault(step.number, what))
    }

    /// Whether all moves came to their ends, and the robot, if there is one, does them without a collision.
    #[must_use]
    pub fn is_done(&self) -> bool {
        self.exit_code() == ExitCode::Done
    }

    /// What the command ends with.
    #[must_use]
    pub fn exit_code(&self) -> ExitCode {
        match (self.found.status(), &self.robot) {
            (Status::Reached, Some(robot)) => robot.answer.outcome().exit_code(),
            (Status::Reached, None) => ExitCode::Done,
            (Status::Contradiction { .. }, _) => ExitCode::BadInput,
            (Status::Undecided { .. }, _) => ExitCode::Undecided,
            _ => ExitCode::No,
        }
    }

    /// The robot's motion, if it is proven free: the text of a list of moves that `check` takes.
    #[must_use]
    pub fn motion(&self) -> Option<&[u8]> {
        self.robot.as_ref()?.motion.as_deref()
    }

    /// Why nothing but what may touches on the motions of the moved body, for others to check; or, in a sentence, why there is none.
    ///
    /// It is about the bodies of the script. What its robot does is a motion of its cell, and has a certificate of its own.
    ///
    /// # Errors
    /// Not all moves came to their ends, or no certificate was found.
    pub fn certificate(&self, budget: &Budget<'_>) -> Result<AnyCertificate, String> {
        let Budget { deadline, stop, .. } = *budget;
        let found =
            engine::certificate(&self.loaded.script, &self.found, &engine::Options { deadline, stop })?;
        Ok(AnyCertificate::Contact(Box::new(found)))
    }

    /// Names and contents of files: poses, the work path if one is followed, the robot's motion, and the answer.
    #[must_use]
    pub fn files(&self) -> Vec<(String, Vec<u8>)> {
        let mut files = files::of_moves(&self.found);
        files.extend(self.motion().map(|motion| ("motion.json".to_owned(), motion.to_owned())));
        files.push(("answer.json".to_owned(), self.answer().json_text().into_bytes()));
        files
    }
}
