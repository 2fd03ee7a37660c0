use super::{LoadedJob, read};
use crate::cell::CellOptions;
use kansho_cell::{Cell, CellDraft, builtin};
use kansho_geom::Pose;
use kansho_geom::glam::DVec3;
use kansho_plan::job::{Job, JobMotion, Relaxation, RelaxationKind};
use std::fs;
use std::path::Path;

/// The demo's cell, with a job and a path.
fn folder(job: &str, path: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    crate::cell::write(folder.path(), &builtin::cell()).expect("written");
    fs::write(folder.path().join("job.toml"), job).expect("written");
    fs::write(folder.path().join("path.csv"), path).expect("written");
    folder
}

fn good(job: &str, path: &str) -> LoadedJob {
    let folder = folder(job, path);
    read(&folder.path().join("job.toml"), &CellOptions::default()).expect("good")
}

/// All faults, with the name of the file.
fn bad(job: &str, path: &str) -> Vec<String> {
    let folder = folder(job, path);
    let errors = read(&folder.path().join("job.toml"), &CellOptions::default()).expect_err("bad");
    let name = |path: &Path| path.file_name().map_or(String::new(), |n| n.to_string_lossy().into_owned());
    errors.iter().flat_map(|e| e.faults.iter().map(|f| format!("{}: {f}", name(&e.path)))).collect()
}

const JOB: &str = "cell = \"cell.toml\"\n[path]\nfile = \"path.csv\"\n";
const SHEET: &str = "cell = \"cell.toml\"\n[path]\nfile = \"path.csv\"\nframe = \"sheet\"\n";

#[test]
fn paths_come_in_many_orders_of_columns() {
    let point = DVec3::new(0.1, 0.2, 0.3);
    let down = -DVec3::Z;
    for (more, path) in [
        ("", "0.1,0.2,0.3,0,0,-1\n"),
        ("", "i,j,k,x_mm,y_mm,z_m\n0,0,-2,100,200,0.3\n"),
        ("units = \"mm\"\n", "x y z i j k\n100 200 300 0 0 -1\n"),
        ("", "point,X,Y,Z,nx,ny,nz\n7,0.1,0.2,0.3,0,0,1\n"),
        ("columns = [\"-\", \"x\", \"y\", \"z\", \"nx\", \"ny\", \"nz\"]\n", "1,0.1,0.2,0.3,0,0,5\n"),
        ("flip = true\n", "path,x,y,z,qx,qy,qz,qw\n0,0.1,0.2,0.3,0,0,0,1\n"),
        ("skip_rows = 2\nunits = \"mm\"\n", " Line 1,,,,,\n Line 2,,,,,\n100,200,300,0,0,-1\n"),
        ("offset = 0.05\n", "0.1,0.2,0.25,0,0,-1\n"),
        ("units = \"mm\"\n", "x,y,z,w,p,r\n100,200,300,180,0,77\n"),
        ("", "x,y,z,rz1,ry,rz2,motion_type,velocity,tool,spindle\n0.1,0.2,0.3,30,180,5,1,100,1,0\n"),
    ] {
        let job = good(&format!("{JOB}{more}"), path);
        let found = job.job.path.strokes[0].points[0];
        assert!(found.tip_in_world.abs_diff_eq(point, 1e-15), "{path}: {found:?}");
        assert!(found.direction_in_world.abs_diff_eq(down, 1e-15), "{path}: {found:?}");
    }
}

/// Columns that say how the robot moves, or with what, may not change along the path.
#[test]
fn columns_that_change_the_motion_are_refused() {
    let rows = |[a, b]: [&str; 2]| {
        format!("x,y,z,i,j,k,motion_type,tool\n0.1,0.2,0.3,0,0,-1,{a}\n0.1,0.3,0.3,0,0,-1,{b}\n")
    };
    good(JOB, &rows(["1,2", "1,2"]));
    for (numbers, expected) in [
        (["1,2", "0,2"], "line 3, column 1: the column 'motion_type' changes here from 1 to 0"),
        (["1,2", "1,3"], "line 3, column 1: the column 'tool' changes here from 2 to 3"),
    ] {
        let told = bad(JOB, &rows(numbers));
        assert!(told.iter().any(|fault| fault.contains(expected)), "{told:?}");
        let columns = "columns = [\"x\", \"y\", \"z\", \"i\", \"j\", \"k\", \"-\", \"-\"]\n";
        good(&format!("{JOB}{columns}"), &rows(numbers));
    }
}

