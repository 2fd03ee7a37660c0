//! Values of variables in robot programs.

use kansho_geom::Pose;
use kansho_geom::glam::{DQuat, DVec3};

/// What a variable holds.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Value {
    Number(f64),
    /// A number that a controller may reckon otherwise, in single precision or in double, and by how much at most.
    Loose(f64, f64),
    Truth(bool),
    Text(String),
    List(Vec<Value>),
    Record(Vec<(String, Value)>),
    /// Only the controller knows; why.
    Unknown(String),
}

/// By how much a controller may be off a number that a target is made of: a hundredth of a millimetre or of a degree.
const MOST_OFF: f64 = 1e-2;

/// Names of parts of ABB's data types, which are written as lists, and their places.
const PARTS: [(&str, usize); 42] = [
    ("trans", 0),
    ("rot", 1),
    ("robconf", 2),
    ("extax", 3),
    ("x", 0),
    ("y", 1),
    ("z", 2),
    ("q1", 0),
    ("q2", 1),
    ("q3", 2),
    ("q4", 3),
    ("cf1", 0),
    ("cf4", 1),
    ("cf6", 2),
    ("cfx", 3),
    ("robax", 0),
    ("rax_1", 0),
    ("rax_2", 1),
    ("rax_3", 2),
    ("rax_4", 3),
    ("rax_5", 4),
    ("rax_6", 5),
    ("eax_a", 0),
    ("eax_b", 1),
    ("eax_c", 2),
    ("eax_d", 3),
    ("eax_e", 4),
    ("eax_f", 5),
    ("robhold", 0),
    ("tframe", 1),
    ("tload", 2),
    ("ufprog", 1),
    ("ufmec", 2),
    ("uframe", 3),
    ("oframe", 4),
    ("v_tcp", 0),
    ("v_ori", 1),
    ("v_leax", 2),
    ("v_reax", 3),
    ("finep", 0),
    ("pzone_tcp", 1),
    ("pzone_ori", 2),
];

/// Whether that is the name of a part of ABB's data types.
pub(super) fn is_part(name: &str) -> bool {
    PARTS.iter().any(|(known, _)| *known == name)
}

impl Value {
    pub(super) fn unknown(why: impl Into<String>) -> Self {
        Self::Unknown(why.into())
    }

    pub(super) fn numbers(numbers: &[f64]) -> Self {
        Self::List(numbers.iter().map(|number| Self::Number(*number)).collect())
    }

    pub(super) fn number(&self) -> Result<f64, String> {
        match self {
            Self::Loose(number, most) if *most > MOST_OFF => {
                Err(format!("{number} hangs on how the controller rounds"))
            }
            Self::Number(number) | Self::Loose(number, _) => Ok(*number),
            Self::Unknown(why) => Err(why.clone()),
            other => Err(format!("{} stands where a number is wanted", other.kind())),
        }
    }

    /// How many single values it holds.
    pub(super) fn size(&self) -> usize {
        match self {
            Self::List(all) => all.iter().map(Self::size).sum(),
            Self::Record(all) => all.iter().map(|(_, one)| one.size()).sum(),
            _ => 1,
        }
    }

    /// A number that does not hang on how a controller rounds, such as the place of an element.
    pub(super) fn firm(&self) -> Result<f64, String> {
        match self {
            Self::Loose(number, _) => Err(format!("{number} hangs on how the controller rounds")),
            other => other.number(),
        }
    }

    /// A number that controllers may be off by so much.
    pub(super) fn off_by(number: f64, most: f64) -> Self {
        if !(number.is_finite() && most.is_finite()) {
            return Self::unknown("a number is not finite");
        }
        if most <= rounding(number) { Self::Number(number) } else { Self::Loose(number, most) }
    }

    /// A number, and by how much controllers may be off it.
    pub(super) fn bounded(&self) -> Option<(f64, f64)> {
        match self {
            Self::Number(number) => Some((*number, rounding(*number))),
            Self::Loose(number, most) => Some((*number, *most)),
            _ => None,
        }
    }

