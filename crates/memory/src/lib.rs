//! What a program does that gets no more memory: it says so, and ends with an exit code of its choice.
//!
//! Rust's own way is to abort, which looks like a crash (a signal, perhaps a core file), and while one thread aborts, others may
//! wait for it. A limit such as `ulimit -v` is no crash: it is a budget, and a program that stays within it has decided nothing.
//!
//! This is the only place with `unsafe` of our own. It hands every request on, unchanged, to the allocator of the system and
//! looks at one thing only, whether there is an answer; so it keeps the contract of [`GlobalAlloc`] if [`System`] does.
//!
//! ```
//! #[global_allocator]
//! static MEMORY: kansho_memory::Told = kansho_memory::Told { exit_code: 2 };
//! let much = vec![1_u8; 1 << 20];
//! assert_eq!(much[1 << 19], 1);
//! ```

use std::alloc::{GlobalAlloc, Layout, System};
use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};

#[allow(unsafe_code, reason = "the library has no way to end a process at once with an exit code")]
// SAFETY: the C library of every system that we build for has this function, with this signature; it takes any code and never returns.
unsafe extern "C" {
    safe fn _exit(code: std::ffi::c_int) -> !;
}

/// The allocator of the system; where it has nothing more to give, that is said on standard error, and the program ends.
#[derive(Debug)]
pub struct Told {
    /// What the program ends with.
    pub exit_code: i32,
}

#[allow(unsafe_code, reason = "an allocator cannot be written without; see the top of the file")]
// SAFETY: each call is answered by `System`, which is an allocator, with what it was asked for; or it does not return. Nothing here
// allocates or unwinds: `no_more` formats into an array on the stack, ignores what writing answers, and never returns.
unsafe impl GlobalAlloc for Told {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller keeps what `alloc` asks for (a size above zero), which is what `System::alloc` asks for.
        self.given(unsafe { System.alloc(layout) }, layout.size())
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as for `alloc`.
        self.given(unsafe { System.alloc_zeroed(layout) }, layout.size())
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: all blocks come from `System` with the layout they were asked for; the caller vouches for the rest.
        self.given(unsafe { System.realloc(block, layout, size) }, size)
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: all blocks come from `System` with the layout they were asked for.
        unsafe { System.dealloc(block, layout) }
    }
}

impl Told {
    /// The block, if there is one.
    #[inline]
    fn given(&self, block: *mut u8, bytes: usize) -> *mut u8 {
        if block.is_null() {
            self.no_more(format_args!("{bytes} bytes were refused"));
        }
        block
    }

    /// From now on, a thread that gets no memory for its second stack (on which the standard library tells that the first one is full) is one
    /// more reason to say so and end. The library itself panics there, in the new thread, before any code of the program runs in it.
    pub fn watch_threads(&'static self) {
        let usual = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            let said = panic.payload();
            let text =
                said.downcast_ref::<String>().map(String::as_str).or(said.downcast_ref::<&str>().copied());
            if text.is_some_and(|text| text.contains("alternative stack")) {
                self.no_more(format_args!("a thread was refused its stack"));
            }
            usual(panic);
        }));
    }

    /// Says it and ends. Several threads may come here at once; the first one tells.
    #[cold]
    fn no_more(&self, what: std::fmt::Arguments<'_>) -> ! {
        static TOLD: AtomicBool = AtomicBool::new(false);
        if !TOLD.swap(true, Ordering::SeqCst) {
            let mut text = [0_u8; 160];
            let left = {
                let mut rest = &mut text[..];
                // No `eprintln`: it panics where standard error is closed, and a panic allocates.
                let _ = writeln!(
                    rest,
                    "error: there is no more memory: {what}, by the machine or by a limit (ulimit -v)"
                );
                rest.len()
            };
            let _ = std::io::stderr().write_all(&text[..text.len() - left]);
            // Not `std::process::exit`: its cleaning up waits for locks, and a thread that sleeps below may hold one of them, for threads get
            // memory while they are made known to the library.
            _exit(self.exit_code);
        }
        loop {
            std::thread::sleep(std::time::Duration::from_secs(1)); // Until the process is gone.
        }
    }
}
