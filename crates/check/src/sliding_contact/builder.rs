//! Certificates of many motions in contact, one after the other.

use super::certify::{CertifyOptions, Uncertified, certify, contact_way};
use super::{MayTouch, SlidingMotion};
use kansho_geom::Mesh;
use kansho_geom::glam::DVec3;
use kansho_verify::contact::{ContactBody, ContactCertificate, ContactInset, ContactMove, ContactPair};
use rayon::prelude::*;
use std::collections::HashMap;

/// A motion of which there is no certificate.
#[derive(Clone, Debug, PartialEq)]
pub struct UncertifiedMove {
    /// The label of the motion.
    pub label: String,
    /// The moving and the fixed body.
    pub bodies: [String; 2],
    /// Why.
    pub why: Uncertified,
}

impl std::fmt::Display for UncertifiedMove {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { label, bodies: [a, b], why } = self;
        write!(f, "{label}, {a} and {b}: {why}")
    }
}

/// Adds one motion after the other to a certificate.
#[derive(Debug)]
pub struct ContactBuilder {
    certificate: ContactCertificate,
    options: CertifyOptions,
    there: Vec<bool>,
    features: Vec<HashMap<Vec<u32>, usize>>,
}

impl ContactBuilder {
    /// Of these bodies. `leaves` says whether bodies that have moved are out of the way afterwards.
    #[must_use]
    pub fn new(bodies: Vec<(String, Mesh)>, leaves: bool, options: CertifyOptions) -> Self {
        let count = bodies.len();
        let body = |(name, mesh)| ContactBody { name, mesh, features: Vec::new() };
        let bodies = bodies.into_iter().map(body).collect();
        let tolerance = options.tolerance;
        let (insets, moves) = (Vec::new(), Vec::new());
        Self {
            certificate: ContactCertificate { tolerance, leaves, bodies, insets, moves },
            options,
            there: vec![true; count],
            features: vec![HashMap::new(); count],
        }
    }

    /// Adds a motion of bodies, ascending; `may_touch` has the features of a moving and of a fixed body that may touch.
    ///
    /// # Errors
    /// The first pair of bodies of which there is no certificate.
    pub fn push(
        &mut self,
        label: &str,
        moving: &[usize],
        way: &SlidingMotion,
        may_touch: impl Fn([usize; 2]) -> Vec<MayTouch>,
    ) -> Result<(), UncertifiedMove> {
        let bodies = &self.certificate.bodies;
        let fixed: Vec<usize> = (0..bodies.len()).filter(|k| self.there[*k] && !moving.contains(k)).collect();
        let pairs: Vec<([usize; 2], Vec<MayTouch>)> = moving
            .iter()
            .flat_map(|&a| fixed.iter().map(move |&b| [a, b]))
            .map(|pair| (pair, may_touch(pair)))
            .collect();
        let found: Vec<_> = pairs
            .par_iter()
            .map(|(pair, may_touch)| {
                certify(pair.map(|k| &bodies[k].mesh), way, may_touch, &self.options).map_err(|why| {
                    UncertifiedMove { label: label.into(), bodies: pair.map(|k| bodies[k].name.clone()), why }
                })
            })
            .collect();
        let mut proofs = Vec::new();
        for ((pair, may_touch), found) in pairs.iter().zip(found) {
            let found = found?;
            let may_touch = may_touch
                .iter()
                .map(|may| {
                    [self.feature(pair[0], &may.moving.vertices), self.feature(pair[1], &may.fixed.vertices)]
                })
                .collect();
            let inset = self.inset(pair[0], found.inset);
            proofs.push(ContactPair { may_touch, inset, letters: found.letters });
        }
        if self.certificate.leaves {
            moving.iter().for_each(|&k| self.there[k] = false);
        }
        let (label, moving, way) = (label.to_owned(), moving.to_vec(), contact_way(way));
        self.certificate.moves.push(ContactMove { label, moving, way, pairs: proofs });
        Ok(())
    }

    /// The certificate of all that was added.
    #[must_use]
    pub fn finish(self) -> ContactCertificate {
        self.certificate
    }

    fn feature(&mut self, body: usize, vertices: &[u32]) -> usize {
        let all = &mut self.certificate.bodies[body].features;
        *self.features[body].entry(vertices.to_vec()).or_insert_with(|| {
            all.push(vertices.to_vec());
            all.len() - 1
        })
    }

    fn inset(&mut self, body: usize, places: Vec<(u32, DVec3)>) -> Option<usize> {
        if places.is_empty() {
            return None;
        }
        let inset = ContactInset { body, places };
        let all = &mut self.certificate.insets;
        Some(all.iter().position(|known| *known == inset).unwrap_or_else(|| {
            all.push(inset);
            all.len() - 1
        }))
    }
}