#[test]
fn frames_strokes_and_the_rest_are_understood() {
    let text = "cell = \"cell.toml\"\nclearance = 0.002\n[path]\nfile = \"path.csv\"\nframe = \"sheet\"\nclosed = true\n\
        [tool_axis]\nrotation_deg = { from = 0, to = 350, step = 10 }\nzero = { toward = [0, 1, 0], in = \"arm\" }\ntilt_deg = 5\nconstant = true\n\
        [motion]\nkind = \"ptp\"\nspeed = 0.2\nzone = 0.001\n[output]\npost = [\"rapid\"]\n";
    let rows = "stroke,x,y,z,i,j,k\n1,0.1,0,0.2,0,0,-1\n1,0.2,0,0.2,0,0,-1\n2,0.2,0.1,0.2,0,0,-1\n1,0.2,0.2,0.2,0,0,-1\n";
    let job = good(text, rows);
    let counts: Vec<usize> = job.job.path.strokes.iter().map(|stroke| stroke.points.len()).collect();
    assert_eq!(counts, [2, 1, 1]);
    assert_eq!(job.job.path.strokes[1].points[0].line, 4);
    let wanted = builtin::world_from_sheet() * DVec3::new(0.2, 0.1, 0.2);
    assert!(job.job.path.strokes[1].points[0].tip_in_world.abs_diff_eq(wanted, 1e-12));
    assert!(job.job.path.strokes.iter().all(|stroke| stroke.closed));
    assert_eq!((job.job.axis.rotations().len(), job.job.axis.wraps(), job.job.axis.tilts()), (36, true, 9));
    assert_eq!((job.job.motion, job.job.robot.as_str()), (JobMotion::Ptp, "arm"));
    assert_eq!((job.job.clearance, job.job.speed, job.job.zone), (0.002, 0.2, 0.001));
    assert!(job.job.constant && !job.job.change_branch);
    assert_eq!(job.post, ["rapid"]);
    let rows = "0,0,1,0,0,-1\n0.1,0,1,0,0,-1\n0.5,0,1,0,0,-1\n0.55,0,1,0,0,-1\n";
    let job = good("cell = \"cell.toml\"\n[path]\nfile = \"path.csv\"\nbreak_at = 0.2\n", rows);
    assert_eq!(job.job.path.strokes.iter().map(|stroke| stroke.points.len()).collect::<Vec<_>>(), [2, 2]);
    // A closed stroke that repeats its first point does so in vain.
    let job = good(
        "cell = \"cell.toml\"\n[path]\nfile = \"path.csv\"\nclosed = true\n",
        "0,0,1,0,0,-1\n1,0,1,0,0,-1\n0,0,1,0,0,-1\n",
    );
    assert_eq!((job.job.path.len(), job.warnings.len()), (2, 1));
}

#[test]
fn every_fault_is_told_at_once_with_its_place() {
    let text = "cell = \"cel.toml\"\ncolour = 3\n[path]\nfile = \"path.csv\"\nunits = \"furlong\"\n[motion]\nkind = \"spline\"\n[output]\npost = [\"basic\"]\n";
    let faults = bad(text, "1,2,3,0,0,0\n1,2,3,0,0,1\n1,2,3,0,0,0\n");
    let has = |start: &str| faults.iter().any(|fault| fault.starts_with(start));
    for start in [
        "job.toml: line 1, column 8: there is no file",
        "job.toml: line 2, column 1: a job has no key \"colour\"",
        "job.toml: line 5, column 9: \"furlong\" is no unit",
        "job.toml: line 7, column 8: \"spline\" is not known",
        "job.toml: line 9, column 9: \"basic\" is no language of robots that is known",
        "path.csv: line 1, column 1: the direction of the tool has no length",
        "path.csv: line 3, column 1: the direction of the tool has no length",
    ] {
        assert!(has(start), "{start} in {faults:#?}");
    }
    assert_eq!(faults.len(), 7, "{faults:#?}");
}

