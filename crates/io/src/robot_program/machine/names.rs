//! Names in the text of a program: what it calls and what it sets, whether that is run or not.

use super::values::{calls, root};
use super::{Act, Block, Language, Machine, Proc};
use crate::robot_program::parser::Expr;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

/// Routines of the file that a block may call, and those that these may call.
pub(in crate::robot_program) fn called(block: &Block, procs: &HashMap<String, Rc<Proc>>) -> HashSet<String> {
    let mut found = HashSet::new();
    let mut open = vec![block.clone()];
    while let Some(block) = open.pop() {
        each(&block, &mut |act| {
            let mut call = |name: &str| {
                if let Some(proc) = procs.get(name)
                    && found.insert(name.to_owned())
                {
                    open.push(proc.body.clone());
                }
            };
            match act {
                Act::Call(name, _) | Act::Whenever(name) => call(name),
                Act::Aside(names) => names.iter().for_each(|name| call(name)),
                _ => {}
            }
            expressions(act).into_iter().flat_map(calls).for_each(call);
        });
    }
    found
}

/// Variables of a program, by what becomes of them.
pub(super) struct Sets {
    /// Those that a move or a branch may depend on, or that are put into one of these.
    pub(super) read: HashSet<String>,
    /// Those that may be set.
    pub(super) set: HashSet<String>,
}

/// Looks at a block and at all that it may call.
pub(super) fn sets<L: Language>(block: &Block, procs: &HashMap<String, Rc<Proc>>, language: &L) -> Sets {
    let writes = |name: &str| match procs.get(name) {
        Some(proc) => proc.params.iter().any(|param| param.is_reference),
        None => language.writes(name),
    };
    let set = mentioned(block, procs, &writes).set;
    let mut read = HashSet::new();
    // Variables, and what is put into them.
    let mut put: Vec<(HashSet<String>, HashSet<String>)> = Vec::new();
    let all = called(block, procs);
    let routines: Vec<&Rc<Proc>> = all.iter().filter_map(|name| procs.get(name)).collect();
    // What is handed over may become a parameter that refers to it.
    read.extend(routines.iter().flat_map(|proc| &proc.params).map(|param| param.name.clone()));
    for body in routines.iter().map(|proc| &proc.body).chain([block]) {
        each(body, &mut |act| {
            let of = |exprs: &[&Expr]| {
                let mut names = HashSet::new();
                exprs.iter().for_each(|expr| variables(expr, &mut names));
                names
            };
            match act {
                Act::Let(place, value) | Act::Global(place, value) => {
                    put.push((root(place).into_iter().collect(), of(&[place, value])));
                }
                Act::Declare(name, value) => {
                    put.push(([name.clone()].into(), of(&value.iter().collect::<Vec<_>>())));
                }
                // A statement that sets what it is handed may do so from all of that; one that only tells does nothing with it.
                Act::Call(name, args) if !procs.contains_key(name) && !language.moves(name) => {
                    let names = of(&args.iter().filter_map(|arg| arg.value.as_ref()).collect::<Vec<_>>());
                    if writes(name) {
                        put.push((names.clone(), names));
                    }
                }
                other => read.extend(of(&expressions(other))),
            }
        });
    }
    loop {
        let before = read.len();
        for (places, values) in &put {
            if places.iter().any(|place| read.contains(place)) {
                read.extend(values.iter().cloned());
            }
        }
        if read.len() == before {
            return Sets { read, set };
        }
    }
}

/// Names in a routine and in those of the file that it may call.
pub(super) struct Mentioned {
    /// All of them.
    pub(super) all: HashSet<String>,
    /// Those that may be set: something is put into them, or they are handed over to something.
    pub(super) set: HashSet<String>,
}

