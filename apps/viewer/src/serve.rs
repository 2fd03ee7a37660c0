//! Answers a browser.

use crate::guard::{self, Frames, LARGEST_BODY, Refused};
use crate::listen::{self, Limits};
use crate::page;
use crate::script::of_script;
use crate::shown::{Loaded, Shown};
use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{Path, Request, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use kansho::ask::held::{drag as dragged, held};
use kansho::ask::script::{EditedScript, edited};
use kansho::io::setting::Face;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::thread::JoinHandle;
use std::time::Duration;
use tokio::sync::{Semaphore, oneshot};

/// Where to listen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Address {
    /// The address; 127.0.0.1 unless users say otherwise.
    pub ip: IpAddr,
    /// The port; any that is free if it is zero.
    pub port: u16,
}

/// Why nothing can be served.
#[derive(Debug, thiserror::Error)]
pub enum ServeFault {
    /// The page was left out when the program was built.
    #[error("this program was built without the page of the viewer: {0}")]
    NoPage(&'static str),
    /// The address is taken, or not ours.
    #[error("cannot listen on {address}: {error}")]
    Listen {
        /// Which.
        address: SocketAddr,
        /// What the system says.
        error: std::io::Error,
    },
    /// The system gave up.
    #[error("the viewer ended: {0}")]
    Ended(std::io::Error),
}

/// Reads what is shown, again whenever the page asks for it; or says what is wrong with the files, as the command line would.
pub type Load = Box<dyn Fn() -> Result<Loaded, String> + Send + Sync>;

/// Answers a browser until the process ends. `started` is told the address once somebody can connect.
///
/// # Errors
/// There is no page, or nobody can listen there.
pub fn serve(
    first: Loaded,
    load: Load,
    address: Address,
    started: impl FnOnce(SocketAddr),
) -> Result<(), ServeFault> {
    until(first, load, address, Frames::Nobody, started, std::future::pending())
}

/// Answers a browser until something comes to its end.
fn until(
    first: Loaded,
    load: Load,
    address: Address,
    frames: Frames,
    started: impl FnOnce(SocketAddr),
    over: impl Future<Output = ()>,
) -> Result<(), ServeFault> {
    if let Some(why) = page::missing() {
        return Err(ServeFault::NoPage(why));
    }
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .max_blocking_threads(16)
        .enable_all()
        .build()
        .map_err(ServeFault::Ended)?;
    let wanted = SocketAddr::new(address.ip, address.port);
    let refuse = |error| ServeFault::Listen { address: wanted, error };
    let done = runtime.block_on(async {
        let listener = tokio::net::TcpListener::bind(wanted).await.map_err(refuse)?;
        let own = listener.local_addr().map_err(ServeFault::Ended)?;
        let desk = Arc::new(Desk {
            own,
            frames,
            shown: Mutex::new(Arc::new(Shown::new(first, 1))),
            load,
            reading: Semaphore::new(1),
            quick: Semaphore::new(8),
            long: Semaphore::new(2),
        });
        desk.now().prepare();
        started(own);
        tokio::select! {
            () = listen::answer(listener, router(Arc::clone(&desk)), Limits::default()) => {}
            () = over => {}
        }
        // Nobody waits for what is being worked out.
        desk.now().end();
        Ok(())
    });
    runtime.shutdown_background();
    done
}

/// A viewer on a thread of its own, until it is closed or dropped.
#[derive(Debug)]
pub struct Viewer {
    own: SocketAddr,
    over: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Viewer {
    /// Begins to answer browsers.
    ///
    /// # Errors
    /// There is no page, or nobody can listen there.
    pub fn start(first: Loaded, load: Load, address: Address, frames: Frames) -> Result<Self, ServeFault> {
        let (over, until_then) = oneshot::channel::<()>();
        let (told, answer) = mpsc::channel();
        let thread = std::thread::spawn(move || {
            let started = |own| {
                let _ = told.send(Ok(own));
            };
            // Whoever drops the sender has gone, which ends it, too.
            let ended = until(first, load, address, frames, started, async move {
                let _ = until_then.await;
            });
            if let Err(fault) = ended {
                let _ = told.send(Err(fault));
            }
        });
        let own = match answer.recv() {
            Ok(own) => own?,
            Err(_) => return Err(ServeFault::Ended(std::io::Error::other("its thread ended"))),
        };
        Ok(Self { own, over: Some(over), thread: Some(thread) })
    }

    /// Where it is shown.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.own
    }