    pub(super) fn kind(&self) -> &'static str {
        match self {
            Self::Number(_) | Self::Loose(..) => "a number",
            Self::Truth(_) => "a truth value",
            Self::Text(_) => "a text",
            Self::List(_) => "a list",
            Self::Record(_) => "a structure",
            Self::Unknown(_) => "something unknown",
        }
    }

    /// Exactly so many numbers.
    pub(super) fn many<const N: usize>(&self) -> Result<[f64; N], String> {
        let wrong = || format!("{} stands where {N} numbers are wanted", self.kind());
        match self {
            Self::List(list) if list.len() == N => {
                let mut all = [0.0; N];
                for (slot, value) in all.iter_mut().zip(list) {
                    *slot = value.number()?;
                }
                Ok(all)
            }
            Self::Unknown(why) => Err(why.clone()),
            _ => Err(wrong()),
        }
    }

    /// The numbers of parts with these names, or of a list of so many.
    pub(super) fn numbers_of<const N: usize>(&self, names: [&str; N]) -> Result<[f64; N], String> {
        match self {
            Self::Record(_) => {
                let mut all = [0.0; N];
                for (slot, name) in all.iter_mut().zip(names) {
                    *slot = self.part(name).number()?;
                }
                Ok(all)
            }
            list => list.many(),
        }
    }

    /// A part by its name.
    pub(super) fn part(&self, name: &str) -> Self {
        match self {
            Self::Record(parts) => match parts.iter().find(|(known, _)| known == name) {
                Some((_, value)) => value.clone(),
                None => Self::unknown(format!("nothing is said of '{name}'")),
            },
            Self::List(list) => {
                let place =
                    PARTS.iter().find(|(known, _)| *known == name).and_then(|(_, place)| list.get(*place));
                place.cloned().unwrap_or_else(|| Self::unknown(format!("'{name}' is no part of it")))
            }
            Self::Unknown(why) => Self::Unknown(why.clone()),
            other => Self::unknown(format!("{} has no part '{name}'", other.kind())),
        }
    }

    /// A place to put a part; made where there is none.
    pub(super) fn part_mut(&mut self, name: &str) -> &mut Self {
        if let Self::List(list) = self
            && let Some((_, place)) = PARTS.iter().find(|(known, _)| *known == name)
            && *place < list.len()
        {
            let Self::List(list) = self else { unreachable!("it is one") };
            return &mut list[*place];
        }
        if !matches!(self, Self::Record(_)) {
            *self = Self::Record(Vec::new());
        }
        let Self::Record(parts) = self else { unreachable!("it was made one") };
        let index = parts.iter().position(|(known, _)| known == name).unwrap_or_else(|| {
            parts.push((name.to_owned(), Self::unknown(format!("'{name}' was given no value"))));
            parts.len() - 1
        });
        &mut parts[index].1
    }

    /// A part by its name, or by its place where it is written as a list. Parts that were set one by one stand in no order.
    pub(super) fn named(&self, name: &str, place: usize) -> Self {
        match self {
            Self::Record(_) => self.part(name),
            list => list.element(place as f64),
        }
    }

    /// A place to put an element, from 0; made where there is none.
    pub(super) fn element_mut(&mut self, place: f64) -> &mut Self {
        let index = (place >= 0.0 && place.fract() == 0.0).then_some(place as usize);
        let is_named = |parts: &[(String, Self)]| parts.iter().any(|(name, _)| !name.starts_with('['));
        let found = match (&*self, index) {
            (Self::List(list), Some(index)) => index < list.len(),
            (Self::Record(parts), Some(index)) => is_pose(parts) && index < parts.len(),
            _ => false,
        };
        if !found {
            if matches!(self, Self::Record(parts) if is_named(parts)) {
                *self = Self::Record(Vec::new());
            }
            return self.part_mut(&format!("[{place}"));
        }
        match (self, index) {
            (Self::List(list), Some(index)) => &mut list[index],
            (Self::Record(parts), Some(index)) => &mut parts[index].1,
            _ => unreachable!("it was found"),
        }
    }

    /// An element by its place, from 0.
    pub(super) fn element(&self, place: f64) -> Self {
        let index = (place >= 0.0 && place.fract() == 0.0).then_some(place as usize);
        let found = match self {
            Self::List(list) => index.and_then(|index| list.get(index)).cloned(),
            Self::Record(parts) => {
                // Elements that were set one by one are kept by their places.
                let by_place = parts.iter().find(|(name, _)| *name == format!("[{place}"));
                let found =
                    by_place.or_else(|| index.filter(|_| is_pose(parts)).and_then(|index| parts.get(index)));
                found.map(|(_, value)| value.clone())
            }
            Self::Unknown(why) => Some(Self::Unknown(why.clone())),
            _ => None,
        };
        found.unwrap_or_else(|| Self::unknown("there is no such element"))
    }
}

