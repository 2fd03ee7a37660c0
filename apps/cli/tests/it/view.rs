//! `kansho view`: who is answered, and what.

use crate::run::kansho;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// A viewer that ends with the test.
pub(crate) struct Viewer {
    pub(crate) child: Child,
    pub(crate) address: SocketAddr,
}

impl Drop for Viewer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

pub(crate) struct Answer {
    pub(crate) code: u16,
    head: String,
    body: Vec<u8>,
}

impl Answer {
    fn json(&self) -> Value {
        serde_json::from_slice(&self.body)
            .unwrap_or_else(|error| panic!("{error} in {:?}", String::from_utf8_lossy(&self.body)))
    }
}

impl Viewer {
    /// Starts a viewer; none where the program was built without the page.
    pub(crate) fn start(arguments: &[&str]) -> Option<Self> {
        Self::started(Command::new(env!("CARGO_BIN_EXE_kansho")), arguments)
    }

    /// The same, within limits of the shell (`ulimit`).
    #[cfg(unix)]
    pub(crate) fn start_within(limits: &str, arguments: &[&str]) -> Option<Self> {
        let mut command = Command::new("sh");
        command.args(["-c", &format!("ulimit {limits} && exec \"$@\""), "sh", env!("CARGO_BIN_EXE_kansho")]);
        Self::started(command, arguments)
    }

    #[expect(clippy::print_stderr, reason = "a skipped test tells why")]
    fn started(mut command: Command, arguments: &[&str]) -> Option<Self> {
        let mut child = command
            .args(["view", "--no-open"])
            .args(arguments)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the command starts");
        let mut line = String::new();
        BufReader::new(child.stdout.take().expect("piped")).read_line(&mut line).expect("text");
        if line.is_empty() {
            let mut said = String::new();
            child.stderr.take().expect("piped").read_to_string(&mut said).expect("text");
            assert_eq!(child.wait().expect("it ended").code(), Some(3), "{said}");
            assert!(said.contains("built without the page of the viewer: "), "{said}");
            eprintln!("skipped: {said}");
            return None;
        }
        let (_, after) = line.split_once("http://").unwrap_or_else(|| panic!("no address in {line:?}"));
        let (address, _) = after.split_once('/').expect("an address ends");
        Some(Self { child, address: address.parse().expect("an address") })
    }

    /// Sends bytes as they are.
    fn raw(&self, request: &[u8]) -> Answer {
        let mut stream = TcpStream::connect(self.address).expect("it listens");
        stream.set_read_timeout(Some(Duration::from_secs(60))).expect("a time");
        // Who refuses a request need not read all of it.
        let _ = stream.write_all(request);
        let mut all = Vec::new();
        let _ = stream.read_to_end(&mut all);
        let end = all.windows(4).position(|four| four == b"\r\n\r\n").map_or(all.len(), |at| at + 4);
        let head = String::from_utf8_lossy(&all[..end]).into_owned();
        let code = head.split(' ').nth(1).and_then(|code| code.parse().ok()).unwrap_or(0);
        Answer { code, head: head.to_ascii_lowercase(), body: all[end..].to_vec() }
    }

    fn ask(&self, line: &str, headers: &str, body: &str) -> Answer {
        let length =
            if body.is_empty() { String::new() } else { format!("Content-Length: {}\r\n", body.len()) };
        self.raw(format!("{line} HTTP/1.1\r\n{headers}{length}Connection: close\r\n\r\n{body}").as_bytes())
    }

    pub(crate) fn get(&self, path: &str) -> Answer {
        self.ask(&format!("GET {path}"), &format!("Host: {}\r\n", self.address), "")
    }

    fn post(&self, path: &str, body: &Value) -> Answer {
        let headers = format!("Host: {}\r\nContent-Type: application/json\r\n", self.address);
        self.ask(&format!("POST {path}"), &headers, &body.to_string())
    }
}

impl Viewer {
    /// The path of a question about the files as they are shown now.
    fn about(&self, what: &str) -> String {
        let edition = self.get("/api/cell").json()["edition"].as_u64().expect("a number");
        format!("/api/{edition}/{what}")
    }
}

