//! ABB RAPID: modules, procedures, motion statements and the data they need.

use super::config::Config;
use super::lexer::{Rules, Token, Wrong};
use super::machine::{Act, Block, Language, Machine, Proc, Stmt, Strange};
use super::parser::{Arg, Expr, Op, Parser};
use super::profile::Profile;
use super::value::{Value, quaternion_pose};
use super::{Frame, MotionKind, ProgramMove, RobotProgram, Speed, Target, Zone};
use kansho_geom::Pose;
use kansho_geom::glam::DVec3;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

const RULES: Rules =
    Rules { comment: b'!', fold: true, lines: false, equals: true, chain: false, poses: false, first: 1 };

/// Instructions that neither move the robot nor change where it goes.
const HARMLESS: [&str; 55] = [
    "set",
    "reset",
    "setdo",
    "setgo",
    "setao",
    "pulsedo",
    "invertdo",
    "waittime",
    "waitdi",
    "waitdo",
    "waituntil",
    "waitgi",
    "waitai",
    "tpwrite",
    "tperase",
    "tpreadfk",
    "tpreadnum",
    "stop",
    "exit",
    "break",
    "incr",
    "decr",
    "add",
    "clear",
    "clkstart",
    "clkstop",
    "clkreset",
    "accset",
    "velset",
    "gripload",
    "errwrite",
    "waitsynctask",
    "syncmoveoff",
    "idisable",
    "ienable",
    "isignaldi",
    "connect",
    "idelete",
    "open",
    "close",
    "write",
    "textabinstall",
    "pathacclim",
    "speedrefresh",
    "worldacclim",
    "pdispoff",
    "eoffsoff",
    "softdeact",
    "uimsgbox",
    "bitset",
    "bitclear",
    "load",
    "unload",
    "waitload",
    "triggio",
];

/// Radii of zones that have names, in millimetres.
const ZONES: [(&str, f64); 13] = [
    ("z0", 0.3),
    ("z1", 1.0),
    ("z5", 5.0),
    ("z10", 10.0),
    ("z15", 15.0),
    ("z20", 20.0),
    ("z30", 30.0),
    ("z40", 40.0),
    ("z50", 50.0),
    ("z60", 60.0),
    ("z80", 80.0),
    ("z100", 100.0),
    ("z150", 150.0),
];

/// Words that end a block.
const CLOSING: [&str; 8] =
    ["endproc", "endfunc", "endtrap", "endmodule", "endif", "endfor", "endwhile", "endtest"];

/// Numbers from here on mean that an axis is not used.
const UNUSED: f64 = 8.9e9;

pub(super) fn read(text: &[u8], profile: &Profile, entry: Option<&str>) -> Result<RobotProgram, Wrong> {
    let mut reader = Reader {
        parser: Parser::new(text, RULES),
        procs: HashMap::new(),
        order: Vec::new(),
        globals: Vec::new(),
        strange: Vec::new(),
        records: HashMap::new(),
        name: None,
    };
    reader.parser.step()?;
    reader.module()?;
    let Reader { procs, order, globals, strange, name, .. } = reader;
    let chosen = match entry {
        Some(entry) => Some(entry.to_ascii_lowercase()),
        None if procs.contains_key("main") => Some("main".into()),
        None => match &order[..] {
            [only] => Some(only.clone()),
            _ => None,
        },
    };
    let Some(body) = chosen.as_ref().and_then(|chosen| procs.get(chosen)).map(|proc| proc.body.clone())
    else {
        let what = match (&chosen, order.is_empty()) {
            (_, true) => "there is no procedure in this module".to_owned(),
            (Some(chosen), _) => format!("there is no procedure '{chosen}'; there are: {}", order.join(", ")),
            (None, _) => format!(
                "there is no procedure 'main': say which is run (--entry); there are: {}",
                order.join(", ")
            ),
        };
        return Err(Wrong { line: 1, what, cut: false });
    };
    let mut machine = Machine::new(procs);
    let mut rapid =
        Rapid { profile, moves: Vec::new(), conf_j: true, conf_l: true, frames: Frames::default() };
    for wrong in strange {
        machine.note(wrong.line, wrong.what, true);
    }
    for (name, value) in globals {
        let value = value.map_or_else(
            || Value::unknown(format!("'{name}' was given no value")),
            |value| machine.value_of(&mut rapid, &value),
        );
        machine.set_global(name, value);
    }
    machine.run(&mut rapid, &body);
    Ok(RobotProgram {
        language: super::Language::Rapid,
        name: name.unwrap_or_else(|| "module".into()),
        moves: rapid.moves,
        statements: machine.statements,
        notes: machine.notes,
    })
}

