use crate::say::{self, DIM, STRONG};
use crate::{BAD_INPUT, UNDECIDED};
use clap::Args;
use kansho::contact::branch::{BranchKind, Side};
use kansho::contact::set::Condition;
use kansho::contact::{
    Assembly, Between, ContactOptions, ContactSet, Found, Held, Part, PullOut, Region, Row, Twist, Verdict,
    contacts, regions,
};
use kansho::geom::glam::DVec3;
use kansho::io::{Fault, ReadError};
use kansho::load;
use kansho::plan::disassembly::{Disassembly, disassemble};
use kansho::plan::parts::{self, StandingPart};
use serde_json::{Value, json};
use std::fmt::Write;
use std::path::PathBuf;

#[derive(Args)]
#[command(
    after_help = "Examples:\n  kansho contact cell.toml --moving peg\n  kansho contact cell.toml --moving peg --motion 0,0,1,0,0,0\n  kansho contact cell.toml --assembly --stays floor --json"
)]
pub(crate) struct Arguments {
    /// A cell (TOML) with objects that touch
    #[arg(value_name = "CELL")]
    cell: PathBuf,

    /// The object that may move; all others stand still
    #[arg(long, value_name = "NAME", required_unless_present = "assembly", conflicts_with = "assembly")]
    moving: Option<String>,

    /// Say which objects block which, and in which order they come apart
    #[arg(long)]
    assembly: bool,

    /// The object that stays where it is when an assembly is taken apart
    #[arg(long, value_name = "NAME", requires = "assembly")]
    stays: Option<String>,

    /// A small motion to judge: how the point at the origin moves, and the rotation vector
    #[arg(long, value_name = "VX,VY,VZ,WX,WY,WZ", value_parser = six, allow_hyphen_values = true, conflicts_with = "assembly")]
    motion: Option<[f64; 6]>,

    /// Gaps and overlaps up to this many metres count as touching; by default 25 millionths of the size of the smaller object
    #[arg(long, value_name = "M", value_parser = length)]
    tolerance: Option<f64>,

    /// How far, in metres, corners of meshes may be from where they should be; by default a quarter of a millionth of the size
    #[arg(long, value_name = "M", value_parser = length)]
    noise: Option<f64>,

    /// Coefficient of friction for the question whether the object stands
    #[arg(long, value_name = "F", default_value_t = 0.3)]
    friction: f64,

    /// Print one JSON object
    #[arg(long)]
    json: bool,

    /// A folder in which package://NAME/... is looked for first (repeatable)
    #[arg(long, value_name = "DIR")]
    packages: Vec<PathBuf>,
}

pub(crate) fn run(arguments: &Arguments) -> u8 {
    match answer(arguments) {
        Ok((text, value, code)) => {
            if arguments.json {
                say::json_answer(&value);
            } else {
                say::answer(&text);
            }
            code
        }
        Err(errors) => {
            say::errors(&errors);
            if arguments.json {
                say::json_answer(&json!({ "errors": say::errors_json(&errors) }));
            }
            BAD_INPUT
        }
    }
}

