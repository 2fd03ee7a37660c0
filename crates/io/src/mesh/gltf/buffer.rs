use super::container::Container;
use super::document::{Buffer, Document};
use super::scene::Placement;
use crate::fault::{Fault, Faults};
use crate::mesh::load::Beside;
use crate::text::shortened;
use std::borrow::Cow;

/// Bytes that the files beside one document may hold together, as much as the largest single file.
///
/// A document may name the same file under a million buffers.
const MAX_BYTES_BESIDE: u64 = 1 << 31;

/// The bytes of every buffer that holds triangles of a placed mesh; `None` for the others, and for those whose fault
/// was named. Textures and animations may be missing without harm.
pub(super) fn load<'a>(
    document: &Document,
    container: &Container<'a>,
    placements: &[Placement],
    beside: &Beside,
    faults: &mut Faults,
    warnings: &mut Vec<Fault>,
) -> Vec<Option<Cow<'a, [u8]>>> {
    let mut bytes_beside = 0;
    let mut load_one = |(index, buffer): (usize, &Buffer)| {
        let loaded = data(index, buffer, container, beside)
            .and_then(|data| bounded(data, buffer, &mut bytes_beside))
            .map_err(|what| Fault::of_part(format!("buffer {index}"), what));
        loaded.map_err(|fault| faults.push(fault)).ok()
    };
    if let Some(bin) = container.bin {
        warnings.extend(unused_part(bin, document.buffers.first()));
    }
    let needed = needed(document, placements);
    let buffers = document.buffers.iter().enumerate();
    buffers.zip(needed).map(|(buffer, needed)| if needed { load_one(buffer) } else { None }).collect()
}

/// True for every buffer that positions or indices of a placed mesh lie in.
fn needed(document: &Document, placements: &[Placement]) -> Vec<bool> {
    let mut meshes = vec![false; document.meshes.len()];
    placements.iter().for_each(|placement| meshes[placement.mesh] = true);
    let mut needed = vec![false; document.buffers.len()];
    let placed = document.meshes.iter().zip(meshes).filter_map(|(mesh, placed)| placed.then_some(mesh));
    for primitive in placed.flat_map(|mesh| &mesh.primitives) {
        let accessors = [primitive.attributes.position, primitive.indices].into_iter().flatten();
        for accessor in accessors.filter_map(|index| document.accessors.get(index as usize)) {
            let sparse = accessor.sparse.as_deref().map(|s| [s.indices.buffer_view, s.values.buffer_view]);
            for view in accessor.buffer_view.into_iter().chain(sparse.into_iter().flatten()) {
                let buffer = document.buffer_views.get(view as usize).map(|view| view.buffer as usize);
                if let Some(needed) = buffer.and_then(|buffer| needed.get_mut(buffer)) {
                    *needed = true; // Numbers out of range are named where the accessor is read.
                }
            }
        }
    }
    needed
}

/// All there is of a buffer.
fn data<'a>(
    index: usize,
    buffer: &Buffer,
    container: &Container<'a>,
    beside: &Beside,
) -> Result<Cow<'a, [u8]>, String> {
    let Some(uri) = &buffer.uri else {
        return match container.bin {
            Some(bin) if index == 0 => Ok(Cow::Borrowed(bin)),
            _ => Err("has no uri, and the file has no BIN chunk for it".into()),
        };
    };
    if uri.get(..5).is_some_and(|scheme| scheme.eq_ignore_ascii_case("data:")) {
        return from_data_uri(&uri[5..]).map(Cow::Owned);
    }
    if let Some(scheme) = scheme(uri) {
        return Err(format!(
            "lies at an address ('{scheme}:'); only files in the folder of the document are read"
        ));
    }
    beside(&percent_decoded(uri)?).map(Cow::Owned)
}

/// The bytes that the document speaks of, counted against the limit if they are not part of the file itself.
fn bounded<'a>(
    mut data: Cow<'a, [u8]>,
    buffer: &Buffer,
    bytes_beside: &mut u64,
) -> Result<Cow<'a, [u8]>, String> {
    let declared = usize::try_from(buffer.byte_length).ok().filter(|&length| length <= data.len());
    let Some(length) = declared else {
        return Err(format!(
            "has a byteLength of {}, but there are only {} bytes",
            buffer.byte_length,
            data.len()
        ));
    };
    match &mut data {
        Cow::Borrowed(bytes) => *bytes = &bytes[..length],
        Cow::Owned(bytes) => {
            *bytes_beside += bytes.len() as u64;
            if *bytes_beside > MAX_BYTES_BESIDE {
                return Err(format!("the buffers hold more than {MAX_BYTES_BESIDE} bytes together"));
            }
            bytes.truncate(length);
        }
    }
    Ok(data)
}

