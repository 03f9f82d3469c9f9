//! Names that look like one that is not there.

/// Most names that are given.
const MOST: usize = 5;

/// The subjects whose names are nearest to a text: equal without case, containing it, or a few letters away; the
/// first ones when nothing is near.
pub(super) fn nearest(text: &str, names: impl Iterator<Item = (String, String)>) -> Vec<String> {
    let wanted = text.to_lowercase();
    let mut all: Vec<(usize, String)> = names
        .map(|(name, subject)| {
            let name = name.to_lowercase();
            let contains = !wanted.is_empty() && (name.contains(&wanted) || wanted.contains(&name));
            let distance = if contains { 1 } else { strsim::damerau_levenshtein(&name, &wanted) };
            (distance, subject)
        })
        .collect();
    let limit = (wanted.chars().count() / 3).max(2);
    let mut near: Vec<(usize, String)> = all.iter().filter(|(distance, _)| *distance <= limit).cloned().collect();
    near.sort();
    if near.is_empty() {
        all.truncate(MOST);
        near = all;
    }
    near.truncate(MOST);
    near.into_iter().map(|(_, subject)| subject).collect()
}
