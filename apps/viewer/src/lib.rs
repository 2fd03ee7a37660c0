//! A robot cell in the browser: robots, objects, motions, what collides, and what contacts allow.
//!
//! | part | does |
//! |---|---|
//! | [`serve()`] | answers a browser on the same machine, and nobody else |
//! | `listen` | how many may connect, and how long they may keep us waiting |
//! | `guard` | which requests are answered at all |
//! | `page` | the page, built from `web/` and held in the program |
//! | `shown` | what is shown, with all that is worked out when first asked for |
//! | `describe`, `pack` | the cell and its shapes, as the page takes them |
//! | `models` | merged faces, spheres and boxes |
//! | [`api`] | types of what the page is told, beside those of the library's answers |
//! | `map` | the map of a job, packed |
//! | [`report`] | what came of a job, as one file to mail |
//! | [`Busy`] | work that goes on while its cell is shown already |
//! | [`Live`] | a cell that is watched while it moves |
//! | [`of_script`] | the bodies of a script of movements in words |
//!
//! `guard` looks at every request first, and `listen` bounds connections and their patience. Questions name the reading of the files that they are
//! about (*edition*); about another one there is no answer, and the page begins anew. Pictures are drawn when something changes: twice as fine
//! as the screen at rest, and coarse where they are slow while something moves. What tests look at is a copy (`window.kansho.state()`).
//!
//! `build.rs` runs Vite and lists the files for `include_bytes!`. `web/package-lock.json` names no addresses, and Rollup is its build for all
//! machines (`@rollup/wasm-node`), so that the lock needs no package of another system to be there. Biome formats and lints the page.
//!
//! Lengths are metres, angles radians. Shapes go over the wire once, in single precision, for the eye only: whatever is said about
//! gaps and contacts is worked out here, on the shapes themselves.

pub mod api;
mod busy;
mod describe;
mod guard;
mod listen;
mod live;
mod map;
mod models;
mod pack;
mod page;
mod report;
mod script;
mod serve;
mod shown;

pub use busy::{Busy, Work};
pub use guard::Frames;
pub use live::{Live, Tick};
pub use page::missing;
pub use report::{Reported, places_report, plan_report, report};
pub use script::of_script;
pub use serve::{Address, Load, ServeFault, Viewer, serve};
pub use shown::Loaded;
