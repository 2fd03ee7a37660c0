//! Pictures with a palette, as PNG.

/// A picture of at most 256 colours. Pixels are row by row from the top.
#[derive(Clone, Debug)]
pub struct Picture {
    /// In pixels.
    pub width: usize,
    /// In pixels.
    pub height: usize,
    /// As many as width times height.
    pub pixels: Vec<u8>,
    /// Red, green and blue.
    pub palette: Vec<[u8; 3]>,
}

impl Picture {
    /// All pixels have the first colour.
    #[must_use]
    pub fn new(width: usize, height: usize, palette: Vec<[u8; 3]>) -> Self {
        Self { width, height, pixels: vec![0; width * height], palette }
    }

    /// Colours a rectangle, its upper left corner given; what is outside is left out.
    pub fn fill(&mut self, [x, y]: [usize; 2], [width, height]: [usize; 2], colour: u8) {
        for row in y..(y + height).min(self.height) {
            let end = (x + width).min(self.width);
            if x < end {
                self.pixels[row * self.width + x..row * self.width + end].fill(colour);
            }
        }
    }

    /// As a file: <https://www.w3.org/TR/png-3/>. Runs of equal bytes are packed, no more.
    #[must_use]
    pub fn to_png(&self) -> Vec<u8> {
        let mut file = b"\x89PNG\r\n\x1a\n".to_vec();
        let size = [self.width as u32, self.height as u32].map(u32::to_be_bytes).concat();
        // Eight bits a pixel, with a palette.
        chunk(&mut file, b"IHDR", &[&size[..], &[8, 3, 0, 0, 0]].concat());
        chunk(&mut file, b"PLTE", &self.palette.concat());
        let mut rows = Vec::with_capacity(self.pixels.len() + self.height);
        for row in self.pixels.chunks_exact(self.width) {
            rows.push(0); // No filter.
            rows.extend_from_slice(row);
        }
        let mut data = vec![0x78, 0x01];
        data.extend_from_slice(&deflate(&rows));
        data.extend_from_slice(&adler(&rows).to_be_bytes());
        chunk(&mut file, b"IDAT", &data);
        chunk(&mut file, b"IEND", &[]);
        file
    }
}

fn chunk(file: &mut Vec<u8>, kind: &[u8; 4], data: &[u8]) {
    file.extend_from_slice(&(data.len() as u32).to_be_bytes());
    let start = file.len();
    file.extend_from_slice(kind);
    file.extend_from_slice(data);
    let sum = crc(&file[start..]);
    file.extend_from_slice(&sum.to_be_bytes());
}

fn crc(bytes: &[u8]) -> u32 {
    let table: Vec<u32> = (0..256u32)
        .map(|byte| (0..8).fold(byte, |c, _| if c & 1 == 1 { 0xedb8_8320 ^ (c >> 1) } else { c >> 1 }))
        .collect();
    !bytes.iter().fold(u32::MAX, |c, &byte| table[((c ^ u32::from(byte)) & 0xff) as usize] ^ (c >> 8))
}

fn adler(bytes: &[u8]) -> u32 {
    let (mut a, mut b) = (1u32, 0u32);
    for &byte in bytes {
        a = (a + u32::from(byte)) % 65_521;
        b = (b + a) % 65_521;
    }
    b << 16 | a
}

/// Bits, the lowest first.
#[derive(Default)]
struct Bits {
    bytes: Vec<u8>,
    held: u64,
    count: u32,
}

impl Bits {
    fn put(&mut self, value: u32, count: u32) {
        self.held |= u64::from(value) << self.count;
        self.count += count;
        while self.count >= 8 {
            self.bytes.push(self.held as u8);
            self.held >>= 8;
            self.count -= 8;
        }
    }

    /// A code of the fixed tables, which goes highest bit first.
    fn code(&mut self, code: u32, count: u32) {
        self.put(code.reverse_bits() >> (32 - count), count);
    }

