//! How bytes come in: bounded, and never from outside the folder that was named.

use std::io::Read;
use std::path::{Component, Path};

/// Largest file that is read, in bytes: 2 GiB, forty million triangles of binary STL.
const MAX_BYTES: u64 = 1 << 31;

/// Most that is read from what is no regular file and may have no end (a pipe, a device), in bytes: 64 MiB.
const MAX_STREAM: u64 = 1 << 26;

/// The content of a file, if it is one and not larger than we read; `-` is standard input.
pub(crate) fn bytes_of(path: &Path) -> Result<Vec<u8>, String> {
    if path == Path::new("-") {
        return all_of(std::io::stdin().lock(), 0, MAX_STREAM);
    }
    let file = std::fs::File::open(path).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => "there is no such file".to_owned(),
        _ => error.to_string(),
    })?;
    let length = file.metadata().map_err(|error| error.to_string())?;
    if length.is_dir() {
        return Err("this is a folder".into());
    }
    all_of(file, length.len(), if length.is_file() { MAX_BYTES } else { MAX_STREAM })
}

fn all_of(source: impl Read, expected: u64, most: u64) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    if bytes.try_reserve_exact(expected.min(most) as usize).is_err() {
        return Err(format!("{expected} bytes are more than memory holds"));
    }
    source.take(most + 1).read_to_end(&mut bytes).map_err(|error| error.to_string())?;
    if bytes.len() as u64 > most {
        return Err(match most {
            MAX_STREAM => {
                format!("this is no regular file, and of others no more than {most} bytes are read")
            }
            _ => format!("the file is larger than {most} bytes"),
        });
    }
    Ok(bytes)
}

/// The content of a regular file in the same folder or below it; never outside, not by `..` and not by a link.
pub(crate) fn beside(folder: &Path, name: &str) -> Result<Vec<u8>, String> {
    let relative = Path::new(name);
    if !relative.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir)) {
        return Err(format!("'{name}' lies outside the folder of the file and is not read"));
    }
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let missing = |error: std::io::Error| format!("'{name}': {error}");
    let real_folder = folder.canonicalize().map_err(missing)?;
    let real = folder.join(relative).canonicalize().map_err(missing)?;
    if !real.starts_with(&real_folder) {
        return Err(format!("'{name}' leads outside the folder of the file and is not read"));
    }
    if real.metadata().map_err(missing)?.is_file() {
        bytes_of(&real).map_err(|what| format!("'{name}': {what}"))
    } else {
        Err(format!("'{name}' is no regular file and is not read"))
    }
}
