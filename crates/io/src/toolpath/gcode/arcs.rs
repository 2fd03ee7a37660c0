//! Arcs of G-code.

use super::words::Block;
use super::{CENTRE, Mode, State};
use crate::toolpath::{Arc, arc_agrees, in_unit};
use kansho_geom::glam::DVec3;

impl State<'_> {
    /// An arc to a place, about the centre that the block says.
    pub(super) fn arc(
        &mut self,
        from: DVec3,
        to: DVec3,
        clockwise: bool,
        block: &mut Block,
        line: u32,
    ) -> Result<(), String> {
        if self.mode == Mode::Vector {
            return Err("an arc is not understood while I, J and K are the axis of the tool (G43.5)".into());
        }
        if self.builder.here.is_none() {
            self.builder.rapid(from, -self.up, line);
        }
        let axis = match self.plane {
            18 => DVec3::Y,
            19 => DVec3::X,
            _ => DVec3::Z,
        };
        if let Some(turns) = block.take("P")
            && turns != 1.0
        {
            return Err(format!(
                "an arc of {turns} turns (P) is not understood: write one arc for each turn"
            ));
        }
        if block.has(&["R"]) == block.has(&CENTRE) {
            return Err("an arc has either its centre (I, J, K) or its radius (R)".into());
        }
        let flat = |v: DVec3| v - axis * v.dot(axis);
        let centre = if let Some(radius) = block.take("R") {
            let (half, radius) = (flat(to - from) * 0.5, radius * self.metres);
            let height_sq = radius * radius - half.length_squared();
            // Of a half circle, rounded ends may be farther apart than its diameter.
            if half.length() == 0.0 || half.length() - radius.abs() > arc_agrees(self.metres) {
                return Err(format!(
                    "no circle of this radius goes through both ends: they are {} apart, and the diameter is {}",
                    in_unit(2.0 * half.length(), self.metres),
                    in_unit(2.0 * radius.abs(), self.metres)
                ));
            }
            let aside = axis.cross(half).normalize_or_zero() * height_sq.max(0.0).sqrt();
            // The shorter of the two arcs for a positive radius.
            from + half + if clockwise == (radius > 0.0) { -aside } else { aside }
        } else {
            let offset = DVec3::from_array(CENTRE.map(|name| block.take(name).unwrap_or(0.0) * self.metres));
            if offset.dot(axis) != 0.0 {
                let name = CENTRE[usize::from(19 - self.plane.clamp(17, 19) as u8)];
                let plane = self.plane;
                return Err(format!("{name} leaves the plane of the arc (G{plane})"));
            }
            from + offset
        };
        let (a, b) = (flat(from - centre), flat(to - centre));
        if a.length() == 0.0 || !((a.length() - b.length()).abs() <= arc_agrees(self.metres)) {
            return Err(format!(
                "the arc begins {} from its centre and ends {} from it: this is no circle",
                in_unit(a.length(), self.metres),
                in_unit(b.length(), self.metres)
            ));
        }
        let mut angle = axis.dot(a.cross(b)).atan2(a.dot(b));
        if clockwise {
            angle = if angle >= -1e-9 { angle - std::f64::consts::TAU } else { angle };
        } else if angle <= 1e-9 {
            angle += std::f64::consts::TAU;
        }
        self.builder.arc(&Arc { centre, axis, angle }, to, -self.up, self.feed, line);
        Ok(())
    }
}
