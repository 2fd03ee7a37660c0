use std::time::Duration;

/// How many threads may be asked for.
pub(crate) fn number(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(threads) if (1..=kansho::threads::MOST).contains(&threads) => Ok(threads),
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
