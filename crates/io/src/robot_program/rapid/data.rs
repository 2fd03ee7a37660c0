//! What RAPID knows by itself: names of data, functions, and instructions that do not move the robot.

use crate::robot_program::machine::sum;
use crate::robot_program::value::{Value, negative, quaternion_pose, smooth, smooth_of_two, whole, worked};
use kansho_geom::Pose;
use kansho_geom::glam::DVec3;

/// Instructions that neither move the robot nor change where it goes: they talk to people, files, sockets and signals, wait, or order interrupts, whose
/// routines are looked at where they are connected (ABB, technical reference manual RAPID instructions, functions and data types, 3HAC050917).
pub(super) const HARMLESS: [&str; 108] = [
    "set",
    "reset",
    "setdo",
    "setgo",
    "setao",
    "pulsedo",
    "invertdo",
    "waittime",
    "waitdi",
    "waitdo",
    "waituntil",
    "waitgi",
    "waitai",
    "tpwrite",
    "tperase",
    "tpreadfk",
    "tpreadnum",
    "stop",
    "exit",
    "break",
    "incr",
    "decr",
    "add",
    "clear",
    "clkstart",
    "clkstop",
    "clkreset",
    "accset",
    "velset",
    "gripload",
    "errwrite",
    "waitsynctask",
    "syncmoveoff",
    "idisable",
    "ienable",
    "isignaldi",
    "idelete",
    "open",
    "close",
    "write",
    "pathacclim",
    "speedrefresh",
    "worldacclim",
    "pdispoff",
    "eoffsoff",
    "softdeact",
    "uimsgbox",
    "bitset",
    "bitclear",
    "load",
    "unload",
    "triggio",
    "socketcreate",
    "socketconnect",
    "socketsend",
    "socketreceive",
    "socketclose",
    "socketbind",
    "socketlisten",
    "socketaccept",
    "writestrbin",
    "writebin",
    "cleariobuff",
    "rewind",
    "closedir",
    "opendir",
    "removefile",
    "renamefile",
    "copyfile",
    "makedir",
    "clearrawbytes",
    "packrawbytes",
    "unpackrawbytes",
    "copyrawbytes",
    "packdnheader",
    "tpshow",
    "tpreaddnum",
    "uishow",
    "errlog",
    "bookerrno",
    "itimer",
    "isignaldo",
    "isignalgi",
    "isignalgo",
    "isignalai",
    "isignalao",
    "ipers",
    "isleep",
    "iwatch",
    "ierror",
    "waitrob",
    "waittestandset",
    "waitao",
    "waitgo",
    "motionsup",
    "aliasio",
    "ioenable",
    "iodisable",
    "triggequip",
    "triggint",
    "triggrampao",
    "rmqsendmessage",
    "rmqfindslot",
    "rmqemptyqueue",
    "readrawbytes",
    "writerawbytes",
    "spystart",
    "spystop",
];

/// Of these, those that set variables that are handed over to them.
pub(super) const WRITES: [&str; 47] = [
    "calcjointt",
    "calcrobt",
    "open",
    "load",
    "incr",
    "decr",
    "add",
    "clear",
    "tpreadfk",
    "tpreadnum",
    "uimsgbox",
    "bitset",
    "bitclear",
    "waitdi",
    "waitdo",
    "waituntil",
    "waitgi",
    "waitai",
    "socketcreate",
    "socketaccept",
    "socketreceive",
    "opendir",
    "clearrawbytes",
    "packrawbytes",
    "unpackrawbytes",
    "copyrawbytes",
    "packdnheader",
    "tpreaddnum",
    "bookerrno",
    "itimer",
    "isignaldo",
    "isignalgi",
    "isignalgo",
    "isignalai",
    "isignalao",
    "ipers",
    "ierror",
    "triggio",
    "triggequip",
    "triggint",
    "triggrampao",
    "rmqfindslot",
    "readrawbytes",
    "strtoval",
    "readdir",
    "waittestandset",
    "testandset",
];

