//! Names that a person most likely meant.

/// The known name that a person most likely meant; `None` when none is near.
///
/// ```
/// use nvcre_core::check::nearest;
/// let fields = ["numNodes", "image", "framework", "env"];
/// assert_eq!(nearest("numnodes", fields), Some("numNodes"));
/// assert_eq!(nearest("nodes", fields), Some("numNodes"));
/// assert_eq!(nearest("framwork", fields), Some("framework"));
/// assert_eq!(nearest("tolerations", fields), None);
/// assert_eq!(nearest("entry", ["entries", "environments"]), Some("entries"));
/// ```
pub fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let plain = |text: &str| -> String {
        text.chars().filter(|c| !matches!(c, '-' | '_' | '.')).collect::<String>().to_lowercase()
    };
    let wanted = plain(name);
    let length = wanted.chars().count();
    let allowed = match length {
        0..=2 => 0,
        3..=4 => 1,
        5..=8 => 2,
        _ => 3,
    };
    let rank = |candidate: &str| {
        let candidate = plain(candidate);
        let distance = strsim::damerau_levenshtein(&wanted, &candidate);
        if distance <= allowed {
            return Some(distance);
        }
        let shorter = length.min(candidate.chars().count());
        let within = candidate.contains(&wanted) || wanted.contains(&candidate);
        let begins = wanted.chars().zip(candidate.chars()).take_while(|(a, b)| a == b).count();
        let ending = begins >= 4 && begins + 1 >= shorter;
        (shorter >= 4 && within || ending).then_some(10 + length.abs_diff(candidate.chars().count()))
    };
    known.into_iter().filter_map(|k| Some((rank(k)?, k))).min().map(|(_, k)| k)
}
