//! Pictures as PNG, without compression.

/// A picture as a PNG file: red, green and blue of every pixel, row by row from the top.
///
/// # Panics
/// If there are not as many pixels as width times height.
#[must_use]
pub fn encode(width: usize, height: usize, pixels: &[[u8; 3]]) -> Vec<u8> {
    assert_eq!(pixels.len(), width * height, "a pixel for every place");
    let mut rows = Vec::with_capacity((width * 3 + 1) * height);
    for row in pixels.chunks_exact(width.max(1)) {
        rows.push(0); // No filter.
        rows.extend(row.iter().flatten());
    }
    let mut file = b"\x89PNG\r\n\x1a\n".to_vec();
    let mut header = Vec::new();
    header.extend((width as u32).to_be_bytes());
    header.extend((height as u32).to_be_bytes());
    header.extend([8, 2, 0, 0, 0]); // Eight bits of each of three colours.
    chunk(&mut file, *b"IHDR", &header);
    chunk(&mut file, *b"IDAT", &stored(&rows));
    chunk(&mut file, *b"IEND", &[]);
    file
}

fn chunk(file: &mut Vec<u8>, name: [u8; 4], content: &[u8]) {
    file.extend((content.len() as u32).to_be_bytes());
    let start = file.len();
    file.extend(name);
    file.extend(content);
    let sum = crc(&file[start..]);
    file.extend(sum.to_be_bytes());
}

/// zlib's format with blocks that are stored as they are.
fn stored(bytes: &[u8]) -> Vec<u8> {
    let mut out = vec![0x78, 0x01];
    let mut blocks = bytes.chunks(0xffff).peekable();
    if blocks.peek().is_none() {
        out.extend([1, 0, 0, 0xff, 0xff]);
    }
    while let Some(block) = blocks.next() {
        out.push(u8::from(blocks.peek().is_none()));
        let length = block.len() as u16;
        out.extend(length.to_le_bytes());
        out.extend((!length).to_le_bytes());
        out.extend(block);
    }
    let (mut a, mut b) = (1u32, 0u32);
    for byte in bytes {
        a = (a + u32::from(*byte)) % 65521;
        b = (b + a) % 65521;
    }
    out.extend((b << 16 | a).to_be_bytes());
    out
}

/// The checksum of PNG: CRC-32 of IEEE 802.3.
fn crc(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0u32, |crc, byte| {
        (0..8).fold(crc ^ u32::from(*byte), |crc, _| crc >> 1 ^ if crc & 1 == 1 { 0xedb8_8320 } else { 0 })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The known checksum of an empty end, and of the digits from 1 to 9; sizes as they should be.
    #[test]
    fn pictures_are_well_formed() {
        assert_eq!(crc(b"123456789"), 0xcbf4_3926);
        assert_eq!(crc(b"IEND"), 0xae42_6082);
        let file = encode(300, 200, &vec![[1, 2, 3]; 60_000]);
        let data = (300 * 3 + 1) * 200;
        let blocks = (data as usize).div_ceil(0xffff);
        assert_eq!(file.len(), 8 + 25 + 12 + (2 + 5 * blocks + data as usize + 4) + 12);
        assert_eq!(stored(b"Wikipedia")[2 + 5 + 9..], 0x11e6_0398u32.to_be_bytes());
    }
}
