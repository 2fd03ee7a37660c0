//! How a program is written.

use super::{Arg, Goal, Kind, Move, Num, Place, Program, Routine, Stmt, Truth};
use crate::robot_program::tests::naive::Dice;
use std::fmt::Write;

/// How tightly operators bind, the loosest first (technical reference manual RAPID kernel, 5.11): NOT, OR, AND, comparisons, + and -, * / DIV MOD.
const OR: u8 = 1;
const AND: u8 = 2;
const COMPARE: u8 = 3;
const ADD: u8 = 4;
const TIMES: u8 = 5;
const TIGHT: u8 = 6;

impl Program {
    /// The text, with random blanks, cases and comments.
    pub(super) fn text(&self, dice: &mut Dice) -> String {
        let mut text = String::from("MODULE drawn\n");
        let [w, x, y, z] = self.turn;
        let rest = format!("[{w},{x},{y},{z}],[0,-1,2,3],[9E9,9E9,9E9,9E9,9E9,9E9]");
        for (k, at) in self.points.iter().enumerate() {
            writeln!(text, "  CONST robtarget p{k}:=[[{},{},{}],{rest}];", at[0], at[1], at[2])
                .expect("text");
        }
        writeln!(text, "  VAR robtarget t0:=p0;").expect("text");
        let [a, b, c] = self.tool;
        writeln!(text, "  PERS tooldata gun:=[TRUE,[[{a},{b},{c}],[1,0,0,0]],[1,[0,0,1],[1,0,0,0],0,0,0]];")
            .expect("text");
        let [a, b, c, d, e, f] = self.work;
        writeln!(
            text,
            "  PERS wobjdata table:=[FALSE,TRUE,\"\",[[{a},{b},{c}],[0.6,0,0,0.8]],[[{d},{e},{f}],[0.8,0.6,0,0]]];"
        )
        .expect("text");
        for (k, value) in self.nums.iter().enumerate() {
            writeln!(text, "  VAR num n{k}{};", begins(*value)).expect("text");
        }
        let [a, b, c] = self.array;
        writeln!(text, "  VAR num a0{{3}}:=[{a},{b},{c}];").expect("text");
        for (k, value) in self.truths.iter().enumerate() {
            writeln!(text, "  VAR bool b{k}:={};", if *value { "TRUE" } else { "FALSE" }).expect("text");
        }
        for (k, routine) in self.routines.iter().enumerate() {
            self.routine(&mut text, dice, k, routine);
        }
        text.push_str("ENDMODULE\n");
        text
    }

    fn routine(&self, text: &mut String, dice: &mut Dice, k: usize, routine: &Routine) {
        let params: Vec<String> = (routine.params.iter().enumerate())
            .map(|(k, is_reference)| format!("{}num x{k}", if *is_reference { "INOUT " } else { "" }))
            .collect();
        let params = params.join(",");
        match (k, &routine.gives) {
            (0, _) => writeln!(text, "  PROC main()"),
            (_, None) => writeln!(text, "  PROC r{k}({params})"),
            (_, Some(_)) => writeln!(text, "  FUNC num r{k}({params})"),
        }
        .expect("text");
        for (name, value) in &routine.locals {
            writeln!(text, "    VAR num {name}{};", begins(*value)).expect("text");
        }
        let mut counters = Vec::new();
        each(&routine.body, &mut |stmt| {
            if let Stmt::While(name, ..) = stmt {
                counters.push(name.clone());
            }
        });
        for name in counters {
            writeln!(text, "    VAR num {name};").expect("text");
        }
        block(text, dice, &routine.body, 2);
        match &routine.gives {
            Some(value) => writeln!(text, "    RETURN {};\n  ENDFUNC", num(value, 0)),
            None => writeln!(text, "  ENDPROC"),
        }
        .expect("text");
    }
}

/// All statements, inner ones, too.
fn each(block: &[Stmt], see: &mut impl FnMut(&Stmt)) {
    for stmt in block {
        see(stmt);
        match stmt {
            Stmt::If(ways, otherwise) => {
                ways.iter().for_each(|(_, body)| each(body, see));
                each(otherwise, see);
            }
            Stmt::Short(_, inner) => each(std::slice::from_ref(inner), see),
            Stmt::For(_, _, _, body) | Stmt::While(_, _, _, body) => each(body, see),
            Stmt::Test(_, ways, otherwise) => {
                ways.iter().for_each(|(_, body)| each(body, see));
                otherwise.iter().for_each(|body| each(body, see));
            }
            _ => {}
        }
    }
}

