//! A path on faces or along edges: which poses, and how to get from one to the next.

use super::answer::{Case, Leg, Sample, Status};
use super::body::{Facet, Member};
use super::go::Wish;
use super::lasting::Lasting;
use super::line::middle_of;
use super::region;
use super::resolved::{Move, Path};
use super::run::{DRIFT, Done, Runner};
use super::track::{MOST, Track};
use kansho_check::sliding_contact::SlidingMotion;
use kansho_geom::Pose;
use kansho_geom::glam::{DMat3, DQuat, DVec3};
use kansho_geom::triangle;

/// Normals that are opposite up to this angle make a pair, in radians; otherwise the nearest points do.
const OPPOSITE: f64 = 10.0 * std::f64::consts::PI / 180.0;

/// A straight piece of a path on a face or along an edge.
#[derive(Clone, Copy)]
struct Piece {
    from: DVec3,
    to: DVec3,
    /// Along the motion.
    ahead: DVec3,
    /// Out of the work.
    normal: DVec3,
}

impl Piece {
    fn length(&self) -> f64 {
        self.from.distance(self.to)
    }
}

/// Faces in the direction of the motion: the other way round where they are listed against it.
fn in_direction<T: Clone>(faces: &[T], middle: impl Fn(&T) -> DVec3, along: DVec3) -> Vec<T> {
    let mut faces = faces.to_vec();
    if let [first, .., last] = &faces[..]
        && along.dot(middle(last) - middle(first)) < 0.0
    {
        faces.reverse();
    }
    faces
}

