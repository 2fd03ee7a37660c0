//! What a second thread brings: the postures of W5 on two threads of one process, against two processes of one thread each.

use crate::cells::Job;
use kansho::check::postures::{PosturesOptions, postures};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

/// Postures a second on some threads.
fn rate(job: &Job, threads: usize) -> f64 {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool of threads");
    let start = Instant::now();
    let answers = pool.install(|| postures(&job.scene, &job.rows, &PosturesOptions::default()));
    answers.len() as f64 / start.elapsed().as_secs_f64()
}

/// What each of the two processes does: waits until both are ready, then runs and prints its rate.
pub(crate) fn alone(data: &Path) {
    let job = Job::work_path(data);
    println!("ready");
    let mut line = String::new();
    std::io::stdin().read_line(&mut line).expect("the other side is there");
    println!("{}", rate(&job, 1));
}

pub(crate) fn two(data: &Path) {
    let job = Job::work_path(data);
    let itself = std::env::current_exe().expect("this program has a path");
    for _ in 0..3 {
        let together = rate(&job, 2);
        let start = || {
            Command::new(&itself)
                .arg("alone")
                .stdin(Stdio::piped())
                .stdout(Stdio::piped())
                .spawn()
                .expect("this program starts again")
        };
        let mut both = [start(), start()];
        let apart: f64 = {
            use std::io::{BufRead, BufReader, Write};
            let mut readers =
                both.each_mut().map(|child| BufReader::new(child.stdout.take().expect("its output")));
            let mut line = String::new();
            for reader in &mut readers {
                reader.read_line(&mut line).expect("it gets ready");
            }
            for child in &mut both {
                child.stdin.take().expect("its input").write_all(b"go\n").expect("it listens");
            }
            let mut sum = 0.0;
            for reader in &mut readers {
                line.clear();
                reader.read_line(&mut line).expect("it prints its rate");
                sum += line.trim().parse::<f64>().expect("a number");
            }
            sum
        };
        for mut child in both {
            child.wait().expect("it ends");
        }
        println!(
            "two threads: {together:.0} postures a second, two processes {apart:.0}: {:.2} (asked: 0.85)",
            together / apart
        );
    }
}
