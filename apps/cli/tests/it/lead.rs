//! Motions that lead a tool, on the command line.

use crate::run::{Run, kansho};

/// The cell of the demo.
struct Demo(tempfile::TempDir);

const START: &str = r#"{"ptp": [0, -0.6, 0.26, 0, 0.6, 0]}"#;

impl Demo {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let out = folder.path().join("demo").to_string_lossy().into_owned();
        let run = kansho(["demo", "--no-plan", "--out", &out]);
        assert_eq!(run.code, 0, "{}", run.stderr);
        Self(folder)
    }

    fn path(&self, name: &str) -> String {
        self.0.path().join(name).to_string_lossy().into_owned()
    }

    fn write(&self, name: &str, text: &str) {
        std::fs::write(self.0.path().join(name), text).expect("written");
    }

    fn run(&self, command: &[&str], more: &[&str]) -> Run {
        let cell = self.path("demo/cell.toml");
        let mut all: Vec<String> = Vec::new();
        for word in command {
            all.push(match *word {
                "CELL" => cell.clone(),
                word => word.strip_prefix('@').map_or(word.to_owned(), |name| self.path(name)),
            });
        }
        all.extend(
            more.iter().map(|word| word.strip_prefix('@').map_or((*word).to_owned(), |name| self.path(name))),
        );
        kansho(all)
    }

    fn list(&self, moves: &str, more: &[&str]) -> Run {
        self.write("list.json", &format!("[{START}, {moves}]"));
        self.run(&["check", "CELL", "@list.json"], more)
    }
}

fn pose(xyz: [f64; 3]) -> String {
    let [x, y, z] = xyz;
    format!("\"xyz\": [{x}, {y}, {z}], \"rpy_deg\": [180, 0, 180]")
}

fn lin(xyz: [f64; 3]) -> String {
    format!("{{\"lin\": {{{}}}}}", pose(xyz))
}

/// All kinds of moves in one list are proven, certified and verified; another motion, another law and a changed file are refused.
#[test]
fn lists_of_moves_are_proven_and_verified() {
    let demo = Demo::new();
    let moves = format!(
        "{{\"lin\": {{{}}}, \"zone\": 0.002}}, {}, {{\"circ\": {{\"via\": [0.8, 0.15, 1.45], {}}}}}, {{\"spline\": [{{{}}}, {{{}}}]}}, {{\"ptp\": [0.2, -0.6, 0.26, 0, 0.6, 0]}}",
        pose([0.75, 0.1, 1.4]),
        lin([0.75, 0.1, 1.5]),
        pose([0.75, 0.2, 1.4]),
        pose([0.76, 0.22, 1.42]),
        pose([0.75, 0.25, 1.4]),
    );
    let run = demo.list(&moves, &["--law", "both", "--certificate", "@c.json"]);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{}", run.stdout);
    assert!(run.stdout.starts_with("free, at least 0.0") && run.stdout.contains("law "), "{}", run.stdout);
    let verified = demo.run(&["verify", "@c.json", "CELL", "@list.json"], &["--law", "both"]);
    assert_eq!(verified.code, 0, "{}{}", verified.stdout, verified.stderr);
    assert!(verified.stdout.contains("accepted") && verified.stdout.contains("slerp, swivel-twist"));
    demo.write("other.json", &format!("[{START}, {}]", lin([0.75, 0.1, 1.4])));
    let other = demo.run(&["verify", "@c.json", "CELL", "@other.json"], &[]);
    assert!(other.code == 1 && other.stdout.contains("another motion"), "{}", other.stdout);
    let text = std::fs::read_to_string(demo.0.path().join("c.json")).expect("written");
    let place = text.find("\"margin\":").expect("a margin") + 9;
    demo.write("bad.json", &format!("{}1{}", &text[..place], &text[place..]));
    let bad = demo.run(&["verify", "@bad.json", "CELL"], &[]);
    assert!(bad.code == 3 && bad.stderr.contains("its hash is another"), "{}", bad.stderr);
    demo.write("cut.json", &text[..text.len() / 2]);
    let cut = demo.run(&["verify", "@cut.json", "CELL"], &[]);
    assert!(cut.code == 3 && cut.stderr.contains("no certificate of a route"), "{}", cut.stderr);
}

/// A line down into the sheet touches it; the witness names the move.
#[test]
fn contacts_of_lines() {
    let demo = Demo::new();
    let run = demo.list(&lin([0.95, 0.1, 0.3]), &["--json"]);
    let answer = run.json();
    assert_eq!((run.code, answer["verdict"].as_str()), (1, Some("touches")), "{}", run.stdout);
    assert_eq!((answer["pair"].as_str(), answer["move"].as_u64()), (Some("arm/tool|sheet"), Some(2)));
    assert!(answer["gap"].as_f64().is_some_and(|gap| gap <= 1e-6));
    let fraction = answer["fraction"].as_f64().expect("a fraction");
    // With a clearance it stops sooner.
    let sooner = demo.list(&lin([0.95, 0.1, 0.3]), &["--json", "--clearance", "0.02"]).json();
    assert!(sooner["fraction"].as_f64().is_some_and(|sooner| sooner < fraction - 0.01));
}

