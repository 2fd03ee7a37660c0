//! A robot cell in the browser: robots, objects, motions, what collides, and what contacts allow.
//!
//! | part | does |
//! |---|---|
//! | [`serve()`] | answers a browser on the same machine, and nobody else |
//! | `guard` | which requests are answered at all |
//! | `page` | the page, built from `web/` and held in the program |
//! | `shown` | what is shown, with all that is worked out when first asked for |
//! | `describe`, `shade`, `pack` | the cell and its shapes, as the page takes them |
//! | `models` | merged faces, spheres and boxes |
//! | `look` | what is near or touches in a posture |
//! | `proof` | what is known of a motion: verdict, contacts, gaps over time |
//! | `contacts` | what touching allows |
//!
//! Lengths are metres, angles radians. Shapes go over the wire once, in single precision, for the eye only: whatever is said about
//! gaps and contacts is worked out here, on the shapes themselves.

mod contacts;
mod describe;
mod guard;
mod look;
mod models;
mod pack;
mod page;
mod proof;
mod serve;
mod shade;
mod shown;

pub use page::missing;
pub use serve::{Address, Load, ServeFault, serve};
pub use shown::{Loaded, NamedMotion};
