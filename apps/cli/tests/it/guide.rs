//! The guide does what it says: every command of `docs/guide` is run, and what is shown is compared.
//!
//! Of a chapter, in order and in an empty folder of its own:
//!
//! - a fence ```` ```toml cell.toml ```` is a file, written under that name;
//! - a fence ```` ```sh ```` has commands, one a line (`\` goes on). A command ends with exit code 0, or as `# exits 1` says;
//!   `# until Ctrl-C` is started, its first line taken, and ended;
//! - a fence ```` ```text ```` right after it is what they print, where `...` stands for anything within a line, and for any lines on
//!   a line of its own;
//! - a fence ```` ```sh not run ```` is for what takes the network, and only the chapters in [`NOT_RUN`] may have it;
//! - a line that begins with "Needs the files of" names chapters whose files are written first.
//!
//! Python of the guide is run by `apps/python/tests/test_guide.py`, Rust as documentation of `crates/kansho`.

use crate::run::kansho;
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Chapters with commands that take the network or minutes: to install things.
const NOT_RUN: [&str; 2] = ["01-install.md", "13-python.md"];

fn guide() -> PathBuf {
    repository().join("docs/guide")
}

pub(crate) fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// All chapters by their file names, in order.
fn chapters() -> BTreeMap<String, String> {
    let entries = std::fs::read_dir(guide()).expect("the guide is there");
    entries
        .map(|entry| entry.expect("a file").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "md"))
        .map(|path| {
            let name = path.file_name().expect("a name").to_string_lossy().into_owned();
            (name, std::fs::read_to_string(&path).expect("text"))
        })
        .collect()
}

/// A fenced block.
struct Fence {
    /// What stands after the opening marks.
    info: String,
    body: String,
    /// Line of the opening marks, from 1.
    line: usize,
    /// The text between the block before and this one.
    before: String,
}

impl Fence {
    /// The file that it is, if it is one.
    fn file(&self) -> Option<&str> {
        match self.info.split_once(' ') {
            Some(("sh", _)) | None => None,
            Some((_, name)) => Some(name),
        }
    }
}

fn fences(text: &str) -> Vec<Fence> {
    let mut found = Vec::new();
    let mut before = String::new();
    let mut open: Option<Fence> = None;
    for (line, words) in (1..).zip(text.lines()) {
        match (&mut open, words.strip_prefix("```")) {
            (None, Some(info)) => {
                let info = info.trim().to_owned();
                open = Some(Fence { info, body: String::new(), line, before: std::mem::take(&mut before) });
            }
            (Some(_), Some(_)) => found.extend(open.take()),
            (Some(fence), None) => {
                fence.body.push_str(words);
                fence.body.push('\n');
            }
            (None, None) => {
                before.push_str(words);
                before.push('\n');
            }
        }
    }
    assert!(open.is_none(), "a block has no end");
    found
}

/// Targets of links in a line of markdown.
fn links(text: &str) -> impl Iterator<Item = &str> {
    text.split("](").skip(1).filter_map(|rest| rest.split_once(')')).map(|(target, _)| target)
}

/// Whether a line is as shown, `...` standing for anything.
fn line_matches(shown: &str, line: &str) -> bool {
    let mut pieces = shown.trim_end().split("...");
    let first = pieces.next().expect("a split has a piece");
    let Some(mut rest) = line.trim_end().strip_prefix(first) else { return false };
    let mut pieces = pieces.peekable();
    if pieces.peek().is_none() {
        return rest.is_empty();
    }
    while let Some(piece) = pieces.next() {
        if pieces.peek().is_none() {
            return rest.ends_with(piece);
        }
        match rest.find(piece) {
            Some(at) => rest = &rest[at + piece.len()..],
            None => return false,
        }
    }
    true
}

/// Whether lines are as shown, `...` on a line of its own standing for any number of lines.
fn matches(shown: &[&str], lines: &[&str]) -> bool {
    match shown {
        [] => lines.is_empty(),
        ["...", rest @ ..] => (0..=lines.len()).any(|skip| matches(rest, &lines[skip..])),
        [first, rest @ ..] => match lines {
            [line, others @ ..] => line_matches(first, line) && matches(rest, others),
            [] => false,
        },
    }
}

