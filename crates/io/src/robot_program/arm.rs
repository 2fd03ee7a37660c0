//! A robot of a cell as its controller sees it.

use super::Language;
use super::config::Config;
use super::external::{External, HeldAxis, foot, held_axes, other_held};
use super::profile::Profile;
use kansho_cell::ik::{Branch, Followed, Ik, IkOptions, Method, Solutions, Tip};
use kansho_cell::route::PoseCurve;
use kansho_cell::{Carrier, Cell, FrameId, LinkId};
use kansho_geom::Pose;
use kansho_geom::glam::{DQuat, DVec3};
use std::f64::consts::PI;

/// A robot with its controller.
#[derive(Clone, Debug)]
pub struct ControlArm<'a> {
    cell: &'a Cell,
    profile: Profile,
    robot: String,
    ik: Ik,
    flange: LinkId,
    world_from_base: Pose,
    /// The same with all axes that carry it, and are held, at zero.
    world_from_zero: Pose,
    held: Vec<HeldAxis>,
    other_held: Vec<HeldAxis>,
    /// Its name, if axis 3 of its controller is measured from the ground and the profile does not say so.
    parallel_bar: Option<String>,
    /// The link that poses count from, if the robot has none of the name in the profile.
    taken_as_base: Option<String>,
}

/// Why a robot cannot be seen as a controller does.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ArmFault {
    /// There is none of that name, or several.
    #[error("{0}")]
    Robot(String),
    /// It has no flange.
    #[error(
        "robot \"{robot}\" has no link \"{link}\", to which tools are mounted: name another one as flange in the profile"
    )]
    Flange {
        /// Its name.
        robot: String,
        /// What the profile names.
        link: String,
    },
    /// Its base is moved by joints.
    #[error("the base of robot \"{0}\" is moved by joints: programs for such robots are not understood")]
    Moving(String),
    /// There is no inverse kinematics.
    #[error("robot \"{0}\": {1}")]
    Ik(String, String),
}

/// What configurations are named after.
pub(super) struct Stance {
    /// Axes as the controller counts them, in radians.
    pub(super) joints: Vec<f64>,
    /// Whether the wrist is before axis 1.
    pub(super) front: bool,
    /// Whether the wrist is before the upper arm, seen in the direction in which axis 1 points.
    pub(super) elbow: bool,
}

/// Postures that are nearer to each other than this are the same, in radians: what printed digits leave open near singularities.
const SAME_POSTURE: f64 = 1e-3;

impl<'a> ControlArm<'a> {
    /// Looks at a robot of a cell; at the only one if none is named, or at the only one with a tool.
    ///
    /// # Errors
    /// What does not fit.
    pub fn new(cell: &'a Cell, robot: Option<&str>, profile: Profile) -> Result<Self, ArmFault> {
        let robots = cell.robots();
        let found = match robot {
            Some(name) => robots.iter().find(|robot| robot.name == name),
            None => match robots {
                [only] => Some(only),
                _ => {
                    let mut tools = robots.iter().filter(|robot| robot.tool.is_some());
                    tools.next().filter(|_| tools.next().is_none())
                }
            },
        };
        let found = found.ok_or_else(|| {
            let names: Vec<&str> = robots.iter().map(|robot| robot.name.as_str()).collect();
            let wanted = robot.map_or("say for which robot the program is".into(), |name| {
                format!("there is no robot '{name}'")
            });
            ArmFault::Robot(format!("{wanted}; there are: {}", names.join(", ")))
        })?;
        let name = found.name.clone();
        let link = |link: &str| found.robot.link(link).map(|link| found.link(link));
        let foot = || {
            let flange = found.robot.link(&profile.flange);
            flange.map_or(found.robot.root(), |flange| foot(found, flange))
        };
        let is_named = found.robot.link(&profile.base).is_some();
        let own = found.robot.link(&profile.base).unwrap_or_else(foot);
        let base = found.link(own);
        if cell.in_frame(Carrier::Link(base)).frame != FrameId::WORLD {
            return Err(ArmFault::Moving(name));
        }
        let flange = link(&profile.flange)
            .ok_or_else(|| ArmFault::Flange { robot: name.clone(), link: profile.flange.clone() })?;
        let tip = Tip { link: flange, link_from_tip: Pose::IDENTITY };
        let ik = Ik::new(cell, &tip, &IkOptions::default())
            .map_err(|fault| ArmFault::Ik(name.clone(), fault.to_string()))?;
        let world_from_base = cell.place(&cell.zero_posture()).world_from_link(base);
        let taken_as_base = (!is_named).then(|| found.robot.links()[own.0 as usize].name.clone());
        let (held, world_from_zero) = held_axes(found, own);
        let other_held = other_held(cell, &name, &held);
        let names = [found.robot.name(), &found.name];
        let is_coupled = profile.couple_3_to_2 != 0.0 || profile.language != Language::Rapid;
        let parallel_bar =
            names.into_iter().find(|name| !is_coupled && has_parallel_bar(name)).map(str::to_owned);
        Ok(Self {
            cell,
            profile,
            robot: name,
            ik,
            flange,
            world_from_base,
            world_from_zero,
            held,
            other_held,
            parallel_bar,
            taken_as_base,
        })
    }