/// A warning if the BIN chunk holds more than its buffer and the padding to four bytes.
fn unused_part(bin: &[u8], first: Option<&Buffer>) -> Option<Fault> {
    let used = first.filter(|buffer| buffer.uri.is_none()).map_or(0, |buffer| buffer.byte_length);
    let unused = (bin.len() as u64).saturating_sub(used);
    (unused > 3).then(|| Fault::of_file(format!("{unused} bytes of the BIN chunk belong to no buffer")))
}

/// The content of a `data:` URI, of which the scheme is cut off.
fn from_data_uri(uri: &str) -> Result<Vec<u8>, String> {
    match uri.split_once(',') {
        Some((kind, data)) if kind.to_ascii_lowercase().ends_with(";base64") => base64(data.as_bytes()),
        Some(_) => Err("has a data: URI that is not in base64".into()),
        None => Err("has a data: URI without a comma before its data".into()),
    }
}

/// Decodes base64 (RFC 4648), with or without the padding at its end.
fn base64(text: &[u8]) -> Result<Vec<u8>, String> {
    let digits = text.strip_suffix(b"==").or(text.strip_suffix(b"=")).unwrap_or(text);
    if digits.len() % 4 == 1 {
        return Err(format!("its base64 data is cut off ({} digits)", digits.len()));
    }
    let mut bytes = Vec::with_capacity(digits.len() / 4 * 3 + 2);
    for (index, group) in digits.chunks(4).enumerate() {
        let mut bits = 0_u32;
        for (digit, &c) in group.iter().enumerate() {
            let value = match c {
                b'A'..=b'Z' => c - b'A',
                b'a'..=b'z' => c - b'a' + 26,
                b'0'..=b'9' => c - b'0' + 52,
                b'+' => 62,
                b'/' => 63,
                _ => return Err(format!("byte {} of its base64 data is no digit of it", 4 * index + digit)),
            };
            bits |= u32::from(value) << (18 - 6 * digit);
        }
        // Two digits hold one byte, three hold two, four hold three.
        bytes.extend_from_slice(&bits.to_be_bytes()[1..group.len()]);
    }
    Ok(bytes)
}

/// The scheme of an absolute address, such as `https`.
fn scheme(uri: &str) -> Option<&str> {
    let (scheme, _) = uri.split_once(':')?;
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.');
    // One letter is a drive of Windows: `beside` refuses it as any absolute path.
    (scheme.len() > 1 && scheme.starts_with(|c: char| c.is_ascii_alphabetic()) && scheme.chars().all(plain))
        .then(|| &scheme[..scheme.len().min(40)])
}

/// The name of a file, with `%20` for a blank and so on. A `%` without two digits stands for itself: names are often
/// written as they are.
fn percent_decoded(uri: &str) -> Result<String, String> {
    let bytes = uri.as_bytes();
    let hex = |at: usize| bytes.get(at).and_then(|&c| char::from(c).to_digit(16));
    let mut name = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(&c) = bytes.get(at) {
        match (c, hex(at + 1), hex(at + 2)) {
            (b'%', Some(high), Some(low)) => {
                name.push((16 * high + low) as u8);
                at += 3;
            }
            _ => {
                name.push(c);
                at += 1;
            }
        }
    }
    String::from_utf8(name)
        .map_err(|_| format!("its uri '{}' is not UTF-8 once decoded", shortened(bytes, 80)))
}

#[cfg(test)]
mod tests {
    use super::{base64, percent_decoded, scheme};

    #[test]
    fn base64_of_every_remainder() {
        // The examples of RFC 4648, section 10.
        let cases = [("", ""), ("Zg==", "f"), ("Zm8=", "fo"), ("Zm9v", "foo"), ("Zm9vYg==", "foob")];
        for (text, expected) in cases.into_iter().chain([("Zm9vYmE=", "fooba"), ("Zm9vYmFy", "foobar")]) {
            assert_eq!(base64(text.as_bytes()).as_deref(), Ok(expected.as_bytes()), "{text}");
            let bare = text.trim_end_matches('=');
            assert_eq!(base64(bare.as_bytes()).as_deref(), Ok(expected.as_bytes()), "{bare}");
        }
        assert_eq!(base64(b"+/+/").as_deref(), Ok(&[0xFB, 0xFF, 0xBF][..]));
        for garbage in ["A", "AAAAA", "A===", "AA=A", "AA A", "\u{e4}AA", "AA-_"] {
            assert!(base64(garbage.as_bytes()).is_err(), "{garbage}");
        }
    }

    #[test]
    fn names_are_decoded() {
        assert_eq!(percent_decoded("my%20part%2Fa.bin").as_deref(), Ok("my part/a.bin"));
        assert_eq!(percent_decoded("100%.bin").as_deref(), Ok("100%.bin"));
        assert_eq!(percent_decoded("%C3%A4").as_deref(), Ok("ä"));
        assert!(percent_decoded("%FF").is_err());
        assert_eq!(scheme("https://example.org/a.bin"), Some("https"));
        assert_eq!(scheme("file:a.bin"), Some("file"));
        assert_eq!(scheme("a.bin"), None);
        assert_eq!(scheme("ä:b.bin"), None);
    }
}
