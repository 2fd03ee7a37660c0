//! The length of the tool: which offset counts (G43, G44, G49, H, D), and when the machine leaves it out.

use super::State;
use super::words::Block;
use crate::toolpath::ONE_TOOL;

/// Which offsets are on.
#[derive(Default)]
pub(super) struct Lengths {
    /// G43 or G44, in tenths, and whether anything has switched a length on.
    sense: Option<u32>,
    /// Numbers of H and D.
    numbers: [Option<f64>; 2],
    /// Whether the tool has changed since these numbers were named: new ones are the new tool's then.
    has_changed: bool,
    /// The line in which the length was left out, after it was on, if it still is.
    left_out: Option<u32>,
}

impl Lengths {
    /// Another tool is in the spindle.
    pub(super) fn changes(&mut self) {
        self.has_changed = true;
    }
}

impl State<'_> {
    /// Offsets of the tool in a block. Another one in the middle of the path moves the tip.
    ///
    /// # Errors
    /// The sense of the length is turned round within the path.
    pub(super) fn tool_length(&mut self, block: &mut Block, line: u32) -> Result<(), String> {
        let has_begun = self.builder.here.is_some() || !self.builder.path.points.is_empty();
        if let Some(code) = [430, 440].into_iter().find(|code| block.has_g(*code)) {
            let before = self.tool.sense.replace(code);
            if before.is_some_and(|before| before != code) && has_begun && !self.tool.has_changed {
                return Err("the length of the tool changes its sign here (G43, G44): where the tip is from here on is not known".into());
            }
            self.tool.left_out = None;
        }
        if block.has_g(490) && self.tool.sense.is_some() {
            self.tool.left_out = Some(line);
        }
        for (k, letter) in ["H", "D"].into_iter().enumerate() {
            let Some(number) = block.take(letter) else { continue };
            let before = self.tool.numbers[k].replace(number);
            let is_news = match before {
                Some(before) => has_begun && before != number,
                // Rapid moves may come before the first length, passes may not.
                None => !self.builder.path.points.is_empty(),
            };
            if is_news && !self.tool.has_changed {
                let before = before.map_or("none".into(), |before| format!("{letter}{before}"));
                let what = format!(
                    "the offset of the tool changes here from {before} to {letter}{number}: {ONE_TOOL}"
                );
                self.builder.path.notes.push((line, what));
            }
            if k == 0 {
                self.tool.has_changed = false;
            }
        }
        Ok(())
    }

    /// Whether a move of a path of three axes is one of the spindle, because the length of the tool is left out: a rapid move goes to a place
    /// that is not known then.
    ///
    /// # Errors
    /// It is no rapid move.
    pub(super) fn moves_without_length(&mut self, motion: u32, line: u32) -> Result<bool, String> {
        let Some(since) = self.tool.left_out.filter(|_| self.options.three_axis) else { return Ok(false) };
        if motion != 0 {
            return Err(format!(
                "line {since} leaves the length of the tool out (G49): Z is of the spindle here, and where the tip is is not known"
            ));
        }
        (self.lost[2], self.home) = (Some(line), Some(line));
        self.builder.leave();
        Ok(true)
    }
}
