//! What tells a cell or a job from every other: a hash (BLAKE3) of all that it holds.
//!
//! Whatever keeps something for later (`plan --resume`, `--place --known`, sweeps of the Python package) keeps the fingerprint with it, and
//! refuses what has another one. Names of files and warnings are no part of it; everything else is.

use crate::job::LoadedJob;
use kansho_cell::Cell;
use kansho_cell::canonical::Canonical;
use kansho_plan::job::{Job, PlaceGrid, PlaceOf};

/// Bytes of a hash.
pub(crate) const HASH: usize = 32;

/// The fingerprint of a cell, in hexadecimal digits.
#[must_use]
pub fn of_cell(cell: &Cell) -> String {
    hashed(|canonical| canonical.cell(cell)).to_hex().to_string()
}

/// The fingerprint of a job and its cell, in hexadecimal digits.
#[must_use]
pub fn of_job(job: &LoadedJob) -> String {
    hash_of_job(job).to_hex().to_string()
}

/// As [`of_job`], for this version of the program: another one may work a plan out in another way.
pub(crate) fn hash_of_job(job: &LoadedJob) -> blake3::Hash {
    // Without `..`: a new field does not compile until somebody says what it means here.
    let LoadedJob {
        job,
        file: _,
        cell_file: _,
        path_file: _,
        metres_per_unit: _,
        post,
        profiles,
        cell_warnings: _,
        warnings: _,
    } = job;
    let Job {
        cell,
        robot,
        path,
        axis,
        frames,
        constant,
        change_branch,
        motion,
        laws,
        speed,
        zone,
        blend,
        lift,
        clearance,
        timing,
    } = job;
    hashed(|canonical| {
        canonical.debug(&env!("CARGO_PKG_VERSION"));
        canonical.cell(cell);
        canonical.debug(&(robot, axis, frames, constant, change_branch, motion, laws));
        canonical.debug(&(speed, zone, blend, lift, clearance, timing, post, profiles));
        path.strokes.iter().for_each(|stroke| canonical.debug(stroke));
    })
}

/// What tells a job, and a box of places for it, from others: rows of several runs that belong together have it in common.
#[must_use]
pub fn of_places(job: &LoadedJob, of: PlaceOf, grid: &PlaceGrid) -> String {
    let mut hasher = blake3::Hasher::new();
    hasher.update(hash_of_job(job).as_bytes());
    hasher.update(format!("{of:?} {grid:?}").as_bytes());
    hasher.finalize().to_hex()[..16].to_owned()
}

