/// Seconds of processor time that this thread has used, so that other work on the machine does not count.
///
/// Where the system does not tell (anywhere but on Linux), the time on the wall.
pub(crate) fn thread_secs() -> f64 {
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanos = told.and_then(|text| text.split(' ').next()?.parse::<f64>().ok());
    nanos.map_or_else(wall_secs, |nanos| nanos * 1e-9)
}

fn wall_secs() -> f64 {
    use std::sync::OnceLock;
    use std::time::Instant;
    static START: OnceLock<Instant> = OnceLock::new();
    START.get_or_init(Instant::now).elapsed().as_secs_f64()
}
