use super::{read, write};
use crate::builtin;

#[test]
fn the_built_in_cell_comes_back_to_the_last_bit() {
    let bytes = write(&builtin::cell());
    let again = read(&bytes).expect("a cell");
    assert_eq!(write(&again), bytes);
    assert_eq!(format!("{:?}", again.pairs()), format!("{:?}", builtin::cell().pairs()));
}

#[test]
fn what_is_cut_short_or_changed_is_never_the_same_cell() {
    let bytes = write(&builtin::cell());
    for end in (0..bytes.len()).step_by(97).chain(bytes.len() - 16..bytes.len()) {
        assert!(read(&bytes[..end]).is_err(), "{end} bytes of {}", bytes.len());
    }
    let mut longer = bytes.clone();
    longer.push(0);
    assert!(read(&longer).is_err());
    for (at, flip) in (0..bytes.len()).step_by(101).zip([1u8, 0x80, 0xff, 0x10].into_iter().cycle()) {
        let mut other = bytes.clone();
        other[at] ^= flip;
        if let Ok(cell) = read(&other) {
            assert_eq!(write(&cell), other, "byte {at}");
        }
    }
}

#[test]
fn counts_that_promise_too_much_are_refused_at_once() {
    let mut bytes = write(&builtin::cell())[..8 + super::KIND.len()].to_vec();
    bytes.extend_from_slice(&u64::MAX.to_le_bytes());
    assert!(read(&bytes).is_err());
    assert!(read(b"solid cube").is_err());
    assert!(read(b"").is_err());
}
