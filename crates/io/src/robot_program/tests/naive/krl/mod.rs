//! KRL, read a second time: what a program says.
//!
//! `make` draws a program, `text` writes it as it may stand in a file, `run` runs it as KUKA's manuals have it, and `smaller` leaves parts of it out. Names are used again in every routine, with other
//! types: variables that are declared in a routine are its own.

mod make;
mod run;
mod smaller;
mod text;

use super::{Came, Dice, Language, Profile, Tally, WORLDS, once, programs, smallest};

/// What a variable holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Int,
    Real,
    Bool,
    /// X, Y, Z, A, B, C.
    Frame,
    /// A1 to A6.
    Axes,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Op {
    Mul,
    Div,
    Add,
    Sub,
    And,
    Exor,
    Or,
    Less,
    More,
    AtMost,
    AtLeast,
    Same,
    Other,
    /// The geometric operator.
    Chain,
}

#[derive(Clone, Debug)]
pub(super) enum Expr {
    Int(i64),
    Real(f64),
    Bool(bool),
    At(Place),
    /// A whole array.
    All(&'static str),
    /// `$IN[n]`
    Input(usize),
    Minus(Box<Expr>),
    Not(Box<Expr>),
    Two(Op, Box<Expr>, Box<Expr>),
    /// A routine by its place in the file.
    Call(usize, Vec<Expr>),
    /// Some or all of six numbers by their places.
    Six(Kind, Vec<(usize, Expr)>),
}

/// A variable, an element of an array, or a component of a structure.
#[derive(Clone, Debug)]
pub(super) struct Place {
    pub(super) name: &'static str,
    pub(super) index: Option<Box<Expr>>,
    pub(super) part: Option<(Kind, usize)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum System {
    Base,
    Tool,
    /// X, Y or Z of one of them.
    BasePart(usize),
    ToolPart(usize),
    Speed,
    Distance,
}

#[derive(Clone, Debug)]
pub(super) enum Stmt {
    Set(Place, Expr),
    System(System, Expr),
    If(Expr, Vec<Stmt>, Vec<Stmt>),
    For {
        name: &'static str,
        from: Expr,
        to: Expr,
        step: Option<i64>,
        body: Vec<Stmt>,
    },
    While(Expr, Vec<Stmt>),
    Repeat(Vec<Stmt>, Expr),
    Loop(Vec<Stmt>),
    Exit,
    Switch(Expr, Vec<(Vec<i64>, Vec<Stmt>)>, Option<Vec<Stmt>>),
    Call(usize, Vec<Expr>),
    Return(Option<Expr>),
    /// Something in which nothing moves.
    Quiet(&'static str),
    /// Jumps over statements if something is true.
    Skip(Expr, Vec<Stmt>, usize),
    Ptp(Expr),
    PtpRelative(Expr),
    Lin(Expr, bool),
    LinRelative(Expr, bool),
    Circ(Expr, Expr, bool),
}

#[derive(Clone, Debug)]
pub(super) struct Param {
    pub(super) name: &'static str,
    pub(super) kind: Kind,
    pub(super) is_out: bool,
    /// Whether it is a whole array, which is always handed over by reference.
    pub(super) is_array: bool,
}

#[derive(Clone, Debug)]
pub(super) struct Routine {
    pub(super) gives: Option<Kind>,
    pub(super) params: Vec<Param>,
    /// Names, types, and how many elements arrays have.
    pub(super) locals: Vec<(&'static str, Kind, Option<usize>)>,
    pub(super) body: Vec<Stmt>,
}

/// Routines; the first is run.
pub(super) struct Program(pub(super) Vec<Routine>);

#[test]
fn krl_is_run_as_the_manuals_have_it() {
    let profile = Profile::of(Language::Krl);
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
            once(Language::Krl, &text, &profile, |world| program.run(world).expect("it is a test"))
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
