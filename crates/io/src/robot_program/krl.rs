//! KUKA KRL: a program (`.src`) and the data beside it (`.dat`).

use super::config::Config;
use super::lexer::{Rules, Token, Wrong};
use super::machine::{Act, Block, Language, Machine, Proc, Stmt, Strange};
use super::parser::{Arg, Expr, Op, Parser};
use super::profile::Profile;
use super::rapid::Frames;
use super::value::{Value, fixed_angles_deg, fixed_angles_pose};
use super::{MotionKind, ProgramMove, RobotProgram, Speed, Target, Zone};
use kansho_geom::Pose;
use std::collections::HashMap;
use std::rc::Rc;

const RULES: Rules =
    Rules { comment: b';', fold: true, lines: true, equals: false, chain: true, poses: false, first: 1 };

/// Words that begin a statement in which nothing moves.
const QUIET: [&str; 17] = [
    "ext", "extfct", "extp", "extfctp", "signal", "import", "wait", "halt", "continue", "pulse", "anout",
    "anin", "digin", "channel", "enum", "brake", "resume",
];

const TYPES: [&str; 17] = [
    "int",
    "real",
    "bool",
    "char",
    "frame",
    "pos",
    "e6pos",
    "axis",
    "e6axis",
    "e3pos",
    "e3axis",
    "pdat",
    "fdat",
    "ldat",
    "load",
    "basis_sugg_t",
    "date",
];

const MOTIONS: [&str; 9] = ["ptp", "lin", "circ", "ptp_rel", "lin_rel", "circ_rel", "sptp", "slin", "scirc"];

/// Routines that do not move the robot.
const HARMLESS: [&str; 12] = [
    "bas",
    "strclear",
    "swrite",
    "cwrite",
    "cread",
    "copen",
    "cclose",
    "usr",
    "set_cd_params",
    "err_raise",
    "varstate",
    "sleep",
];

pub(super) fn read(
    text: &[u8],
    data: Option<&[u8]>,
    profile: &Profile,
    entry: Option<&str>,
) -> Result<RobotProgram, Wrong> {
    let mut reader = Reader {
        parser: Parser::new(text, RULES),
        procs: HashMap::new(),
        order: Vec::new(),
        globals: Vec::new(),
    };
    reader.parser.step()?;
    reader.file(false)?;
    let Reader { mut procs, order, mut globals, .. } = reader;
    if let Some(data) = data {
        let data = crate::text::decoded(data);
        let mut of_data = Reader {
            parser: Parser::new(&data, RULES),
            procs: HashMap::new(),
            order: Vec::new(),
            globals: Vec::new(),
        };
        let of = |wrong: Wrong| Wrong {
            what: format!("in the .dat beside it, line {}: {}", wrong.line, wrong.what),
            line: 1,
            ..wrong
        };
        of_data.parser.step().map_err(of)?;
        of_data.file(true).map_err(of)?;
        of_data.globals.append(&mut globals);
        globals = of_data.globals;
    }
    let chosen = entry.map(str::to_ascii_lowercase).or_else(|| order.first().cloned());
    let Some(main) = chosen.as_ref().and_then(|chosen| procs.remove(chosen)) else {
        let what = match chosen {
            Some(chosen) => format!("there is no '{chosen}'; there are: {}", order.join(", ")),
            None => "there is no DEF in this file".into(),
        };
        return Err(Wrong { line: 1, what, cut: false });
    };
    let mut machine = Machine::new(procs);
    let mut krl = Krl { profile, moves: Vec::new(), frames: Frames::default() };
    for stmt in globals {
        machine.run(&mut krl, &Rc::from([stmt]));
    }
    machine.run(&mut krl, &main.body);
    Ok(RobotProgram {
        language: super::Language::Krl,
        name: chosen.unwrap_or_default(),
        moves: krl.moves,
        statements: machine.statements,
        notes: machine.notes,
    })
}

struct Reader<'a> {
    parser: Parser<'a>,
    procs: HashMap<String, Rc<Proc>>,
    order: Vec<String>,
    globals: Vec<Stmt>,
}