struct Reader<'a> {
    parser: Parser<'a>,
    procs: HashMap<String, Rc<Proc>>,
    order: Vec<String>,
    globals: Vec<(String, Option<Expr>)>,
    strange: Vec<Wrong>,
    /// Types that the module defines: names and types of their parts.
    records: HashMap<String, Vec<(String, String)>>,
    name: Option<String>,
}

impl Reader<'_> {
    fn module(&mut self) -> Result<(), Wrong> {
        // Files of a whole task begin with a header.
        while self.parser.is_sign("%") {
            while !matches!(self.parser.token, Token::End) && !self.parser.is_word("module") {
                self.parser.step()?;
            }
        }
        loop {
            let p = &mut self.parser;
            let Token::Name(word) = &p.token else {
                if p.token == Token::End {
                    return if self.name.is_none() {
                        Err(p.wrong("this is no module of RAPID"))
                    } else {
                        Err(Wrong {
                            line: p.line,
                            what:
                                "the module does not end: ENDMODULE is missing, so the file may be cut short"
                                    .into(),
                            cut: true,
                        })
                    };
                }
                let wrong = p.wrong(format!("{} stands where a declaration is wanted", p.shown()));
                if self.name.is_none() {
                    return Err(wrong);
                }
                self.strange.push(wrong);
                p.recover(Some(";"));
                continue;
            };
            match word.as_str() {
                "module" => {
                    p.step()?;
                    self.name = Some(p.name()?);
                    if p.is_sign("(") {
                        while !p.take(")")? {
                            if p.token == Token::End {
                                return Err(p.wrong("the module has no end"));
                            }
                            p.step()?;
                        }
                    }
                }
                "endmodule" => return Ok(()),
                "local" | "task" => p.step()?,
                "record" => {
                    p.step()?;
                    let name = p.name()?;
                    let mut parts = Vec::new();
                    while !p.take_word("endrecord")? {
                        if p.token == Token::End {
                            return Err(p.wrong("ENDRECORD is missing"));
                        }
                        let kind = p.name()?;
                        parts.push((p.name()?, kind));
                        p.expect(";")?;
                    }
                    self.records.insert(name, parts);
                }
                "const" | "var" | "pers" | "alias" => match self.declaration() {
                    Ok((name, value)) => self.globals.push((name, value)),
                    Err(wrong) if wrong.cut => return Err(wrong),
                    Err(wrong) => {
                        self.strange.push(wrong);
                        self.parser.recover(Some(";"));
                    }
                },
                "proc" | "func" | "trap" => self.routine()?,
                _ => {
                    let wrong = p.wrong(format!("'{word}' begins no declaration"));
                    if self.name.is_none() {
                        return Err(wrong);
                    }
                    self.strange.push(wrong);
                    p.recover(Some(";"));
                }
            }
        }
    }

    /// `CONST robtarget p0 := [...];`
    fn declaration(&mut self) -> Result<(String, Option<Expr>), Wrong> {
        let p = &mut self.parser;
        let is_variable = p.is_word("var");
        p.step()?;
        let kind = p.name()?;
        let name = p.name()?;
        let mut is_array = false;
        if p.take("{")? {
            is_array = true;
            while !p.take("}")? {
                p.expr()?;
                p.take(",")?;
            }
        }
        let value = if p.take(":=")? { Some(p.expr()?) } else { None };
        // Variables begin as zero, false or empty; what persists is as the controller left it.
        let value = match value {
            None if is_variable && !is_array => self.initial(&kind, 0).map(Expr::Const),
            value => value,
        };
        let p = &mut self.parser;
        p.expect(";")?;
        Ok((name, value))
    }

    /// What a variable of a type is before it is set; none of types that are not known.
    fn initial(&self, kind: &str, depth: usize) -> Option<Value> {
        match kind {
            "num" | "dnum" => Some(Value::Number(0.0)),
            "bool" => Some(Value::Truth(false)),
            "string" => Some(Value::Text(String::new())),
            _ => {
                let parts = self.records.get(kind).filter(|_| depth < 20)?;
                let part = |(name, kind): &(String, String)| {
                    let value = self.initial(kind, depth + 1);
                    (
                        name.clone(),
                        value.unwrap_or_else(|| Value::unknown(format!("'{name}' was given no value"))),
                    )
                };
                Some(Value::Record(parts.iter().map(part).collect()))
            }
        }
    }

    fn routine(&mut self) -> Result<(), Wrong> {
        let begin = self.parser.line;
        let is_func = self.parser.is_word("func");
        let end = if is_func {
            "endfunc"
        } else if self.parser.is_word("trap") {
            "endtrap"
        } else {
            "endproc"
        };
        let p = &mut self.parser;
        p.step()?;
        if is_func {
            p.name()?;
        }
        let name = p.name()?;
        let mut params = Vec::new();
        if p.take("(")? {
            let mut last = None;
            loop {
                match std::mem::replace(&mut p.token, Token::LineEnd) {
                    Token::Name(word) => last = Some(word),
                    Token::Sign("," | "\\") => params.extend(last.take()),
                    Token::Sign(")") => {
                        params.extend(last.take());
                        p.step()?;
                        break;
                    }
                    Token::End => {
                        return Err(Wrong {
                            line: begin,
                            what: format!("the parameters of '{name}' do not end"),
                            cut: true,
                        });
                    }
                    _ => {}
                }
                p.step()?;
            }
        }
        let (body, _) = self.block(&[end], begin, 0)?;
        self.parser.step()?;
        if end == "endproc" {
            self.order.push(name.clone());
        }
        self.procs.insert(name, Rc::new(Proc { params, body }));
        Ok(())
    }

    /// Statements up to one of some words, which is left standing.
    fn block(&mut self, ends: &[&str], begin: u32, depth: usize) -> Result<(Block, String), Wrong> {
        if depth > 60 {
            return Err(self.parser.wrong("blocks are too deep in each other"));
        }
        let mut all = Vec::new();
        loop {
            if let Token::Name(word) = &self.parser.token
                && ends.contains(&word.as_str())
            {
                let word = word.clone();
                return Ok((all.into(), word));
            }
            if let Token::Name(word) = &self.parser.token
                && CLOSING.contains(&word.as_str())
            {
                let [missing, found] = [ends[ends.len() - 1], word].map(str::to_ascii_uppercase);
                let what = format!("{missing} of line {begin} is missing before {found}");
                return Err(Wrong { line: self.parser.line, what, cut: true });
            }
            if self.parser.token == Token::End {
                let what = format!(
                    "the file ends before {} of line {begin}: it may be cut short",
                    ends[ends.len() - 1].to_ascii_uppercase()
                );
                return Err(Wrong { line: self.parser.line, what, cut: true });
            }
            let line = self.parser.line;
            match self.statement(depth) {
                Ok(Some(act)) => all.push(Stmt { line, act }),
                Ok(None) => {}
                Err(wrong) if wrong.cut => return Err(wrong),
                Err(wrong) => {
                    all.push(Stmt { line: wrong.line, act: Act::Strange { why: wrong.what, moves: true } });
                    self.parser.recover(Some(";"));
                }
            }
        }
    }

    fn statement(&mut self, depth: usize) -> Result<Option<Act>, Wrong> {
        let line = self.parser.line;
        let p = &mut self.parser;
        if p.take(";")? {
            return Ok(None);
        }
        let word = match &p.token {
            Token::Name(word) => word.clone(),
            _ => return Err(p.wrong(format!("{} begins no statement", p.shown()))),
        };
        match word.as_str() {
            "var" | "pers" | "const" => {
                let (name, value) = self.declaration()?;
                let value = value
                    .unwrap_or_else(|| Expr::Const(Value::unknown(format!("'{name}' was given no value"))));
                Ok(Some(Act::Call("\u{1}local".into(), vec![Arg { name: Some(name), value: Some(value) }])))
            }
            "if" => {
                p.step()?;
                let mut ways = Vec::new();
                let condition = p.expr()?;
                if !p.take_word("then")? {
                    // The short form: one statement.
                    let line = p.line;
                    let act = self.statement(depth + 1)?;
                    let body: Vec<Stmt> = act.into_iter().map(|act| Stmt { line, act }).collect();
                    return Ok(Some(Act::If(vec![(condition, body.into())], Rc::from([]))));
                }
                let mut condition = condition;
                loop {
                    let (body, end) = self.block(&["elseif", "else", "endif"], line, depth + 1)?;
                    ways.push((condition, body));
                    self.parser.step()?;
                    match end.as_str() {
                        "elseif" => {
                            condition = self.parser.expr()?;
                            if !self.parser.take_word("then")? {
                                return Err(self.parser.wrong("THEN is missing"));
                            }
                        }
                        "else" => {
                            let (otherwise, _) = self.block(&["endif"], line, depth + 1)?;
                            self.parser.step()?;
                            return Ok(Some(Act::If(ways, otherwise)));
                        }
                        _ => return Ok(Some(Act::If(ways, Rc::from([])))),
                    }
                }
            }
            "for" => {
                p.step()?;
                let name = p.name()?;
                let mut bounds = Vec::new();
                for word in ["from", "to"] {
                    if !p.take_word(word)? {
                        return Err(p.wrong(format!("{} is missing", word.to_ascii_uppercase())));
                    }
                    bounds.push(p.expr()?);
                }
                let step = if p.take_word("step")? { Some(p.expr()?) } else { None };
                if !p.take_word("do")? {
                    return Err(p.wrong("DO is missing"));
                }
                let (body, _) = self.block(&["endfor"], line, depth + 1)?;
                self.parser.step()?;
                let to = bounds.pop().expect("two were pushed");
                let from = bounds.pop().expect("two were pushed");
                Ok(Some(Act::For { name, from, to, step, body }))
            }
            "while" => {
                p.step()?;
                let condition = p.expr()?;
                if !p.take_word("do")? {
                    return Err(p.wrong("DO is missing"));
                }
                let (body, _) = self.block(&["endwhile"], line, depth + 1)?;
                self.parser.step()?;
                Ok(Some(Act::While(condition, body)))
            }
            "test" => self.test(line, depth).map(Some),
            "return" => {
                p.step()?;
                let value = if p.is_sign(";") { None } else { Some(p.expr()?) };
                p.expect(";")?;
                Ok(Some(Act::Return(value)))
            }
            "goto" | "raise" | "retry" | "trynext" => {
                p.recover(Some(";"));
                Ok(Some(Act::Strange {
                    why: format!("{} is not followed", word.to_ascii_uppercase()),
                    moves: true,
                }))
            }
            "error" | "undo" => {
                // What is done after a fault is no part of the planned motion.
                while !matches!(&p.token, Token::Name(w) if w == "endproc" || w == "endfunc" || w == "endtrap")
                {
                    if p.token == Token::End {
                        return Err(Wrong {
                            line,
                            what: "the file ends in an error handler: it may be cut short".into(),
                            cut: true,
                        });
                    }
                    if p.step().is_err() {
                        continue;
                    }
                }
                Ok(Some(Act::Strange {
                    why: "what is done after a fault is not looked at".into(),
                    moves: false,
                }))
            }
            _ => self.simple(word),
        }
    }

    /// An assignment or a call.
    fn simple(&mut self, word: String) -> Result<Option<Act>, Wrong> {
        let p = &mut self.parser;
        let mut before = p.clone();
        p.step()?;
        if p.is_sign(":=") || p.is_sign(".") || p.is_sign("{") {
            before.rules = RULES;
            let place = before.expr()?;
            *p = before;
            p.expect(":=")?;
            let value = p.expr()?;
            p.expect(";")?;
            return Ok(Some(Act::Let(place, value)));
        }
        if p.take(":")? {
            return Ok(Some(Act::Strange { why: "a label: jumps are not followed".into(), moves: false }));
        }
        let mut args = Vec::new();
        while !p.is_sign(";") {
            args.push(p.arg()?);
            if !p.take(",")? && !p.is_sign("\\") && !p.is_sign(";") {
                return Err(p.wrong(format!("';' is missing before {}", p.shown())));
            }
        }
        p.step()?;
        Ok(Some(Act::Call(word, args)))
    }

    fn test(&mut self, line: u32, depth: usize) -> Result<Act, Wrong> {
        self.parser.step()?;
        let of = self.parser.expr()?;
        let (mut ways, mut otherwise): (Vec<(Expr, Block)>, Block) = (Vec::new(), Rc::from([]));
        loop {
            let word = match &self.parser.token {
                Token::Name(word) => word.clone(),
                _ => return Err(self.parser.wrong("CASE is missing")),
            };
            self.parser.step()?;
            let mut condition: Option<Expr> = None;
            match word.as_str() {
                "case" => {
                    loop {
                        let value = self.parser.expr()?;
                        let same = Expr::Two(Op::Same, Box::new(of.clone()), Box::new(value));
                        condition = Some(match condition {
                            None => same,
                            Some(other) => Expr::Two(Op::Or, Box::new(other), Box::new(same)),
                        });
                        if !self.parser.take(",")? {
                            break;
                        }
                    }
                    self.parser.expect(":")?;
                }
                "default" => self.parser.expect(":")?,
                "endtest" => return Ok(Act::If(ways, otherwise)),
                _ => return Err(self.parser.wrong("CASE is missing")),
            }
            let (body, _) = self.block(&["case", "default", "endtest"], line, depth + 1)?;
            match condition {
                Some(condition) => ways.push((condition, body)),
                None => otherwise = body,
            }
        }
    }
}

