//! Watching a cell, as its users call it.

use crate::postures::write_slide;
use crate::run::{kansho, real_data};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

/// Nothing here takes as long; what does is stuck.
const LONG: Duration = Duration::from_secs(60);

/// A command that watches, and its pipes.
struct Monitor {
    child: Child,
    input: Option<ChildStdin>,
    answers: Option<Receiver<String>>,
    said: Receiver<String>,
}

/// Lines of a pipe, as they come.
fn lines(pipe: impl Read + Send + 'static) -> Receiver<String> {
    let (send, lines) = channel();
    std::thread::spawn(move || {
        let all = BufReader::new(pipe).lines().map_while(Result::ok);
        all.map_while(|line| send.send(line).ok()).for_each(drop);
    });
    lines
}

impl Monitor {
    fn start(cell: &Path, more: &[&str]) -> Self {
        let mut monitor = Self::start_unread(cell, more);
        monitor.read();
        monitor
    }

    /// Nobody reads its answers yet.
    fn start_unread(cell: &Path, more: &[&str]) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_kansho"))
            .arg("monitor")
            .arg(cell)
            .args(more)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the command starts");
        let input = child.stdin.take();
        let said = lines(child.stderr.take().expect("it is piped"));
        Self { child, input, answers: None, said }
    }

    fn read(&mut self) {
        self.answers = self.child.stdout.take().map(lines);
    }

    fn send(&mut self, bytes: &[u8]) {
        let input = self.input.as_mut().expect("it is open");
        input.write_all(bytes).and_then(|()| input.flush()).expect("the command reads");
    }

    fn answer(&self) -> Value {
        let answers = self.answers.as_ref().expect("somebody reads");
        serde_json::from_str(&answers.recv_timeout(LONG).expect("an answer")).expect("JSON")
    }

    fn ask(&mut self, line: &str) -> Value {
        self.send(format!("{line}\n").as_bytes());
        self.answer()
    }

    fn terminate(&self) {
        let id = self.child.id().to_string();
        // The shell's own, for not every system has a program of that name.
        let kill = Command::new("sh").args(["-c", "kill -TERM \"$0\"", &id]).status();
        assert!(kill.expect("a shell runs").success());
    }

    /// Its exit code and what it said, after at most a while.
    fn end(mut self) -> (i32, String) {
        let start = Instant::now();
        let status = loop {
            if let Some(status) = self.child.try_wait().expect("it is ours") {
                break status;
            }
            if start.elapsed() > LONG {
                let _ = self.child.kill();
                panic!("the command does not end");
            }
            std::thread::sleep(Duration::from_millis(5));
        };
        (status.code().expect("it ends by itself"), self.said.iter().collect::<Vec<String>>().join("\n"))
    }

    fn close(mut self) -> (i32, String) {
        self.input = None;
        self.end()
    }
}

/// The slide of the postures: a ball of radius 0.25 that runs at 1 m/s between walls at -1.75 and 1.
fn slide() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    write_slide(folder.path(), "0\n");
    let cell = folder.path().join("cell.toml");
    (folder, cell)
}

fn near(value: &Value, expected: f64) -> bool {
    value.as_f64().is_some_and(|value| (value - expected).abs() < 1e-4)
}

