use super::container::Container;
use crate::fault::Fault;
use crate::text::{place_in_line, shortened};
use serde::de::{Deserialize, Deserializer, Error, IgnoredAny, SeqAccess, Visitor};
use std::fmt;
use std::marker::PhantomData;

/// Longest list that is read, so that three bytes of JSON (`{},`) cannot take a hundred of memory without end.
const MAX_ITEMS: usize = 1_000_000;

/// Positions as integers, which are read; see [`super::accessor`].
pub(super) const QUANTIZATION: &str = "KHR_mesh_quantization";

/// A glTF document, as far as it bears on triangles.
#[derive(Debug, Default, serde::Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Document {
    pub(super) extensions_used: Vec<String>,
    pub(super) extensions_required: Vec<String>,
    pub(super) scene: Option<u32>,
    #[serde(deserialize_with = "limited")]
    pub(super) scenes: Vec<Scene>,
    #[serde(deserialize_with = "limited")]
    pub(super) nodes: Vec<Node>,
    #[serde(deserialize_with = "limited")]
    pub(super) meshes: Vec<Mesh>,
    #[serde(deserialize_with = "limited")]
    pub(super) accessors: Vec<Accessor>,
    #[serde(deserialize_with = "limited")]
    pub(super) buffer_views: Vec<BufferView>,
    #[serde(deserialize_with = "limited")]
    pub(super) buffers: Vec<Buffer>,
    pub(super) animations: Vec<IgnoredAny>,
}

#[derive(Debug, Default, serde::Deserialize)]
#[serde(default)]
pub(super) struct Scene {
    pub(super) nodes: Vec<u32>,
}

/// Numbers are boxed because most nodes have few of them.
#[derive(Debug, Default, serde::Deserialize)]
#[serde(default)]
pub(super) struct Node {
    pub(super) name: Option<String>,
    pub(super) children: Vec<u32>,
    pub(super) mesh: Option<u32>,
    pub(super) skin: Option<IgnoredAny>,
    pub(super) matrix: Option<Box<[f64; 16]>>,
    pub(super) translation: Option<Box<[f64; 3]>>,
    pub(super) rotation: Option<Box<[f64; 4]>>,
    pub(super) scale: Option<Box<[f64; 3]>>,
    pub(super) extensions: NodeExtensions,
}

#[derive(Debug, Default, serde::Deserialize)]
#[serde(default)]
pub(super) struct NodeExtensions {
    #[serde(rename = "EXT_mesh_gpu_instancing")]
    pub(super) gpu_instancing: Option<IgnoredAny>,
}

#[derive(Debug, serde::Deserialize)]
pub(super) struct Mesh {
    pub(super) name: Option<String>,
    pub(super) primitives: Vec<Primitive>,
}

#[derive(Debug, serde::Deserialize)]
pub(super) struct Primitive {
    pub(super) attributes: Attributes,
    pub(super) indices: Option<u32>,
    #[serde(default = "triangles")]
    pub(super) mode: u32,
    pub(super) targets: Option<IgnoredAny>,
    #[serde(default)]
    pub(super) extensions: PrimitiveExtensions,
}

#[derive(Debug, serde::Deserialize)]
pub(super) struct Attributes {
    #[serde(rename = "POSITION")]
    pub(super) position: Option<u32>,
}

#[derive(Debug, Default, serde::Deserialize)]
#[serde(default)]
pub(super) struct PrimitiveExtensions {
    #[serde(rename = "KHR_draco_mesh_compression")]
    pub(super) draco: Option<IgnoredAny>,
}

#[derive(Debug, serde::Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Accessor {
    pub(super) buffer_view: Option<u32>,
    #[serde(default)]
    pub(super) byte_offset: u64,
    pub(super) component_type: u32,
    #[serde(default)]
    pub(super) normalized: bool,
    pub(super) count: u64,
    #[serde(rename = "type")]
    pub(super) shape: Shape,
    pub(super) sparse: Option<Box<Sparse>>,
    /// Some programs write `null` for a number that is none.
    #[serde(default)]
    pub(super) min: Vec<Option<f64>>,
    #[serde(default)]
    pub(super) max: Vec<Option<f64>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub(super) enum Shape {
    Scalar,
    Vec3,
    #[serde(other)]
    Other,
}

/// Elements that replace some of those of the buffer view.
#[derive(Debug, serde::Deserialize)]
pub(super) struct Sparse {
    pub(super) count: u64,
    pub(super) indices: SparseIndices,
    pub(super) values: SparseValues,
}

#[derive(Debug, serde::Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SparseIndices {
    pub(super) buffer_view: u32,
    #[serde(default)]
    pub(super) byte_offset: u64,
    pub(super) component_type: u32,
}

