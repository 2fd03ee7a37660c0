//! Every file format, in both directions, and nothing else knows formats.
//!
//! | part | reads and writes |
//! |---|---|
//! | [`mesh`] | STL, OBJ, PLY, OFF, glTF/GLB, COLLADA in; STL, OBJ, PLY, GLB out |
//! | [`urdf`] | robots |
//! | [`srdf`] | which links of a robot are not checked against each other |
//! | [`cell`] | cells: robots, tools and objects, from `cell.toml` |
//! | [`job`] | jobs: a work path and how a robot may follow it, from `job.toml` |
//! | [`script`] | movements in words, from `script.toml` |
//! | [`problems`] | rooms with a start and a goal, for planners |
//! | [`plan_files`] | what a plan writes: map, path, report |
//! | [`demo`] | the built-in cell and its job, out only |
//! | [`poses`], [`postures`] | CSV of poses and of postures |
//! | [`waypoints`] | motions: postures one after the other |
//! | [`move_list`] | motions that lead a tool: lists of moves, tables of poses |
//! | [`motion_file`] | motions in any of these formats |
//! | [`robot_program`] | programs of robot controllers: RAPID, KRL, FANUC LS, URScript, JBI |
//! | [`certificate`] | why nothing touches |
//! | [`ccd`] | queries about moving features, with the truth |
//! | [`live`] | postures that come one JSON line at a time |
//! | [`fingerprint`] | what tells a cell or a job from every other |
//! | [`fields`] | what fields of distances have worked out, for the next time |
//! | [`png`] | pictures, out only |
//! | [`toolpath`] | toolpaths of CAM systems: APT-CL, G-code, 5DC |
//! | [`trajectory`] | trajectories of ROS: joint trajectories (YAML), Pilz sequences (XML) |
//! | [`json`] | JSON in which every key stands once |
//! | [`table`] | any table of numbers |
//! | [`limits`] | joints outside their limits, in the words of people |
//! | [`units`] | units of the numbers in a table |
//! | [`people`] | numbers in words, out only |
//! | [`setting`] | settings that messages name, in the words of each face |
//! | [`fault`] | what is wrong with a file, and where |
//!
//! Files become validated values here, once; after that nobody checks again. A reader never panics, never takes
//! more memory than a small multiple of the file, never follows a path out of the file's own folder, and never hands
//! over half of a file as if it were whole.

pub mod ccd;
pub mod cell;
pub mod certificate;
pub mod demo;
pub mod fault;
pub mod fields;
pub mod fingerprint;
mod held;
pub mod job;
pub mod json;
pub mod limits;
pub mod live;
mod load;
pub mod mesh;
pub mod motion_file;
pub mod move_list;
pub mod people;
pub mod plan_files;
pub mod png;
pub mod poses;
pub mod postures;
pub mod problems;
pub mod robot_program;
pub mod script;
pub mod setting;
pub mod srdf;
pub mod table;
mod text;
pub mod toolpath;
pub mod trajectory;
pub mod units;
pub mod urdf;
pub mod waypoints;
mod write;
mod xml;

pub use fault::{Fault, Place, ReadError, Warning, WriteError};
pub use write::{file_can_be_written, folder_can_be_written, whole_file, whole_files, whole_stream};
