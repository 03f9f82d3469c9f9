use super::*;
use proptest::prelude::*;

/// One of the resources; nodes of their own.
fn problem(counts: &[usize], requests: &[&[i128]], nodes: &[(&[i128], &[bool])]) -> Problem {
    Problem {
        counts: counts.to_vec(),
        requests: requests.iter().map(|r| r.to_vec()).collect(),
        slots: nodes
            .iter()
            .map(|(free, allowed)| Slot { free: free.to_vec(), allowed: allowed.to_vec(), count: 1, domain: None })
            .collect(),
        rules: Rules::default(),
    }
}

const BOTH: &[bool] = &[true, true];

#[test]
fn workers_fill_nodes_and_the_launcher_takes_what_is_left() {
    let job = |nodes: &[(&[i128], &[bool])]| problem(&[2, 1], &[&[8, 4], &[0, 2]], nodes).is_solvable();
    assert_eq!(job(&[(&[8, 8], BOTH), (&[8, 4], BOTH)]), Some(true));
    // Each alone finds a place, together they do not.
    assert_eq!(job(&[(&[8, 5], BOTH), (&[8, 4], BOTH)]), Some(false));
    assert_eq!(job(&[(&[8, 8], BOTH), (&[7, 8], BOTH)]), Some(false));
    // The launcher may only be where its filters let it.
    assert_eq!(job(&[(&[8, 8], &[true, false]), (&[8, 4], BOTH)]), Some(false));
    // Two workers on one node.
    assert_eq!(job(&[(&[16, 10], BOTH)]), Some(true));
}

#[test]
fn a_way_that_a_greedy_scheduler_may_miss_counts() {
    // The first kind must leave the wide node to the second.
    let job = problem(&[1, 1], &[&[2], &[4]], &[(&[4], BOTH), (&[2], &[true, false])]);
    assert_eq!(job.is_solvable(), Some(true));
}

#[test]
fn equal_nodes_are_folded() {
    let mut job = problem(&[1000, 3], &[&[8, 1], &[0, 4]], &[(&[8, 4], BOTH)]);
    for (count, wanted) in [(1003, true), (1002, false), (2_000_000, true)] {
        job.slots[0].count = count;
        assert_eq!(job.is_solvable(), Some(wanted), "{count}");
    }
}

#[test]
fn rules_by_domain() {
    let mut job = problem(&[2, 1], &[&[1], &[1]], &[(&[4], BOTH), (&[4], BOTH), (&[4], BOTH)]);
    let mut on = |domains: [u32; 3], rules: Rules| {
        for (slot, domain) in job.slots.iter_mut().zip(domains) {
            slot.domain = Some(domain);
        }
        job.rules = rules;
        job.is_solvable()
    };
    let apart = |pairs: &[(usize, usize)]| Rules { apart: pairs.to_vec(), ..Rules::default() };
    assert_eq!(on([0, 0, 0], apart(&[(0, 0)])), Some(false));
    assert_eq!(on([0, 1, 1], apart(&[(0, 0)])), Some(true));
    assert_eq!(on([0, 1, 1], apart(&[(0, 0), (0, 1)])), Some(false));
    assert_eq!(on([0, 1, 2], apart(&[(0, 0), (0, 1)])), Some(true));
    let together = Rules { together: vec![0], apart: vec![(0, 1)], ..Rules::default() };
    assert_eq!(on([0, 1, 1], together.clone()), Some(true));
    assert_eq!(on([0, 0, 0], together), Some(false));
    assert_eq!(on([0, 1, 2], Rules { beside: vec![(0, 1)], ..Rules::default() }), Some(true));
}

/// Tries every node for every pod.
fn brute(job: &Problem) -> bool {
    let pods: Vec<usize> = job.counts.iter().enumerate().flat_map(|(kind, n)| vec![kind; *n]).collect();
    let nodes: Vec<Slot> = job.slots.iter().flat_map(|s| vec![s.clone(); s.count]).collect();
    let mut placed = vec![vec![0; job.counts.len()]; nodes.len()];
    try_pods(job, &pods, &nodes, &mut placed)
}