#[test]
fn bad_paths_and_names_are_told() {
    let check = |job: &str, path: &str, wanted: &str| {
        let faults = bad(job, path);
        assert!(faults.len() == 1 && faults[0].starts_with(wanted), "{wanted}: {faults:#?}");
    };
    check(JOB, "", "path.csv: there are no points in this path");
    check(JOB, "x,y,z,i,j,k\n", "path.csv: there are no points in this path");
    check(JOB, "1,2,3\n", "path.csv: line 1, column 1: it is not clear what the 3 columns hold");
    check(JOB, "x,y,z\n1,2,3\n", "path.csv: line 1, column 1: no columns say where the tool is to point");
    check(
        JOB,
        "x,y,i,j,k\n1,2,0,0,1\n",
        "path.csv: line 1, column 1: the columns x, y and z are not all there",
    );
    check(
        JOB,
        "x,y,z,qw,qx,qy,qz\n1,2,3,1,1,0,0\n",
        "path.csv: line 2, column 1: the quaternion has length 1.41",
    );
    check(JOB, "1,2,3,0,0,nan\n", "path.csv: line 1, column 11: 'nan' is not a finite number");
    check(
        &JOB.replace("[path]", "robot = \"leg\"\n[path]"),
        "0,0,1,0,0,-1\n",
        "job.toml: line 2, column 9: the cell has no robot \"leg\"",
    );
    let frame = format!("{JOB}frame = \"shet\"\n");
    check(
        &frame,
        "0,0,1,0,0,-1\n",
        "job.toml: line 4, column 9: the cell has no robot and no object \"shet\"",
    );
    let range = format!("{JOB}[tool_axis]\nrotation_deg = {{ from = 10, to = 0, step = 1 }}\n");
    check(&range, "0,0,1,0,0,-1\n", "job.toml: line 5, column 16: rotations go from");
    let tilt = format!("{JOB}[tool_axis]\ntilt_deg = -1\n");
    check(&tilt, "0,0,1,0,0,-1\n", "job.toml: line 5, column 12: tilt_deg is not less than zero");
}

#[test]
fn a_thousandfold_path_is_pointed_out() {
    let row = |scale: f64, x: f64, y: f64| format!("{},{},{},0,0,-1\n", x * scale, y * scale, 0.2 * scale);
    let path = |scale: f64| row(scale, 0.5, 0.2) + &row(scale, -0.4, 0.1) + &row(scale, 0.1, -0.3);
    good(SHEET, &path(1.0));
    let large = bad(SHEET, &path(1000.0));
    assert!(
        large[0].contains("lines 1 to 3") && large[0].contains("a thousand times too large"),
        "{large:?}"
    );
    let small = bad(SHEET, &path(0.001));
    assert!(small[0].contains("a thousand times too small"), "{small:?}");
}

#[test]
fn a_tool_without_a_working_point_is_told() {
    let folder = folder(JOB, "0,0,1,0,0,-1\n");
    let cell = fs::read_to_string(folder.path().join("cell.toml")).expect("there");
    let at = cell.find(", tcp = {").expect("the demo has a working point");
    let end = at + cell[at..].find("] }").expect("it ends") + 3;
    fs::write(folder.path().join("cell.toml"), format!("{}{}", &cell[..at], &cell[end..])).expect("written");
    let errors = read(&folder.path().join("job.toml"), &CellOptions::default()).expect_err("bad");
    assert_eq!(errors[0].faults[0].what, "the tool of robot \"arm\" has no working point");
}

