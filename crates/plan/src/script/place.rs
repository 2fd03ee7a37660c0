//! Several contacts at once: translate or turn, decided by the contacts that are closed and by the grasp.

use super::answer::{Block, Case, Leg, Status};
use super::body::Member;
use super::go::Wish;
use super::line::{Shape, line_of, middle_of};
use super::resolved::{Move, Partly, Toward, Until};
use super::run::{Done, Runner};
use super::touch::Closed;
use kansho_check::sliding_contact::SlidingMotion;
use kansho_contact::hull::Turns;
use kansho_contact::local::Feature;
use kansho_contact::{Contact, ContactSet, Row, Screw, Twist};
use kansho_geom::glam::DVec3;

/// Most translations and turns of one move.
const MOST_LEGS: usize = 16;

/// What is this fraction of the size from a line is on neither side of it.
const BESIDE: f64 = 1e-6;

/// What comes next.
enum Next {
    Slide,
    Pivot {
        point: DVec3,
        axis: DVec3,
    },
    /// The side rule says nothing: the allowed small motion that advances the grasp most.
    Best,
}

/// Planned contacts, as they are now.
#[derive(Default)]
struct Places {
    closed: Vec<(usize, Closed)>,
    open: Vec<usize>,
}

impl Runner<'_> {
    pub(super) fn place(&mut self, todo: &Move, toward: Toward, partly: Partly) -> Done {
        let mut legs = Vec::new();
        let Until::Touching(until) = &todo.until else {
            let what = "a place needs contacts: until = [...]".to_owned();
            return Done::ended(legs, Status::Contradiction { what });
        };
        if let Err(status) = self.orient(todo, &mut legs) {
            return Done::ended(legs, status);
        }
        let push = match self.direction(toward, todo) {
            Ok(push) => push,
            Err(status) => return Done::ended(legs, status),
        };
        for _ in 0..MOST_LEGS {
            let mut now = Places::default();
            for &k in until {
                match self.world.closed(&self.script.touches[k], self.pose) {
                    Some(known) => now.closed.push((k, known)),
                    None => now.open.push(k),
                }
            }
            if now.open.is_empty() {
                return Done::ended(legs, Status::Reached);
            }
            let next = if now.closed.is_empty() {
                self.translate(todo, until, push, "approach", &todo.keep, &mut legs)
            } else {
                self.go_on(todo, until, push, partly, &now, &mut legs)
            };
            if let Err(status) = next {
                return Done::ended(legs, status);
            }
        }
        Done::ended(legs, Status::Unsupported { case: Case::ManyLegs })
    }

    fn go_on(
        &mut self,
        todo: &Move,
        until: &[usize],
        push: DVec3,
        partly: Partly,
        now: &Places,
        legs: &mut Vec<Leg>,
    ) -> Result<(), Status> {
        let (closed, open) = (&now.closed[..], &now.open[..]);
        let next = match partly {
            _ if todo.level => Next::Slide,
            Partly::Slide => Next::Slide,
            Partly::Pivot => self.side_rule(push, closed, open, true)?,
            Partly::Auto => self.side_rule(push, closed, open, false)?,
        };
        let keep: Vec<usize> = closed.iter().map(|(k, _)| *k).chain(todo.keep.iter().copied()).collect();
        match next {
            Next::Pivot { point, axis } => self.pivot(todo, until, open, [point, axis], &keep, legs),
            Next::Slide => {
                let (direction, kept) = self.tangent(push, &keep, &todo.keep);
                match direction.try_normalize().filter(|_| direction.length() > BESIDE) {
                    Some(direction) => self.translate(todo, until, direction, "slide", &kept, legs),
                    None => Err(self.stuck(closed)),
                }
            }
            Next::Best => self.best(todo, until, push, closed, open, legs),
        }
    }

    /// The allowed motion that most advances the grasp along the push: the push itself, as a motion of the grasp, projected on the
    /// cone of allowed motions with the norm `|v|² + size² |w|²` about the grasp.
    fn best(
        &mut self,
        todo: &Move,
        until: &[usize],
        push: DVec3,
        closed: &[(usize, Closed)],
        open: &[usize],
        legs: &mut Vec<Leg>,
    ) -> Result<(), Status> {
        let grasp = self.pose * self.script.grasp;
        let mut contacts = Vec::new();
        let mut hold = |point: DVec3, normal: DVec3| {
            contacts.push(Contact {
                fixed: 0,
                point,
                on: [Feature::Corner(0), Feature::Face(0)],
                pieces: [1, 1],
                conditions: vec![vec![Row { normal, point, turns: Turns::Fixed }]],
            });
        };
        for equation in closed.iter().flat_map(|(_, closed)| &closed.equations) {
            let [point, normal] = equation.row(self.pose);
            hold(point, if normal.dot(push) > 0.0 { -normal } else { normal });
        }
        // What is to be kept holds both ways.
        let kept = todo.keep.iter().filter_map(|&k| self.world.closed(&self.script.touches[k], self.pose));
        for equation in kept.flat_map(|closed| closed.equations) {
            let [point, normal] = equation.row(self.pose);
            hold(point, normal);
            hold(point, -normal);
        }
        let set = ContactSet {
            contacts,
            segments: Vec::new(),
            rings: Vec::new(),
            centre: grasp,
            size: self.size,
            uncertainty: 1e-9,
        };
        let found = set.nearest(&Twist { v: push, w: DVec3::ZERO });
        if !(set.speed(&found) > BESIDE) {
            return Err(self.stuck(closed));
        }
        let lasting: Vec<usize> = closed
            .iter()
            .filter(|(_, closed)| {
                closed.equations.iter().all(|equation| {
                    let [point, normal] = equation.row(self.pose);
                    normal.dot(found.at(point)).abs() <= 1e-9
                })
            })
            .map(|(k, _)| *k)
            .chain(todo.keep.iter().copied())
            .collect();
        match Screw::of(&found, self.size, 1e-9) {
            Screw::Slide(direction) => self.translate(todo, until, direction, "slide", &lasting, legs),
            Screw::Turn { point, axis, pitch: 0.0 } => {
                self.pivot(todo, until, open, [point, axis], &lasting, legs).map_err(|status| match status {
                    Status::Contradiction { .. } => Status::Unsupported { case: Case::SlideAndTurn },
                    other => other,
                })
            }
            _ => Err(Status::Unsupported { case: Case::SlideAndTurn }),
        }
    }

    fn translate(
        &mut self,
        todo: &Move,
        until: &[usize],
        direction: DVec3,
        word: &'static str,
        keep: &[usize],
        legs: &mut Vec<Leg>,
    ) -> Result<(), Status> {
        let open: Vec<usize> = until
            .iter()
            .copied()
            .filter(|&k| self.world.closed(&self.script.touches[k], self.pose).is_none())
            .collect();
        let unit = SlidingMotion::Straight { from: self.pose, by: direction };
        let length = self.first_of(&open, &unit, self.reach);
        let may = self.may(todo, until);
        let way = SlidingMotion::Straight { from: self.pose, by: direction * length.unwrap_or(self.reach) };
        let before = legs.len();
        self.go(&Wish { word, way, keep, may: &may }, legs)?;
        if length.is_none() {
            legs.truncate(before);
            return Err(self.no_contact(&open, "on a straight way"));
        }
        Ok(())
    }

    fn pivot(
        &mut self,
        todo: &Move,
        until: &[usize],
        open: &[usize],
        [point, axis]: [DVec3; 2],
        keep: &[usize],
        legs: &mut Vec<Leg>,
    ) -> Result<(), Status> {
        let unit = SlidingMotion::Turn { from: self.pose, point, axis, angle: 1.0 };
        let angle = self.first_of(open, &unit, std::f64::consts::PI);
        let may = self.may(todo, until);
        let way = SlidingMotion::Turn {
            from: self.pose,
            point,
            axis,
            angle: angle.unwrap_or(std::f64::consts::PI),
        };
        let (before, pose) = (legs.len(), self.pose);
        self.go(&Wish { word: "pivot", way, keep, may: &may }, legs)?;
        if angle.is_none() {
            legs.truncate(before);
            self.pose = pose;
            return Err(self.no_contact(open, "on a turn about what touches"));
        }
        Ok(())
    }

    /// Pivot if grasp and open place lie on the same side of what is closed, as seen along the push; slide if the grasp is over it or
    /// on the other side.
    fn side_rule(
        &self,
        push: DVec3,
        closed: &[(usize, Closed)],
        open: &[usize],
        pivot: bool,
    ) -> Result<Next, Status> {
        let across = |v: DVec3| v - push * push.dot(v);
        let places: Vec<DVec3> = open
            .iter()
            .map(|&k| {
                let touch = &self.script.touches[k];
                self.pose * middle_of(&self.script.moved.features[touch.moved].members[0])
            })
            .collect();
        let place = places.iter().copied().sum::<DVec3>() / places.len() as f64;
        let points: Vec<DVec3> = closed.iter().flat_map(|(_, closed)| closed.points.clone()).collect();
        let beside = BESIDE * self.size;
        let (point, axis) = match line_of(&points, self.script.tolerance) {
            // What is closed along a line turns about it.
            Shape::Line([a, b]) => ((a + b) * 0.5, (b - a).normalize_or_zero()),
            Shape::Point(point) => {
                let axis = match &places[..] {
                    [a, b] if self.in_one_plane(open) => *b - *a,
                    _ => push.cross(point - place),
                };
                match axis.try_normalize().filter(|_| across(place - point).length() > beside) {
                    Some(axis) => (point, axis),
                    None => return Ok(Next::Best),
                }
            }
            Shape::Plane => return Ok(Next::Best),
        };
        // Across the axis, and across the push.
        let Some(sideways) = push.cross(axis).try_normalize() else { return Ok(Next::Best) };
        let side = |p: DVec3| sideways.dot(p - point);
        let grasp = self.pose * self.script.grasp;
        let (of_place, of_grasp) = (side(place), side(grasp));
        if of_place.abs() <= beside {
            return Ok(Next::Best);
        }
        if places.iter().any(|&p| side(p) * of_place <= 0.0) {
            return if pivot { Err(Status::Unsupported { case: Case::BothSides }) } else { Ok(Next::Best) };
        }
        let same_side = of_grasp * of_place > 0.0 && of_grasp.abs() > beside;
        if !pivot && !same_side {
            return Ok(Next::Slide);
        }
        let sense = axis.cross(place - point).dot(push);
        Ok(Next::Pivot { point, axis: if sense < 0.0 { -axis } else { axis } })
    }

    /// Whether the fixed faces of open places lie in one plane.
    fn in_one_plane(&self, open: &[usize]) -> bool {
        let plane = |&k: &usize| {
            let touch = &self.script.touches[k];
            match &self.script.fixed[touch.body].features[touch.fixed].members[..] {
                [Member::Face(facet)] => Some((facet.normal, facet.offset)),
                _ => None,
            }
        };
        let planes: Option<Vec<(DVec3, f64)>> = open.iter().map(plane).collect();
        planes.is_some_and(|planes| {
            planes.windows(2).all(|pair| {
                pair[0].0.dot(pair[1].0) > 1.0 - 1e-12
                    && (pair[0].1 - pair[1].1).abs() <= self.script.tolerance
            })
        })
    }

    /// The push, as far as closed contacts let it slide, and the contacts that last then: the nearest vector of the cone
    /// `n · v >= 0`, by trying which of the rows hold with equality. Those of some contacts always do.
    fn tangent(&self, push: DVec3, keep: &[usize], always: &[usize]) -> (DVec3, Vec<usize>) {
        let mut rows: Vec<(usize, DVec3)> = Vec::new();
        for &k in keep {
            let Some(closed) = self.world.closed(&self.script.touches[k], self.pose) else { continue };
            // Lines that lie on each other are kept both ways; a face holds one way only.
            let (m, f) = self.world.member(&self.script.touches[k], closed.members);
            let is_face = matches!(m, Member::Face(_)) || matches!(f, Member::Face(_));
            let one_way = is_face && !always.contains(&k);
            for n in closed.equations.iter().flat_map(|equation| {
                let n = equation.row(self.pose)[1];
                if one_way { vec![n] } else { vec![n, -n] }
            }) {
                if !rows.iter().any(|(of, known)| *of == k && known.dot(n) > 1.0 - 1e-12) {
                    rows.push((k, n));
                }
            }
        }
        let fits = |v: DVec3| rows.iter().all(|(_, n)| n.dot(v) >= -1e-9);
        let project = |active: &[usize]| {
            let mut basis: Vec<DVec3> = Vec::new();
            for &i in active {
                let mut n = rows[i].1;
                for known in &basis {
                    n -= *known * known.dot(n);
                }
                if n.length() > BESIDE {
                    basis.push(n.normalize());
                }
            }
            basis.iter().fold(push, |v, n| v - *n * n.dot(v))
        };
        let count = rows.len();
        let mut sets: Vec<Vec<usize>> = vec![Vec::new()];
        sets.extend((0..count).map(|i| vec![i]));
        sets.extend((0..count).flat_map(|i| (i + 1..count).map(move |j| vec![i, j])));
        let best = sets
            .iter()
            .map(|set| project(set))
            .filter(|&v| fits(v))
            .max_by(|a, b| a.dot(push).total_cmp(&b.dot(push)))
            .unwrap_or(DVec3::ZERO);
        let lasts = |k: usize| rows.iter().filter(|(of, _)| *of == k).all(|(_, n)| n.dot(best).abs() <= 1e-9);
        (best, keep.iter().copied().filter(|&k| lasts(k)).collect())
    }

    fn stuck(&self, closed: &[(usize, Closed)]) -> Status {
        let (k, known) = &closed[0];
        let touch = &self.script.touches[*k];
        Status::Blocked(Box::new(Block {
            body: self.script.fixed[touch.body].name.clone(),
            features: [
                self.script.moved.features[touch.moved].name.clone(),
                self.script.fixed[touch.body].features[touch.fixed].name.clone(),
            ],
            point: known.points[0],
            pose: self.pose,
            t: 0.0,
        }))
    }
}