fn answer(arguments: &Arguments) -> Result<(String, Value, u8), Vec<ReadError>> {
    let (cell, warnings) = load::cell_or_robot(&arguments.cell, &arguments.packages)?;
    let refuse =
        |what: String| vec![ReadError { path: arguments.cell.clone(), faults: vec![Fault::of_file(what)] }];
    let objects = parts::standing(&cell, arguments.noise).map_err(|faults| {
        vec![ReadError {
            path: arguments.cell.clone(),
            faults: faults.into_iter().map(Fault::of_file).collect(),
        }]
    })?;
    if !arguments.json {
        say::warnings(&warnings);
    }
    let find = |name: &String| {
        objects.iter().position(|o| o.name == *name).ok_or_else(|| {
            let names: Vec<&str> = objects.iter().map(|o| o.name.as_str()).collect();
            let near = kansho::cell::nearest_name(name, names.iter().copied());
            let hint = near.map_or_else(
                || format!("there are: {}", names.join(", ")),
                |n| format!("did you mean \"{n}\"?"),
            );
            refuse(format!("no object that stands still is named \"{name}\"; {hint}"))
        })
    };
    let options = ContactOptions { touch: arguments.tolerance };
    if arguments.assembly {
        let stays = arguments.stays.as_ref().map(find).transpose()?;
        let parts: Vec<&Part> = objects.iter().map(|o| &o.part).collect();
        let assembly = Assembly::of(&parts, &options);
        let plan = disassemble(&parts, &assembly, stays);
        return Ok(assembled(&objects, &assembly, &plan));
    }
    let moving = find(arguments.moving.as_ref().expect("required unless it is about an assembly"))?;
    let others: Vec<usize> = (0..objects.len()).filter(|&i| i != moving).collect();
    let fixed: Vec<&Part> = others.iter().map(|&i| &objects[i].part).collect();
    let found = contacts(&objects[moving].part, &fixed, &options);
    Ok(one(arguments, &objects, moving, &others, &found))
}

fn six(text: &str) -> Result<[f64; 6], String> {
    let numbers: Vec<f64> =
        text.split(',').map_while(|n| n.trim().parse().ok()).filter(|n: &f64| n.is_finite()).collect();
    let count = text.split(',').count();
    numbers.try_into().ok().filter(|_| count == 6).ok_or_else(|| "six numbers, separated by commas".into())
}

fn length(text: &str) -> Result<f64, String> {
    text.parse().ok().filter(|m| *m > 0.0 && *m < 1e6).ok_or_else(|| "a length greater than zero".into())
}

