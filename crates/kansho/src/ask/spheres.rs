//! Which spheres cover a mesh, or the links of a robot, and leave no point of the surface uncovered?

use crate::answer::{FORMAT, Message};
use kansho_cell::Robot;
use kansho_check::spheres as links;
use kansho_geom::Ball;
use kansho_geom::mesh::Mesh;
use kansho_geom::spheres::{CoverFault, CoverOptions, Goal, Hierarchy, Surface, cover, cover_by_count};
use kansho_io::fault::Paint;
use schemars::JsonSchema;
use serde::Serialize;
use std::fmt::Write;

pub use kansho_geom::spheres::radii::Ranks;

/// How a mesh is covered.
#[derive(Clone, Copy, Debug)]
pub struct MeshSpheresOptions {
    /// The radius of the smallest spheres in metres, or how many of them there may be.
    pub goal: Goal,
    /// How the levels differ.
    pub ranks: Ranks,
    /// Whether what neighbouring cells share is kept in both.
    pub keep_overlaps: bool,
}

impl MeshSpheresOptions {
    /// Levels of which each has spheres half as large as the one before.
    #[must_use]
    pub fn new(goal: Goal) -> Self {
        Self { goal, ranks: Ranks::Ratio(2.0), keep_overlaps: false }
    }
}

/// How a body is covered.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct SpheresAnswer {
    /// The version of this answer.
    pub format: u32,
    /// The file.
    pub file: String,
    /// How many of the smallest spheres there are, or spheres of all links.
    pub spheres: usize,
    /// A contact between two models like this means surfaces within this many metres: 2 (r_A + r_B).
    pub accuracy: f64,
    /// Levels, or links.
    #[serde(flatten)]
    pub of: SpheresOf,
    /// What is odd about the file.
    pub warnings: Vec<Message>,
}

/// Spheres of one body.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum SpheresOf {
    /// A mesh has levels of spheres, each cut into smaller ones.
    Mesh {
        /// The levels, largest spheres first.
        ranks: Vec<SphereLevel>,
    },
    /// A robot has spheres of different sizes for each link.
    Robot {
        /// The links, in the order of the file.
        links: Vec<LinkSpheres>,
    },
}

/// Spheres of one size.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct SphereLevel {
    /// Their radius, in metres.
    pub radius: f64,
    /// How many there are.
    pub spheres: usize,
}

/// The spheres of a link.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct LinkSpheres {
    /// The link.
    pub link: String,
    /// How many there are.
    pub spheres: usize,
    /// The largest radius, in metres; zero if there are none.
    pub largest_radius: f64,
}

/// Covers a mesh with levels of spheres.
///
/// # Errors
/// The size makes no sense, or there would be too many.
pub fn of_mesh(
    file: &str,
    mesh: &Mesh,
    options: &MeshSpheresOptions,
) -> Result<(SpheresAnswer, Hierarchy), CoverFault> {
    let surface = Surface::Mesh(mesh);
    let of_radius = |radius| {
        let MeshSpheresOptions { ranks, keep_overlaps, .. } = *options;
        CoverOptions { ranks, keep_overlaps, ..CoverOptions::as_in_patent(radius) }
    };
    let hierarchy = match options.goal {
        Goal::Count(count) => cover_by_count(&surface, count, &of_radius(1.0)),
        Goal::Radius(radius) => cover(&surface, &of_radius(radius)),
    }?;
    let ranks = hierarchy.ranks().iter();
    let ranks = ranks.map(|rank| SphereLevel { radius: rank.radius(), spheres: rank.centres().len() });
    let answer = SpheresAnswer {
        format: FORMAT,
        file: file.to_owned(),
        spheres: hierarchy.smallest().centres().len(),
        accuracy: 4.0 * hierarchy.smallest().radius(),
        of: SpheresOf::Mesh { ranks: ranks.collect() },
        warnings: Vec::new(),
    };
    Ok((answer, hierarchy))
}

