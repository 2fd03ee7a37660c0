//! Arcs of G-code.

use super::words::Block;
use super::{CENTRE, Mode, State};
use crate::toolpath::Arc;
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
            // Rounded to a thousandth of a unit, ends of a half circle may be farther apart than its diameter.
            if half.length() == 0.0 || height_sq < -1e-2 * self.metres * radius.abs() {
                return Err("no circle of this radius goes through both ends".into());
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
        if a.length() == 0.0
            || (a.length() - b.length()).abs() > 1e-2 * self.metres * 10.0 + 2e-3 * a.length()
        {
            return Err(format!(
                "the arc begins {:.6} m from its centre and ends {:.6} m from it",
                a.length(),
                b.length()
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
