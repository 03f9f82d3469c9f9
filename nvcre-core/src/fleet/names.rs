//! Lists in sentences, cut to a length that people read.

/// How many elements of a list a sentence names.
const SHOWN: usize = 10;

/// Joins texts; of a long list the first ten and the number of the others: `n01, n02, … and 990 more`.
pub(crate) fn list<T: AsRef<str>>(texts: impl IntoIterator<Item = T>, separator: &str) -> String {
    let mut out = String::new();
    let mut count = 0usize;
    for text in texts {
        if count < SHOWN {
            if count > 0 {
                out.push_str(separator);
            }
            out.push_str(text.as_ref());
        }
        count += 1;
    }
    if count > SHOWN {
        out.push_str(&format!(" and {} more", count - SHOWN));
    }
    out
}

/// The same with commas.
pub(crate) fn commas<T: AsRef<str>>(texts: impl IntoIterator<Item = T>) -> String {
    list(texts, ", ")
}

/// `1 node`, `2 nodes`.
pub(crate) fn nodes(count: usize) -> String {
    if count == 1 { "1 node".to_owned() } else { format!("{count} nodes") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lists_are_cut() {
        assert_eq!(commas(["a", "b"]), "a, b");
        assert_eq!(commas(Vec::<String>::new()), "");
        let many: Vec<String> = (0..1000).map(|n| format!("n{n}")).collect();
        assert_eq!(commas(&many), "n0, n1, n2, n3, n4, n5, n6, n7, n8, n9 and 990 more");
        assert_eq!(commas(many.iter().take(10)), "n0, n1, n2, n3, n4, n5, n6, n7, n8, n9");
    }
}
