//! Partial answers against all variants of small random programs.
//!
//! A program asks inputs that nobody knows. Each variant of it has them answered: a branch is taken or not, a loop is run zero to two times. What a
//! variant does on a line of which the partial answer claims something has to be among what was claimed: the same way, from the same target to the same.

use crate::robot_program::{Language, Profile, ProgramMove, RobotProgram, Run, Target, parse};
use kansho_geom::random::Random;
use std::collections::HashSet;

/// What an input is asked for: the text of the question is made of its number.
#[derive(Clone, Copy, PartialEq)]
enum Question {
    Branch,
    Loop,
}

#[derive(Default)]
struct Maker {
    text: String,
    questions: Vec<Question>,
    counters: usize,
}

impl Maker {
    fn line(&mut self, text: &str) {
        self.text.push_str(text);
        self.text.push('\n');
    }

    fn block(&mut self, random: &mut Random, depth: usize, in_routine: bool) {
        for _ in 0..=random.below(3) {
            self.statement(random, depth, in_routine);
        }
    }

    fn statement(&mut self, random: &mut Random, depth: usize, in_routine: bool) {
        let target = random.below(4);
        let number = self.questions.len();
        match random.below(if depth > 2 { 5 } else { 10 }) {
            0 | 1 => self.line(&format!("MoveAbsJ t{target},v100,fine,tool0;")),
            2 => self.line(&format!("v:=t{target};")),
            3 => self.line("MoveAbsJ v,v100,fine,tool0;"),
            4 if in_routine => {
                self.questions.push(Question::Branch);
                self.line(&format!("IF <{number}> RETURN;"));
            }
            4 => self.line(["p;", "q;"][random.below(2)]),
            5 | 6 => {
                self.questions.push(Question::Branch);
                self.line(&format!("IF <{number}> THEN"));
                self.block(random, depth + 1, in_routine);
                if random.below(2) == 0 {
                    self.line("ELSE");
                    self.block(random, depth + 1, in_routine);
                }
                self.line("ENDIF");
            }
            7 => {
                self.questions.push(Question::Loop);
                self.line(&format!("[{number}"));
                self.block(random, depth + 1, in_routine);
                self.line(&format!("{number}]"));
            }
            8 => {
                self.counters += 1;
                self.line(&format!("FOR i{} FROM 1 TO 2 DO", self.counters));
                self.block(random, depth + 1, in_routine);
                self.line("ENDFOR");
            }
            // Routines call no others.
            _ if in_routine => self.line("MoveAbsJ v,v100,fine,tool0;"),
            _ => self.line(["p;", "q;"][random.below(2)]),
        }
    }
}

/// The text with inputs that nobody knows, or with answers.
fn asked(maker: &Maker, answers: Option<&[usize]>) -> String {
    let mut text = maker.text.clone();
    for (number, question) in maker.questions.iter().enumerate() {
        let answer = answers.map(|answers| answers[number]);
        let (begin, end) = match (question, answer) {
            (Question::Branch, None) => (format!("DInput(d{number})=1"), String::new()),
            (Question::Branch, Some(answer)) => ([" FALSE", " TRUE"][answer].into(), String::new()),
            (Question::Loop, None) => (format!("WHILE DInput(d{number})=1 DO"), "ENDWHILE".into()),
            (Question::Loop, Some(answer)) => {
                (format!("FOR w{number} FROM 1 TO {answer} STEP 1 DO"), "ENDFOR".into())
            }
        };
        match question {
            Question::Branch => text = text.replace(&format!("<{number}>"), &begin),
            Question::Loop => {
                text = text.replace(&format!("[{number}\n"), &format!("{begin}\n"));
                text = text.replace(&format!("\n{number}]"), &format!("\n{end}"));
            }
        }
    }
    let targets: String = (0..4)
        .map(|k| format!("CONST jointtarget t{k}:=[[{k},0,0,0,0,0],[9E9,9E9,9E9,9E9,9E9,9E9]];\n"))
        .collect();
    format!(
        "MODULE m\n{targets}VAR jointtarget v:=[[9,0,0,0,0,0],[9E9,9E9,9E9,9E9,9E9,9E9]];\n{text}ENDMODULE\n"
    )
}

fn read(text: &str) -> RobotProgram {
    parse(text.as_bytes(), None, Language::Rapid, &Profile::of(Language::Rapid), Run::ONCE)
        .unwrap_or_else(|faults| panic!("{faults:?} in\n{text}"))
}

fn place(one: &ProgramMove) -> i64 {
    match &one.to {
        Target::Joints(axes) => axes[0].to_degrees().round() as i64,
        Target::Pose(..) => unreachable!("all targets are in joints"),
    }
}

/// Ways that are claimed, and lines of which nothing is.
fn claims(program: &RobotProgram) -> (HashSet<(i64, i64, u32)>, HashSet<u32>) {
    let mut open: HashSet<u32> = program.doubtful.iter().flatten().copied().collect();
    open.extend(program.notes.iter().filter(|note| note.moves).map(|note| note.line));
    open.extend(program.moves.iter().filter(|one| one.after_gap && !one.is_again).map(|one| one.line));
    let pairs = program.moves.windows(2).filter(|pair| !pair[1].after_gap);
    (pairs.map(|pair| (place(&pair[0]), place(&pair[1]), pair[1].line)).collect(), open)
}

#[test]
fn no_variant_does_what_was_not_claimed() {
    let count = if std::env::var_os("KANSHO_LONG").is_some() { 20_000 } else { 400 };
    let mut claimed = 0;
    for seed in 0..count {
        let mut random = Random::new(seed);
        let mut maker = Maker::default();
        for (name, in_routine) in [("main", false), ("p", true), ("q", true)] {
            maker.line(&format!("PROC {name}()"));
            if name == "main" {
                maker.line("MoveAbsJ t0,v100,fine,tool0;");
            }
            maker.block(&mut random, 0, in_routine);
            maker.line("ENDPROC");
        }
        let text = asked(&maker, None);
        let partial = read(&text);
        let (ways, open) = claims(&partial);
        if partial.doubtful.is_none() {
            continue;
        }
        for _ in 0..24 {
            let answers: Vec<usize> = maker
                .questions
                .iter()
                .map(|question| random.below(if *question == Question::Branch { 2 } else { 3 }))
                .collect();
            let variant = read(&asked(&maker, Some(&answers)));
            assert!(
                variant.notes.iter().all(|note| !note.moves),
                "{:?} in\n{}",
                variant.notes,
                asked(&maker, Some(&answers))
            );
            for pair in variant.moves.windows(2) {
                let way = (place(&pair[0]), place(&pair[1]), pair[1].line);
                if open.contains(&way.2) {
                    continue;
                }
                claimed += 1;
                assert!(
                    ways.contains(&way),
                    "seed {seed}, {answers:?}: {way:?} was not claimed in\n{text}\n{:?}",
                    partial.notes
                );
            }
        }
    }
    assert!(claimed > 10 * count, "{claimed}");
}
