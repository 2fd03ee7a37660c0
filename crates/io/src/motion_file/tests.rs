use super::*;
use kansho_cell::builtin;

fn asked(text: &str, options: &MotionFileOptions) -> Result<LoadedMotion, String> {
    let read = parse(text.as_bytes(), Path::new("given"), &builtin::cell(), options);
    read.map_err(|error| error.faults.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))
}

const ROWS: &str = "0,0,0,0,1,0\n0.1,0,0,0,1,0\n0.1,0.1,0,0,1,0\n";

#[test]
fn rows_are_joined_as_is_said() {
    let of =
        |join| asked(ROWS, &MotionFileOptions { join, ..MotionFileOptions::default() }).expect("a motion");
    let Moved::Joints(ptp) = of(Join::Ptp).motion else { panic!("joints move") };
    let Moved::Joints(spline) = of(Join::Spline).motion else { panic!("joints move") };
    let Moved::Tool(lin) = of(Join::Lin).motion else { panic!("a tool is led") };
    // All go through the row in the middle; between, the spline is another one.
    assert_eq!((ptp.at(0.5), spline.at(0.5)), (vec![0.1, 0.0, 0.0, 0.0, 1.0, 0.0], ptp.at(0.5)));
    assert_ne!(ptp.at(0.25), spline.at(0.25));
    assert_eq!((lin.len(), lin[0].0, lin[0].1.legs().len()), (1, Law::Slerp, 2));
}

#[test]
fn both_laws_are_two_routes() {
    let lead = LeadOptions { law: Some(Laws::Both), ..LeadOptions::default() };
    let options = MotionFileOptions { join: Join::Lin, lead, ..MotionFileOptions::default() };
    let Moved::Tool(routes) = asked(ROWS, &options).expect("a motion").motion else { panic!("a tool") };
    assert_eq!(routes.iter().map(|(law, _)| *law).collect::<Vec<_>>(), [Law::Slerp, Law::SwivelTwist]);
}

#[test]
fn what_is_about_tools_is_refused_without_one() {
    let lead = LeadOptions { zone: 0.01, ..LeadOptions::default() };
    let options = MotionFileOptions { lead, ..MotionFileOptions::default() };
    assert!(asked(ROWS, &options).expect_err("no tool is led").contains("⟦zone⟧"));
    let lead = LeadOptions { tip: Some("arn".into()), ..LeadOptions::default() };
    let options = MotionFileOptions { join: Join::Lin, lead, ..MotionFileOptions::default() };
    assert!(asked(ROWS, &options).expect_err("there is none").contains("did you mean arm?"));
}

#[test]
fn lists_say_themselves_what_they_lead() {
    let list = r#"[{"ptp": [0, 0, 0, 0, 1, 0]}, {"lin": {"xyz": [1, 0, 1], "quat": [0, 0.6, 0.8, 0]}}]"#;
    assert!(matches!(asked(list, &MotionFileOptions::default()).expect("moves").motion, Moved::Tool(_)));
    let list = r#"[{"ptp": [0, 0, 0, 0, 1, 0]}, {"ptp": [0, 0, 0, 0, 1.1, 0]}]"#;
    assert!(matches!(asked(list, &MotionFileOptions::default()).expect("moves").motion, Moved::Joints(_)));
}
