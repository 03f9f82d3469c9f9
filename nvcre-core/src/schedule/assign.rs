//! Do the pods of a job find nodes? Exact: every way to share out the pods counts, not the one that a scheduler happens
//! to try. Pods of one kind are equal, and so are nodes of one slot, which keeps the search small.

/// Equal nodes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Slot {
    /// What is free on each, by resource.
    pub free: Vec<i128>,
    /// Which kinds of pods the other filters let through.
    pub allowed: Vec<bool>,
    /// How many such nodes there are.
    pub count: usize,
    /// Topology domain, where rules speak of domains; nodes without one share none.
    pub domain: Option<u32>,
}

/// What pods require of each other, by topology domain.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Rules {
    /// No pod of the one in a domain with one of the other; the same kind twice: at most one a domain.
    pub apart: Vec<(usize, usize)>,
    /// All pods of a kind in one domain.
    pub together: Vec<usize>,
    /// A pod of the first only where one of the second is.
    pub beside: Vec<(usize, usize)>,
}

impl Rules {
    pub(super) const fn is_empty(&self) -> bool {
        self.apart.is_empty() && self.together.is_empty() && self.beside.is_empty()
    }

    /// True when pods of these numbers may be in one domain.
    fn allow(&self, placed: &[usize], counts: &[usize]) -> bool {
        let of = |kind: usize| placed.get(kind).copied().unwrap_or(0);
        self.apart.iter().all(|(a, b)| if a == b { of(*a) <= 1 } else { of(*a) == 0 || of(*b) == 0 })
            && self.together.iter().all(|a| of(*a) == 0 || counts.get(*a) == Some(&of(*a)))
            && self.beside.iter().all(|(a, b)| of(*a) == 0 || of(*b) > 0)
    }
}

/// The pods of a job and the nodes that it may use.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Problem {
    /// Pods by kind.
    pub counts: Vec<usize>,
    /// What one pod of a kind requests, by kind and resource.
    pub requests: Vec<Vec<i128>>,
    /// The nodes.
    pub slots: Vec<Slot>,
    /// Rules between pods.
    pub rules: Rules,
}

/// Steps of a search after which it gives up.
const MOST_STEPS: usize = 4_000_000;

/// How many pods with these requests fit into what is free, at most `most`.
pub(super) fn fit(free: &[i128], request: &[i128], most: usize) -> usize {
    let each = free.iter().zip(request).filter(|(_, r)| **r > 0);
    let least = each.map(|(free, request)| free.div_euclid(*request).max(0)).min();
    least.map_or(most, |n| usize::try_from(n).unwrap_or(usize::MAX).min(most))
}

/// Takes pods off what is free.
pub(super) fn take(free: &mut [i128], request: &[i128], pods: usize) {
    let pods = i128::try_from(pods).unwrap_or(i128::MAX);
    for (free, request) in free.iter_mut().zip(request) {
        *free = free.saturating_sub(request.saturating_mul(pods));
    }
}

impl Problem {
    /// True when all pods find nodes at the same time, false when they cannot, `None` when nobody can say in reasonable
    /// time.
    pub(super) fn is_solvable(&self) -> Option<bool> {
        let alone = (0..self.counts.len()).all(|kind| self.alone(kind) >= self.count(kind));
        if !alone {
            return Some(false);
        }
        if self.rules.is_empty() { self.without_rules() } else { self.with_rules() }
    }

    fn count(&self, kind: usize) -> usize {
        self.counts.get(kind).copied().unwrap_or(0)
    }

    fn request(&self, kind: usize) -> &[i128] {
        self.requests.get(kind).map_or(&[], Vec::as_slice)
    }

    fn fits(&self, slot: &Slot, free: &[i128], kind: usize) -> usize {
        match slot.allowed.get(kind) {
            Some(true) => fit(free, self.request(kind), self.count(kind)),
            _ => 0,
        }
    }

    /// How many pods of a kind fit when no other pod is there, at most as many as there are.
    pub(super) fn alone(&self, kind: usize) -> usize {
        let on = |slot: &Slot| self.fits(slot, &slot.free, kind).saturating_mul(slot.count);
        self.slots.iter().map(on).fold(0, usize::saturating_add).min(self.count(kind))
    }

    /// Every set of pods of these kinds that fits on a node, as numbers by kind, with what is left; `None` when there are
    /// too many.
    fn sets(&self, slot: &Slot, kinds: &[usize]) -> Option<Vec<(Vec<usize>, Vec<i128>)>> {
        let mut out = vec![(vec![0; kinds.len()], slot.free.clone())];
        for (at, kind) in kinds.iter().enumerate() {
            for index in 0..out.len() {
                let Some((set, free)) = out.get(index).cloned() else { continue };
                for pods in 1..=self.fits(slot, &free, *kind) {
                    let (mut set, mut free) = (set.clone(), free.clone());
                    take(&mut free, self.request(*kind), pods);
                    if let Some(number) = set.get_mut(at) {
                        *number = pods;
                    }
                    out.push((set, free));
                    if out.len() > MOST_STEPS / 100 {
                        return None;
                    }
                }
            }
        }
        Some(out)
    }

