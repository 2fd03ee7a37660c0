//! Parts that slide over others without touching them take few steps.

use super::oracle::{Ready, Scenes, Tally};
use super::{SLIDE, TURN, at, cell_of, formula, mesh, object, row};
use kansho_cell::{BodyPiece, JointMotion};
use kansho_check::motion::MotionOptions;
use kansho_check::verdict::Verdict;
use kansho_geom::glam::DVec3;
use kansho_geom::primitive::Shape;

#[test]
fn a_tool_that_hovers_takes_few_steps() {
    let tool = Shape::Box { size: DVec3::new(0.2, 0.1, 0.1) };
    let table = Shape::Box { size: DVec3::new(2.0, 1.0, 0.2) };
    for over in [1e-6, 1e-5] {
        for (kind, ends) in [(SLIDE, [-0.7, 0.7]), (TURN, [-1.5, 1.5])] {
            for as_mesh in [true, false] {
                let piece = |shape, pose| -> BodyPiece {
                    if as_mesh { mesh(shape, pose) } else { formula(shape, pose) }
                };
                let robot = row(
                    &[(kind, at(0.0, 0.0, 0.0))],
                    vec![vec![], vec![piece(tool, at(0.1, 0.0, 0.05 + over))]],
                    at(0.0, 0.0, 0.0),
                );
                let cell =
                    cell_of(vec![robot], vec![object("table", vec![piece(table, at(0.0, 0.0, -0.1))])]);
                let (scenes, mut oracle) = Scenes::new(cell);
                let mut ready = Ready::new(&scenes);
                let motion = JointMotion::lines(&[vec![ends[0]], vec![ends[1]]]).expect("two postures");
                for clearance in [0.0, 0.5 * over] {
                    let options =
                        MotionOptions { clearance, resolution: 0.1 * over, ..MotionOptions::default() };
                    let mut tally = Tally::default();
                    let report = ready.ask(&mut oracle, &motion, &options, 100, &mut tally);
                    if as_mesh || matches!(report.verdict, Verdict::Free(_)) {
                        assert!(matches!(report.verdict, Verdict::Free(_)), "{report:?}");
                    }
                    let count = report.counters;
                    assert!(count.instants < 2_000 && count.nodes < 20_000, "{report:?}");
                    assert!(count.exact < 500 && count.regions < 20_000, "{report:?}");
                    if matches!(report.verdict, Verdict::Free(_)) {
                        let certificate = ready.quick.certify(&motion, &options).expect("a certificate");
                        assert!(certificate.pieces[0].len() < 5_000);
                    }
                }
            }
        }
    }
}