    /// Ends it; nobody can connect any more when this returns.
    pub fn close(&mut self) {
        drop(self.over.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl Drop for Viewer {
    fn drop(&mut self) {
        self.close();
    }
}

/// What requests share.
struct Desk {
    own: SocketAddr,
    frames: Frames,
    shown: Mutex<Arc<Shown>>,
    load: Load,
    /// Files are read by one request after the other, so that what is shown is what was read last.
    reading: Semaphore,
    /// Short questions that are worked out at the same time, at most.
    quick: Semaphore,
    /// And long ones, which do not keep short ones waiting.
    long: Semaphore,
}

impl Desk {
    fn now(&self) -> Arc<Shown> {
        Arc::clone(&self.shown.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Shows something else from now on; which edition that is.
    fn show(&self, loaded: Loaded) -> u64 {
        let mut shown = self.shown.lock().unwrap_or_else(PoisonError::into_inner);
        let next = Arc::new(Shown::new(loaded, shown.edition + 1));
        next.prepare();
        shown.end();
        *shown = next;
        shown.edition
    }
}

type Shared = State<Arc<Desk>>;

fn router(desk: Arc<Desk>) -> Router {
    Router::new()
        .route("/api/cell", get(cell))
        .route("/api/reload", post(reload))
        .route("/api/{edition}/geometry", get(geometry))
        .route("/api/{edition}/model/{name}", get(model))
        .route("/api/{edition}/motion/{number}", get(motion))
        .route("/api/{edition}/look", post(look))
        .route("/api/{edition}/contacts", post(of_contacts))
        .route("/api/{edition}/drag", post(drag))
        .route("/api/{edition}/words", post(of_words))
        .route("/api/{edition}/map", get(map))
        .route("/api/{edition}/map-cell", post(map_cell))
        .route("/api/{edition}/path", post(path))
        .route("/api/{edition}/live/{after}", get(live))
        .route("/api/{edition}/busy", get(busy))
        .fallback(get(file))
        .layer(middleware::from_fn_with_state(Arc::clone(&desk), guarded))
        .with_state(desk)
}

/// How long a request may take to come.
const LONGEST_BODY: Duration = Duration::from_secs(20);

/// What every answer says to the browser: nothing is fetched from elsewhere, and nobody else may read it.
const ALWAYS: [(&str, &str); 4] = [
    ("x-content-type-options", "nosniff"),
    ("referrer-policy", "no-referrer"),
    ("cross-origin-resource-policy", "same-origin"),
    ("cross-origin-opener-policy", "same-origin"),
];

const CONTENT: &str = "content-security-policy";

macro_rules! content_with_frames {
    ($ancestors:literal) => {
        concat!(
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; ",
            "base-uri 'none'; form-action 'none'; frame-ancestors ",
            $ancestors
        )
    };
}

/// Nobody may show it on a page of theirs.
const BY_NOBODY: [(&str, &str); 2] = [(CONTENT, content_with_frames!("'none'")), ("x-frame-options", "DENY")];

/// Pages of this machine may: those of notebooks, in browsers and in editors.
const BY_THIS_MACHINE: [(&str, &str); 1] = [(
    CONTENT,
    content_with_frames!(
        "http://localhost:* http://127.0.0.1:* https://localhost:* https://127.0.0.1:* vscode-webview:"
    ),
)];

async fn guarded(State(desk): Shared, request: Request, next: Next) -> Response {
    let checked = guard::check(desk.own, desk.frames, request.method(), request.uri(), request.headers());
    let mut response = match checked {
        Ok(()) => match whole(request).await {
            Ok(request) => next.run(request).await,
            Err(refused) => refused,
        },
        Err(Refused(code, what)) => (code, what).into_response(),
    };
    let frames: &[(&str, &str)] = match desk.frames {
        Frames::Nobody => &BY_NOBODY,
        Frames::ThisMachine => &BY_THIS_MACHINE,
    };
    for &(name, value) in ALWAYS.iter().chain(frames) {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    response.headers_mut().entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    response
}

/// A request with all of its body, if that is not too large and comes in time.
async fn whole(request: Request) -> Result<Request, Response> {
    let (head, body) = request.into_parts();
    match tokio::time::timeout(LONGEST_BODY, axum::body::to_bytes(body, LARGEST_BODY)).await {
        Ok(Ok(bytes)) => Ok(Request::from_parts(head, Body::from(bytes))),
        Ok(Err(_)) => Err(refuse(StatusCode::PAYLOAD_TOO_LARGE, "too large, or broken off")),
        Err(_) => Err(refuse(StatusCode::REQUEST_TIMEOUT, "too slow")),
    }
}

fn answer(answer: &impl Serialize) -> Response {
    let text = serde_json::to_string(answer).expect("answers are plain data");
    let text = Face::Command.rendered(&text).into_owned();
    ([(header::CONTENT_TYPE, "application/json")], text).into_response()
}

fn binary(bytes: Bytes) -> Response {
    ([(header::CONTENT_TYPE, "application/octet-stream")], Body::from(bytes)).into_response()
}

fn refuse(code: StatusCode, what: &str) -> Response {
    let body = json!({ "error": Face::Command.rendered(what) }).to_string();
    (code, [(header::CONTENT_TYPE, "application/json")], body).into_response()
}

/// Works something out on a thread of its own, about the files as they were read when the page got them. Bodies have numbers, so an answer about
/// files that were read since could be about other bodies altogether: it is refused.
async fn aside(
    desk: Arc<Desk>,
    edition: &str,
    turns: fn(&Desk) -> &Semaphore,
    work: impl FnOnce(&Shown) -> Response + Send + 'static,
) -> Response {
    let shown = desk.now();
    let is_shown = |edition: &str| edition.parse() == Ok(desk.now().edition);
    if !is_shown(edition) {
        return outdated();
    }
    let Ok(_turn) = turns(&desk).acquire().await else {
        return refuse(StatusCode::SERVICE_UNAVAILABLE, "the viewer is ending");
    };
    match tokio::task::spawn_blocking(move || work(&shown)).await {
        // A proof that was told to stop is no answer.
        Ok(_) if !is_shown(edition) => outdated(),
        Ok(response) => response,
        Err(_) => broken(),
    }
}

fn outdated() -> Response {
    refuse(StatusCode::CONFLICT, "the files were read again since this page was shown")
}

fn broken() -> Response {
    refuse(StatusCode::INTERNAL_SERVER_ERROR, "something went wrong in kansho; the terminal says where")
}

fn quick(desk: &Desk) -> &Semaphore {
    &desk.quick
}

fn long(desk: &Desk) -> &Semaphore {
    &desk.long
}

async fn file(request: Request) -> Response {
    let path = request.uri().path();
    let Some((bytes, kind)) = page::file(path) else {
        return refuse(StatusCode::NOT_FOUND, "there is no such file");
    };
    // Names of assets change with what is in them.
    let cache =
        if path.starts_with("/assets/") { "private, max-age=31536000, immutable" } else { "no-store" };
    ([(header::CONTENT_TYPE, kind), (header::CACHE_CONTROL, cache)], bytes).into_response()
}

async fn cell(State(desk): Shared) -> Response {
    let shown = desk.now();
    match tokio::task::spawn_blocking(move || answer(shown.described())).await {
        Ok(response) => response,
        Err(_) => broken(),
    }
}

async fn geometry(State(desk): Shared, Path(edition): Path<String>) -> Response {
    aside(desk, &edition, quick, |shown| binary(shown.geometry())).await
}

async fn model(State(desk): Shared, Path((edition, name)): Path<(String, String)>) -> Response {
    aside(desk, &edition, long, move |shown| match shown.model(&name) {
        Some(bytes) => binary(bytes),
        None => refuse(StatusCode::NOT_FOUND, "there is no such model"),
    })
    .await
}

async fn motion(State(desk): Shared, Path((edition, number)): Path<(String, String)>) -> Response {
    aside(desk, &edition, long, move |shown| {
        match number.parse().ok().and_then(|number| shown.course(number)) {
            Some(course) => answer(course),
            None => refuse(StatusCode::NOT_FOUND, "there is no such motion"),
        }
    })
    .await
}

/// What a body says, or a refusal that tells what is wrong with it.
fn told<T: DeserializeOwned>(body: &[u8], work: impl FnOnce(T) -> Response) -> Response {
    match serde_json::from_slice(body) {
        Ok(asked) => work(asked),
        Err(error) => refuse(StatusCode::BAD_REQUEST, &error.to_string()),
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Look {
    posture: Vec<f64>,
}

async fn look(State(desk): Shared, Path(edition): Path<String>, body: Bytes) -> Response {
    aside(desk, &edition, quick, move |shown| {
        told(&body, |Look { posture }| match shown.look(&posture) {
            Ok(seen) => answer(&seen),
            Err(why) => refuse(StatusCode::BAD_REQUEST, &why),
        })
    })
    .await
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Moving {
    moving: String,
}

async fn of_contacts(State(desk): Shared, Path(edition): Path<String>, body: Bytes) -> Response {
    aside(desk, &edition, quick, move |shown| {
        told(&body, |Moving { moving }| match shown.parts().and_then(|parts| held(parts, &moving)) {
            Ok(found) => answer(&found),
            Err(why) => refuse(StatusCode::UNPROCESSABLE_ENTITY, &why),
        })
    })
    .await
}

async fn drag(State(desk): Shared, Path(edition): Path<String>, body: Bytes) -> Response {
    aside(desk, &edition, quick, move |shown| {
        told(&body, |asked| match shown.parts().and_then(|parts| dragged(parts, &asked)) {
            Ok(found) => answer(&found),
            Err(why) => refuse(StatusCode::UNPROCESSABLE_ENTITY, &why),
        })
    })
    .await
}

async fn map(State(desk): Shared, Path(edition): Path<String>) -> Response {
    aside(desk, &edition, quick, |shown| match shown.map() {
        Some(bytes) => binary(bytes),
        None => refuse(StatusCode::NOT_FOUND, "no job is shown"),
    })
    .await
}

/// An answer, or a refusal that says why not.
fn answered(found: Result<impl Serialize, String>) -> Response {
    match found {
        Ok(found) => answer(&found),
        Err(why) => refuse(StatusCode::UNPROCESSABLE_ENTITY, &why),
    }
}

async fn map_cell(State(desk): Shared, Path(edition): Path<String>, body: Bytes) -> Response {
    aside(desk, &edition, quick, move |shown| told(&body, |asked| answered(shown.map_cell(&asked)))).await
}

async fn path(State(desk): Shared, Path(edition): Path<String>, body: Bytes) -> Response {
    aside(desk, &edition, long, move |shown| told(&body, |asked| answered(shown.path(&asked)))).await
}

/// How long a page waits for something new before it asks again.
const NEWS: Duration = Duration::from_secs(2);

/// How often it is looked whether there is something new: more often than eyes want it.
const LOOK: Duration = Duration::from_millis(12);

/// What is new of a cell that is watched, once there is something. Nobody is kept waiting for a page: it asks, and is answered with the newest.
async fn live(State(desk): Shared, Path((edition, after)): Path<(String, String)>) -> Response {
    let shown = desk.now();
    if edition.parse() != Ok(shown.edition) {
        return outdated();
    }
    let (Some(live), Ok(after)) = (&shown.loaded.live, after.parse()) else {
        return refuse(StatusCode::NOT_FOUND, "nothing is watched here");
    };
    let until = tokio::time::Instant::now() + NEWS;
    while !live.is_after(after) && tokio::time::Instant::now() < until {
        tokio::time::sleep(LOOK).await;
    }
    answer(&live.after(after))
}

/// How far the work is that goes on meanwhile.
async fn busy(State(desk): Shared, Path(edition): Path<String>) -> Response {
    let shown = desk.now();
    if edition.parse() != Ok(shown.edition) {
        return outdated();
    }
    match &shown.loaded.busy {
        Some(busy) => answer(&busy.now()),
        None => refuse(StatusCode::NOT_FOUND, "nothing is done meanwhile"),
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Script {
    text: String,
}

/// What comes of a script. Where the text has other bodies, these are shown from now on, and the page has to begin anew.
async fn of_words(State(desk): Shared, Path(edition): Path<String>, body: Bytes) -> Response {
    let owner = Arc::clone(&desk);
    aside(desk, &edition, long, move |shown| {
        told(&body, |Script { text }| {
            let Some(script) = &shown.loaded.words else {
                return refuse(StatusCode::NOT_FOUND, "no script is shown");
            };
            match edited(script, &text) {
                EditedScript::Same(found) => answer(&found),
                EditedScript::OtherBodies(other) => match of_script(*other, shown.loaded.title.clone()) {
                    Ok(loaded) => {
                        owner.show(loaded);
                        outdated()
                    }
                    Err(why) => refuse(StatusCode::UNPROCESSABLE_ENTITY, &why),
                },
            }
        })
    })
    .await
}

async fn reload(State(desk): Shared) -> Response {
    let owner = Arc::clone(&desk);
    let Ok(_alone) = owner.reading.acquire().await else { return broken() };
    let read = move || match (desk.load)() {
        Ok(loaded) => answer(&json!({ "edition": desk.show(loaded) })),
        Err(message) => refuse(StatusCode::UNPROCESSABLE_ENTITY, &message),
    };
    match tokio::task::spawn_blocking(read).await {
        Ok(response) => response,
        Err(_) => broken(),
    }
}