/// Tools and work objects that were made, so that thousands of moves share them.
#[derive(Default)]
pub(super) struct Frames {
    known: Vec<Arc<Frame>>,
}

impl Frames {
    pub(super) fn of(&mut self, name: &str, at: Option<Pose>) -> Arc<Frame> {
        let frame = Frame { name: name.to_owned(), at };
        match self.known.iter().rev().find(|known| ***known == frame) {
            Some(known) => Arc::clone(known),
            None => {
                let made = Arc::new(frame);
                self.known.push(Arc::clone(&made));
                made
            }
        }
    }
}

struct Rapid<'a> {
    profile: &'a Profile,
    moves: Vec<ProgramMove>,
    conf_j: bool,
    conf_l: bool,
    frames: Frames,
}

impl Rapid<'_> {
    fn motion(&mut self, machine: &mut Machine, name: &str, args: &[Arg], line: u32) -> Result<(), String> {
        let mut plain = args.iter().filter(|arg| arg.name.is_none()).filter_map(|arg| arg.value.as_ref());
        let mut next = |what: &str| plain.next().ok_or_else(|| format!("{what} is missing"));
        let by_name = |wanted: &str| args.iter().find(|arg| arg.name.as_deref() == Some(wanted));
        let is_circle = name.starts_with("movec");
        let via = if is_circle { Some(next("the point on the circle")?) } else { None };
        let to = next("the target")?;
        let speed = next("the speed")?;
        let zone = next("the zone")?;
        let tool = next("the tool")?;
        let options = ["conc", "id", "v", "t", "z", "inpos", "wobj", "tload", "noeoffs"];
        let strange = args.iter().filter_map(|arg| arg.name.as_deref()).find(|name| !options.contains(name));
        if let Some(strange) = strange {
            return Err(format!("\\{strange} changes the motion in a way that is not understood"));
        }
        if by_name("conc").is_some() {
            machine.note(line, "the next statements are run while the robot moves (\\Conc)", false);
        }
        let tool_name = name_of(tool);
        let tool_value = machine.value_of(self, tool);
        let flange_from_tip = match &tool_value {
            Value::Unknown(why) => match self.profile.tool(&tool_name) {
                Some(pose) => Some(pose),
                None if matches!(tool, Expr::Name(_)) => None,
                None => return Err(why.clone()),
            },
            tool => {
                if tool.part("robhold") == Value::Truth(false) {
                    return Err(
                        "the tool stands still and the robot holds the work: this is not understood".into()
                    );
                }
                let frame = tool.part("tframe");
                Some(quaternion_pose(&frame.element(0.0), &frame.element(1.0))?)
            }
        };
        let (work_name, base_from_work) = match by_name("wobj").and_then(|arg| arg.value.as_ref()) {
            None => ("wobj0".to_owned(), Some(Pose::IDENTITY)),
            Some(expr) => {
                let name = name_of(expr);
                let at = match machine.value_of(self, expr) {
                    Value::Unknown(_) => self.profile.work(&name),
                    work => {
                        if work.part("robhold") == Value::Truth(true) {
                            return Err("the robot holds the work object: this is not understood".into());
                        }
                        if work.part("ufprog") == Value::Truth(false) {
                            return Err(
                                "the work object is moved by another unit: this is not understood".into()
                            );
                        }
                        let pose = |name: &str| {
                            let frame = work.part(name);
                            quaternion_pose(&frame.element(0.0), &frame.element(1.0))
                        };
                        Some(pose("uframe")? * pose("oframe")?)
                    }
                };
                (name, at)
            }
        };
        let target = machine.value_of(self, to);
        let to = if name.starts_with("moveabsj") {
            let joints = target.element(0.0).many::<6>()?;
            used(&target.element(1.0))?;
            Target::Joints(joints.iter().map(|angle| angle.to_radians()).collect())
        } else {
            let (pose, config) = robtarget(&target)?;
            Target::Pose(
                pose,
                if name.starts_with("movej") && !self.conf_j { Config::Unsaid } else { config },
            )
        };
        let speed = match (
            by_name("t").and_then(|arg| arg.value.as_ref()),
            by_name("v").and_then(|arg| arg.value.as_ref()),
        ) {
            (Some(time), _) => machine.value_of(self, time).number().map_or(Speed::Unsaid, Speed::Seconds),
            (None, Some(speed)) => {
                machine.value_of(self, speed).number().map_or(Speed::Unsaid, |mm| Speed::Tip(mm * 1e-3))
            }
            (None, None) => machine
                .value_of(self, speed)
                .element(0.0)
                .number()
                .map_or(Speed::Unsaid, |mm| Speed::Tip(mm * 1e-3)),
        };
        let zone = match by_name("z").and_then(|arg| arg.value.as_ref()) {
            Some(mm) => Zone::Radius(machine.value_of(self, mm).number()? * 1e-3),
            None => {
                let zone = machine.value_of(self, zone);
                match zone.part("finep") {
                    Value::Truth(true) => Zone::Fine,
                    Value::Truth(false) => Zone::Radius(zone.part("pzone_tcp").number()? * 1e-3),
                    Value::Unknown(why) => return Err(format!("the zone is not known: {why}")),
                    other => return Err(format!("{} is no zone", other.kind())),
                }
            }
        };
        if let Zone::Radius(radius) = zone
            && !(radius >= 0.0)
        {
            return Err(format!("a zone of {radius} m is none"));
        }
        let kind = match via {
            Some(via) => MotionKind::Circular(robtarget(&machine.value_of(self, via))?.0),
            None if name.starts_with("movel") => MotionKind::Linear,
            None => MotionKind::Joint,
        };
        if self.moves.len() < super::MOST_MOVES {
            self.moves.push(ProgramMove {
                line,
                kind,
                to,
                speed,
                zone,
                tool: self.frames.of(&tool_name, flange_from_tip),
                work: self.frames.of(&work_name, base_from_work),
                insists: self.conf_l,
            });
        }
        Ok(())
    }
}

