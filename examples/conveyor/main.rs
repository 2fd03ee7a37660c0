//! A robot at a conveyor, watched by spheres as in the Toyota patent: every step, joint angles become one transform per link, and
//! the centres of spheres are moved only where the search looks. Where smallest spheres meet, a portion collides.
//!
//! `cargo run --release -p kansho --example conveyor -- FOLDER` writes a picture of every step in which something collides, and
//! `portions.csv`: the step, the bodies, and the spheres.
#![expect(clippy::print_stdout, reason = "an example shows what it found")]

mod picture;
mod scene;

use kansho::cell::{BodyId, Cell, Geometry};
use kansho::geom::glam::DVec3;
use kansho::geom::spheres::paper::{Moving, Portions, SphereId};
use kansho::geom::spheres::{CoverOptions, Hierarchy, Surface, cover};
use kansho::geom::{Ball, Pose};
use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::PathBuf;

/// Radius of the smallest spheres.
const RADIUS: f64 = 0.02;

/// Seconds between two steps.
const STEP_SECS: f64 = 0.1;

/// How many steps.
const STEPS: usize = 60;

/// Two bodies that collide.
struct Collision {
    pair: [BodyId; 2],
    /// The smallest spheres of each that meet some of the other, in the world.
    portions: [Vec<Ball>; 2],
}

/// What was found in a step.
struct Step {
    posture: Vec<f64>,
    collisions: Vec<Collision>,
    /// Centres that were moved.
    moved: u64,
}

/// A piece of a body, its spheres, and where it is in what carries it.
struct Model {
    body: BodyId,
    carrier_from_piece: Pose,
    hierarchy: Hierarchy,
}

/// Covers every piece of every body that belongs to a pair.
fn models(cell: &Cell, pairs: &[[BodyId; 2]]) -> Vec<Model> {
    let bodies: BTreeSet<BodyId> = pairs.iter().flatten().copied().collect();
    let model = |body: BodyId| {
        cell.body(body).pieces.iter().map(move |piece| {
            // Round faces are covered as round ones.
            let surface = match &piece.geometry {
                Geometry::Mesh(mesh) => Surface::Mesh(mesh),
                Geometry::Primitive(primitive) => Surface::Primitive(primitive),
            };
            let hierarchy = cover(&surface, &CoverOptions::as_in_patent(RADIUS)).expect("it can be covered");
            Model { body, carrier_from_piece: piece.carrier_from_piece, hierarchy }
        })
    };
    bodies.into_iter().flat_map(model).collect()
}

/// Looks at the pairs in every posture.
fn watch(cell: &Cell, pairs: &[[BodyId; 2]], models: &[Model], postures: &[Vec<f64>]) -> Vec<Step> {
    let mut moving: Vec<Moving> = models.iter().map(|model| Moving::new(&model.hierarchy)).collect();
    let mut placed = cell.place(&cell.zero_posture());
    let mut before = 0;
    let mut steps = Vec::new();
    for posture in postures {
        // Joint angles to transforms. No centre is moved yet.
        cell.place_into(posture, &mut placed);
        for (moving, model) in moving.iter_mut().zip(models) {
            moving.move_to(placed.world_from_carrier(cell.body(model.body)) * model.carrier_from_piece);
        }
        let collisions = pairs.iter().filter_map(|&pair| collision(pair, models, &mut moving)).collect();
        let moved: u64 = moving.iter().map(|moving| moving.placed).sum();
        steps.push(Step { posture: posture.clone(), collisions, moved: moved - before });
        before = moved;
    }
    steps
}

/// All colliding portions of two bodies; none if there are none.
fn collision(pair: [BodyId; 2], models: &[Model], moving: &mut [Moving]) -> Option<Collision> {
    let pieces = |body: BodyId| (0..models.len()).filter(move |&k| models[k].body == body);
    let mut found: [BTreeSet<(usize, SphereId)>; 2] = Default::default();
    for x in pieces(pair[0]) {
        for y in pieces(pair[1]) {
            let [of_x, of_y] = moving.get_disjoint_mut([x, y]).expect("they are of two bodies");
            for [i, j] in Moving::search(of_x, of_y, Portions::All).0 {
                found[0].insert((x, i));
                found[1].insert((y, j));
            }
        }
    }
    let mut ball = |(k, sphere): (usize, SphereId)| {
        let radius = models[k].hierarchy.ranks()[sphere.rank].radius();
        Ball::new(moving[k].centre(sphere), radius)
    };
    let portions = found.map(|spheres| spheres.into_iter().map(&mut ball).collect::<Vec<Ball>>());
    (!portions[0].is_empty()).then_some(Collision { pair, portions })
}

/// One row for each sphere of each portion.
fn table(cell: &Cell, steps: &[Step]) -> String {
    let mut text = String::from("step,seconds,body,other,x,y,z,r\n");
    for (k, step) in steps.iter().enumerate() {
        for collision in &step.collisions {
            for (side, portions) in collision.portions.iter().enumerate() {
                let [body, other] =
                    [side, 1 - side].map(|side| cell.body(collision.pair[side]).name.as_str());
                for ball in portions {
                    let (DVec3 { x, y, z }, r) = (ball.centre(), ball.radius());
                    writeln!(
                        text,
                        "{k},{:.1},{body},{other},{x:.4},{y:.4},{z:.4},{r:.4}",
                        k as f64 * STEP_SECS
                    )
                    .expect("writing to a string succeeds");
                }
            }
        }
    }
    text
}

