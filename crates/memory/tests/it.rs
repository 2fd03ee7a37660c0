//! The contract of an allocator, asked of [`Told`] as the allocator of this program: blocks are aligned, zeroed where that is asked for,
//! do not overlap, and keep what is in them when they grow, shrink and go from thread to thread.
//!
//! Every block is filled with a number of its own, and looked at before it is changed or given back. With `-Zsanitizer=address`
//! (`./test`), a byte beyond a block, or one of a block that was given back, ends the test, too.

use std::sync::mpsc;
use std::thread;

use kansho_memory::Told;

#[global_allocator]
static MEMORY: Told = Told { exit_code: 2 };

/// Numbers that look random (Marsaglia's xorshift).
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % end as u64) as usize
    }

    /// Small sizes and, now and then, ones that the system maps as pages.
    fn size(&mut self) -> usize {
        let most = [8, 200, 5_000, 300_000][self.below(4)];
        1 + self.below(most)
    }
}

/// A page and more: the allocator is asked for this alignment.
#[repr(align(8192))]
#[derive(Clone, Copy)]
struct Wide([u8; 8192]);

/// A block and the number that it is full of.
struct Block {
    bytes: Vec<u8>,
    number: u8,
}

impl Block {
    fn new(size: usize, number: u8) -> Self {
        // Zeroed by the allocator; a vector of zeros asks for that.
        let mut bytes = vec![0_u8; size];
        assert!(bytes.iter().all(|&byte| byte == 0), "a zeroed block of {size} bytes is not");
        bytes.fill(number);
        Block { bytes, number }
    }

    fn look(&self) {
        let size = self.bytes.len();
        assert!(
            self.bytes.iter().all(|&byte| byte == self.number),
            "a block of {size} bytes is not as it was left"
        );
    }

    /// Grows or shrinks it in place, or moves it: `realloc`.
    fn resize(&mut self, size: usize) {
        self.bytes.resize(size, self.number);
        self.bytes.shrink_to_fit();
        self.look();
    }
}

#[test]
fn blocks_keep_what_is_in_them() {
    let (give, take) = mpsc::channel::<Block>();
    let threads: Vec<_> = (0..4)
        .map(|seed| {
            let give = give.clone();
            thread::spawn(move || {
                let mut numbers = Numbers(0x9E37_79B9 + seed);
                let mut blocks: Vec<Block> = Vec::new();
                for turn in 0..4_000_usize {
                    match numbers.below(4) {
                        0 if !blocks.is_empty() => {
                            let block = blocks.swap_remove(numbers.below(blocks.len()));
                            block.look();
                        }
                        1 if !blocks.is_empty() => {
                            let at = numbers.below(blocks.len());
                            blocks[at].resize(numbers.size());
                        }
                        2 if blocks.len() > 8 => {
                            // Given back by another thread than the one that asked for it.
                            give.send(blocks.swap_remove(0)).expect("the other end is there");
                        }
                        _ if blocks.len() < 64 => {
                            blocks.push(Block::new(numbers.size(), (turn % 251) as u8));
                        }
                        _ => blocks.iter().for_each(Block::look),
                    }
                }
            })
        })
        .collect();
    drop(give);
    let mut passed = 0;
    for block in take {
        block.look();
        passed += 1;
    }
    assert!(passed > 1_000, "only {passed} blocks went from thread to thread");
    for thread in threads {
        thread.join().expect("all blocks were as they were left");
    }
}

#[test]
fn blocks_are_aligned_as_asked() {
    for count in 1..40 {
        let pages = vec![Wide([count as u8; 8192]); count];
        assert_eq!(pages.as_ptr().addr() % 8192, 0);
        let mut grown = pages.clone();
        grown.reserve_exact(count + 1);
        assert_eq!(grown.as_ptr().addr() % 8192, 0);
        assert!(grown.iter().all(|page| page.0.iter().all(|&byte| byte == count as u8)));
    }
}