/// A command line of a block, and how it ends.
struct Call {
    words: String,
    ends: Ends,
}

enum Ends {
    With(i32),
    WhenStopped,
}

fn calls(block: &str) -> Vec<Call> {
    let joined = block.replace("\\\n", " ");
    joined
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .map(|line| {
            let (words, ends) = if let Some(words) = line.strip_suffix("# until Ctrl-C") {
                (words, Ends::WhenStopped)
            } else if let Some((words, code)) = line.rsplit_once("# exits ") {
                (words, Ends::With(code.trim().parse().expect("an exit code")))
            } else {
                (line, Ends::With(0))
            };
            Call { words: words.trim().to_owned(), ends }
        })
        .collect()
}

/// Runs a command line as a shell would, with the command under test; what is printed, or what is wrong.
fn run(call: &Call, folder: &Path) -> Result<String, String> {
    let program = Path::new(env!("CARGO_BIN_EXE_kansho")).parent().expect("a folder");
    let path = std::env::var("PATH").unwrap_or_default();
    let mut shell = Command::new("sh");
    shell.current_dir(folder).env("PATH", format!("{}:{path}", program.display())).env("NO_COLOR", "1");
    match call.ends {
        Ends::With(code) => {
            // One stream for both, as on a terminal.
            let output = shell
                .args(["-c", &format!("exec 2>&1\n{}", call.words)])
                .stdin(Stdio::null())
                .output()
                .expect("a shell");
            let said = String::from_utf8_lossy(&output.stdout).into_owned();
            match output.status.code() {
                Some(found) if found == code => Ok(said),
                found => Err(format!("ends with {found:?} and not with {code}:\n{said}")),
            }
        }
        Ends::WhenStopped => {
            let mut child = shell
                .args(["-c", &format!("exec {}", call.words)])
                .stdin(Stdio::null())
                .stdout(Stdio::piped())
                .stderr(Stdio::piped())
                .spawn()
                .expect("a shell");
            let mut said = String::new();
            BufReader::new(child.stdout.take().expect("piped")).read_line(&mut said).expect("text");
            let _ = child.kill();
            let mut wrong = String::new();
            child.stderr.take().expect("piped").read_to_string(&mut wrong).expect("text");
            let _ = child.wait();
            if said.is_empty() { Err(format!("says nothing, and then:\n{wrong}")) } else { Ok(said) }
        }
    }
}

fn write(folder: &Path, fence: &Fence) {
    if let Some(name) = fence.file() {
        let path = folder.join(name);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder is made");
        std::fs::write(path, &fence.body).expect("a file is written");
    }
}

/// Follows a chapter; what is not as it says, and how many commands it has.
fn follow(name: &str, all: &BTreeMap<String, String>) -> (Vec<String>, usize) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for line in all[name].lines().filter(|line| line.starts_with("Needs the files of")) {
        for needed in links(line) {
            fences(&all[needed]).iter().for_each(|fence| write(folder.path(), fence));
        }
    }
    follow_text(&format!("docs/guide/{name}"), &all[name], folder.path(), NOT_RUN.contains(&name))
}

/// Runs the commands of a page in a folder; what is not as it says, and how many commands it has.
#[expect(clippy::print_stderr, reason = "a skipped command tells why")]
pub(crate) fn follow_text(page: &str, text: &str, folder: &Path, may_skip: bool) -> (Vec<String>, usize) {
    let mut wrong = Vec::new();
    let mut count = 0;
    // What the block before has printed, unless it was skipped.
    let mut printed: Option<String> = None;
    for fence in fences(text) {
        let place = format!("{page}:{}", fence.line);
        match fence.info.as_str() {
            "sh" => {
                let mut said = Some(String::new());
                for call in calls(&fence.body) {
                    count += 1;
                    match run(&call, folder) {
                        Ok(more) => said.iter_mut().for_each(|said| said.push_str(&more)),
                        // As in `view.rs`: without Node.js there is no page, and the program says so.
                        Err(error) if error.contains("built without the page of the viewer: ") => {
                            eprintln!("skipped: {error}");
                            said = None;
                            break;
                        }
                        Err(error) => wrong.push(format!("{place}: {} {error}", call.words)),
                    }
                }
                printed = said;
                continue;
            }
            "sh not run" => {
                if !may_skip {
                    wrong.push(format!("{place}: why is this not run?"));
                }
            }
            "text" if fence.before.trim().is_empty() => {
                if let Some(said) = printed.take() {
                    let [shown, lines] = [&fence.body, &said].map(|text| text.lines().collect::<Vec<_>>());
                    if !matches(&shown, &lines) {
                        wrong.push(format!("{place}: shown is\n{}but printed is\n{said}", fence.body));
                    }
                }
            }
            "text" | "python" | "rust" | "json" => {}
            _ => match fence.file() {
                // The page does not show the name of a file: the words before it must.
                Some(file) if !fence.before.contains(&format!("`{file}`")) => {
                    wrong.push(format!("{place}: the text before it does not name `{file}`"));
                }
                Some(_) => write(folder, &fence),
                None => wrong.push(format!("{place}: a block of an unknown kind, {:?}", fence.info)),
            },
        }
        printed = None;
    }
    (wrong, count)
}

