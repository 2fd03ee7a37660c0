//! URScript, read a second time: what a program says.
//!
//! `make` draws a program, `text` writes it as it may stand in a file, `run` runs it as the script manual of Universal Robots has it, and
//! `smaller` leaves parts of it out.

mod make;
mod run;
mod smaller;
mod text;

use super::{Came, Dice, Language, Profile, Tally, WORLDS, once, programs, smallest};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Int,
    Float,
    Bool,
    Pose,
    /// Six joints.
    List,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Op {
    Mul,
    Div,
    Mod,
    Add,
    Sub,
    Less,
    More,
    AtMost,
    AtLeast,
    Same,
    Other,
    And,
    Xor,
    Or,
}

#[derive(Clone, Debug)]
pub(super) enum Expr {
    Int(i64),
    Float(f64),
    Bool(bool),
    Name(&'static str),
    /// An element of a list or of a pose, from 0.
    Element(&'static str, Box<Expr>),
    /// `get_standard_digital_in(n)`
    Input(usize),
    Minus(Box<Expr>),
    Not(Box<Expr>),
    Two(Op, Box<Expr>, Box<Expr>),
    /// A function of the program by its place.
    Call(usize, Vec<Expr>),
    /// Six numbers as a pose or a list.
    Six(Kind, Vec<Expr>),
    /// `pose_trans`, `pose_add` and `pose_inv`.
    Pose(&'static str, Vec<Expr>),
}

/// What stands before a variable that is set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Belongs {
    Unsaid,
    Local,
    Global,
}

#[derive(Clone, Debug)]
pub(super) struct Motion {
    /// `movej`, `movel`, `movep` or `movec`.
    pub(super) name: &'static str,
    pub(super) via: Option<Expr>,
    pub(super) to: Expr,
    /// How many of the settings are given by their places, and the others by name.
    pub(super) placed: usize,
    pub(super) settings: Vec<(&'static str, Expr)>,
}

#[derive(Clone, Debug)]
pub(super) enum Stmt {
    Set(Belongs, &'static str, Option<Expr>, Expr),
    If(Vec<(Expr, Vec<Stmt>)>, Vec<Stmt>),
    While(Expr, Vec<Stmt>),
    Break,
    Continue,
    Call(usize, Vec<Expr>),
    Return(Option<Expr>),
    Halt,
    Tool(Expr),
    Move(Motion),
}

#[derive(Clone, Debug)]
pub(super) struct Function {
    pub(super) gives: Option<Kind>,
    pub(super) params: Vec<(&'static str, Kind)>,
    pub(super) body: Vec<Stmt>,
}

/// A program with its functions in it. Its first statements give its variables their first values.
#[derive(Clone)]
pub(super) struct Program {
    pub(super) first: Vec<Stmt>,
    pub(super) functions: Vec<Function>,
    pub(super) body: Vec<Stmt>,
}

#[test]
fn urscript_is_run_as_the_manual_has_it() {
    let profile = Profile::of(Language::UrScript);
    let mut tally = Tally::default();
    let mut seed = 0;
    while (tally.same + tally.unknown.values().sum::<usize>()) < programs() as usize {
        seed += 1;
        let program = Program::draw(&mut Dice(seed));
        // Programs that take too long, or whose numbers grow too large, tell nothing.
        let is_test = |program: &Program| (0..WORLDS).all(|world| program.run(Dice(world)).is_some());
        if !is_test(&program) {
            continue;
        }
        let read = |program: &Program| {
            let text = program.text(&mut Dice(seed));
            once(Language::UrScript, &text, &profile, |world| program.run(world).expect("it is a test"))
        };
        match read(&program) {
            Came::Differs(..) => {
                let differs =
                    |program: &Program| is_test(program) && matches!(read(program), Came::Differs(..));
                tally.add(read(&smallest(program, Program::smaller, differs)));
            }
            came => tally.add(came),
        }
    }
    tally.assert_known(80);
}