/// The demo's files, and a viewer of them.
fn demo(folder: &Path) -> Option<Viewer> {
    let out = folder.join("demo").to_string_lossy().into_owned();
    assert_eq!(kansho(["demo", "--no-plan", "--out", &out]).code, 0);
    Viewer::start(&[&out])
}

#[test]
fn only_the_page_on_this_machine_is_answered() {
    let folder = tempfile::tempdir().expect("a folder");
    let Some(viewer) = demo(folder.path()) else { return };
    let own = viewer.address;
    assert!(own.ip().is_loopback());
    let page = viewer.get("/");
    assert_eq!(page.code, 200, "{}", page.head);
    assert!(String::from_utf8_lossy(&page.body).contains("<title>kansho</title>"));
    for wanted in [
        "content-security-policy: default-src 'none'",
        "x-content-type-options: nosniff",
        "x-frame-options: deny",
    ] {
        assert!(page.head.contains(wanted), "{}", page.head);
    }
    let code = |line: &str, headers: &str| viewer.ask(line, headers, "").code;
    let host = format!("Host: {own}\r\n");
    for bad in ["evil.example", "evil.example:80", "localhost", &format!("evil.example:{}", own.port())] {
        assert_eq!(code("GET /", &format!("Host: {bad}\r\n")), 403, "{bad}");
        assert_eq!(code("GET /api/cell", &format!("Host: {bad}\r\n")), 403, "{bad}");
    }
    assert!([400, 403].contains(&code("GET /", "")), "without a host");
    for path in ["/", "/api/cell", &viewer.about("geometry")] {
        assert_eq!(code(&format!("GET {path}"), &format!("{host}Origin: http://evil.example\r\n")), 403);
        assert_eq!(code(&format!("GET {path}"), &format!("{host}Sec-Fetch-Site: cross-site\r\n")), 403);
        assert_eq!(code(&format!("GET {path}"), &format!("{host}Origin: http://{own}\r\n")), 200);
    }
    assert_eq!(code("OPTIONS /api/look", &format!("{host}Origin: http://evil.example\r\n")), 403);
    assert_eq!(code("PUT /api/look", &host), 405);
}

#[test]
fn nothing_but_the_page_and_the_cell_is_served() {
    let folder = tempfile::tempdir().expect("a folder");
    let Some(viewer) = demo(folder.path()) else { return };
    for path in [
        "/../cell.toml",
        "/..",
        "/../../../../../../etc/passwd",
        "/%2e%2e/%2e%2e/etc/passwd",
        "/..%2f..%2fetc/passwd",
        "/assets/../../cell.toml",
        "/assets/%2e%2e/%2e%2e/cell.toml",
        "/assets\\..\\cell.toml",
        "//etc/passwd/..",
    ] {
        let answer = viewer.get(path);
        assert_eq!(answer.code, 400, "{path}: {}", answer.head);
        assert!(answer.body.len() < 200);
    }
    for path in [
        "/cell.toml",
        "/etc/passwd",
        "//etc/passwd",
        &viewer.about("motion/99"),
        &viewer.about("motion/x"),
        &viewer.about("model/x"),
        "/api/motion/0",
        "/api",
    ] {
        assert_eq!(viewer.get(path).code, 404, "{path}");
    }
    assert_eq!(viewer.get(&viewer.about("look")).code, 405);
}

#[test]
fn large_and_wrong_requests_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let Some(viewer) = demo(folder.path()) else { return };
    let large = json!({ "posture": vec![0.25; 100_000] });
    let look = viewer.about("look");
    assert_eq!(viewer.post(&look, &large).code, 413);
    let chunked = format!(
        "POST {look} HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n{}0\r\n\r\n",
        viewer.address,
        format!("10000\r\n{}\r\n", "1".repeat(0x1_0000)).repeat(8)
    );
    assert_eq!(viewer.raw(chunked.as_bytes()).code, 413, "a large body that does not say so");
    // What claims to be large is not waited for.
    let claim = format!(
        "POST {look} HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\nContent-Length: 99999999999\r\nConnection: close\r\n\r\n[",
        viewer.address
    );
    assert_eq!(viewer.raw(claim.as_bytes()).code, 413);
    assert_eq!(viewer.get(&format!("/{}", "a".repeat(10_000))).code, 414);
    let header = format!("Host: {}\r\nX-Large: {}\r\n", viewer.address, "a".repeat(1_000_000));
    assert_eq!(viewer.ask("GET /", &header, "").code, 431);
    for body in [
        json!({ "posture": [0] }),
        json!({ "posture": [0, 0, 0, 0, 0, 1e300] }),
        json!([]),
        json!({ "posture": "x" }),
    ] {
        let answer = viewer.post(&look, &body);
        assert_eq!(answer.code, 400, "{body}");
        assert!(answer.json()["error"].is_string());
    }
    let plain = viewer.ask(
        &format!("POST {look}"),
        &format!("Host: {}\r\nContent-Type: text/plain\r\n", viewer.address),
        "{}",
    );
    assert_eq!(plain.code, 415);
    assert_eq!(viewer.raw(b"nonsense\r\n\r\n").code, 400);
    // And it is still there.
    assert_eq!(viewer.get("/api/cell").code, 200);
}