fn try_pods(job: &Problem, pods: &[usize], nodes: &[Slot], placed: &mut Vec<Vec<usize>>) -> bool {
    let Some((kind, rest)) = pods.split_first() else { return rules_hold(job, nodes, placed) };
    (0..nodes.len()).any(|at| {
        placed[at][*kind] += 1;
        let used = |resource: usize| -> i128 {
            placed[at].iter().zip(&job.requests).map(|(n, r)| *n as i128 * r[resource]).sum()
        };
        let asks = |resource: usize| job.requests[*kind][resource] > 0;
        let room = (0..nodes[at].free.len()).all(|r| !asks(r) || used(r) <= nodes[at].free[r]);
        let found = room && nodes[at].allowed[*kind] && try_pods(job, rest, nodes, placed);
        placed[at][*kind] -= 1;
        found
    })
}

fn rules_hold(job: &Problem, nodes: &[Slot], placed: &[Vec<usize>]) -> bool {
    let mut domains: Vec<u32> = nodes.iter().filter_map(|n| n.domain).collect();
    domains.sort_unstable();
    domains.dedup();
    domains.into_iter().all(|domain| {
        let here = |kind: usize| -> usize {
            nodes.iter().zip(placed).filter(|(n, _)| n.domain == Some(domain)).map(|(_, p)| p[kind]).sum()
        };
        let rules = &job.rules;
        rules.apart.iter().all(|(a, b)| if a == b { here(*a) < 2 } else { here(*a) * here(*b) == 0 })
            && rules.together.iter().all(|a| here(*a) == 0 || here(*a) == job.counts[*a])
            && rules.beside.iter().all(|(a, b)| here(*a) == 0 || here(*b) > 0)
    })
}

fn slot() -> impl Strategy<Value = Slot> {
    let free = prop::collection::vec(0..7i128, 2);
    (free, prop::collection::vec(prop::bool::weighted(0.8), 3), 1..3usize, prop::option::of(0..2u32))
        .prop_map(|(free, allowed, count, domain)| Slot { free, allowed, count, domain })
}

fn any_problem() -> impl Strategy<Value = Problem> {
    let requests = prop::collection::vec(prop::collection::vec(0..5i128, 2), 3);
    let pair = (0..3usize, 0..3usize);
    let rules = (
        prop::collection::vec(pair.clone(), 0..2),
        prop::collection::vec(0..3usize, 0..2),
        prop::collection::vec(pair, 0..2),
    );
    let rules = rules.prop_map(|(apart, together, beside)| Rules { apart, together, beside });
    let rules = prop_oneof![Just(Rules::default()), rules];
    (prop::collection::vec(0..3usize, 3), requests, prop::collection::vec(slot(), 1..4), rules)
        .prop_map(|(counts, requests, slots, rules)| Problem { counts, requests, slots, rules })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn the_answer_is_that_of_trying_everything(job in any_problem()) {
        prop_assert_eq!(job.is_solvable(), Some(brute(&job)));
    }

    #[test]
    fn what_nobody_can_use_makes_no_difference(job in any_problem()) {
        let mut job = job;
        // As on a cluster: the first resource is the number of pods.
        job.requests.iter_mut().for_each(|request| request[0] = 1);
        let mut cut = job.clone();
        let most = job.counts.iter().copied().max().unwrap_or(0);
        for slot in &mut cut.slots {
            crate::schedule::nodes::cut(&mut slot.free, &job.requests, most);
        }
        prop_assert_eq!(job.is_solvable(), cut.is_solvable());
        let words = |job: &Problem| {
            let resources = ["pods".to_owned(), "cpu".to_owned()];
            crate::schedule::greedy::stop(job).map(|stop| {
                let free = stop.left.iter().filter(|(_, _, allowed)| *allowed);
                let mut reasons: Vec<(String, usize)> = free
                    .flat_map(|(free, count, _)| {
                        let reasons = crate::schedule::greedy::reasons(free, &job.requests[stop.kind], &resources);
                        reasons.map(|reason| (reason, *count)).collect::<Vec<_>>()
                    })
                    .collect();
                reasons.sort();
                (stop.kind, reasons)
            })
        };
        prop_assert_eq!(words(&job), words(&cut));
    }

    #[test]
    fn more_room_never_makes_pods_wait(job in any_problem(), extra in slot(), at in 0..3usize, more in 0..4i128) {
        let before = job.is_solvable();
        let mut wider = job.clone();
        if let Some(slot) = wider.slots.get_mut(at) {
            slot.free.iter_mut().for_each(|free| *free += more);
        }
        wider.slots.push(extra);
        prop_assert!(before != Some(true) || wider.is_solvable() == Some(true), "{:?}", wider);
    }
}