/// `writes` tells whether something that is called may set what it is handed.
fn mentioned(block: &Block, procs: &HashMap<String, Rc<Proc>>, writes: &dyn Fn(&str) -> bool) -> Mentioned {
    let mut found = Mentioned { all: HashSet::new(), set: HashSet::new() };
    let bodies = called(block, procs).into_iter().filter_map(|name| Some(procs.get(&name)?.body.clone()));
    for body in bodies.chain([block.clone()]) {
        each(&body, &mut |act| {
            match act {
                Act::Declare(name, Some(_)) => found.set.extend([name.clone()]),
                Act::Let(place, _) | Act::Global(place, _) => found.set.extend(root(place)),
                Act::For(of) => found.set.extend([of.name.clone()]),
                Act::Call(name, args) if writes(name) => {
                    let values = args.iter().filter_map(|arg| arg.value.as_ref());
                    values.for_each(|value| variables(value, &mut found.set));
                }
                _ => {}
            }
            for expr in expressions(act) {
                variables(expr, &mut found.all);
                if calls(expr).into_iter().any(writes) {
                    variables(expr, &mut found.set);
                }
            }
        });
    }
    found.all.extend(found.set.iter().cloned());
    found
}

/// Names of variables in an expression.
pub(super) fn variables(expr: &Expr, found: &mut HashSet<String>) {
    match expr {
        Expr::Name(name) => drop(found.insert(name.clone())),
        Expr::Const(_) => {}
        Expr::Part(of, _) | Expr::Minus(of) | Expr::Not(of) => variables(of, found),
        Expr::Element(of, places) => {
            variables(of, found);
            places.iter().for_each(|place| variables(place, found));
        }
        Expr::List(all) => all.iter().for_each(|one| variables(one, found)),
        Expr::Record(all) => all.iter().for_each(|(_, one)| variables(one, found)),
        Expr::Two(_, left, right) => [left, right].into_iter().for_each(|side| variables(side, found)),
        Expr::Call(_, args) => {
            args.iter().filter_map(|arg| arg.value.as_ref()).for_each(|value| variables(value, found));
        }
    }
}

/// Variables that a block sets without saying whose they are, with the line of each.
pub(in crate::robot_program) fn written(block: &Block) -> Vec<(String, u32)> {
    let mut found: Vec<(String, u32)> = Vec::new();
    each_with_line(block, &mut |act, line| {
        if let Act::Let(place, _) = act
            && let Some(name) = root(place)
            && !found.iter().any(|(known, _)| *known == name)
        {
            found.push((name, line));
        }
    });
    found
}

/// A variable among some that a block makes its own after it, or a deeper block, came by that name: whether it meant its own then is not said.
pub(in crate::robot_program) fn hidden_late(block: &Block, names: &[String]) -> Option<(String, u32)> {
    let mut is_own = false;
    each(block, &mut |act| is_own |= matches!(act, Act::Declare(name, _) if names.contains(name)));
    if !is_own {
        return None;
    }
    let mut met = HashSet::new();
    for stmt in block.iter() {
        let mut own: Vec<(String, u32)> = Vec::new();
        let mut inner = HashSet::new();
        let one: Block = Rc::from([stmt.clone()]);
        each_with_line(&one, &mut |act, line| {
            if let Act::Declare(name, _) = act {
                own.push((name.clone(), line));
            }
            expressions(act).into_iter().for_each(|expr| variables(expr, &mut inner));
        });
        let is_first =
            matches!(&stmt.act, Act::Declare(name, _) if !inner.contains(name) && !met.contains(name));
        if let Some(late) = own.iter().find(|(name, _)| names.contains(name) && !is_first) {
            return Some(late.clone());
        }
        met.extend(inner);
        met.extend(own.into_iter().map(|(name, _)| name));
    }
    None
}

impl Machine {
    /// The body of each routine of the file.
    pub(in crate::robot_program) fn bodies(&self) -> Vec<Block> {
        let mut all: Vec<(&String, &Rc<Proc>)> = self.procs.iter().collect();
        all.sort_by_key(|(name, _)| *name);
        all.into_iter().map(|(_, proc)| proc.body.clone()).collect()
    }

    /// A variable that a routine is handed by reference and may come by in another way, too: by its own name, or as another parameter. To a controller such
    /// a parameter is the variable itself, to us a copy that is put back. That makes no difference as long as none of them is set.
    pub(super) fn met_twice<L: Language>(
        &mut self,
        language: &L,
        proc: &Rc<Proc>,
        handed: &[(&str, &Expr)],
    ) -> Option<String> {
        if handed.is_empty() {
            return None;
        }
        self.look_into_proc(language, proc);
        let known = &self.mentioned[&Rc::as_ptr(proc).addr()];
        let locals = self.locals.last();
        for (k, (parameter, expr)) in handed.iter().enumerate() {
            let mut names = HashSet::new();
            variables(expr, &mut names);
            for name in names {
                let is_local = locals.is_some_and(|locals| locals.contains_key(&name));
                let by_name = !is_local && known.all.contains(&name);
                let others = handed.iter().enumerate().filter(|(other, _)| *other != k);
                let mut as_another = others
                    .filter(|(_, (_, other))| root(other).as_ref() == Some(&name))
                    .map(|(_, (other, _))| *other);
                let is_set = known.set.contains(*parameter) || known.set.contains(&name);
                if by_name && is_set || as_another.any(|other| is_set || known.set.contains(other)) {
                    return Some(name);
                }
            }
        }
        None
    }