fn main() {
    let cell = scene::cell();
    let pairs = scene::designated(&cell);
    let models = models(&cell, &pairs);
    let all: usize = models.iter().map(|model| model.hierarchy.len()).sum();
    println!(
        "{} bodies, {} designated pairs, {all} spheres, smallest {RADIUS} m: contacts within {} m are reported",
        cell.bodies().len(),
        pairs.len(),
        4.0 * RADIUS
    );
    let steps = watch(&cell, &pairs, &models, &scene::postures(STEPS, STEP_SECS));
    for (k, step) in steps.iter().enumerate() {
        print!("step {k:>2}, {:.1} s: {:>5} centres moved of {all}", k as f64 * STEP_SECS, step.moved);
        for Collision { pair, portions: [ours, _] } in &step.collisions {
            let [link, other] = pair.map(|body| cell.body(body).name.as_str());
            print!("; {link} meets {other}: {} spheres, one at {:.3}", ours.len(), ours[0].centre());
        }
        println!();
    }
    let moved: u64 = steps.iter().map(|step| step.moved).sum();
    let part = 100.0 * moved as f64 / (all * steps.len()) as f64;
    println!("centres moved in all: {moved} of {} ({part:.1} %)", all * steps.len());
    let Some(folder) = std::env::args_os().nth(1).map(PathBuf::from) else {
        println!("name a folder, and it gets the pictures");
        return;
    };
    std::fs::create_dir_all(&folder).expect("the folder can be made");
    std::fs::write(folder.join("portions.csv"), table(&cell, &steps)).expect("it can be written");
    let colliding = steps.iter().enumerate().filter(|(k, step)| *k == 0 || !step.collisions.is_empty());
    let mut pictures = 0;
    for (k, step) in colliding {
        let svg = picture::svg(&cell, k, k as f64 * STEP_SECS, step, all);
        std::fs::write(folder.join(format!("step_{k:02}.svg")), svg).expect("it can be written");
        pictures += 1;
    }
    println!("{pictures} pictures and portions.csv are in {}", folder.display());
}

#[cfg(test)]
mod tests {
    use super::*;
    use kansho::check::order::{Then, ranks};
    use kansho::check::scene::Scene;
    use std::sync::Arc;

    #[test]
    fn the_robot_meets_what_stands_in_its_way_and_nothing_is_missed() {
        let cell = Arc::new(scene::cell());
        let pairs = scene::designated(&cell);
        let models = models(&cell, &pairs);
        let all: usize = models.iter().map(|model| model.hierarchy.len()).sum();
        let postures = scene::postures(STEPS, STEP_SECS);
        let steps = watch(&cell, &pairs, &models, &postures);
        let exact = Scene::new(Arc::clone(&cell));
        let order = ranks(&exact, Then::Listed, std::iter::empty());
        let mut workspace = exact.workspace();
        let (mut touching, mut free) = (0, 0);
        for step in &steps {
            let touches = exact.first_hit(&step.posture, &order, None, &mut workspace).is_some();
            assert!(!touches || !step.collisions.is_empty(), "{:?} touches", step.posture);
            if step.collisions.is_empty() {
                free += 1;
            } else {
                // What is reported is no farther apart than the accuracy.
                let gap = exact.least_gap(&step.posture, f64::INFINITY, &mut workspace).expect("pairs move");
                assert!(gap.gap <= 4.0 * RADIUS * (1.0 + 1e-9), "{gap:?}");
            }
            touching += usize::from(touches);
            assert!(step.moved < all as u64 / 2, "{} of {all} centres moved", step.moved);
        }
        assert!(touching >= 3 && free >= 30, "{touching} touch, {free} are free");
        // Portions lie in the world where the work piece is.
        let text = table(&cell, &steps);
        assert!(text.lines().count() > 10 && text.contains("arm/tool,conveyor/tower"), "{text}");
    }

    #[test]
    fn pictures_show_what_collides() {
        let cell = scene::cell();
        let pairs = scene::designated(&cell);
        let models = models(&cell, &pairs);
        let steps = watch(&cell, &pairs, &models, &scene::postures(STEPS, STEP_SECS));
        for (k, step) in steps.iter().enumerate().step_by(7) {
            let svg = picture::svg(&cell, k, 0.0, step, 1);
            let spheres: usize =
                step.collisions.iter().flat_map(|collision| &collision.portions).map(Vec::len).sum();
            // Each sphere stands in both views.
            assert_eq!(svg.matches("class=\"portion\"").count(), 2 * spheres);
            assert_eq!(svg.matches("<g").count(), svg.matches("</g>").count());
            assert!(svg.starts_with("<svg") && svg.ends_with("</svg>\n") && !svg.contains("NaN"));
        }
    }
}