    fn literal(&mut self, symbol: u32) {
        match symbol {
            0..=143 => self.code(0x30 + symbol, 8),
            144..=255 => self.code(0x190 + symbol - 144, 9),
            256..=279 => self.code(symbol - 256, 7),
            _ => self.code(0xc0 + symbol - 280, 8),
        }
    }
}

/// RFC 1951, with the fixed codes: single bytes, and runs of a byte as copies from one back.
fn deflate(bytes: &[u8]) -> Vec<u8> {
    let mut bits = Bits::default();
    bits.put(0b011, 3); // The last block, fixed codes.
    let mut at = 0;
    while at < bytes.len() {
        let byte = bytes[at];
        let run = bytes[at..].iter().take_while(|other| **other == byte).count();
        bits.literal(u32::from(byte));
        let mut left = run - 1;
        while left >= 258 {
            bits.code(285 - 280 + 0xc0, 8); // A length of 258.
            bits.code(0, 5); // From one back.
            left -= 258;
        }
        if left >= 3 {
            let (symbol, extra, more) = length_code(left as u32);
            bits.literal(symbol);
            bits.put(more, extra);
            bits.code(0, 5);
            left = 0;
        }
        (0..left).for_each(|_| bits.literal(u32::from(byte)));
        at += run;
    }
    bits.literal(256);
    bits.put(0, 7); // To a whole byte.
    bits.bytes
}

/// The symbol of a length from 3 to 257, its extra bits and their value.
fn length_code(length: u32) -> (u32, u32, u32) {
    if length <= 10 {
        return (254 + length, 0, 0);
    }
    let past = length - 3;
    let extra = past.ilog2() - 2;
    let group = past >> extra; // 4 to 7.
    (257 + 4 * extra + group, extra, past & ((1 << extra) - 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Undoes what [`deflate`] does, from the other end of the standard.
    fn inflate(bytes: &[u8]) -> Vec<u8> {
        let mut at = 0;
        let mut bit = || {
            let found = u32::from(bytes[at / 8] >> (at % 8) & 1);
            at += 1;
            found
        };
        let mut number = |count: u32| (0..count).fold(0, |sum, k| sum | bit() << k);
        assert_eq!(number(3), 0b011);
        let mut out: Vec<u8> = Vec::new();
        loop {
            let mut code = (0..7).fold(0, |code, _| code << 1 | number(1));
            let symbol = if code <= 0b001_0111 {
                256 + code
            } else {
                code = code << 1 | number(1);
                match code {
                    0x30..=0xbf => code - 0x30,
                    0xc0..=0xc7 => 280 + code - 0xc0,
                    _ => (code << 1 | number(1)) - 0x190 + 144,
                }
            };
            match symbol {
                0..=255 => out.push(symbol as u8),
                256 => return out,
                _ => {
                    const BASE: [u32; 29] = [
                        3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99,
                        115, 131, 163, 195, 227, 258,
                    ];
                    const EXTRA: [u32; 29] = [
                        0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0,
                    ];
                    let k = (symbol - 257) as usize;
                    let length = BASE[k] + number(EXTRA[k]);
                    assert_eq!(number(5), 0, "from one back");
                    let last = *out.last().expect("a byte before");
                    (0..length).for_each(|_| out.push(last));
                }
            }
        }
    }

    #[test]
    fn what_is_packed_comes_out_again() {
        for length in 1..700 {
            let run: Vec<u8> = (0..length).map(|k| if k < length / 2 { 7 } else { 200 }).collect();
            assert_eq!(inflate(&deflate(&run)), run, "{length}");
        }
        let mixed: Vec<u8> = (0..10_000u32).map(|k| (k * k / 97 % 256) as u8).collect();
        assert_eq!(inflate(&deflate(&mixed)), mixed);
    }

    #[test]
    fn sums_are_those_of_the_standards() {
        assert_eq!(crc(b"123456789"), 0xcbf4_3926);
        assert_eq!(adler(b"Wikipedia"), 0x11e6_0398);
    }
}