impl Reader<'_> {
    fn file(&mut self, is_data: bool) -> Result<(), Wrong> {
        loop {
            let p = &mut self.parser;
            let word = match &p.token {
                Token::End if is_data => return Ok(()),
                Token::End if self.order.is_empty() => {
                    return Err(p.wrong("there is no DEF in this file: it is no program of KRL"));
                }
                Token::End => return Ok(()),
                Token::Name(word) => word.clone(),
                Token::LineEnd => {
                    p.step()?;
                    continue;
                }
                _ => {
                    // Lines for the editor begin with &.
                    p.skip_line()?;
                    continue;
                }
            };
            match word.as_str() {
                "global" | "public" => p.step()?,
                "defdat" | "enddat" => p.skip_line()?,
                "def" | "deffct" if !is_data => self.routine(word == "deffct")?,
                _ if is_data => {
                    let line = p.line;
                    match self.declaration() {
                        Ok(acts) => {
                            self.globals.extend(acts.into_iter().map(|act| Stmt { line, act: global(act) }))
                        }
                        Err(wrong) => {
                            let why = format!("in the .dat: {}", wrong.what);
                            self.globals.push(Stmt { line, act: Act::Strange { why, moves: false } });
                            self.parser.recover(None);
                        }
                    }
                }
                _ => return Err(p.wrong(format!("'{word}' stands before DEF"))),
            }
        }
    }

    fn routine(&mut self, is_function: bool) -> Result<(), Wrong> {
        let begin = self.parser.line;
        let p = &mut self.parser;
        p.step()?;
        if is_function {
            p.name()?;
        }
        let name = p.name()?;
        let mut params = Vec::new();
        if p.take("(")? {
            while !p.take(")")? {
                match &p.token {
                    Token::End | Token::LineEnd => {
                        return Err(p.wrong(format!("the parameters of '{name}' do not end")));
                    }
                    Token::Name(word) if word != "in" && word != "out" => params.push(word.clone()),
                    _ => {}
                }
                p.step()?;
            }
        }
        p.recover(None);
        let (body, _) = self.block(&[if is_function { "endfct" } else { "end" }], begin, 0)?;
        self.parser.skip_line()?;
        self.order.push(name.clone());
        self.procs.insert(name, Rc::new(Proc { params, body }));
        Ok(())
    }

    fn block(&mut self, ends: &[&str], begin: u32, depth: usize) -> Result<(Block, String), Wrong> {
        if depth > 60 {
            return Err(self.parser.wrong("blocks are too deep in each other"));
        }
        let mut all = Vec::new();
        loop {
            match &self.parser.token {
                Token::LineEnd => {
                    self.parser.recover(None);
                    continue;
                }
                Token::End => {
                    let what = format!(
                        "the file ends before {} of line {begin}: it may be cut short",
                        ends[ends.len() - 1].to_ascii_uppercase()
                    );
                    return Err(Wrong { line: self.parser.line, what, cut: true });
                }
                Token::Name(word) if ends.contains(&word.as_str()) => {
                    let word = word.clone();
                    return Ok((all.into(), word));
                }
                _ => {}
            }
            let line = self.parser.line;
            match self.statement(depth) {
                Ok(acts) => {
                    all.extend(acts.into_iter().map(|act| Stmt { line, act }));
                    if !matches!(self.parser.token, Token::LineEnd | Token::End) {
                        let why = format!("{} stands behind a statement", self.parser.shown());
                        all.push(Stmt { line, act: Act::Strange { why, moves: true } });
                        self.parser.recover(None);
                    }
                }
                Err(wrong) if wrong.cut => return Err(wrong),
                Err(wrong) => {
                    all.push(Stmt { line, act: Act::Strange { why: wrong.what, moves: true } });
                    self.parser.recover(None);
                }
            }
        }
    }

    fn statement(&mut self, depth: usize) -> Result<Vec<Act>, Wrong> {
        let line = self.parser.line;
        let p = &mut self.parser;
        let word = match &p.token {
            Token::Name(word) => word.clone(),
            Token::Sign("&") => {
                p.skip_line()?;
                return Ok(Vec::new());
            }
            _ => return Err(p.wrong(format!("{} begins no statement", p.shown()))),
        };
        let strange = |p: &mut Parser<'_>, why: &str, moves: bool| {
            p.skip_line()?;
            Ok::<_, Wrong>(vec![Act::Strange { why: why.into(), moves }])
        };
        match word.as_str() {
            "global" => {
                p.step()?;
                self.statement(depth)
            }
            "decl" => self.declaration(),
            "struc" => {
                p.skip_line()?;
                Ok(Vec::new())
            }
            _ if TYPES.contains(&word.as_str()) => self.declaration(),
            "interrupt" => strange(p, "what an interrupt does is not looked at", false),
            "trigger" => strange(p, "what is done on the way (TRIGGER) is not looked at", false),
            "goto" => strange(p, "GOTO is not followed", true),
            "spline" | "ptp_spline" => strange(p, "blocks of splines are not understood", true),
            "exit" => strange(p, "EXIT is not followed", true),
            _ if QUIET.contains(&word.as_str()) => {
                p.skip_line()?;
                Ok(Vec::new())
            }
            "return" => {
                p.step()?;
                let value =
                    if matches!(p.token, Token::LineEnd | Token::End) { None } else { Some(p.expr()?) };
                Ok(vec![Act::Return(value)])
            }
            "if" => {
                p.step()?;
                let condition = p.expr()?;
                p.take_word("then")?;
                let (body, end) = self.block(&["else", "endif"], line, depth + 1)?;
                self.parser.step()?;
                let otherwise = if end == "else" {
                    let (otherwise, _) = self.block(&["endif"], line, depth + 1)?;
                    self.parser.step()?;
                    otherwise
                } else {
                    Rc::from([])
                };
                Ok(vec![Act::If(vec![(condition, body)], otherwise)])
            }
            "for" => {
                p.step()?;
                let name = p.name()?;
                p.expect("=")?;
                let from = p.expr()?;
                if !p.take_word("to")? {
                    return Err(p.wrong("TO is missing"));
                }
                let to = p.expr()?;
                let step = if p.take_word("step")? { p.expr()? } else { Expr::Const(Value::Number(1.0)) };
                let (body, _) = self.block(&["endfor"], line, depth + 1)?;
                self.parser.step()?;
                Ok(vec![Act::For { name, from, to, step: Some(step), body }])
            }
            "while" => {
                p.step()?;
                let condition = p.expr()?;
                let (body, _) = self.block(&["endwhile"], line, depth + 1)?;
                self.parser.step()?;
                Ok(vec![Act::While(condition, body)])
            }
            "loop" => {
                p.step()?;
                let (body, _) = self.block(&["endloop"], line, depth + 1)?;
                self.parser.step()?;
                Ok(vec![Act::While(Expr::Const(Value::Truth(true)), body)])
            }
            "repeat" => {
                p.step()?;
                let (body, _) = self.block(&["until"], line, depth + 1)?;
                self.parser.step()?;
                let until = self.parser.expr()?;
                let mut acts: Vec<Act> = body.iter().map(|stmt| stmt.act.clone()).collect();
                acts.push(Act::While(Expr::Not(Box::new(until)), body));
                Ok(acts)
            }
            "switch" => self.switch(line, depth),
            _ if MOTIONS.contains(&word.as_str()) => self.motion(word),
            _ => self.simple(),
        }
    }

    fn switch(&mut self, line: u32, depth: usize) -> Result<Vec<Act>, Wrong> {
        self.parser.step()?;
        let of = self.parser.expr()?;
        let (mut ways, mut otherwise): (Vec<(Expr, Block)>, Block) = (Vec::new(), Rc::from([]));
        let (_, mut end) = self.block(&["case", "default", "endswitch"], line, depth + 1)?;
        loop {
            self.parser.step()?;
            let mut condition: Option<Expr> = None;
            match end.as_str() {
                "endswitch" => return Ok(vec![Act::If(ways, otherwise)]),
                "case" => loop {
                    let same = Expr::Two(Op::Same, Box::new(of.clone()), Box::new(self.parser.expr()?));
                    condition = Some(match condition {
                        None => same,
                        Some(other) => Expr::Two(Op::Or, Box::new(other), Box::new(same)),
                    });
                    if !self.parser.take(",")? {
                        break;
                    }
                },
                _ => {}
            }
            let (body, next) = self.block(&["case", "default", "endswitch"], line, depth + 1)?;
            match condition {
                Some(condition) => ways.push((condition, body)),
                None => otherwise = body,
            }
            end = next;
        }
    }

    /// `PTP XP1 C_PTP`, `CIRC via, to, CA 90 C_DIS`
    fn motion(&mut self, word: String) -> Result<Vec<Act>, Wrong> {
        let p = &mut self.parser;
        p.step()?;
        let mut args = Vec::new();
        loop {
            match &p.token {
                Token::LineEnd | Token::End => break,
                Token::Name(name) if name == "ca" => {
                    p.step()?;
                    args.push(Arg { name: Some("ca".into()), value: Some(p.expr()?) });
                }
                Token::Name(name)
                    if ["c_ptp", "c_dis", "c_vel", "c_ori", "c_spl"].contains(&name.as_str()) =>
                {
                    args.push(Arg { name: Some(name.clone()), value: None });
                    p.step()?;
                }
                Token::Sign(",") => p.step()?,
                Token::Name(name) if name == "with" => return Err(p.wrong("WITH is not understood")),
                _ => args.push(Arg { name: None, value: Some(p.expr()?) }),
            }
        }
        Ok(vec![Act::Call(word, args)])
    }

    fn simple(&mut self) -> Result<Vec<Act>, Wrong> {
        let p = &mut self.parser;
        let place = p.expr()?;
        if p.take("=")? {
            let value = p.expr()?;
            return Ok(vec![Act::Let(place, value)]);
        }
        match place {
            Expr::Call(name, args) => Ok(vec![Act::Call(name, args)]),
            Expr::Name(name) if p.is_sign(":") => {
                p.step()?;
                Ok(vec![Act::Strange {
                    why: format!("'{name}' is a label: jumps are not followed"),
                    moves: false,
                }])
            }
            _ => Err(p.wrong("this is no statement that is known")),
        }
    }

    /// `DECL E6POS XP1={...}`, `INT i, j`
    fn declaration(&mut self) -> Result<Vec<Act>, Wrong> {
        let p = &mut self.parser;
        let mut words = Vec::new();
        while let Token::Name(word) = &p.token {
            words.push(word.clone());
            p.step()?;
        }
        let quiet = ["ext", "extfct", "struc", "enum", "signal", "import"];
        if words.iter().any(|word| quiet.contains(&word.as_str())) {
            p.skip_line()?;
            return Ok(Vec::new());
        }
        let mut acts = Vec::new();
        let mut name = words.pop();
        while let Some(known) = name.take() {
            let mut place = Expr::Name(known.clone());
            if p.take("[")? {
                let mut places = Vec::new();
                while !p.take("]")? {
                    places.push(p.expr()?);
                    p.take(",")?;
                }
                place = Expr::Element(Box::new(place), places);
            }
            if p.take("=")? {
                acts.push(Act::Let(place, p.expr()?));
            } else {
                let value = Value::unknown(format!("'{known}' was given no value"));
                acts.push(Act::Call(
                    "\u{1}local".into(),
                    vec![Arg { name: Some(known), value: Some(Expr::Const(value)) }],
                ));
            }
            if p.take(",")? {
                name = Some(p.name()?);
            }
        }
        if !matches!(p.token, Token::LineEnd | Token::End) {
            return Err(p.wrong(format!("{} stands behind a declaration", p.shown())));
        }
        Ok(acts)
    }
}