/// The answer, and the spheres of each link in its frame; or a link that cannot be covered, and why.
pub type RobotSpheres = Result<(SpheresAnswer, Vec<Vec<Ball>>), (String, CoverFault)>;

/// Covers each link of a robot. The spheres are in the frame of their link.
///
/// # Errors
/// The first link that cannot be covered so, and why.
pub fn of_robot(file: &str, robot: &Robot, goal: Goal) -> RobotSpheres {
    let balls = links::robot(robot, goal)?;
    let largest = |balls: &[Ball]| balls.iter().map(Ball::radius).max_by(f64::total_cmp).unwrap_or_default();
    let all = robot.links().iter().zip(&balls).map(|(link, balls)| LinkSpheres {
        link: link.name.clone(),
        spheres: balls.len(),
        largest_radius: largest(balls),
    });
    let links: Vec<LinkSpheres> = all.collect();
    let answer = SpheresAnswer {
        format: FORMAT,
        file: file.to_owned(),
        spheres: links.iter().map(|link| link.spheres).sum(),
        accuracy: 4.0 * links.iter().map(|link| link.largest_radius).fold(0.0, f64::max),
        of: SpheresOf::Robot { links },
        warnings: Vec::new(),
    };
    Ok((answer, balls))
}

impl SpheresAnswer {
    /// In words.
    #[must_use]
    pub fn text(&self, paint: &impl Paint) -> String {
        let mut text = String::new();
        match &self.of {
            SpheresOf::Mesh { ranks } => {
                text += &paint.strong("rank  radius (m)    spheres");
                text.push('\n');
                for (k, SphereLevel { radius, spheres }) in ranks.iter().enumerate() {
                    writeln!(text, "{:>4}  {radius:<12.6}  {spheres}", k + 1)
                        .expect("writing to a string succeeds");
                }
                if ranks.iter().map(|rank| rank.spheres).sum::<usize>() == 1 {
                    text += "one sphere covers the whole mesh\n";
                }
            }
            SpheresOf::Robot { links } => {
                let width = links.iter().map(|link| link.link.chars().count()).max().unwrap_or_default();
                let width = width.max("link".len());
                text += &paint.strong(&format!("{:width$}  spheres  largest radius (m)", "link"));
                text.push('\n');
                for link in links.iter().filter(|link| link.spheres > 0) {
                    let LinkSpheres { link, spheres, largest_radius } = link;
                    writeln!(text, "{link:width$}  {spheres:>7}  {largest_radius:.6}")
                        .expect("writing to a string succeeds");
                }
                writeln!(text, "{:width$}  {:>7}  {:.6}", "all", self.spheres, self.accuracy / 4.0)
                    .expect("writing to a string succeeds");
            }
        }
        writeln!(
            text,
            "a contact between two such models means surfaces within 2 (r_A + r_B): {:.6} m for two like this",
            self.accuracy
        )
        .expect("writing to a string succeeds");
        text
    }
}

/// Spheres row by row, with as many digits as it takes to read the same numbers again: the smallest, or those of all levels with their level
/// from 1 and the row of the one they belong to.
#[must_use]
pub fn table(hierarchy: &Hierarchy, all_ranks: bool) -> String {
    let mut text = String::from(if all_ranks { "x,y,z,r,rank,parent\n" } else { "x,y,z,r\n" });
    let count = hierarchy.ranks().len();
    let mut parents = vec![String::new()];
    let mut first_row = 1;
    for (k, rank) in hierarchy.ranks().iter().enumerate() {
        let mut next_parents = Vec::new();
        for (index, centre) in rank.centres().iter().enumerate() {
            if !all_ranks && k + 1 < count {
                continue;
            }
            write!(text, "{},{},{},{}", centre.x, centre.y, centre.z, rank.radius())
                .expect("writing to a string succeeds");
            if all_ranks {
                write!(text, ",{},{}", k + 1, parents[index]).expect("writing to a string succeeds");
                next_parents.extend(rank.children(index).map(|_| (first_row + index).to_string()));
            }
            text.push('\n');
        }
        first_row += rank.centres().len();
        parents = next_parents;
    }
    text
}