#[test]
fn the_schema_names_every_key() {
    let schema = super::schema();
    for key in ["cell", "clearance", "path", "tool_axis", "motion", "output"] {
        assert!(schema["properties"][key].is_object(), "{key}");
    }
    assert_eq!(schema["properties"]["path"]["required"], serde_json::json!(["file"]));
}

#[test]
fn a_job_goes_with_what_it_is_named_after() {
    let more = "[tool_axis]\nzero = { toward = [1, 0, 0], in = \"arm\" }\n";
    let job = good(&format!("{SHEET}{more}"), "0.1,0.2,0.3,0,0,-1\n0.1,0.3,0.3,0,0,-1\n").job;
    let again = |job: &Job, draft: CellDraft| job.in_cell(Cell::new(draft).expect("good"));
    // What stays where it is stays so to the last bit.
    let same = again(&job, job.cell.draft().clone()).expect("the same cell");
    assert_eq!((&same.path, &same.axis), (&job.path, &job.axis));
    let shift = DVec3::new(0.0, 0.1, 0.2);
    let mut draft = job.cell.draft().clone();
    let sheet = draft.objects.iter_mut().find(|object| object.name == "sheet").expect("it is there");
    for piece in &mut sheet.pieces {
        piece.carrier_from_piece = Pose::from_translation(shift) * piece.carrier_from_piece;
    }
    draft.robots[0].world_from_root = Pose::turn(DVec3::Z, 0.5);
    let moved = again(&job, draft).expect("all that it names is there");
    for (before, after) in job.path.points().zip(moved.path.points()) {
        assert!(after.tip_in_world.abs_diff_eq(before.tip_in_world + shift, 1e-15));
        assert!(after.direction_in_world.abs_diff_eq(before.direction_in_world, 1e-15));
    }
    assert_ne!(moved.axis, job.axis);
    let mut without = job.cell.draft().clone();
    without.objects.retain(|object| object.name != "sheet");
    let why = again(&job, without).expect_err("its path is in the frame of the sheet");
    assert!(why.contains("no \"sheet\""), "{why}");
    let mut bare = job.cell.draft().clone();
    bare.robots[0].tool = None;
    bare.allow.clear();
    let why = again(&job, bare).expect_err("nobody can work");
    assert!(why.contains("\"arm\" with a tool"), "{why}");
}

/// Toolpaths stand where tables do.
#[test]
fn paths_may_be_toolpaths() {
    let text = JOB.replace("path.csv", "path.apt");
    let folder = folder(&text, "");
    let apt = "UNITS/MM\nMULTAX/ON\nGOTO/100,200,300,0,0,1\nGOTO/110,200,300,0,0,1\nFINI\n";
    fs::write(folder.path().join("path.apt"), apt).expect("written");
    let job = read(&folder.path().join("job.toml"), &CellOptions::default()).expect("good");
    let found = job.job.path.strokes[0].points[0];
    assert!(found.tip_in_world.abs_diff_eq(DVec3::new(0.1, 0.2, 0.3), 1e-15) && found.line == 3);
    assert_eq!(found.direction_in_world, -DVec3::Z);
    fs::write(folder.path().join("path.apt"), "UNITS/MM\nGOTO/1,2\n").expect("written");
    let errors = read(&folder.path().join("job.toml"), &CellOptions::default()).expect_err("bad");
    assert!(errors[0].to_string().contains("path.apt: line 2"), "{}", errors[0]);
}

/// What a toolpath warns about is a warning of the job, with the file and the line.
#[test]
fn warnings_of_toolpaths_are_warnings_of_the_job() {
    let folder = folder(&JOB.replace("path.csv", "path.apt"), "");
    fs::write(
        folder.path().join("path.apt"),
        "UNITS/MM\nGOTO/100,200,300\nPREFUN/64\nGOTO/110,200,300\nFINI\n",
    )
    .expect("written");
    let job = read(&folder.path().join("job.toml"), &CellOptions::default()).expect("good");
    let told: Vec<String> = job.warnings.iter().map(ToString::to_string).collect();
    assert!(told.len() == 1 && told[0].contains("path.apt: line 3, column 1: 'PREFUN/64'"), "{told:?}");
}

