//! How a program is written.

use super::super::{Corner, Dice};
use super::{Program, Source, Step, Tree, Value};

/// The text, with blanks and comments drawn.
pub(super) struct Writer {
    pub(super) dice: Dice,
}

impl Writer {
    fn blank(&mut self) -> &'static str {
        ["", "", " "][self.dice.below(3)]
    }

    fn named(&mut self, number: u32) -> String {
        let name = match self.dice.below(50) {
            0 => ":x,2",
            1 => ":a<b",
            2..6 => ":a-b",
            6..10 => ":TO 3",
            10..20 => ":count it",
            _ => "",
        };
        format!("{number}{name}")
    }

    fn number(&mut self, number: f64) -> String {
        let plain = match number.abs() {
            small if small < 1.0 && small > 0.0 && self.dice.percent(50) => {
                format!("{small}")[1..].to_owned()
            }
            other => format!("{other}"),
        };
        if number < 0.0 { format!("(-{plain})") } else { plain }
    }

    fn value(&mut self, value: Value) -> String {
        match value {
            Value::Number(number) => self.number(number),
            Value::Register(number) => format!("R[{}]", self.named(number)),
            Value::Indirect(number) => format!("R[R[{number}]]"),
            Value::Element(number, part) => format!("PR[{number},{part}]"),
            Value::Input(kind, number) => format!("{kind}[{number}]"),
        }
    }

    /// With as few brackets as the order of operations needs.
    fn tree(&mut self, tree: &Tree, least: u8) -> String {
        let (text, binds) = match tree {
            Tree::One(value) => (self.value(*value), 9),
            Tree::Is(number) => (format!("DI[{number}]"), 9),
            Tree::Two(a, op, b) => {
                let binds = op.binds();
                (format!("{}{}{}", self.tree(a, binds), op.text(), self.tree(b, binds + 1)), binds)
            }
            Tree::Compare(a, sign, b) => {
                let binds = if ["=", "<>"].contains(sign) { 2 } else { 3 };
                (format!("{}{sign}{}", self.tree(a, 4), self.tree(b, 4)), binds)
            }
            Tree::And(a, b) => (format!("{} AND {}", self.tree(a, 1), self.tree(b, 2)), 1),
            Tree::Or(a, b) => (format!("{} OR {}", self.tree(a, 0), self.tree(b, 1)), 0),
            Tree::Not(a) => (format!("!{}", self.tree(a, 9)), 8),
        };
        if binds < least || self.dice.percent(1) { format!("({text})") } else { text }
    }

    fn step(&mut self, step: &Step) -> String {
        match step {
            Step::Move { goes, via, to, speed, corner, odd } => {
                let corner = match corner {
                    Corner::Smooth(part) => format!("CNT{}", (part * 100.0).round()),
                    _ => "FINE".into(),
                };
                let via = if *goes == 'C' { format!("P[{}]    \n    :  ", via + 1) } else { String::new() };
                let more = ["", " ACC80", ""][self.dice.below(3)];
                let to = match self.dice.below(4) {
                    0 => format!("P[{}:over it]", to + 1),
                    1 => format!("@P[{}]", to + 1),
                    _ => format!("P[{}]", to + 1),
                };
                format!("{goes} {via}{to} {speed} {corner}{more} {odd}")
            }
            Step::Plain(place, first, more) => {
                let mut text = format!("{}={}", self.value(*place), self.value(*first));
                for (op, value) in more {
                    text += op.text();
                    text += &self.value(*value);
                }
                text
            }
            Step::Mixed(place, tree) => format!("{}=({})", self.value(*place), self.tree(tree, 0)),
            Step::Element(pr, part, first, more) => {
                let more = more.map_or(String::new(), |(op, b)| format!("{}{}", op.text(), self.value(b)));
                format!("PR[{pr},{part}]={}{more}", self.value(*first))
            }
            Step::Position(pr, from, more) => {
                let from = match from {
                    Source::P(at) => format!("P[{}]", at + 1),
                    Source::Pr(number) => format!("PR[{number}]"),
                    Source::Here => "LPOS".into(),
                };
                let more = more.map_or(String::new(), |(op, b)| format!("{}PR[{b}]", op.text()));
                format!("PR[{}]={from}{more}", self.named(*pr))
            }
            Step::Define(is_tool, number, pr) => {
                format!("{}[{number}]=PR[{pr}]", if *is_tool { "UTOOL" } else { "UFRAME" })
            }
            Step::Choose(is_tool, value) => {
                let name = if *is_tool { "UTOOL_NUM" } else { "UFRAME_NUM" };
                format!("{name}{}={}", self.blank(), self.value(*value))
            }
            Step::Label(number) => format!("LBL[{}]", self.named(*number)),
            Step::Jump(number) => format!("JMP LBL[{number}]"),
            Step::If(test, mixed, then) => {
                let test = self.tree(test, 0);
                let test = if *mixed { format!("({test})") } else { test };
                format!("IF {test}{},{}", self.blank(), self.step(then))
            }
            Step::Then(test) => format!("IF ({}) THEN", self.tree(test, 0)),
            Step::Else => "ELSE".into(),
            Step::EndIf => "ENDIF".into(),
            Step::Select(value, cases, last) => {
                let mut text = format!("SELECT {}", self.value(*value));
                for (k, (case, label)) in cases.iter().enumerate() {
                    let begin = if k == 0 { "" } else { " ;\n       " };
                    text += &format!("{begin}={},JMP LBL[{label}]", self.value(*case));
                }
                text + &last.map_or(String::new(), |label| format!(" ;\n       ELSE,JMP LBL[{label}]"))
            }
            Step::For(counter, from, to, down) => {
                let word = if *down { "DOWNTO" } else { "TO" };
                format!("FOR R[{counter}]={} {word} {}", self.value(*from), self.value(*to))
            }
            Step::EndFor => "ENDFOR".into(),
            Step::Call => "CALL GRIP".into(),
            Step::Quiet(text) | Step::Odd(text) | Step::End(text) => (*text).into(),
        }
    }

    pub(super) fn program(&mut self, program: &Program) -> String {
        let mut text =
            String::from("/PROG  NAIVE\n/ATTR\nOWNER\t\t= MNEDITOR;\nDEFAULT_GROUP\t= 1,*,*,*,*;\n/MN\n");
        for (k, step) in program.steps.iter().enumerate() {
            let blank = if matches!(step, Step::Move { .. }) { "" } else { "  " };
            text += &format!("{:4}:{blank}{}    ;\n", k + 1, self.step(step));
        }
        text += "/POS\n";
        for (k, one) in program.positions.iter().enumerate() {
            let six = one.six;
            let body = if one.joints {
                let axes: Vec<String> = (0..6).map(|k| format!("J{}= {:10.3} deg", k + 1, six[k])).collect();
                format!("\t{}", axes.join(",\n\t"))
            } else {
                let names = [("X", "mm"), ("Y", "mm"), ("Z", "mm"), ("W", "deg"), ("P", "deg"), ("R", "deg")];
                let all: Vec<String> = names
                    .iter()
                    .zip(six)
                    .map(|((name, unit), n)| format!("{name} ={n:9.3}  {unit}"))
                    .collect();
                format!("\tCONFIG : 'N U T, 0, 0, 0',\n\t{}", all.join(",\t"))
            };
            let (work, tool) = (one.work, one.tool);
            let name = if self.dice.percent(20) { ":\"over it\"" } else { "" };
            text += &format!("P[{}{name}]{{\n   GP1:\n\tUF : {work}, UT : {tool},\n{body}\n}};\n", k + 1);
        }
        text + "/END\n"
    }
}