fn one(
    arguments: &Arguments,
    objects: &[StandingPart],
    moving: usize,
    others: &[usize],
    found: &Found,
) -> (String, Value, u8) {
    let set = &found.set;
    let name = |fixed: usize| objects[others[fixed]].name.as_str();
    let part = &objects[moving].part;
    let mut text = format!("{STRONG}{}{STRONG:#}", objects[moving].name);
    let mut code = 0;
    let mut value = json!({ "moving": objects[moving].name, "contacts": [], "segments": [] });
    if set.contacts.is_empty() && found.is_sound() {
        text += " touches nothing\n";
    } else {
        let touching = found.between.iter().filter(|b| **b == Between::Touching).count();
        writeln!(
            text,
            " touches {touching} of {} objects, in {} points with {} conditions{}",
            others.len(),
            set.contacts.len(),
            set.count(),
            along_edges_and_circles(set)
        )
        .expect("writing to a string succeeds");
    }
    let mut between = Vec::new();
    for (fixed, state) in found.between.iter().enumerate() {
        let label = name(fixed);
        let line = match state {
            Between::Touching => {
                let own: Vec<_> = set.contacts.iter().filter(|c| c.fixed == fixed).collect();
                let places = regions(part, &objects[others[fixed]].part, &own, found.touch[fixed]);
                between.push(json!({ "body": label, "state": "touching", "regions": places.iter().map(region_json).collect::<Vec<_>>() }));
                format!("touches: {}", places_in_words(&places))
            }
            Between::Apart { gap, points } => {
                between.push(json!({ "body": label, "state": "apart", "gap": gap, "points": points.map(|p| p.to_array()) }));
                format!("no contact, {gap:.6} m apart")
            }
            Between::Overlapping { depth, point } => {
                code = 1;
                between.push(json!({ "body": label, "state": "overlapping", "depth": depth, "point": point.to_array() }));
                format!(
                    "overlaps, at least {depth:.6} m deep at {}: no constraints are made of that",
                    at(*point)
                )
            }
            Between::Unclear { point } => {
                code = code.max(UNDECIDED);
                between.push(json!({ "body": label, "state": "unclear", "point": point.to_array() }));
                format!(
                    "unclear at {}: features closer to each other than the tolerance, or too many",
                    at(*point)
                )
            }
        };
        writeln!(text, "  {label:<12} {line}").expect("writing to a string succeeds");
    }
    value["between"] = json!(between);
    value["and_conditions"] = json!(set.count());
    value["contacts"] = set
        .contacts
        .iter()
        .map(|c| {
            let normals: Vec<Vec<[f64; 3]>> =
                c.conditions.iter().map(|rows| rows.iter().map(|r| r.normal.to_array()).collect()).collect();
            let rows: Vec<Vec<[f64; 6]>> =
                c.conditions.iter().map(|rows| rows.iter().map(Row::numbers).collect()).collect();
            json!({ "body": name(c.fixed), "point": c.point.to_array(), "and_or": normals, "rows": rows })
        })
        .collect();
    value["segments"] = set
        .segments
        .iter()
        .map(|s| json!({ "body": name(s.fixed), "p0": s.ends[0].to_array(), "p1": s.ends[1].to_array(), "normals": s.normals.map(|n| n.to_array()) }))
        .collect();
    value["rings"] = set
        .rings
        .iter()
        .map(|r| json!({ "body": name(r.fixed), "pole": r.pole.to_array(), "axis": r.axis.to_array(), "sine": r.sine, "reach": r.reach }))
        .collect();
    if !found.is_sound() {
        return (text, value, code);
    }
    if set.contacts.is_empty() && arguments.motion.is_none() {
        value["branches"] = json!([]);
        value["freedoms"] = json!(set.freedoms());
        return (text, value, code);
    }
    // What is listed is allowed, whatever its kind.
    let branches = set.branches(Side::Inner);
    let numbers = |list: &[Twist]| -> Vec<[f64; 6]> { list.iter().map(Twist::to_array).collect() };
    value["branches"] = branches
        .list
        .iter()
        .map(|b| json!({ "rows": b.rows.len(), "lineality": numbers(&b.lineality), "rays": numbers(&b.rays), "ambiguous": b.ambiguous, "kind": b.kind.word() }))
        .collect();
    value["branches_complete"] = json!(branches.complete);
    let freedoms = set.freedoms();
    let held = set.held();
    let out = set.pull_out();
    let gravity = -DVec3::Z;
    let smooth = set.stands(gravity, part.centre(), 0.0).stable;
    let rough = set.stands(gravity, part.centre(), arguments.friction).stable;
    value["freedoms"] = json!(freedoms);
    value["held"] = json!(held_word(held));
    value["pull_out"] = match out {
        PullOut::Along(d) => json!({ "along": d.to_array() }),
        PullOut::Slides(d) => json!({ "slides": d.to_array() }),
        PullOut::No => Value::Null,
    };
    value["stands"] =
        json!({ "frictionless": smooth, "friction": arguments.friction, "with_friction": rough });
    let mut line = |label: &str, what: &str| {
        writeln!(text, "  {DIM}{label:<12}{DIM:#} {what}").expect("writing to a string succeeds");
    };
    line("freedoms", &freedoms);
    if branches.list.iter().any(|b| b.kind != BranchKind::Exact) {
        line(
            "more",
            "these are allowed, and some others: edges along edges and circles leave more than a list can have; --motion asks about one",
        );
    }
    line("held", held_word(held));
    line(
        "pull out",
        &match out {
            PullOut::Along(d) => format!("along {}", at(d)),
            PullOut::Slides(d) => format!("slides along {} both ways, nothing pushes it out", at(d)),
            PullOut::No => "not without turning".into(),
        },
    );
    line(
        "gravity -z",
        &match (smooth, rough) {
            (true, _) => "stands without friction".into(),
            (false, true) => format!("stands with friction of {}", arguments.friction),
            (false, false) => format!("does not stand, not with friction of {} either", arguments.friction),
        },
    );
    if branches.list.iter().any(|b| b.ambiguous) {
        line("ambiguous", "noise leaves it open what is free: a singular value sits at the threshold");
    }
    if let Some(numbers) = arguments.motion {
        let judged = set.judge(&Twist::from_array(numbers));
        let word = match judged.verdict {
            Verdict::Safe => "safe",
            Verdict::Border => "on the border",
            Verdict::Blocked => "blocked",
        };
        let by: Vec<String> = judged
            .by
            .iter()
            .take(4)
            .map(|&(condition, _)| match condition {
                Condition::Point(i, _) => {
                    format!("{} at {}", name(set.contacts[i].fixed), at(set.contacts[i].point))
                }
                Condition::Ring(i) => {
                    format!("{} all the way round {}", name(set.rings[i].fixed), at(set.rings[i].pole))
                }
                Condition::Segment(i) => format!(
                    "{} along an edge from {}",
                    name(set.segments[i].fixed),
                    at(set.segments[i].ends[0])
                ),
            })
            .collect();
        let by = if by.is_empty() { String::new() } else { format!(" by {}", by.join("; ")) };
        line("motion", &format!("{word}{by}"));
        value["motion"] = json!({ "verdict": word, "margin": judged.margin });
        code = code.max(u8::from(judged.verdict == Verdict::Blocked));
    }
    (text, value, code)
}

