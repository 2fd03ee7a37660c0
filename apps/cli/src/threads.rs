use std::time::Duration;

/// How many threads may be asked for.
pub(crate) fn number(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(threads) if (1..=512).contains(&threads) => Ok(threads),
        _ => Err("a number of threads from 1 to 512".into()),
    }
}

/// How long a command may take.
pub(crate) fn seconds(text: &str) -> Result<Duration, String> {
    text.parse()
        .ok()
        .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
        .ok_or_else(|| "a number of seconds, zero or more".into())
}

/// Runs something on a number of threads; on all cores if none is given.
pub(crate) fn on<T: Send>(threads: Option<usize>, work: impl FnOnce() -> T + Send) -> T {
    let pool = || rayon::ThreadPoolBuilder::new();
    // Where the machine gives no threads, this one does it alone: the answer is the same.
    let pool = pool()
        .num_threads(threads.unwrap_or(0))
        .build()
        .or_else(|_| pool().num_threads(1).use_current_thread().build());
    match pool {
        Ok(pool) => pool.install(work),
        Err(_) => work(), // This thread belongs to a pool already.
    }
}
