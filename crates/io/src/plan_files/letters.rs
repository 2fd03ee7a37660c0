//! Small letters for pictures: three pixels wide and five high.

use crate::png::Picture;

/// Rows from the top, three bits each, as octal digits; small letters are shown as capitals.
fn glyph(letter: char) -> u16 {
    match letter.to_ascii_uppercase() {
        'A' => 0o25755,
        'B' => 0o65656,
        'C' => 0o34443,
        'D' => 0o65556,
        'E' => 0o74647,
        'F' => 0o74644,
        'G' => 0o34553,
        'H' => 0o55755,
        'I' => 0o72227,
        'J' => 0o11152,
        'K' => 0o55655,
        'L' => 0o44447,
        'M' => 0o57755,
        'N' => 0o65555,
        'O' => 0o25552,
        'P' => 0o65644,
        'Q' => 0o25563,
        'R' => 0o65655,
        'S' => 0o34216,
        'T' => 0o72222,
        'U' => 0o55557,
        'V' => 0o55552,
        'W' => 0o55775,
        'X' => 0o55255,
        'Y' => 0o55222,
        'Z' => 0o71247,
        '0' => 0o75557,
        '1' => 0o26227,
        '2' => 0o61247,
        '3' => 0o61216,
        '4' => 0o55711,
        '5' => 0o74616,
        '6' => 0o34757,
        '7' => 0o71122,
        '8' => 0o75757,
        '9' => 0o75716,
        '-' => 0o00700,
        '.' => 0o00002,
        ',' => 0o00024,
        '|' => 0o22222,
        '/' => 0o11244,
        '_' => 0o00007,
        ':' => 0o02020,
        '%' => 0o51245,
        '(' => 0o12221,
        ')' => 0o42224,
        '+' => 0o02720,
        '=' => 0o07070,
        ' ' => 0,
        _ => 0o77777,
    }
}

/// Pixels from one letter to the next, at a scale of one.
pub(super) const ADVANCE: usize = 4;

/// Writes a line, its upper left corner given.
pub(super) fn write(picture: &mut Picture, [x, y]: [usize; 2], scale: usize, colour: u8, line: &str) {
    for (k, letter) in line.chars().enumerate() {
        let glyph = glyph(letter);
        for row in 0..5 {
            for column in 0..3 {
                if glyph >> (3 * (4 - row) + 2 - column) & 1 == 1 {
                    let left = x + (k * ADVANCE + column) * scale;
                    picture.fill([left, y + row * scale], [scale, scale], colour);
                }
            }
        }
    }
}
