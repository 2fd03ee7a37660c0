use crate::fault::WriteError;
use std::io::Write;
use std::path::Path;

/// Writes a file whole or not at all: into a temporary file beside it, which then takes its name.
pub(crate) fn whole_file(path: &Path, bytes: &[u8]) -> Result<(), WriteError> {
    let fail = |error: std::io::Error| WriteError { path: path.to_owned(), what: error.to_string() };
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let mut file = tempfile::NamedTempFile::new_in(folder).map_err(fail)?;
    file.write_all(bytes).map_err(fail)?;
    #[cfg(unix)]
    {
        // Temporary files are private; a result is an ordinary file.
        use std::os::unix::fs::PermissionsExt;
        file.as_file().set_permissions(std::fs::Permissions::from_mode(0o644)).map_err(fail)?;
    }
    file.persist(path).map_err(|error| fail(error.error))?;
    Ok(())
}