impl Runner<'_> {
    pub(super) fn follow(&mut self, todo: &Move, path: &Path) -> Done {
        let mut legs = Vec::new();
        let mut samples = Vec::new();
        let status = match &todo.keep[..] {
            [] => Err(Status::Contradiction {
                what: "a follow needs what it follows: keep = [\"body.feature on body.feature\"]".into(),
            }),
            [touch] => {
                let moved = &self.script.moved.features[self.script.touches[*touch].moved].members;
                match &moved[..] {
                    [Member::Vertex(corner)] => {
                        let tip = corner.point;
                        self.lead_point(todo, path, *touch, tip, &mut legs, &mut samples)
                    }
                    members if members.iter().all(|member| matches!(member, Member::Face(_))) => {
                        self.lead_faces(todo, path, *touch, &mut legs, &mut samples)
                    }
                    _ => Err(Status::Unsupported { case: Case::EdgeFollows }),
                }
            }
            several => {
                let several = several.to_vec();
                self.lead_places(todo, path, &several, &mut legs, &mut samples)
            }
        };
        Done { legs, status: status.err().unwrap_or(Status::Reached), samples }
    }

    /// One place, a single point: it meets every point of the path.
    fn lead_point(
        &mut self,
        todo: &Move,
        path: &Path,
        touch: usize,
        tip: DVec3,
        legs: &mut Vec<Leg>,
        samples: &mut Vec<Sample>,
    ) -> Result<(), Status> {
        let fixed = {
            let named = &self.script.touches[touch];
            self.script.fixed[named.body].features[named.fixed].members.clone()
        };
        let pieces = self.pieces(&fixed, path, self.pose * tip)?;
        let now = self.pose.rotation();
        let rotation = |piece: &Piece| {
            if todo.level { Ok(now) } else { aligned([path.forward, path.side], piece.ahead, piece.normal) }
        };
        let pose_at = |rotation: DMat3, point: DVec3| Pose::of_rotation(rotation, point - rotation * tip);
        self.come(todo, touch, pose_at(rotation(&pieces[0])?, pieces[0].from), tip, legs)?;
        let keep = [touch];
        let mut track = Track::new(path, todo);
        if track.is_too_long(pieces.iter().map(Piece::length).sum()) {
            return Err(Status::Unsupported { case: Case::LongPath });
        }
        let mut ends = false;
        for (number, piece) in pieces.iter().enumerate() {
            let turned = rotation(piece)?;
            let mut at = piece.from;
            if number > 0 {
                let way = turn_between(self.pose, pose_at(turned, piece.from), piece.from);
                ends = self.turn_along((todo, &keep), &track, way, legs)?;
            }
            if !ends {
                let sample = |along: f64| {
                    let point = piece.from + piece.ahead * along;
                    Sample { pose: pose_at(turned, point), point, into: -piece.normal }
                };
                let by = piece.to - piece.from;
                ends = self.go_along((todo, &keep), &mut track, by, Some(&sample), legs, samples)?;
                at = self.pose * tip;
            }
            // The end belongs to the path, unless a pose is there already.
            let is_last = ends || number + 1 == pieces.len();
            let same = (1e-9 * self.size).max(1e-6 * path.spacing);
            if is_last && samples.last().is_none_or(|last| last.point.distance(at) > same) {
                samples.push(Sample { pose: self.pose, point: at, into: -piece.normal });
            }
            if ends {
                break;
            }
        }
        self.path_ends(&track, ends, touch)
    }

    /// The pieces of a path on faces, one after the other in the direction of the motion, or along edges.
    fn pieces(&self, fixed: &[Member], path: &Path, start: DVec3) -> Result<Vec<Piece>, Status> {
        if fixed.iter().all(|member| matches!(member, Member::Edge(_))) {
            let mut ends: Vec<([DVec3; 2], DVec3)> = Vec::new();
            for member in fixed {
                if let Member::Edge(line) = member {
                    ends.push((line.ends, line.patch.normals.iter().copied().sum()));
                }
            }
            if let (Some(along), Some((first, _))) = (path.along, ends.first())
                && (first[1] - first[0]).dot(along) < 0.0
            {
                ends.reverse();
                ends.iter_mut().for_each(|(ends, _)| ends.reverse());
            }
            let ends = begun_at(ends, start, self.script.tolerance);
            if ends.is_empty() {
                return Err(Status::Contradiction { what: "the path ends where the body is".into() });
            }
            return ends
                .into_iter()
                .map(|([from, to], normal)| {
                    let ahead = (to - from).normalize_or_zero();
                    let normal = normal - ahead * ahead.dot(normal);
                    let normal = normal.try_normalize();
                    let normal = normal.ok_or(Status::Unsupported { case: Case::OppositeFaces })?;
                    Ok(Piece { from, to, ahead, normal })
                })
                .collect();
        }
        if !fixed.iter().all(|member| matches!(member, Member::Face(_))) {
            return Err(Status::Unsupported { case: Case::PathOnNothing });
        }
        let Some(along) = path.along else {
            return Err(Status::Contradiction { what: "a path on faces needs along = \"...\"".into() });
        };
        let mut pieces = Vec::new();
        let mut at = start;
        let mut fixed = in_direction(fixed, middle_of, along);
        // It begins on the face where the body is, if it is on one.
        let is_on = |member: &Member| match member {
            Member::Face(facet) => {
                facet
                    .triangles
                    .iter()
                    .map(|t| triangle::nearest(start, t).distance(start))
                    .fold(f64::INFINITY, f64::min)
                    <= self.script.tolerance
            }
            _ => false,
        };
        if let Some(first) = fixed.iter().position(is_on) {
            fixed.drain(..first);
        }
        for (number, member) in fixed.iter().enumerate() {
            let Member::Face(facet) = member else {
                return Err(Status::Unsupported { case: Case::PathOnNothing });
            };
            let flat = along - facet.normal * facet.normal.dot(along);
            let Some(ahead) = flat.try_normalize().filter(|_| flat.length() > 1e-6 * along.length()) else {
                let what = "the direction of the path is across one of its faces".into();
                return Err(Status::Contradiction { what });
            };
            let near = |t: &[DVec3; 3]| triangle::nearest(at, t);
            let from = facet
                .triangles
                .iter()
                .map(near)
                .min_by(|a, b| a.distance(at).total_cmp(&b.distance(at)))
                .expect("a face has triangles");
            if number > 0 && from.distance(at) > self.script.tolerance {
                let gap = self.script.length(from.distance(at));
                let what = format!("the path leaves a face {gap} from the next one");
                return Err(Status::Contradiction { what });
            }
            let from = from - facet.normal * (facet.normal.dot(from) - facet.offset);
            let length = match region::leaves(from, member, ahead * self.reach, 1e-12 * self.size) {
                None => return Err(Status::Unsupported { case: Case::EndlessPath }),
                Some(t) => t * self.reach,
            };
            at = from + ahead * length;
            if length > 1e-9 * self.size {
                pieces.push(Piece { from, to: at, ahead, normal: facet.normal });
            }
        }
        if pieces.is_empty() {
            return Err(Status::Contradiction { what: "the path has no length in that direction".into() });
        }
        Ok(pieces)
    }

    /// From where it is to the first pose of a path: turned about its point, then straight.
    fn come(
        &mut self,
        todo: &Move,
        touch: usize,
        first: Pose,
        about: DVec3,
        legs: &mut Vec<Leg>,
    ) -> Result<(), Status> {
        let may = self.may(todo, &[touch]);
        let point = self.pose * about;
        let turned = Pose::of_rotation(first.rotation(), point - first.rotate(about));
        let way = turn_between(self.pose, turned, point);
        self.go(&Wish { word: "orient", way, keep: &[], may: &may }, legs)?;
        let way =
            SlidingMotion::Straight { from: self.pose, by: first.translation() - self.pose.translation() };
        self.go(&Wish { word: "approach", way, keep: &[], may: &may }, legs)
    }

    /// One place, several points: faces are paired by their normals.
    fn lead_faces(
        &mut self,
        todo: &Move,
        path: &Path,
        touch: usize,
        legs: &mut Vec<Leg>,
        samples: &mut Vec<Sample>,
    ) -> Result<(), Status> {
        let (own, fixed) = {
            let named = &self.script.touches[touch];
            let facets = |members: &[Member]| -> Option<Vec<Facet>> {
                members.iter().map(|m| if let Member::Face(f) = m { Some(f.clone()) } else { None }).collect()
            };
            let own = facets(&self.script.moved.features[named.moved].members);
            (own, facets(&self.script.fixed[named.body].features[named.fixed].members))
        };
        let (Some(own), Some(fixed)) = (own, fixed) else {
            return Err(Status::Unsupported { case: Case::FacesOnEdges });
        };
        let Some(along) = path.along else {
            return Err(Status::Contradiction { what: "a path on faces needs along = \"...\"".into() });
        };
        let fixed = in_direction(&fixed, |facet| middle_of(&Member::Face(facet.clone())), along);
        let mut track = Track::new(path, todo);
        let touches = self.world.closed(&self.script.touches[touch], self.pose).is_some();
        let lateral = |normal: DVec3, ahead: DVec3| normal.cross(ahead);
        let mut stops: Vec<(Pose, usize, usize, DVec3)> = Vec::new();
        for (j, facet) in fixed.iter().enumerate() {
            let flat = along - facet.normal * facet.normal.dot(along);
            let Some(ahead) = flat.try_normalize() else {
                let what = "the direction of the path is across one of its faces".into();
                return Err(Status::Contradiction { what });
            };
            let corners = &facet.loops[0];
            let heights = corners.iter().map(|p| ahead.dot(*p));
            let (low, high) =
                heights.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), x| (l.min(x), h.max(x)));
            // The most opposite normal; beyond ten degrees, the nearest point.
            let now = self.pose;
            let angle = |f: &Facet| now.rotate(f.normal).angle_between(-facet.normal);
            let middle = middle_of(&Member::Face(facet.clone()));
            let far = |f: &Facet, point: DVec3| (now * middle_of(&Member::Face(f.clone()))).distance(point);
            let best = |of: &dyn Fn(&Facet) -> f64| {
                (0..own.len())
                    .min_by(|&a, &b| of(&own[a]).total_cmp(&of(&own[b])))
                    .expect("a feature has members")
            };
            let opposite = best(&angle);
            let at_height = |height: f64| middle + ahead * (height - ahead.dot(middle));
            let paired = |height: f64| {
                let point = at_height(height);
                if angle(&own[opposite]) <= OPPOSITE { opposite } else { best(&|f| far(f, point)) }
            };
            let here = |i: usize| ahead.dot(now * middle_of(&Member::Face(own[i].clone())));
            let is_first = stops.is_empty();
            let is_only = fixed.len() == 1;
            let heights =
                heights_on([low, high], here(paired(low)), path.spacing, [is_first, is_only], touches);
            if stops.len() + heights.len() > MOST {
                return Err(Status::Unsupported { case: Case::LongPath });
            }
            for height in heights {
                let point = at_height(height);
                let i = paired(height);
                let forward = path.forward - own[i].normal * own[i].normal.dot(path.forward);
                let rotation = if todo.level {
                    now.rotation()
                } else {
                    let Some(forward) = forward.try_normalize() else {
                        return Err(Status::Contradiction {
                            what: "forward is across a face that follows".into(),
                        });
                    };
                    // The body's own face: ahead, and into the work.
                    aligned([forward, (-own[i].normal).cross(forward)], ahead, facet.normal)?
                };
                let on_own = middle_of(&Member::Face(own[i].clone()));
                let mut place = point - rotation * on_own;
                // Beside the motion it stays where it is.
                let beside = lateral(facet.normal, ahead);
                place += beside * beside.dot(now.translation() - place);
                stops.push((Pose::of_rotation(rotation, place), i, j, point));
            }
        }
        if stops.is_empty() {
            return Err(Status::Contradiction { what: "the path has no length in that direction".into() });
        }
        let first = stops[0].0;
        self.come(todo, touch, first, self.script.grasp, legs)?;
        let keep = [touch];
        let mut ends = false;
        for (number, &(pose, i, j, point)) in stops.iter().enumerate() {
            if number > 0 {
                let (_, before_i, before_j, _) = stops[number - 1];
                if !pose.rotation().abs_diff_eq(self.pose.rotation(), 1e-9) {
                    return Err(Status::Unsupported { case: Case::TurningFaces });
                }
                let change = (before_i, before_j) != (i, j);
                let crossing = if change {
                    let rotation = self.pose.rotation();
                    let rows = [(before_i, before_j), (i, j)].map(|(i, j)| {
                        let n = fixed[j].normal;
                        (n, fixed[j].offset - n.dot(rotation * own[i].loops[0][0]))
                    });
                    meeting(rows, self.pose.translation())
                } else {
                    None
                };
                for stop in crossing.into_iter().chain([pose.translation()]) {
                    let by = stop - self.pose.translation();
                    ends = self.go_along((todo, &keep), &mut track, by, None, legs, samples)?;
                    if ends {
                        break;
                    }
                }
            }
            // Where it ends before the stop, the point on the work is as much before.
            let point = if ends { point + (self.pose.translation() - pose.translation()) } else { point };
            samples.push(Sample { pose: self.pose, point, into: -fixed[j].normal });
            if ends {
                break;
            }
        }
        self.path_ends(&track, ends, touch)
    }

    /// Several places: sets of points across the motion, which all go on as long as they last.
    fn lead_places(
        &mut self,
        todo: &Move,
        path: &Path,
        keep: &[usize],
        legs: &mut Vec<Leg>,
        samples: &mut Vec<Sample>,
    ) -> Result<(), Status> {
        for &k in keep {
            let touch = &self.script.touches[k];
            if self.script.fixed[touch.body].features[touch.fixed].members.len() > 1 {
                return Err(Status::Unsupported { case: Case::BendingPlaces });
            }
        }
        let Some(along) = path.along else {
            return Err(Status::Contradiction {
                what: "a path in several places needs along = \"...\"".into(),
            });
        };
        let mut place = DVec3::ZERO;
        for &k in keep {
            let touch = &self.script.touches[k];
            let Some(closed) = self.world.closed(touch, self.pose) else {
                let what = format!("\"{}\" does not touch when the path begins", touch.text);
                return Err(Status::Contradiction { what });
            };
            place += closed.points.iter().copied().sum::<DVec3>() / (closed.points.len() * keep.len()) as f64;
        }
        let direction = self.direction(super::resolved::Toward::Along(along), todo)?;
        let way = SlidingMotion::Straight { from: self.pose, by: direction * self.reach };
        // The first that ends, and where.
        let (mut length, mut first) = (self.reach, keep[0]);
        for &k in keep {
            let touch = &self.script.touches[k];
            match self.world.lasting(touch, &way, DRIFT * self.size, 1e-12 * self.size) {
                Lasting::UpTo { t: 1.0, .. } => {}
                Lasting::UpTo { t, .. } if t * self.reach < length => (length, first) = (t * self.reach, k),
                Lasting::UpTo { .. } => {}
                _ => {
                    let what = format!("\"{}\" cannot be kept that way", touch.text);
                    return Err(Status::Contradiction { what });
                }
            }
        }
        let mut track = Track::new(path, todo);
        if track.is_too_long(length) {
            return Err(Status::Unsupported { case: Case::LongPath });
        }
        let from = self.pose;
        let into = {
            let touch = &self.script.touches[keep[0]];
            let closed = self.world.closed(touch, from).expect("it was found closed");
            -closed.equations[0].row(from)[1]
        };
        let sample = |along: f64| {
            let pose = Pose::of_rotation(from.rotation(), from.translation() + direction * along);
            Sample { pose, point: place + direction * along, into }
        };
        let by = direction * length;
        let ends = self.go_along((todo, keep), &mut track, by, Some(&sample), legs, samples)?;
        let gone = self.pose.translation().distance(from.translation());
        let end = sample(gone);
        if samples.last().is_none_or(|last| last.point.distance(end.point) > 1e-9 * self.size) {
            samples.push(end);
        }
        self.path_ends(&track, ends, first)
    }
}

