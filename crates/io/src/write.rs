use crate::fault::WriteError;
use std::io::{Error, Write};
use std::path::{Path, PathBuf};

/// Writes a file whole or not at all: into a temporary file beside it, which takes its name when the disk has all of it; so whoever is
/// killed, or loses power, leaves the old file or the new one. If the path is a link, what it leads to is replaced and the link stays.
pub fn whole_file(path: &Path, bytes: &[u8]) -> Result<(), WriteError> {
    let target = target_of(path)?;
    let because = |error: Error| failed(path, &error);
    let file = beside(&target, bytes).map_err(because)?;
    file.persist(&target).map_err(|error| because(error.error))?;
    Ok(())
}

/// As [`whole_file`], for what is written bit by bit and need not be held in memory.
///
/// # Errors
/// What `write` answers, or the file cannot be written: then the old one is left.
pub fn whole_stream<T>(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> std::io::Result<T>,
) -> Result<T, WriteError> {
    let target = target_of(path)?;
    let because = |error: Error| failed(path, &error);
    let mut file = beside(&target, &[]).map_err(because)?;
    let mut buffered = std::io::BufWriter::new(file.as_file_mut());
    let found = write(&mut buffered).map_err(because)?;
    buffered.flush().map_err(because)?;
    drop(buffered);
    file.as_file().sync_all().map_err(because)?;
    file.persist(&target).map_err(|error| because(error.error))?;
    Ok(found)
}

/// Whether [`whole_file`] could write there now, for those who work long before they do: tried with an empty file, which is gone again.
pub fn file_can_be_written(path: &Path) -> Result<(), WriteError> {
    let target = target_of(path)?;
    beside(&target, &[]).map(drop).map_err(|error| failed(path, &error))
}

/// Writes several files into a folder, which is made if it is not there: all of them whole, or none. They are written beside their
/// places first, and take their names when all are there; killed in that last moment, each is the old one or the new one.
pub fn whole_files(folder: &Path, files: &[(String, Vec<u8>)]) -> Result<(), WriteError> {
    let was_there = folder.exists();
    if was_there && !folder.is_dir() {
        return Err(no_folder(folder));
    }
    std::fs::create_dir_all(folder).map_err(|error| failed(folder, &error))?;
    let written = write_all(folder, files);
    if written.is_err() && !was_there {
        // Only if nothing is in it.
        let _ = std::fs::remove_dir(folder);
    }
    written
}

/// Whether [`whole_files`] could write into this folder now; nothing is left behind.
pub fn folder_can_be_written(folder: &Path) -> Result<(), WriteError> {
    if folder.exists() && !folder.is_dir() {
        return Err(no_folder(folder));
    }
    // The nearest that is there: below it, folders are made.
    let there = folder.ancestors().find(|folder| folder.exists() && !folder.as_os_str().is_empty());
    let within = there.unwrap_or(Path::new(".")).join("any");
    beside(&within, &[]).map(drop).map_err(|error| failed(folder, &error))
}

fn write_all(folder: &Path, files: &[(String, Vec<u8>)]) -> Result<(), WriteError> {
    if let Some((name, _)) = files.iter().find(|(name, _)| folder.join(name).is_dir()) {
        return Err(WriteError { path: folder.join(name), what: "this is a folder".into() });
    }
    let mut temporary = Vec::new();
    for (name, bytes) in files {
        let target = folder.join(name);
        let file = beside(&target, bytes).map_err(|error| failed(&target, &error))?;
        temporary.push((target, file));
    }
    for (target, file) in temporary {
        file.persist(&target).map_err(|error| failed(&target, &error.error))?;
    }
    Ok(())
}

/// What is replaced when a path is written to.
fn target_of(path: &Path) -> Result<PathBuf, WriteError> {
    let fail = |what: String| WriteError { path: path.to_owned(), what };
    let target = path.canonicalize().or_else(|_| std::fs::read_link(path).map(|to| folder_of(path).join(to)));
    let target = target.unwrap_or_else(|_| path.to_owned());
    if target.exists() && !target.is_file() {
        return Err(fail("this is no regular file and is not replaced".into()));
    }
    let folder = folder_of(&target);
    if !folder.is_dir() {
        return Err(fail(format!("there is no folder {}", folder.display())));
    }
    Ok(target)
}

/// A temporary file beside a place, with these bytes, which the disk has.
fn beside(target: &Path, bytes: &[u8]) -> std::io::Result<tempfile::NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    #[cfg(unix)]
    {
        // Temporary files are private; a result is an ordinary file, as the umask has it.
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    let mut file = builder.tempfile_in(folder_of(target))?;
    if !bytes.is_empty() {
        file.write_all(bytes)?;
        file.as_file().sync_all()?;
    }
    Ok(file)
}

/// The kind alone: the message of the error names the temporary file, which is nobody's business.
pub(crate) fn failed(path: &Path, error: &Error) -> WriteError {
    WriteError { path: path.to_owned(), what: Error::from(error.kind()).to_string() }
}

fn no_folder(path: &Path) -> WriteError {
    WriteError { path: path.to_owned(), what: "this is a file, not a folder".into() }
}

fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::{MetadataExt, symlink};

    #[test]
    fn several_files_are_written_together_or_not_at_all() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let out = folder.path().join("a/b");
        let files = |text: &str| ["x", "y"].map(|name| (name.to_owned(), text.as_bytes().to_vec()));
        whole_files(&out, &files("one")).expect("written");
        whole_files(&out, &files("two")).expect("written again");
        fs::remove_file(out.join("y")).expect("removed");
        fs::create_dir(out.join("y")).expect("made");
        let refused = whole_files(&out, &files("three")).expect_err("y is a folder");
        assert_eq!((refused.path, refused.what.as_str()), (out.join("y"), "this is a folder"));
        assert_eq!(fs::read(out.join("x")).expect("there"), b"two");
        assert_eq!(fs::read_dir(&out).expect("there").count(), 2, "nothing is left over");
    }

    #[test]
    fn results_are_ordinary_files_and_links_stay_links() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let at = |name: &str| folder.path().join(name);
        fs::write(at("ordinary"), "").expect("written");
        fs::create_dir(at("sub")).expect("made");
        symlink("sub/target", at("link")).expect("linked");
        for content in ["new", "newer"] {
            whole_file(&at("link"), content.as_bytes()).expect("written");
            assert!(at("link").is_symlink());
            assert_eq!(fs::read(at("sub/target")).expect("there"), content.as_bytes());
        }
        let mode = |name: &str| fs::metadata(at(name)).expect("there").mode();
        assert_eq!(mode("sub/target"), mode("ordinary"));
        let what = |name: &str| whole_file(&at(name), b"").expect_err("refused").what;
        assert_eq!(what("nowhere/x"), format!("there is no folder {}", at("nowhere").display()));
        assert_eq!(what("sub"), "this is no regular file and is not replaced");
    }
}
