//! From a job file and all it names to a [`LoadedJob`].

use super::keys::{BLENDS, JOB, KINDS, LAWS, MOTION, OUTPUT, PATH, POSTS, ROTATION, TOOL_AXIS, ZERO};
use super::points::{self, Layout, Row};
use super::timing::GivenTiming;
use crate::cell::toml::{self, Located, Report, Table, Value, Where, shown};
use crate::cell::{self, CellOptions, LengthUnit, LoadedCell, UNITS};
use crate::fault::{Fault, ReadError, Warning};
use crate::load::bytes_of;
use crate::robot_program::{Language, Profile};
use crate::toolpath::{self, GivenUnit, ToolpathKind, ToolpathOptions};
use kansho_cell::route::{Blend, Laws};
use kansho_cell::work::{Stroke, ToolAxis, WorkPath, WorkPoint};
use kansho_cell::{Body, BodyKind, Cell, Geometry, nearest_name};
use kansho_geom::glam::DVec3;
use kansho_geom::{Aabb, Pose};
use kansho_plan::job::{Job, JobFrames, JobMotion, JobTiming, stands_still};
use std::path::{Path, PathBuf};

/// Largest job file, in bytes.
const MAX_BYTES: usize = 1 << 20;

/// Degrees from one rotation to the next where that is not said.
const STEP_DEG: f64 = 1.0;

/// A job from files.
#[derive(Clone, Debug)]
pub struct LoadedJob {
    /// The job itself, in metres and radians.
    pub job: Job,
    /// Its own file; empty where it is of none.
    pub file: PathBuf,
    /// The file of its cell.
    pub cell_file: PathBuf,
    /// The file of its path.
    pub path_file: PathBuf,
    /// Metres in one unit of the cell's file.
    pub metres_per_unit: f64,
    /// Robot programs that it asks for.
    pub post: Vec<String>,
    /// Profiles of controllers, instead of those that come with kansho.
    pub profiles: Vec<Profile>,
    /// Oddities of the cell.
    pub cell_warnings: Vec<Warning>,
    /// Oddities of the job and its path.
    pub warnings: Vec<Warning>,
}

impl LoadedJob {
    /// The same files with another job.
    #[must_use]
    pub fn with(&self, job: Job) -> Self {
        Self { job, ..self.clone() }
    }
}

/// What a job file says, before other files are looked at.
struct Given<'a> {
    cell: Option<Located<&'a str>>,
    robot: Option<Located<&'a str>>,
    clearance: f64,
    file: Option<Located<&'a str>>,
    columns: Option<Vec<&'a str>>,
    units: Option<LengthUnit>,
    frame: Option<Located<&'a str>>,
    closed: bool,
    flip: bool,
    offset: f64,
    /// Zero if it is not said.
    break_at: f64,
    skip: usize,
    rotary: Option<Located<&'a str>>,
    three_axis: bool,
    rotation_deg: [f64; 3],
    rotation_at: Where,
    toward: DVec3,
    toward_in: Option<Located<&'a str>>,
    tilt_deg: f64,
    constant: bool,
    change_branch: bool,
    motion: JobMotion,
    law: Option<Laws>,
    speed: f64,
    zone: f64,
    blend: Blend,
    lift: f64,
    timing: Option<GivenTiming>,
    post: Vec<String>,
    profiles: Vec<Located<&'a str>>,
}

/// Whether a file looks like a job: it names a cell and a path.
#[must_use]
pub fn is_job(path: &Path) -> bool {
    path.extension().is_some_and(|end| end.eq_ignore_ascii_case("toml"))
        && toml::text_of(path, "a job", MAX_BYTES).is_ok_and(|text| {
            let has = |start: &str| text.lines().any(|line| line.trim_start().starts_with(start));
            has("cell") && has("[path]")
        })
}

