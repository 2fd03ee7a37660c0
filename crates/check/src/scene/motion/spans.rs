//! Spans of time, halved again and again, and where everything is in the middle of each.

use kansho_cell::{Cell, JointPiece, Placed};
use kansho_geom::pose_motion::Span;

/// A span, and what is known of its middle.
#[derive(Debug)]
pub(super) struct Moment {
    pub(super) span: Span,
    pub(super) posture: Vec<f64>,
    pub(super) placed: Placed,
    /// Rates of the coordinates in the middle.
    pub(super) rates: Vec<f64>,
    /// Bounds on them in the span, and on how fast they change.
    pub(super) most: Vec<[f64; 2]>,
    /// The first of its halves; the other follows.
    halves: Option<u32>,
}

/// All spans of a piece that were looked at. Memory is used again.
#[derive(Debug, Default)]
pub(super) struct Spans {
    moments: Vec<Moment>,
    used: usize,
    /// How many were made so far, of all pieces.
    pub(super) made: u64,
}

impl Spans {
    /// All of the piece.
    pub(super) const WHOLE: u32 = 0;

    /// Begins with a piece.
    pub(super) fn begin(&mut self, cell: &Cell, piece: &JointPiece) {
        self.used = 0;
        self.add(cell, piece, Span::WHOLE);
    }

    pub(super) fn get(&self, span: u32) -> &Moment {
        &self.moments[span as usize]
    }

    /// The early and the late half of a span.
    pub(super) fn halves(&mut self, cell: &Cell, piece: &JointPiece, span: u32) -> [u32; 2] {
        let first = match self.moments[span as usize].halves {
            Some(first) => first,
            None => {
                let [early, late] = self.moments[span as usize].span.halves();
                let first = self.add(cell, piece, early);
                self.add(cell, piece, late);
                self.moments[span as usize].halves = Some(first);
                first
            }
        };
        [first, first + 1]
    }

    fn add(&mut self, cell: &Cell, piece: &JointPiece, span: Span) -> u32 {
        if self.used == self.moments.len() {
            self.moments.push(Moment {
                span,
                posture: Vec::new(),
                placed: cell.place(&cell.zero_posture()),
                rates: Vec::new(),
                most: Vec::new(),
                halves: None,
            });
        }
        let moment = &mut self.moments[self.used];
        moment.span = span;
        moment.halves = None;
        let middle = span.middle();
        piece.at(middle, &mut moment.posture);
        piece.rates(middle, &mut moment.rates);
        piece.most(span.start, span.end, &mut moment.most);
        cell.place_into(&moment.posture, &mut moment.placed);
        self.used += 1;
        self.made += 1;
        self.used as u32 - 1
    }
}