/// Rows of postures, and rows of poses with a branch.
#[test]
fn tables_are_joined_by_lines() {
    let demo = Demo::new();
    demo.write("rows.csv", "0,-0.6,0.26,0,0.6,0\n0.1,-0.6,0.26,0,0.6,0\n");
    let run = demo.run(&["check", "CELL", "@rows.csv"], &["--motion", "lin", "--json"]);
    assert_eq!(run.code, 0, "{}{}", run.stdout, run.stderr);
    let ptp = demo.run(&["check", "CELL", "@rows.csv"], &["--json"]);
    let least = |run: &Run| run.json()["nearest"]["gap"].as_f64().expect("a gap");
    assert!(least(&run) > 0.0 && least(&ptp) > 0.0);
    // Another turn of the last joint is not arrived at by a line.
    demo.write("turned.csv", "0,-0.6,0.26,0,0.6,0\n0.1,-0.6,0.26,0,0.6,-6.283185307179586\n");
    let run = demo.run(&["check", "CELL", "@turned.csv"], &["--motion", "lin"]);
    assert!(
        run.code == 3 && run.stderr.contains("another turn") || run.stderr.contains("outside"),
        "{}",
        run.stderr
    );
    demo.write("poses.csv", "x,y,z,qw,qx,qy,qz\n0.75,0.1,1.4,0,0,1,0\n0.75,0.2,1.4,0,0,1,0\n");
    let several = demo.run(&["check", "CELL", "@poses.csv"], &["--motion", "lin"]);
    assert!(several.code == 3 && several.stderr.contains("several branches"), "{}", several.stderr);
    let branch = several.stderr.split("--branch=").nth(1).expect("a proposal")[..3].to_owned();
    let chosen =
        demo.run(&["check", "CELL", "@poses.csv"], &["--motion", "lin", &format!("--branch={branch}")]);
    assert!([0, 1].contains(&chosen.code), "{}", chosen.stderr);
}

/// Whatever cannot be followed says where and why, with the move.
#[test]
fn what_cannot_be_followed() {
    let demo = Demo::new();
    for (moves, more, expected) in [
        (lin([3.75, 0.1, 1.4]), &[][..], "out of reach from there on"),
        (lin([3.75, 0.1, 1.4]), &[], "move 2"),
        (
            "{\"lin\": {\"xyz\": [0.7, 0, 1.4], \"quat\": [0, 0, 0, 0]}}".into(),
            &[],
            "the quaternion has length 0",
        ),
        ("{\"lin\": {\"xyz\": [0.7, 0, 1.4], \"rpy_deg\": [0, 0, 180]}}".into(), &[], "half a turn"),
        (
            format!("{{\"lin\": {{{}}}, \"branch\": \"--+\"}}", pose([0.75, 0.1, 1.4])),
            &[],
            "cannot change it",
        ),
        (lin([0.75, 0.1, 1.4]), &["--blend", "unknown"], "--blend-margin"),
        (lin([0.75, 0.1, 1.4]), &["--tip", "arms"], "did you mean arm?"),
        (
            format!("{{\"circ\": {{\"via\": [0.75, 0.1, 1.4], {}}}}}", pose([0.75, 0.1, 1.4])),
            &[],
            "no circle goes through them",
        ),
        (
            format!(
                "{{\"lin\": {{{}}}, \"zone\": 0.01}}, {{\"ptp\": [0, -0.6, 0.26, 0, 0.6, 0]}}",
                pose([0.75, 0.1, 1.4])
            ),
            &[],
            "only corners between two straight lines",
        ),
    ] {
        let run = demo.list(&moves, more);
        assert!(run.code == 3 && run.stderr.contains(expected), "{moves}: {} {}", run.stdout, run.stderr);
    }
    // The wrist is straight where it begins.
    demo.write(
        "straight.json",
        &format!("[{{\"ptp\": [0, -0.6, 0.26, 0, 0, 0]}}, {}]", lin([0.75, 0.1, 1.4])),
    );
    let run = demo.run(&["check", "CELL", "@straight.json"], &[]);
    assert!(run.code == 3 && run.stderr.contains("singularity (wrist)"), "{}", run.stderr);
    assert!(run.stderr.contains("at 0.000000 of the way"), "{}", run.stderr);
}

#[test]
fn where_a_tool_can_be() {
    let demo = Demo::new();
    let run = demo.run(
        &["reach", "CELL", "--out", "@r.csv", "--picture", "@r.png"],
        &[
            "--box",
            "0.5,-0.4,1.0,1.3,0.4,1.4",
            "--step",
            "0.2",
            "--directions",
            "20",
            "--turns",
            "4",
            "--free",
        ],
    );
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(run.stdout.contains("of 75 points are reached"), "{}", run.stdout);
    let table = std::fs::read_to_string(demo.0.path().join("r.csv")).expect("written");
    assert!(table.starts_with("x,y,z,share,branches,free\n") && table.lines().count() == 76);
    for row in table.lines().skip(1) {
        let n: Vec<f64> = row.split(',').map(|word| word.parse().expect("a number")).collect();
        assert!(n[5] <= n[3] && n[3] <= 1.0 && (n[3] > 0.0) == (n[4] > 0.0), "{row}");
    }
    let picture = std::fs::read(demo.0.path().join("r.png")).expect("written");
    assert!(picture.starts_with(b"\x89PNG"));
    let far = demo.run(&["reach", "CELL"], &["--box", "50,50,50,51,51,51", "--step", "0.5", "--json"]).json();
    assert_eq!(far["reached"], 0);
    for more in
        [&["--box", "1,1,1,0,0,0"][..], &["--direction", "0,0,0"], &["--step", "1e-9"], &["--tip", "x"]]
    {
        assert_eq!(demo.run(&["reach", "CELL"], more).code, 3, "{more:?}");
    }
}
