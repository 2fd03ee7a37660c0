//! Cells, jobs and scripts: files that name other files, of which few are there.

use super::robots::written_and_read;
use super::small_arm::{self, CELL};
use crate::files::{Folder, joined, put, two};
use crate::{Target, told};
use kansho_io::cell::CellOptions;
use kansho_io::robot_program::Profile;
use kansho_io::{cell, job, script};

pub(super) fn all() -> Vec<Target> {
    vec![
        Target { name: "cell", seeds: cell_seeds, words: CELL_WORDS, run: run_cell },
        Target { name: "job", seeds: job_seeds, words: JOB_WORDS, run: run_job },
        Target { name: "script", seeds: script_seeds, words: SCRIPT_WORDS, run: run_script },
        Target {
            name: "profile",
            seeds: profile_seeds,
            words: &["[[tool]]", "[[work]]", "language", "\"rapid\"", "axes"],
            run: run_profile,
        },
    ]
}

thread_local! {
    static FOLDER: Folder = const { Folder::new() };
}

fn run_cell(bytes: &[u8]) {
    let folder = FOLDER.with(|folder| folder.path(small_arm::put));
    put(&folder, "fuzz.toml", bytes);
    match cell::read(&folder.join("fuzz.toml"), &CellOptions::default()) {
        Ok(loaded) => {
            loaded.warnings.iter().for_each(|warning| told::fault_is_told(bytes, &warning.fault));
            written_and_read(&loaded.cell);
        }
        Err(errors) => told::files_refused(bytes, &errors),
    }
}

/// A job, and perhaps a table of points after a zero byte.
fn run_job(bytes: &[u8]) {
    let folder = FOLDER.with(|folder| folder.path(small_arm::put));
    let (text, table) = two(bytes);
    put(&folder, "job.toml", text);
    put(&folder, "points.csv", table.unwrap_or(b"700,0,300,0,0,-1\n710,0,300,0,0,-1\n"));
    put(&folder, "points.nc", table.unwrap_or(b"G21 G43.4\nG1 X700 Z300 A10 F100\nX710\n"));
    match job::read(&folder.join("job.toml"), &CellOptions::default()) {
        Ok(loaded) => {
            loaded.cell_warnings.iter().for_each(|warning| told::fault_is_told(bytes, &warning.fault));
            let points = loaded.job.path.strokes.iter().flat_map(|stroke| &stroke.points);
            for point in points {
                assert!(point.tip_in_world.is_finite());
                assert!((point.direction_in_world.length() - 1.0).abs() < 1e-9, "{point:?} has no direction");
            }
        }
        Err(errors) => told::files_refused(bytes, &errors),
    }
}

fn run_script(bytes: &[u8]) {
    let folder = FOLDER.with(|folder| {
        folder.path(|folder| {
            small_arm::put(folder);
            put(folder, "groove.obj", include_bytes!("../../../../examples/words/groove.obj"));
            put(folder, "hole.obj", include_bytes!("../../../../examples/words/hole.obj"));
        })
    });
    put(&folder, "script.toml", bytes);
    match script::read(&folder.join("script.toml")) {
        Ok(loaded) => {
            loaded.warnings.iter().for_each(|warning| told::fault_is_told(bytes, &warning.fault));
            // The same text with the same meshes is the same script.
            let again = loaded.with_text(loaded.text()).unwrap_or_else(|errors| panic!("{errors:?}"));
            assert_eq!(format!("{:?}", again.objects), format!("{:?}", loaded.objects));
        }
        Err(errors) => told::files_refused(bytes, &errors),
    }
}

fn run_profile(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    if let Err(faults) = Profile::parse(text) {
        told::refused(bytes, &faults);
    }
}

