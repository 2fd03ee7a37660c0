//! Which requests are answered at all.
//!
//! A page of somebody else, open in the same browser, can send requests to this machine. It cannot forge `Host` or `Origin`: so
//! what names another host (which is how a name that is made to point here would), or comes from another page, is refused. A
//! machine's own address is no name that others could point elsewhere, so numbers are taken.

use axum::http::{HeaderMap, Method, StatusCode, Uri, header};
use std::net::{IpAddr, SocketAddr};

/// Longest path and query that is looked at.
const LONGEST: usize = 2048;

/// Largest body of a request, in bytes: a posture of some thousand joints, or a long script.
pub(crate) const LARGEST_BODY: usize = 256 * 1024;

/// Why a request is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Refused(pub(crate) StatusCode, pub(crate) &'static str);

/// Who may show the viewer inside a page of theirs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Frames {
    /// Nobody.
    #[default]
    Nobody,
    /// Pages of this machine, as notebooks are. They see no more of it than where it is on their page.
    ThisMachine,
}

/// Looks at a request before anything else does.
pub(crate) fn check(
    own: SocketAddr,
    frames: Frames,
    method: &Method,
    uri: &Uri,
    headers: &HeaderMap,
) -> Result<(), Refused> {
    let refuse = |what| Err(Refused(StatusCode::FORBIDDEN, what));
    let mut hosts = headers.get_all(header::HOST).iter();
    let host = hosts.next().and_then(|host| host.to_str().ok());
    if hosts.next().is_some() || !host.is_some_and(|host| is_own(own, host)) {
        return refuse("this is not for another host");
    }
    if uri.authority().is_some_and(|authority| !is_own(own, authority.as_str())) {
        return refuse("this is not for another host");
    }
    for origin in headers.get_all(header::ORIGIN) {
        let host = origin.to_str().ok().and_then(|origin| origin.strip_prefix("http://"));
        if !host.is_some_and(|host| is_own(own, host)) {
            return refuse("this is not for pages from elsewhere");
        }
    }
    // Browsers say where a request comes from, also where they send no origin.
    for site in headers.get_all("sec-fetch-site") {
        if site != "same-origin" && site != "none" && !is_frame(frames, method, uri, headers) {
            return refuse("this is not for pages from elsewhere");
        }
    }
    if *method != Method::GET && *method != Method::HEAD && *method != Method::POST {
        return Err(Refused(StatusCode::METHOD_NOT_ALLOWED, "GET and POST only"));
    }
    if *method == Method::POST
        && headers.get(header::CONTENT_TYPE).is_none_or(|kind| kind != "application/json")
    {
        // Forms of other pages cannot send this.
        return Err(Refused(StatusCode::UNSUPPORTED_MEDIA_TYPE, "JSON only"));
    }
    let length =
        headers.get(header::CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse::<usize>().ok());
    if headers.contains_key(header::CONTENT_LENGTH) && length.is_none_or(|length| length > LARGEST_BODY) {
        // What says that it is too large is not waited for.
        return Err(Refused(StatusCode::PAYLOAD_TOO_LARGE, "too large"));
    }
    if uri.to_string().len() > LONGEST {
        return Err(Refused(StatusCode::URI_TOO_LONG, "too long"));
    }
    let plain = |letter: u8| letter.is_ascii_alphanumeric() || b"/-_.".contains(&letter);
    // Names of the page's files are plain, so nothing is decoded, and nothing leads up.
    if uri.path().contains("..") || !uri.path().bytes().all(plain) {
        return Err(Refused(StatusCode::BAD_REQUEST, "no such path"));
    }
    Ok(())
}

/// Whether a page begins to show us in a frame: it is sent the page, which says who may; all that the page asks for then comes from itself.
fn is_frame(frames: Frames, method: &Method, uri: &Uri, headers: &HeaderMap) -> bool {
    let says = |name: &str, value: &str| {
        let mut all = headers.get_all(name).iter();
        all.next().is_some_and(|given| given == value) && all.next().is_none()
    };
    frames == Frames::ThisMachine
        && *method == Method::GET
        && uri.path() == "/"
        && says("sec-fetch-dest", "iframe")
        && says("sec-fetch-mode", "navigate")
}

