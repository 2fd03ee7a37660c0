use crate::fault::{Counted, Fault, Place};
use crate::text;
use std::borrow::Cow;

/// The parts of a glTF file.
#[derive(Debug)]
pub(super) struct Container<'a> {
    /// The document, as UTF-8 if it is text at all.
    pub(super) json: Cow<'a, [u8]>,
    /// Where the document starts, if the file is a GLB.
    pub(super) json_at: Option<usize>,
    /// The BIN chunk of a GLB.
    pub(super) bin: Option<&'a [u8]>,
    pub(super) warnings: Vec<Fault>,
}

const MAGIC: &[u8] = b"glTF";
const HEADER: usize = 12;
const CHUNK_HEADER: usize = 8;
pub(super) const JSON_CHUNK: u32 = u32::from_le_bytes(*b"JSON");
pub(super) const BIN_CHUNK: u32 = u32::from_le_bytes(*b"BIN\0");

impl<'a> Container<'a> {
    /// Tells GLB from JSON and splits it into its chunks.
    pub(super) fn open(bytes: &'a [u8]) -> Result<Self, Fault> {
        if bytes.starts_with(MAGIC) {
            return Self::open_glb(bytes);
        }
        let json = text::decoded(bytes);
        if json.trim_ascii_start().first().is_some_and(|&c| c != b'{') {
            return Err(Fault::of_file(
                "this is neither a GLB (it would begin with 'glTF') nor a JSON object",
            ));
        }
        Ok(Self { json, json_at: None, bin: None, warnings: Vec::new() })
    }

    fn open_glb(file: &'a [u8]) -> Result<Self, Fault> {
        let (glb, mut warnings) = checked_header(file)?;
        let mut json = None;
        let mut bin = None;
        let mut unaligned = Counted::default();
        let mut at = HEADER;
        while at < glb.len() {
            let (kind, data) = chunk(glb, at)?;
            if data.len() % 4 != 0 {
                unaligned.add(|| Place::Byte(at as u64));
            }
            match kind {
                JSON_CHUNK if json.is_none() => json = Some((at + CHUNK_HEADER, data)),
                _ if json.is_none() => {
                    return Err(Fault::at_byte(at, "the first chunk of a GLB must be its JSON"));
                }
                BIN_CHUNK if bin.is_none() => bin = Some(data),
                JSON_CHUNK | BIN_CHUNK => {
                    return Err(Fault::at_byte(at, "a second JSON or BIN chunk: a GLB holds one of each"));
                }
                _ => {} // The format tells readers to skip chunks they do not know.
            }
            at += CHUNK_HEADER + data.len();
        }
        warnings.extend(
            unaligned.warning(|n| format!("the length of a chunk is no multiple of four (chunks: {n})")),
        );
        let Some((json_at, json)) = json else {
            return Err(Fault::at_byte(HEADER, "this GLB has no JSON chunk"));
        };
        // Padding must be blanks, but some programs pad with zeros.
        let end = json.iter().rposition(|&c| c != 0).map_or(0, |last| last + 1);
        Ok(Self { json: Cow::Borrowed(&json[..end]), json_at: Some(json_at), bin, warnings })
    }
}

/// The file as far as its header says it reaches.
fn checked_header(file: &[u8]) -> Result<(&[u8], Vec<Fault>), Fault> {
    let cut_off = |needed: u64| {
        Fault::at_byte(
            file.len(),
            format!("the file is truncated: it ends after {} of {needed} bytes", file.len()),
        )
    };
    let (Some(version), Some(declared)) = (u32_at(file, 4), u32_at(file, 8)) else {
        return Err(cut_off(HEADER as u64));
    };
    if version != 2 {
        return Err(Fault::at_byte(4, format!("this is version {version} of GLB; only version 2 is read"))
            .with_help("convert the file to glTF 2.0"));
    }
    let length = declared as usize;
    if length < HEADER {
        return Err(Fault::at_byte(8, format!("the header gives the file a length of {declared} bytes")));
    }
    let glb = file.get(..length).ok_or_else(|| cut_off(u64::from(declared)))?;
    let mut warnings = Vec::new();
    if file.len() > length {
        let extra = file.len() - length;
        warnings
            .push(Fault::at_byte(length, format!("{extra} bytes after the end of the GLB were not read")));
    }
    Ok((glb, warnings))
}

/// Kind and content of the chunk that starts at a byte.
fn chunk(glb: &[u8], at: usize) -> Result<(u32, &[u8]), Fault> {
    let left = glb.len() - at;
    let (Some(length), Some(kind)) = (u32_at(glb, at), u32_at(glb, at + 4)) else {
        return Err(Fault::at_byte(
            at,
            format!("the header of a chunk takes {CHUNK_HEADER} bytes, but {left} are left"),
        ));
    };
    let start = at + CHUNK_HEADER;
    match start.checked_add(length as usize).and_then(|end| glb.get(start..end)) {
        Some(data) => Ok((kind, data)),
        None => Err(Fault::at_byte(
            at,
            format!("a chunk claims {length} bytes, but {} are left", left - CHUNK_HEADER),
        )),
    }
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..)?.first_chunk().copied().map(u32::from_le_bytes)
}