/// Reads a job, its cell and its path.
///
/// # Errors
/// Everything that is wrong with them, file by file, the job first.
pub fn read(path: &Path, options: &CellOptions) -> Result<LoadedJob, Vec<ReadError>> {
    let fail = |faults| vec![ReadError { path: path.to_owned(), faults }];
    let text = &toml::text_of(path, "a job file", MAX_BYTES).map_err(|fault| fail(vec![fault]))?;
    let document = toml::parse_file(text, "this job").map_err(fail)?;
    let mut report = Report::new(text);
    let table = Table::new(document.get_ref(), 0..0, "a job", JOB, &mut report);
    let given = Given::read(&table, &mut report);
    let folder = path.parent().unwrap_or(Path::new(""));
    let present = |file: &Option<Located<&str>>, report: &mut Report<'_>| {
        let file = file.as_ref()?;
        let named = folder.join(file.value);
        if named.is_file() {
            return Some(named);
        }
        report.note(&file.at, format!("there is no file \"{}\"", named.display()));
        None
    };
    let mut errors = Vec::new();
    let cell_file = present(&given.cell, &mut report);
    let path_file = present(&given.file, &mut report);
    let cell = cell_file
        .as_ref()
        .and_then(|file| cell::read(file, options).map_err(|mut more| errors.append(&mut more)).ok());
    let profiles = given.profiles(folder, &mut report, &mut errors);
    let units = given.units.or_else(|| {
        let metres = cell.as_ref()?.metres_per_unit;
        UNITS.iter().copied().find(|unit| unit.metres(1.0) == metres)
    });
    let layout = Layout {
        columns: given.columns.clone(),
        units: units.unwrap_or(UNITS[0]),
        flip: given.flip,
        skip: given.skip,
    };
    let rows = path_file.as_ref().and_then(|file| {
        let read = bytes_of(file).map_err(|what| vec![Fault::of_file(what)]);
        let rows = read.and_then(|bytes| match ToolpathKind::of_file(file) {
            None => points::parse(&bytes, &layout),
            Some(kind) => {
                let unit = given.units.map(|unit| GivenUnit {
                    metres: unit.metres(1.0),
                    overrides: false,
                    by: "units in [path] of the job",
                });
                let options = ToolpathOptions {
                    unit,
                    three_axis: given.three_axis,
                    rotary: given.rotary.as_ref().map_or("ABC".into(), |rotary| rotary.value.to_owned()),
                };
                toolpath::parse(&bytes, kind, &options).map(|path| points::of_toolpath(path, &layout))
            }
        });
        rows.map_err(|faults| errors.push(ReadError { path: file.clone(), faults })).ok()
    });
    let (rows, oddities) = rows.map_or((None, Vec::new()), |read| (Some(read.rows), read.warnings));
    let mut found = None;
    if let (Some(cell), Some(rows), Some(path_file)) = (&cell, &rows, &path_file) {
        let resolved = given.resolve(cell, &mut report);
        if let (Some(resolved), Some(fault)) = (&resolved, unit_fault(cell, &given, rows)) {
            let _ = resolved;
            errors.push(ReadError { path: path_file.clone(), faults: vec![fault] });
        }
        found = resolved.map(|resolved| resolved.finish(&given, &layout, rows, path_file));
    } else if let Some(cell) = &cell {
        given.resolve(cell, &mut report);
    }
    let faults = report.into_faults();
    if !faults.is_empty() {
        errors.insert(0, ReadError { path: path.to_owned(), faults });
    }
    match (found, cell, cell_file, path_file) {
        (Some(found), Some(cell), Some(cell_file), Some(path_file)) if errors.is_empty() => {
            let scale = cell.metres_per_unit;
            let oddities = oddities.into_iter().map(|fault| Warning { path: path_file.clone(), fault });
            let warnings = oddities.chain(found.warnings).collect();
            let job = Job {
                robot: found.robot,
                path: found.path,
                axis: found.axis,
                frames: given.frames(),
                constant: given.constant,
                change_branch: given.change_branch,
                motion: given.motion,
                laws: given.laws(&profiles),
                speed: given.speed * scale,
                zone: given.zone * scale,
                blend: given.blend,
                lift: given.lift * scale,
                clearance: given.clearance * scale,
                timing: found.timing,
                cell: cell.cell,
            };
            Ok(LoadedJob {
                job,
                file: path.to_owned(),
                cell_file,
                path_file,
                metres_per_unit: cell.metres_per_unit,
                post: given.post,
                profiles,
                cell_warnings: cell.warnings,
                warnings,
            })
        }
        _ => Err(errors),
    }
}

