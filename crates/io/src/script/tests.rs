use super::read;
use std::path::Path;

const GOOD: &str = "units = \"mm\"
move = [
  { do = \"approach\", along = \"-z\", until = \"block.A on slot.B\" },
  { do = \"slide\", toward = \"slot.C\", keep = [\"block.A on slot.B\", \"level\"], until = [\"block.Nose on slot.C\"] },
  { do = \"rotate\", about = \"slot.C\", keep = \"block.Nose on slot.C\", by_deg = -10 },
]
[fixed.slot]
box = [100, 50, 10]
at = { xyz = [0, 0, -5], rpy_deg = [0, 0, 0] }
B = { face = \"+z\" }
C = { edge = \"+x+z\" }
[moved.block]
box = [40, 20, 10]
grasp = [0, 0, 5]
start = { xyz = [0, 0, 20] }
A = { face = \"-z\", at = [0, 0, -5] }
Nose = { edge = \"+x-z\" }
P = { vertex = \"+x+y+z\" }
";

/// All faults of a script, each with its place.
fn faults(text: &str) -> Vec<String> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("script.toml");
    std::fs::write(&path, text).expect("written");
    match read(&path) {
        Ok(_) => Vec::new(),
        Err(errors) => errors.iter().flat_map(|error| error.faults.iter().map(ToString::to_string)).collect(),
    }
}

#[test]
fn a_good_script_is_read() {
    assert_eq!(faults(GOOD), [""; 0]);
    // A point says which of several corners; both signs say the same.
    let one = GOOD.replace("P = { vertex = \"+x+y+z\" }", "P = { vertex = \"-z\", at = [20, 10, -5] }");
    assert_eq!(faults(&one), [""; 0]);
    assert_eq!(faults(&GOOD.replace("by_deg = -10", "by_deg = -10, turn = \"-\"")), [""; 0]);
}

/// Each change of the good script, and how its one fault begins.
#[test]
fn faults_are_told_with_their_line() {
    let cases = [
        // Unknown names, with the nearest.
        (
            "until = \"block.A on slot.B\"",
            "until = \"block.A on slot.BB\"",
            "line 3: \"slot\" has no feature \"BB\"",
        ),
        (
            "until = \"block.A on slot.B\"",
            "until = \"blok.A on slot.B\"",
            "line 3: there is no body \"blok\"; did you mean \"block\"?",
        ),
        ("toward = \"slot.C\"", "toward = \"slot.K\"", "line 4: \"slot\" has no feature \"K\""),
        ("about = \"slot.C\"", "about = \"slot\"", "line 5: \"slot\" is no feature"),
        (
            "until = [\"block.Nose on",
            "until = [\"block.Nos on",
            "line 4: \"block\" has no feature \"Nos\"; did you mean \"block.Nose\"?",
        ),
        // Contacts that are none.
        (
            "until = \"block.A on slot.B\"",
            "until = \"block.A over slot.B\"",
            "line 3: \"block.A over slot.B\" is no contact",
        ),
        (
            "until = \"block.A on slot.B\"",
            "until = \"slot.C on slot.B\"",
            "line 3: a contact is between the moved body and a fixed one",
        ),
        // Words.
        ("do = \"slide\"", "do = \"slid\"", "line 4: \"slid\" is not known; did you mean \"slide\"?"),
        ("along = \"-z\"", "along = \"down\"", "line 3: \"down\" is no direction"),
        ("along = \"-z\"", "along = [0, 0, 0]", "line 3: this is no direction: its length is zero"),
        ("along = \"-z\", until", "until", "line 3: a move needs a direction: along or toward"),
        (", by_deg = -10", "", "line 5: a rotate needs an end: until or by_deg"),
        ("about = \"slot.C\", ", "", "line 5: a rotate needs the key \"about\""),
        (
            "along = \"-z\"",
            "along = \"-z\", toward = \"slot.C\"",
            "line 3: there is one direction: along or toward",
        ),
        // Selectors.
        (
            "B = { face = \"+z\" }",
            "B = { face = [1, 1, 1] }",
            "line 10: no face of \"slot\" is like that; its faces look +x, +y, +z, -x, -y, -z",
        ),
        (
            "at = [0, 0, -5] }",
            "at = [0, 0, 5] }",
            "line 16: no face of \"block\" is like that; those that look that way are one around",
        ),
        ("B = { face = \"+z\" }", "B = { vertex = \"+z\" }", "line 10: 4 corners of \"slot\" are like that"),
        ("C = { edge = \"+x+z\" }", "C = { edge = \"+x\" }", "line 11: this names no edge"),
        (
            "C = { edge = \"+x+z\" }",
            "C = { edge = \"+x+z\", face = \"+z\" }",
            "line 11: a feature has one selector",
        ),
        // Keys that nobody would look at, and contradictions.
        (
            "B = { face = \"+z\" }",
            "B = { face = \"+z\", from = [0, 0, 0], to = [1, 0, 0] }",
            "line 10: \"from\" is a key of a rim",
        ),
        (
            "P = { vertex = \"+x+y+z\" }",
            "P = { vertex = \"+x+y+z\", at = [99, 99, 99] }",
            "line 18: no corner of \"block\" is like that; those that look that way are one around",
        ),
        (
            "P = { vertex = \"+x+y+z\" }",
            "P = { vertex = [20, 10, 5], at = [20, 10, 5] }",
            "line 18: this vertex says where it is itself: \"at\" is too much",
        ),
        (
            "B = { face = \"+z\" }",
            "B = { faces = [{ face = \"+z\" }], at = [0, 0, 0] }",
            "line 10: \"at\" goes into each of the faces",
        ),
        ("by_deg = -10", "by_deg = -10, turn = \"+\"", "line 5: turn = \"+\" and a negative by_deg say two"),
        (
            "until = \"block.A on slot.B\"",
            "until = []",
            "line 3: until names no contact, so this move would never end",
        ),
        (
            "box = [100, 50, 10]",
            "box = [100, 50, 10]\nunits = \"m\"",
            "line 9: \"units\" is the unit of a mesh file, and this body has none",
        ),
        ("C = { edge = \"+x+z\" }", "C = { at = [0, 0, 0] }", "line 11: a feature needs a selector"),
        // Bodies.
        ("box = [100, 50, 10]\n", "", "line 7: \"slot\" has no shape"),
        (
            "box = [100, 50, 10]",
            "box = [100, 50, 10]\nsphere = 3",
            "line 9: a body has one shape, and this is a second",
        ),
        ("box = [100, 50, 10]", "box = [100, 50, 0]", "line 8: the z size must be greater than zero"),
        ("box = [100, 50, 10]", "mesh = \"slot.stl\"", "line 8: there is no file"),
        (
            "grasp = [0, 0, 5]",
            "gasp = [0, 0, 5]",
            "line 14: \"gasp\" is neither a key of a body nor a feature; did you mean \"grasp\"?",
        ),
        ("start = { xyz = [0, 0, 20] }\n", "", "line 12: the moved body needs the key \"start\""),
        (
            "[fixed.slot]",
            "[moved.other]\nbox = [1, 1, 1]\nstart = {}\n[fixed.slot]",
            "line 7: one body is moved, and this is a second",
        ),
        (
            "units = \"mm\"",
            "units = \"mm\"\ntol = 0.5",
            "line 2: tol is at most a hundredth of the moved body's size",
        ),
        ("units = \"mm\"", "units = \"mm\"\ntol = -1", "line 2: tol is greater than zero"),
        ("xyz = [0, 0, 20]", "xyz = [0, nan, 20]", "line 15: "),
        ("units = \"mm\"", "units = \"mil\"", "line 1: \"mil\" is no unit of length"),
    ];
    for (from, to, expected) in cases {
        assert!(GOOD.contains(from), "{from}");
        let found = faults(&GOOD.replacen(from, to, 1));
        let (line, message) = expected.split_once(": ").expect("a line and a message");
        let fits = |fault: &String| fault.starts_with(&format!("{line},")) && fault.contains(message);
        assert!(found.iter().any(fits), "{to}\nexpected {expected}\nfound {found:?}");
        assert!(found.len() <= 2, "{to}: {found:?}");
    }
}

/// Two faces look up, so a point must say which.
#[test]
fn a_selector_that_matches_several_says_where_they_are() {
    let stairs = "v 0 0 0\nv 2 0 0\nv 2 0 1\nv 1 0 1\nv 1 0 2\nv 0 0 2\nv 0 1 0\nv 2 1 0\nv 2 1 1\nv 1 1 1\nv 1 1 2\nv 0 1 2\n\
        f 1 2 3 4 5 6\nf 12 11 10 9 8 7\nf 1 7 8 2\nf 2 8 9 3\nf 3 9 10 4\nf 4 10 11 5\nf 5 11 12 6\nf 6 12 7 1\n";
    let folder = tempfile::tempdir().expect("a temporary folder");
    std::fs::write(folder.path().join("stairs.obj"), stairs).expect("written");
    let text = |at: &str| {
        GOOD.replace("units = \"mm\"", "units = \"m\"")
            .replace("box = [100, 50, 10]", "mesh = \"stairs.obj\"")
            .replace("C = { edge = \"+x+z\" }", "C = { edge = [[2, 0, 1], [2, 1, 1]] }")
            .replace("B = { face = \"+z\" }", &format!("B = {{ face = \"+z\"{at} }}"))
    };
    let path = folder.path().join("script.toml");
    let read_it = |at: &str| {
        std::fs::write(&path, text(at)).expect("written");
        read(Path::new(&path))
    };
    let errors = read_it("").expect_err("two faces look up");
    let fault = &errors[0].faults[0];
    assert!(fault.to_string().contains("2 faces of \"slot\" are like that: one around ("), "{fault}");
    assert!(fault.help.as_deref().is_some_and(|help| help.contains("at = [x, y, z]")));
    assert!(read_it(", at = [0.5, 0.5, 2]").is_ok());
}

/// Nothing that people type makes the reader panic.
#[test]
fn cut_and_changed_scripts_are_refused_or_read() {
    for end in (0..GOOD.len()).filter(|&end| GOOD.is_char_boundary(end)) {
        faults(&GOOD[..end]);
    }
    for word in
        ["\"\"", "[]", "{}", "-1", "1e400", "nan", "\"a.b on c.d\"", "[[]]", "\"+x+x\"", "\".\"", "\" on \""]
    {
        let mut rest = GOOD;
        let mut before = 0;
        while let Some(place) = rest.find("= ") {
            let from = before + place + 2;
            let line_end = GOOD[from..].find('\n').map_or(GOOD.len(), |k| from + k);
            let to = GOOD[from..line_end].find([',', '}']).map_or(line_end, |k| from + k);
            faults(&format!("{}{word} {}", &GOOD[..from], &GOOD[to..]));
            before = from;
            rest = &GOOD[from..];
        }
    }
}

/// Every verb takes the keys of its row of the table and no others; the reader, the schema and the documentation say the same.
#[test]
fn a_key_that_a_verb_does_not_use_is_refused() {
    use super::keys::{KEYS_OF_VERBS, MOVE, VERBS, keys_of};
    let value = |key: &str| match key {
        "along" | "forward" => "\"+x\"",
        "side" => "\"+y\"",
        "toward" | "about" => "\"slot.C\"",
        "keep" | "until" | "allow" => "\"block.A on slot.B\"",
        "turn" => "\"+\"",
        "when_partly_touching" => "\"auto\"",
        _ => "7",
    };
    assert_eq!(KEYS_OF_VERBS.iter().map(|(verb, _)| *verb).collect::<Vec<_>>(), VERBS);
    let schema = super::schema();
    for verb in VERBS {
        let good = match *verb {
            "rotate" => "about = \"slot.C\", by_deg = 5",
            "place" => "along = \"-z\", until = \"block.A on slot.B\"",
            "follow" => "along = \"+x\", keep = \"block.A on slot.B\", spacing = 5",
            _ => "along = \"-z\", by = 3",
        };
        let with = |more: &str| {
            let text = GOOD.lines().filter(|line| !line.starts_with("  { do")).collect::<Vec<_>>().join("\n");
            faults(&text.replace("move = [", &format!("move = [\n{{ do = \"{verb}\", {good}{more} }},")))
        };
        assert_eq!(with(""), [""; 0], "{verb}");
        for key in MOVE.iter().map(|key| key.name).filter(|key| *key != "do") {
            if good.contains(&format!("{key} =")) {
                continue;
            }
            let found = with(&format!(", {key} = {}", value(key)));
            let is_refused = found.iter().any(|fault| {
                fault.starts_with("line 3,") && fault.contains(&format!("\"{key}\" is no key of a"))
            });
            assert_eq!(is_refused, !keys_of(verb).contains(&key), "{verb} {key}: {found:?}");
            let rules = schema["properties"]["move"]["items"]["allOf"].as_array().expect("rules");
            let rule = rules
                .iter()
                .find(|rule| rule["if"]["properties"]["do"]["const"] == *verb)
                .expect("a rule for each verb");
            let allowed = rule["then"]["properties"].get(key).is_none();
            assert_eq!(allowed, keys_of(verb).contains(&key), "{verb} {key}");
        }
    }
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/words.md");
    let page = std::fs::read_to_string(page).expect("the page is there");
    assert!(page.contains(&super::table_of_verbs()), "docs/words.md has\n{}", super::table_of_verbs());
}

/// A point that is suggested can be taken as it stands: it is in the units of the script, in the frame of the body, and on the face.
#[test]
fn suggested_points_name_the_face() {
    // A frame: two faces look up, the upper one around a hole, in the middle of which its outline has its middle.
    let frame = |z: f64| {
        format!(
            "v -30 -30 {z}\nv 30 -30 {z}\nv 30 30 {z}\nv -30 30 {z}\nv -10 -10 {z}\nv 10 -10 {z}\nv 10 10 {z}\nv -10 10 {z}\n"
        )
    };
    let mut mesh = frame(0.0) + &frame(10.0);
    for k in 0..4 {
        let (a, b) = (k + 1, (k + 1) % 4 + 1);
        mesh += &format!("f {b} {a} {} {}\n", a + 4, b + 4);
        mesh += &format!("f {} {} {} {}\n", a + 8, b + 8, b + 12, a + 12);
        mesh += &format!("f {a} {b} {} {}\n", b + 8, a + 8);
        mesh += &format!("f {} {} {} {}\n", b + 4, a + 4, a + 12, b + 12);
    }
    // And a step beside it, on which another face looks up.
    mesh += "v 40 -30 0\nv 50 -30 0\nv 50 30 0\nv 40 30 0\nv 40 -30 5\nv 50 -30 5\nv 50 30 5\nv 40 30 5\n";
    mesh += "f 20 19 18 17\nf 21 22 23 24\nf 17 18 22 21\nf 18 19 23 22\nf 19 20 24 23\nf 20 17 21 24\n";
    let folder = tempfile::tempdir().expect("a temporary folder");
    std::fs::write(folder.path().join("frame.obj"), mesh).expect("written");
    let path = folder.path().join("script.toml");
    let read_it = |at: &str| {
        let text = format!(
            "units = \"mm\"\nmove = [\n{{ do = \"approach\", along = \"-z\", until = \"b.under on f.top\" }},\n]\n\
             [fixed.f]\nmesh = \"frame.obj\"\nat = {{ xyz = [100, 0, 50], rpy_deg = [0, 0, 90] }}\ntop = {{ face = \"+z\"{at} }}\n\
             [moved.b]\nbox = [10, 10, 10]\nstart = {{ xyz = [100, 20, 80] }}\nunder = {{ face = \"-z\" }}\n"
        );
        std::fs::write(&path, text).expect("written");
        read(&path)
    };
    let errors = read_it("").expect_err("two faces look up");
    let fault = errors[0].faults[0].to_string();
    assert!(fault.contains("2 faces of \"f\" are like that: one around ("), "{fault}");
    let points: Vec<&str> =
        fault.split("around (").skip(1).filter_map(|rest| rest.split(") mm").next()).collect();
    assert_eq!(points.len(), 2, "{fault}");
    for point in points {
        assert!(read_it(&format!(", at = [{point}]")).is_ok(), "{point}");
    }
}

/// A mesh with another axis up is turned where the script says so; on other files the key is refused.
#[test]
fn meshes_are_turned_by_up() {
    const DAE: &str = "<COLLADA><asset><up_axis>Y_UP</up_axis></asset><library_geometries><geometry id=\"g\"><mesh><source id=\"p\"><float_array id=\"a\" count=\"12\">0 0 0 1 0 0 0 2 0 0 0 3</float_array><technique_common><accessor source=\"#a\" count=\"4\" stride=\"3\"><param name=\"X\" type=\"float\"/><param name=\"Y\" type=\"float\"/><param name=\"Z\" type=\"float\"/></accessor></technique_common></source><vertices id=\"v\"><input semantic=\"POSITION\" source=\"#p\"/></vertices><triangles count=\"4\"><input semantic=\"VERTEX\" source=\"#v\" offset=\"0\"/><p>0 2 1 0 1 3 0 3 2 1 2 3</p></triangles></mesh></geometry></library_geometries><scene/></COLLADA>";
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("wedge.dae"), DAE).expect("written");
    std::fs::write(
        folder.path().join("wedge.obj"),
        "v 0 0 0\nv 1 0 0\nv 0 2 0\nv 0 0 3\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n",
    )
    .expect("written");
    let path = folder.path().join("script.toml");
    let size = |file: &str, up: &str| -> Result<[f64; 3], String> {
        let wedge =
            format!("[fixed.wedge]\nmesh = \"{file}\"\nat = {{ xyz = [500, 0, 0] }}\n{up}\n[moved.block]");
        std::fs::write(&path, GOOD.replace("[moved.block]", &wedge)).expect("written");
        let script = read(&path).map_err(|errors| format!("{errors:?}"))?;
        let wedge = script.objects.iter().find(|object| object.name == "wedge").expect("a wedge");
        let kansho_cell::Geometry::Mesh(mesh) = &wedge.pieces[0].geometry else { panic!("a mesh") };
        Ok((mesh.aabb().extent() * 1e3).round().to_array())
    };
    assert_eq!(size("wedge.dae", ""), Ok([1.0, 2.0, 3.0]));
    assert_eq!(size("wedge.dae", "up = \"as-in-file\""), Ok([1.0, 2.0, 3.0]));
    assert_eq!(size("wedge.dae", "up = \"z\""), Ok([1.0, 3.0, 2.0]));
    let refused = |file: &str, up: &str, expected: &str| {
        let told = size(file, up).expect_err(up);
        assert!(told.contains(expected), "{told}");
    };
    refused("wedge.obj", "up = \"z\"", "has no effect on this file");
    refused("wedge.dae", "up = \"y\"", "is not understood");
    let none = GOOD.replace("box = [40, 20, 10]", "box = [40, 20, 10]\nup = \"z\"");
    assert!(faults(&none)[0].contains("this is about a mesh file, and there is no mesh"));
}
