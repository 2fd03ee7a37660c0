use fearless_simd::Level;
use std::sync::OnceLock;

/// The environment variable that chooses instructions; see [`SIMD_CHOICES`].
pub const SIMD_VARIABLE: &str = "KANSHO_SIMD";

/// What [`SIMD_VARIABLE`] may say: the best instructions of this processor (as without the variable), or those alone that every processor of
/// its kind has.
///
/// The latter work out each lane as a loop over single numbers would: sums and products, each rounded, none fused. (On x86-64 that is SSE2,
/// below which there is nothing: single numbers are worked out by it, too.)
pub const SIMD_CHOICES: [&str; 2] = ["best", "baseline"];

/// The instructions that every question uses. Read once, when the first is asked: answers are the same for all of them, so this is for
/// tests, and for a machine whose processor is suspected. Other words count as `best`; the command refuses them.
pub(crate) fn level() -> Level {
    static LEVEL: OnceLock<Level> = OnceLock::new();
    *LEVEL.get_or_init(|| match std::env::var(SIMD_VARIABLE).as_deref() {
        Ok("baseline") => Level::baseline(),
        _ => Level::new(),
    })
}