impl<'a> Given<'a> {
    fn read(job: &Table<'a>, report: &mut Report<'_>) -> Self {
        let word = |table: &Option<Table<'a>>, key: &str, report: &mut Report<'_>| {
            table.as_ref().and_then(|table| table.get(key)).and_then(|value| value.text("a string", report))
        };
        let number = |table: &Option<Table<'a>>, key: &str, default: f64, report: &mut Report<'_>| {
            let value = table.as_ref().and_then(|table| table.get(key));
            value.and_then(|value| value.number(report)).unwrap_or(default)
        };
        let not_negative = |table: &Option<Table<'a>>, key: &str, default: f64, report: &mut Report<'_>| {
            let found = number(table, key, default, report);
            if found < 0.0
                && let Some(value) = table.as_ref().and_then(|table| table.get(key))
            {
                report.note(&value.at(), format!("{key} is not less than zero"));
            }
            found.max(0.0)
        };
        let yes = |table: &Option<Table<'a>>, key: &str, report: &mut Report<'_>| {
            let value = table.as_ref().and_then(|table| table.get(key));
            value.and_then(|value| value.truth(report)).unwrap_or(false)
        };
        let part = |name: &str, keys, report: &mut Report<'_>| {
            job.get(name).and_then(|value: Value<'a>| value.table(&format!("[{name}]"), keys, report))
        };
        let path = part("path", PATH, report);
        let axis = part("tool_axis", TOOL_AXIS, report);
        let motion = part("motion", MOTION, report);
        let output = part("output", OUTPUT, report);
        let all = Some(Table::new(job.entries(), job.at.clone(), "a job", JOB, &mut Report::new("")));
        let inner = |table: &Option<Table<'a>>, key: &str, keys, report: &mut Report<'_>| {
            table.as_ref().and_then(|table| table.get(key)).and_then(|value| value.table(key, keys, report))
        };
        let rotation = inner(&axis, "rotation_deg", ROTATION, report);
        let zero = inner(&axis, "zero", ZERO, report);
        let toward = zero.as_ref().and_then(|zero| zero.get("toward"));
        let columns = path.as_ref().and_then(|path| path.get("columns"));
        let units = word(&path, "units", report).and_then(|units| {
            let found = UNITS.iter().copied().find(|unit| unit.name == units.value);
            if found.is_none() {
                let names: Vec<&str> = UNITS.iter().map(|unit| unit.name).collect();
                report.note(&units.at, format!("\"{}\" is no unit", shown(units.value))).help =
                    Some(format!("known are {}", names.join(", ")));
            }
            found
        });
        let chosen = |key: &str, table: &Option<Table<'a>>, known: &[&str], report: &mut Report<'_>| {
            let named = word(table, key, report)?;
            let found = known.iter().position(|kind| *kind == named.value);
            if found.is_none() {
                report.note(&named.at, format!("\"{}\" is not known", shown(named.value))).help =
                    Some(format!("known are {}", known.join(", ")));
            }
            found
        };
        let kind = chosen("kind", &motion, KINDS, report);
        let blend = chosen("blend", &motion, BLENDS, report);
        let post = output.as_ref().and_then(|output| output.get("post"));
        let post = post.map_or(Vec::new(), |value| value.texts("a string", report));
        for name in post.iter().filter(|name| !POSTS.contains(&name.value)) {
            report
                .note(&name.at, format!("\"{}\" is no language of robots that is known", shown(name.value)))
                .help = Some(format!("known are {}", POSTS.join(", ")));
        }
        let profiles = output.as_ref().and_then(|output| output.get("profiles"));
        let skip = not_negative(&path, "skip_rows", 0.0, report);
        if let (Some(value), true) =
            (path.as_ref().and_then(|path| path.get("skip_rows")), skip.fract() != 0.0)
        {
            report.note(&value.at(), "skip_rows is a number of rows");
        }
        let file = word(&path, "file", report);
        if let (Some(path), Some(file)) = (&path, &file) {
            unfit_keys(path, file.value, report);
        }
        if kind.is_some_and(|kind| KINDS[kind] == "ptp")
            && let Some(motion) = &motion
        {
            for key in motion.those_of(["law", "blend"]) {
                let what = format!("\"{}\" is of linear moves, and kind is \"ptp\"", key.value);
                report.note(&key.at, what).help = Some("leave it out, or say kind = \"lin\"".into());
            }
        }
        Self {
            cell: word(&all, "cell", report),
            robot: word(&all, "robot", report),
            clearance: not_negative(&all, "clearance", 0.0, report),
            file,
            columns: columns.map(|value| value.texts("a string", report).iter().map(|c| c.value).collect()),
            units,
            frame: word(&path, "frame", report),
            closed: yes(&path, "closed", report),
            flip: yes(&path, "flip", report),
            offset: number(&path, "offset", 0.0, report),
            break_at: not_negative(&path, "break_at", 0.0, report),
            skip: skip.min(1e6) as usize,
            rotary: word(&path, "rotary", report),
            three_axis: yes(&path, "three_axis", report),
            rotation_deg: [
                number(&rotation, "from", 0.0, report),
                number(&rotation, "to", if rotation.is_some() { 0.0 } else { 359.0 }, report),
                number(&rotation, "step", STEP_DEG, report),
            ],
            rotation_at: rotation.as_ref().map_or(0..0, |table| table.at.clone()),
            toward: toward.and_then(|value| value.numbers::<3>(report)).map_or(DVec3::X, DVec3::from_array),
            toward_in: word(&zero, "in", report),
            tilt_deg: not_negative(&axis, "tilt_deg", 0.0, report),
            constant: yes(&axis, "constant", report),
            change_branch: yes(&axis, "change_branch", report),
            motion: if kind.is_none_or(|kind| KINDS[kind] == "lin") {
                JobMotion::Lin
            } else {
                JobMotion::Ptp
            },
            law: chosen("law", &motion, LAWS, report).map(|law| match LAWS[law] {
                "slerp" => Laws::Slerp,
                "swivel-twist" => Laws::SwivelTwist,
                _ => Laws::Both,
            }),
            speed: not_negative(&motion, "speed", 0.1, report),
            zone: not_negative(&motion, "zone", 0.0, report),
            blend: match blend.map(|blend| BLENDS[blend]) {
                Some("parabola") => Blend::Parabola,
                _ => Blend::Inside,
            },
            lift: not_negative(&motion, "lift", 0.0, report),
            timing: job.get("timing").and_then(|value| GivenTiming::read(value, report)),
            post: post.iter().map(|name| name.value.to_owned()).collect(),
            profiles: profiles.map_or(Vec::new(), |value| value.texts("a string", report)),
        }
    }

