//! What a certificate of bodies in contact says.

use super::way::ContactWay;
use kansho_geom::Mesh;
use kansho_geom::glam::DVec3;

/// Why bodies that move one after the other, in contact, touch nothing but what they may.
#[derive(Clone, Debug, PartialEq)]
pub struct ContactCertificate {
    /// How deep features that may touch may overlap, in metres.
    pub tolerance: f64,
    /// Whether bodies that have moved are out of the way in the moves that follow: as those of an assembly that is taken apart. If not, the
    /// same bodies move on from where they are.
    pub leaves: bool,
    /// The bodies. Those that stand still are where their coordinates say.
    pub bodies: Vec<ContactBody>,
    /// Other places of vertices.
    pub insets: Vec<ContactInset>,
    /// What moves, in order.
    pub moves: Vec<ContactMove>,
}

/// A body and its features.
#[derive(Clone, Debug, PartialEq)]
pub struct ContactBody {
    /// How it is called.
    pub name: String,
    /// Its triangles.
    pub mesh: Mesh,
    /// Vertices of each of its features, ascending.
    pub features: Vec<Vec<u32>>,
}

/// Other places of some vertices of a body, no farther away than the tolerance.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ContactInset {
    /// The number of the body.
    pub body: usize,
    /// Vertices, ascending, and where they are in the inset.
    pub places: Vec<(u32, DVec3)>,
}

/// Some bodies go a way together; all others stand still.
#[derive(Clone, Debug, PartialEq)]
pub struct ContactMove {
    /// What it is, in words: a label that nothing is proven of.
    pub label: String,
    /// The numbers of the bodies that move, ascending.
    pub moving: Vec<usize>,
    /// Their way.
    pub way: ContactWay,
    /// For each body that moves, each that stands still and is there: in this order.
    pub pairs: Vec<ContactPair>,
}

/// Why two bodies touch nothing but what they may.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ContactPair {
    /// Features of the moving and of the fixed body that may touch, by number.
    pub may_touch: Vec<[usize; 2]>,
    /// The inset of the moving body, by number.
    pub inset: Option<usize>,
    /// The letters of the proof ([`steps`](super::steps)).
    pub letters: String,
}

/// What a certificate proves.
#[derive(Clone, Debug, PartialEq)]
pub struct VerifiedContact {
    /// What features that may touch overlap by at most, in metres.
    pub tolerance: f64,
    /// How many moves there are.
    pub moves: usize,
    /// What is proven of each pair, in order.
    pub pairs: Vec<VerifiedPair>,
}

/// What is proven of a pair of bodies.
#[derive(Clone, Debug, PartialEq)]
pub struct VerifiedPair {
    /// The number of the move.
    pub of_move: usize,
    /// The moving and the fixed body.
    pub bodies: [usize; 2],
    /// Regions that were checked.
    pub regions: usize,
    /// Those of them with corners that may touch.
    pub kept: usize,
    /// Regions that were checked, for each pair of features that may touch.
    pub kept_of: Vec<usize>,
}

impl VerifiedContact {
    /// How many regions were checked.
    #[must_use]
    pub fn regions(&self) -> usize {
        self.pairs.iter().map(|pair| pair.regions).sum()
    }

    /// How many of them have corners that may touch.
    #[must_use]
    pub fn kept(&self) -> usize {
        self.pairs.iter().map(|pair| pair.kept).sum()
    }
}

impl ContactCertificate {
    /// For each move the pairs of bodies that have to be proven, in order: each that moves against each that stands still and is there.
    #[must_use]
    pub fn pairs_of_moves(&self) -> Vec<Vec<[usize; 2]>> {
        let mut there = vec![true; self.bodies.len()];
        self.moves.iter().map(|one| one.pairs_among(&mut there, self.leaves)).collect()
    }
}

impl ContactMove {
    /// The pairs of bodies that have to be proven, of those that are there; and what is there afterwards, if what moves leaves.
    pub(super) fn pairs_among(&self, there: &mut [bool], leaves: bool) -> Vec<[usize; 2]> {
        let is_fixed = |k: &usize| there[*k] && self.moving.binary_search(k).is_err();
        let fixed: Vec<usize> = (0..there.len()).filter(is_fixed).collect();
        let pairs = self.moving.iter().flat_map(|&a| fixed.iter().map(move |&b| [a, b])).collect();
        if leaves {
            self.moving.iter().for_each(|&k| there[k] = false);
        }
        pairs
    }
}