/// Functions that only reckon, whether they are understood or not.
const FUNCTIONS: [&str; 113] = [
    "ctime",
    "cdate",
    "gettime",
    "dnumtonum",
    "numtodnum",
    "strfind",
    "strmap",
    "goutput",
    "aoutput",
    "ginput",
    "offs",
    "reltool",
    "abs",
    "sqrt",
    "sin",
    "cos",
    "tan",
    "atan",
    "atan2",
    "asin",
    "acos",
    "round",
    "trunc",
    "pow",
    "exp",
    "crobt",
    "cjointt",
    "cpos",
    "numtostr",
    "valtostr",
    "strlen",
    "strpart",
    "posemult",
    "poseinv",
    "posevect",
    "orientzyx",
    "eulerzyx",
    "dim",
    "distance",
    "clkread",
    "testdi",
    "doutput",
    "calcjointt",
    "calcrobt",
    "present",
    "strtoval",
    "strmemb",
    "strmatch",
    "strorder",
    "strdigcmp",
    "strdigcalc",
    "bytetostr",
    "strtobyte",
    "readdir",
    "isfile",
    "filesize",
    "fstime",
    "fssize",
    "socketgetstatus",
    "socketpeek",
    "rawbyteslen",
    "readstr",
    "readnum",
    "readbin",
    "readstrbin",
    "getnextsym",
    "opmode",
    "runmode",
    "ctool",
    "cwobj",
    "cspeedoverride",
    "dnumtostr",
    "testandset",
    "ispers",
    "isvar",
    "taskrunmec",
    "taskrunrob",
    "getsysinfo",
    "getmecunitname",
    "gettaskname",
    "robname",
    "uinumentry",
    "uinumtune",
    "uialphaentry",
    "uilistview",
    "uimessagebox",
    "uidnumentry",
    "validio",
    "max",
    "min",
    "vectmagn",
    "dotprod",
    "norient",
    "bitand",
    "bitor",
    "bitneg",
    "bitlsh",
    "bitrsh",
    "bitxor",
    "bitcheck",
    "isstopmoveact",
    "absdnum",
    "rounddnum",
    "truncdnum",
    "doutputdi",
    "ainput",
    "dinput",
    "gooutput",
    "signalexists",
    "tasksinsync",
    "modexist",
    "modtime",
    "orientxyz",
];

/// Radii of zones that have names, in millimetres: within which the tip leaves its line, and within which the tool turns otherwise.
const ZONES: [(&str, f64, f64); 14] = [
    ("z0", 0.3, 0.3),
    ("z1", 1.0, 1.0),
    ("z5", 5.0, 8.0),
    ("z10", 10.0, 15.0),
    ("z15", 15.0, 23.0),
    ("z20", 20.0, 30.0),
    ("z30", 30.0, 45.0),
    ("z40", 40.0, 60.0),
    ("z50", 50.0, 75.0),
    ("z60", 60.0, 90.0),
    ("z80", 80.0, 120.0),
    ("z100", 100.0, 150.0),
    ("z150", 150.0, 225.0),
    ("z200", 200.0, 300.0),
];

/// Whether that is a function that only reckons.
pub(super) fn is_function(name: &str) -> bool {
    FUNCTIONS.contains(&name)
}

/// Data that every controller has.
pub(super) fn known(name: &str) -> Option<Value> {
    let identity = || Value::List(vec![Value::numbers(&[0.0; 3]), Value::numbers(&[1.0, 0.0, 0.0, 0.0])]);
    let zone = |fine: bool, tip_mm: f64, turn_mm: f64| {
        Some(Value::List(vec![Value::Truth(fine), Value::Number(tip_mm), Value::Number(turn_mm)]))
    };
    match name {
        "tool0" => Some(Value::List(vec![Value::Truth(true), identity()])),
        "wobj0" => Some(Value::List(vec![
            Value::Truth(false),
            Value::Truth(true),
            Value::Text(String::new()),
            identity(),
            identity(),
        ])),
        "fine" => zone(true, 0.0, 0.0),
        "vmax" => Some(Value::numbers(&[7000.0, 500.0, 5000.0, 1000.0])),
        "pi" => Some(Value::Number(std::f64::consts::PI)),
        _ => {
            if let Some((_, tip_mm, turn_mm)) = ZONES.iter().find(|(known, ..)| *known == name) {
                return zone(false, *tip_mm, *turn_mm);
            }
            let speed = name.strip_prefix('v')?.parse::<u32>().ok()?;
            Some(Value::numbers(&[f64::from(speed), 500.0, 5000.0, 1000.0]))
        }
    }
}

