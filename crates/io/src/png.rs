//! Pictures as PNG: with full colours, or with a palette.

use png::{BitDepth, ColorType, Compression, Encoder};

/// A picture of full colours: red, green and blue of every pixel, row by row from the top.
///
/// # Panics
/// If there are not as many pixels as width times height, or none.
#[must_use]
pub fn encode(width: usize, height: usize, pixels: &[[u8; 3]]) -> Vec<u8> {
    file([width, height], ColorType::Rgb, None, pixels.as_flattened())
}

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

    /// As a file.
    ///
    /// # Panics
    /// If there are not as many pixels as width times height, or none.
    #[must_use]
    pub fn to_png(&self) -> Vec<u8> {
        let palette = Some(self.palette.as_flattened());
        file([self.width, self.height], ColorType::Indexed, palette, &self.pixels)
    }
}

fn file([width, height]: [usize; 2], colours: ColorType, palette: Option<&[u8]>, pixels: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut encoder = Encoder::new(&mut bytes, width as u32, height as u32);
    encoder.set_color(colours);
    encoder.set_depth(BitDepth::Eight);
    encoder.set_compression(Compression::Fast);
    if let Some(palette) = palette {
        encoder.set_palette(palette);
    }
    let mut writer = encoder.write_header().expect("a picture has pixels");
    writer.write_image_data(pixels).expect("there is a pixel for every place, and memory takes all");
    writer.finish().expect("memory takes all");
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Cursor;

    /// What was written is read again, by the other half of the crate.
    fn read(bytes: &[u8]) -> (usize, usize, Vec<u8>) {
        let mut decoder = png::Decoder::new(Cursor::new(bytes));
        decoder.set_transformations(png::Transformations::EXPAND);
        let mut reader = decoder.read_info().expect("a picture");
        let mut pixels = vec![0; reader.output_buffer_size().expect("it is small")];
        let info = reader.next_frame(&mut pixels).expect("a picture");
        (info.width as usize, info.height as usize, pixels)
    }

    #[test]
    fn pictures_are_read_as_they_were_made() {
        let pixels: Vec<[u8; 3]> = (0..60_000u32).map(|k| [k as u8, (k >> 8) as u8, (k * k) as u8]).collect();
        assert_eq!(read(&encode(300, 200, &pixels)), (300, 200, pixels.as_flattened().to_vec()));
        let mut picture = Picture::new(40, 30, vec![[1, 2, 3], [200, 100, 50]]);
        picture.fill([35, 28], [10, 10], 1);
        let (width, height, found) = read(&picture.to_png());
        assert_eq!((width, height, &found[..3]), (40, 30, &[1, 2, 3][..]));
        assert_eq!(found.chunks(3).filter(|pixel| *pixel == [200, 100, 50]).count(), 10);
    }
}
