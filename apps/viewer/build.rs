//! Builds the page with Node.js, if that is there, and lists its files for the program to hold.
//!
//! Without Node.js, or where something fails, the program is built all the same and holds the reason instead. `KANSHO_PAGE=skip` leaves the
//! page out on purpose.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What the page is made of; a change to any makes it anew.
const SOURCES: [&str; 8] = [
    "src",
    "index.html",
    "vite.config.ts",
    "vite.report.ts",
    "tsconfig.json",
    "package.json",
    "package-lock.json",
    ".npmrc",
];

fn main() {
    let root = PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").expect("cargo names the folder"));
    let out = PathBuf::from(std::env::var_os("OUT_DIR").expect("cargo names the folder"));
    let web = root.join("web");
    for source in SOURCES {
        println!("cargo::rerun-if-changed={}", web.join(source).display());
    }
    println!("cargo::rerun-if-env-changed=KANSHO_PAGE");
    let made =
        page(&web, &out.join("page")).and_then(|files| Ok((files, report(&web, &out.join("report"))?)));
    let list = match made {
        Ok((files, report)) => list(&files, &report),
        Err(why) => {
            // Asked again with the next build: what was missing may be there by then.
            println!("cargo::rerun-if-changed={}", out.join("no-such-file").display());
            println!("cargo::warning=the page of `kansho view` is left out: {why}");
            format!(
                "pub(crate) const FILES: &[(&str, &[u8])] = &[];\npub(crate) const REPORT: &str = \"\";\npub(crate) const MISSING: &str = {why:?};\n"
            )
        }
    };
    std::fs::write(out.join("page.rs"), list).expect("cargo's folder can be written");
}

/// Makes the page; its files, with their names as the browser asks for them.
fn page(web: &Path, into: &Path) -> Result<Vec<(String, PathBuf)>, String> {
    if std::env::var_os("KANSHO_PAGE").is_some_and(|value| value == "skip") {
        return Err("KANSHO_PAGE=skip was set; build without it".into());
    }
    node()?;
    if !is_installed(web) {
        let why = "npm could not install what the page is built with; connect to the network and build again";
        run(
            Command::new(NPM)
                // Without what only those need who change the page: `apps/viewer/test` gets that.
                .args(["ci", "--omit=dev", "--no-progress", "--prefer-offline", "--fetch-retries=1"])
                .current_dir(web),
            why,
        )?;
    }
    vite(web, "vite.config.ts", into)?;
    let mut files = Vec::new();
    collect(into, "", &mut files).map_err(|error| format!("the page was built but not found: {error}"))?;
    files.sort();
    Ok(files)
}

/// Makes the program of the view in reports: one file.
fn report(web: &Path, into: &Path) -> Result<PathBuf, String> {
    vite(web, "vite.report.ts", into)?;
    Ok(into.join("report.js"))
}

fn vite(web: &Path, config: &str, into: &Path) -> Result<(), String> {
    let mut build = Command::new("node");
    build
        .arg(web.join("node_modules/vite/bin/vite.js"))
        .args(["build", "--config", config, "--logLevel", "warn", "--emptyOutDir", "--outDir"])
        .arg(into)
        .current_dir(web);
    run(&mut build, "the page could not be built; say so to the authors, with these words")
}

/// Whether there is a Node.js that can build the page.
fn node() -> Result<(), String> {
    let wanted = "Node.js 20 or newer with npm";
    let output = Command::new("node").arg("--version").output();
    let said = match &output {
        Ok(output) if output.status.success() => String::from_utf8_lossy(&output.stdout).trim().to_owned(),
        _ => return Err(format!("there was no Node.js; install {wanted} and build again")),
    };
    let major = said.trim_start_matches('v').split('.').next().and_then(|number| number.parse::<u32>().ok());
    if major.is_none_or(|major| major < 20) {
        return Err(format!("there was Node.js {said}, which is too old; install {wanted} and build again"));
    }
    if Command::new(NPM).arg("--version").output().is_ok_and(|output| output.status.success()) {
        Ok(())
    } else {
        Err(format!("there was no npm; install {wanted} and build again"))
    }
}

const NPM: &str = if cfg!(windows) { "npm.cmd" } else { "npm" };

/// Whether what is installed is what the lock file says: npm leaves a copy of it when it is done.
fn is_installed(web: &Path) -> bool {
    let time = |path: PathBuf| std::fs::metadata(path).and_then(|data| data.modified()).ok();
    let (installed, locked) =
        (time(web.join("node_modules/.package-lock.json")), time(web.join("package-lock.json")));
    matches!((installed, locked), (Some(installed), Some(locked)) if installed >= locked)
}

fn run(command: &mut Command, why: &str) -> Result<(), String> {
    match command.output() {
        Ok(output) if output.status.success() => Ok(()),
        Ok(output) => {
            let said = String::from_utf8_lossy(&output.stderr).trim().replace('\n', "; ");
            let end: String = said.chars().rev().take(400).collect::<Vec<_>>().into_iter().rev().collect();
            Err(format!("{why}: {end}"))
        }
        Err(error) => Err(format!("{why}: {error}")),
    }
}

fn collect(folder: &Path, name: &str, files: &mut Vec<(String, PathBuf)>) -> std::io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let name = format!("{name}/{}", entry.file_name().to_string_lossy());
        if entry.file_type()?.is_dir() {
            collect(&entry.path(), &name, files)?;
        } else {
            files.push((name, entry.path()));
        }
    }
    Ok(())
}

fn list(files: &[(String, PathBuf)], report: &Path) -> String {
    let mut list = "pub(crate) const FILES: &[(&str, &[u8])] = &[\n".to_owned();
    for (name, path) in files {
        let path = path.display().to_string();
        writeln!(list, "    ({name:?}, include_bytes!({path:?})),").expect("writing to a string succeeds");
    }
    let report = report.display().to_string();
    writeln!(list, "];\npub(crate) const REPORT: &str = include_str!({report:?});")
        .expect("writing to a string succeeds");
    list + "pub(crate) const MISSING: &str = \"\";\n"
}
