//! Rows of counts, numbers and letters in few bytes: what a long certificate says of one move after the other.
//!
//! Moves that follow each other are alike, so their numbers share the first bits. A block holds so many rows. In the numbers, bit by bit, those
//! of a row that is like it are taken off (exclusive or); then come the first bytes of all first numbers, the second ones, and so on;
//! all is deflated (RFC 1951) and written in letters (RFC 4648). Every number comes back to the last bit.
//!
//! ```text
//! block = base64(deflate(
//!   how many lists, rows of each list,
//!   for each row: how many counts, numbers and letters it has, the counts,
//!   all letters,
//!   for each column of numbers: 8 planes of bytes, the least first ))
//! ```

use super::bytes::{Rest, base64, of_base64, push_count};

/// Rows of each list in a block.
pub(super) const ROWS: usize = 64;

/// Bytes that a block may inflate to, at most.
const MOST: usize = 1 << 26;

/// A file may inflate to so many times its size: more than any certificate does, and few enough to hold.
const RATIO: usize = 200;

/// How hard the compressor tries; the most.
const LEVEL: u8 = 9;

/// What is said of one move.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Row {
    pub(super) counts: Vec<u64>,
    pub(super) numbers: Vec<f64>,
    pub(super) letters: String,
}

/// Lists of rows as blocks; none if they could not be read again, for they are too large or too much alike.
pub(super) fn packed(lists: &[Vec<Row>]) -> Option<Vec<String>> {
    let blocks = lists.iter().map(|rows| rows.len().div_ceil(ROWS)).max().unwrap_or(0);
    let (mut all, mut inflated) = (Vec::new(), 0);
    for k in 0..blocks {
        let of =
            |rows: &'_ Vec<Row>| rows[(k * ROWS).min(rows.len())..((k + 1) * ROWS).min(rows.len())].to_vec();
        let bytes = block(&lists.iter().map(of).collect::<Vec<_>>());
        if bytes.len() > MOST {
            return None;
        }
        inflated += bytes.len();
        all.push(base64(&miniz_oxide::deflate::compress_to_vec(&bytes, LEVEL)));
    }
    (inflated <= most_of(&all)).then_some(all)
}

fn most_of(blocks: &[String]) -> usize {
    blocks.iter().map(String::len).sum::<usize>().saturating_mul(RATIO)
}

/// The lists of rows of blocks, of which there are so many lists.
pub(super) fn unpacked(blocks: &[String], lists: usize) -> Result<Vec<Vec<Row>>, &'static str> {
    let mut left = most_of(blocks);
    let mut all: Vec<Vec<Row>> = vec![Vec::new(); lists];
    for text in blocks {
        let bytes = of_base64(text).ok_or("it is not written in the letters of a block")?;
        let inflated = miniz_oxide::inflate::decompress_to_vec_with_limit(&bytes, left.min(MOST))
            .map_err(|_| "it does not inflate, or to more than it may")?;
        left -= inflated.len();
        let found = rows(&inflated, lists).ok_or("its rows are cut short, or more than it says")?;
        all.iter_mut().zip(found).for_each(|(all, mut found)| all.append(&mut found));
    }
    Ok(all)
}

fn block(lists: &[Vec<Row>]) -> Vec<u8> {
    let mut bytes = Vec::new();
    push_count(&mut bytes, lists.len() as u64);
    lists.iter().for_each(|rows| push_count(&mut bytes, rows.len() as u64));
    for row in lists.iter().flatten() {
        for length in [row.counts.len(), row.numbers.len(), row.letters.len()] {
            push_count(&mut bytes, length as u64);
        }
        row.counts.iter().for_each(|count| push_count(&mut bytes, *count));
    }
    lists.iter().flatten().for_each(|row| bytes.extend(row.letters.as_bytes()));
    let lengths: Vec<Vec<usize>> =
        lists.iter().map(|rows| rows.iter().map(|row| row.numbers.len()).collect()).collect();
    for column in columns(&lengths) {
        let bits = |[list, row]: [usize; 2]| lists[list][row].numbers[column.number].to_bits();
        let off: Vec<u64> = column.rows.iter().map(|(row, like)| bits(*row) ^ like.map_or(0, bits)).collect();
        for plane in 0..8 {
            bytes.extend(off.iter().map(|off| (off >> (8 * plane)) as u8));
        }
    }
    bytes
}

/// A column of numbers.
struct Column {
    number: usize,
    /// Rows that have it, as list and row, and the row that each is like.
    rows: Vec<([usize; 2], Option<[usize; 2]>)>,
}

/// Columns of rows with so many numbers. A row is like the one in its place in the first list, if that has as many numbers; or else like the one
/// before it.
fn columns(lengths: &[Vec<usize>]) -> impl Iterator<Item = Column> {
    let most = lengths.iter().flatten().copied().max().unwrap_or(0);
    (0..most).map(move |number| {
        let mut rows = Vec::new();
        for (list, of_list) in lengths.iter().enumerate() {
            let mut before = None;
            for (row, length) in of_list.iter().enumerate().filter(|(_, length)| **length > number) {
                let twin = (list > 0 && lengths[0].get(row) == Some(length)).then_some([0, row]);
                rows.push(([list, row], twin.or(before)));
                before = Some([list, row]);
            }
        }
        Column { number, rows }
    })
}