    /// Of the largest kind as many as possible, for every number of the others: node by node.
    fn without_rules(&self) -> Option<bool> {
        let kinds = || (0..self.counts.len()).filter(|kind| self.count(*kind) > 0);
        let Some(main) = kinds().max_by_key(|kind| self.count(*kind)) else { return Some(true) };
        let others: Vec<usize> = kinds().filter(|kind| *kind != main).collect();
        let radix = Radix::new(others.iter().map(|kind| self.count(*kind)).collect())?;
        let most = self.count(main);
        let few: usize = others.iter().map(|kind| self.count(*kind)).sum();
        let mut best: Vec<Option<usize>> = vec![None; radix.size];
        *best.first_mut()? = Some(0);
        let mut steps = 0usize;
        for slot in &self.slots {
            let alone = self.fits(slot, &slot.free, main);
            let mixed: Vec<(usize, usize, Vec<usize>)> = self
                .sets(slot, &others)?
                .into_iter()
                .map(|(set, free)| (radix.index(&set), self.fits(slot, &free, main), set))
                .collect();
            // Nodes that hold none of the others hold as many of the largest as they can.
            let single = slot.count.min(few);
            for _ in 0..single {
                steps = steps.saturating_add(best.len().saturating_mul(mixed.len()));
                if steps > MOST_STEPS {
                    return None;
                }
                let mut next = best.clone();
                for (state, held) in best.iter().enumerate().filter_map(|(s, held)| Some((s, (*held)?))) {
                    for (index, pods, set) in &mixed {
                        if radix.adds(state, set)
                            && let Some(slot) = next.get_mut(state + index)
                        {
                            let sum = held.saturating_add(*pods).min(most);
                            *slot = Some(slot.map_or(sum, |there| there.max(sum)));
                        }
                    }
                }
                best = next;
            }
            let rest = alone.saturating_mul(slot.count - single);
            best.iter_mut().flatten().for_each(|held| *held = held.saturating_add(rest).min(most));
            if best.last().is_some_and(|held| *held == Some(most)) {
                return Some(true);
            }
        }
        Some(best.last().is_some_and(|held| *held == Some(most)))
    }

    /// Which numbers of pods a domain can hold, domain by domain.
    fn with_rules(&self) -> Option<bool> {
        let kinds: Vec<usize> = (0..self.counts.len()).collect();
        let radix = Radix::new(self.counts.clone())?;
        let pods: usize = self.counts.iter().sum();
        let mut steps = 0usize;
        let mut add = |a: &[bool], sets: &[(usize, Vec<usize>)]| -> Option<Vec<bool>> {
            let mut next = vec![false; radix.size];
            steps = steps.saturating_add(a.iter().filter(|s| **s).count().saturating_mul(sets.len()));
            if steps > MOST_STEPS {
                return None;
            }
            for state in a.iter().enumerate().filter(|(_, there)| **there).map(|(state, _)| state) {
                for (index, _) in sets.iter().filter(|(_, set)| radix.adds(state, set)) {
                    if let Some(slot) = next.get_mut(state + index) {
                        *slot = true;
                    }
                }
            }
            Some(next)
        };
        let mut start = vec![false; radix.size];
        *start.first_mut()? = true;
        let mut all = start.clone();
        let mut domains: Vec<Option<u32>> = self.slots.iter().map(|slot| slot.domain).collect();
        domains.sort_unstable();
        domains.dedup();
        for domain in domains {
            let mut here = start.clone();
            for slot in self.slots.iter().filter(|slot| slot.domain == domain) {
                let sets: Vec<(usize, Vec<usize>)> =
                    self.sets(slot, &kinds)?.into_iter().map(|(set, _)| (radix.index(&set), set)).collect();
                for _ in 0..slot.count.min(pods) {
                    here = add(&here, &sets)?;
                }
            }
            let holds = |(state, there): (usize, &bool)| {
                let set = radix.set(state);
                (*there && (domain.is_none() || self.rules.allow(&set, &self.counts))).then_some((state, set))
            };
            let sets: Vec<(usize, Vec<usize>)> = here.iter().enumerate().filter_map(holds).collect();
            all = add(&all, &sets)?;
        }
        Some(all.last() == Some(&true))
    }
}

/// Numbers of pods by kind as one number.
struct Radix {
    most: Vec<usize>,
    size: usize,
}

impl Radix {
    /// `None` when there are too many.
    fn new(most: Vec<usize>) -> Option<Self> {
        let size = most.iter().try_fold(1usize, |size, most| size.checked_mul(most.checked_add(1)?))?;
        (size <= MOST_STEPS / 10).then_some(Self { most, size })
    }

    fn index(&self, set: &[usize]) -> usize {
        let digit =
            |(at, scale): (usize, usize), (number, most): (&usize, &usize)| (at + number * scale, scale * (most + 1));
        set.iter().zip(&self.most).fold((0, 1), digit).0
    }

    fn set(&self, mut state: usize) -> Vec<usize> {
        let digit = |most: &usize| {
            let number = state % (most + 1);
            state /= most + 1;
            number
        };
        self.most.iter().map(digit).collect()
    }

    /// True when there are not more pods than there should be with these added.
    fn adds(&self, state: usize, set: &[usize]) -> bool {
        let sums = self.set(state).into_iter().zip(set).map(|(a, b)| a + b);
        sums.zip(&self.most).all(|(sum, most)| sum <= *most)
    }
}

#[cfg(test)]
#[path = "assign_tests.rs"]
mod tests;
