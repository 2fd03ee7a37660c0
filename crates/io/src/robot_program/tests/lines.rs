//! Programs of FANUC and jobs of Yaskawa by hand.

use super::{good, notes, places};
use crate::robot_program::{Config, Language, Profile, Speed, Target, Zone, parse};
use kansho_geom::glam::DVec3;

#[test]
fn fanuc_and_yaskawa_say_what_they_do_not_understand() {
    let positions = "/POS\nP[1:\"home\"]{\n GP1:\n UF : 0, UT : 9,\n J1= 1.000 deg, J2= 2.000 deg, J3= 3.000 deg,\n J4= 0.000 deg, J5= 0.000 deg, J6= 0.000 deg\n};\nP[2]{\n GP1:\n UF : 0, UT : 9, CONFIG : 'F D B, -1, 0, 1',\n X = 1 mm, Y = 2 mm, Z = 3 mm,\n W = 0 deg, P = 0 deg, R = 0 deg\n};\n/END\n";
    let program = good(
        Language::Fanuc,
        &format!(
            "/PROG A\n/ATTR\n/MN\n 1:  PR[9,1]=(-30) ;\n 2:  PR[9,2]=0 ;\n 3:  PR[9,3]=40 ;\n 4:  PR[9,4]=0 ;\n 5:  PR[9,5]=0 ;\n 6:  PR[9,6]=0 ;\n 7:  UTOOL[9]=PR[9] ;\n 8:J P[1:home] 2% FINE ;\n 9:L P[2] 100mm/sec CNT50 ACC80 ;\n{positions}"
        ),
    );
    assert!(program.notes.is_empty(), "{:?}", program.notes);
    assert_eq!(places(&program), [[1, 2, 3], [1, 2, 3]]);
    assert_eq!(program.moves[1].tool.at.map(|at| at.translation()), Some(DVec3::new(-0.03, 0.0, 0.04)));
    assert_eq!((program.moves[1].speed, program.moves[1].zone), (Speed::Tip(0.1), Zone::Smooth(0.5)));
    let Target::Pose(_, config) = &program.moves[1].to else { panic!("a pose") };
    assert_eq!(*config, Config::Fanuc { flip: true, up: false, front: false, turns: [-1, 0, 1] });
    let told = notes(
        &good(
            Language::Fanuc,
            &format!(
                "/PROG A\n/MN\n1:J P[7] 2% FINE ;\n2:  CALL SUB ;\n3:  IF R[1]=1,JMP LBL[1] ;\n4:L PR[1] 100mm/sec FINE ;\n5:L P[2] 100mm/sec FINE Offset,PR[3] ;\n6:  UTOOL_NUM=3 ;\n7:L P[2] 9mm/sec FINE ;\n8:  WAIT  0.50(sec) ;\n{positions}"
            ),
        ),
        true,
    );
    for expected in [
        "3: there is no position P[7]",
        "4: 'SUB' is not in this file",
        "5: branches are not followed",
        "6: positions in registers",
        "7: 'Offset,PR[3]'",
        "9: tool 3 is chosen",
    ] {
        assert!(told.iter().any(|note| note.contains(expected)), "{expected}: {told:?}");
    }
    let jbi = |more: &str| {
        format!(
            "/JOB\n//NAME A\n//POS\n///NPOS 1,0,0,0,0,0\n///TOOL 9\n///POSTYPE PULSE\n///PULSE\nC00000=0,-4474,0,0,0,0\n//INST\nNOP\n{more}END\n"
        )
    };
    let told = notes(
        &good(
            Language::Jbi,
            &jbi(
                "MOVJ C00000 VJ=50.00\nCALL JOB:X\nJUMP *A\nMOVC C00000 V=10.0\nMOVL C00009 V=10.0\nWEAVE X\n",
            ),
        ),
        true,
    );
    for expected in [
        "11: how many pulses a degree has",
        "12: 'X' is not in this file",
        "13: there is no label *A",
        "14: ",
        "15: there is no position C00009",
        "16: 'WEAVE' is not known",
    ] {
        assert!(told.iter().any(|note| note.starts_with(expected)), "{expected}: {told:?}");
    }
    let profile =
        Profile::parse("language = \"jbi\"\npulses_per_degree = [1000, -1000, 1, 1, 1, 1]\n").expect("good");
    let found = parse(jbi("MOVJ C00000 VJ=50.00 PL=0\n").as_bytes(), None, Language::Jbi, &profile, None)
        .expect("good");
    let Target::Joints(joints) = &found.moves[0].to else { panic!("joints") };
    assert!((joints[1].to_degrees() - 4.474).abs() < 1e-12);
}
