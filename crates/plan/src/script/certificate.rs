//! Why a script's motions touch nothing but what they may, for others to check.

use super::answer::{Answer, Status};
use super::resolved::Script;
use super::run::Options;
use super::touch::World;
use kansho_check::sliding_contact::builder::ContactBuilder;
use kansho_check::sliding_contact::certify::CertifyOptions;
use kansho_verify::contact::ContactCertificate;

/// Most regions of one motion and one fixed body.
const MOST_REGIONS: u64 = 4_000_000;

/// The certificate of a script that came to its end: of each straight motion and turn, for each fixed body.
///
/// # Errors
/// In a sentence: it did not come to its end, or of some motion there is no certificate.
pub fn certificate(
    script: &Script,
    answer: &Answer,
    options: &Options<'_>,
) -> Result<ContactCertificate, String> {
    if *answer.status() != Status::Reached {
        return Err("not all moves came to their ends".into());
    }
    certificate_of_reached(script, answer, options)
}

/// The same of all moves before the first that did not come to its end.
///
/// # Errors
/// In a sentence: of some motion there is no certificate.
pub fn certificate_of_reached(
    script: &Script,
    answer: &Answer,
    options: &Options<'_>,
) -> Result<ContactCertificate, String> {
    let world = World { moved: &script.moved, fixed: &script.fixed, tolerance: script.tolerance };
    let mut bodies = vec![(script.moved.name.clone(), script.moved.mesh().as_ref().clone())];
    bodies.extend(script.fixed.iter().map(|body| (body.name.clone(), body.mesh().as_ref().clone())));
    let options = CertifyOptions {
        tolerance: script.tolerance,
        most_regions: MOST_REGIONS,
        deadline: options.deadline,
    };
    let mut builder = ContactBuilder::new(bodies, false, options);
    for step in answer.steps.iter().filter(|step| step.status == Status::Reached) {
        for leg in &step.legs {
            let label = format!("{}. {} (line {}), {}", step.number + 1, step.verb, step.line, leg.word);
            let may_touch = |[_, fixed]: [usize; 2]| {
                let those = leg.may_touch.iter().map(|&k| &script.touches[k]);
                those
                    .filter(|touch| touch.body + 1 == fixed)
                    .flat_map(|touch| world.may_touch(touch))
                    .collect()
            };
            builder.push(&label, &[0], &leg.way, may_touch).map_err(|why| why.to_string())?;
        }
    }
    Ok(builder.finish())
}