/// Whether that is a pose of URScript, which has names for its numbers and is written as a list. Parts of others may stand in any order.
fn is_pose(parts: &[(String, Value)]) -> bool {
    parts.iter().map(|(name, _)| name.as_str()).eq(["x", "y", "z", "rx", "ry", "rz"])
}

/// By how much single precision is off a number at most: not at all where it holds it.
pub(super) fn rounding(number: f64) -> f64 {
    if f64::from(number as f32) == number { 0.0 } else { number.abs() * f64::from(f32::EPSILON) }
}

/// A number without its fraction, cut or rounded; an error where that hangs on how the controller rounds.
pub(super) fn whole(value: &Value, of: fn(f64) -> f64) -> Result<Value, String> {
    let number = value.number()?;
    let most = 2.0 * value.bounded().map_or(0.0, |(_, most)| most);
    if of(number - most) == of(number + most) {
        Ok(Value::Number(of(number)))
    } else {
        Err(format!("which whole number {number} becomes hangs on how the controller rounds"))
    }
}

/// A number with the other sign.
pub(super) fn negative(value: &Value) -> Value {
    match value {
        Value::Number(number) => Value::Number(-number),
        Value::Loose(number, most) => Value::Loose(-number, *most),
        other => other.clone(),
    }
}

/// What a function such as the sine gives: controllers differ in its last digits, and in those of what it is asked about.
pub(super) fn smooth(of: &Value, function: impl Fn(f64) -> f64) -> Result<Value, String> {
    smooth_of_two([of, &Value::Number(0.0)], |x, _| function(x))
}

/// The same for a function of two numbers.
pub(super) fn smooth_of_two(of: [&Value; 2], function: impl Fn(f64, f64) -> f64) -> Result<Value, String> {
    let [x, y] = [of[0].number()?, of[1].number()?];
    let [off_x, off_y] = of.map(|value| value.bounded().map_or(0.0, |(_, most)| most));
    let value = function(x, y);
    let mut off = 0.0_f64;
    for (dx, dy) in [(-1.0, -1.0), (-1.0, 1.0), (1.0, -1.0), (1.0, 1.0), (1.0, 0.0), (0.0, 1.0)] {
        let other = function(x + dx * off_x, y + dy * off_y);
        off = if other.is_finite() { off.max((other - value).abs()) } else { f64::INFINITY };
    }
    Ok(Value::off_by(value, 2.0 * off + last_digits(value)))
}

/// A number of a pose that was worked out: controllers differ in its last digits.
pub(super) fn worked(number: f64) -> Value {
    Value::off_by(number, last_digits(number))
}

fn last_digits(number: f64) -> f64 {
    1e-6 * number.abs().max(1.0)
}

/// `[[x, y, z], [q1, q2, q3, q4]]` in millimetres, scalar first.
pub(super) fn quaternion_pose(trans: &Value, rot: &Value) -> Result<Pose, String> {
    let [x, y, z] = trans.numbers_of(["x", "y", "z"])?;
    let [w, i, j, k] = rot.numbers_of(["q1", "q2", "q3", "q4"])?;
    Pose::from_quat(DQuat::from_xyzw(i, j, k, w), DVec3::new(x, y, z) * 1e-3).map_err(|not| not.to_string())
}