const CELL_WORDS: &[&str] = &[
    "units = ",
    "\"mm\"",
    "\"in\"",
    "[[robot]]\n",
    "[[object]]\n",
    "name = ",
    "urdf = \"arm.urdf\"\n",
    "srdf = \"arm.srdf\"\n",
    "packages = []",
    "at = { ",
    "xyz = [",
    "rpy_deg = [",
    "matrix = [",
    "hold = {",
    "tool = { on = \"tool0\"",
    "tcp = {",
    "mesh = \"part.obj\"\n",
    "box = [",
    "sphere = ",
    "cylinder = [",
    "capsule = [",
    "cone = [",
    "plane = [",
    "on = \"arm/tool0\"",
    "[allow]\npairs = [[",
    "1e-300",
    "-1e300",
    "nan",
    "inf",
];
const JOB_WORDS: &[&str] = &[
    "cell = \"cell.toml\"\n",
    "robot = \"arm\"\n",
    "clearance = ",
    "[path]\n",
    "file = \"points.csv\"\n",
    "file = \"points.nc\"\n",
    "columns = [",
    "units = \"mm\"\n",
    "frame = \"crate\"\n",
    "closed = true\n",
    "flip = true\n",
    "offset = ",
    "break_at = ",
    "rotary = \"AB\"\n",
    "three_axis = true\n",
    "skip_rows = ",
    "[tool_axis]\n",
    "rotation_deg = { from = ",
    "to = ",
    "step = ",
    "zero = { toward = [",
    "in = \"arm\"",
    "tilt_deg = ",
    "constant = true\n",
    "change_branch = true\n",
    "[motion]\n",
    "kind = \"lin\"\n",
    "speed = ",
    "zone = ",
    "lift = ",
    "blend = \"parabola\"\n",
    "[timing]\n",
    "joint_speed_deg = ",
    "joint_acceleration_deg = ",
    "joint_jerk_deg = ",
    "cycle = ",
    "[output]\n",
    "post = [\"rapid\"]\n",
    "profiles = [",
];
const SCRIPT_WORDS: &[&str] = &[
    "units = \"mm\"\n",
    "move = [",
    "do = \"place\"",
    "do = \"slide\"",
    "do = \"rotate\"",
    "do = \"approach\"",
    "do = \"follow\"",
    "along = \"-z\"",
    "toward = ",
    "until = ",
    "keep = [",
    "by = ",
    "by_deg = ",
    "about = ",
    "spacing = ",
    "forward = ",
    "side = ",
    "allow = [",
    " touches ",
    " on ",
    "[fixed.a]\n",
    "[moved.b]\n",
    "mesh = \"groove.obj\"\n",
    "mesh = \"hole.obj\"\n",
    "box = [",
    "grasp = [",
    "start = { xyz = [",
    "face = \"+z\"",
    "faces = [",
    "edge = \"-x-z\"",
    "corner = ",
    "rim = ",
    "at = [",
    "from = [",
    "tolerance = ",
    "[robot]\n",
    "cell = \"cell.toml\"\n",
];

fn cell_seeds() -> Vec<Vec<u8>> {
    let objects = "[[object]]\nname = \"a\"\nmesh = \"part.obj\"\nunits = \"mm\"\n[[object]]\nname = \"b\"\nsphere = 0.1\nat = { matrix = [1,0,0, 0,1,0, 0,0,1, 1,2,3] }\n[[object]]\nname = \"c\"\ncapsule = [0.1, 0.2]\n[allow]\npairs = [[\"a\", \"b\"]]\n";
    vec![
        CELL.as_bytes().to_vec(),
        objects.as_bytes().to_vec(),
        b"units = \"mm\"\n[[object]]\nname = \"crate\"\nbox = [400, 300, 200]\n".to_vec(),
    ]
}

fn job_seeds() -> Vec<Vec<u8>> {
    let plain = "cell = \"cell.toml\"\n[path]\nfile = \"points.csv\"\n";
    let whole = "cell = \"cell.toml\"\nrobot = \"arm\"\nclearance = 2\n[path]\nfile = \"points.csv\"\nframe = \"crate\"\nclosed = true\nunits = \"mm\"\noffset = 1\nbreak_at = 100\n[tool_axis]\nrotation_deg = { from = 0, to = 350, step = 10 }\nzero = { toward = [0, 1, 0], in = \"arm\" }\ntilt_deg = 5\nconstant = true\n[motion]\nkind = \"lin\"\nspeed = 100\nzone = 1\nlift = 20\n[timing]\njoint_acceleration_deg = 100\njoint_jerk_deg = [1,2,3,4,5,6]\n[output]\npost = [\"rapid\", \"krl\"]\n";
    vec![
        plain.into(),
        whole.into(),
        joined(
            plain.as_bytes(),
            b"path,x_mm,y_mm,z_mm,qx,qy,qz,qw\n0,100,0,300,0,0,0,1\n1,110,0,300,0,0,0,1\n",
        ),
        joined(plain.as_bytes(), b"i,j,k,x_mm,y_mm,z_m\n0,0,-2,100,200,0.3\n"),
    ]
}

fn script_seeds() -> Vec<Vec<u8>> {
    [
        include_str!("../../../../examples/words/box_in_groove.toml"),
        include_str!("../../../../examples/words/peg_in_hole.toml"),
        include_str!("../../../../examples/words/tip_on_ramp.toml"),
        include_str!("../../../../examples/words/feet_on_step.toml"),
    ]
    .map(|text| text.as_bytes().to_vec())
    .to_vec()
}

fn profile_seeds() -> Vec<Vec<u8>> {
    use kansho_io::robot_program::Language;
    Language::ALL.map(|language| Profile::text_of(language).as_bytes().to_vec()).to_vec()
}