#[test]
fn what_is_seen_is_what_the_command_says() {
    let folder = tempfile::tempdir().expect("a folder");
    let Some(viewer) = demo(folder.path()) else { return };
    let path = |name: &str| folder.path().join("demo").join(name).to_string_lossy().into_owned();
    let run = kansho(["postures", &path("cell.toml"), "--postures", &path("postures.csv"), "--distance"]);
    let mut rows = run.stdout.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let header = rows.next().expect("a header");
    let column = |name: &str| header.iter().position(|own| *own == name).expect("a column");
    let (gap, pair) = (column("distance"), column("pair"));
    let table = std::fs::read_to_string(path("postures.csv")).expect("the demo wrote it");
    let names: Vec<String> = viewer.get("/api/cell").json()["bodies"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|body| body["name"].as_str().expect("a name").to_owned())
        .collect();
    let look = viewer.about("look");
    for (posture, row) in table.lines().skip(1).zip(rows) {
        let posture: Vec<f64> = posture.split(',').map(|number| number.parse().expect("a number")).collect();
        let seen = viewer.post(&look, &json!({ "posture": posture })).json();
        let nearest = &seen["pairs"][0];
        let body = |k: usize| &names[nearest["bodies"][k].as_u64().expect("a number") as usize];
        let told: f64 = row[gap].parse().expect("a number");
        assert!((nearest["gap"].as_f64().expect("a number") - told).abs() <= 1e-6, "{seen}");
        assert!(told == 0.0 || row[pair] == format!("{}|{}", body(0), body(1)), "{seen}");
        assert_eq!(seen["hits"].as_array().expect("a list").is_empty(), told > 0.0, "{seen}");
    }
    let proof = viewer.get(&viewer.about("motion/0")).json();
    let check = kansho(["check", &path("cell.toml"), &path("motion_shortcut.csv"), "--json"]);
    assert_eq!((check.code, proof["verdict"].as_str()), (1, Some("touches")));
    let first = check.json()["t"][1].as_f64().expect("a time");
    assert!((proof["marks"][0]["from"].as_f64().expect("a time") - first).abs() < 1e-8, "{proof}");
}

#[test]
fn faults_are_told_as_on_the_command_line() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("cell.toml");
    let path = file.to_string_lossy().into_owned();
    let good = "[[object]]\nname = \"block\"\nbox = [1, 1, 1]\n";
    let bad = "[[object]]\nname = \"block\"\nbx = [1, 1, 1]\nat = { xyz = [0, 0] }\n";
    std::fs::write(&file, bad).expect("written");
    let told = kansho(["pairs", &path]);
    assert_eq!(told.code, 3);
    std::fs::write(&file, good).expect("written");
    let Some(viewer) = Viewer::start(&[&path]) else { return };
    assert_eq!(viewer.get("/api/cell").json()["bodies"][0]["name"], "block");
    std::fs::write(&file, bad).expect("written");
    let run = kansho(["view", "--no-open", &path]);
    assert_eq!((run.code, &run.stderr), (3, &told.stderr), "from the start");
    let answer = viewer.post("/api/reload", &json!({}));
    assert_eq!(
        (answer.code, answer.json()["error"].as_str()),
        (422, Some(told.stderr.as_str())),
        "on the page"
    );
    // What was shown stays, until the file is right again.
    assert_eq!(viewer.get("/api/cell").json()["bodies"][0]["name"], "block");
    std::fs::write(&file, good.replace("block", "other")).expect("written");
    assert_eq!(viewer.post("/api/reload", &json!({})).code, 200);
    assert_eq!(viewer.get("/api/cell").json()["bodies"][0]["name"], "other");
}