/// Millimetres, and degrees about fixed x, y and z in this order (FANUC's W, P, R; KUKA's C, B, A).
pub(super) fn fixed_angles_pose(xyz_mm: [f64; 3], wpr_deg: [f64; 3]) -> Result<Pose, String> {
    if xyz_mm.iter().chain(&wpr_deg).any(|number| !(number.abs() < 1e9)) {
        return Err("numbers of the pose are too large".into());
    }
    let rpy = DVec3::from_array(wpr_deg.map(f64::to_radians));
    Ok(Pose::from_rpy(DVec3::from_array(xyz_mm) * 1e-3, rpy))
}

/// Degrees about fixed x, y and z. Where y is turned by a quarter, z is left alone.
pub(super) fn fixed_angles_deg(pose: &Pose) -> [f64; 3] {
    let r = pose.rotation();
    let (sin, cos) = (-r.x_axis.z, r.x_axis.x.hypot(r.x_axis.y));
    let pitch = sin.atan2(cos);
    // Near the quarter turn only the sum or the difference of the two is known, so one of them is zero.
    let [roll, yaw] = if cos > 1e-9 {
        [r.y_axis.z.atan2(r.z_axis.z), r.x_axis.y.atan2(r.x_axis.x)]
    } else {
        [(r.y_axis.x * sin.signum()).atan2(r.y_axis.y), 0.0]
    };
    [roll, pitch, yaw].map(f64::to_degrees)
}

/// A rotation vector: the axis times the angle.
pub(super) fn rotation_vector(pose: &Pose) -> DVec3 {
    let quat = pose.quat();
    let quat = if quat.w < 0.0 { -quat } else { quat };
    let axis = DVec3::new(quat.x, quat.y, quat.z);
    let sin = axis.length();
    if sin < 1e-300 { DVec3::ZERO } else { axis * (2.0 * sin.atan2(quat.w) / sin) }
}

/// The pose of a rotation vector, in metres and radians.
pub(super) fn vector_pose(xyz: DVec3, vector: DVec3) -> Result<Pose, String> {
    let angle = vector.length();
    let quat = if angle > 0.0 { DQuat::from_axis_angle(vector / angle, angle) } else { DQuat::IDENTITY };
    Pose::from_quat(quat, xyz).map_err(|not| not.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// There and back, for any rotation.
        #[test]
        fn angles_and_vectors_give_the_rotation_back(a in -3.2..3.2f64, b in -3.2..3.2f64, c in -3.2..3.2f64, k in 0..3) {
            let b = if k == 0 { std::f64::consts::FRAC_PI_2 } else { b };
            let pose = Pose::from_rpy(DVec3::new(0.1, 0.2, 0.3), DVec3::new(a, b, c));
            let near = |other: &Pose| {
                pose.to_rows().iter().zip(other.to_rows()).all(|(a, b)| (a - b).abs() < 2e-8)
            };
            prop_assert!(near(&fixed_angles_pose([100.0, 200.0, 300.0], fixed_angles_deg(&pose)).expect("good")));
            prop_assert!(near(&vector_pose(pose.translation(), rotation_vector(&pose)).expect("good")));
        }
    }

    /// The sample of the notes on formats: one pose in four notations.
    #[test]
    fn one_pose_in_four_notations() {
        let quat = [0.154036, -0.624058, 0.743459, 0.184643];
        let of_abb = quaternion_pose(&Value::numbers(&[1093.592, 632.013, 919.83]), &Value::numbers(&quat))
            .expect("good");
        let of_kuka =
            fixed_angles_pose([1093.592, 632.013, 919.83], [174.6836, 27.3545, -101.2745]).expect("good");
        let of_ur =
            vector_pose(of_abb.translation(), DVec3::new(-1.788864, 2.131125, 0.529280)).expect("good");
        for other in [of_kuka, of_ur] {
            assert!(
                of_abb.to_rows().iter().zip(other.to_rows()).all(|(a, b)| (a - b).abs() < 3e-6),
                "{other:?}"
            );
        }
    }
}
