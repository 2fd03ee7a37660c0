//! The search of the patent: rank by rank through spheres that meet, with marks.
//!
//! Steps 1 to 6 and Fig. 12 of the patent. Marks say which children of two spheres that meet are worth comparing: those of
//! one that meet the other. They belong to the two parents: read literally, steps 5 and 6 clear all marks, and pairs that wait
//! further up would be lost. Here every pair of parents has its own, which is what Fig. 12 saves on the way down and restores on
//! the way up.

use super::Hierarchy;
use crate::pose::Pose;
use glam::DVec3;

/// A sphere of a hierarchy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SphereId {
    /// Rank, from 0 for the largest.
    pub rank: usize,
    /// Number within the rank.
    pub index: usize,
}

/// Whether to look on after the first pair of smallest spheres that meet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Portions {
    /// One is enough.
    First,
    /// All colliding portions.
    All,
}

/// Pairs of smallest spheres that meet. `meets` tells whether two spheres do; it is asked in the order of the patent.
pub fn search(
    x: &Hierarchy,
    y: &Hierarchy,
    portions: Portions,
    meets: &mut dyn FnMut(SphereId, SphereId) -> bool,
) -> Vec<[SphereId; 2]> {
    let mut search = Search { x, y, portions, meets, found: Vec::new() };
    // Step 1: the uppermost spheres are marked.
    let top = SphereId { rank: 0, index: 0 };
    search.combinations(&[top], &[top]);
    search.found
}

struct Search<'a> {
    x: &'a Hierarchy,
    y: &'a Hierarchy,
    portions: Portions,
    meets: &'a mut dyn FnMut(SphereId, SphereId) -> bool,
    found: Vec<[SphereId; 2]>,
}

impl Search<'_> {
    /// Steps 2 and 3: all combinations of marked spheres. True says that the search is over.
    fn combinations(&mut self, marked_x: &[SphereId], marked_y: &[SphereId]) -> bool {
        for &x in marked_x {
            for &y in marked_y {
                if (self.meets)(x, y) && self.descend(x, y) {
                    return true;
                }
            }
        }
        false
    }

    /// Step 4: two spheres that meet.
    fn descend(&mut self, x: SphereId, y: SphereId) -> bool {
        let (children_x, children_y) = (children(self.x, x), children(self.y, y));
        // A sphere above the lowermost rank may have no children: what of the surface it meets may lie in other cells.
        match (x.rank + 1 == self.x.ranks().len(), y.rank + 1 == self.y.ranks().len()) {
            (true, true) => {
                self.found.push([x, y]);
                self.portions == Portions::First
            }
            // Step 5: one of them is of the lowermost rank, and stays.
            (true, false) => {
                children_y.into_iter().any(|child| (self.meets)(x, child) && self.descend(x, child))
            }
            (false, true) => {
                children_x.into_iter().any(|child| (self.meets)(child, y) && self.descend(child, y))
            }
            // Step 6: marks the children of each that meet the other.
            (false, false) => {
                let mut marked_y = children_y;
                marked_y.retain(|&child| (self.meets)(x, child));
                if marked_y.is_empty() {
                    return false;
                }
                let mut marked_x = children_x;
                marked_x.retain(|&child| (self.meets)(child, y));
                self.combinations(&marked_x, &marked_y)
            }
        }
    }
}

fn children(hierarchy: &Hierarchy, sphere: SphereId) -> Vec<SphereId> {
    let range = hierarchy.ranks()[sphere.rank].children(sphere.index);
    range.map(|index| SphereId { rank: sphere.rank + 1, index }).collect()
}

/// A hierarchy that moves. Centres are placed only where somebody looks.
#[derive(Clone, Debug)]
pub struct Moving<'a> {
    hierarchy: &'a Hierarchy,
    world_from_body: Pose,
    /// For each rank and sphere the centre, and when it was placed.
    centres: Vec<Vec<(DVec3, u32)>>,
    now: u32,
    /// Centres placed so far.
    pub placed: u64,
}