/// What a function gives.
pub(super) fn function(name: &str, args: &[(Option<String>, Value)]) -> Result<Value, String> {
    let plain: Vec<&Value> = args.iter().filter(|(name, _)| name.is_none()).map(|(_, value)| value).collect();
    let number =
        |k: usize| plain.get(k).ok_or("an argument is missing".to_owned()).and_then(|value| value.number());
    let first = || plain.first().copied().ok_or("an argument is missing".to_owned());
    let second = || plain.get(1).copied().ok_or("an argument is missing".to_owned());
    let angle = |wanted: &str| match args.iter().find(|(name, _)| name.as_deref() == Some(wanted)) {
        Some((_, value)) => value.number(),
        None => Ok(0.0),
    };
    match name {
        "offs" => {
            let mut target = (*plain.first().ok_or("the target is missing")?).clone();
            let place = target.part("trans");
            let mut moved = Vec::new();
            for (k, name) in ["x", "y", "z"].into_iter().enumerate() {
                number(k + 1)?;
                moved.push(sum(place.named(name, k), plain[k + 1].clone()));
            }
            *target.part_mut("trans") = Value::List(moved);
            Ok(target)
        }
        "reltool" => {
            let mut target = (*plain.first().ok_or("the target is missing")?).clone();
            let pose = quaternion_pose(&target.part("trans"), &target.part("rot"))?;
            let along = DVec3::new(number(1)?, number(2)?, number(3)?) * 1e-3;
            let turned = [(DVec3::X, "rx"), (DVec3::Y, "ry"), (DVec3::Z, "rz")]
                .iter()
                .try_fold(Pose::from_translation(along), |pose, (axis, name)| {
                    Ok::<Pose, String>(pose * Pose::turn(*axis, angle(name)?.to_radians()))
                })?;
            let moved = pose * turned;
            let (p, q) = (moved.translation() * 1e3, moved.quat());
            *target.part_mut("trans") = Value::List([p.x, p.y, p.z].map(worked).into());
            *target.part_mut("rot") = Value::List([q.w, q.x, q.y, q.z].map(worked).into());
            Ok(target)
        }
        "abs" => number(0).map(|x| if x < 0.0 { negative(plain[0]) } else { plain[0].clone() }),
        "sqrt" => smooth(first()?, f64::sqrt),
        "sin" => smooth(first()?, |x| x.to_radians().sin()),
        "cos" => smooth(first()?, |x| x.to_radians().cos()),
        "tan" => smooth(first()?, |x| x.to_radians().tan()),
        "atan" => smooth(first()?, |x| x.atan().to_degrees()),
        "asin" => smooth(first()?, |x| x.asin().to_degrees()),
        "acos" => smooth(first()?, |x| x.acos().to_degrees()),
        "round" if args.len() == 1 => whole(plain.first().ok_or("an argument is missing")?, f64::round),
        "trunc" if args.len() == 1 => whole(plain.first().ok_or("an argument is missing")?, f64::trunc),
        "atan2" => smooth_of_two([first()?, second()?], |y, x| y.atan2(x).to_degrees()),
        "pow" => smooth_of_two([first()?, second()?], f64::powf),
        "crobt" | "cjointt" | "cpos" => Err("where the robot is then is only known to the controller".into()),
        _ => Err(format!("what '{name}' gives is not known")),
    }
}
