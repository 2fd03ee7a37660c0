/// Runs something on a number of threads; on all cores if none is given.
pub(crate) fn on<T: Send>(threads: Option<usize>, work: impl FnOnce() -> T + Send) -> T {
    match rayon::ThreadPoolBuilder::new().num_threads(threads.unwrap_or(0)).build() {
        Ok(pool) => pool.install(work),
        Err(_) => work(), // No threads of our own: the answer is the same.
    }
}
