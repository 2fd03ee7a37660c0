//! STL, ASCII and binary.

use super::raw::{MAX_TRIANGLES, Raw, RawMesh, refuse};
use crate::fault::{Fault, Faults};
use crate::text::{self, Line, Word};
use kansho_geom::Mesh;
use kansho_geom::glam::DVec3;

/// Bytes before the first triangle of a binary file: a header of 80 and the count.
const HEAD: usize = 84;
/// Bytes of a triangle: normal, three corners, two spare.
const RECORD: usize = 50;

pub(crate) fn read(bytes: &[u8]) -> Raw {
    if is_ascii(bytes) { read_ascii(&text::decoded(bytes)) } else { read_binary(bytes) }
}

/// Whether the size of a file is what the count of a binary STL asks for. No text has it: its count would be enormous.
pub(super) fn has_binary_size(bytes: &[u8]) -> bool {
    claimed_triangles(bytes).is_some_and(|count| HEAD as u64 + count * RECORD as u64 == bytes.len() as u64)
}

/// Whether a text begins with the word "solid", perhaps after comments.
pub(super) fn says_solid(text: &[u8]) -> bool {
    let mut start = text.trim_ascii_start();
    while start.starts_with(b"#") {
        let end = start.iter().position(|&c| c == b'\n' || c == b'\r').unwrap_or(start.len());
        start = start[end..].trim_ascii_start();
    }
    start.len() >= 5 && start[..5].eq_ignore_ascii_case(b"solid")
}

/// Whether the file is text.
///
/// "solid" at the start is no proof: many binary files begin with it. The size decides first, because a binary file
/// whose size fits its count is one; then zeros, which every count but those of gigabytes has and no text.
fn is_ascii(bytes: &[u8]) -> bool {
    let text = text::decoded(&bytes[..bytes.len().min(1024)]);
    !has_binary_size(bytes) && says_solid(&text) && !without_padding(&text).contains(&0)
}

/// A text without what old programs put at its end: Ctrl-Z and zeros.
fn without_padding(text: &[u8]) -> &[u8] {
    let end = text.iter().rposition(|&c| !matches!(c, 0 | 0x1A) && !c.is_ascii_whitespace());
    &text[..end.map_or(0, |last| last + 1)]
}

/// The count in the header of a binary file.
fn claimed_triangles(bytes: &[u8]) -> Option<u64> {
    let count = bytes.get(HEAD - 4..HEAD)?;
    Some(u64::from(u32::from_le_bytes(count.try_into().expect("the slice has four bytes"))))
}

fn read_binary(bytes: &[u8]) -> Raw {
    let Some(claimed) = claimed_triangles(bytes) else {
        let looks_like_text = !bytes.iter().any(|&c| c < 0x20 && !c.is_ascii_whitespace());
        let what = if looks_like_text {
            "not an STL file: it does not begin with 'solid', and"
        } else {
            "truncated:"
        };
        return refuse(Fault::of_file(format!(
            "{what} {} bytes are too few for a binary header of {HEAD}",
            bytes.len()
        )));
    };
    let body = &bytes[HEAD..];
    let (records, rest) = (body.len() / RECORD, body.len() % RECORD);
    if claimed > records as u64 {
        return refuse(
            Fault::at_byte(
                bytes.len(),
                format!(
                    "truncated: the header announces {claimed} triangles, the file ends in triangle {}",
                    records + 1
                ),
            )
            .with_help(not_text_either(bytes)),
        );
    }
    if claimed < records as u64 {
        return refuse(
            Fault::at_byte(
                HEAD - 4,
                format!(
                    "the header announces {claimed} triangles, but {} bytes follow, enough for {records}",
                    body.len()
                ),
            )
            .with_help(
                "the count is wrong or the file was joined from two; nothing is read rather than a part",
            ),
        );
    }
    if records > MAX_TRIANGLES {
        return refuse(Fault::of_file(format!(
            "{records} triangles are beyond the limit of {MAX_TRIANGLES}"
        )));
    }
    let mut raw = RawMesh::default();
    let mut faults = Faults::default();
    raw.soup.points.reserve_exact(records * 3);
    for (index, record) in body.chunks_exact(RECORD).enumerate() {
        for corner in 0..3 {
            let float = |axis: usize| {
                let at = 12 + corner * 12 + axis * 4;
                f64::from(f32::from_le_bytes(
                    record[at..at + 4].try_into().expect("the slice has four bytes"),
                ))
            };
            let point = DVec3::new(float(0), float(1), float(2));
            if !point.is_finite() {
                faults.push(Fault::at_byte(
                    HEAD + index * RECORD + 12 + corner * 12,
                    format!(
                        "corner {} of triangle {} has a coordinate that is not finite: {point}",
                        corner + 1,
                        index + 1
                    ),
                ));
            }
            raw.soup.points.push(point);
        }
    }
    faults.into_result()?;
    raw.soup.triangles = (0..records as u32).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
    if rest > 0 {
        raw.warnings.push(Fault::at_byte(
            bytes.len() - rest,
            format!("{rest} trailing bytes after the last triangle"),
        ));
    }
    Ok(raw)
}

