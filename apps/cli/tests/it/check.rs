//! Motions of cells on the command line.

use crate::postures::write_slide;
use crate::run::{Run, csv, kansho, real_data};
use serde_json::Value;
use std::path::Path;

/// A car on a rail between a wall (from -1.75 on) and a half-space (beyond 1), with a radius of 0.25 m.
struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        let folder = Self(tempfile::tempdir().expect("a temporary folder"));
        write_slide(folder.0.path(), "0\n");
        folder.write("free.csv", "0\n-0.5\n0.5\n");
        folder.write("hits.csv", "x_mm\n0\n500\n-2000\n");
        folder
    }

    fn write(&self, name: &str, text: &str) {
        std::fs::write(self.0.path().join(name), text).expect("written");
    }

    fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.0.path().join(name)).expect("read")
    }

    fn path(&self, name: &str) -> String {
        self.0.path().join(name).to_string_lossy().into_owned()
    }

    fn check(&self, motion: &str, more: &[&str]) -> Run {
        let (cell, motion) = (self.path("cell.toml"), self.path(motion));
        kansho(["check", &cell, &motion].iter().chain(more))
    }

    fn segments(&self, rows: &str, more: &[&str]) -> Run {
        self.write("segments.csv", rows);
        let (cell, rows) = (self.path("cell.toml"), self.path("segments.csv"));
        kansho(["check", &cell, "--segments", &rows].iter().chain(more))
    }

    fn verify(&self, certificate: &str, more: &[&str]) -> Run {
        let (certificate, cell) = (self.path(certificate), self.path("cell.toml"));
        kansho(["verify", &certificate, &cell].iter().chain(more))
    }
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is no number"))
}

#[test]
fn what_is_free_is_enclosed() {
    let folder = Folder::new();
    let run = folder.check("free.csv", &[]);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{}", run.stdout);
    assert!(run.stdout.starts_with("free, at least 0.22"), "{}", run.stdout);
    assert!(run.stdout.contains("nearest  0.250000 m measured, s/car|right, at t = 1.0"), "{}", run.stdout);
    let answer = folder.check("free.csv", &["--json"]).json();
    // The least gap, 0.25 m, is at the end.
    let (proven, measured) = (number(&answer["clearance"]), number(&answer["nearest"]["gap"]));
    assert!((measured - 0.25).abs() < 1e-12 && (0.2..=measured).contains(&proven), "{answer}");
    assert_eq!((&answer["verdict"], &answer["waypoints"]), (&"free".into(), &3.into()));
    // A wider clearance is a contact where it is first violated: 0.3 m before the half-space, which begins at 1.
    let run = folder.check("free.csv", &["--clearance", "0.3", "--json"]);
    assert_eq!(run.code, 1, "{}", run.stdout);
    assert!((number(&run.json()["t"][1]) - 0.975).abs() < 1e-5, "{}", run.stdout);
    // Of that pair alone another one is wanted, whichever way round it is named.
    for pair in ["s/car|right=0.2", "right|s/car = 0.2"] {
        assert_eq!(folder.check("free.csv", &["--clearance", "0.3", "--clearance-of", pair]).code, 0);
    }
    assert_eq!(folder.check("free.csv", &["--clearance-of", "s/car|right=0.3"]).code, 1);
}