fn name_of(expr: &Expr) -> String {
    match expr {
        Expr::Name(name) => name.clone(),
        Expr::Part(of, part) => format!("{}.{part}", name_of(of)),
        _ => "as written".into(),
    }
}

/// Axes beyond the sixth have to be unused.
fn used(external: &Value) -> Result<(), String> {
    let Value::List(list) = external else { return Ok(()) };
    match list
        .iter()
        .map(Value::number)
        .find(|axis| !axis.as_ref().is_ok_and(|axis| axis.abs() >= UNUSED || *axis == 0.0))
    {
        None => Ok(()),
        Some(_) => Err("external axes are moved: this is not understood".into()),
    }
}

fn robtarget(value: &Value) -> Result<(Pose, Config), String> {
    let pose = quaternion_pose(&value.part("trans"), &value.part("rot"))?;
    used(&value.part("extax"))?;
    let config = value.part("robconf").many::<4>()?;
    if config.iter().any(|number| number.fract() != 0.0 || number.abs() > 100.0) {
        return Err("the configuration has numbers that are no whole ones".into());
    }
    Ok((pose, Config::Abb(config.map(|number| number as i32))))
}

const MOTIONS: [&str; 13] = [
    "movej",
    "movel",
    "movec",
    "moveabsj",
    "movejdo",
    "moveldo",
    "movecdo",
    "movejsync",
    "movelsync",
    "movecsync",
    "movejao",
    "movelao",
    "movecao",
];

