//! Files out and in again.

mod attacks;
mod hostile;
mod ik;
mod programs;
mod robots;
mod round_trip;

/// The folder of real files, if there is one. Says so where not.
#[expect(clippy::print_stderr, reason = "a skipped test tells why")]
fn real_data() -> Option<std::path::PathBuf> {
    let folder = std::env::var_os("KANSHO_DATA").map(|folder| std::path::Path::new(&folder).join("data"));
    if folder.is_none() {
        eprintln!("skipped: KANSHO_DATA is not set, so there are no real files to test with");
    }
    folder
}