fn not_text_either(bytes: &[u8]) -> String {
    let start = text::shortened(&bytes[..bytes.len().min(24)], 24);
    format!("read as binary STL, since it is no text that begins with 'solid' (it begins with '{start}')")
}

fn read_ascii(bytes: &[u8]) -> Raw {
    let words = Words::new(without_padding(bytes));
    let mut reader = Ascii { words, raw: RawMesh::default(), faults: Faults::default() };
    if let Err(fault) = reader.file() {
        reader.faults.push(fault);
    }
    reader.faults.into_result()?;
    Ok(reader.raw)
}

/// Words that cannot be coordinates, however badly printed.
const KEYWORDS: [&str; 8] = ["vertex", "endloop", "endfacet", "facet", "outer", "loop", "solid", "endsolid"];

struct Ascii<'a> {
    words: Words<'a>,
    raw: RawMesh,
    faults: Faults,
}

impl Ascii<'_> {
    /// Solids one after the other. An error ends the reading; bad numbers are collected.
    fn file(&mut self) -> Result<(), Fault> {
        while let Some(word) = self.words.next() {
            if word.text.starts_with(b"#") {
                self.words.skip_line();
                continue;
            }
            if !word.is("solid") {
                return Err(word.fault(format!("expected 'solid', found '{}'", word.shown())));
            }
            self.words.skip_line(); // The name: anything, in any encoding.
            self.solid(&word)?;
        }
        Ok(())
    }

    fn solid(&mut self, opening: &Word) -> Result<(), Fault> {
        loop {
            match self.words.next() {
                Some(word) if word.is("facet") => self.facet(&word)?,
                Some(word) if word.is("endsolid") => {
                    self.words.skip_line();
                    return Ok(());
                }
                Some(word) => {
                    return Err(
                        word.fault(format!("expected 'facet' or 'endsolid', found '{}'", word.shown()))
                    );
                }
                None => {
                    self.raw.warnings.push(
                        opening.fault("this solid has no 'endsolid': the file may have been cut short"),
                    );
                    return Ok(());
                }
            }
        }
    }

    fn facet(&mut self, opening: &Word) -> Result<(), Fault> {
        self.expect("normal", opening)?;
        for _ in 0..3 {
            // Facet normals are not used: the corners say it all. So they may be anything, NaN included.
            self.word("a number of the normal", opening)?;
        }
        self.expect("outer", opening)?;
        self.expect("loop", opening)?;
        let first = self.raw.soup.points.len() as u32;
        for _ in 0..3 {
            self.expect("vertex", opening)?;
            let mut point = DVec3::ZERO;
            for axis in 0..3 {
                let word = self.word("a coordinate", opening)?;
                if KEYWORDS.iter().any(|keyword| word.is(keyword)) {
                    return Err(word.fault(format!(
                        "a vertex has three coordinates: '{}' stands in the place of one",
                        word.shown()
                    )));
                }
                match word.number() {
                    Ok(number) => point[axis] = number,
                    Err(fault) => self.faults.push(fault),
                }
            }
            self.raw.soup.points.push(point);
        }
        let closing = self.word("'endloop'", opening)?;
        if closing.is("vertex") {
            return Err(closing.fault("a facet has three vertices, this is a fourth"));
        }
        if !closing.is("endloop") {
            return Err(closing.fault(format!("expected 'endloop', found '{}'", closing.shown())));
        }
        self.expect("endfacet", opening)?;
        if self.raw.soup.triangles.len() >= MAX_TRIANGLES {
            return Err(opening.fault(format!("more than {MAX_TRIANGLES} triangles")));
        }
        self.raw.soup.triangles.push([first, first + 1, first + 2]);
        Ok(())
    }

    fn expect(&mut self, keyword: &str, opening: &Word) -> Result<(), Fault> {
        let word = self.word(&format!("'{keyword}'"), opening)?;
        if word.is(keyword) {
            Ok(())
        } else {
            Err(word.fault(format!("expected '{keyword}', found '{}'", word.shown())))
        }
    }

    fn word(&mut self, wanted: &str, opening: &Word) -> Result<Word<'_>, Fault> {
        self.words.next().ok_or_else(|| {
            opening.fault(format!(
                "truncated: the file ends inside the facet that begins here, where {wanted} should stand"
            ))
        })
    }
}

