//! Which parts of an assembly block which?

use crate::find::{Between, ContactOptions, contacts};
use crate::part::Part;
use crate::region::{Region, regions};
use crate::set::{ContactSet, Twist, Verdict};
use kansho_geom::glam::DVec3;

/// Parts, and what each pair of them that touches allows.
#[derive(Clone, Debug)]
pub struct Assembly {
    /// How many parts.
    pub parts: usize,
    /// Pairs that touch.
    pub pairs: Vec<Touching>,
    /// Pairs that are in each other, or whose contacts are unclear; nothing is known about what these allow.
    pub faults: Vec<([usize; 2], Between)>,
}

/// Two parts that touch.
#[derive(Clone, Debug)]
pub struct Touching {
    /// Which: the first is taken to move.
    pub parts: [usize; 2],
    /// What counts as touching, in metres.
    pub touch: f64,
    /// What the second allows the first.
    pub set: ContactSet,
    /// Where they touch.
    pub regions: Vec<Region>,
}

impl Assembly {
    /// Finds all contacts between parts.
    #[must_use]
    pub fn of(parts: &[&Part], options: &ContactOptions) -> Self {
        let mut assembly = Self { parts: parts.len(), pairs: Vec::new(), faults: Vec::new() };
        for (i, a) in parts.iter().enumerate() {
            for (j, b) in parts.iter().enumerate().skip(i + 1) {
                let apart = (b.aabb.min() - a.aabb.max()).max(a.aabb.min() - b.aabb.max()).max_element();
                if apart > options.touch.unwrap_or(crate::find::touch_by_default(a, b)) {
                    continue;
                }
                let found = contacts(a, &[*b], options);
                match found.between[0] {
                    Between::Apart { .. } => {}
                    Between::Touching => {
                        let list: Vec<_> = found.set.contacts.iter().collect();
                        let regions = regions(a, b, &list, found.touch[0]);
                        assembly.pairs.push(Touching {
                            parts: [i, j],
                            touch: found.touch[0],
                            set: found.set,
                            regions,
                        });
                    }
                    fault => assembly.faults.push(([i, j], fault)),
                }
            }
        }
        assembly
    }

    /// Whether a small motion of a part is blocked by another that stays. Sliding along does not count; what is not known
    /// does.
    #[must_use]
    pub fn blocks(&self, moving: usize, fixed: usize, motion: &Twist) -> bool {
        let back = Twist { v: -motion.v, w: -motion.w };
        self.pairs.iter().any(|pair| match pair.parts {
            [a, b] if (a, b) == (moving, fixed) => pair.set.judge(motion).verdict == Verdict::Blocked,
            // If the second moves, the first moves the other way as seen from it.
            [a, b] if (b, a) == (moving, fixed) => pair.set.judge(&back).verdict == Verdict::Blocked,
            _ => false,
        }) || self.faults.iter().any(|(pair, _)| *pair == [moving, fixed] || *pair == [fixed, moving])
    }

    /// Who blocks each part in a small motion.
    #[must_use]
    pub fn blocking_graph(&self, motion: &Twist) -> Vec<Vec<usize>> {
        let mut graph = vec![Vec::new(); self.parts];
        let pairs = self.pairs.iter().map(|p| p.parts).chain(self.faults.iter().map(|f| f.0));
        for [a, b] in pairs {
            for (moving, fixed) in [(a, b), (b, a)] {
                if self.blocks(moving, fixed, motion) {
                    graph[moving].push(fixed);
                }
            }
        }
        graph.iter_mut().for_each(|by| by.sort_unstable());
        graph
    }

    /// Directions worth trying: who blocks whom among translations changes only at planes across contact normals, so if a set
    /// can leave at all, it can along a normal or along the line of two such planes.
    #[must_use]
    pub fn directions(&self) -> Vec<DVec3> {
        let mut normals: Vec<DVec3> = Vec::new();
        let same = |a: DVec3, b: DVec3| a.cross(b).length() <= 1e-6;
        for row in self.pairs.iter().flat_map(|p| p.set.conditions().flat_map(|(_, rows)| rows)) {
            if !normals.iter().any(|&n| same(n, row.normal)) {
                normals.push(row.normal);
            }
        }
        let mut lines = normals.clone();
        // Many different normals come from round things; their lines are too many to try, and normals have to do.
        const MOST: usize = 32;
        if normals.len() <= MOST {
            for (i, a) in normals.iter().enumerate() {
                for b in &normals[i + 1..] {
                    if let Some(line) = a.cross(*b).try_normalize()
                        && !lines.iter().any(|&l| same(l, line))
                    {
                        lines.push(line);
                    }
                }
            }
        }
        lines.into_iter().flat_map(|d| [d, -d]).collect()
    }
}