/// What a data list says belongs to all.
fn global(act: Act) -> Act {
    match act {
        Act::Let(place, value) => Act::Call(
            "\u{1}global".into(),
            vec![Arg { name: None, value: Some(place) }, Arg { name: None, value: Some(value) }],
        ),
        other => other,
    }
}

struct Krl<'a> {
    profile: &'a Profile,
    moves: Vec<ProgramMove>,
    frames: Frames,
}

const AXES: [&str; 6] = ["a1", "a2", "a3", "a4", "a5", "a6"];

/// The pose of a frame or a position.
fn pose_of(value: &Value) -> Result<Pose, String> {
    let part = |name: &str| value.part(name).number();
    let xyz = [part("x")?, part("y")?, part("z")?];
    fixed_angles_pose(xyz, [part("c")?, part("b")?, part("a")?])
}

impl Krl<'_> {
    fn variable(&mut self, machine: &mut Machine, name: &str) -> Option<Value> {
        machine.peek(name).cloned()
    }

    fn motion(&mut self, machine: &mut Machine, name: &str, args: &[Arg], line: u32) -> Result<(), String> {
        let is_blended =
            args.iter().find_map(|arg| arg.name.as_deref().filter(|name| name.starts_with("c_")));
        let plain: Vec<&Expr> =
            args.iter().filter(|arg| arg.name.is_none()).filter_map(|arg| arg.value.as_ref()).collect();
        if args.iter().any(|arg| arg.name.as_deref() == Some("ca")) {
            return Err("a circle by its angle (CA) is not understood".into());
        }
        let is_circle = name.contains("circ");
        let count = if is_circle { 2 } else { 1 };
        if plain.len() != count {
            return Err(format!("{count} targets are wanted, not {}", plain.len()));
        }
        if let Expr::Name(name) = plain[0]
            && (name == "$axis_act" || name == "$pos_act")
        {
            return Ok(());
        }
        for (variable, good) in [("$ori_type", "#var"), ("$ipo_mode", "#base"), ("$circ_type", "#base")] {
            if let Some(value) = self.variable(machine, variable)
                && value != Value::Text(good.into())
                && (is_circle || variable != "$circ_type")
                && !name.starts_with("ptp")
            {
                return Err(format!(
                    "{} is not {}: how the tool turns is not understood",
                    variable.to_ascii_uppercase(),
                    good.to_ascii_uppercase()
                ));
            }
        }
        let is_joint = name.contains("ptp");
        let value = machine.value_of(self, plain[count - 1]);
        let to = self.target(&value, name.ends_with("_rel"))?;
        let kind = if is_circle {
            if name.ends_with("_rel") {
                return Err("relative circles are not understood".into());
            }
            MotionKind::Circular(pose_of(&machine.value_of(self, plain[0]))?)
        } else if is_joint {
            MotionKind::Joint
        } else {
            MotionKind::Linear
        };
        let zone = match is_blended {
            None => Zone::Fine,
            Some("c_dis") if !is_joint => {
                let distance = self
                    .variable(machine, "$apo")
                    .map_or(Value::unknown("$APO.CDIS was given no value"), |apo| apo.part("cdis"));
                Zone::Radius(distance.number()? * 1e-3)
            }
            Some(_) => Zone::Smooth(1.0),
        };
        let speed = if is_joint {
            match self.variable(machine, "$vel_axis").map(|speeds| speeds.part("[0").number()) {
                Some(Ok(percent)) => Speed::Part(percent / 100.0),
                _ => Speed::Unsaid,
            }
        } else {
            self.variable(machine, "$vel")
                .and_then(|vel| vel.part("cp").number().ok())
                .map_or(Speed::Unsaid, Speed::Tip)
        };
        let tool = self.frame(machine, "$tool", line);
        let work = self.frame(machine, "$base", line);
        let (tool, work) = (tool?, work?);
        if self.moves.len() < super::MOST_MOVES {
            self.moves.push(ProgramMove { line, kind, to, speed, zone, tool, work, insists: false });
        }
        Ok(())
    }

    fn frame(
        &mut self,
        machine: &mut Machine,
        name: &str,
        line: u32,
    ) -> Result<std::sync::Arc<super::Frame>, String> {
        let is_tool = name == "$tool";
        match self.variable(machine, name) {
            None if is_tool => Ok(self.frames.of("$TOOL", self.profile.tool("$tool"))),
            None => {
                machine.note(
                    line,
                    "$BASE is not set in this file: it is taken to be the robot's own frame",
                    false,
                );
                Ok(self.frames.of("$BASE", Some(self.profile.work("$base").unwrap_or(Pose::IDENTITY))))
            }
            Some(Value::Text(number)) => {
                // A number of a tool or base that the controller keeps.
                let kept = if is_tool { self.profile.tool(&number) } else { self.profile.work(&number) };
                Ok(self.frames.of(&number, kept))
            }
            Some(value) => Ok(self.frames.of(&name.to_ascii_uppercase(), Some(pose_of(&value)?))),
        }
    }

    fn target(&mut self, value: &Value, is_relative: bool) -> Result<Target, String> {
        let Value::Record(parts) = value else {
            return Err(match value {
                Value::Unknown(why) => why.clone(),
                other => format!("{} is no target", other.kind()),
            });
        };
        let has = |name: &str| parts.iter().any(|(known, _)| known == name);
        let external =
            |name: &str| name.len() == 2 && name.starts_with('e') && name.as_bytes()[1].is_ascii_digit();
        for (_, value) in parts.iter().filter(|(name, _)| external(name)) {
            if value.number()? != 0.0 {
                return Err("external axes are moved: this is not understood".into());
            }
        }
        let last = self.moves.last().map(|last| &last.to);
        if AXES.iter().any(|axis| has(axis)) {
            let before = match last {
                Some(Target::Joints(before)) => Some(before),
                _ => None,
            };
            let mut joints = Vec::with_capacity(6);
            for (k, axis) in AXES.iter().enumerate() {
                let angle = if has(axis) { Some(value.part(axis).number()?.to_radians()) } else { None };
                joints.push(match (angle, before, is_relative) {
                    (Some(angle), _, false) => angle,
                    (angle, Some(before), true) => before[k] + angle.unwrap_or(0.0),
                    (None, Some(before), false) => before[k],
                    _ => {
                        return Err(
                            "the axes that are not named stay as they are, and that is not known here".into(),
                        );
                    }
                });
            }
            return Ok(Target::Joints(joints));
        }
        let names = ["x", "y", "z", "a", "b", "c"];
        if !names.iter().any(|name| has(name)) {
            return Err("there is neither a place nor an axis in this target".into());
        }
        let before = match last {
            Some(Target::Pose(before, _)) => {
                let (p, [c, b, a]) = (before.translation() * 1e3, fixed_angles_deg(before));
                Some([p.x, p.y, p.z, a, b, c])
            }
            _ => None,
        };
        let mut six = [0.0; 6];
        for (k, name) in names.iter().enumerate() {
            let number = if has(name) { Some(value.part(name).number()?) } else { None };
            six[k] = match (number, before, is_relative) {
                (Some(number), _, false) => number,
                (Some(number), Some(_), true) if k >= 3 && number != 0.0 => {
                    return Err("relative turns are not understood".into());
                }
                (number, Some(before), true) => before[k] + number.unwrap_or(0.0),
                (None, Some(before), false) => before[k],
                _ => return Err("what is not named stays as it is, and that is not known here".into()),
            };
        }
        let bits = |name: &str| -> Result<Option<u8>, String> {
            if !has(name) {
                return Ok(None);
            }
            let number = value.part(name).number()?;
            if number.fract() == 0.0 && (0.0..128.0).contains(&number) {
                Ok(Some(number as u8))
            } else {
                Err(format!("{} is no whole number from 0 to 127", name.to_ascii_uppercase()))
            }
        };
        let (status, turn) = (bits("s")?, bits("t")?);
        let config = if status.is_none() && turn.is_none() {
            Config::Unsaid
        } else {
            Config::Kuka { status: status.map(|s| s & 7), turn }
        };
        let pose = fixed_angles_pose([six[0], six[1], six[2]], [six[5], six[4], six[3]])?;
        Ok(Target::Pose(pose, config))
    }

    fn set_frame(&mut self, machine: &mut Machine, name: &str, number: f64) {
        let array = if name == "$tool" { "tool_data" } else { "base_data" };
        let null = self.known("$nullframe").expect("it is known");
        let value = if number == 0.0 {
            null
        } else {
            match machine.peek(array).map(|all| all.part(&format!("[{}", number - 1.0))) {
                Some(value @ Value::Record(_)) => value,
                _ => Value::Text(format!("{number}")),
            }
        };
        machine.set_global(name.into(), value);
    }

    fn bas(&mut self, machine: &mut Machine, args: &[Arg]) -> Result<(), Strange> {
        let mut values = Vec::new();
        for arg in args {
            let value = arg.value.as_ref().map(|value| machine.value_of(self, value));
            values.extend(value);
        }
        let Some(Value::Text(what)) = values.first() else {
            return Err(Strange { why: "what BAS is to do is not known".into(), moves: true });
        };
        let number = values.get(1).map_or(Err("a number is missing".to_owned()), Value::number);
        let strange = |why: String| Strange { why, moves: true };
        match what.as_str() {
            "#tool" => self.set_frame(machine, "$tool", number.map_err(strange)?),
            "#base" => self.set_frame(machine, "$base", number.map_err(strange)?),
            "#vel_cp" => {
                let speed = Value::Record(vec![("cp".into(), Value::Number(number.map_err(strange)?))]);
                machine.set_global("$vel".into(), speed);
            }
            "#vel_ptp" => {
                let percent = Value::Number(number.map_err(strange)?);
                machine.set_global("$vel_axis".into(), Value::Record(vec![("[0".into(), percent)]));
            }
            "#frames" | "#ptp_params" | "#cp_params" => {
                if let Some(act) = self.variable(machine, "fdat_act") {
                    for (part, name) in [("tool_no", "$tool"), ("base_no", "$base")] {
                        let number = act.part(part).number().map_err(strange)?;
                        self.set_frame(machine, name, number);
                    }
                    if act.part("ipo_frame") != Value::Text("#base".into()) {
                        return Err(strange(
                            "the robot holds the work (IPO_FRAME #TCP): this is not understood".into(),
                        ));
                    }
                }
                if what == "#cp_params" {
                    let speed = Value::Record(vec![(
                        "cp".into(),
                        values.get(1).cloned().unwrap_or(Value::unknown("the speed is not known")),
                    )]);
                    machine.set_global("$vel".into(), speed);
                    if let Some(data) = self.variable(machine, "ldat_act") {
                        machine.set_global(
                            "$apo".into(),
                            Value::Record(vec![("cdis".into(), data.part("apo_dist"))]),
                        );
                    }
                } else if what == "#ptp_params" {
                    let percent = values.get(1).cloned().unwrap_or(Value::unknown("the speed is not known"));
                    machine.set_global("$vel_axis".into(), Value::Record(vec![("[0".into(), percent)]));
                }
            }
            _ => {}
        }
        Ok(())
    }
}