#[test]
fn every_command_of_the_guide_does_what_is_shown() {
    let all = chapters();
    let mut wrong = Vec::new();
    let mut count = 0;
    for name in all.keys() {
        let (more, commands) = follow(name, &all);
        wrong.extend(more);
        count += commands;
    }
    assert!(wrong.is_empty(), "{} of {count} are wrong:\n{}", wrong.len(), wrong.join("\n\n"));
    assert!(count > 50, "the guide has only {count} commands");
}

/// What this test leans on can fail.
#[test]
fn what_is_shown_is_compared() {
    let check = |shown: &str, printed: &str, expected: bool| {
        let [shown, lines] = [shown, printed].map(|text| text.lines().collect::<Vec<_>>());
        assert_eq!(matches(&shown, &lines), expected, "{shown:?} {lines:?}");
    };
    check("a\nb", "a\nb", true);
    check("a\nb", "a", false);
    check("a", "a\nb", false);
    check("a\n...", "a\nb\nc", true);
    check("...\nc", "a\nb\nc", true);
    check("...\nc", "a\nb", false);
    check("gap 1.5... m", "gap 1.537 m", true);
    check("gap 1.5... m", "gap 1.437 m", false);
    check("gap 1.5... m", "gap 1.537 mm", false);
    check("a...b...c", "a-b-b-c", true);
    check("a...b...c", "a-c-b", false);
    let all = BTreeMap::from([(
        "wrong.md".to_owned(),
        "```sh\nkansho info none.stl\n```\n\n```sh\necho yes\n```\n```text\nno\n```\n```sh\nfalse # exits 1\n```\n```text\nsomething\n```\n".to_owned(),
    )]);
    let (wrong, count) = follow("wrong.md", &all);
    assert_eq!((wrong.len(), count), (3, 3), "{wrong:?}");
    assert!(wrong[0].contains("wrong.md:1: kansho info none.stl ends with Some(3)"), "{wrong:?}");
}

/// Rows of the table end with tests as `` `path/to/file.rs: name` ``.
#[test]
fn every_promise_names_a_test_that_exists() {
    let text = &chapters()["promises.md"];
    let rows: Vec<&str> =
        text.lines().filter(|line| line.starts_with("| ") && !line.starts_with("| promise")).collect();
    assert!(rows.len() > 30, "only {} promises", rows.len());
    for row in rows {
        let named: Vec<(&str, &str)> =
            row.split('`').skip(1).step_by(2).filter_map(|words| words.split_once(": ")).collect();
        assert!(!named.is_empty(), "no test keeps this: {row}");
        for (file, name) in named {
            let source = std::fs::read_to_string(repository().join(file))
                .unwrap_or_else(|error| panic!("{file}: {error}"));
            let rust = format!("fn {name}(");
            let python = format!("def {name}(");
            let at = source.find(&rust).or_else(|| source.find(&python));
            let at = at.unwrap_or_else(|| panic!("{file} has no test {name}"));
            let marked = source[..at].trim_end().ends_with("#[test]")
                || source[..at].lines().rev().take(6).any(|line| line.trim() == "#[test]");
            assert!(marked || file.ends_with(".py"), "{file}: {name} is no test");
        }
    }
}

