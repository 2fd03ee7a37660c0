//! `kansho watch` as a robot would use it: a posture a millisecond, in and out through pipes.

use kansho::cell::Cell;
use kansho::io::cell::{self, CellOptions};
use kansho::io::postures;
use kansho::io::units::Units;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

/// Between two postures.
const TICK: Duration = Duration::from_millis(1);

/// Postures on the way from one of W3 to the next.
const STEPS: usize = 100;

/// A minute of postures with somebody who takes the answers; and ten seconds with somebody who takes one in ten.
pub(crate) fn live(data: &Path) {
    let Some(program) = program() else {
        println!("monitor: build the command first: cargo build --profile dist");
        return;
    };
    let file = data.join("ur5_boxes.toml");
    let cell = cell::read(&file, &CellOptions::default()).expect("the cell is good").cell;
    let lines = lines(data, &cell, 60_000);
    watch(&program, &file, &lines, Duration::ZERO);
    watch(&program, &file, &lines[..10_000], 10 * TICK);
}

/// The command that was built beside this one.
fn program() -> Option<PathBuf> {
    let path =
        std::env::current_exe().ok()?.with_file_name(format!("kansho{}", std::env::consts::EXE_SUFFIX));
    path.exists().then_some(path)
}

/// From posture to posture of W3, as lines.
fn lines(data: &Path, cell: &Cell, count: usize) -> Vec<String> {
    let rows = postures::read(&data.join("w3_configs.csv"), cell, &Units::default()).expect("good postures");
    let rows: Vec<&[f64]> = rows.values().chunks_exact(cell.coordinates().len()).collect();
    let line = |k: usize| {
        let (from, to) = (rows[k / STEPS], rows[k / STEPS + 1]);
        let part = (k % STEPS) as f64 / STEPS as f64;
        let numbers: Vec<String> =
            from.iter().zip(to).map(|(from, to)| (from + (to - from) * part).to_string()).collect();
        format!("[{}]\n", numbers.join(","))
    };
    (0..count).map(line).collect()
}

/// Sends lines, one a tick, to a command that looks at spheres; its answers are taken with a pause after each.
fn watch(program: &Path, cell: &Path, lines: &[String], pause: Duration) {
    let mut child = Command::new(program)
        .arg("monitor")
        .arg(cell)
        .arg("--spheres")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command starts");
    let mut input = child.stdin.take().expect("it is piped");
    let answers = answers(&mut child, pause);
    // The first answer says that it is ready.
    input.write_all(lines[0].as_bytes()).expect("it reads");
    answers.recv().expect("an answer");
    let start = Instant::now();
    let mut sent = Vec::with_capacity(lines.len());
    let mut memory = Vec::new();
    for (k, line) in (1u32..).zip(lines) {
        std::thread::sleep((start + k * TICK).saturating_duration_since(Instant::now()));
        if k % 1000 == 0 {
            memory.push(resident(&child));
        }
        sent.push(Instant::now());
        input.write_all(line.as_bytes()).expect("it reads");
    }
    drop(input);
    let mut said = String::new();
    child.stderr.take().expect("it is piped").read_to_string(&mut said).expect("it says something");
    // Line 1 was the first answer.
    let mut outside: Vec<f64> =
        answers.iter().map(|(line, at)| at.duration_since(sent[line - 2]).as_secs_f64() * 1e6).collect();
    child.wait().expect("it ends");
    outside.sort_by(f64::total_cmp);
    let at = |part: f64| outside[((outside.len() - 1) as f64 * part) as usize];
    println!(
        "monitor: {} postures, one a millisecond; answers taken {}",
        lines.len(),
        if pause.is_zero() { "at once".into() } else { format!("one every {} ms", pause.as_millis()) }
    );
    let from = said.find(" postures, ").and_then(|at| said[..at].rfind('\n')).map_or(0, |at| at + 1);
    println!("{}", said[from..].trim_end());
    println!(
        "microseconds from line sent to answer received: median {:.0}, p99 {:.0}, max {:.0}",
        at(0.5),
        at(0.99),
        at(1.0)
    );
    if let ([Some(first), ..], [.., Some(last)]) = (&memory[..], &memory[..]) {
        println!("memory after the first second {first} kB, at the end {last} kB");
    }
}

/// The lines that are answered, and when, as they come.
fn answers(child: &mut Child, pause: Duration) -> Receiver<(usize, Instant)> {
    let output = child.stdout.take().expect("it is piped");
    let (send, answers) = channel();
    std::thread::spawn(move || {
        for line in BufReader::new(output).lines().map_while(Result::ok) {
            let now = Instant::now();
            let number = line.strip_prefix("{\"line\":").and_then(|rest| rest.split(',').next());
            let number = number.and_then(|number| number.parse().ok()).expect("a number of a line");
            if send.send((number, now)).is_err() {
                break;
            }
            if !pause.is_zero() {
                std::thread::sleep(pause);
            }
        }
    });
    answers
}

/// Memory of a program in kB, where the system tells.
fn resident(child: &Child) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).ok()?;
    let line = status.lines().find(|line| line.starts_with("VmRSS:"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}
