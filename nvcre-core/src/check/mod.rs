//! Rules on one resource: grammar of names, labels, durations and quantities, and every rule of a run (01 §5).

mod duration;
mod label;
mod pod;
mod quantity;
mod run;
mod selector;

pub use duration::GoDuration;
pub use label::{is_dns1123_label, is_dns1123_subdomain, is_extended_resource, label_key_problem, label_value_problem};
pub use pod::TRAINER_ENV;
pub use quantity::Quantity;
pub use run::{TEST_SCALES, THRESHOLDS, check_run};
pub use selector::check_target;

/// The known word nearest to a text, when it is near enough to be meant.
///
/// ```
/// use nvcre_core::check::nearest;
/// assert_eq!(nearest("numNode", ["numNodes", "image"]), Some("numNodes"));
/// assert_eq!(nearest("xyz", ["numNodes", "image"]), None);
/// ```
pub fn nearest<'a>(text: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let lower = text.to_lowercase();
    known
        .into_iter()
        .map(|word| (strsim::damerau_levenshtein(&lower, &word.to_lowercase()), word))
        .filter(|(distance, word)| *distance <= 1 + word.chars().count().max(text.chars().count()) / 4)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, word)| word)
}