/// Keys count, or are refused where this kind of path or motion has no use for them.
#[test]
fn keys_that_mean_nothing_for_a_path_are_refused() {
    let apt = "GOTO/100,200,300\nGOTO/110,200,300\nFINI\n";
    let rows = "0,0,1,0,0,-1\n";
    let toolpath = |more: &str, text: &str| {
        let folder = folder(&format!("{}{more}\n", JOB.replace("path.csv", "path.apt")), "");
        fs::write(folder.path().join("path.apt"), text).expect("written");
        read(&folder.path().join("job.toml"), &CellOptions::default())
            .map(|job| job.job.path.strokes[0].points[0].tip_in_world.x)
            .map_err(|errors| errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))
    };
    for (more, expected) in [
        ("skip_rows = 2", "line 4, column 1: \"skip_rows\" is a key of tables (CSV)"),
        ("columns = [\"x\"]", "line 4, column 1: \"columns\" is a key of tables (CSV)"),
        ("rotary = \"AB\"", "line 4, column 1: \"rotary\" is a key of G-code"),
        ("three_axis = true", "line 4, column 1: \"three_axis\" is a key of G-code"),
    ] {
        let told = toolpath(more, apt).expect_err(more);
        assert!(told.contains(expected), "{more}: {told}");
    }
    assert_eq!(toolpath("units = \"in\"", apt), Ok(2.54));
    let told = toolpath("units = \"in\"", &format!("UNITS/MM\n{apt}")).expect_err("two units");
    assert!(
        told.contains("path.apt: line 1, column 1: UNITS/MM names another unit than units in [path]"),
        "{told}"
    );
    for (more, expected) in [
        ("rotary = \"AB\"\n", "job.toml: line 4, column 1: \"rotary\" is a key of G-code"),
        ("three_axis = true\n", "job.toml: line 4, column 1: \"three_axis\" is a key of G-code"),
        (
            "[motion]\nkind = \"ptp\"\nlaw = \"both\"\n",
            "job.toml: line 6, column 1: \"law\" is of linear moves",
        ),
        (
            "[motion]\nkind = \"ptp\"\nblend = \"inside\"\n",
            "job.toml: line 6, column 1: \"blend\" is of linear moves",
        ),
    ] {
        let faults = bad(&format!("{JOB}{more}"), rows);
        assert!(faults.len() == 1 && faults[0].starts_with(expected), "{expected}: {faults:#?}");
    }
}

/// Of whole poses only the direction of tool Z counts, and that is said once.
#[test]
fn rotations_of_whole_poses_are_not_dropped_without_a_word() {
    for (path, warnings) in [
        ("x,y,z,qw,qx,qy,qz\n0,0,1,0,1,0,0\n0.1,0,1,0,1,0,0\n", 1),
        ("x,y,z,w,p,r\n0,0,1,180,0,77\n0.1,0,1,180,0,77\n", 1),
        ("x,y,z,rz1,ry,rz2\n0,0,1,0,180,7\n", 1),
        ("x,y,z,i,j,k\n0,0,1,0,0,-1\n", 0),
    ] {
        let job = good(JOB, path);
        assert_eq!(job.warnings.len(), warnings, "{path}: {:?}", job.warnings);
        assert!(
            job.warnings.iter().all(|warning| warning.to_string().contains("only the direction of tool Z"))
        );
    }
}

