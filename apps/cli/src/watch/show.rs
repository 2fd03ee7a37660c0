//! What is watched, in the browser. Pages ask for what is new, and whoever answers postures never waits for them.

use super::Arguments;
use crate::{say, view};
use kansho::check::scene::Scene;
use kansho_viewer::{Address, Live, Loaded, serve};
use std::io::IsTerminal;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::{Arc, mpsc};

/// Begins to show a cell, on threads of its own; where to tell how it moves.
pub(super) fn start(arguments: &Arguments, scene: &Scene) -> Result<Arc<Live>, String> {
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
    Ok(live)
}
