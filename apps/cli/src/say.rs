//! How answers and faults are shown.

use crate::BAD_INPUT;
use anstyle::{AnsiColor, Style};
use kansho::answer::{ExitCode, Message};
use kansho::io::fault::{Paint, Plain};
use kansho::io::setting::Face;
use kansho::io::{Fault, ReadError, Warning, WriteError};
use kansho::verify::AnyCertificate;
use serde::Serialize;
use serde_json::{Value, json};
use std::io::{ErrorKind, Write as _};
use std::path::Path;

const ERROR: Style = AnsiColor::Red.on_default().bold();
const WARNING: Style = AnsiColor::Yellow.on_default().bold();
pub(crate) const STRONG: Style = Style::new().bold();
pub(crate) const DIM: Style = Style::new().dimmed();

/// Prints an answer. A reader that has gone away (`kansho info … | head`) is no fault; an answer that is lost otherwise,
/// on a full disk, ends the command: whoever waits for it must not take its beginning for all of it.
pub(crate) fn answer(text: &str) {
    let text = Face::Command.rendered(text);
    let mut out = anstream::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            message("error", ERROR, Path::new("standard output"), &Fault::of_file(error.to_string()));
            std::process::exit(BAD_INPUT.into());
        }
        _ => {}
    }
}

/// Prints one JSON object.
pub(crate) fn json_answer(value: &Value) {
    answer(&format!("{value:#}\n"));
}

/// Prints an answer as one JSON object, with its keys in order.
pub(crate) fn json_of(answer: &impl Serialize) {
    json_answer(&serde_json::to_value(answer).expect("answers are plain data"));
}

/// Why a command ends without an answer.
pub(crate) enum Refusal {
    /// Files are not as they should be.
    Files(Vec<ReadError>),
    /// A file cannot be written.
    Output(WriteError),
    /// An option, and what is wrong with it.
    Call(&'static str, String),
}

impl Refusal {
    /// What is asked of a file cannot be.
    pub(crate) fn of_file(path: &Path, faults: Vec<Fault>) -> Self {
        Self::Files(vec![ReadError { path: path.to_owned(), faults }])
    }
}

impl From<Vec<ReadError>> for Refusal {
    fn from(errors: Vec<ReadError>) -> Self {
        Self::Files(errors)
    }
}

impl From<ReadError> for Refusal {
    fn from(error: ReadError) -> Self {
        Self::Files(vec![error])
    }
}

impl From<WriteError> for Refusal {
    fn from(error: WriteError) -> Self {
        Self::Output(error)
    }
}

/// Ends a command: with the exit code of its answer, or with why there is none.
pub(crate) fn ended(answered: Result<ExitCode, Refusal>, is_json: bool) -> u8 {
    let refusal = match answered {
        Ok(code) => return code.number(),
        Err(refusal) => refusal,
    };
    let messages = match &refusal {
        Refusal::Files(errors_of_files) => {
            errors(errors_of_files);
            Message::of_errors(errors_of_files)
        }
        Refusal::Output(error) => {
            write_error(error);
            vec![Message::of(&error.path, &Fault::of_file(&error.what))]
        }
        Refusal::Call(option, what) => {
            fault(option, what);
            vec![Message::of(Path::new(option), &Fault::of_file(what))]
        }
    };
    if is_json {
        json_answer(&json!({ "file": messages.first().map(|first| &first.file), "errors": messages }));
    }
    BAD_INPUT
}

/// Ends a command whose files are refused.
pub(crate) fn refused(errors: &[ReadError], is_json: bool) -> u8 {
    ended(Err(Refusal::Files(errors.to_vec())), is_json)
}

/// Writes answers to a file, if one is named.
pub(crate) fn written(out: Option<&Path>, answers: impl FnOnce() -> Vec<u8>) -> Result<(), WriteError> {
    out.map_or(Ok(()), |out| kansho::io::whole_file(out, &answers()))
}

/// Refuses a file for answers before they are worked for: see [`refused_output`].
pub(crate) fn can_be_written<'a>(
    outputs: impl IntoIterator<Item = &'a std::path::PathBuf>,
    inputs: &[&Path],
) -> Result<(), WriteError> {
    outputs.into_iter().find_map(|out| refused_output(out, inputs)).map_or(Ok(()), Err)
}

