//! URScript by hand, with answers by hand.

use super::{good, notes, places};
use crate::robot_program::{Language, Zone};
use kansho_geom::glam::DVec3;

#[test]
fn urscript_is_run() {
    let check = |text: &str, expected: &[[i64; 3]]| {
        let program = good(Language::UrScript, text);
        assert_eq!(places(&program), expected, "{text}\n{:?}", program.notes);
        assert!(notes(&program, true).is_empty(), "{text}\n{:?}", program.notes);
    };
    check("movel(p[0.1,0.2,0.3,0,0,0], a=1.2, v=0.1, r=0)\n", &[[100, 200, 300]]);
    check(
        "def f():\n  i = 0\n  while i < 2:\n    i = i + 1\n    movel(p[0.1*i,0,0,0,0,0],1.2,0.1)\n  end\nend\n",
        &[[100, 0, 0], [200, 0, 0]],
    );
    check(
        "def up(p1, by):\n  return pose_trans(p1, p[0,0,by,0,0,0])\nend\ndef f():\n  global a = p[0.1,0,0,0,3.14159265358979,0]\n  if True:\n    movel(up(a, 0.01))\n  else:\n    movel(a)\n  end\n  movej([d2r(90),0,0,0,0,0])\nend\nf()\n",
        &[[100, 0, -10], [90, 0, 0]],
    );
    let text = "set_tcp(p[0,0,0.1,0,0,0])\nmovec(p[0.1,0,0,0,0,0], p[0.2,0.1,0,0,0,0], v=0.2, r=0.01)\n";
    let program = good(Language::UrScript, text);
    assert_eq!(program.moves[0].zone, Zone::Radius(0.01));
    assert_eq!(program.moves[0].tool.at.map(|at| at.translation()), Some(DVec3::new(0.0, 0.0, 0.1)));
    let text = "servoj([0,0,0,0,0,0])\nx = get_actual_tcp_pose()\nmovel(x)\nif get_digital_in(0):\n movel(p[1,1,1,0,0,0])\nend\nrtde_thing()\n";
    let told = notes(&good(Language::UrScript, text), true);
    for expected in
        ["1: 'servoj'", "3: what 'get_actual_tcp_pose' gives", "4: whether this is run", "7: 'rtde_thing'"]
    {
        assert!(told.iter().any(|note| note.contains(expected)), "{expected}: {told:?}");
    }
}