impl Language for Rapid<'_> {
    fn act(&mut self, machine: &mut Machine, name: &str, args: &[Arg], line: u32) -> Result<(), Strange> {
        let has = |wanted: &str| args.iter().any(|arg| arg.name.as_deref() == Some(wanted));
        if name == "\u{1}local" {
            for arg in args {
                if let (Some(name), Some(value)) = (&arg.name, &arg.value) {
                    let value = machine.value_of(self, value);
                    machine.set_local(name, value);
                }
            }
            return Ok(());
        }
        if MOTIONS.contains(&name) {
            return self.motion(machine, name, args, line).map_err(|why| Strange { why, moves: true });
        }
        match name {
            "confj" => self.conf_j = !has("off"),
            "confl" => self.conf_l = !has("off"),
            "singarea" if has("wrist") || has("lockaxis4") => {
                return Err(Strange {
                    why: "the tool may be turned near singularities (SingArea): its motion is not known"
                        .into(),
                    moves: true,
                });
            }
            "singarea" => {}
            _ if HARMLESS.contains(&name) || self.profile.is_harmless(name) => {}
            _ => {
                return Err(Strange {
                    why: format!("'{name}' is not known, and could move the robot"),
                    moves: true,
                });
            }
        }
        Ok(())
    }

    fn function(&mut self, name: &str, args: &[(Option<String>, Value)]) -> Value {
        let found = function(name, args);
        found.unwrap_or_else(Value::Unknown)
    }

    fn known(&self, name: &str) -> Option<Value> {
        let identity = || Value::List(vec![Value::numbers(&[0.0; 3]), Value::numbers(&[1.0, 0.0, 0.0, 0.0])]);
        let zone = |fine: bool, mm: f64| Some(Value::List(vec![Value::Truth(fine), Value::Number(mm)]));
        match name {
            "tool0" => Some(Value::List(vec![Value::Truth(true), identity()])),
            "wobj0" => Some(Value::List(vec![
                Value::Truth(false),
                Value::Truth(true),
                Value::Text(String::new()),
                identity(),
                identity(),
            ])),
            "fine" => zone(true, 0.0),
            "z200" => zone(false, 200.0),
            "vmax" => Some(Value::numbers(&[7000.0, 500.0, 5000.0, 1000.0])),
            "pi" => Some(Value::Number(std::f64::consts::PI)),
            _ => {
                if let Some((_, mm)) = ZONES.iter().find(|(known, _)| *known == name) {
                    return zone(false, *mm);
                }
                let speed = name.strip_prefix('v')?.parse::<u32>().ok()?;
                Some(Value::numbers(&[f64::from(speed), 500.0, 5000.0, 1000.0]))
            }
        }
    }

    fn moves(&self, name: &str) -> bool {
        let quiet = ["\u{1}local", "confj", "confl", "singarea"];
        !(HARMLESS.contains(&name)
            || quiet.contains(&name)
            || self.profile.is_harmless(name)
            || is_function(name))
    }

    fn first(&self) -> usize {
        RULES.first
    }
}