fn along_edges_and_circles(set: &ContactSet) -> String {
    let count = |n: usize, one: &str, many: &str| match n {
        0 => String::new(),
        1 => format!(" and {one}"),
        n => format!(" and {}", many.replace("{n}", &n.to_string())),
    };
    count(set.segments.len(), "along 1 edge", "along {n} edges")
        + &count(set.rings.len(), "around 1 circle", "around {n} circles")
}

fn held_word(held: Held) -> &'static str {
    match held {
        Held::FormClosure => "immobile, by form closure",
        Held::SecondOrder => "immobile in second order; the first order leaves one motion",
        Held::Not => "no",
        Held::Unknown => "not known",
    }
}

fn at(p: DVec3) -> String {
    let number = |x: f64| {
        let text = format!("{:.6}", if x.abs() < 5e-7 { 0.0 } else { x });
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    };
    format!("({}, {}, {})", number(p.x), number(p.y), number(p.z))
}

fn places_in_words(places: &[Region]) -> String {
    let faces: Vec<f64> =
        places.iter().filter(|r| matches!(r, Region::Polygon { .. })).map(Region::area).collect();
    let segments = places.iter().filter(|r| matches!(r, Region::Segment(_))).count();
    let points = places.iter().filter(|r| matches!(r, Region::Point(_))).count();
    let count = |n: usize, one: &str, many: &str| match n {
        0 => None,
        1 => Some(format!("1 {one}")),
        n => Some(format!("{n} {many}")),
    };
    let area: f64 = faces.iter().sum();
    [
        count(faces.len(), "face", "faces").map(|text| format!("{text} ({area:.6} m²)")),
        count(segments, "line", "lines"),
        count(points, "point", "points"),
    ]
    .into_iter()
    .flatten()
    .collect::<Vec<_>>()
    .join(", ")
}

fn region_json(region: &Region) -> Value {
    match region {
        Region::Polygon { loops, normal } => {
            let loops: Vec<Vec<[f64; 3]>> =
                loops.iter().map(|ring| ring.iter().map(|p| p.to_array()).collect()).collect();
            json!({ "polygon": loops, "normal": normal.to_array(), "area": region.area() })
        }
        Region::Segment(ends) => json!({ "segment": ends.map(|p| p.to_array()) }),
        Region::Point(p) => json!({ "point": p.to_array() }),
    }
}

