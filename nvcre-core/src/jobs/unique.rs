//! Names of one run differ (00 D57): 20 bits of hash are few for 25,000 cut names.

use super::names::HASH_DIGITS;
use std::collections::BTreeMap;

/// Most digits of the hash.
const MOST_DIGITS: usize = 8;

/// Two items that would have the same name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Collision {
    pub first: usize,
    pub second: usize,
    pub name: String,
    /// How many items have the name of an earlier one.
    pub total: usize,
}

/// Hash lengths that make `count` names different: those that are not five digits, by item. `name(item, digits)` gives
/// a name; the earlier of two equal ones keeps its own.
///
/// # Errors
/// Two equal names: with `lengthen` only when eight digits do not tell them apart.
pub(crate) fn distinct(
    count: usize,
    lengthen: bool,
    name: impl Fn(usize, usize) -> String,
) -> Result<BTreeMap<usize, usize>, Collision> {
    let mut digits: BTreeMap<usize, usize> = BTreeMap::new();
    let of =
        |item: usize, digits: &BTreeMap<usize, usize>| name(item, digits.get(&item).copied().unwrap_or(HASH_DIGITS));
    loop {
        // 16 bytes per name, not the names themselves.
        let mut hashes: Vec<(u64, usize)> = (0..count).map(|item| (fnv64(&of(item, &digits)), item)).collect();
        hashes.sort_unstable();
        let mut later: Vec<(usize, usize)> = Vec::new();
        for run in hashes.chunk_by(|a, b| a.0 == b.0).filter(|run| run.len() > 1) {
            let mut first: BTreeMap<String, usize> = BTreeMap::new();
            for (_, item) in run {
                match first.entry(of(*item, &digits)) {
                    std::collections::btree_map::Entry::Vacant(entry) => {
                        entry.insert(*item);
                    }
                    std::collections::btree_map::Entry::Occupied(entry) => later.push((*item, *entry.get())),
                }
            }
        }
        later.sort_unstable();
        let stuck = |item: &usize| {
            let used = digits.get(item).copied().unwrap_or(HASH_DIGITS);
            !lengthen || used >= MOST_DIGITS || name(*item, used) == name(*item, used + 1)
        };
        if let Some((second, first)) = later.iter().find(|(item, _)| stuck(item)) {
            let name = of(*second, &digits);
            return Err(Collision { first: *first, second: *second, name, total: later.len() });
        }
        if later.is_empty() {
            return Ok(digits);
        }
        for (item, _) in later {
            *digits.entry(item).or_insert(HASH_DIGITS) += 1;
        }
    }
}

fn fnv64(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::super::names::{JOB_NAME_MAX, Naming, truncate_with};
    use super::*;
    use std::collections::BTreeSet;

    fn sweep(groups: usize, iterations: usize) -> (usize, impl Fn(usize, usize) -> String) {
        let naming = Naming::new("nccl-all-reduce-fleet-sweep", iterations as u64, groups, false);
        let name = move |item: usize, digits| {
            let (iteration, group) = (item / groups + 1, item % groups);
            truncate_with(&naming.full_job(&format!("group-{group}"), iteration as u64), JOB_NAME_MAX, digits)
        };
        (groups * iterations, name)
    }

    #[test]
    fn the_counts_of_d57() {
        for (groups, iterations, equal) in [(25_000, 1, 342), (500, 5, 6)] {
            let (count, name) = sweep(groups, iterations);
            let Err(collision) = distinct(count, false, &name) else { panic!("{groups} × {iterations}") };
            assert_eq!(collision.total, equal, "{groups} × {iterations}");
            assert!(collision.first < collision.second);
            assert_eq!(name(collision.first, 5), name(collision.second, 5));
        }
    }

    #[test]
    fn longer_hashes_tell_them_apart() {
        let (count, name) = sweep(25_000, 1);
        let digits = distinct(count, true, &name).unwrap();
        assert!(digits.len() >= 342 && digits.values().all(|d| (6..=8).contains(d)));
        let names: BTreeSet<String> = (0..count).map(|i| name(i, digits.get(&i).copied().unwrap_or(5))).collect();
        assert_eq!(names.len(), count);
        assert!(names.iter().all(|n| n.len() <= 35));
    }

    #[test]
    fn names_that_no_hash_tells_apart_are_refused() {
        let collision = distinct(3, true, |item, _| if item == 1 { "b".into() } else { "a".into() }).unwrap_err();
        assert_eq!((collision.first, collision.second, collision.total), (0, 2, 1));
        assert_eq!(distinct(0, false, |_, _| String::new()), Ok(BTreeMap::new()));
    }
}