#[test]
fn every_line_has_its_answer() {
    let (_folder, cell) = slide();
    let mut monitor = Monitor::start(&cell, &["--summary"]);
    let answer = monitor.ask("[0]");
    assert_eq!((&answer["line"], &answer["gap"], &answer["hit"]), (&json!(1), &json!(0.75), &json!(false)));
    assert_eq!(answer["pair"], "s/car|right");
    assert_eq!(answer["points"], json!([[0.25, 0.0, 0.0], [1.0, 0.0, 0.0]]));
    // The slide runs at no more than 1 m/s.
    assert!(near(&answer["time_to_contact"], 0.75) && answer["time_to_contact"].as_f64() <= Some(0.75));
    assert!(answer["estimate"].is_null() && answer["latency_us"].is_number() && answer["dropped"].is_null());
    // It runs at 0.5 m/s: 0.1 s later the gap is 0.7 m, which would last 1.4 s.
    monitor.ask(r#"{"q": [0], "t": 100}"#);
    let answer = monitor.ask(r#"{"q": {"x": 0.05}, "t": 100.1, "id": {"run": [1, "a"]}}"#);
    assert!(near(&answer["gap"], 0.7) && near(&answer["estimate"], 1.4), "{answer}");
    assert_eq!(answer["id"], json!({ "run": [1, "a"] }));
    let answer = monitor.ask(r#"{"q": {"s/x": -3.5}}"#);
    assert_eq!((&answer["outside"], &answer["time_to_contact"]), (&json!(["s/x"]), &json!(0.0)));
    let answer = monitor.ask("[-1.5]");
    assert_eq!(
        (&answer["hit"], &answer["gap"], &answer["pair"]),
        (&json!(true), &json!(0.0), &json!("s/car|left, wall"))
    );
    assert_eq!((&answer["time_to_contact"], &answer["estimate"]), (&json!(0.0), &json!(0.0)));
    // A last line needs no end, and blank ones no answer.
    monitor.send(b"\n  \n[0.5]");
    monitor.input = None;
    assert_eq!(monitor.answer()["line"], 8);
    let summary = monitor.answer();
    assert_eq!((&summary["summary"]["postures"], &summary["summary"]["hits"]), (&json!(6), &json!(1)));
    let (code, said) = monitor.end();
    assert_eq!(code, 1, "something touched");
    assert!(said.contains("6 postures, 1 touch; 0 dropped, 0 errors") && said.contains("p99.9"), "{said}");
}

#[test]
fn garbage_is_answered_and_the_stream_goes_on() {
    let (_folder, cell) = slide();
    let mut monitor = Monitor::start(&cell, &["--units", "mm"]);
    for (line, what) in [
        ("hello", "hello"),
        ("[0, 1]", "2 numbers, but a posture of this cell has 1: s/x"),
        ("[NaN]", "no posture"),
        ("[1e999]", "out of range"),
        ("[1e300]", "beyond the limit"),
        (r#"{"q": {}}"#, "\"s/x\" is missing"),
        (r#"{"q": {"z": 1}}"#, "\"z\" is no joint"),
        ("{\"q\": [\"\u{1b}[31m\"]}", "\\u{1b}"),
    ] {
        let answer = monitor.ask(line);
        assert!(answer["error"].as_str().is_some_and(|error| error.contains(what)), "{answer}");
    }
    monitor.send(b"[\xff\xfe]\n");
    assert!(monitor.answer()["error"].as_str().is_some_and(|error| error.contains("not UTF-8")));
    let long = vec![b' '; 3 << 20];
    monitor.send(&long);
    monitor.send(b"\n");
    let answer = monitor.answer();
    assert!(
        answer["error"].as_str().is_some_and(|error| error.contains("longer than 1048576 bytes")),
        "{answer}"
    );
    let answer = monitor.ask("[500]");
    assert_eq!((&answer["line"], &answer["gap"]), (&json!(11), &json!(0.25)));
    let (code, said) = monitor.close();
    assert_eq!(code, 0);
    assert!(said.contains("1 postures, 0 touch; 0 dropped, 10 errors"), "{said}");
}

#[test]
fn recordings_are_answered_whole_and_as_postures_are() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let run = kansho(["demo".as_ref(), "--no-plan".as_ref(), "--out".as_ref(), folder.path().as_os_str()]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let rows: Vec<Vec<f64>> = (0..300)
        .map(|k| (0..6).map(|j| (f64::from(k) * 0.037 * f64::from(j + 1)).sin() * 1.2).collect())
        .collect();
    let table: Vec<String> =
        rows.iter().map(|row| row.iter().map(f64::to_string).collect::<Vec<_>>().join(",")).collect();
    let csv = folder.path().join("postures.csv");
    std::fs::write(&csv, table.join("\n")).expect("written");
    let cell = folder.path().join("cell.toml");
    let known = kansho([
        "postures".as_ref(),
        cell.as_os_str(),
        "--postures".as_ref(),
        csv.as_os_str(),
        "--distance".as_ref(),
        "--json".as_ref(),
    ]);
    let known = known.json();
    let mut monitor = Monitor::start(&cell, &["--every", "--queue", "1"]);
    let recording: String = rows.iter().map(|row| format!("{}\n", json!(row))).collect();
    monitor.send(recording.as_bytes());
    for (index, row) in known["rows"].as_array().expect("rows").iter().enumerate() {
        let answer = monitor.answer();
        assert_eq!((&answer["line"], &answer["gap"]), (&json!(index + 1), &row["distance"]));
        assert_eq!((&answer["points"], &answer["pair"]), (&row["points"], &row["pairs"][0]));
    }
    let (_, said) = monitor.close();
    assert!(said.contains("300 postures") && said.contains("0 dropped"), "{said}");
}

/// Answers of a run to some postures, all of them.
fn answers_of(cell: &Path, rows: &[Vec<f64>], more: &[&str]) -> Vec<Value> {
    let mut monitor = Monitor::start(cell, &[&["--every"], more].concat());
    // Garbage in between is answered in its place, and changes nothing.
    let recording: String = rows.iter().map(|row| format!("{}\nnonsense\n", json!(row))).collect();
    monitor.send(recording.as_bytes());
    let mut answers = Vec::new();
    for (k, _) in rows.iter().enumerate() {
        answers.push(monitor.answer());
        let wrong = monitor.answer();
        assert_eq!((&answers[k]["line"], &wrong["line"]), (&json!(2 * k + 1), &json!(2 * k + 2)));
        assert!(wrong["error"].as_str().is_some_and(|error| error.contains("nonsense")), "{wrong}");
    }
    let (_, said) = monitor.close();
    let told = format!("{} postures, ", rows.len());
    assert!(said.contains(&told) && said.contains(&format!("0 dropped, {} errors", rows.len())), "{said}");
    answers
}

/// Rough gaps beside the exact ones: never larger, never smaller by more than the accuracy, and no contact is missed.
fn compare_with_rough(cell: &Path, rows: &[Vec<f64>], radius: f64) -> [usize; 2] {
    let exact = answers_of(cell, rows, &[]);
    let rough = answers_of(cell, rows, &["--spheres", &radius.to_string()]);
    let (mut hits, mut farther) = (0, 0);
    for (exact, rough) in exact.iter().zip(&rough) {
        let [exact_gap, rough_gap] = [exact, rough].map(|answer| answer["gap"].as_f64().expect("a gap"));
        assert!(rough_gap <= exact_gap, "{rough} is farther than {exact}");
        assert!(exact_gap <= rough_gap + 4.0 * radius * (1.0 + 1e-6), "{rough} is far too near, {exact}");
        assert_eq!(rough["hit"], rough_gap == 0.0);
        // Also the time that is promised.
        let [exact_secs, rough_secs] =
            [exact, rough].map(|answer| answer["time_to_contact"].as_f64().expect("there are limits"));
        assert!(rough_secs <= exact_secs * (1.0 + 1e-9), "{rough} promises more than {exact}");
        hits += usize::from(exact["hit"] == true);
        farther += usize::from(rough_gap > 0.0);
    }
    [hits, farther]
}

#[test]
fn rough_gaps_are_never_above_the_exact_ones() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let run = kansho(["demo".as_ref(), "--no-plan".as_ref(), "--out".as_ref(), folder.path().as_os_str()]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let rows: Vec<Vec<f64>> = (0..100)
        .map(|k| (0..6).map(|j| (f64::from(k) * 0.037 * f64::from(j + 1)).sin() * 1.3).collect())
        .collect();
    let [hits, farther] = compare_with_rough(&folder.path().join("cell.toml"), &rows, 0.01);
    assert!(hits > 5 && farther > 5, "{hits} hits, {farther} apart");
}

#[test]
fn a_real_robot_is_watched_by_spheres() {
    let Some(data) = real_data() else { return };
    let bench = data.join("../bench/data");
    let text = std::fs::read_to_string(bench.join("w3_configs.csv")).expect("the postures");
    let number = |word: &str| word.parse().expect("a number");
    let rows: Vec<Vec<f64>> =
        text.lines().take(150).map(|row| row.split_whitespace().map(number).collect()).collect();
    let [hits, farther] = compare_with_rough(&bench.join("ur5_boxes.toml"), &rows, 0.005);
    assert!(hits > 50 && farther > 15, "{hits} hits, {farther} apart");
}

/// Shapes that are formulas have no spheres: nothing is said of an inaccuracy before there is a mesh.
#[test]
fn an_inaccuracy_is_announced_only_where_there_are_spheres() {
    let (folder, cell) = slide();
    let (_, said) = Monitor::start(&cell, &["--spheres"]).close();
    assert!(said.contains("none has spheres") && !said.contains("too small by"), "{said}");
    let tetrahedron = "v 0 0 5\nv 1 0 5\nv 0 1 5\nv 0 0 6\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n";
    std::fs::write(folder.path().join("far.obj"), tetrahedron).expect("written");
    let text = std::fs::read_to_string(&cell).expect("there");
    let with_mesh = format!("{text}[[object]]\nname = \"far\"\nmesh = \"far.obj\"\n");
    std::fs::write(&cell, with_mesh).expect("written");
    let (_, said) = Monitor::start(&cell, &["--spheres"]).close();
    assert!(said.contains("too small by at most"), "{said}");
}

/// Two slides on one rail, each a ball of radius 0.25, the second begins at x = 2.
fn two_slides() -> (tempfile::TempDir, PathBuf) {
    let (folder, cell) = slide();
    let text = r#"units = "m"
[[robot]]
name = "a"
urdf = "slide.urdf"
[[robot]]
name = "b"
urdf = "slide.urdf"
at = { xyz = [2, 0, 0] }
"#;
    std::fs::write(&cell, text).expect("written");
    (folder, cell)
}

#[test]
fn several_robots_are_watched_together() {
    for more in [&[][..], &["--spheres", "0.02"]] {
        let (_folder, cell) = two_slides();
        let mut monitor = Monitor::start(&cell, more);
        let answer = monitor.ask("[0, 0]");
        assert!(near(&answer["gap"], 1.5) && answer["pair"] == "a/car|b/car", "{answer}");
        // Both run at 1 m/s toward each other, at most.
        assert!(near(&answer["time_to_contact"], 0.75), "{answer}");
        let wrong = monitor.ask(r#"{"q": {"x": 0.5}}"#);
        assert!(wrong["error"].as_str().is_some_and(|error| error.contains("several robots")), "{wrong}");
        // One moves, the other stays where it was.
        assert!(near(&monitor.ask(r#"{"q": {"a/x": 0.5}}"#)["gap"], 1.0));
        assert!(near(&monitor.ask(r#"{"q": {"b/x": -0.5}}"#)["gap"], 0.5));
        let answer = monitor.ask(r#"{"q": {"b/x": -1.0}, "id": "last"}"#);
        assert_eq!(
            (&answer["hit"], &answer["line"], &answer["id"]),
            (&json!(true), &json!(5), &json!("last"))
        );
        let (code, said) = monitor.close();
        assert!(code == 1 && said.contains("4 postures, 1 touch; 0 dropped, 1 errors"), "{said}");
    }
}

#[test]
fn a_line_may_come_in_parts_and_many_at_once() {
    let (_folder, cell) = slide();
    for more in [&["--every"][..], &["--every", "--queue", "1"], &["--queue", "1000", "--spheres"]] {
        let mut monitor = Monitor::start(&cell, more);
        for part in ["[0", ".2", "5]"] {
            monitor.send(part.as_bytes());
            std::thread::sleep(Duration::from_millis(20));
        }
        monitor.send(b"\n");
        assert!(near(&monitor.answer()["gap"], 0.5));
        let burst: String = (0..900).map(|k| format!("[{}]\n", f64::from(k) * 1e-4)).collect();
        monitor.send(burst.as_bytes());
        for k in 0..900 {
            let answer = monitor.answer();
            assert_eq!(answer["line"], json!(k + 2));
            assert!(near(&answer["gap"], 0.75 - f64::from(k) * 1e-4), "{answer}");
        }
        let (code, said) = monitor.close();
        assert!(code == 0 && said.contains("901 postures, 0 touch; 0 dropped, 0 errors"), "{said}");
    }
}

#[cfg(unix)]
#[test]
fn a_signal_stops_it_cleanly() {
    let (_folder, cell) = slide();
    let mut monitor = Monitor::start(&cell, &[]);
    assert_eq!(monitor.ask("[0]")["line"], 1);
    monitor.terminate();
    let (code, said) = monitor.end();
    assert_eq!(code, 0, "{said}");
    assert!(said.contains("1 postures, 0 touch"), "{said}");
}

#[cfg(unix)]
#[test]
fn a_slow_reader_costs_no_memory_and_is_told_what_it_missed() {
    slow_reader(300_000, &[]);
    slow_reader(200_000, &["--spheres"]);
    slow_reader(100_000, &["--spheres", "0.05", "--queue", "1"]);
}

/// Sends so many lines before anybody takes an answer.
#[cfg(unix)]
fn slow_reader(lines: u64, more: &[&str]) {
    let (_folder, cell) = slide();
    let mut monitor = Monitor::start_unread(&cell, more);
    // Long enough that whoever stands by is asleep.
    monitor.send(b"[0]\n");
    std::thread::sleep(Duration::from_millis(300));
    let memory = |id: u32| -> u64 {
        // Only where the system tells: elsewhere the counts below must do.
        let status = std::fs::read_to_string(format!("/proc/{id}/status")).unwrap_or_default();
        let line = status.lines().find(|line| line.starts_with("VmRSS:"));
        line.and_then(|line| line.split_whitespace().nth(1)?.parse().ok()).unwrap_or(0)
    };
    // Its answers fill the pipe, and it waits for somebody to take them. All the same it takes every line.
    let block = "[0.5]\n".repeat(1000);
    // The first hundred are more than the pipe holds: it is at work when they are sent.
    (0..100).for_each(|_| monitor.send(block.as_bytes()));
    let before = memory(monitor.child.id());
    (100..lines / 1000).for_each(|_| monitor.send(block.as_bytes()));
    let after = memory(monitor.child.id());
    assert!(after < before + 4096, "{before} kB grew to {after} kB");
    monitor.input = None;
    monitor.read();
    let (mut answers, mut dropped, mut last) = (0, 0, 0);
    let queue = if more.contains(&"--queue") { 1 } else { 16 };
    for line in monitor.answers.as_ref().expect("somebody reads") {
        let answer: Value = serde_json::from_str(&line).expect("JSON");
        let number = answer["line"].as_u64().expect("a number");
        let missed = answer["dropped"].as_u64().unwrap_or(0);
        assert_eq!(number, last + missed + 1, "what was dropped stood before this line");
        assert!(missed == 0 || missed >= queue, "{missed} were dropped, though {queue} may wait");
        (answers, dropped, last) = (answers + 1, dropped + missed, number);
    }
    assert_eq!((answers + dropped, last), (lines + 1, lines + 1), "{answers} answers, {dropped} dropped");
    assert!(dropped > lines / 2, "{dropped} dropped");
    let (code, said) = monitor.end();
    assert!(code == 0 && said.contains(&format!("{answers} postures, 0 touch; {dropped} dropped")), "{said}");
}

#[cfg(unix)]
#[test]
fn a_signal_stops_it_even_if_nobody_takes_its_answers() {
    let (_folder, cell) = slide();
    let mut monitor = Monitor::start_unread(&cell, &[]);
    // More than the pipe holds: it is at work when they are sent.
    monitor.send("[0.5]\n".repeat(100_000).as_bytes());
    monitor.terminate();
    let (code, said) = monitor.end();
    assert!(code == 0 && said.contains("dropped"), "{code}: {said}");
}

#[cfg(unix)]
#[test]
fn callers_on_loopback_are_answered_one_after_the_other() {
    let (_folder, cell) = slide();
    let monitor = Monitor::start(&cell, &["--listen", "127.0.0.1:0"]);
    let said = monitor.said.recv_timeout(LONG).expect("it says where");
    let address = said.strip_prefix("listening on ").expect("an address").to_owned();
    for gap in [0.75, 0.5] {
        let mut stream = TcpStream::connect(&address).expect("it listens");
        stream.set_read_timeout(Some(LONG)).expect("a time is given");
        // A caller does not inherit the joints of the one before.
        writeln!(stream, "{{\"q\": {{}}}}\n[{}]", 0.75 - gap).expect("it reads");
        let mut answers = BufReader::new(stream).lines();
        let mut answer = || -> Value {
            let line = answers.next().expect("an answer").expect("a line");
            serde_json::from_str(&line).expect("JSON")
        };
        assert!(answer()["error"].is_string());
        let second = answer();
        assert_eq!((&second["line"], &second["gap"]), (&json!(2), &json!(gap)));
    }
    monitor.terminate();
    let (code, said) = monitor.end();
    assert!(code == 0 && said.contains("2 postures, 0 touch; 0 dropped, 2 errors"), "{code}: {said}");
}

#[cfg(unix)]
#[test]
fn a_caller_that_never_reads_keeps_nobody_waiting_once_it_is_gone() {
    let (_folder, cell) = slide();
    let monitor = Monitor::start(&cell, &["--listen", "127.0.0.1:0"]);
    let said = monitor.said.recv_timeout(LONG).expect("it says where");
    let address = said.strip_prefix("listening on ").expect("an address").to_owned();
    let call = || {
        let stream = TcpStream::connect(&address).expect("it listens");
        stream.set_read_timeout(Some(LONG)).expect("a time is given");
        stream.set_write_timeout(Some(LONG)).expect("a time is given");
        stream
    };
    // More answers than sockets hold, and every line is taken all the same.
    let block = "[0.5]\n".repeat(200_000);
    let mut deaf = call();
    deaf.write_all(block.as_bytes()).expect("it takes every line");
    drop(deaf);
    let mut next = call();
    writeln!(next, "[0.25]").expect("it reads");
    let line = BufReader::new(next).lines().next().expect("an answer").expect("a line");
    let answer: Value = serde_json::from_str(&line).expect("JSON");
    assert_eq!((&answer["line"], &answer["gap"]), (&json!(1), &json!(0.5)));
    // A signal is heard while another one does not read.
    let mut deaf = call();
    deaf.write_all(block.as_bytes()).expect("it takes every line");
    monitor.terminate();
    let (code, said) = monitor.end();
    assert!(code == 0 && said.contains("dropped"), "{code}: {said}");
}

#[test]
fn wrong_calls_are_refused() {
    let (folder, cell) = slide();
    let refused = |more: &[&str], what: &str| {
        let first = ["monitor".as_ref(), cell.as_os_str()];
        let run = kansho(first.into_iter().chain(more.iter().map(AsRef::as_ref)));
        assert!(run.code == 3 && run.stderr.contains(what), "{}: {}", run.code, run.stderr);
    };
    refused(&["--listen", "0.0.0.0:7000"], "not a loopback address");
    refused(&["--listen", "192.168.1.5:7000"], "not a loopback address");
    refused(&["--listen", "example.org:7000"], "an address and a port");
    refused(&["--queue", "0"], "0");
    refused(&["--spheres", "0"], "above zero");
    std::fs::write(&cell, "units = \"m\"\n[[object]]\nname = \"a\"\nbox = [1, 1, 1]\n").expect("written");
    refused(&[], "nothing in this cell moves");
    drop(folder);
}

#[test]
fn without_limits_of_speed_no_time_is_promised() {
    let (folder, cell) = slide();
    let urdf = folder.path().join("slide.urdf");
    let text = std::fs::read_to_string(&urdf).expect("it was written").replace(" velocity=\"1\"", "");
    std::fs::write(&urdf, text).expect("written");
    let mut monitor = Monitor::start(&cell, &[]);
    let answer = monitor.ask("[0]");
    assert_eq!((&answer["gap"], &answer["time_to_contact"]), (&json!(0.75), &json!(0.0)));
    let (code, said) = monitor.close();
    assert!(code == 0 && said.contains("limit of speed") && said.contains("\"s/x\""), "{said}");
}

#[test]
fn the_vehicle_of_the_examples_meets_its_pillar() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/vehicle");
    let recording = std::fs::read_to_string(folder.join("postures.jsonl")).expect("the postures");
    let mut monitor = Monitor::start(&folder.join("cell.toml"), &["--every"]);
    monitor.send(recording.as_bytes());
    let answers: Vec<Value> = recording.lines().map(|_| monitor.answer()).collect();
    let (code, said) = monitor.close();
    assert_eq!(code, 1, "{said}");
    let contact = answers.iter().position(|answer| answer["hit"] == true).expect("a contact");
    assert!(contact > 5 && answers[contact]["pair"].as_str().is_some_and(|pair| pair.contains("pillar")));
    let time = |line: &str| -> f64 {
        let posture: Value = serde_json::from_str(line).expect("JSON");
        posture["t"].as_f64().expect("a time")
    };
    let times: Vec<f64> = recording.lines().map(time).collect();
    for (answer, now) in answers.iter().zip(&times).take(contact) {
        let bound = answer["time_to_contact"].as_f64().expect("planar joints have their limit here");
        assert!(bound > 0.0 && now + bound <= times[contact], "{answer}");
    }
    let estimate = answers[contact - 2]["estimate"].as_f64().expect("an estimate");
    assert!((times[contact - 2] + estimate - times[contact]).abs() < 0.2, "{}", answers[contact - 2]);
}

#[test]
fn a_real_robot_is_watched_as_its_postures_are() {
    let Some(data) = real_data() else { return };
    let bench = data.join("../bench/data");
    let cell = bench.join("ur5_boxes.toml");
    let text = std::fs::read_to_string(bench.join("w3_configs.csv")).expect("the postures");
    let truth = std::fs::read_to_string(bench.join("w3_truth_boxes.csv")).expect("the truth");
    let mut monitor = Monitor::start(&cell, &["--every"]);
    let rows: Vec<&str> = text.lines().take(500).collect();
    let lines: String = rows
        .iter()
        .map(|row| format!("[{}]\n", row.split_whitespace().collect::<Vec<_>>().join(",")))
        .collect();
    monitor.send(lines.as_bytes());
    for truth in truth.lines().take(rows.len()) {
        let answer = monitor.answer();
        assert_eq!(answer["hit"], truth == "1", "{answer}");
        let bound = answer["time_to_contact"].as_f64().expect("the robot has its limits");
        assert_eq!(bound > 0.0, truth == "0", "{answer}");
    }
    monitor.close();
}