/// Writes a certificate, and says where; if there is none, warns why.
pub(crate) fn written_certificate(
    out: &Path,
    certificate: Result<AnyCertificate, String>,
) -> Result<Option<String>, WriteError> {
    match certificate.map(|certificate| certificate.to_json()) {
        Ok(text) => {
            kansho::io::whole_file(out, text.expect("it has a form in JSON").as_bytes())?;
            Ok(Some(out.display().to_string()))
        }
        Err(why) => {
            let fault = Fault::of_file(format!("no certificate is written: {why}"));
            warnings(&[Warning { path: out.to_owned(), fault }]);
            Ok(None)
        }
    }
}

/// Prints why files were refused.
pub(crate) fn errors(errors: &[ReadError]) {
    for error in errors {
        error.faults.iter().for_each(|fault| message("error", ERROR, &error.path, fault));
    }
}

/// Prints oddities.
pub(crate) fn warnings(warnings: &[Warning]) {
    warnings.iter().for_each(|warning| message("warning", WARNING, &warning.path, &warning.fault));
}

/// Prints what is wrong with an input that is no file.
pub(crate) fn fault(name: &str, what: impl Into<String>) {
    message("error", ERROR, Path::new(name), &Fault::of_file(what));
}

/// Prints what users should know, on standard error.
pub(crate) fn note(text: &str) {
    let _ = writeln!(anstream::stderr().lock(), "{}", Face::Command.rendered(text));
}

/// Prints why a file could not be written.
pub(crate) fn write_error(error: &WriteError) {
    message("error", ERROR, &error.path, &Fault::of_file(&error.what));
}

/// Why files were refused, as it is printed but without colours.
pub(crate) fn errors_text(errors: &[ReadError]) -> String {
    let all = errors.iter().flat_map(|error| error.faults.iter().map(|fault| (&error.path, fault)));
    let text: String =
        all.map(|(path, fault)| kansho::io::fault::message("error", path, fault, &Plain)).collect();
    Face::Command.rendered(&text).into_owned()
}

/// Colours, which are left out where nobody would see them.
struct Coloured(Style);

impl Paint for Coloured {
    fn kind(&self, text: &str) -> String {
        format!("{}{text}{:#}", self.0, self.0)
    }

    fn strong(&self, text: &str) -> String {
        format!("{STRONG}{text}{STRONG:#}")
    }

    fn dim(&self, text: &str) -> String {
        format!("{DIM}{text}{DIM:#}")
    }

    fn mark(&self, text: &str) -> String {
        self.kind(text)
    }
}

/// How answers are styled.
pub(crate) fn styled() -> impl Paint {
    Coloured(STRONG)
}

fn message(kind: &str, style: Style, path: &Path, fault: &Fault) {
    let text = kansho::io::fault::message(kind, path, fault, &Coloured(style));
    let text = Face::Command.rendered(&text);
    let mut err = anstream::stderr().lock();
    let _ = err.write_all(text.as_bytes());
}

/// Whether two paths lead to the same file.
pub(crate) fn same_file(a: &Path, b: &Path) -> bool {
    a.canonicalize().is_ok_and(|a| b.canonicalize().is_ok_and(|b| a == b))
}

/// Why answers cannot be written to a file, before they are worked for: see [`overwritten`], or the disk does not let us.
pub(crate) fn refused_output(out: &Path, inputs: &[&Path]) -> Option<WriteError> {
    overwritten(out, inputs).or_else(|| kansho::io::file_can_be_written(out).err())
}

/// Why a table of answers is not written to a file: it is an input, or by its name a model that a cell may be made of.
pub(crate) fn overwritten(out: &Path, inputs: &[&Path]) -> Option<WriteError> {
    const MODELS: [&str; 12] =
        ["urdf", "xacro", "srdf", "xml", "toml", "stl", "obj", "ply", "off", "dae", "gltf", "glb"];
    let is_model = || {
        let extension = out.extension().map(|extension| extension.to_string_lossy().to_ascii_lowercase());
        extension.is_some_and(|extension| MODELS.contains(&extension.as_str())) && out.exists()
    };
    input(out, inputs).or_else(|| {
        let what = "this is a model by its name, and is not overwritten by a table of answers";
        is_model().then(|| WriteError { path: out.to_owned(), what: what.into() })
    })
}

/// Why a file is not written: it is an input.
pub(crate) fn input(out: &Path, inputs: &[&Path]) -> Option<WriteError> {
    let is_input = inputs.iter().any(|input| same_file(input, out));
    is_input
        .then(|| WriteError { path: out.to_owned(), what: "this is an input, and is not overwritten".into() })
}