impl<'a> Moving<'a> {
    /// A hierarchy in its own frame.
    #[must_use]
    pub fn new(hierarchy: &'a Hierarchy) -> Self {
        let centres =
            hierarchy.ranks().iter().map(|rank| vec![(DVec3::ZERO, 0); rank.centres().len()]).collect();
        Self { hierarchy, world_from_body: Pose::IDENTITY, centres, now: 1, placed: 0 }
    }

    /// Moves the body. No centre is placed yet.
    pub fn move_to(&mut self, world_from_body: Pose) {
        self.world_from_body = world_from_body;
        self.now += 1;
    }

    /// The centre of a sphere in the world.
    pub fn centre(&mut self, sphere: SphereId) -> DVec3 {
        let (centre, when) = &mut self.centres[sphere.rank][sphere.index];
        if *when != self.now {
            *centre = self.world_from_body * self.hierarchy.ranks()[sphere.rank].centres()[sphere.index];
            *when = self.now;
            self.placed += 1;
        }
        *centre
    }

    /// Pairs of smallest spheres of two hierarchies that meet; and how many pairs of spheres were compared. Touching counts.
    pub fn search(x: &mut Self, y: &mut Self, portions: Portions) -> (Vec<[SphereId; 2]>, u64) {
        let mut compared = 0;
        let (of_x, of_y) = (x.hierarchy, y.hierarchy);
        let mut meets = |i: SphereId, j: SphereId| {
            compared += 1;
            let reach = of_x.ranks()[i.rank].radius() + of_y.ranks()[j.rank].radius();
            x.centre(i).distance_squared(y.centre(j)) <= reach * reach
        };
        let found = search(of_x, of_y, portions, &mut meets);
        (found, compared)
    }
}

#[cfg(test)]
mod tests {
    use super::super::Rank;
    use super::*;
    use std::collections::BTreeSet;

    /// A hierarchy in which every sphere has that many children; where it lies does not matter.
    fn tree(children: &[usize]) -> Hierarchy {
        let mut count = 1;
        let mut ranks = Vec::new();
        for &width in children.iter().chain([&0]) {
            let first_child =
                if width == 0 { Vec::new() } else { (0..=count).map(|k| (k * width) as u32).collect() };
            ranks.push(Rank {
                radius: 1.0,
                centres: vec![DVec3::ZERO; count],
                fitted: Vec::new(),
                first_child,
            });
            count *= width;
        }
        Hierarchy { ranks }
    }

    /// The sphere with a name as in the patent's figures: x1122 is child 2 of child 2 of child 1 of child 1 of x.
    fn named(name: &str, width: usize) -> SphereId {
        let path = name[1..].bytes().map(|digit| usize::from(digit - b'1'));
        path.fold(SphereId { rank: 0, index: 0 }, |at, child| SphereId {
            rank: at.rank + 1,
            index: at.index * width + child,
        })
    }

    fn name(letter: char, sphere: SphereId, width: usize) -> String {
        let mut digits = Vec::new();
        let mut index = sphere.index;
        for _ in 0..sphere.rank {
            digits.push(char::from(b'1' + (index % width) as u8));
            index /= width;
        }
        std::iter::once(letter).chain(digits.into_iter().rev()).collect()
    }

    /// Runs a search in which exactly these pairs meet; what it asked, and what it found.
    fn replay(
        x: &Hierarchy,
        y: &Hierarchy,
        width: usize,
        meeting: &[&str],
        portions: Portions,
    ) -> (Vec<String>, Vec<String>) {
        let pair = |text: &&str| {
            let (x, y) = text.split_once(' ').expect("two names");
            (named(x, width), named(y, width))
        };
        let meeting: BTreeSet<(SphereId, SphereId)> = meeting.iter().map(pair).collect();
        let mut asked = Vec::new();
        let text = |i, j| format!("{} {}", name('x', i, width), name('y', j, width));
        let found = search(x, y, portions, &mut |i, j| {
            asked.push(text(i, j));
            meeting.contains(&(i, j))
        });
        (asked, found.into_iter().map(|[i, j]| text(i, j)).collect())
    }