#[derive(Debug, serde::Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SparseValues {
    pub(super) buffer_view: u32,
    #[serde(default)]
    pub(super) byte_offset: u64,
}

#[derive(Debug, serde::Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct BufferView {
    pub(super) buffer: u32,
    #[serde(default)]
    pub(super) byte_offset: u64,
    pub(super) byte_length: u64,
    pub(super) byte_stride: Option<u64>,
}

#[derive(Debug, serde::Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Buffer {
    pub(super) uri: Option<String>,
    pub(super) byte_length: u64,
}

/// Whether the document is of a version that is read. Documents of other versions are built differently, and the version is what is wrong
/// with them, so this comes first.
pub(super) fn check_head(container: &Container<'_>) -> Result<(), Fault> {
    let head: Head = serde_json::from_slice(&container.json).map_err(|error| fault(container, &error))?;
    check_version(head.asset.as_ref())
}

/// The document, or why it is none.
pub(super) fn parse(container: &Container<'_>) -> Result<Document, Fault> {
    serde_json::from_slice(&container.json).map_err(|error| fault(container, &error))
}

/// `mesh 3 "wheel"`, or `mesh 3` where there is no name.
pub(super) fn numbered(kind: &str, index: usize, name: Option<&String>) -> String {
    match name {
        Some(name) if !name.is_empty() => format!("{kind} {index} \"{}\"", shortened(name.as_bytes(), 40)),
        _ => format!("{kind} {index}"),
    }
}

#[derive(serde::Deserialize)]
struct Head {
    asset: Option<Asset>,
}

#[derive(serde::Deserialize)]
#[serde(rename_all = "camelCase")]
struct Asset {
    version: Option<String>,
    min_version: Option<String>,
}

fn check_version(asset: Option<&Asset>) -> Result<(), Fault> {
    let Some(version) = asset.and_then(|asset| asset.version.as_ref()) else {
        return Err(Fault::of_file("the version of glTF (asset.version) is missing"));
    };
    let shown = |version: &str| shortened(version.as_bytes(), 20);
    if version.split('.').next() != Some("2") {
        return Err(Fault::of_file(format!("this is glTF {}; only 2.0 is read", shown(version)))
            .with_help("convert the file to glTF 2.0"));
    }
    match asset.and_then(|asset| asset.min_version.as_deref()) {
        None | Some("2.0") => Ok(()),
        Some(least) => Err(Fault::of_file(format!(
            "the file asks for a reader of glTF {} (asset.minVersion); only 2.0 is read",
            shown(least)
        ))),
    }
}

fn triangles() -> u32 {
    4
}

/// A list of at most [`MAX_ITEMS`].
fn limited<'de, D: Deserializer<'de>, T: Deserialize<'de>>(deserializer: D) -> Result<Vec<T>, D::Error> {
    struct Limited<T>(PhantomData<T>);

    impl<'de, T: Deserialize<'de>> Visitor<'de> for Limited<T> {
        type Value = Vec<T>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a list")
        }

        fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Vec<T>, A::Error> {
            let mut list = Vec::new();
            while let Some(item) = items.next_element()? {
                if list.len() == MAX_ITEMS {
                    return Err(A::Error::custom(format_args!("a list of more than {MAX_ITEMS} items")));
                }
                list.push(item);
            }
            Ok(list)
        }
    }

    deserializer.deserialize_seq(Limited(PhantomData))
}

/// What the parser found, at line and column of a text or at the byte of a GLB.
fn fault(container: &Container<'_>, error: &serde_json::Error) -> Fault {
    let message = error.to_string();
    let message = message.rfind(" at line ").map_or(message.as_str(), |end| &message[..end]);
    let message = shortened(message.as_bytes(), 160);
    let what = if error.is_data() {
        format!("this is no glTF 2.0 document: {message}")
    } else {
        format!("this is not JSON: {message}")
    };
    let json = &container.json[..];
    let Some(lines_before) = error.line().checked_sub(1) else {
        return Fault::of_file(what);
    };
    let start = match lines_before {
        0 => 0,
        n => json
            .iter()
            .enumerate()
            .filter(|&(_, &c)| c == b'\n')
            .nth(n - 1)
            .map_or(json.len(), |(end, _)| end + 1),
    };
    let line = json[start..].split(|&c| c == b'\n').next().unwrap_or_default();
    // The parser counts bytes from 1, and 0 where it stopped at the end of the line before.
    let offset = error.column().saturating_sub(1).min(line.len());
    match container.json_at {
        Some(json_at) => Fault::at_byte(json_at + start + offset, what),
        None => {
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            let number = u32::try_from(error.line()).unwrap_or(u32::MAX);
            let place = place_in_line(line, number, offset, 1);
            Fault { place, what, help: None }
        }
    }
}
