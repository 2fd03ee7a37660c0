//! Sphere models of robots beside each other: ours, and those that planners ship.
//!
//! `KANSHO_DATA=FOLDER cargo run --release -p kansho --example sphere_models`, where FOLDER holds `data/robots`
#![expect(clippy::print_stdout, reason = "an example shows what it found")]

use kansho::cell::{BodyPiece, Geometry, Link};
use kansho::check::spheres;
use kansho::geom::Ball;
use kansho::geom::primitive::Shape;
use kansho::geom::spheres::Goal;
use kansho::geom::spheres::measure::{Uncovered, uncovered, volumes};
use kansho::io::urdf::{self, RobotOptions};
use std::path::{Path, PathBuf};

/// Triangles of a link, in its frame.
fn triangles(link: &Link) -> Vec<[kansho::geom::glam::DVec3; 3]> {
    let of = |piece: &BodyPiece| match &piece.geometry {
        Geometry::Mesh(mesh) => {
            mesh.corners().map(|corners| corners.map(|p| piece.carrier_from_piece * p)).collect()
        }
        Geometry::Primitive(_) => Vec::new(),
    };
    link.pieces.iter().flat_map(of).collect()
}

/// Spheres of a link, in its frame.
fn balls(link: &Link) -> Vec<Ball> {
    let of = |piece: &BodyPiece| match &piece.geometry {
        Geometry::Primitive(primitive) => match primitive.shape() {
            Shape::Sphere { radius } => Some(Ball::new(piece.carrier_from_piece.translation(), radius)),
            _ => None,
        },
        Geometry::Mesh(_) => None,
    };
    link.pieces.iter().filter_map(of).collect()
}

/// Prints a row: only links that have triangles count, those of which someone made a model.
fn row(name: &str, links: &[&Link], model: &[Vec<Ball>]) {
    let mut bare = Uncovered::default();
    let (mut outside, mut balls, mut body) = (0.0, 0.0, 0.0);
    for (link, model) in links.iter().zip(model) {
        let triangles = triangles(link);
        bare.add(&uncovered(&triangles, model, 0.002));
        let found = volumes(&triangles, model, 300);
        outside += found.outside;
        balls += found.balls;
        body += found.body;
    }
    println!(
        "| {name} | {} | {:.2} | {:.2} | {:.2} | {:.1} % | {:.1} |",
        model.iter().map(Vec::len).sum::<usize>(),
        body * 1e3,
        balls * 1e3,
        outside * 1e3,
        100.0 * bare.sampled / bare.area,
        bare.farthest_sampled * 1e3,
    );
}

fn compare(name: &str, folder: &Path) {
    let read = |file: String| {
        urdf::read(&folder.join(file), &RobotOptions::default()).expect("a robot that can be read").robot
    };
    let (robot, shipped) = (read(format!("{name}.urdf")), read(format!("{name}_spherized.urdf")));
    let shipped_of = |link: &Link| {
        shipped
            .links()
            .iter()
            .find(|other| other.name == link.name)
            .map(balls)
            .filter(|balls| !balls.is_empty())
    };
    let both = robot.links().iter().filter(|link| !triangles(link).is_empty());
    let (links, theirs): (Vec<&Link>, Vec<Vec<Ball>>) =
        both.filter_map(|link| Some((link, shipped_of(link)?))).unzip();
    let ours = |goal: &dyn Fn(usize) -> Goal| -> Vec<Vec<Ball>> {
        let cover =
            |(k, link): (usize, &&Link)| spheres::pieces(&link.pieces, goal(k)).expect("it can be covered");
        links.iter().enumerate().map(cover).collect()
    };
    row(&format!("{name}, shipped"), &links, &theirs);
    row(&format!("{name}, ours, as many for each link"), &links, &ours(&|k| Goal::Count(theirs[k].len())));
    row(&format!("{name}, ours, twice as many"), &links, &ours(&|k| Goal::Count(2 * theirs[k].len())));
    row(&format!("{name}, ours, at most 40 mm"), &links, &ours(&|_| Goal::Radius(0.04)));
    row(&format!("{name}, ours, at most 20 mm"), &links, &ours(&|_| Goal::Radius(0.02)));
    row(&format!("{name}, ours, at most 10 mm"), &links, &ours(&|_| Goal::Radius(0.01)));
}

fn main() {
    let Some(data) = std::env::var_os("KANSHO_DATA") else {
        println!("KANSHO_DATA names no folder that holds data/robots");
        return;
    };
    let robots = PathBuf::from(data).join("data/robots");
    println!("| model | spheres | body (l) | spheres (l) | outside (l) | uncovered | farthest (mm) |");
    println!("|---|---|---|---|---|---|---|");
    compare("ur5", &robots.join("vamp_ur5"));
    compare("panda", &robots.join("vamp_panda"));
}
