use crate::fault::WriteError;
use std::io::{Error, Write};
use std::path::Path;

/// Writes a file whole or not at all: into a temporary file beside it, which then takes its name. If the path is a link,
/// what it leads to is replaced and the link stays.
pub fn whole_file(path: &Path, bytes: &[u8]) -> Result<(), WriteError> {
    let fail = |what: String| WriteError { path: path.to_owned(), what };
    // The kind alone: the message of the error names the temporary file, which is nobody's business.
    let because = |error: Error| fail(Error::from(error.kind()).to_string());
    let target = path.canonicalize().or_else(|_| std::fs::read_link(path).map(|to| folder_of(path).join(to)));
    let target = target.unwrap_or_else(|_| path.to_owned());
    if target.exists() && !target.is_file() {
        return Err(fail("this is no regular file and is not replaced".into()));
    }
    let folder = folder_of(&target);
    if !folder.is_dir() {
        return Err(fail(format!("there is no folder {}", folder.display())));
    }
    let mut builder = tempfile::Builder::new();
    #[cfg(unix)]
    {
        // Temporary files are private; a result is an ordinary file, as the umask has it.
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    let mut file = builder.tempfile_in(folder).map_err(because)?;
    file.write_all(bytes).map_err(because)?;
    file.persist(&target).map_err(|error| because(error.error))?;
    Ok(())
}

/// Writes several files into a folder, which is made if it is not there: all of them whole, or none. They are written beside their
/// places first, and take their names when all are there.
pub fn whole_files(folder: &Path, files: &[(String, Vec<u8>)]) -> Result<(), WriteError> {
    let fail = |path: &Path, error: &Error| WriteError {
        path: path.to_owned(),
        what: Error::from(error.kind()).to_string(),
    };
    let was_there = folder.exists();
    if was_there && !folder.is_dir() {
        return Err(WriteError { path: folder.to_owned(), what: "this is a file, not a folder".into() });
    }
    std::fs::create_dir_all(folder).map_err(|error| fail(folder, &error))?;
    let written = write_all(folder, files);
    if written.is_err() && !was_there {
        // Only if nothing is in it.
        let _ = std::fs::remove_dir(folder);
    }
    written
}

fn write_all(folder: &Path, files: &[(String, Vec<u8>)]) -> Result<(), WriteError> {
    let fail = |name: &String, error: &Error| WriteError {
        path: folder.join(name),
        what: Error::from(error.kind()).to_string(),
    };
    if let Some((name, _)) = files.iter().find(|(name, _)| folder.join(name).is_dir()) {
        return Err(WriteError { path: folder.join(name), what: "this is a folder".into() });
    }
    let mut temporary = Vec::new();
    for (name, bytes) in files {
        let mut builder = tempfile::Builder::new();
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            builder.permissions(std::fs::Permissions::from_mode(0o666));
        }
        let mut file = builder.tempfile_in(folder).map_err(|error| fail(name, &error))?;
        file.write_all(bytes).map_err(|error| fail(name, &error))?;
        temporary.push((name, file));
    }
    for (name, file) in temporary {
        file.persist(folder.join(name)).map_err(|error| fail(name, &error.error))?;
    }
    Ok(())
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
