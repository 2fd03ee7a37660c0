//! Programs of KRL with a part left out, to find what makes a difference.

use super::{Program, Routine, Stmt};

/// Blocks with one statement less, or with what is in it in its place.
fn fewer(block: &[Stmt]) -> Vec<Vec<Stmt>> {
    let mut all = Vec::new();
    for (k, stmt) in block.iter().enumerate() {
        let with = |instead: Vec<Stmt>| {
            let (before, after) = (block[..k].to_vec(), block[k + 1..].to_vec());
            [before, instead, after].concat()
        };
        all.push(with(Vec::new()));
        match stmt {
            Stmt::If(condition, yes, no) => {
                all.extend([with(yes.clone()), with(no.clone())]);
                let less = |yes, no| with(vec![Stmt::If(condition.clone(), yes, no)]);
                all.extend(fewer(yes).into_iter().map(|yes| less(yes, no.clone())));
                all.extend(fewer(no).into_iter().map(|no| less(yes.clone(), no)));
            }
            Stmt::For { name, from, to, step, body } => {
                let (from, to) = (from.clone(), to.clone());
                let less = |body| Stmt::For { name, from: from.clone(), to: to.clone(), step: *step, body };
                all.push(with(body.clone()));
                all.extend(fewer(body).into_iter().map(|body| with(vec![less(body)])));
            }
            Stmt::While(condition, body) => {
                all.push(with(body.clone()));
                let less = |body| with(vec![Stmt::While(condition.clone(), body)]);
                all.extend(fewer(body).into_iter().map(less));
            }
            Stmt::Repeat(body, until) => {
                all.push(with(body.clone()));
                let less = |body| with(vec![Stmt::Repeat(body, until.clone())]);
                all.extend(fewer(body).into_iter().map(less));
            }
            Stmt::Loop(body) => all.extend(fewer(body).into_iter().map(|body| with(vec![Stmt::Loop(body)]))),
            Stmt::Skip(_, body, _) => all.push(with(body.clone())),
            Stmt::Switch(of, ways, otherwise) => {
                for (k, (_, body)) in ways.iter().enumerate() {
                    all.push(with(body.clone()));
                    for body in fewer(body) {
                        let mut ways = ways.clone();
                        ways[k].1 = body;
                        all.push(with(vec![Stmt::Switch(of.clone(), ways, otherwise.clone())]));
                    }
                }
                all.push(with(vec![Stmt::Switch(of.clone(), ways.clone(), None)]));
            }
            _ => {}
        }
    }
    all
}

impl Program {
    pub(super) fn smaller(&self) -> Vec<Self> {
        let mut all = Vec::new();
        if self.0.len() > 1 {
            all.push(Self(self.0[..self.0.len() - 1].to_vec()));
        }
        for (k, routine) in self.0.iter().enumerate() {
            let with = |routine: Routine| {
                let mut routines = self.0.clone();
                routines[k] = routine;
                Self(routines)
            };
            all.extend(
                fewer(&routine.body).into_iter().map(|body| with(Routine { body, ..routine.clone() })),
            );
            for place in 0..routine.locals.len() {
                let mut less = routine.clone();
                less.locals.remove(place);
                all.push(with(less));
            }
        }
        all
    }
}
