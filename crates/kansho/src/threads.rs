//! On how many threads a question is answered. The answer is the same for any number.

use rayon::{ThreadPool, ThreadPoolBuilder};
use std::sync::OnceLock;

/// The most threads that may be asked for.
pub const MOST: usize = 512;

/// Runs something on a number of threads; on all cores if none is given.
pub fn on<T: Send>(threads: Option<usize>, work: impl FnOnce() -> T + Send) -> T {
    // Threads do not survive a fork, and the pool of the process that was forked would wait for them for ever: so it knows its process.
    static SHARED: OnceLock<(u32, Option<ThreadPool>)> = OnceLock::new();
    let here = std::process::id();
    let of_call;
    let pool = match threads {
        None => {
            let (process, shared) = SHARED.get_or_init(|| (here, pool(None)));
            if *process == here {
                shared.as_ref()
            } else {
                of_call = pool(None);
                of_call.as_ref()
            }
        }
        some => {
            of_call = pool(some);
            of_call.as_ref()
        }
    };
    match pool {
        Some(pool) => pool.install(work),
        None => work(), // This thread belongs to a pool already.
    }
}

fn pool(threads: Option<usize>) -> Option<ThreadPool> {
    let builder = ThreadPoolBuilder::new;
    // Where the machine gives no threads, this one does it alone.
    let pool = builder().num_threads(threads.unwrap_or(0)).build();
    pool.or_else(|_| builder().num_threads(1).use_current_thread().build()).ok()
}