/// Whether this names the address that we listen on: a number or `localhost`, and the right port.
fn is_own(own: SocketAddr, host: &str) -> bool {
    let (name, port) = match host.rsplit_once(':') {
        Some((name, port)) if !port.ends_with(']') => (name, port.parse().ok()),
        _ => (host, Some(80)),
    };
    if port != Some(own.port()) {
        return false;
    }
    if name.eq_ignore_ascii_case("localhost") {
        return true;
    }
    let number = name.strip_prefix('[').and_then(|name| name.strip_suffix(']')).unwrap_or(name);
    let Ok(number) = number.parse::<IpAddr>() else { return false };
    // Who listens on all addresses is asked by any of them.
    own.ip().is_unspecified() || number == own.ip() || (own.ip().is_loopback() && number.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::HeaderValue;

    fn asked(own: &str, method: &Method, uri: &str, headers: &[(&'static str, &str)]) -> u16 {
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            map.append(*name, HeaderValue::from_str(value).expect("a header"));
        }
        let own = own.parse().expect("an address");
        let uri = uri.parse().expect("a path");
        check(own, Frames::Nobody, method, &uri, &map).map_or_else(|refused| refused.0.as_u16(), |()| 200)
    }

    #[test]
    fn only_this_machine_is_host() {
        let get = |host: &str| asked("127.0.0.1:8000", &Method::GET, "/", &[("host", host)]);
        for good in ["127.0.0.1:8000", "localhost:8000", "LocalHost:8000", "[::1]:8000"] {
            assert_eq!(get(good), 200, "{good}");
        }
        for bad in [
            "127.0.0.1",
            "127.0.0.1:8001",
            "localhost",
            "evil.example:8000",
            "localhost.evil.example:8000",
            "127.0.0.1.evil.example:8000",
            "192.168.0.7:8000",
            "",
            ":8000",
            "127.0.0.1:8000@evil.example",
            "[::1:8000",
        ] {
            assert_eq!(get(bad), 403, "{bad}");
        }
        assert_eq!(asked("127.0.0.1:8000", &Method::GET, "/", &[]), 403);
        let twice = [("host", "127.0.0.1:8000"), ("host", "evil.example:8000")];
        assert_eq!(asked("127.0.0.1:8000", &Method::GET, "/", &twice), 403);
        let far = [("host", "127.0.0.1:8000")];
        assert_eq!(asked("127.0.0.1:8000", &Method::GET, "http://evil.example:8000/", &far), 403);
        assert_eq!(asked("0.0.0.0:8000", &Method::GET, "/", &[("host", "192.168.0.7:8000")]), 200);
        assert_eq!(asked("0.0.0.0:8000", &Method::GET, "/", &[("host", "evil.example:8000")]), 403);
    }

    #[test]
    fn only_this_page_asks() {
        let host = ("host", "127.0.0.1:8000");
        let json = ("content-type", "application/json");
        let own = "127.0.0.1:8000";
        let post = |more: (&'static str, &str)| asked(own, &Method::POST, "/api/look", &[host, json, more]);
        assert_eq!(post(("origin", "http://127.0.0.1:8000")), 200);
        for origin in
            ["http://evil.example", "http://127.0.0.1:8001", "https://127.0.0.1:8000", "null", "file://"]
        {
            assert_eq!(post(("origin", origin)), 403, "{origin}");
        }
        assert_eq!(post(("sec-fetch-site", "same-origin")), 200);
        assert_eq!(post(("sec-fetch-site", "cross-site")), 403);
        assert_eq!(post(("sec-fetch-site", "same-site")), 403);
        assert_eq!(asked(own, &Method::POST, "/api/look", &[host, ("content-type", "text/plain")]), 415);
        assert_eq!(asked(own, &Method::POST, "/api/look", &[host]), 415);
        assert_eq!(asked(own, &Method::PUT, "/", &[host]), 405);
        assert_eq!(asked(own, &Method::DELETE, "/", &[host]), 405);
    }

    #[test]
    fn paths_are_plain() {
        let get = |uri: &str| asked("127.0.0.1:8000", &Method::GET, uri, &[("host", "127.0.0.1:8000")]);
        assert_eq!(get("/assets/index-B3_x.js"), 200);
        for bad in
            ["/../Cargo.toml", "/assets/../../x", "/%2e%2e/x", "/a%2fb", "/a\\b", "/..", "/a//../b", "/é"]
        {
            if bad.parse::<Uri>().is_ok() {
                assert_eq!(get(bad), 400, "{bad}");
            }
        }
        assert_eq!(get(&format!("/{}", "a".repeat(3000))), 414);
    }

    #[test]
    fn notebooks_of_this_machine_may_frame_the_page_only() {
        let own = "127.0.0.1:8000".parse().expect("an address");
        let frame = [
            ("host", "127.0.0.1:8000"),
            ("sec-fetch-site", "same-site"),
            ("sec-fetch-dest", "iframe"),
            ("sec-fetch-mode", "navigate"),
        ];
        let asked = |frames, method: &Method, path: &str, headers: &[(&'static str, &str)]| {
            let mut map = HeaderMap::new();
            headers.iter().for_each(|(name, value)| {
                map.append(*name, HeaderValue::from_str(value).expect("a header"));
            });
            check(own, frames, method, &path.parse().expect("a path"), &map).is_ok()
        };
        let mut cross = frame;
        cross[1].1 = "cross-site";
        assert!(asked(Frames::ThisMachine, &Method::GET, "/", &frame));
        assert!(asked(Frames::ThisMachine, &Method::GET, "/", &cross));
        // Nobody, nothing but the page, and by no other way.
        assert!(!asked(Frames::Nobody, &Method::GET, "/", &frame));
        assert!(!asked(Frames::ThisMachine, &Method::GET, "/api/cell", &frame));
        assert!(!asked(Frames::ThisMachine, &Method::POST, "/", &frame));
        for missing in 2..4 {
            let some: Vec<_> = (0..4).filter(|k| *k != missing).map(|k| frame[k]).collect();
            assert!(!asked(Frames::ThisMachine, &Method::GET, "/", &some));
        }
        let mut script = frame;
        script[2].1 = "script";
        assert!(!asked(Frames::ThisMachine, &Method::GET, "/", &script));
        let mut elsewhere = frame.to_vec();
        elsewhere.push(("origin", "http://example.org"));
        assert!(!asked(Frames::ThisMachine, &Method::GET, "/", &elsewhere));
    }
}