fn begins(value: Option<f32>) -> String {
    value.map_or_else(String::new, |value| format!(":={value}"))
}

fn block(text: &mut String, dice: &mut Dice, of: &[Stmt], depth: usize) {
    for one in of {
        if dice.percent(8) {
            text.push_str("  ! ENDPROC MoveL p0,v100,fine,tool0;\n");
        }
        stmt(text, dice, one, depth);
    }
}

/// A word of the language: its letters may be large or small.
fn word(dice: &mut Dice, word: &str) -> String {
    if dice.percent(10) { word.to_ascii_lowercase() } else { word.to_owned() }
}

fn stmt(text: &mut String, dice: &mut Dice, of: &Stmt, depth: usize) {
    let pad = "  ".repeat(depth);
    let line = |text: &mut String, what: String| writeln!(text, "{pad}{what}").expect("text");
    match of {
        Stmt::Let(at, value) => line(text, format!("{}:={};", place(at), num(value, 0))),
        Stmt::LetTruth(name, value) => line(text, format!("{name} := {};", truth(value, 0))),
        Stmt::LetGoal(name, value) => line(text, format!("{name}:={};", goal(value))),
        Stmt::LetPart(name, axis, value) => {
            line(text, format!("{name}.trans.{}:={};", ["x", "y", "z"][*axis], num(value, 0)))
        }
        Stmt::Change(what, name) => line(text, format!("{what} {name};")),
        Stmt::Add(name, value) => line(text, format!("Add {name},{};", num(value, 0))),
        Stmt::If(ways, otherwise) => {
            for (k, (condition, body)) in ways.iter().enumerate() {
                let begin = word(dice, if k == 0 { "IF" } else { "ELSEIF" });
                line(text, format!("{begin} {} {}", truth(condition, 0), word(dice, "THEN")));
                block(text, dice, body, depth + 1);
            }
            if !otherwise.is_empty() {
                line(text, word(dice, "ELSE"));
                block(text, dice, otherwise, depth + 1);
            }
            line(text, word(dice, "ENDIF"));
        }
        Stmt::Short(condition, inner) => {
            line(text, format!("IF {}", truth(condition, 0)));
            stmt(text, dice, inner, depth + 1);
        }
        Stmt::For(name, [from, to], step, body) => {
            let step = step.map_or_else(String::new, |step| format!(" STEP {step}"));
            line(text, format!("FOR {name} FROM {} TO {}{step} DO", num(from, 0), num(to, 0)));
            block(text, dice, body, depth + 1);
            line(text, "ENDFOR".into());
        }
        Stmt::While(name, most, condition, body) => {
            let also =
                condition.as_ref().map_or_else(String::new, |also| format!(" AND {}", truth(also, AND + 1)));
            line(text, format!("{name}:=0;"));
            line(text, format!("WHILE {name}<{most}{also} DO"));
            line(text, format!("  {name}:={name}+1;"));
            block(text, dice, body, depth + 1);
            line(text, "ENDWHILE".into());
        }
        Stmt::Test(of, ways, otherwise) => {
            line(text, format!("{} {}", word(dice, "TEST"), num(of, 0)));
            for (values, body) in ways {
                let values: Vec<String> = values.iter().map(ToString::to_string).collect();
                line(text, format!("CASE {}:", values.join(",")));
                block(text, dice, body, depth + 1);
            }
            if let Some(body) = otherwise {
                line(text, "DEFAULT:".into());
                block(text, dice, body, depth + 1);
            }
            line(text, "ENDTEST".into());
        }
        Stmt::Call(which, given) => {
            let given = args(given);
            line(text, format!("r{which}{}{given};", if given.is_empty() { "" } else { " " }));
        }
        Stmt::Return => line(text, "RETURN;".into()),
        Stmt::Exit => line(text, "EXIT;".into()),
        Stmt::Move(of) => line(text, moved(dice, of)),
        Stmt::Axes([a, b, c, d, e, f]) => line(
            text,
            format!("MoveAbsJ [[{a},{b},{c},{d},{e},{f}],[9E9,9E9,9E9,9E9,9E9,9E9]],v200,fine,tool0;"),
        ),
        Stmt::Idle(what) => line(text, (*what).to_owned()),
    }
}

