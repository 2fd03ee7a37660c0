//! Sphere models of meshes and robots.

use crate::problems::{cell, rows_of};
use crate::run::{csv, kansho, real_data};
use kansho::cell::{Body, BodyKind};