    /// What is known of its controller.
    #[must_use]
    pub fn profile(&self) -> &Profile {
        &self.profile
    }

    /// What is taken for granted about where poses count from, if the robot has no link of that name and its maker's frame usually lies elsewhere
    /// than where a robot description begins.
    #[must_use]
    pub fn assumed_base(&self) -> Option<String> {
        let taken = self.taken_as_base.as_ref()?;
        let usual = match self.profile.language {
            Language::Fanuc => "at the height of axis 2",
            Language::Jbi => "above the floor",
            Language::UrScript => "turned by half a turn about z",
            Language::Rapid | Language::Krl => return None,
        };
        Some(format!(
            "assumed: poses of the program count from link \"{taken}\" of robot \"{}\", which has no link \"{}\"; the frame of this maker often lies {usual}: say which link it is (base in a profile)",
            self.robot, self.profile.base
        ))
    }

    /// Its cell.
    #[must_use]
    pub fn cell(&self) -> &'a Cell {
        self.cell
    }

    /// Its name in the cell.
    #[must_use]
    pub fn robot(&self) -> &str {
        &self.robot
    }

    /// How many axes it has.
    #[must_use]
    pub fn axes(&self) -> usize {
        self.ik.joints().len()
    }

    /// Where the base of the arm is.
    #[must_use]
    pub fn world_from_base(&self) -> Pose {
        self.world_from_base
    }

    /// Axes that carry the arm and are held in the cell: external axes of its controller.
    #[must_use]
    pub fn held(&self) -> &[HeldAxis] {
        &self.held
    }

    /// Other joints that the cell holds, by their robots and names: those of positioners and the like, of which programs say nothing.
    #[must_use]
    pub fn other_held(&self) -> &[HeldAxis] {
        &self.other_held
    }

    /// What is taken for granted of joint values, if the robot is one whose parallel bar keeps axis 3 as it is while axis 2 turns.
    #[must_use]
    pub fn assumed_coupling(&self) -> Option<String> {
        let name = self.parallel_bar.as_ref()?;
        Some(format!(
            "assumed: axis 3 of the program is joint 3 of the model. \"{name}\" is the name of a robot with a parallel bar, whose controller measures axis 3 from the ground: say couple_3_to_2 in a profile (1 where joints 2 and 3 of the model turn about the same direction, otherwise -1)"
        ))
    }

    /// Where the frame is in which the controller counts poses: that of the base; with the external axes that carry it at zero, if a target
    /// says where these are.
    #[must_use]
    pub fn world_from_targets(&self, external: &External) -> Pose {
        let is_said = external.iter().zip(&self.held).any(|(said, _)| said.is_some());
        if is_said { self.world_from_zero } else { self.world_from_base }
    }

    /// A tip in the frame of the flange, as the cell names tips.
    #[must_use]
    pub fn tip(&self, flange_from_tip: &Pose) -> Tip {
        Tip { link: self.flange, link_from_tip: *flange_from_tip }
    }

    /// Where a tip of the cell is in the frame of the flange, in a posture.
    #[must_use]
    pub fn flange_from(&self, tip: &Tip, posture: &[f64]) -> Pose {
        self.world_from_flange(posture).inverse() * tip.placed(self.cell, posture)
    }

    /// The tool of the cell, in the frame of the flange; none if it has none, or one on another link that moves otherwise.
    #[must_use]
    pub fn flange_from_tool(&self) -> Option<Pose> {
        let tool = self.cell.robots().iter().find(|robot| robot.name == self.robot)?.tool?;
        let [flange, on] = [self.flange, tool.on].map(|link| self.cell.in_frame(Carrier::Link(link)));
        (flange.frame == on.frame)
            .then(|| flange.frame_from_link.inverse() * on.frame_from_link * tool.link_from_tcp)
    }

    /// Where the flange is.
    #[must_use]
    pub fn world_from_flange(&self, posture: &[f64]) -> Pose {
        self.cell.place(posture).world_from_link(self.flange)
    }

    /// Axes of a posture as the controller counts them, in radians.
    #[must_use]
    pub fn to_controller(&self, posture: &[f64]) -> Vec<f64> {
        let mut values = self.ik.values_in(posture);
        if values.len() == 6 {
            for ((value, sign), offset) in values.iter_mut().zip(self.profile.signs).zip(self.profile.offsets)
            {
                *value = *value * sign + offset;
            }
            values[2] += self.profile.couple_3_to_2 * values[1];
        }
        values
    }

    /// A posture of the cell, the others as in one that is given.
    ///
    /// # Panics
    /// If there is not one number for each axis.
    #[must_use]
    pub fn from_controller(&self, axes: &[f64], others: &[f64]) -> Vec<f64> {
        let mut values = axes.to_vec();
        if values.len() == 6 {
            values[2] -= self.profile.couple_3_to_2 * values[1];
            for ((value, sign), offset) in values.iter_mut().zip(self.profile.signs).zip(self.profile.offsets)
            {
                *value = (*value - offset) * sign;
            }
        }
        let mut posture = others.to_vec();
        self.ik.put(&values, &mut posture);
        posture
    }

    /// What a configuration is named after; none of arms that have none (six axes with a wrist whose axes meet).
    pub(super) fn stance(&self, posture: &[f64]) -> Option<Stance> {
        if self.ik.method() != Method::SphericalWrist {
            return None;
        }
        let values = self.ik.values_in(posture);
        let joints = self.to_controller(posture);
        let jacobian = self.ik.jacobian(&values);
        let tip = self.ik.world_from_tip(&values).translation();
        // Every axis as a line: its direction, and its point that is nearest to the tip.
        let line = |k: usize| {
            let twist = jacobian.columns[k];
            (twist.angular, tip + twist.angular.cross(twist.linear) / twist.angular.length_squared())
        };
        let (first, axis_1) = line(0);
        let (_, axis_2) = line(1);
        let (_, axis_3) = line(2);
        let wrist = meeting(line(4), line(5))?;
        // Where x of the base has been turned to by axis 1, from where the controller counts zero.
        let since_zero = self.profile.signs[0] * joints[0];
        let forward = DQuat::from_axis_angle(first.try_normalize()?, since_zero)
            * self.world_from_base.rotate(DVec3::X);
        let left = self.world_from_base.rotate(DVec3::Z).cross(forward);
        let front = (wrist - axis_1).dot(forward) >= 0.0;
        let elbow = (axis_3 - axis_2).cross(wrist - axis_3).dot(left) >= 0.0;
        Some(Stance { joints, front, elbow })
    }

    /// All postures in which the flange is at a pose, whole turns expanded.
    fn candidates(&self, world_from_flange: &Pose, near: &[f64]) -> Vec<(Vec<f64>, bool)> {
        let mut solutions = Solutions::default();
        let seed = self.ik.values_in(near);
        let branch = self.ik.branch(&seed).0;
        self.ik.solve_into(world_from_flange, Some(&seed), &mut solutions);
        let mut all = Vec::new();
        for solution in solutions.iter() {
            for values in self.ik.turns(solution.values) {
                let mut posture = near.to_vec();
                self.ik.put(&values, &mut posture);
                all.push((posture, branch.is_some() && solution.branch == branch));
            }
        }
        all
    }

    /// The posture in which a pose of the flange is reached on a branch of the inverse kinematics.
    ///
    /// # Errors
    /// If it is not.
    pub fn reached_on(
        &self,
        world_from_flange: &Pose,
        branch: Branch,
        near: &[f64],
    ) -> Result<Vec<f64>, String> {
        let mut solutions = Solutions::default();
        self.ik.solve_into(world_from_flange, Some(&self.ik.values_in(near)), &mut solutions);
        let found = solutions.iter().find(|solution| solution.branch == Some(branch));
        let found = found.ok_or_else(|| format!("the target is not reached on the branch {branch}"))?;
        let mut posture = near.to_vec();
        self.ik.put(found.values, &mut posture);
        Ok(posture)
    }

    /// Leads the flange straight from one pose to another, from a posture on, which becomes that at the end. Whether it gets there without
    /// losing its branch.
    #[must_use]
    pub fn along(&self, from: &Pose, to: &Pose, here: &mut Vec<f64>) -> bool {
        /// From one pose to the next that is looked at, in metres and radians: joints then turn little, except near singularities.
        const STEP: f64 = 0.02;
        let turn = from.quat().angle_between(to.quat());
        let count =
            (from.translation().distance(to.translation()).max(turn) / STEP).ceil().clamp(1.0, 2000.0);
        for k in 1..=count as usize {
            let u = k as f64 / count;
            let place = from.translation().lerp(to.translation(), u);
            let Ok(pose) = Pose::from_quat(from.quat().slerp(to.quat(), u), place) else { return false };
            match self.goes_on(&pose, here) {
                Some(posture) => *here = posture,
                None => return false,
            }
        }
        true
    }

    /// Leads a tip along a curve, from a posture on, which becomes that at the end. Whether it gets there without losing its branch.
    #[must_use]
    pub fn along_curve(&self, curve: &PoseCurve, flange_from_tip: &Pose, here: &mut Vec<f64>) -> bool {
        /// Poses that are looked at.
        const COUNT: u32 = 256;
        let tip_from_flange = flange_from_tip.inverse();
        (1..=COUNT).all(|k| {
            let pose = curve.at(f64::from(k) / f64::from(COUNT)) * tip_from_flange;
            match self.goes_on(&pose, here) {
                Some(posture) => {
                    *here = posture;
                    true
                }
                None => false,
            }
        })
    }

    /// The posture for a pose near another one on the same branch, each joint in the turn nearest to it.
    fn goes_on(&self, world_from_flange: &Pose, near: &[f64]) -> Option<Vec<f64>> {
        let mut scratch = Solutions::default();
        match self.ik.follow(world_from_flange, &self.ik.values_in(near), &mut scratch) {
            Followed::On { values, .. } => {
                let mut posture = near.to_vec();
                self.ik.put(&values, &mut posture);
                Some(posture)
            }
            Followed::Ends(_) => None,
        }
    }

    /// The posture in which a pose of the flange is reached, as a configuration says; `near` is where the robot was, and `known` whether
    /// it was there for certain; `is_led` whether the tip is led to it along a curve.
    ///
    /// # Errors
    /// Out of reach; not in this configuration; or nothing says which of several.
    pub fn reached(
        &self,
        world_from_flange: &Pose,
        config: Config,
        near: &[f64],
        known: bool,
        is_led: bool,
    ) -> Result<Vec<f64>, String> {
        let all = self.candidates(world_from_flange, near);
        if all.is_empty() {
            return Err("the target is out of reach, or axes would have to leave their limits".into());
        }
        let distance =
            |posture: &Vec<f64>| -> f64 { posture.iter().zip(near).map(|(a, b)| (a - b).powi(2)).sum() };
        let mut fitting: Vec<&(Vec<f64>, bool)> =
            all.iter().filter(|(posture, _)| config.holds(self, posture)).collect();
        // Configurations do not name whole turns of axes 2, 3 and 5: these are within half a turn of zero where they can be.
        let beyond = |posture: &Vec<f64>| {
            let values = self.ik.values_in(posture);
            [1, 2, 4].iter().filter(|k| values.get(**k).is_some_and(|value| value.abs() > PI)).count()
        };
        fitting
            .sort_by(|a, b| beyond(&a.0).cmp(&beyond(&b.0)).then(distance(&a.0).total_cmp(&distance(&b.0))));
        if fitting.is_empty() {
            let mut names: Vec<String> =
                all.iter().map(|(posture, _)| Config::of(self, posture).to_string()).collect();
            names.sort();
            names.dedup();
            names.truncate(8);
            return Err(format!(
                "the target is not reached in the configuration {config}; it is in {}",
                names.join(" and ")
            ));
        }
        // Arms without a wrist whose axes meet have no names for postures.
        let is_unnamed = self.ik.method() != Method::SphericalWrist;
        if is_unnamed || config == Config::Unsaid || matches!(config, Config::Kuka { status: None, .. }) {
            let clear =
                fitting.len() == 1 || (known && distance(&fitting[1].0) > 2.25 * distance(&fitting[0].0));
            // KUKA's controller goes on as it is. Others take the nearest posture, whichever that is: it has to be clear, and on the
            // same branch, except with Universal Robots, who do not name branches.
            let found = match self.profile.language {
                Language::Krl if known && !is_unnamed => fitting.iter().find(|(_, same)| *same),
                Language::UrScript => fitting.first().filter(|_| clear),
                _ => fitting.first().filter(|(_, same)| clear && (fitting.len() == 1 || *same || is_unnamed)),
            };
            let found = found.or_else(|| fitting.first().filter(|_| fitting.len() == 1));
            return found
                .map(|(posture, _)| posture.clone())
                .ok_or_else(|| "nothing says in which of several postures the target is reached".into());
        }
        // What is said may leave turns of an axis open, or both sides of a border that digits do not tell apart.
        let others = fitting[1..].iter().any(|(posture, _)| {
            let far = posture.iter().zip(&fitting[0].0).any(|(a, b)| (a - b).abs() > SAME_POSTURE);
            far && beyond(posture) == beyond(&fitting[0].0)
        });
        // A line goes on without a jump: the prover follows it, and refuses it if it arrives in another turn than the nearest.
        if others && !(is_led && known) {
            return Err("nothing says in which of several turns of an axis the target is reached".into());
        }
        Ok(fitting[0].0.clone())
    }
}

/// ABB robots with a parallel bar, by their numbers.
const PARALLEL_BARS: [&str; 7] = ["1400", "2400", "4400", "6400", "460", "660", "760"];

/// Whether a name is that of an ABB robot with a parallel bar: `abb_irb2400`, `IRB 2400-12`.
fn has_parallel_bar(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    name.match_indices("irb").any(|(at, _)| {
        let rest = name[at + 3..].trim_start_matches(['_', '-', ' ']);
        let number: String = rest.chars().take_while(char::is_ascii_digit).collect();
        PARALLEL_BARS.contains(&number.as_str())
    })
}

/// Where two lines come nearest to each other, in the middle; none if they are parallel.
fn meeting((u, p): (DVec3, DVec3), (v, q): (DVec3, DVec3)) -> Option<DVec3> {
    let (a, b, c, w) = (u.dot(u), u.dot(v), v.dot(v), p - q);
    let denominator = a * c - b * b;
    if !(denominator.abs() > 1e-12) {
        return None;
    }
    let s = (b * v.dot(w) - c * u.dot(w)) / denominator;
    let t = (a * v.dot(w) - b * u.dot(w)) / denominator;
    Some(0.5 * (p + u * s + q + v * t))
}
