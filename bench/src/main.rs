//! Whole jobs with known answers. See `README.md` beside this crate.
#![expect(clippy::print_stdout, reason = "a bench prints its figures")]

mod cam;
mod ccd;
mod cells;
mod clock;
mod contact;
#[path = "../../crates/geom/tests/it/contact_oracle.rs"]
mod contact_oracle;
mod differ;
mod ik;
mod lin;
mod monitor;
mod motions;
mod moving;
mod peers;
mod plan;
mod sampled;
mod spheres;
mod threads;
mod two_meshes;

use peers::Peers;
use std::path::PathBuf;

const JOBS: [&str; 15] = [
    "W1", "W2", "W3", "W4", "W5", "rough", "searches", "ccd", "moving", "ik", "lin", "plan", "cam",
    "contact", "threads",
];

fn main() {
    let Some(data) = std::env::var_os("KANSHO_DATA") else {
        println!("KANSHO_DATA must name the folder that holds data/ and bench/");
        std::process::exit(3);
    };
    let real = PathBuf::from(&data).join("data");
    let data = PathBuf::from(data).join("bench/data");
    let mut wanted: Vec<String> = std::env::args().skip(1).collect();
    if wanted.is_empty() {
        wanted = JOBS.map(String::from).to_vec();
    }
    // These take numbers after their name.
    match wanted[0].as_str() {
        "differ-static" => return differ::statics(&real, &data, &wanted[1..]),
        "differ-rows" => return differ::rows(&real, &data, &wanted[1..]),
        "differ-motions" => return differ::motions(&real, &data, &wanted[1..]),
        _ => {}
    }
    let peers = Peers::from_environment();
    // One thread, so that its processor time is all there is.
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a pool of threads");
    for job in &wanted {
        match job.as_str() {
            "W1" => pool.install(|| two_meshes::touching(&data, &peers)),
            "W2" => pool.install(|| two_meshes::apart(&data, &peers)),
            "W3" => pool.install(|| {
                cells::random(&data, "boxes", &peers);
                cells::random(&data, "mixed", &peers);
            }),
            "W4" => pool.install(|| motions::segments(&data, &peers)),
            "W5" => pool.install(|| cells::work_path(&data, &peers)),
            "rough" => pool.install(|| {
                cells::rough(&data, "boxes");
                cells::rough(&data, "mixed");
            }),
            "searches" => pool.install(|| spheres::searches(&data)),
            "ccd" => ccd::all(&data),
            "moving" => moving::all(),
            "ik" => ik::all(&real),
            "lin" => pool.install(|| lin::costs(&data, &real)),
            "sampled-lin" => lin::sampled(&data, &real),
            "windshield" => lin::windshield(&real),
            "plan" => pool.install(|| plan::rooms(&real)),
            "contact" => pool.install(|| contact::all(&real)),
            "cam" => {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().expect("a pool of threads");
                pool.install(|| cam::windshield(&real));
            }
            "sampled-cam" => cam::sampled(&real),
            "intervals" => cam::intervals(&real),
            "threads" => threads::two(&data),
            "sampled" => sampled::all(&data, &real),
            "monitor" => monitor::live(&data),
            "alone" => threads::alone(&data),
            other => {
                println!(
                    "there is no job {other}; there are {}, intervals, monitor, sampled, sampled-cam, sampled-lin and windshield; and differ-static, differ-rows and differ-motions, which take numbers",
                    JOBS.join(", ")
                );
                std::process::exit(3);
            }
        }
    }
}