    /// Laws of turning that are wanted, and those that controllers of the wanted programs may follow.
    fn laws(&self, profiles: &[Profile]) -> Laws {
        let of_posts = self.post.iter().filter_map(|name| Language::named(name)).map(|language| {
            let own = profiles.iter().find(|profile| profile.language == language);
            own.map_or_else(|| Profile::of(language).law, |profile| profile.law).laws()
        });
        self.law.into_iter().chain(of_posts).reduce(Laws::and).unwrap_or(Laws::Slerp)
    }

    /// Profiles that are named, each of a language of its own that is wanted.
    fn profiles(&self, folder: &Path, report: &mut Report<'_>, errors: &mut Vec<ReadError>) -> Vec<Profile> {
        let mut all: Vec<Profile> = Vec::new();
        for file in &self.profiles {
            let profile = match Profile::read(&folder.join(file.value)) {
                Ok(profile) => profile,
                Err(error) => {
                    errors.push(error);
                    continue;
                }
            };
            let name = profile.language.name();
            if !self.post.iter().any(|wanted| wanted == name) {
                report.note(&file.at, format!("this profile is of {name}, and no program in it is wanted"));
            } else if all.iter().any(|known| known.language == profile.language) {
                report.note(&file.at, format!("there are two profiles of {name}"));
            } else {
                all.push(profile);
            }
        }
        all
    }

    fn frames(&self) -> JobFrames {
        let name = |named: &Option<Located<&str>>| {
            named.as_ref().map(|named| named.value.to_owned()).filter(|name| name != "world")
        };
        JobFrames {
            path: name(&self.frame),
            toward: name(&self.toward_in),
            toward_in_frame: self.toward,
            rotations: self.rotation_deg.map(f64::to_radians),
            tilt: self.tilt_deg.to_radians(),
        }
    }