    /// Keeps the names in a routine, if it is one of the file.
    pub(super) fn look_into<L: Language>(&mut self, language: &L, name: &str) {
        if let Some(proc) = self.procs.get(name).cloned() {
            self.look_into_proc(language, &proc);
        }
    }

    fn look_into_proc<L: Language>(&mut self, language: &L, proc: &Rc<Proc>) {
        let procs = Rc::clone(&self.procs);
        let writes = |name: &str| match procs.get(name) {
            Some(proc) => proc.params.iter().any(|param| param.is_reference),
            None => language.writes(name),
        };
        let place = Rc::as_ptr(proc).addr();
        self.mentioned.entry(place).or_insert_with(|| mentioned(&proc.body, &procs, &writes));
    }

    /// Variables that any routine of the file, or a block, may set.
    pub(in crate::robot_program) fn set_anywhere<L: Language>(
        &self,
        language: &L,
        also: &Block,
    ) -> HashSet<String> {
        let bodies = self.procs.values().map(|proc| &proc.body).chain([also]);
        bodies.flat_map(|body| self.set_in(language, body)).collect()
    }

    /// Variables that a block may set, or routines of the file that it calls.
    pub(super) fn set_in<L: Language>(&self, language: &L, block: &Block) -> HashSet<String> {
        let procs = &self.procs;
        let writes = |name: &str| match procs.get(name) {
            Some(proc) => proc.params.iter().any(|param| param.is_reference),
            None => language.writes(name),
        };
        mentioned(block, procs, &writes).set
    }

    /// A routine, but for one, that sets a variable of that name without saying whose it is.
    pub(in crate::robot_program) fn sets_locally(&self, name: &str, but: Option<&str>) -> Option<&str> {
        let sets = |proc: &Proc| {
            !proc.params.iter().any(|param| param.name == name)
                && written(&proc.body).iter().any(|(known, _)| known == name)
        };
        let mut all: Vec<&String> = self
            .procs
            .iter()
            .filter(|(name, proc)| but != Some(name.as_str()) && sets(proc))
            .map(|(name, _)| name)
            .collect();
        all.sort();
        all.first().map(|name| name.as_str())
    }
}

fn each(block: &Block, look: &mut dyn FnMut(&Act)) {
    each_with_line(block, &mut |act, _| look(act));
}

/// Looks at every act of a block, those in blocks within it included.
pub(super) fn each_with_line(block: &Block, look: &mut dyn FnMut(&Act, u32)) {
    for stmt in block.iter() {
        look(&stmt.act, stmt.line);
        match &stmt.act {
            Act::If(ways, otherwise) => {
                ways.iter().for_each(|(_, body)| each_with_line(body, look));
                each_with_line(otherwise, look);
            }
            Act::For(of) => each_with_line(&of.body, look),
            Act::While(_, body) | Act::AfterFault(body, _) => each_with_line(body, look),
            _ => {}
        }
    }
}

/// Expressions of an act itself.
pub(super) fn expressions(act: &Act) -> Vec<&Expr> {
    match act {
        Act::Let(place, value) | Act::Global(place, value) => vec![place, value],
        Act::Declare(_, value) | Act::Return(value) => value.iter().collect(),
        Act::Call(_, args) => args.iter().filter_map(|arg| arg.value.as_ref()).collect(),
        Act::If(ways, _) => ways.iter().map(|(condition, _)| condition).collect(),
        Act::For(of) => [Some(&of.from), Some(&of.to), of.step.as_ref()].into_iter().flatten().collect(),
        Act::While(condition, _) => vec![condition],
        Act::AfterFault(..) | Act::Aside(_) | Act::Whenever(_) | Act::Strange { .. } => Vec::new(),
    }
}