/// Functions that only reckon, whether they are understood or not.
fn is_function(name: &str) -> bool {
    const ALL: [&str; 34] = [
        "offs",
        "reltool",
        "abs",
        "sqrt",
        "sin",
        "cos",
        "tan",
        "atan",
        "atan2",
        "asin",
        "acos",
        "round",
        "trunc",
        "pow",
        "exp",
        "crobt",
        "cjointt",
        "cpos",
        "numtostr",
        "valtostr",
        "strlen",
        "strpart",
        "posemult",
        "poseinv",
        "posevect",
        "orientzyx",
        "eulerzyx",
        "dim",
        "distance",
        "clkread",
        "testdi",
        "doutput",
        "calcjointt",
        "calcrobt",
    ];
    ALL.contains(&name)
}

fn function(name: &str, args: &[(Option<String>, Value)]) -> Result<Value, String> {
    let plain: Vec<&Value> = args.iter().filter(|(name, _)| name.is_none()).map(|(_, value)| value).collect();
    let number =
        |k: usize| plain.get(k).ok_or("an argument is missing".to_owned()).and_then(|value| value.number());
    let angle = |wanted: &str| match args.iter().find(|(name, _)| name.as_deref() == Some(wanted)) {
        Some((_, value)) => value.number(),
        None => Ok(0.0),
    };
    let one = |of: fn(f64) -> f64| {
        let value = of(number(0)?);
        if value.is_finite() { Ok(Value::Number(value)) } else { Err("a number is not finite".into()) }
    };
    match name {
        "offs" => {
            let mut target = (*plain.first().ok_or("the target is missing")?).clone();
            let [x, y, z] = target.part("trans").many::<3>()?;
            *target.part_mut("trans") = Value::numbers(&[x + number(1)?, y + number(2)?, z + number(3)?]);
            Ok(target)
        }
        "reltool" => {
            let mut target = (*plain.first().ok_or("the target is missing")?).clone();
            let pose = quaternion_pose(&target.part("trans"), &target.part("rot"))?;
            let along = DVec3::new(number(1)?, number(2)?, number(3)?) * 1e-3;
            let turned = [(DVec3::X, "rx"), (DVec3::Y, "ry"), (DVec3::Z, "rz")]
                .iter()
                .try_fold(Pose::from_translation(along), |pose, (axis, name)| {
                    Ok::<Pose, String>(pose * Pose::turn(*axis, angle(name)?.to_radians()))
                })?;
            let moved = pose * turned;
            let (p, q) = (moved.translation() * 1e3, moved.quat());
            *target.part_mut("trans") = Value::numbers(&[p.x, p.y, p.z]);
            *target.part_mut("rot") = Value::numbers(&[q.w, q.x, q.y, q.z]);
            Ok(target)
        }
        "abs" => one(f64::abs),
        "sqrt" => one(f64::sqrt),
        "sin" => one(|x| x.to_radians().sin()),
        "cos" => one(|x| x.to_radians().cos()),
        "tan" => one(|x| x.to_radians().tan()),
        "atan" => one(|x| x.atan().to_degrees()),
        "asin" => one(|x| x.asin().to_degrees()),
        "acos" => one(|x| x.acos().to_degrees()),
        "round" if args.len() == 1 => one(f64::round),
        "trunc" if args.len() == 1 => one(f64::trunc),
        "atan2" => Ok(Value::Number(number(0)?.atan2(number(1)?).to_degrees())),
        "pow" => Ok(Value::Number(number(0)?.powf(number(1)?))),
        "crobt" | "cjointt" | "cpos" => Err("where the robot is then is only known to the controller".into()),
        _ => Err(format!("what '{name}' gives is not known")),
    }
}