#[test]
fn what_is_let_go_of_changes_that_and_nothing_else() {
    let path = "0.1,0.2,0.3,0,0,-1\n0.3,0.2,0.3,0,0,-1\n";
    let place = |job: &Job, name: &str| {
        let body = job.cell.bodies().iter().find(|body| body.name == name).expect("it is there");
        body.pieces[0].carrier_from_piece
    };
    for text in [JOB, SHEET] {
        let job = good(text, path).job;
        let tips = |job: &Job| job.path.points().map(|point| point.tip_in_world).collect::<Vec<_>>();
        let by = DVec3::new(0.01, 0.0, -0.02);
        let moved = job.relaxed(&Relaxation::Move(by)).expect("good");
        for (before, after) in tips(&job).into_iter().zip(tips(&moved)) {
            assert!((after - before).abs_diff_eq(by, 1e-12));
        }
        for (name, is_moved) in [("sheet", true), ("fixture", true), ("floor", false)] {
            let way = place(&moved, name).translation() - place(&job, name).translation();
            assert!(way.abs_diff_eq(if is_moved { by } else { DVec3::ZERO }, 1e-12), "{name}");
        }
        let turned = job.relaxed(&Relaxation::Turn(0.5)).expect("good");
        let middle = |job: &Job| tips(job).into_iter().sum::<DVec3>() / 2.0;
        assert!(middle(&turned).abs_diff_eq(middle(&job), 1e-12) && tips(&turned) != tips(&job));
        let raised = job.relaxed(&Relaxation::Base(-0.05)).expect("good");
        let root = |job: &Job| job.cell.robots()[0].world_from_root.translation();
        assert!((root(&raised) - root(&job)).abs_diff_eq(DVec3::Z * -0.05, 1e-12));
        assert_eq!(tips(&raised), tips(&job));
        let tool = |job: &Job| job.cell.robots()[0].tool.expect("a tool").link_from_tcp;
        let shorter = job.relaxed(&Relaxation::Shorter(0.02)).expect("good");
        assert!(
            (tool(&shorter).translation() - tool(&job).translation()).abs_diff_eq(DVec3::Z * -0.02, 1e-12)
        );
        assert!(job.relaxed(&Relaxation::Shorter(10.0)).is_err_and(|why| why.contains("not that long")));
        let bent = job.relaxed(&Relaxation::Bend { about_x: true, angle: 0.1 }).expect("good");
        let turn = tool(&bent) * tool(&job).inverse();
        let off = turn.to_rows().into_iter().zip(Pose::turn(DVec3::X, 0.1).to_rows());
        assert!(off.into_iter().all(|(a, b)| (a - b).abs() < 1e-12));
        let finer = job.relaxed(&Relaxation::Rotation(0.5f64.to_radians())).expect("good");
        assert_eq!((finer.axis.rotations().len(), finer.axis.wraps()), (720, true));
        let fewer = job.with_every_rotation(3).expect("360 are 3 times 120");
        assert_eq!((fewer.axis.rotations().len(), fewer.axis.wraps()), (120, true));
        for (k, angle) in fewer.axis.rotations().iter().enumerate() {
            assert!((angle - job.axis.rotations()[3 * k]).abs() < 1e-12);
        }
        assert!(job.with_every_rotation(7).is_none());
        let tilted = job.relaxed(&Relaxation::Tilt(0.1)).expect("good");
        assert_eq!(tilted.axis.stances(), 9 * 360);
        let without = job.relaxed(&Relaxation::Without("fixture".into())).expect("good");
        assert!(without.cell.bodies().iter().all(|body| body.name != "fixture"));
        assert!(job.relaxed(&Relaxation::Branch).expect("good").change_branch);
    }
    // The smallest come first, and what the path lies on is not left out.
    let job = good(SHEET, path).job;
    let named = |kind: RelaxationKind| -> Vec<String> {
        job.relaxations(kind, 0.1).iter().map(ToString::to_string).collect()
    };
    assert_eq!(named(RelaxationKind::Move)[0], "moving the work by (10, 0, 0) mm");
    assert_eq!(named(RelaxationKind::Tilt)[0], "tilting the tool by 2 deg");
    assert_eq!(named(RelaxationKind::Without), ["leaving out \"fixture\"", "leaving out \"floor\""]);
    assert!(job.relaxed(&Relaxation::Without("sheet".into())).is_err());
}
