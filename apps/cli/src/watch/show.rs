//! What is watched, in the browser. Pages ask for what is new, and whoever answers postures never waits for them.

use super::Arguments;
use crate::{say, view};
use kansho::ask::watch::{OnAnswer, WatchAnswer};
use kansho::check::scene::Scene;
use kansho_viewer::{Address, Live, Loaded, Tick, serve};
use std::io::IsTerminal;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};

/// What the page is told of an answer.
fn tick(answer: &WatchAnswer<'_>, posture: &[f64], since: Duration) -> Tick {
    Tick {
        line: answer.line,
        seconds: since.as_secs_f64(),
        posture: posture.to_vec(),
        gap: answer.gap,
        bodies: answer.bodies.map(|pair| pair.map(|body| body.0)),
        points: answer.points,
        time_to_contact: answer.time_to_contact,
        estimate: answer.estimate,
        dropped: answer.dropped,
    }
}

/// Begins to show a cell, on threads of its own; who tells it how it moves.
pub(super) fn start(arguments: &Arguments, scene: &Scene) -> Result<OnAnswer, String> {
    let live = Arc::new(if arguments.spheres.is_some() { Live::of_spheres() } else { Live::default() });
    let loaded = Loaded {
        title: arguments.cell.display().to_string(),
        cell: Arc::clone(scene.cell()),
        motions: Vec::new(),
        warnings: Vec::new(),
        words: None,
        task: None,
        live: Some(Arc::clone(&live)),
        busy: None,
        tour: false,
    };
    let address = Address { ip: IpAddr::V4(Ipv4Addr::LOCALHOST), port: arguments.port };
    let opens = !arguments.no_open && std::io::stderr().is_terminal();
    let (told, heard) = mpsc::channel::<Result<SocketAddr, String>>();
    std::thread::spawn(move || {
        let again = || Err("a cell that is watched is not read again while it is".to_owned());
        let started = told.clone();
        let served = serve(loaded, Box::new(again), address, move |own| {
            let _ = started.send(Ok(own));
        });
        if let Err(fault) = served {
            let _ = told.send(Err(fault.to_string()));
        }
    });
    let own = heard.recv().unwrap_or_else(|_| Err("the viewer has ended".into()))?;
    let link = view::link(own);
    say::note(&format!("shown at {link}"));
    if opens {
        view::open(&link);
    }
    let began = Instant::now();
    Ok(Box::new(move |answer, posture, arrived| {
        live.tell(tick(answer, posture, arrived.saturating_duration_since(began)));
    }))
}
