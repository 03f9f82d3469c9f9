use super::super::testing::{Nodes, all};
use super::*;
use proptest::prelude::*;

/// `group-0 a1 a2 [a,b]` for every group.
fn show(inventory: &Inventory, groups: &[Group]) -> Vec<String> {
    let line = |g: &Group| {
        let nodes: Vec<&str> = g.nodes.iter().map(|n| name_of(inventory, *n)).collect();
        let domains: Vec<&str> = g.domains.iter().map(|d| inventory.text(*d)).collect();
        let domains = if domains.is_empty() { String::new() } else { format!(" [{}]", domains.join(",")) };
        format!("{} {}{domains}", g.name(), nodes.join(" "))
    };
    groups.iter().map(line).collect()
}

fn cut(inventory: &Inventory, size: i64, grouping: Grouping<'_>) -> Vec<String> {
    show(inventory, &partition(inventory, &all(inventory), size, grouping).unwrap())
}

#[test]
fn table_of_plain_groups() {
    let ten = Nodes::named("n", 10);
    assert_eq!(
        cut(&ten, 4, Grouping::Plain),
        ["group-0 n01 n02 n03 n04", "group-1 n05 n06 n07 n08", "group-2-overflow n07 n08 n09 n10"]
    );
    assert_eq!(cut(&Nodes::named("n", 3), 2, Grouping::Plain), ["group-0 n01 n02", "group-1-overflow n02 n03"]);
    let eighteen = Nodes::named("n", 18);
    let groups = cut(&eighteen, 4, Grouping::Plain);
    assert_eq!(groups.len(), 5);
    assert_eq!(groups[4], "group-4-overflow n15 n16 n17 n18");
    let pairs = partition(&eighteen, &all(&eighteen), 2, Grouping::Plain).unwrap();
    assert!(pairs.len() == 9 && pairs.iter().all(|g| !g.overflow && g.nodes.len() == 2));
    let sixteen = Nodes::named("n", 16);
    let fours = partition(&sixteen, &all(&sixteen), 4, Grouping::Plain).unwrap();
    assert!(fours.len() == 4 && fours.iter().all(|g| !g.overflow));
    assert_eq!(cut(&Nodes::named("n", 2), 4, Grouping::Plain), ["group-0 n01 n02"], "called directly with too few");
}