impl Language for Krl<'_> {
    fn act(&mut self, machine: &mut Machine, name: &str, args: &[Arg], line: u32) -> Result<(), Strange> {
        if MOTIONS.contains(&name) {
            return self.motion(machine, name, args, line).map_err(|why| Strange { why, moves: true });
        }
        match name {
            "\u{1}local" => {
                for arg in args {
                    if let (Some(name), Some(Expr::Const(value))) = (&arg.name, &arg.value)
                        && machine.peek(name).is_none()
                    {
                        machine.set_local(name, value.clone());
                    }
                }
                Ok(())
            }
            "\u{1}global" => {
                if let [Arg { value: Some(Expr::Name(name)), .. }, Arg { value: Some(value), .. }] = args {
                    let value = machine.value_of(self, value);
                    machine.set_global(name.clone(), value);
                }
                Ok(())
            }
            "bas" => self.bas(machine, args),
            _ if HARMLESS.contains(&name) || self.profile.is_harmless(name) => Ok(()),
            _ => Err(Strange {
                why: format!("'{name}' is not in this file, and could move the robot"),
                moves: true,
            }),
        }
    }

    fn function(&mut self, name: &str, args: &[(Option<String>, Value)]) -> Value {
        let number = |k: usize| {
            args.get(k).map_or(Err("an argument is missing".to_owned()), |(_, value)| value.number())
        };
        let found = match name {
            ":" => (|| {
                let (left, right) = (&args[0].1, &args[1].1);
                let pose = pose_of(left)? * pose_of(right)?;
                let (p, [c, b, a]) = (pose.translation() * 1e3, fixed_angles_deg(&pose));
                let mut parts: Vec<(String, Value)> = ["x", "y", "z", "a", "b", "c"]
                    .iter()
                    .zip([p.x, p.y, p.z, a, b, c])
                    .map(|(name, number)| ((*name).to_owned(), Value::Number(number)))
                    .collect();
                if let Value::Record(rest) = right {
                    parts.extend(rest.iter().filter(|(name, _)| name == "s" || name == "t").cloned());
                }
                Ok(Value::Record(parts))
            })(),
            "abs" => number(0).map(|x| Value::Number(x.abs())),
            "sqrt" => number(0).map(|x| Value::Number(x.sqrt())),
            "sin" => number(0).map(|x| Value::Number(x.to_radians().sin())),
            "cos" => number(0).map(|x| Value::Number(x.to_radians().cos())),
            "tan" => number(0).map(|x| Value::Number(x.to_radians().tan())),
            "atan2" => number(0).and_then(|y| Ok(Value::Number(y.atan2(number(1)?).to_degrees()))),
            _ => Err(format!("what '{name}' gives is not known")),
        };
        found.unwrap_or_else(Value::Unknown)
    }

    fn known(&self, name: &str) -> Option<Value> {
        match name {
            "$nullframe" | "$world" | "$robroot" => {
                let part = |name: &&str| ((*name).to_owned(), Value::Number(0.0));
                Some(Value::Record(["x", "y", "z", "a", "b", "c"].iter().map(part).collect()))
            }
            _ => None,
        }
    }

    fn moves(&self, name: &str) -> bool {
        let quiet = [
            "\u{1}local",
            "\u{1}global",
            "abs",
            "sqrt",
            "sin",
            "cos",
            "tan",
            "atan2",
            "acos",
            "inv_pos",
            "forward",
            "inverse",
        ];
        !(HARMLESS.contains(&name) || quiet.contains(&name) || self.profile.is_harmless(name))
    }

    fn first(&self) -> usize {
        RULES.first
    }
}