    /// Fig. 9(a) to (e): three ranks, three spheres in each; steps 1 to 5 of the first embodiment.
    #[test]
    fn figure_9() {
        let tree = tree(&[3, 3]);
        let meeting = [
            "x y", // (a) the large spheres
            "x y1", "x y2", "x y3", "x1 y", "x2 y", // (b) medium spheres that meet the other large one
            "x1 y1", "x1 y2", // (c) medium spheres that meet each other
            "x11 y2", "x12 y2", "x1 y21", "x1 y22",
            "x1 y23",  // (d) small spheres that meet the other medium one
            "x11 y21", // (e) and each other
        ];
        let (asked, found) = replay(&tree, &tree, 3, &meeting, Portions::First);
        assert_eq!(found, ["x11 y21"]);
        let expected = [
            "x y", "x y1", "x y2", "x y3", "x1 y", "x2 y", "x3 y",  // (a), (b)
            "x1 y1", // (c); its small spheres meet nothing, and so
            "x1 y11", "x1 y12", "x1 y13", // the search goes back to
            "x1 y2", "x1 y21", "x1 y22", "x1 y23", "x11 y2", "x12 y2", "x13 y2",  // (d)
            "x11 y21", // (e)
        ];
        assert_eq!(asked, expected);
    }

    /// Fig. 11: five ranks against three, items (1) to (9).
    #[test]
    fn figure_11() {
        let (x, y) = (tree(&[3, 3, 3, 3]), tree(&[3, 3]));
        let meeting = [
            "x y",
            "x y1",
            "x y2",
            "x1 y",
            "x2 y",
            "x1 y1",
            "x1 y11",
            "x1 y12",
            "x11 y1",
            "x12 y1",
            "x11 y11",
            "x112 y11",
            "x1122 y11",
            "x1123 y11",
            "x113 y11",
        ];
        let (asked, found) = replay(&x, &y, 3, &meeting, Portions::First);
        let expected = [
            "x y", // (1)
            "x y1",
            "x y2",
            "x y3", // (2)
            "x1 y",
            "x2 y",
            "x3 y",  // (3)
            "x1 y1", // (4)
            "x1 y11",
            "x1 y12",
            "x1 y13", // (5)
            "x11 y1",
            "x12 y1",
            "x13 y1",  // (6)
            "x11 y11", // (7)
            "x111 y11",
            "x112 y11", // (8): x113 is passed by
            "x1121 y11",
            "x1122 y11", // (9): x1123 is not looked at
        ];
        assert_eq!(asked, expected);
        assert_eq!(found, ["x1122 y11"]);
        let (asked, found) = replay(&x, &y, 3, &meeting, Portions::All);
        assert_eq!(found, ["x1122 y11", "x1123 y11"]);
        assert!(asked.contains(&"x113 y11".to_owned()) && asked.contains(&"x2 y2".to_owned()));
    }

    /// A first marked pair that fails deep down must not take the marks of the others with it.
    #[test]
    fn a_failure_deep_down_hands_on() {
        let tree = tree(&[2, 2, 2]);
        let meeting = [
            "x y",
            "x y1",
            "x y2",
            "x1 y",
            "x2 y", // all four are marked
            "x1 y1",
            "x1 y11",
            "x11 y1",
            "x11 y11",
            "x11 y111",
            "x111 y11", // down to the last rank, in vain
            "x2 y2",
            "x2 y22",
            "x22 y2",
            "x22 y22",
            "x22 y222",
            "x222 y22",
            "x222 y222", // and the one that counts
        ];
        let (asked, found) = replay(&tree, &tree, 2, &meeting, Portions::First);
        assert!(asked.contains(&"x111 y111".to_owned()));
        assert_eq!(found, ["x222 y222"]);
    }
}