/// The words of a text across lines.
struct Words<'a> {
    lines: Box<dyn Iterator<Item = Line<'a>> + 'a>,
    line: Option<Line<'a>>,
    rest: &'a [u8],
}

impl<'a> Words<'a> {
    fn new(bytes: &'a [u8]) -> Self {
        Self { lines: Box::new(text::lines(bytes)), line: None, rest: &[] }
    }

    fn next(&mut self) -> Option<Word<'a>> {
        loop {
            let start = self.rest.trim_ascii_start();
            if let (Some(line), false) = (self.line, start.is_empty()) {
                let end = start.iter().position(u8::is_ascii_whitespace).unwrap_or(start.len());
                self.rest = &start[end..];
                return Some(Word { text: &start[..end], line_text: line.text, line: line.number });
            }
            let line = self.lines.next()?;
            self.line = Some(line);
            self.rest = line.text;
        }
    }

    fn skip_line(&mut self) {
        self.rest = &[];
    }
}

/// Binary STL, in single precision.
pub(crate) fn write(mesh: &Mesh) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(HEAD + mesh.triangles().len() * RECORD);
    bytes.extend(b"binary STL in metres, made by kansho"); // Must not begin with "solid".
    bytes.resize(HEAD - 4, b' ');
    bytes.extend((mesh.triangles().len() as u32).to_le_bytes());
    for [a, b, c] in mesh.corners() {
        let normal = (b - a).cross(c - a).try_normalize().unwrap_or(DVec3::ZERO);
        for p in [normal, a, b, c] {
            for x in p.to_array() {
                bytes.extend((x as f32).to_le_bytes());
            }
        }
        bytes.extend([0, 0]);
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fault::Place;

    const TRIANGLE: &str =
        "facet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\n";

    fn binary(header: &[u8], claimed: u32, triangles: &[[f32; 9]]) -> Vec<u8> {
        let mut bytes = header.to_vec();
        bytes.resize(80, 0);
        bytes.extend(claimed.to_le_bytes());
        for t in triangles {
            bytes.extend([0; 12]);
            t.iter().for_each(|x| bytes.extend(x.to_le_bytes()));
            bytes.extend([0; 2]);
        }
        bytes
    }

    const CORNERS: [f32; 9] = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0];

    fn only_fault(raw: Raw) -> Fault {
        let mut faults = raw.expect_err("the file is bad");
        assert_eq!(faults.len(), 1, "{faults:?}");
        faults.remove(0)
    }

    fn line_of(fault: &Fault) -> u32 {
        match fault.place {
            Place::Line { line, .. } => line,
            _ => panic!("{fault} has no line"),
        }
    }

    #[test]
    fn text_in_many_shapes() {
        let check = |text: &[u8], triangles: usize, warnings: usize| {
            let raw = read(text).expect("the file is good");
            assert_eq!((raw.soup.triangles.len(), raw.warnings.len()), (triangles, warnings));
        };
        check(format!("solid a\n{TRIANGLE}endsolid a\n").as_bytes(), 1, 0);
        check(format!("SOLID\r\n{}ENDSOLID", TRIANGLE.to_uppercase().replace('\n', "\r\n")).as_bytes(), 1, 0);
        check(
            format!("solid a\n{TRIANGLE}endsolid\nsolid b facet\n{TRIANGLE}{TRIANGLE}endsolid b").as_bytes(),
            3,
            0,
        );
        check(format!("solid a\n{}endsolid", TRIANGLE.replace('\n', " ")).as_bytes(), 1, 0);
        check(format!("solid no end\n{TRIANGLE}").as_bytes(), 1, 1);
        check(b"solid nothing\nendsolid", 0, 0);
        check(format!("\n# made by\n\n # hand\nsolid a\n{TRIANGLE}endsolid").as_bytes(), 1, 0);
        check(format!("solid caf\x01e\n{TRIANGLE}endsolid\n\x1A").as_bytes(), 1, 0);
        check(format!("solid a\n{TRIANGLE}endsolid\n\0\0\0\n").as_bytes(), 1, 0);
        check(&[b"solid \x82\xA0\x82\xA2\n".as_slice(), TRIANGLE.as_bytes(), b"endsolid"].concat(), 1, 0);
        check(format!("solid\n{}endsolid", TRIANGLE.replace("0 0 1", "nan nan nan")).as_bytes(), 1, 0);
    }

    #[test]
    fn bad_text_names_its_line() {
        let check = |body: &str, line: u32, what: &str| {
            let fault = only_fault(read(format!("solid a\n{body}").as_bytes()));
            assert_eq!(line_of(&fault), line, "{fault}");
            assert!(fault.what.contains(what), "{fault}");
        };
        check(&TRIANGLE.replace("vertex 1 0 0", "vertex 1 O 0"), 5, "'O' is not a number");
        check(&TRIANGLE.replace("vertex 1 0 0", "vertex 1 nan 0"), 5, "finite");
        check(&TRIANGLE.replace("vertex 1 0 0", "vertex 1,5 0 0"), 5, "'1,5' is not a number");
        check(&TRIANGLE.replace("vertex 1 0 0", "vertex 1 0"), 6, "'vertex' stands in the place");
        check(&TRIANGLE.replace("endloop", "vertex 1 1 0\nendloop"), 7, "fourth");
        check(&TRIANGLE[..56], 2, "truncated");
        check(&format!("{TRIANGLE}endsolid\nrubbish"), 10, "expected 'solid'");
    }

    #[test]
    fn all_bad_numbers_at_once() {
        let body = TRIANGLE.replace("vertex 1 0 0", "vertex x y z");
        assert_eq!(read(format!("solid\n{body}endsolid").as_bytes()).expect_err("bad").len(), 3);
        let many = format!("solid\n{}endsolid", body.repeat(1000));
        assert_eq!(
            read(many.as_bytes()).expect_err("bad").last().expect("some").what,
            "and 2980 more faults"
        );
    }

    #[test]
    fn binary_whatever_the_header_says() {
        for header in [b"".as_slice(), b"solid not text", b"solid\n facet"] {
            let raw = read(&binary(header, 1, &[CORNERS])).expect("good");
            assert_eq!(raw.soup.points, [DVec3::ZERO, DVec3::X, DVec3::Y]);
        }
    }

    #[test]
    fn binary_of_the_wrong_size() {
        let good = binary(b"", 2, &[CORNERS, CORNERS]);
        for length in 0..good.len() {
            assert!(read(&good[..length]).is_err(), "{length} bytes of {}", good.len());
        }
        let longer = [good.as_slice(), b"rubbish"].concat();
        assert_eq!(read(&longer).expect("usable").warnings.len(), 1);
        assert!(only_fault(read(&binary(b"", u32::MAX, &[CORNERS]))).what.contains("4294967295"));
        assert!(only_fault(read(&binary(b"", 1, &[CORNERS; 3]))).what.contains("enough for 3"));
    }

    #[test]
    fn binary_with_bad_numbers_names_the_byte() {
        let mut bad = CORNERS;
        bad[4] = f32::NAN;
        let fault = only_fault(read(&binary(b"", 2, &[CORNERS, bad])));
        assert_eq!(fault.place, Place::Byte(84 + 50 + 24));
    }
}