    /// What names in the job mean in its cell.
    fn resolve(&self, loaded: &LoadedCell, report: &mut Report<'_>) -> Option<Resolved> {
        let cell = &loaded.cell;
        let with_tool: Vec<&str> = cell
            .robots()
            .iter()
            .filter(|robot| robot.tool.is_some())
            .map(|robot| robot.name.as_str())
            .collect();
        let robot = match (&self.robot, &with_tool[..]) {
            (Some(named), _) if with_tool.contains(&named.value) => Some(named.value.to_owned()),
            (Some(named), _) => {
                let is_robot = cell.robots().iter().any(|robot| robot.name == named.value);
                let what = if is_robot {
                    format!("robot \"{}\" has no tool", shown(named.value))
                } else {
                    format!("the cell has no robot \"{}\"", shown(named.value))
                };
                report.note(&named.at, what);
                None
            }
            (None, [only]) => Some((*only).to_owned()),
            (None, []) => {
                report.note_file("no robot of the cell has a tool, so none can work").help =
                    Some("give the robot of the cell a tool with on and tcp".into());
                None
            }
            (None, _) => {
                report.note_file("several robots of the cell have tools").help =
                    Some(format!("say which one works: robot = \"{}\"", with_tool[0]));
                None
            }
        };
        if let Some(info) = loaded.robots.iter().find(|info| Some(&info.name) == robot.as_ref())
            && !info.has_tcp
        {
            report.note_file(format!("the tool of robot \"{}\" has no working point", info.name)).help =
                Some("say where it is in the cell file: tcp = { xyz = [..], rpy_deg = [..] }".into());
        }
        let world_from_path = frame_of(cell, &self.frame, report);
        let world_from_toward = frame_of(cell, &self.toward_in, report);
        let degrees = self.rotation_deg.map(f64::to_radians);
        let axis = world_from_toward.and_then(|world_from_toward| {
            let toward_in_world = world_from_toward.rotate(self.toward);
            ToolAxis::new(degrees, toward_in_world, self.tilt_deg.to_radians())
                .map_err(|fault| report.note(&self.rotation_at, fault.to_string()).help = None)
                .ok()
        });
        let robot = robot?;
        let scale = loaded.metres_per_unit;
        let timing = self
            .timing
            .as_ref()
            .and_then(|timing| timing.resolve(cell, &robot, self.speed * scale, scale, report));
        Some(Resolved { robot, world_from_path: world_from_path?, axis: axis?, timing })
    }
}

/// Refuses keys of `[path]` that mean nothing for this kind of file.
fn unfit_keys(path: &Table<'_>, file: &str, report: &mut Report<'_>) {
    let kind = ToolpathKind::of_file(Path::new(file));
    let of_gcode = ["rotary", "three_axis"];
    let (unfit, whose): (&[&str], &str) = match kind {
        None => (&of_gcode, "G-code, and this path is a table (CSV)"),
        Some(ToolpathKind::GCode) => (&["columns", "skip_rows"], "tables (CSV), and this path is G-code"),
        Some(_) => {
            for key in path.those_of(of_gcode) {
                let what = format!("\"{}\" is a key of G-code, and this path is none", key.value);
                report.note(&key.at, what).help = Some("leave it out".into());
            }
            (&["columns", "skip_rows"], "tables (CSV), and this path is a toolpath")
        }
    };
    for key in path.those_of(unfit.iter().copied()) {
        report.note(&key.at, format!("\"{}\" is a key of {whose}", key.value)).help =
            Some("leave it out".into());
    }
}

/// The frame of an object or robot that stands still.
fn frame_of(cell: &Cell, named: &Option<Located<&str>>, report: &mut Report<'_>) -> Option<Pose> {
    let Some(named) = named.as_ref().filter(|named| named.value != "world") else {
        return Some(Pose::IDENTITY);
    };
    if let Some(robot) = cell.robots().iter().find(|robot| robot.name == named.value) {
        return Some(robot.world_from_root);
    }
    match object(cell, named.value) {
        Some(body) if stands_still(cell, body) => {
            Some(cell.in_frame(body.carrier).frame_from_link * body.pieces[0].carrier_from_piece)
        }
        Some(_) => {
            let what = format!(
                "\"{}\" is carried by joints that move, and a path cannot move with it: hold them in the cell, as in hold = {{ joint = 0.0 }}",
                shown(named.value)
            );
            report.note(&named.at, what);
            None
        }
        None => {
            let names = cell.robots().iter().map(|robot| robot.name.as_str());
            let names = names.chain(objects(cell).map(|body| body.name.as_str())).chain(["world"]);
            let near = nearest_name(named.value, names);
            report
                .note(&named.at, format!("the cell has no robot and no object \"{}\"", shown(named.value)))
                .help = near.map(|near| format!("did you mean \"{near}\"?"));
            None
        }
    }
}