fn rows(bytes: &[u8], lists: usize) -> Option<Vec<Vec<Row>>> {
    let mut rest = Rest::new(bytes);
    if rest.count()? != lists as u64 {
        return None;
    }
    let mut sizes = Vec::new();
    for _ in 0..lists {
        sizes.push(usize::try_from(rest.count()?).ok().filter(|rows| *rows <= ROWS)?);
    }
    let mut all: Vec<Vec<Row>> = vec![Vec::new(); lists];
    let mut lengths: Vec<Vec<usize>> = vec![Vec::new(); lists];
    let (mut letters, mut numbers) = (Vec::new(), 0usize);
    for (list, size) in sizes.into_iter().enumerate() {
        for _ in 0..size {
            let counts = rest.count()?;
            let length = usize::try_from(rest.count()?).ok()?;
            letters.push(usize::try_from(rest.count()?).ok()?);
            numbers = numbers.checked_add(length)?;
            // Each takes a byte at least: no more than there are.
            let counts = (0..counts).map(|_| rest.count()).collect::<Option<Vec<u64>>>()?;
            lengths[list].push(length);
            all[list].push(Row { counts, ..Row::default() });
        }
    }
    for (row, length) in all.iter_mut().flatten().zip(letters) {
        row.letters = std::str::from_utf8(rest.take(length)?).ok()?.to_owned();
    }
    if rest.length() != numbers.checked_mul(8)? {
        return None;
    }
    for (row, length) in all.iter_mut().flatten().zip(lengths.iter().flatten()) {
        row.numbers.reserve_exact(*length);
    }
    for Column { rows, .. } in columns(&lengths) {
        let planes: Vec<&[u8]> = (0..8).map(|_| rest.take(rows.len())).collect::<Option<_>>()?;
        for (k, ([list, row], like)) in rows.into_iter().enumerate() {
            let bits = planes.iter().rev().fold(0u64, |bits, plane| bits << 8 | u64::from(plane[k]));
            // What it is like has this column already.
            let like = like.map_or(0, |[list, of]| all[list][of].numbers.last().map_or(0, |x| x.to_bits()));
            all[list][row].numbers.push(f64::from_bits(bits ^ like));
        }
    }
    Some(all)
}

#[cfg(test)]
mod tests {
    use super::*;
    use kansho_geom::random::Random;

    fn random_lists(random: &mut Random) -> Vec<Vec<Row>> {
        let lists = 1 + random.below(3);
        let start = random.fraction();
        (0..lists)
            .map(|_| {
                (0..random.below(200))
                    .map(|k| Row {
                        counts: (0..random.below(4)).map(|k| 1 << (13 * k)).collect(),
                        numbers: (0..random.below(9)).map(|j| start + 0.01 * k as f64 - j as f64).collect(),
                        letters: "tabc".chars().cycle().take(random.below(30)).collect(),
                    })
                    .collect()
            })
            .collect()
    }

    #[test]
    fn rows_come_back_to_the_last_bit() {
        let mut random = Random::new(7);
        for _ in 0..200 {
            let mut lists = random_lists(&mut random);
            if let Some(row) = lists[0].first_mut() {
                row.numbers = vec![f64::NAN, -0.0, f64::INFINITY, 5e-324];
            }
            let packed = packed(&lists).expect("it is small");
            let again = unpacked(&packed, lists.len()).expect("it was just written");
            let bits = |lists: &[Vec<Row>]| -> Vec<(Vec<u64>, Vec<u64>, String)> {
                let of = |row: &Row| {
                    (
                        row.counts.clone(),
                        row.numbers.iter().map(|x| x.to_bits()).collect(),
                        row.letters.clone(),
                    )
                };
                lists.iter().flatten().map(of).collect()
            };
            assert_eq!(bits(&again), bits(&lists));
            assert_eq!(
                again.iter().map(Vec::len).collect::<Vec<_>>(),
                lists.iter().map(Vec::len).collect::<Vec<_>>()
            );
        }
    }

    #[test]
    fn what_is_not_rows_is_refused_without_memory_for_it() {
        let mut random = Random::new(8);
        let bytes = block(
            &random_lists(&mut random)
                .into_iter()
                .map(|rows| rows.into_iter().take(ROWS).collect())
                .collect::<Vec<_>>(),
        );
        let lists = usize::from(bytes[0]);
        assert!(rows(&bytes, lists).is_some());
        for length in 0..bytes.len() {
            assert_eq!(rows(&bytes[..length], lists), None);
        }
        // A row that claims 2^60 numbers, and one that claims as many counts.
        for claim in [0, 1] {
            let mut bytes = vec![1, 1];
            [0, 1].iter().for_each(|k| push_count(&mut bytes, if *k == claim { 1 << 60 } else { 0 }));
            bytes.push(0);
            assert_eq!(rows(&bytes, 1), None);
        }
        // A bomb: much of the same.
        let bomb = base64(&miniz_oxide::deflate::compress_to_vec(&vec![0; 1 << 22], LEVEL));
        assert!(unpacked(&[bomb], 1).is_err());
    }
}
