//! Which of several postures a pose is reached in, as controllers say it.

use super::arm::{ControlArm, Stance};
use super::profile::{ElbowFlag, Flags};
use std::f64::consts::{FRAC_PI_2, PI};
use std::fmt;

/// What a target says of the posture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Config {
    /// Nothing.
    Unsaid,
    /// ABB's `confdata`: quadrants of axes 1, 4 and 6 (0 is from 0 to 90 degrees, -1 from -90 to 0), and which of eight.
    Abb([i32; 4]),
    /// KUKA's status and turn, each if it is said.
    Kuka {
        /// Bit 0: the wrist is behind axis 1; bit 1: the forearm is bent forward; bit 2: axis 5 is negative.
        status: Option<u8>,
        /// Bit k: axis k + 1 is negative.
        turn: Option<u8>,
    },
    /// FANUC's `CONFIG`.
    Fanuc {
        /// `F` rather than `N`.
        flip: bool,
        /// `U` rather than `D`.
        up: bool,
        /// `T` rather than `B`.
        front: bool,
        /// Whole turns of axes 1, 4 and 6: 0 is within half a turn of zero.
        turns: [i32; 3],
    },
    /// Yaskawa's `RCONF`: the six values that count, 0 or 1.
    Yaskawa([u8; 6]),
}

impl Config {
    /// Whether it leaves one posture only.
    pub(super) fn is_whole(self) -> bool {
        match self {
            Self::Unsaid => false,
            Self::Kuka { status, turn } => status.is_some() && turn.is_some(),
            Self::Abb(_) | Self::Fanuc { .. } | Self::Yaskawa(_) => true,
        }
    }
}

/// How near to the border between two values a joint may be for either to count, in radians: what printed digits leave open.
const BORDER: f64 = 2e-4;

fn quadrant(angle: f64) -> i32 {
    (angle / FRAC_PI_2).floor() as i32
}

/// The number of whole turns, such that 0 is from -180 to 180 degrees.
fn turn(angle: f64) -> i32 {
    (angle / (2.0 * PI)).round() as i32
}

/// ABB's number of eight: wrist behind axis 1, wrist behind the lower arm, axis 5 negative.
fn abb_number(stance: &Stance) -> i32 {
    4 * i32::from(!stance.front) + 2 * i32::from(!stance.elbow) + i32::from(stance.joints[4] < 0.0)
}

fn elbow(stance: &Stance, flags: &Flags) -> bool {
    match flags.elbow {
        ElbowFlag::Bent => stance.elbow,
        ElbowFlag::BentFromFront => stance.elbow == stance.front,
    }
}

impl Config {
    /// What is said of a posture in the language of a profile.
    #[must_use]
    pub fn of(arm: &ControlArm, posture: &[f64]) -> Self {
        let Some(stance) = arm.stance(posture) else { return Self::Unsaid };
        let (q, flags) = (&stance.joints, &arm.profile().flags);
        let flip = (q[4] > 0.0) == flags.flip_when_positive;
        match arm.profile().language {
            super::Language::Rapid => {
                Self::Abb([quadrant(q[0]), quadrant(q[3]), quadrant(q[5]), abb_number(&stance)])
            }
            super::Language::Krl => {
                let status =
                    u8::from(!stance.front) | u8::from(stance.elbow) << 1 | u8::from(q[4] < 0.0) << 2;
                let turn = (0..6).fold(0, |bits, k| bits | u8::from(q[k] < 0.0) << k);
                Self::Kuka { status: Some(status), turn: Some(turn) }
            }
            super::Language::Fanuc => Self::Fanuc {
                flip,
                up: elbow(&stance, flags),
                front: stance.front,
                turns: [turn(q[0]), turn(q[3]), turn(q[5])],
            },
            super::Language::Jbi => Self::Yaskawa([
                u8::from(!(q[3].cos() > 0.0)),
                u8::from(!elbow(&stance, flags)),
                u8::from(!stance.front),
                u8::from(q[3].abs() > PI),
                u8::from(q[5].abs() > PI),
                u8::from(q[0].abs() > PI),
            ]),
            super::Language::UrScript => Self::Unsaid,
        }
    }

    /// Whether a posture is as it says. Where a joint is so near to a border that printed digits do not tell, either side is.
    #[must_use]
    pub fn holds(&self, arm: &ControlArm, posture: &[f64]) -> bool {
        let Some(stance) = arm.stance(posture) else { return true };
        let (q, flags) = (&stance.joints, &arm.profile().flags);
        // Whether a number that is worked out from a joint has a value a little before or after it.
        let near = |joint: usize, wanted: i32, of: &dyn Fn(f64) -> i32| {
            [-BORDER, 0.0, BORDER].iter().any(|off| of(q[joint] + off) == wanted)
        };
        let negative = |joint: usize, wanted: bool| near(joint, i32::from(wanted), &|q| i32::from(q < 0.0));
        match *self {
            Self::Unsaid => true,
            Self::Abb([cf1, cf4, cf6, cfx]) => {
                let others = abb_number(&stance) & !1 == cfx & !1;
                others
                    && negative(4, cfx & 1 == 1)
                    && near(0, cf1, &quadrant)
                    && near(3, cf4, &quadrant)
                    && near(5, cf6, &quadrant)
            }
            Self::Kuka { status, turn } => {
                let of_status = status.is_none_or(|status| {
                    (status & 1 == 1) != stance.front
                        && (status & 2 == 2) == stance.elbow
                        && negative(4, status & 4 == 4)
                });
                let of_turn = turn.is_none_or(|turn| (0..6).all(|k| negative(k, turn >> k & 1 == 1)));
                of_status && of_turn
            }
            Self::Fanuc { flip, up, front, turns } => {
                negative(4, flip != flags.flip_when_positive)
                    && elbow(&stance, flags) == up
                    && stance.front == front
                    && [0, 3, 5].iter().zip(turns).all(|(joint, wanted)| near(*joint, wanted, &turn))
            }
            Self::Yaskawa(all) => {
                let beyond =
                    |joint: usize, wanted: u8| near(joint, i32::from(wanted), &|q| i32::from(q.abs() > PI));
                near(3, i32::from(all[0]), &|q| i32::from(!(q.cos() > 0.0)))
                    && u8::from(!elbow(&stance, flags)) == all[1]
                    && u8::from(!stance.front) == all[2]
                    && beyond(3, all[3])
                    && beyond(5, all[4])
                    && beyond(0, all[5])
            }
        }
    }
}

impl fmt::Display for Config {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Unsaid => f.write_str("nothing"),
            Self::Abb([a, b, c, d]) => write!(f, "[{a},{b},{c},{d}]"),
            Self::Kuka { status, turn } => {
                let shown = |n: Option<u8>| n.map_or("-".into(), |n| n.to_string());
                write!(f, "S {}, T {}", shown(status), shown(turn))
            }
            Self::Fanuc { flip, up, front, turns: [a, b, c] } => {
                let letter = |is: bool, yes: char, no: char| if is { yes } else { no };
                let letters = [letter(flip, 'F', 'N'), letter(up, 'U', 'D'), letter(front, 'T', 'B')];
                write!(f, "'{} {} {}, {a}, {b}, {c}'", letters[0], letters[1], letters[2])
            }
            Self::Yaskawa([a, b, c, d, e, g]) => write!(f, "{a},{b},{c},{d},{e},{g},0,0"),
        }
    }
}