fn assembled(objects: &[StandingPart], assembly: &Assembly, plan: &Disassembly) -> (String, Value, u8) {
    let name = |i: usize| objects[i].name.as_str();
    let names = |list: &[usize]| list.iter().map(|&i| name(i)).collect::<Vec<_>>();
    let mut text =
        format!("{STRONG}{} objects, {} pairs touch{STRONG:#}\n", objects.len(), assembly.pairs.len());
    let mut line = |what: String| writeln!(text, "{what}").expect("writing to a string succeeds");
    for pair in &assembly.pairs {
        line(format!(
            "  {}|{}  {}",
            name(pair.parts[0]),
            name(pair.parts[1]),
            places_in_words(&pair.regions)
        ));
    }
    for ([a, b], state) in &assembly.faults {
        let what = match state {
            Between::Overlapping { depth, point } => {
                format!("overlap, at least {depth:.6} m deep at {}", at(*point))
            }
            _ => "unclear how they touch".into(),
        };
        line(format!("  {}|{}  {what}", name(*a), name(*b)));
    }
    let axes = [
        ("+x", DVec3::X),
        ("-x", -DVec3::X),
        ("+y", DVec3::Y),
        ("-y", -DVec3::Y),
        ("+z", DVec3::Z),
        ("-z", -DVec3::Z),
    ];
    let mut blocking = serde_json::Map::new();
    line("who blocks whom".into());
    for (axis, direction) in axes {
        let graph = assembly.blocking_graph(&Twist { v: direction, w: DVec3::ZERO });
        let free: Vec<&str> = (0..objects.len()).filter(|&i| graph[i].is_empty()).map(name).collect();
        let shown = if free.len() > 8 { format!("{} objects", free.len()) } else { free.join(", ") };
        line(format!("  {axis}  free to begin: {}", if free.is_empty() { "none" } else { &shown }));
        let blocked: serde_json::Map<String, Value> = (0..objects.len())
            .filter(|&i| !graph[i].is_empty())
            .map(|i| (name(i).to_owned(), json!(names(&graph[i]))))
            .collect();
        blocking.insert(axis.to_owned(), Value::Object(blocked));
    }
    line("order of disassembly, each push proven".into());
    for (number, step) in plan.steps.iter().enumerate() {
        line(format!(
            "  {:>3}. {} along {} for {:.6} m",
            number + 1,
            names(&step.parts).join(" and "),
            at(step.direction),
            step.length
        ));
    }
    let touching = |list: &[usize]| {
        let both = |pair: [usize; 2]| pair.iter().all(|i| list.contains(i));
        assembly.pairs.iter().any(|p| both(p.parts)) || assembly.faults.iter().any(|f| both(f.0))
    };
    line(if plan.is_complete() {
        format!("  {} stays", names(&plan.left).join(", "))
    } else if touching(&plan.left) {
        format!("  no straight push was found that takes these apart: {}", names(&plan.left).join(", "))
    } else {
        format!(
            "  these do not touch each other, but no straight push was found that leads one past the others: {}",
            names(&plan.left).join(", ")
        )
    });
    let steps: Vec<Value> = plan
        .steps
        .iter()
        .map(|s| json!({ "parts": names(&s.parts), "direction": s.direction.to_array(), "length": s.length }))
        .collect();
    let pairs: Vec<Value> = assembly
        .pairs
        .iter()
        .map(|p| json!({ "pair": format!("{}|{}", name(p.parts[0]), name(p.parts[1])), "and_conditions": p.set.count(), "regions": p.regions.iter().map(region_json).collect::<Vec<_>>() }))
        .collect();
    let faults: Vec<String> =
        assembly.faults.iter().map(|([a, b], _)| format!("{}|{}", name(*a), name(*b))).collect();
    let value = json!({ "objects": objects.len(), "pairs": pairs, "faults": faults, "blocked_by": blocking, "steps": steps, "left": names(&plan.left) });
    (text, value, u8::from(!plan.is_complete() || !assembly.faults.is_empty()))
}
