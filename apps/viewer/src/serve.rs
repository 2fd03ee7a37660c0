//! Answers a browser.

use crate::guard::{self, LARGEST_BODY, Refused};
use crate::shown::{Loaded, Shown};
use crate::{contacts, page};
use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{DefaultBodyLimit, Path, Request, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use serde::Deserialize;
use serde_json::{Value, json};
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::Semaphore;

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
    runtime.block_on(async move {
        let listener = tokio::net::TcpListener::bind(wanted).await.map_err(refuse)?;
        let own = listener.local_addr().map_err(ServeFault::Ended)?;
        let desk = Arc::new(Desk {
            own,
            shown: Mutex::new(Arc::new(Shown::new(first))),
            load,
            busy: Semaphore::new(8),
        });
        desk.now().prepare();
        started(own);
        axum::serve(listener, router(desk)).await.map_err(ServeFault::Ended)
    })
}

/// What requests share.
struct Desk {
    own: SocketAddr,
    shown: Mutex<Arc<Shown>>,
    load: Load,
    /// Questions that are worked out at the same time, at most.
    busy: Semaphore,
}

impl Desk {
    fn now(&self) -> Arc<Shown> {
        Arc::clone(&self.shown.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

type Shared = State<Arc<Desk>>;

fn router(desk: Arc<Desk>) -> Router {
    Router::new()
        .route("/api/cell", get(cell))
        .route("/api/geometry", get(geometry))
        .route("/api/model/{name}", get(model))
        .route("/api/motion/{number}", get(motion))
        .route("/api/look", post(look))
        .route("/api/contacts", post(of_contacts))
        .route("/api/reload", post(reload))
        .fallback(get(file))
        .layer(DefaultBodyLimit::max(LARGEST_BODY))
        .layer(middleware::from_fn_with_state(Arc::clone(&desk), guarded))
        .with_state(desk)
}

/// What every answer says to the browser: nothing is fetched from elsewhere, and nobody else may show or read it.
const ALWAYS: [(&str, &str); 6] = [
    (
        "content-security-policy",
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; \
         base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    ),
    ("x-content-type-options", "nosniff"),
    ("referrer-policy", "no-referrer"),
    ("cross-origin-resource-policy", "same-origin"),
    ("cross-origin-opener-policy", "same-origin"),
    ("x-frame-options", "DENY"),
];

async fn guarded(State(desk): Shared, request: Request, next: Next) -> Response {
    let checked = guard::check(desk.own, request.method(), request.uri(), request.headers());
    let mut response = match checked {
        Ok(()) => next.run(request).await,
        Err(Refused(code, what)) => (code, what).into_response(),
    };
    for (name, value) in ALWAYS {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    response.headers_mut().entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    response
}

fn answer(value: &Value) -> Response {
    ([(header::CONTENT_TYPE, "application/json")], value.to_string()).into_response()
}

fn binary(bytes: Bytes) -> Response {
    ([(header::CONTENT_TYPE, "application/octet-stream")], Body::from(bytes)).into_response()
}

fn refuse(code: StatusCode, what: &str) -> Response {
    let body = json!({ "error": what }).to_string();
    (code, [(header::CONTENT_TYPE, "application/json")], body).into_response()
}

/// Works something out on a thread of its own.
async fn aside(desk: Arc<Desk>, work: impl FnOnce(&Shown) -> Response + Send + 'static) -> Response {
    let Ok(_turn) = desk.busy.acquire().await else {
        return refuse(StatusCode::SERVICE_UNAVAILABLE, "the viewer is ending");
    };
    let shown = desk.now();
    match tokio::task::spawn_blocking(move || work(&shown)).await {
        Ok(response) => response,
        Err(_) => refuse(
            StatusCode::INTERNAL_SERVER_ERROR,
            "something went wrong in kansho; the terminal says where",
        ),
    }
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
    aside(desk, |shown| answer(shown.described())).await
}

async fn geometry(State(desk): Shared) -> Response {
    aside(desk, |shown| binary(shown.geometry())).await
}

async fn model(State(desk): Shared, Path(name): Path<String>) -> Response {
    aside(desk, move |shown| match shown.model(&name) {
        Some(bytes) => binary(bytes),
        None => refuse(StatusCode::NOT_FOUND, "there is no such model"),
    })
    .await
}

async fn motion(State(desk): Shared, Path(number): Path<String>) -> Response {
    aside(desk, move |shown| match number.parse().ok().and_then(|number| shown.proof(number)) {
        Some(proof) => answer(proof),
        None => refuse(StatusCode::NOT_FOUND, "there is no such motion"),
    })
    .await
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Look {
    posture: Vec<f64>,
}

async fn look(State(desk): Shared, body: Bytes) -> Response {
    aside(desk, move |shown| {
        let asked: Look = match serde_json::from_slice(&body) {
            Ok(asked) => asked,
            Err(error) => return refuse(StatusCode::BAD_REQUEST, &error.to_string()),
        };
        match shown.look(&asked.posture) {
            Ok(seen) => answer(&seen),
            Err(why) => refuse(StatusCode::BAD_REQUEST, &why),
        }
    })
    .await
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Moving {
    moving: String,
}

async fn of_contacts(State(desk): Shared, body: Bytes) -> Response {
    aside(desk, move |shown| {
        let asked: Moving = match serde_json::from_slice(&body) {
            Ok(asked) => asked,
            Err(error) => return refuse(StatusCode::BAD_REQUEST, &error.to_string()),
        };
        match shown.parts().and_then(|parts| contacts::of(parts, &asked.moving)) {
            Ok(found) => answer(&found),
            Err(why) => refuse(StatusCode::UNPROCESSABLE_ENTITY, &why),
        }
    })
    .await
}

async fn reload(State(desk): Shared) -> Response {
    let owner = Arc::clone(&desk);
    aside(desk, move |_| match (owner.load)() {
        Ok(loaded) => {
            let shown = Arc::new(Shown::new(loaded));
            shown.prepare();
            *owner.shown.lock().unwrap_or_else(PoisonError::into_inner) = shown;
            answer(&json!({ "reloaded": true }))
        }
        Err(message) => refuse(StatusCode::UNPROCESSABLE_ENTITY, &message),
    })
    .await
}
