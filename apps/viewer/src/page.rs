//! The page, as the build script made it.

include!(concat!(env!("OUT_DIR"), "/page.rs"));

/// Why this program has no page to show, if it has none.
#[must_use]
pub fn missing() -> Option<&'static str> {
    FILES.is_empty().then_some(MISSING)
}

/// The program of the view that is put into reports, if there is one.
pub(crate) fn report_script() -> Option<&'static str> {
    (!REPORT.is_empty()).then_some(REPORT)
}

/// A file of the page and what kind it is, by the path that a browser asks for.
pub(crate) fn file(path: &str) -> Option<(&'static [u8], &'static str)> {
    let path = if path == "/" { "/index.html" } else { path };
    let (name, bytes) = FILES.iter().find(|(name, _)| *name == path)?;
    let kind = match name.rsplit('.').next() {
        Some("html") => "text/html; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("svg") => "image/svg+xml",
        Some("json") => "application/json",
        _ => "application/octet-stream",
    };
    Some((bytes, kind))
}
