//! What all answers are made of: words for verdicts, exit codes, messages of files.

use kansho_io::{Fault, Place, ReadError, Warning};
use schemars::JsonSchema;
use serde::Serialize;
use std::path::Path;

/// The version of all answers as JSON. It grows when a key changes its meaning or goes; new keys do not change it.
pub const FORMAT: u32 = 1;

/// What a process that asked one question ends with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExitCode {
    /// Free, or done.
    Done = 0,
    /// It collides, or is not possible; in a table, at least one row does.
    No = 1,
    /// Not decided within the budget.
    Undecided = 2,
    /// Bad input, or a wrong call.
    BadInput = 3,
}

impl ExitCode {
    /// The number.
    #[must_use]
    pub fn number(self) -> u8 {
        self as u8
    }
}

/// A verdict, as answers spell it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum VerdictWord {
    /// Proven: every gap stays larger than its clearance.
    Free,
    /// A collision, or nearer than the clearance.
    Touches,
    /// Neither is proven.
    Undecided,
}

impl VerdictWord {
    /// `free`, `touches` or `undecided`.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Free => "free",
            Self::Touches => "touches",
            Self::Undecided => "undecided",
        }
    }

    /// The exit code of a question with this verdict.
    #[must_use]
    pub fn exit_code(self) -> ExitCode {
        match self {
            Self::Free => ExitCode::Done,
            Self::Touches => ExitCode::No,
            Self::Undecided => ExitCode::Undecided,
        }
    }
}

/// What is wrong or odd in a file, and where.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Message {
    /// What, in one sentence; with its place in words.
    pub message: String,
    /// The file.
    pub file: String,
    /// The line, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// The column in characters, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<u32>,
    /// An offset in bytes, from 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub byte: Option<u64>,
    /// A part of the file, by its name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub part: Option<String>,
    /// What the user could do about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
}

impl Message {
    /// A fault of a file.
    #[must_use]
    pub fn of(path: &Path, fault: &Fault) -> Self {
        let mut message = Self {
            message: fault.to_string(),
            file: path.to_string_lossy().into_owned(),
            line: None,
            column: None,
            byte: None,
            part: None,
            help: fault.help.clone(),
        };
        match &fault.place {
            Place::File => {}
            Place::Line { line, column, .. } => {
                message.line = Some(*line);
                message.column = Some(*column);
            }
            Place::Byte(byte) => message.byte = Some(*byte),
            Place::Part(part) => message.part = Some(part.clone()),
        }
        message
    }

    /// Every fault of refused files.
    #[must_use]
    pub fn of_errors(errors: &[ReadError]) -> Vec<Self> {
        errors
            .iter()
            .flat_map(|error| error.faults.iter().map(|fault| Self::of(&error.path, fault)))
            .collect()
    }

    /// Every warning.
    #[must_use]
    pub fn of_warnings(warnings: &[Warning]) -> Vec<Self> {
        warnings.iter().map(|warning| Self::of(&warning.path, &warning.fault)).collect()
    }
}