fn objects(cell: &Cell) -> impl Iterator<Item = &Body> {
    cell.bodies().iter().filter(|body| body.kind == BodyKind::Object)
}

fn object<'a>(cell: &'a Cell, name: &str) -> Option<&'a Body> {
    objects(cell).find(|body| body.name == name && !body.pieces.is_empty())
}

/// A path that would fit the work a thousand times larger or smaller.
fn unit_fault(loaded: &LoadedCell, given: &Given<'_>, rows: &[Row]) -> Option<Fault> {
    let body = object(&loaded.cell, given.frame.as_ref()?.value)?;
    let boxes = body.pieces.iter().filter_map(|piece| match &piece.geometry {
        Geometry::Mesh(mesh) => Some(mesh.aabb()),
        Geometry::Primitive(primitive) => primitive.aabb(),
    });
    let work = boxes.reduce(|a, b| a.union(&b))?;
    let path = Aabb::of_points(rows.iter().map(|row| row.point))?;
    // Off by far more than a tool's standoff, and a thousandfold would put it right.
    let fits = |factor: f64| {
        let (low, high) = (path.min() * factor, path.max() * factor);
        let room = work.diagonal() * 0.5;
        let size = (high - low).length();
        (low.cmpge(work.min() - room) & high.cmple(work.max() + room)).all() && size > 0.02 * work.diagonal()
    };
    if fits(1.0) {
        return None;
    }
    let factor = [1e-3, 1e3].into_iter().find(|factor| fits(*factor))?;
    let times = if factor < 1.0 { "a thousand times too large" } else { "a thousand times too small" };
    let what = format!(
        "lines {} to {}: the path is {:.4} m across and \"{}\" {:.4} m: it is {times} for it",
        rows.first().map_or(0, |row| row.line),
        rows.last().map_or(0, |row| row.line),
        path.diagonal(),
        body.name,
        work.diagonal()
    );
    let help = "say the right units in [path] of the job, or in the header of the path (x_mm, y_mm, z_mm)";
    Some(Fault::of_file(what).with_help(help))
}

/// What a job means in its cell.
struct Resolved {
    robot: String,
    world_from_path: Pose,
    axis: ToolAxis,
    timing: Option<JobTiming>,
}

/// What is left to say.
struct Finished {
    robot: String,
    path: WorkPath,
    axis: ToolAxis,
    timing: Option<JobTiming>,
    warnings: Vec<Warning>,
}

impl Resolved {
    fn finish(self, given: &Given<'_>, layout: &Layout<'_>, rows: &[Row], file: &Path) -> Finished {
        let offset = layout.units.metres(given.offset);
        let mut strokes: Vec<Stroke> = Vec::new();
        let break_at = Some(layout.units.metres(given.break_at)).filter(|length| *length > 0.0);
        let mut last: Option<&Row> = None;
        for row in rows {
            let goes_on = last.is_some_and(|last| {
                last.stroke == row.stroke && break_at.is_none_or(|far| last.point.distance(row.point) <= far)
            });
            if !goes_on {
                strokes.push(Stroke { points: Vec::new(), closed: given.closed });
            }
            last = Some(row);
            let stroke = strokes.last_mut().expect("one was pushed");
            stroke.points.push(WorkPoint {
                tip_in_world: self.world_from_path * (row.point - row.direction * offset),
                direction_in_world: self.world_from_path.rotate(row.direction),
                line: row.line,
            });
        }
        let mut warnings = Vec::new();
        for stroke in strokes.iter_mut().filter(|stroke| stroke.closed && stroke.points.len() > 1) {
            let ends = [0, stroke.points.len() - 1].map(|k| stroke.points[k].tip_in_world);
            if ends[0].distance(ends[1]) < SAME {
                let point = stroke.points.pop().expect("there are two");
                let what =
                    format!("line {}: a closed stroke comes back to its first point by itself", point.line);
                warnings.push(Warning {
                    path: file.to_owned(),
                    fault: Fault::of_file(what).with_help("the point was left out"),
                });
            }
        }
        let (robot, axis, timing) = (self.robot, self.axis, self.timing);
        Finished { robot, path: WorkPath { strokes }, axis, timing, warnings }
    }
}

/// Points that are nearer to each other are the same, in metres.
const SAME: f64 = 1e-9;
