//! Programs of URScript with a part left out, to find what makes a difference.

use super::{Program, Stmt};

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
            Stmt::If(ways, otherwise) => {
                all.push(with(otherwise.clone()));
                for (k, (_, body)) in ways.iter().enumerate() {
                    all.push(with(body.clone()));
                    for body in fewer(body) {
                        let mut ways = ways.clone();
                        ways[k].1 = body;
                        all.push(with(vec![Stmt::If(ways, otherwise.clone())]));
                    }
                }
                let less = |otherwise| with(vec![Stmt::If(ways.clone(), otherwise)]);
                all.extend(fewer(otherwise).into_iter().map(less));
            }
            Stmt::While(condition, body) => {
                all.push(with(body.clone()));
                let less = |body| with(vec![Stmt::While(condition.clone(), body)]);
                all.extend(fewer(body).into_iter().map(less));
            }
            _ => {}
        }
    }
    all
}

impl Program {
    pub(super) fn smaller(&self) -> Vec<Self> {
        let mut all = Vec::new();
        if let Some((_, functions)) = self.functions.split_last() {
            all.push(Self { functions: functions.to_vec(), ..self.clone() });
        }
        for (k, function) in self.functions.iter().enumerate() {
            for body in fewer(&function.body) {
                let mut functions = self.functions.clone();
                functions[k].body = body;
                all.push(Self { functions, ..self.clone() });
            }
        }
        all.extend(fewer(&self.first).into_iter().map(|first| Self { first, ..self.clone() }));
        all.extend(fewer(&self.body).into_iter().map(|body| Self { body, ..self.clone() }));
        all
    }
}