/// A path along edges from where the body is, if that is on it; otherwise from its beginning. A closed one goes all the way round.
fn begun_at(mut edges: Vec<([DVec3; 2], DVec3)>, at: DVec3, tolerance: f64) -> Vec<([DVec3; 2], DVec3)> {
    let on = |[p, q]: [DVec3; 2]| {
        let along = q - p;
        p + along * ((at - p).dot(along) / along.length_squared()).clamp(0.0, 1.0)
    };
    let far = |edge: &([DVec3; 2], DVec3)| on(edge.0).distance(at);
    let Some(first) = (0..edges.len()).min_by(|&a, &b| far(&edges[a]).total_cmp(&far(&edges[b]))) else {
        return edges;
    };
    if far(&edges[first]) > tolerance {
        return edges;
    }
    let is_closed = edges[0].0[0].distance(edges[edges.len() - 1].0[1]) <= tolerance;
    let mut after = edges.split_off(first);
    let ([p, q], normal) = after[0];
    let start = on([p, q]);
    after[0].0[0] = start;
    if is_closed {
        after.append(&mut edges);
        after.push(([p, start], normal));
    }
    after.retain(|([p, q], _)| p.distance(*q) > tolerance);
    after
}

/// Heights on a face along the motion at which poses are: in the middles of equal parts no longer than the spacing, as many as there are; but from where the
/// body is on, which is at `here`. A body that touches begins there; another one at the nearest of them or beyond.
fn heights_on(
    [low, high]: [f64; 2],
    here: f64,
    spacing: f64,
    [is_first, is_only]: [bool; 2],
    touches: bool,
) -> Vec<f64> {
    let count = ((high - low) / spacing * (1.0 - 1e-9)).ceil().max(1.0);
    if !(count <= MOST as f64) {
        return vec![low; MOST + 1];
    }
    if is_first && touches && here > low && here <= high {
        let count = ((high - here) / spacing * (1.0 + 1e-12)).floor() as usize;
        let last = here + count as f64 * spacing;
        // The end of the path belongs to it, where no other face goes on.
        let end = (is_only && high - last > 1e-6 * spacing.min(high - low)).then_some(high);
        return (0..=count).map(|k| here + k as f64 * spacing).chain(end).collect();
    }
    let step = (high - low) / count;
    let middles = (0..count as usize).map(|k| low + step * (k as f64 + 0.5));
    middles.filter(|height| !is_first || *height > here - 0.5 * step * (1.0 + 1e-9)).collect()
}

