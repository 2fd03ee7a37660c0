//! An angle as its cosine and sine.

use kansho_geom::glam::{DVec2, DVec3};

/// A unit complex number. Products add angles; no trigonometry until the end.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Turn {
    pub(super) cos: f64,
    pub(super) sin: f64,
}

impl Turn {
    pub(super) const NONE: Self = Self { cos: 1.0, sin: 0.0 };

    pub(super) fn by(angle: f64) -> Self {
        let (sin, cos) = angle.sin_cos();
        Self { cos, sin }
    }

    /// The turn of a vector `(cos, sin)` of any length; none of zero.
    #[inline]
    pub(super) fn along(cos: f64, sin: f64) -> Option<Self> {
        let length_sq = cos * cos + sin * sin;
        if length_sq > 1e-280 {
            let scale = 1.0 / length_sq.sqrt();
            Some(Self { cos: cos * scale, sin: sin * scale })
        } else {
            // So short that squares vanish, or no number at all.
            let most = cos.abs().max(sin.abs());
            (most > 0.0).then(|| Self { cos: cos / most, sin: sin / most }).and_then(|t| {
                let length = t.cos.hypot(t.sin);
                (length > 0.0).then(|| Self { cos: t.cos / length, sin: t.sin / length })
            })
        }
    }

    #[inline]
    pub(super) fn back(self) -> Self {
        Self { cos: self.cos, sin: -self.sin }
    }

    /// Half a turn further.
    #[inline]
    pub(super) fn over(self) -> Self {
        Self { cos: -self.cos, sin: -self.sin }
    }

    /// Backwards if the sign is negative.
    #[inline]
    pub(super) fn signed(self, sign: f64) -> Self {
        Self { cos: self.cos, sin: self.sin * sign }
    }

    #[inline]
    pub(super) fn and(self, other: Self) -> Self {
        Self {
            cos: self.cos * other.cos - self.sin * other.sin,
            sin: self.sin * other.cos + self.cos * other.sin,
        }
    }

    #[inline]
    pub(super) fn apply(self, v: DVec2) -> DVec2 {
        DVec2::new(self.cos * v.x - self.sin * v.y, self.sin * v.x + self.cos * v.y)
    }

    /// Turns x and y about z.
    #[inline]
    pub(super) fn about_z(self, v: DVec3) -> DVec3 {
        DVec3::new(self.cos * v.x - self.sin * v.y, self.sin * v.x + self.cos * v.y, v.z)
    }

    /// Rodrigues' formula.
    #[inline]
    pub(super) fn about(self, unit: DVec3, v: DVec3) -> DVec3 {
        v * self.cos + unit.cross(v) * self.sin + unit * (unit.dot(v) * (1.0 - self.cos))
    }

    /// The turn about a unit vector that takes the part of one vector across it to that of another.
    #[inline]
    pub(super) fn taking(unit: DVec3, from: DVec3, to: DVec3) -> Option<Self> {
        let from = from - unit * unit.dot(from);
        let to = to - unit * unit.dot(to);
        Self::along(from.dot(to), unit.dot(from.cross(to)))
    }
}
