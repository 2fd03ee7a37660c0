//! How a job is written.

use super::super::Dice;
use super::{Job, Step, Test, Value, Variable};

fn variable(variable: Variable) -> String {
    match variable {
        Variable::Plain(kind, number) => format!("{kind}{number:03}"),
        Variable::Local(kind, number) => format!("L{kind}{number:03}"),
        Variable::Element(kind, number) => format!("{kind}[{number}]"),
        Variable::Indirect(kind, number) => format!("{kind}[B{number:03}]"),
    }
}

fn value(value: Value) -> String {
    match value {
        Value::Number(number) => format!("{number}"),
        Value::Of(of) => variable(of),
    }
}

fn test(test: Test) -> String {
    match test {
        Test::Compare(a, sign, b) => format!("{}{sign}{}", variable(a), value(b)),
        Test::Input(number) => format!("IN#({number})=ON"),
    }
}

fn step(step: &Step) -> String {
    match step {
        Step::Move { word, to, speed, level, odd } => {
            let unit = if *word == "MOVJ" { "VJ" } else { "V" };
            let level = level.map_or(String::new(), |level| format!(" PL={level}"));
            // Some speeds are followed by how fast they are reached.
            let more = if *to % 3 == 1 { " ACC=50 DEC=20" } else { "" };
            format!("{word} C{to:05} {unit}={speed:.2}{level}{more} {odd}")
        }
        Step::Reckon(word, a, b) => format!("{word} {} {}", variable(*a), value(*b)),
        Step::Count(word, a) => format!("{word} {}", variable(*a)),
        Step::Clear(a, count) => format!("CLEAR {} {count}", variable(*a)),
        Step::Read(a) => format!("DIN {} IN#(1)", variable(*a)),
        Step::Element(p, part, from) => format!("SETE P{p:03} ({part}) {}", value(*from)),
        Step::Copy(p, from) => format!("SET P{p:03} P{from:03}"),
        Step::Get(p) => format!("GETS PX{p:03} $PX001"),
        Step::Tool(number, p) => format!("SETTOOL TL#({number}) P{p:03}"),
        Step::Label(number) => format!("*L{number}"),
        Step::Jump(number, None) => format!("JUMP *L{number}"),
        Step::Jump(number, Some(when)) => format!("JUMP *L{number} IF {}", test(*when)),
        Step::Then(when) => format!("IFTHENEXP {}", test(*when)),
        Step::Else => "ELSE".into(),
        Step::EndIf => "ENDIF".into(),
        Step::Call => "CALL JOB:GRIP".into(),
        Step::Quiet(text) | Step::Odd(text) => (*text).into(),
    }
}

/// The text, with blanks and headers drawn.
pub(super) fn written(job: &Job, dice: &mut Dice) -> String {
    let mut text = format!("/JOB\n//NAME NAIVE\n//POS\n///NPOS {},0,0,0,0,0\n", job.positions.len());
    let mut last: Option<(u32, Option<u32>)> = None;
    for (k, one) in job.positions.iter().enumerate() {
        let head = (one.tool, one.work);
        // What is as before need not be said again.
        let all = dice.percent(20);
        if all || last.is_none_or(|(tool, _)| tool != one.tool) {
            text += &format!("///TOOL {}\n", one.tool);
        }
        if all || last.is_none_or(|(_, work)| work != one.work) {
            text += &match one.work {
                None => "///POSTYPE PULSE\n///PULSE\n".into(),
                Some(0) => format!("///POSTYPE {}\n///RECTAN\n", dice.pick(&["BASE", "ROBOT"])),
                Some(work) => format!("///POSTYPE USER\n///USER {work}\n///RECTAN\n"),
            };
            if one.work.is_some() {
                text += "///RCONF 1,0,0,0,0,0,0,0\n";
            }
        }
        last = Some(head);
        let six = one.six.map(|number| format!("{number}"));
        text += &format!("C{k:05}={}\n", six.join(","));
    }
    text += "//INST\n///DATE 2020/01/01 00:00\n///ATTR SC,RW\n///GROUP1 RB1\nNOP\n";
    for one in &job.steps {
        let blank = dice.pick(&["", "", " "]);
        text += &format!("{blank}{}{blank}\n", step(one));
    }
    text + "END\n"
}