#[test]
fn table_of_packed_groups() {
    type Row<'a> = (&'a [(&'a str, usize)], i64, &'a [&'a str]);
    let rows: [Row<'_>; 7] = [
        (&[("a", 4), ("b", 4)], 4, &["group-0 a1 a2 a3 a4 [a]", "group-1 b1 b2 b3 b4 [b]"]),
        (&[("a", 5), ("b", 3)], 4, &["group-0 a1 a2 a3 a4 [a]", "group-1-overflow a5 b1 b2 b3 [a,b]"]),
        (
            &[("a", 6), ("b", 2)],
            4,
            &["group-0 a1 a2 a3 a4 [a]", "group-1-overflow a1 a2 a5 a6 [a]", "group-2-overflow a3 a4 b1 b2 [a,b]"],
        ),
        (
            &[("a", 3), ("b", 3), ("c", 2)],
            6,
            &["group-0 a1 a2 a3 b1 b2 b3 [a,b]", "group-1-overflow a1 a2 a3 b1 c1 c2 [a,b,c]"],
        ),
        (
            &[("a", 3), ("b", 3), ("c", 3)],
            2,
            &[
                "group-0 a1 a2 [a]",
                "group-1 b1 b2 [b]",
                "group-2 c1 c2 [c]",
                "group-3-overflow a1 a3 [a]",
                "group-4-overflow b1 b3 [b]",
                "group-5-overflow c1 c3 [c]",
            ],
        ),
        (&[("a", 3), ("b", 1), ("c", 1), ("d", 1)], 5, &["group-0 a1 a2 a3 b1 c1 d1 [a,b,c,d]"]),
        (
            &[("a", 1), ("b", 2), ("c", 3), ("d", 3)],
            5,
            &[
                "group-0 c1 c2 c3 d1 d2 [c,d]",
                "group-1-overflow b1 b2 d1 d2 d3 [b,d]",
                "group-2-overflow a1 c1 c2 c3 [a,c]",
            ],
        ),
    ];
    for (sizes, size, expected) in rows {
        assert_eq!(cut(&Nodes::domains(sizes), size, Grouping::Packed("rack")), expected, "{sizes:?}");
    }
}

#[test]
fn strict_domains_keep_their_natural_size() {
    let inventory = Nodes::domains(&[("c", 2), ("a", 3), ("b", 3)]);
    assert_eq!(
        cut(&inventory, 2, Grouping::Strict("rack")),
        ["group-0 a1 a2 a3 [a]", "group-1 b1 b2 b3 [b]", "group-2 c1 c2 [c]"]
    );
}

#[test]
fn unpinned_is_one_empty_group() {
    let inventory = Nodes::named("n", 5);
    assert_eq!(cut(&inventory, 4, Grouping::Unpinned), ["group-0 "]);
}

#[test]
fn errors_name_what_is_wrong() {
    let inventory = Nodes::default().add("b", &[("rack", "x")]).add("c", &[("rack", "")]).add("a", &[]).build();
    let nodes = all(&inventory);
    assert_eq!(partition(&inventory, &nodes, 0, Grouping::Plain), Err(PartitionError::Size(0)));
    assert_eq!(partition(&inventory, &nodes, -3, Grouping::Packed("rack")), Err(PartitionError::Size(-3)));
    assert_eq!(partition(&inventory, &[], 1, Grouping::Plain), Err(PartitionError::NoNodes));
    for grouping in [Grouping::Packed("rack"), Grouping::Strict("rack")] {
        let Err(PartitionError::MissingLabel(missing)) = partition(&inventory, &nodes, 1, grouping) else { panic!() };
        let names: Vec<&str> = missing.iter().map(|n| name_of(&inventory, *n)).collect();
        assert_eq!(names, ["a", "c"], "absent and empty alike, in the order of names");
    }
    let Err(PartitionError::MissingLabel(missing)) = partition(&inventory, &nodes, 1, Grouping::Packed("none")) else {
        panic!()
    };
    assert_eq!(missing.len(), 3);
}

/// The rules of 03 §5.3, word by word.
fn naive(inventory: &Inventory, nodes: &[u32], size: usize) -> Vec<(bool, Vec<String>, Vec<String>)> {
    let mut members: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for node in nodes {
        let domain = inventory.label(&inventory.nodes[*node as usize], "rack").unwrap();
        members.entry(domain.to_owned()).or_default().push(name_of(inventory, *node).to_owned());
    }
    for list in members.values_mut() {
        list.sort();
    }
    let mut step2: Vec<String> = members.keys().cloned().collect();
    step2.sort_by_key(|d| (Reverse(members[d].len()), d.clone()));
    let most = size.div_ceil(members[&step2[0]].len());
    let mut pools = members.clone();
    let domain_of = |node: &String| members.iter().find(|(_, l)| l.contains(node)).unwrap().0.clone();
    let finish = |mut taken: Vec<String>, overflow: bool| {
        taken.sort();
        let domains: BTreeSet<String> = taken.iter().map(domain_of).collect();
        (overflow, taken, domains.into_iter().collect::<Vec<_>>())
    };
    let mut out = Vec::new();
    loop {
        let mut available: Vec<String> = pools.keys().filter(|d| !pools[*d].is_empty()).cloned().collect();
        available.sort_by_key(|d| (Reverse(pools[d].len()), d.clone()));
        let total: usize = pools.values().map(Vec::len).sum();
        let first: Vec<String> = available.into_iter().take(most).collect();
        if total < size || first.iter().map(|d| pools[d].len()).sum::<usize>() < size {
            break;
        }
        let mut taken = Vec::new();
        for domain in first {
            let pool = pools.get_mut(&domain).unwrap();
            while taken.len() < size && !pool.is_empty() {
                taken.push(pool.remove(0));
            }
        }
        out.push(finish(taken, false));
    }
    let mut untested: BTreeSet<String> = pools.values().flatten().cloned().collect();
    if untested.is_empty() {
        return out;
    }
    if out.is_empty() {
        return vec![finish(untested.into_iter().collect(), false)];
    }
    let mut lists: Vec<(String, Vec<String>)> = Vec::new();
    for domain in &step2 {
        let (mut fresh, rest): (Vec<String>, Vec<String>) =
            members[domain].iter().cloned().partition(|n| untested.contains(n));
        fresh.extend(rest);
        lists.push((domain.clone(), fresh));
    }
    while !untested.is_empty() {
        lists.sort_by_key(|(domain, list)| {
            (Reverse(list.iter().filter(|n| untested.contains(*n)).count()), Reverse(list.len()), domain.clone())
        });
        let mut taken: Vec<String> = Vec::new();
        for (_, list) in &mut lists {
            while taken.len() < size && !list.is_empty() {
                taken.push(list.remove(0));
            }
        }
        for node in &taken {
            untested.remove(node);
        }
        out.push(finish(taken, true));
    }
    out
}

fn fleet() -> impl Strategy<Value = (Vec<(String, usize)>, usize, Vec<usize>)> {
    (proptest::collection::vec(1usize..9, 1..9), 1usize..14).prop_flat_map(|(sizes, size)| {
        let total: usize = sizes.iter().sum();
        let order: Vec<usize> = (0..total).collect();
        let named: Vec<(String, usize)> = (b'a'..).map(|c| char::from(c).to_string()).zip(sizes).collect();
        (Just(named), Just(size), Just(order).prop_shuffle())
    })
}

proptest! {
    #[test]
    fn fast_and_literal_partitions_are_equal((sizes, size, order) in fleet()) {
        let sizes: Vec<(&str, usize)> = sizes.iter().map(|(d, n)| (d.as_str(), *n)).collect();
        let inventory = Nodes::domains(&sizes);
        let shuffled: Vec<u32> = order.iter().map(|i| u32::try_from(*i).unwrap()).collect();
        let groups = partition(&inventory, &shuffled, i64::try_from(size).unwrap(), Grouping::Packed("rack")).unwrap();
        let text = |id: &StringId| inventory.text(*id).to_owned();
        let seen: Vec<(bool, Vec<String>, Vec<String>)> = groups
            .iter()
            .map(|g| {
                let nodes = g.nodes.iter().map(|n| name_of(&inventory, *n).to_owned()).collect();
                (g.overflow, nodes, g.domains.iter().map(text).collect())
            })
            .collect();
        prop_assert_eq!(seen, naive(&inventory, &shuffled, size));
    }

    #[test]
    fn nobody_is_left_out_and_order_does_not_matter((sizes, size, order) in fleet(), kind in 0..3) {
        let sizes: Vec<(&str, usize)> = sizes.iter().map(|(d, n)| (d.as_str(), *n)).collect();
        let inventory = Nodes::domains(&sizes);
        let nodes = all(&inventory);
        let grouping = [Grouping::Plain, Grouping::Packed("rack"), Grouping::Strict("rack")][kind as usize];
        let size = i64::try_from(size).unwrap();
        let groups = partition(&inventory, &nodes, size, grouping).unwrap();
        let shuffled: Vec<u32> = order.iter().map(|i| u32::try_from(*i).unwrap()).collect();
        prop_assert_eq!(&groups, &partition(&inventory, &shuffled, size, grouping).unwrap());
        let mut plain = vec![0; nodes.len()];
        let mut borrowed = vec![0; nodes.len()];
        for (place, group) in groups.iter().enumerate() {
            prop_assert_eq!(group.index as usize, place);
            let names: Vec<&str> = group.nodes.iter().map(|n| name_of(&inventory, *n)).collect();
            prop_assert!(!names.is_empty() && names.is_sorted());
            for node in &group.nodes {
                let count = if group.overflow { &mut borrowed } else { &mut plain };
                count[*node as usize] += 1;
            }
        }
        for node in nodes {
            let (plain, borrowed) = (plain[node as usize], borrowed[node as usize]);
            prop_assert!(plain <= 1 && borrowed <= 1 && plain + borrowed >= 1);
        }
    }
}

#[test]
fn many_domains_stay_fast() {
    let sizes: Vec<(String, usize)> = (0..3000).map(|i| (format!("r{i:04}-"), 1 + i % 33)).collect();
    let sizes: Vec<(&str, usize)> = sizes.iter().map(|(d, n)| (d.as_str(), *n)).collect();
    let inventory = Nodes::domains(&sizes);
    let nodes = all(&inventory);
    let groups = partition(&inventory, &nodes, 4, Grouping::Packed("rack")).unwrap();
    assert!(groups.len() >= nodes.len() / 4);
}
