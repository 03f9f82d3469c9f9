//! Grammar of label keys, label values and names (01 §0.5), without a regular-expression engine.

/// Why a text is no label key (a Kubernetes qualified name); `None` when it is one.
pub fn label_key_problem(key: &str) -> Option<String> {
    let (prefix, name) = match key.split_once('/') {
        Some((prefix, name)) => (Some(prefix), name),
        None => (None, key),
    };
    if let Some(prefix) = prefix {
        if prefix.is_empty() {
            return Some("the part before the slash is empty".into());
        }
        if prefix.len() > 253 {
            return Some(format!("the part before the slash has {} characters, at most 253 are allowed", prefix.len()));
        }
        if !is_dns1123_subdomain(prefix) {
            return Some(format!(
                "{prefix:?} before the slash is no DNS name (lower-case letters, digits, '-' and '.')"
            ));
        }
    }
    if name.is_empty() {
        return Some("the name is empty".into());
    }
    if name.contains('/') {
        return Some("it holds more than one slash".into());
    }
    qualified_problem(name)
}

/// Why a text is no label value; `None` when it is one. The empty text is a value.
pub fn label_value_problem(value: &str) -> Option<String> {
    if value.is_empty() { None } else { qualified_problem(value) }
}

fn qualified_problem(text: &str) -> Option<String> {
    if text.len() > 63 {
        return Some(format!("it has {} characters, at most 63 are allowed", text.len()));
    }
    if let Some(bad) = text.chars().find(|c| !(c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.'))) {
        return Some(format!("it holds {bad:?}; allowed are letters, digits, '-', '_' and '.'"));
    }
    let ends = |c: Option<char>| c.is_some_and(|c| c.is_ascii_alphanumeric());
    if ends(text.chars().next()) && ends(text.chars().last()) {
        None
    } else {
        Some("it must begin and end with a letter or digit".into())
    }
}

/// True for a DNS label of RFC 1123: lower-case letters, digits and `-`, alphanumeric at both ends, at most 63.
pub fn is_dns1123_label(text: &str) -> bool {
    text.len() <= 63 && dns_part(text)
}

/// True for a DNS subdomain of RFC 1123, at most 253 characters.
pub fn is_dns1123_subdomain(text: &str) -> bool {
    text.len() <= 253 && text.split('.').all(dns_part)
}

fn dns_part(text: &str) -> bool {
    let bytes = text.as_bytes();
    let alphanumeric = |b: Option<&u8>| b.is_some_and(|b| b.is_ascii_lowercase() || b.is_ascii_digit());
    alphanumeric(bytes.first())
        && alphanumeric(bytes.last())
        && bytes.iter().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || *b == b'-')
}

/// True for the name of an extended resource: domain, slash, name of at most 63, at most 253 in total (P-EXTRES).
pub fn is_extended_resource(text: &str) -> bool {
    let Some((domain, name)) = text.split_once('/') else { return false };
    text.len() <= 253 && domain.split('.').all(dns_part) && !name.is_empty() && qualified_problem(name).is_none()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys() {
        for good in ["a", "kai.scheduler/queue", "nvidia.com/gpu.clique", "A_b.c-9"] {
            assert_eq!(label_key_problem(good), None, "{good}");
        }
        let long = "x".repeat(64);
        for bad in ["", "/a", "a/", "a/b/c", "-a", "a.", "Ä", "UPPER/x", long.as_str(), "a b"] {
            assert!(label_key_problem(bad).is_some(), "{bad}");
        }
    }

    #[test]
    fn values() {
        for good in ["", "a", "A-1_2.b"] {
            assert_eq!(label_value_problem(good), None, "{good}");
        }
        for bad in ["-", "a/b", "a:", " "] {
            assert!(label_value_problem(bad).is_some(), "{bad}");
        }
    }

    #[test]
    fn extended_resources() {
        assert!(is_extended_resource("rdma/ib") && is_extended_resource("nvidia.com/mlnxnics"));
        for bad in ["ib", "/ib", "rdma/", "Rdma/ib", "rdma/ib/x"] {
            assert!(!is_extended_resource(bad), "{bad}");
        }
    }
}