fn moved(dice: &mut Dice, of: &Move) -> String {
    let (name, via) = match &of.kind {
        Kind::Joint => ("MoveJ", String::new()),
        Kind::Linear => ("MoveL", String::new()),
        Kind::Circular(via) => ("MoveC", format!("{},", goal(via))),
    };
    let zone = match of.zone {
        None => "fine".to_owned(),
        Some(0.3) => "z0".to_owned(),
        Some(zone) => format!("z{zone}"),
    };
    let own = of.own_zone.as_ref().map_or_else(String::new, |own| format!("\\Z:={}", num(own, 0)));
    let tool = if of.tool { "gun" } else { "tool0" };
    let work = match (of.work, dice.percent(50)) {
        (true, _) => "\\WObj:=table",
        (false, true) => "\\WObj:=wobj0",
        (false, false) => "",
    };
    format!("{} {via}{},v{},{zone}{own}, {tool}{work};", word(dice, name), goal(&of.to), of.speed)
}

fn place(of: &Place) -> String {
    match of {
        Place::Var(name) => name.clone(),
        Place::At(name, at) => format!("{name}{{{}}}", num(at, 0)),
    }
}

fn args(of: &[Arg]) -> String {
    let each = of.iter().map(|arg| match arg {
        Arg::Value(value) => num(value, 0),
        Arg::Place(at) => place(at),
    });
    each.collect::<Vec<_>>().join(",")
}

fn bracketed(text: String, binds: u8, wanted: u8) -> String {
    if binds < wanted { format!("({text})") } else { text }
}

fn num(of: &Num, wanted: u8) -> String {
    match of {
        // A sign stands at the beginning of a sum only.
        Num::Is(value) if *value < 0.0 => bracketed(format!("{value}"), ADD, wanted.max(ADD)),
        Num::Is(value) => format!("{value}"),
        Num::Var(name) => name.clone(),
        Num::At(name, at) => format!("{name}{{{}}}", num(at, 0)),
        Num::Part(name, axis) => format!("{name}.trans.{}", ["x", "y", "z"][*axis]),
        Num::Minus(inner) => {
            bracketed(format!("-{}", num(inner, TIMES)), ADD, if wanted > 0 { TIGHT } else { 0 })
        }
        Num::Two(op, left, right) => {
            let binds = if matches!(*op, "+" | "-") { ADD } else { TIMES };
            // From left to right.
            let text = format!("{}{}{}", num(left, binds), spaced(op), num(right, binds + 1));
            bracketed(text, binds, wanted)
        }
        Num::Known(name, inner) => format!("{name}({})", num(inner, 0)),
        Num::Call(which, given) => format!("r{which}({})", args(given)),
    }
}

fn spaced(op: &str) -> String {
    if op.len() > 1 { format!(" {op} ") } else { op.to_owned() }
}

fn truth(of: &Truth, wanted: u8) -> String {
    let list = |all: &[Truth], binds: u8, op: &str| {
        let all: Vec<String> = all.iter().map(|one| truth(one, binds + 1)).collect();
        bracketed(all.join(op), binds, wanted)
    };
    match of {
        Truth::Is(value) => if *value { "TRUE" } else { "FALSE" }.to_owned(),
        Truth::Var(name) => name.clone(),
        Truth::Compare(op, left, right) => {
            bracketed(format!("{}{op}{}", num(left, ADD), num(right, ADD)), COMPARE, wanted)
        }
        Truth::And(all) => list(all, AND, " AND "),
        Truth::Or(all) => list(all, OR, " OR "),
        // NOT stands at the beginning of an expression only, and goes as far as AND does.
        Truth::Not(inner) => bracketed(format!("NOT {}", truth(inner, AND)), 0, wanted.min(1)),
        Truth::Input => "DInput(di1)=1".to_owned(),
    }
}

fn goal(of: &Goal) -> String {
    match of {
        Goal::Name(name) => name.clone(),
        Goal::Offs(inner, [x, y, z]) => {
            format!("Offs({},{},{},{})", goal(inner), num(x, 0), num(y, 0), num(z, 0))
        }
        Goal::RelTool(inner, [x, y, z], turns) => {
            let turns: String = (["Rx", "Ry", "Rz"].iter().zip(turns))
                .filter_map(|(name, turn)| turn.map(|turn| format!("\\{name}:={turn}")))
                .collect();
            format!("RelTool({},{},{},{}{turns})", goal(inner), num(x, 0), num(y, 0), num(z, 0))
        }
    }
}