fn hashed(add: impl FnOnce(&mut Canonical<'_>)) -> blake3::Hash {
    let mut hasher = blake3::Hasher::new();
    let mut sink = |bytes: &[u8]| {
        hasher.update(bytes);
    };
    add(&mut Canonical::new(&mut sink));
    hasher.finalize()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cell::CellOptions;
    use crate::robot_program::{Language, Profile};
    use kansho_cell::canonical;
    use kansho_cell::route::{Blend, Laws};
    use kansho_cell::work::{ToolAxis, WorkPoint};
    use kansho_cell::{
        BodyPiece, CellDraft, DisabledPair, Geometry, JointKind, LinkDraft, MimicDraft, ObjectDraft, Robot,
        RobotDraft, RobotDraftInCell, ToolDraft,
    };
    use kansho_cell::{JointDraft, Limits};
    use kansho_geom::glam::DVec3;
    use kansho_geom::primitive::{Primitive, Shape};
    use kansho_geom::{Mesh, Pose};
    use kansho_plan::job::{JobMotion, JobTiming};
    use std::collections::BTreeMap;
    use std::sync::Arc;

    fn at(x: f64) -> Pose {
        Pose::from_translation(DVec3::X * x)
    }

    fn ball(radius: f64) -> BodyPiece {
        let ball = Primitive::new(Shape::Sphere { radius }).expect("a size");
        BodyPiece { geometry: Geometry::Primitive(ball), carrier_from_piece: Pose::IDENTITY }
    }

    fn block(size: f64) -> Arc<Mesh> {
        let block = Primitive::new(Shape::Box { size: DVec3::splat(size) }).expect("a size");
        Arc::new(block.tessellated(1e-3).expect("a mesh"))
    }

    fn robot() -> RobotDraft {
        let joint = |name: &str, parent: &str, child: &str, kind: JointKind| JointDraft {
            name: name.into(),
            kind,
            parent: parent.into(),
            child: child.into(),
            parent_from_joint: at(0.4),
            limits: Some(Limits { lower: -1.0, upper: 1.0 }),
            max_speed: Some(2.0),
            mimic: None,
        };
        let link = |name: &str| LinkDraft { name: name.into(), pieces: vec![ball(0.1)] };
        let turn = JointKind::Revolute { axis: DVec3::Z };
        let mut last = joint("c", "l2", "l3", turn);
        last.mimic = Some(MimicDraft { joint: "a".into(), multiplier: 1.0, offset: 0.0 });
        RobotDraft {
            name: "r".into(),
            links: ["l0", "l1", "l2", "l3"].map(link).to_vec(),
            joints: vec![joint("a", "l0", "l1", turn), joint("b", "l1", "l2", turn), last],
        }
    }

    fn draft(robot: RobotDraft) -> CellDraft {
        CellDraft {
            robots: vec![RobotDraftInCell {
                name: "arm".into(),
                robot: Robot::new(robot).expect("a robot"),
                world_from_root: Pose::IDENTITY,
                hold: vec![("b".into(), 0.1)],
                tool: Some(ToolDraft { on: "l3".into(), pieces: vec![ball(0.05)], link_from_tcp: at(0.1) }),
                disabled: vec![DisabledPair { links: ["l0".into(), "l2".into()], reason: "never".into() }],
            }],
            objects: vec![
                ObjectDraft {
                    name: "table".into(),
                    pieces: vec![BodyPiece {
                        geometry: Geometry::Mesh(block(0.5)),
                        carrier_from_piece: at(3.0),
                    }],
                    on: None,
                },
                ObjectDraft { name: "part".into(), pieces: vec![ball(0.02)], on: None },
            ],
            allow: Vec::new(),
        }
    }

    /// Every field of a cell, changed by the least that it can be, gives another fingerprint; and no change the same one.
    #[test]
    fn every_field_of_a_cell_changes_its_fingerprint() {
        type Change = fn(&mut CellDraft);
        type Inside = fn(&mut RobotDraft);
        let print = |draft: CellDraft| {
            let cell = Cell::new(draft).expect("a cell");
            // What is hashed can be read back, and is the same cell.
            let bytes = canonical::write(&cell);
            let again = canonical::read(&bytes).expect("what was written can be read");
            assert_eq!(canonical::write(&again), bytes);
            of_cell(&cell)
        };
        let mut seen: BTreeMap<String, String> = BTreeMap::new();
        let mut add = |what: &str, found: String| {
            if let Some(before) = seen.insert(found, what.to_owned()) {
                panic!("{what} gives the fingerprint of {before}");
            }
        };
        add("nothing", print(draft(robot())));
        assert_eq!(print(draft(robot())), print(draft(robot())));
        let inside: [(&str, Inside); 17] = [
            ("name of the robot", |r| r.name = "s".into()),
            ("name of a link", |r| {
                r.links[0].name = "l9".into();
                r.joints[0].parent = "l9".into();
            }),
            ("shape of a link", |r| r.links[1].pieces = vec![ball(0.1f64.next_up())]),
            ("place of a shape", |r| r.links[1].pieces[0].carrier_from_piece = at(1e-300)),
            ("a link without shapes", |r| r.links[0].pieces.clear()),
            ("name of a joint", |r| r.joints[1].name = "bb".into()),
            ("kind of a joint", |r| r.joints[0].kind = JointKind::Continuous { axis: DVec3::Z }),
            ("axis of a joint", |r| r.joints[0].kind = JointKind::Revolute { axis: DVec3::Y }),
            ("parent of a joint", |r| r.joints[2].parent = "l1".into()),
            ("place of a joint", |r| r.joints[0].parent_from_joint = at(0.4f64.next_up())),
            ("lower limit", |r| r.joints[0].limits = Some(Limits { lower: -1.1, upper: 1.0 })),
            ("upper limit", |r| r.joints[0].limits = Some(Limits { lower: -1.0, upper: 1.1 })),
            ("speed", |r| r.joints[0].max_speed = Some(2.1)),
            ("no speed", |r| r.joints[0].max_speed = None),
            ("multiplier", |r| r.joints[2].mimic.as_mut().expect("one").multiplier = 1.5),
            ("offset", |r| r.joints[2].mimic.as_mut().expect("one").offset = 1e-9),
            ("no mimic", |r| r.joints[2].mimic = None),
        ];
        for (what, change) in inside {
            let mut robot = robot();
            change(&mut robot);
            let mut draft = draft(robot);
            draft.robots[0].hold.retain(|(joint, _)| what != "name of a joint" || joint != "b");
            if what == "name of a link" {
                draft.robots[0].disabled.clear();
            }
            add(what, print(draft));
        }
        let outside: [(&str, Change); 17] = [
            ("name in the cell", |d| d.robots[0].name = "arm2".into()),
            ("place of the robot", |d| d.robots[0].world_from_root = at(1e-9)),
            ("value of a held joint", |d| d.robots[0].hold[0].1 = 0.2),
            ("nothing held", |d| d.robots[0].hold.clear()),
            ("TCP", |d| d.robots[0].tool.as_mut().expect("one").link_from_tcp = at(0.1f64.next_up())),
            ("shape of the tool", |d| d.robots[0].tool.as_mut().expect("one").pieces = vec![ball(0.06)]),
            ("link of the tool", |d| d.robots[0].tool.as_mut().expect("one").on = "l2".into()),
            ("no tool", |d| d.robots[0].tool = None),
            ("no disabled pair", |d| d.robots[0].disabled.clear()),
            ("another disabled pair", |d| d.robots[0].disabled[0].links[1] = "l3".into()),
            ("name of an object", |d| d.objects[0].name = "desk".into()),
            ("mesh of an object", |d| d.objects[0].pieces[0].geometry = Geometry::Mesh(block(0.6))),
            ("place of an object", |d| d.objects[0].pieces[0].carrier_from_piece = at(3.0f64.next_up())),
            ("carrier of an object", |d| d.objects[1].on = Some("arm/l3".into())),
            ("allowed pair", |d| d.allow.push(["arm/l0".into(), "table".into()])),
            ("one object less", |d| {
                d.objects.pop();
            }),
            ("order of objects", |d| d.objects.swap(0, 1)),
        ];
        for (what, change) in outside {
            let mut draft = draft(robot());
            change(&mut draft);
            add(what, print(draft));
        }
    }

    /// The same of a job.
    #[test]
    fn every_field_of_a_job_changes_its_fingerprint() {
        type Change = fn(&mut Job);
        let folder = tempfile::tempdir().expect("a folder");
        crate::demo::write(folder.path(), [24, 30]).expect("written");
        let job = crate::job::read(&folder.path().join("job.toml"), &CellOptions::default()).expect("a job");
        let mut seen: BTreeMap<String, &str> = BTreeMap::new();
        seen.insert(of_job(&job), "nothing");
        // Names of files are no part of it.
        let elsewhere = LoadedJob { cell_file: "x".into(), path_file: "y".into(), ..job.clone() };
        assert_eq!(of_job(&elsewhere), of_job(&job));
        let changes: [(&str, Change); 21] = [
            ("cell", |job| {
                let mut draft = job.cell.draft().clone();
                draft.robots[0].tool.as_mut().expect("a tool").link_from_tcp = at(0.2);
                job.cell = Cell::new(draft).expect("a cell");
            }),
            ("robot", |job| job.robot.push('2')),
            ("a point", |job| job.path.strokes[0].points[0].tip_in_world.x += 1e-9),
            ("a direction", |job| job.path.strokes[0].points[0].direction_in_world = DVec3::Z),
            ("one point more", |job| {
                let last: WorkPoint = job.path.strokes[0].points[0];
                job.path.strokes[0].points.push(last);
            }),
            ("closed", |job| job.path.strokes[0].closed ^= true),
            ("rotations", |job| {
                job.axis = ToolAxis::new([0.0, 1.0, 0.1], DVec3::X, 0.0).expect("an axis");
            }),
            ("tilt", |job| job.axis = ToolAxis::new([0.0, 1.0, 0.1], DVec3::X, 0.1).expect("an axis")),
            ("direction of rotation zero", |job| {
                job.axis = ToolAxis::new([0.0, 1.0, 0.1], DVec3::Y, 0.0).expect("an axis");
            }),
            ("frame of the path", |job| job.frames.path = Some("x".into())),
            ("frame of rotation zero", |job| job.frames.toward = Some("x".into())),
            ("constant", |job| job.constant ^= true),
            ("change of branch", |job| job.change_branch ^= true),
            ("kind of motion", |job| {
                job.motion = if job.motion == JobMotion::Lin { JobMotion::Ptp } else { JobMotion::Lin };
            }),
            ("laws", |job| {
                job.laws = if job.laws == Laws::Both { Laws::Slerp } else { Laws::Both };
            }),
            ("speed", |job| job.speed *= 1.5),
            ("zone", |job| job.zone += 1e-4),
            ("blend", |job| {
                job.blend = if job.blend == Blend::Inside { Blend::Parabola } else { Blend::Inside };
            }),
            ("lift", |job| job.lift += 1e-3),
            ("clearance", |job| job.clearance += 1e-9),
            ("timing", |job| {
                job.timing = match &job.timing {
                    Some(timing) => Some(JobTiming { cycle: timing.cycle * 2.0, ..timing.clone() }),
                    None => Some(JobTiming {
                        limits: kansho_plan::timing::TimeLimits {
                            speed: vec![1.0; 6],
                            acceleration: vec![1.0; 6],
                            jerk: vec![1.0; 6],
                            tip_speed: 1.0,
                        },
                        cycle: 0.01,
                    }),
                };
            }),
        ];
        let mut all: Vec<(&str, LoadedJob)> = Vec::new();
        for (what, change) in changes {
            let mut other = job.clone();
            change(&mut other.job);
            all.push((what, other));
        }
        let programs = |post: &[&str]| post.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        let of_profile = Profile::of(Language::Krl);
        all.push((
            "programs",
            LoadedJob { post: [job.post.clone(), programs(&["other"])].concat(), ..job.clone() },
        ));
        all.push(("other programs", LoadedJob { post: programs(&["jbi"]), ..job.clone() }));
        all.push(("profiles", LoadedJob { profiles: vec![of_profile], ..job.clone() }));
        for (what, other) in all {
            if let Some(before) = seen.insert(of_job(&other), what) {
                panic!("{what} gives the fingerprint of {before}");
            }
        }
    }
}