#[test]
fn contacts_are_those_of_the_command() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/assembly/cell.toml");
    let path = root.to_string_lossy().into_owned();
    let Some(viewer) = Viewer::start(&[&path]) else { return };
    for moving in ["slider", "peg", "block"] {
        let told = kansho(["contact", &path, "--moving", moving, "--json"]).json();
        let shown = viewer.post(&viewer.about("contacts"), &json!({ "moving": moving })).json();
        assert_eq!(
            shown["points"].as_array().map(Vec::len),
            told["contacts"].as_array().map(Vec::len),
            "{moving}"
        );
        assert_eq!(shown["groups"], told["and_conditions"], "{moving}");
        assert_eq!(shown["freedoms"], told["freedoms"], "{moving}");
        assert!(!shown["points"].as_array().expect("a list").is_empty(), "{moving}");
    }
    let unknown = viewer.post(&viewer.about("contacts"), &json!({ "moving": "slidr" }));
    assert_eq!(unknown.code, 422);
    assert!(unknown.json()["error"].as_str().expect("words").contains("slider"));
}

/// A motion that `kansho script` wrote is there to be looked at.
#[test]
fn a_motion_from_words_is_shown() {
    let folder = tempfile::tempdir().expect("a folder");
    let run = crate::words::by_robot(folder.path());
    assert_eq!(run.code, 0, "{}", run.stderr);
    let Some(viewer) = Viewer::start(&[&folder.path().to_string_lossy()]) else { return };
    // The page gets all motions, each with a proof when it is asked for; one is here.
    let edition = viewer.get("/api/cell").json()["edition"].as_u64().expect("a number");
    let shapes = viewer.get(&format!("/api/{edition}/geometry"));
    assert!(String::from_utf8_lossy(&shapes.body).contains("\"name\":\"motion\""));
    let proof = viewer.get(&format!("/api/{edition}/motion/0"));
    assert_eq!(proof.code, 200, "{}", proof.head);
    assert_eq!(proof.json()["verdict"], "free");
    assert_eq!(viewer.get(&format!("/api/{edition}/motion/1")).code, 404);
}

#[test]
fn an_answer_is_about_the_files_that_the_page_was_shown() {
    let folder = tempfile::tempdir().expect("a folder");
    let Some(viewer) = demo(folder.path()) else { return };
    let before = viewer.get("/api/cell").json()["edition"].as_u64().expect("a number");
    let questions = |edition: u64| {
        let path = |what: &str| format!("/api/{edition}/{what}");
        let posture = json!({ "posture": [0, 0, 0, 0, 0, 0] });
        vec![
            viewer.get(&path("geometry")).code,
            viewer.get(&path("model/boxes")).code,
            viewer.get(&path("motion/0")).code,
            viewer.post(&path("look"), &posture).code,
            viewer.post(&path("contacts"), &json!({ "moving": "sheet" })).code,
        ]
    };
    assert!(questions(before).iter().all(|code| [200, 422].contains(code)), "{:?}", questions(before));
    // A motion that has another name now must not be answered as the one that a page still shows.
    assert_eq!(viewer.post("/api/reload", &json!({})).code, 200);
    let after = viewer.get("/api/cell").json()["edition"].as_u64().expect("a number");
    assert!(after > before);
    assert_eq!(questions(before), [409; 5]);
    assert!(questions(after).iter().all(|code| [200, 422].contains(code)));
    for odd in ["0", "x", "-1", "18446744073709551616"] {
        assert_eq!(viewer.get(&format!("/api/{odd}/motion/0")).code, 409, "{odd}");
    }
}

#[test]
fn many_who_connect_and_say_nothing_do_not_keep_the_browser_out() {
    let folder = tempfile::tempdir().expect("a folder");
    let Some(viewer) = demo(folder.path()) else { return };
    let silent: Vec<TcpStream> =
        (0..100).map(|_| TcpStream::connect(viewer.address).expect("it listens")).collect();
    assert_eq!(viewer.get("/api/cell").code, 200);
    drop(silent);
}