#[test]
fn links_of_the_guide_lead_somewhere() {
    let all = chapters();
    let index = &all["README.md"];
    for (name, text) in &all {
        assert!(name == "README.md" || index.contains(&format!("({name})")), "the index has no {name}");
        let outside_of_blocks: String =
            fences(&format!("{text}\n```\n```\n")).into_iter().map(|f| f.before).collect();
        for target in links(&outside_of_blocks).filter(|target| !target.starts_with("http")) {
            let file = target.split('#').next().expect("a split has a piece");
            assert!(file.is_empty() || guide().join(file).exists(), "{name}: there is no {target}");
        }
    }
    for name in ["CONTRIBUTING.md", "README.md", "ARCHITECTURE.md"] {
        let text = std::fs::read_to_string(repository().join(name)).expect("a file");
        for target in links(&text).filter(|target| !target.starts_with("http")) {
            assert!(repository().join(target).exists(), "{name}: there is no {target}");
        }
    }
}

/// Every command has a page in the reference, which names each of its options; links there lead somewhere.
#[test]
fn the_reference_names_every_command_and_option() {
    let folder = repository().join("docs/reference");
    let read =
        |path: &Path| std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let index = read(&folder.join("README.md"));
    let help = kansho(["--help"]).stdout;
    let listed =
        help.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
    // Descriptions go on in lines that begin farther to the right.
    let commands: Vec<&str> = listed
        .filter_map(|line| line.strip_prefix("  ").filter(|rest| !rest.starts_with(' ')))
        .filter_map(|line| line.split_whitespace().next())
        .filter(|command| *command != "help")
        .collect();
    assert!(commands.len() > 15, "only {commands:?}");
    for command in commands {
        assert!(index.contains(&format!("({command}.md)")), "the index of the reference has no {command}");
        let page = read(&folder.join(format!("{command}.md")));
        let help = kansho([command, "--help"]).stdout;
        for line in help.lines().filter_map(|line| line.strip_prefix("      --")) {
            let name = line.split(|c: char| !(c.is_ascii_lowercase() || c == '-')).next().unwrap_or_default();
            assert!(
                page.contains(&format!("--{name}")),
                "docs/reference/{command}.md does not name --{name}"
            );
        }
    }
    for folder in [folder.clone(), folder.join("files")] {
        for entry in std::fs::read_dir(&folder).expect("a folder") {
            let path = entry.expect("a file").path();
            if path.extension().is_some_and(|extension| extension == "md") {
                for target in links(&read(&path)).filter(|target| !target.starts_with("http")) {
                    let file = target.split('#').next().expect("a split has a piece");
                    assert!(folder.join(file).exists(), "{}: there is no {target}", path.display());
                }
            }
        }
    }
}

/// The front page stays a page.
#[test]
fn the_readme_is_short() {
    let bytes = std::fs::metadata(repository().join("README.md")).expect("a file").len();
    assert!(bytes <= 8_000, "README.md has {bytes} bytes; the reference has room");
}

/// Rust of the guide stands in the documentation of the library, and is run there.
#[test]
fn rust_of_the_guide_is_run_by_the_library() {
    let library =
        std::fs::read_to_string(repository().join("crates/kansho/src/lib.rs")).expect("the library");
    let documentation: String = library
        .lines()
        .filter_map(|line| line.strip_prefix("//!"))
        .map(|line| format!("{}\n", line.strip_prefix(' ').unwrap_or(line)))
        .collect();
    let all = chapters();
    let blocks = all.values().flat_map(|text| fences(text)).filter(|fence| fence.info == "rust");
    assert_eq!(
        blocks.inspect(|fence| assert!(documentation.contains(&fence.body), "{}", fence.body)).count(),
        1
    );
}

/// Commands that the guide names in passing exist.
#[test]
fn commands_that_are_named_exist() {
    let help = kansho(["--help"]).stdout;
    for (name, text) in &chapters() {
        for words in text.split('`').filter_map(|words| words.strip_prefix("kansho ")) {
            let command = words.split_whitespace().next().unwrap_or_default();
            assert!(
                command.starts_with('-') || help.contains(&format!("\n  {command} ")),
                "{name}: there is no kansho {command}"
            );
        }
    }
}