/// Where two planes meet across the motion, as near as may be to where it was; none if they are parallel.
fn meeting(rows: [(DVec3, f64); 2], near: DVec3) -> Option<DVec3> {
    let [(a, at_a), (b, at_b)] = rows;
    let line = a.cross(b);
    if line.length() <= 1e-9 {
        return None;
    }
    let matrix = DMat3::from_cols(a, b, line).transpose();
    Some(matrix.inverse() * DVec3::new(at_a, at_b, line.dot(near)))
}

/// The rotation that brings two directions of the body along the motion, and across it in the face.
fn aligned([forward, side]: [DVec3; 2], ahead: DVec3, normal: DVec3) -> Result<DMat3, Status> {
    let side = (side - forward * forward.dot(side)).try_normalize();
    let (Some(forward), Some(side)) = (forward.try_normalize(), side) else {
        return Err(Status::Contradiction { what: "forward and side are the same direction".into() });
    };
    let own = DMat3::from_cols(forward, side, forward.cross(side));
    let across = normal.cross(ahead).normalize_or_zero();
    Ok(DMat3::from_cols(ahead, across, ahead.cross(across)) * own.transpose())
}

/// The turn about a point from one pose to another.
fn turn_between(from: Pose, to: Pose, point: DVec3) -> SlidingMotion {
    let turn = to.rotation() * from.rotation().transpose();
    let quat = DQuat::from_mat3(&turn).normalize();
    let quat = if quat.w < 0.0 { -quat } else { quat };
    let (axis, angle) = quat.to_axis_angle();
    // The angle of small turns from the sine: the cosine has lost it.
    let sine = DVec3::new(quat.x, quat.y, quat.z).length();
    let angle = if angle < 1.0 { 2.0 * sine.min(1.0).asin() } else { angle };
    SlidingMotion::Turn { from, point, axis: axis.normalize_or(DVec3::Z), angle }
}
