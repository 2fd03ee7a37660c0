use super::stl;
use crate::fault::Fault;
use std::fmt;
use std::path::Path;

/// A mesh format that can be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MeshFormat {
    /// STL, ASCII or binary.
    Stl,
    /// Wavefront OBJ.
    Obj,
    /// PLY, ASCII or binary.
    Ply,
    /// Object File Format, ASCII.
    Off,
    /// glTF 2.0, as JSON or binary (GLB).
    Gltf,
    /// COLLADA 1.4 or 1.5.
    Collada,
}

impl fmt::Display for MeshFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Stl => "STL",
            Self::Obj => "OBJ",
            Self::Ply => "PLY",
            Self::Off => "OFF",
            Self::Gltf => "glTF",
            Self::Collada => "COLLADA",
        })
    }
}

impl MeshFormat {
    /// The format that a file's extension names.
    #[must_use]
    pub fn of_extension(path: &Path) -> Option<Self> {
        let extension = path.extension()?.to_str()?.to_ascii_lowercase();
        Some(match extension.as_str() {
            "stl" | "stla" | "stlb" => Self::Stl,
            "obj" => Self::Obj,
            "ply" => Self::Ply,
            "off" => Self::Off,
            "gltf" | "glb" => Self::Gltf,
            "dae" => Self::Collada,
            _ => return None,
        })
    }

    /// The format of a file: by its content where that is unmistakable, else by its extension.
    pub(super) fn of_content(bytes: &[u8], path: &Path) -> Result<Self, Fault> {
        if bytes.is_empty() {
            return Err(Fault::of_file("the file is empty (0 bytes)"));
        }
        let by_extension = Self::of_extension(path);
        // The header of a binary STL may hold anything, even the first word of another format.
        if stl::has_binary_size(bytes) && by_extension.is_none_or(|format| format == Self::Stl) {
            return Ok(Self::Stl);
        }
        if let Some(fault) = not_a_mesh(bytes) {
            return Err(fault);
        }
        match (Self::looks_like(bytes), by_extension) {
            (Some(format @ (Self::Gltf | Self::Ply | Self::Collada)), _) | (_, Some(format)) => Ok(format),
            (Some(format), None) => Ok(format),
            (None, None) => Err(Fault::of_file("neither the extension nor the content names a mesh format")
                .with_help("known are .stl, .obj, .ply, .off, .gltf, .glb and .dae")),
        }
    }

    /// The format that the content alone suggests.
    pub(super) fn looks_like(bytes: &[u8]) -> Option<Self> {
        let text = crate::text::decoded(&bytes[..bytes.len().min(4096)]);
        let start = text.trim_ascii_start();
        let begins = |word: &str| {
            start.len() >= word.len() && start[..word.len()].eq_ignore_ascii_case(word.as_bytes())
        };
        if stl::has_binary_size(bytes) || stl::says_solid(&text) {
            return Some(Self::Stl);
        }
        if bytes.starts_with(b"glTF") || (begins("{") && find(start, b"\"asset\"").is_some()) {
            return Some(Self::Gltf);
        }
        if ["ply\n", "ply\r", "ply "].iter().any(|word| begins(word)) {
            return Some(Self::Ply);
        }
        if begins("<") && find(start, b"<COLLADA").is_some() {
            return Some(Self::Collada);
        }
        ["OFF", "COFF", "NOFF", "CNOFF", "STOFF"].iter().any(|word| begins(word)).then_some(Self::Off)
    }
}

/// Files that are often found in a mesh's place.
fn not_a_mesh(bytes: &[u8]) -> Option<Fault> {
    let text = bytes.trim_ascii_start();
    let begins =
        |word: &str| text.len() >= word.len() && text[..word.len()].eq_ignore_ascii_case(word.as_bytes());
    if begins("version https://git-lfs.github.com/spec") {
        return Some(
            Fault::of_file("this is a Git LFS pointer, not the file itself")
                .with_help("run `git lfs pull` where it comes from"),
        );
    }
    let other = if begins("<!doctype html") || begins("<html") {
        "an HTML page, perhaps an error page saved under this name"
    } else if bytes.starts_with(b"PK\x03\x04") {
        "a ZIP archive (3MF files are such archives)"
    } else if bytes.starts_with(&[0x1F, 0x8B]) {
        "a gzip-compressed file"
    } else if bytes.starts_with(b"ISO-10303-21") {
        "a STEP file, which holds curved surfaces and no triangles"
    } else if bytes.starts_with(b"%PDF") {
        "a PDF document"
    } else if bytes.starts_with(b"\x89PNG") {
        "a PNG picture"
    } else {
        return None;
    };
    Some(Fault::of_file(format!("not a mesh: this is {other}")))
}

fn find(text: &[u8], word: &[u8]) -> Option<usize> {
    text.windows(word.len()).position(|window| window == word)
}