#[test]
fn the_first_contact_is_told() {
    let folder = Folder::new();
    let run = folder.check("hits.csv", &[]);
    // The second segment goes 2.5 m from 0.5; the car meets the wall at -1.5.
    assert_eq!(run.code, 1, "{}", run.stderr);
    for what in [
        "first contact at t = 0.",
        "between waypoints 2 and 3, 0.800000 of the way",
        "s/car|left, wall",
        "(-1.750000, 0.000000, 0.000000)",
        "the surface of s/car",
        "posture  s/x -1.",
    ] {
        assert!(run.stdout.contains(what), "{what}: {}", run.stdout);
    }
    let answer = folder.check("hits.csv", &["--json", "--threads", "1"]).json();
    assert_eq!(answer, folder.check("hits.csv", &["--json", "--threads", "2"]).json());
    assert!((number(&answer["t"][1]) - 0.9).abs() < 1e-6, "{answer}");
    assert_eq!(answer["segment"]["from"], 2);
    assert!((number(&answer["segment"]["fraction"]) - 0.8).abs() < 1e-6, "{answer}");
    assert!(number(&answer["gap"]) <= 1e-6 && answer["at_start"] == false, "{answer}");
    // The same as a list of moves; other moves are refused.
    folder.write("moves.json", r#"[{"ptp": [0]}, {"ptp": {"x": 0.5}}, {"ptp": [-2], "zone": 0}]"#);
    assert_eq!(folder.check("moves.json", &["--json"]).json()["t"], answer["t"]);
    folder.write("lin.json", r#"[{"ptp": [0]}, {"lin": {"xyz": [0, 0, 0]}}]"#);
    let run = folder.check("lin.json", &[]);
    assert!(run.code == 3 && run.stderr.contains("there is no tool in this cell"), "{}", run.stderr);
    // A spline goes beyond its waypoints: 0, 0.74, 0.74, 0 goes to 0.8325 in the middle, beyond 0.75.
    folder.write("bow.csv", "0\n0.74\n0.74\n0\n");
    assert_eq!(folder.check("bow.csv", &[]).code, 0);
    let run = folder.check("bow.csv", &["--motion", "spline", "--json"]);
    assert_eq!((run.code, &run.json()["segment"]["from"]), (1, &2.into()), "{}", run.stdout);
    let run = folder.check("bow.csv", &["--motion", "lin"]);
    assert!(run.code == 3 && run.stderr.contains("there is no tool in this cell"), "{}", run.stderr);
}

#[test]
fn a_start_in_contact_says_how_deep() {
    let folder = Folder::new();
    folder.write("starts.csv", "-1.6\n0\n");
    let run = folder.check("starts.csv", &[]);
    assert_eq!(run.code, 1, "{}", run.stderr);
    assert!(
        run.stdout.starts_with("in contact at the start\n  pair     s/car|left, wall: touch\n"),
        "{}",
        run.stdout
    );
    // Of boxes depth is defined.
    let urdf = folder.read("slide.urdf").replace("sphere radius=\"0.25\"", "box size=\"0.5 0.5 0.5\"");
    folder.write("slide.urdf", &urdf);
    let run = folder.check("starts.csv", &["--json"]);
    let answer = run.json();
    assert!(answer["at_start"] == true && answer["start"][0]["pair"] == "s/car|left, wall", "{answer}");
    let depth = [0, 1].map(|k| number(&answer["start"][0]["depth"][k]));
    assert!(depth[0] <= 0.1 + 1e-9 && 0.1 - 1e-9 <= depth[1] && depth[1] - depth[0] < 1e-5, "{answer}");
    assert!(folder.check("starts.csv", &[]).stdout.contains("left, wall: 0.1000"), "{}", run.stdout);
    // Nearer than the clearance is no contact yet.
    let run = folder.check("free.csv", &["--clearance", "0.8"]);
    assert!(
        run.code == 1 && run.stdout.starts_with("nearer than the clearance at the start"),
        "{}",
        run.stdout
    );
}

/// A hand that is bolted to the car and overlaps a body on it: they never move relative to each other.
#[test]
fn pairs_that_always_touch_are_contacts() {
    let folder = Folder::new();
    let hand = r#"<link name="hand"><collision><geometry><box size="0.1 0.1 0.1"/></geometry></collision></link>
  <joint name="bolt" type="fixed"><parent link="car"/><child link="mid"/></joint><link name="mid"/>
  <joint name="bolt2" type="fixed"><parent link="mid"/><child link="hand"/></joint>
</robot>"#;
    folder.write("slide.urdf", &folder.read("slide.urdf").replace("</robot>", hand));
    let run = folder.check("free.csv", &[]);
    assert_eq!(run.code, 1, "{}", run.stdout);
    assert!(run.stdout.starts_with("in contact at the start\n  pair     s/car|s/hand"), "{}", run.stdout);
    assert!(run.stderr.contains("touch in every posture"), "{}", run.stderr);
    let run = folder.segments("0 0.1\n0.1 0.2\n", &[]);
    assert_eq!(
        run.stdout,
        "verdict,t,pair,clearance,outside_limits\ntouches,0,s/car|s/hand,,\ntouches,0,s/car|s/hand,,\n"
    );
    let run = folder.check("free.csv", &["--clearance-of", "s/car|s/hand=0.1"]);
    assert!(run.code == 3 && run.stderr.contains("never move relative"), "{}", run.stderr);
}

#[test]
fn bad_motions_are_refused_with_their_place() {
    let folder = Folder::new();
    for (text, what) in [
        ("0\nnan\n", "line 2"),
        ("0\n1 2\n", "line 2"),
        ("1 2\n3 4\n", "2 columns, but a posture of this cell has 1"),
        ("y\n1\n2\n", "'y' is no joint"),
        ("0\n", "a motion needs two"),
        ("", "no postures"),
        ("[{\"ptp\": [0, 1]}]", "2 numbers, but a posture of this cell has 1"),
        ("[{\"ptp\": [0]}, {\"ptp\": [nan]}]", "no JSON"),
    ] {
        folder.write("bad.csv", text);
        let run = folder.check("bad.csv", &[]);
        assert!(run.code == 3 && run.stdout.is_empty(), "{text}: {}", run.stdout);
        assert!(run.stderr.contains(what) && run.stderr.contains("bad.csv"), "{text}: {}", run.stderr);
        let answer = folder.check("bad.csv", &["--json"]).json();
        assert!(answer["errors"][0]["message"].is_string() && answer["verdict"].is_null(), "{answer}");
    }
    folder.write("out.csv", "0\n0.1\n-3.5\n");
    // One rule for motions of all kinds: what leaves limits is refused, in millimetres and degrees, unless that is allowed.
    let run = folder.check("out.csv", &[]);
    assert!(run.code == 3 && run.stderr.starts_with("error") && run.stdout.is_empty(), "{}", run.stderr);
    let what = "\"s/x\" is at -3500 mm, 500 mm outside its limits of -3000 to 3000 mm";
    assert!(run.stderr.contains(what) && run.stderr.contains("(line 3)"), "{}", run.stderr);
    assert!(run.stderr.contains("--allow-outside-limits"), "{}", run.stderr);
    let run = folder.check("out.csv", &["--allow-outside-limits"]);
    assert!(
        run.code == 1 && run.stderr.starts_with("warning") && run.stderr.contains(what),
        "{}",
        run.stderr
    );
    // Tables mark such rows, and go on.
    let run = folder.segments("0 0.1\n0 -3.5\n", &[]);
    let rows: Vec<&str> = run.stdout.lines().collect();
    assert!(rows.len() == 3 && rows[1].ends_with(',') && rows[2].ends_with(",s/x"), "{}", run.stdout);
    for (more, what) in [
        (&["--clearance=-1"][..], "a length of zero or more"),
        (&["--clearance", "nan"], "a length of zero or more"),
        (&["--clearance-of", "s/car"], "a pair and a length"),
        (&["--clearance-of", "s/car|rigt=1"], "did you mean s/car|right?"),
        (&["--clearance-of", "right|left, wall=1"], "not checked: both stand still"),
        (&["--clearance-of", "s/car|right=1", "--clearance-of", "right|s/car=2"], "stands twice"),
        (&["--segments", "s.csv"], "cannot be used with"),
        (&["--out", "s.csv"], "cannot be used with"),
        (&["--tight"], "cannot be used with"),
        (&["--motion", "circ"], "possible values: ptp, spline"),
    ] {
        let run = folder.check("free.csv", more);
        assert!(
            run.code == 3 && run.stderr.contains(what) && run.stdout.is_empty(),
            "{more:?}: {}",
            run.stderr
        );
    }
    let run = kansho(["check", &folder.path("cell.toml")]);
    assert!(run.code == 3 && run.stderr.contains("MOTION"), "{}", run.stderr);
    let run = folder.check("cell.toml", &[]);
    assert!(
        run.code == 3 && run.stderr.contains("this is no motion: a motion is a table (CSV)"),
        "{}",
        run.stderr
    );
    assert_eq!(run.stderr.matches("error").count(), 1, "{}", run.stderr);
    folder.write("prog.mod", "MODULE a\n");
    let run = folder.check("prog.mod", &[]);
    assert!(run.code == 3 && run.stderr.contains("ENDMODULE is missing"), "{}", run.stderr);
}

#[test]
fn no_time_is_undecided_and_nothing_is_written() {
    let folder = Folder::new();
    let run = folder.check("free.csv", &["--timeout", "0", "--certificate", &folder.path("c.json")]);
    assert_eq!(
        (run.code, run.stdout.as_str()),
        (
            2,
            "undecided from t = 0 to 0.5 (between waypoints 1 and 2, 0.000000 of the way)\n  why      the time for the answer ran out\n"
        ),
        "{}",
        run.stderr
    );
    assert!(!Path::new(&folder.path("c.json")).exists());
    let run = folder.check("hits.csv", &["--certificate", &folder.path("c.json")]);
    assert!(run.code == 1 && !Path::new(&folder.path("c.json")).exists());
    let run = folder.segments("0 0.1\n0.1 0.2\n", &["--timeout", "0"]);
    assert_eq!(
        (run.code, run.stdout.as_str()),
        (2, "verdict,t,pair,clearance,outside_limits\nundecided,,,,\nundecided,,,,\n")
    );
    for name in ["cell.toml", "free.csv"] {
        let before = folder.read(name);
        let run = folder.check("free.csv", &["--certificate", &folder.path(name)]);
        assert!(run.code == 3 && run.stderr.contains("not overwritten"), "{}", run.stderr);
        assert_eq!(folder.read(name), before);
    }
}

#[test]
fn every_segment_has_its_row() {
    let folder = Folder::new();
    let run = folder.segments("0 0.5\n0 -2\n0.8 0\n-0.5 0.25\n", &[]);
    assert_eq!((run.code, run.stderr.as_str()), (1, ""), "{}", run.stdout);
    let out = folder.path("answers.csv");
    let told = folder.segments("0 0.5\n0 -2\n0.8 0\n-0.5 0.25\n", &["--out", &out, "--threads", "2"]);
    assert_eq!(told.stdout, "2 of 4 segments touch, 2 are free\n");
    assert_eq!(folder.read("answers.csv"), run.stdout);
    let rows = csv(Path::new(&out));
    let verdicts: Vec<&str> = rows.iter().map(|row| row["verdict"].as_str()).collect();
    assert_eq!(verdicts, ["free", "touches", "touches", "free"]);
    assert_eq!((rows[1]["pair"].as_str(), rows[2]["pair"].as_str()), ("s/car|left, wall", "s/car|right"));
    let parsed = |text: &str| text.parse::<f64>().expect("a number");
    assert!((parsed(&rows[1]["t"]) - 0.75).abs() < 1e-6 && parsed(&rows[2]["t"]) == 0.0, "{rows:?}");
    assert!(rows[0]["t"].is_empty() && rows[1]["clearance"].is_empty(), "{rows:?}");
    for (row, gap) in [(0, 0.25), (3, 0.5)] {
        assert!((0.0..=gap).contains(&parsed(&rows[row]["clearance"])), "{rows:?}");
    }
    folder.segments("x x_mm\n0 500\n", &["--out", &out, "--tight"]);
    let tight = parsed(&csv(Path::new(&out))[0]["clearance"]);
    assert!((0.22..=0.25).contains(&tight), "{tight}");
    let answer = folder.segments("0 0.5\n0 -2\n", &["--json"]).json();
    assert_eq!(
        [&answer["segments"], &answer["free"], &answer["touches"], &answer["undecided"]],
        [2, 1, 1, 0]
    );
    assert_eq!(folder.segments("0 0.5\n", &["--clearance", "0.3"]).code, 1);
    assert_eq!(folder.segments("0 0.5\n", &[]).code, 0);
    for (rows, what) in [
        ("0 1 2\n", "3 columns, but a start and a goal in this cell have 2 numbers"),
        ("0 1\n0 nan\n", "line 2"),
        ("", "no postures"),
        ("x y\n0 1\n", "'y' is no joint"),
    ] {
        let run = folder.segments(rows, &[]);
        assert!(
            run.code == 3 && run.stderr.contains(what) && run.stdout.is_empty(),
            "{rows}: {}",
            run.stderr
        );
    }
    let run = folder.segments("0 0\n0 -9\n", &["--strict"]);
    assert!(run.code == 3 && run.stderr.contains("(line 2)") && run.stdout.is_empty(), "{}", run.stderr);
}

#[test]
fn certificates_are_accepted_and_refused_when_anything_is_changed() {
    let folder = Folder::new();
    let certificate = folder.path("c.json");
    let run = folder.check("free.csv", &["--certificate", &certificate, "--clearance", "0.1"]);
    assert!(run.code == 0 && run.stdout.contains("c.json"), "{}{}", run.stdout, run.stderr);
    let run = folder.verify("c.json", &[]);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{}", run.stdout);
    assert!(run.stdout.starts_with("accepted: 2 pairs stay more than 0.1 m apart"), "{}", run.stdout);
    assert_eq!(folder.verify("c.json", &[&folder.path("free.csv"), "--json"]).json()["accepted"], true);
    let run = folder.verify("c.json", &[&folder.path("hits.csv")]);
    assert!(run.code == 1 && run.stdout.contains("another motion"), "{}", run.stdout);
    let run = folder.verify("c.json", &[&folder.path("free.csv"), "--motion", "spline"]);
    assert!(run.code == 1 && run.stdout.contains("another motion"), "{}", run.stdout);
    let run = kansho(["verify", &certificate]);
    assert!(run.code == 3 && run.stderr.contains("about a cell"), "{}", run.stderr);
    // As `kansho-verify` reads the cell: without any reader of ours.
    let run = kansho(["convert", &folder.path("cell.toml"), &folder.path("cell.kcell")]);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{}", run.stdout);
    let encoded = std::fs::read(folder.path("cell.kcell")).expect("it was written");
    let cell = kansho::cell::canonical::read(&encoded).expect("a cell");
    let certified =
        kansho::verify::file::motion::parse(folder.read("c.json").as_bytes()).expect("a certificate");
    assert!(certified.verify(&cell).is_ok());

    let text = folder.read("c.json");
    let whole: Value = serde_json::from_str(&text).expect("JSON");
    let refused = |name: &str, changed: &str| {
        folder.write("changed.json", changed);
        let run = folder.verify("changed.json", &[]);
        assert!(matches!(run.code, 1 | 3) && !run.stdout.contains("accepted"), "{name}: {}", run.stdout);
        run.stdout + &run.stderr
    };
    let change = |name: &str, what: &dyn Fn(&mut Value)| {
        let mut changed = whole.clone();
        what(&mut changed);
        assert_ne!(changed, whole, "{name}");
        refused(name, &changed.to_string())
    };
    assert!(change("motion", &|c| c["motion"][0][0][1] = (-0.1).into()).contains("hash is another"));
    assert!(change("clearance", &|c| c["clearances"][0][1] = 0.05.into()).contains("hash is another"));
    assert!(change("pair", &|c| c["clearances"][0][0] = "a|b".into()).contains("hash is another"));
    assert!(change("name", &|c| c["coordinates"][0] = "s/y".into()).contains("hash is another"));
    assert!(change("resolution", &|c| c["resolution"] = 1.0.into()).contains("hash is another"));
    assert!(change("body", &|c| c["cell"]["bodies"][0][1] = "00".into()).contains("another cell"));
    assert!(change("joints", &|c| c["cell"]["kinematics"] = "00".into()).contains("another cell"));
    assert!(change("pairs", &|c| c["cell"]["pairs"] = "00".into()).contains("another cell"));
    assert!(
        change("kind", &|c| c["kansho"] = "motion certificate 1".into())
            .contains("make the certificate again")
    );
    let last = whole["pieces"].as_array().expect("pieces").len() - 1;
    change("a piece less", &|c| drop(c["pieces"].as_array_mut().expect("pieces").pop()));
    change("more", &|c| c["more"] = 1.into());
    // Every letter left out, twice, or replaced by one that says something else of the region.
    for piece in 0..=last {
        let letters = whole["pieces"][piece].as_str().expect("letters").to_owned();
        for at in 0..letters.len() {
            let with = |new: &str| {
                let mut changed = letters.clone();
                changed.replace_range(at..=at, new);
                change("a letter", &|c| c["pieces"][piece] = changed.as_str().into());
            };
            ["", "!", "cc", "t", "f", "\u{e9}"]
                .into_iter()
                .filter(|new| letters[at..=at] != **new)
                .for_each(with);
        }
    }
    for end in [0, 1, text.len() / 3, text.len() / 2, text.len() - 3] {
        refused("cut short", &text[..end]);
    }
    assert_eq!(folder.verify("c.json", &[]).code, 0, "it is still good itself");
}

#[test]
fn segments_that_are_free_have_certificates_in_one_file() {
    let folder = Folder::new();
    let certificate = folder.path("all.cert");
    let run = folder.segments("0 0.1\n0 -9\n0.1 0.2\n", &["--certificate", &certificate]);
    assert!(run.code == 1 && run.stdout.starts_with("verdict"), "{}{}", run.stdout, run.stderr);
    let run = folder.verify("all.cert", &[]);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{}", run.stdout);
    assert!(run.stdout.starts_with("accepted: 2 motions, in each of which 2 pairs"), "{}", run.stdout);
    assert!(run.stdout.contains("  record   kansho "), "{}", run.stdout);
    assert_eq!(folder.verify("all.cert", &["--json"]).json()["motions"], 2);
    let run = kansho(["verify", &certificate]);
    assert!(run.code == 3 && run.stderr.contains("about a cell"), "{}", run.stderr);

    // A folder of certificates, one of which says too much.
    std::fs::create_dir(folder.path("some")).expect("a folder");
    let of = |name: &str| folder.path(&format!("some/{name}"));
    std::fs::rename(&certificate, of("all.cert")).expect("moved");
    let run = folder.check("free.csv", &["--certificate", &of("one.json")]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let run = folder.check("free.csv", &["--certificate", &of("two.cert")]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    folder.write("some/notes.txt", "no certificate");
    let cell = folder.path("cell.toml");
    let run = kansho(["verify", "--all", &folder.path("some"), &cell]);
    assert!(run.code == 0 && run.stdout.ends_with("3 accepted, 0 refused\n"), "{}{}", run.stdout, run.stderr);
    let mut bytes = std::fs::read(of("all.cert")).expect("bytes");
    *bytes.last_mut().expect("bytes") ^= 1;
    std::fs::write(of("all.cert"), bytes).expect("written");
    let run = kansho(["verify", "--all", &folder.path("some"), &cell]);
    assert!(run.code == 1 && run.stdout.contains("refused   all.cert: "), "{}{}", run.stdout, run.stderr);

    let [one, two] = ["one.json", "two.cert"].map(|name| kansho(["verify", &of(name), &cell]).stdout);
    assert_eq!(one, two, "the same in both forms");
    let run = kansho(["verify", &of("two.cert"), &cell, &folder.path("free.csv")]);
    assert_eq!(run.code, 0, "{}", run.stdout);
    let run = kansho(["verify", &of("one.json"), &cell, "--explain"]);
    assert!(run.code == 0 && run.stdout.contains(" mm apart, least in motion 1"), "{}", run.stdout);
}

#[test]
fn certificates_of_other_cells_are_refused() {
    let folder = Folder::new();
    // A mesh on the car, so that a vertex can be moved.
    let mesh = "v 0 0 0\nv 0.1 0 0\nv 0 0.1 0\nv 0 0 0.1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n";
    folder.write("part.obj", mesh);
    let cell = folder.read("cell.toml")
        + "[[object]]\nname = \"part\"\nmesh = \"part.obj\"\non = \"s/car\"\nat = { xyz = [0, 0, 0.5] }\n";
    folder.write("cell.toml", &cell);
    let certificate = folder.path("c.json");
    let run = folder.check("free.csv", &["--certificate", &certificate]);
    assert_eq!(run.code, 0, "{}{}", run.stdout, run.stderr);
    let urdf = folder.read("slide.urdf");
    assert_eq!(folder.verify("c.json", &[]).code, 0);
    for (file, before, after, what) in [
        ("part.obj", "v 0.1 0 0", "v 0.1000001 0 0", "\"part\" has other shapes"),
        ("part.obj", "f 1 3 2", "f 1 2 3", ""),
        (
            "cell.toml",
            "xyz = [0, 0, 0.5]",
            "xyz = [0, 0, 0.51]",
            "\"part\" has other shapes, or is elsewhere",
        ),
        ("cell.toml", "on = \"s/car\"", "on = \"s/rail\"", "\"part\""),
        ("cell.toml", "[0.5, 2, 2]", "[0.5, 2, 2.1]", "\"left, wall\""),
        ("cell.toml", "-1, 0, 0, -1]", "-1, 0, 0, -1.1]", "\"right\""),
        ("cell.toml", "name = \"part\"", "name = \"bit\"", "the cell has no \"part\""),
        ("cell.toml", "units", "allow = { pairs = [[\"part\", \"right\"]] }\nunits", "other pairs"),
        ("slide.urdf", "axis xyz=\"1 0 0\"", "axis xyz=\"0 1 0\"", "joints"),
        ("slide.urdf", "prismatic", "revolute", ""),
        ("slide.urdf", "radius=\"0.25\"", "radius=\"0.26\"", "\"s/car\""),
        ("slide.urdf", "<axis", "<origin xyz=\"0 0 0.001\"/><axis", "joints"),
        ("slide.urdf", "name=\"x\"", "name=\"y\"", "joints"),
    ] {
        let originals = [("part.obj", mesh), ("cell.toml", &cell), ("slide.urdf", &urdf)];
        originals.iter().for_each(|(name, text)| folder.write(name, text));
        let text = folder.read(file);
        let changed = text.replace(before, after);
        assert_ne!(changed, text, "{before}");
        folder.write(file, &changed);
        let run = folder.verify("c.json", &[]);
        if file == "part.obj" && what.is_empty() {
            // Winding is made consistent when the file is read, so this is the same mesh or another; either way nothing breaks.
            assert!(matches!(run.code, 0 | 1), "{after}: {}", run.stderr);
        } else {
            assert_eq!(run.code, 1, "{after}: {}{}", run.stdout, run.stderr);
            assert!(
                run.stdout.contains("about another cell") && run.stdout.contains(what),
                "{after}: {}",
                run.stdout
            );
        }
    }
    // Limits are no part of a proof.
    folder.write("slide.urdf", &urdf.replace("upper=\"3\"", "upper=\"4\""));
    assert_eq!(folder.verify("c.json", &[]).code, 0);
}

#[test]
fn the_demo_cell_moves() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let out = folder.path().to_string_lossy().into_owned();
    assert_eq!(kansho(["demo", "--no-plan", "--out", &out]).code, 0);
    let path = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
    let home = "0,-35,15,0,35,0";
    std::fs::write(path("aside.csv"), format!("{home}\n12,-35,15,0,35,0\n")).expect("written");
    std::fs::write(path("down.csv"), format!("{home}\n0,25,15,0,35,0\n")).expect("written");
    let (cell, certificate) = (path("cell.toml"), path("c.json"));
    let run = kansho(["check", &cell, &path("aside.csv"), "--units", "deg", "--certificate", &certificate]);
    assert_eq!(run.code, 0, "{}{}", run.stdout, run.stderr);
    assert!(run.stdout.starts_with("free, at least 0."), "{}", run.stdout);
    let run = kansho(["verify", &certificate, &cell, &path("aside.csv"), "--units", "deg"]);
    assert_eq!(run.code, 0, "{}{}", run.stdout, run.stderr);
    let run = kansho(["check", &cell, &path("down.csv"), "--units", "deg", "--json"]);
    assert_eq!(run.code, 1, "{}{}", run.stdout, run.stderr);
    let answer = run.json();
    assert!(answer["pair"].as_str().is_some_and(|pair| pair.contains("sheet")), "{answer}");
    assert!(number(&answer["gap"]) <= 1e-6, "{answer}");
}

/// The segments of the benchmark: as the truth, which was sampled, has them, and the same for one thread and two.
#[test]
fn segments_as_the_truth_has_them() {
    let Some(data) = real_data() else { return };
    let folder = data.join("../bench/data");
    let (cell, all) = (folder.join("ur5_boxes.toml"), folder.join("w4_segments.csv"));
    let text = std::fs::read_to_string(all).expect("the segments");
    let rows: String = text.lines().take(300).map(|line| format!("{line}\n")).collect();
    let here = tempfile::tempdir().expect("a temporary folder");
    let segments = here.path().join("s.csv");
    std::fs::write(&segments, rows).expect("written");
    let run = |threads: &str| {
        let call = ["check".into(), cell.clone(), "--segments".into(), segments.clone()];
        kansho(call.into_iter().chain(["--threads".into(), threads.into()]))
    };
    let answers = run("1");
    assert_eq!(answers.code, 1, "{}", answers.stderr);
    assert_eq!(answers.stdout, run("2").stdout);
    let truth = std::fs::read_to_string(folder.join("w4_truth_step0.001.csv")).expect("the truth");
    for (k, (row, truth)) in answers.stdout.lines().skip(1).zip(truth.lines()).enumerate() {
        let is_hit = truth.split([',', ' ']).next().is_some_and(|hit| hit.trim() == "1");
        assert!(!is_hit || row.starts_with("touches"), "{k}: {row}, {truth}");
    }
}
