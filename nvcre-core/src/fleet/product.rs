//! Product labels and what they say: the GPU architecture, placeholders, sharing (03 §3.1–3.2).

use super::names::list;
use crate::api::{GPU_PRODUCT_KEY, TargetSpec};
use crate::catalogue::Catalogue;
use crate::diagnostic::{Code, Diagnostic};

/// The architecture of a fleet that nobody could tell (03 §1.6).
pub const UNKNOWN_ARCHITECTURE: &str = "unknown";

/// The GPU architecture that a product name stands for; empty when it says nothing (03 §3.1).
///
/// ```
/// use nvcre_core::fleet::parse_product;
/// assert_eq!(parse_product("NVIDIA-H100-80GB-HBM3"), "h100");
/// assert_eq!(parse_product("NVIDIA GB300"), "gb300");
/// assert_eq!(parse_product(""), "");
/// ```
pub fn parse_product(product: &str) -> String {
    let rest = product.strip_prefix("NVIDIA-").unwrap_or(product);
    let rest = rest.strip_prefix("NVIDIA ").unwrap_or(rest);
    if rest.replace(' ', "-").to_uppercase().starts_with("RTX-PRO-6000") {
        return "rtxpro6000".to_owned();
    }
    let cut = match rest.find(['-', ' ']) {
        Some(at) if at > 0 => rest.get(..at).unwrap_or(rest),
        _ => rest,
    };
    cut.to_lowercase()
}

/// The first words of the names that the driver gives to a board it does not know (00 D32).
const PLACEHOLDERS: [&str; 2] = ["graphics-device", "dgx-display"];

/// True for a product name that names no GPU, such as `NVIDIA-Graphics-Device`; a node with one counts as unlabelled
/// (00 D32).
pub fn is_placeholder_product(product: &str) -> bool {
    let text = product.replace(' ', "-").to_ascii_lowercase();
    let rest = text.strip_prefix("nvidia-").unwrap_or(&text);
    PLACEHOLDERS.iter().any(|p| rest.strip_prefix(p).is_some_and(|tail| tail.is_empty() || tail.starts_with('-')))
}

/// The label value that a product name of a `ResourceSlice` becomes: only letters, digits, `-`, `_`, `.`, its words
/// joined with `-` (03 §3.3). Empty when nothing is left.
pub fn product_label_value(name: &str) -> String {
    let kept: String =
        name.chars().filter(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | ' ')).collect();
    kept.split_whitespace().collect::<Vec<_>>().join("-")
}

/// Reads an architecture given by hand, as `--gpu-arch` (03 §3.2): `gb300`, `NVIDIA-GB300` and `NVIDIA GB300` are the
/// same. Empty is "not given".
///
/// # Errors
/// [`Code::UnknownArchitecture`] when the catalogue's table has no such architecture; names the value and the known
/// ones in alphabetical order.
pub fn parse_architecture_flag(text: &str, catalogue: &Catalogue) -> Result<Option<String>, Box<Diagnostic>> {
    if text.is_empty() {
        return Ok(None);
    }
    let parsed = parse_product(text);
    if catalogue.architecture(&parsed).is_some() {
        return Ok(Some(parsed));
    }
    let known = catalogue.architecture_names().join(", ");
    let error = Diagnostic::new(
        Code::UnknownArchitecture,
        format!("{text:?} is no GPU architecture of the hardware table; known are: {known}"),
    );
    Err(Box::new(
        error.with_help("give one of the known names, or a product label that begins with one, such as NVIDIA-GB300"),
    ))
}

/// Reads a platform given by hand, as `--platform` (06 §3.1). Empty is "not given".
///
/// # Errors
/// [`Code::UnknownPlatform`] when the catalogue has no such platform; names the value and the known ones.
pub fn parse_platform_flag<'a>(text: &'a str, catalogue: &Catalogue) -> Result<Option<&'a str>, Box<Diagnostic>> {
    if text.is_empty() {
        return Ok(None);
    }
    if catalogue.platform(text).is_some() {
        return Ok(Some(text));
    }
    let known: Vec<&str> = catalogue.platforms.iter().map(|p| p.name.as_str()).collect();
    let error = Diagnostic::new(
        Code::UnknownPlatform,
        format!("{text:?} is no known platform; known are: {}", known.join(", ")),
    );
    Err(Box::new(error.with_help("give one of the known names as it is written here; case matters")))
}

/// The architecture that a target names by its product label: in `nodeSelector`, or as the only value of an `In`
/// expression (00 D58). `None` when it names none.
pub fn architecture_of_target(target: &TargetSpec) -> Option<String> {
    let selected = target.node_selector.get(GPU_PRODUCT_KEY).map(String::as_str);
    let expressed = || {
        let expressions = target.match_expressions.iter();
        let mut single = expressions.filter(|e| e.key == GPU_PRODUCT_KEY && e.operator == "In").filter_map(|e| {
            let mut parsed: Vec<String> = e.values.iter().map(|v| parse_product(v)).collect();
            parsed.sort_unstable();
            parsed.dedup();
            match parsed.as_slice() {
                [one] => Some(one.clone()),
                _ => None,
            }
        });
        single.next()
    };
    selected.map(parse_product).or_else(expressed).filter(|a| !a.is_empty())
}

/// The notice that an architecture is in no row of the hardware table, so that the fallback counts (03 §3.4,
/// `GPUArchitectureDefaults`). `gpus` and `mlnx` are `spec.gpusPerNode` and `spec.mlnxPerNode`.
pub fn hardware_notice(
    architecture: &str,
    platform: &str,
    catalogue: &Catalogue,
    gpus: Option<i32>,
    mlnx: Option<i32>,
) -> Option<Diagnostic> {
    if matches!(architecture, "" | UNKNOWN_ARCHITECTURE) || catalogue.architecture(architecture).is_some() {
        return None;
    }
    let table = catalogue.hardware(architecture, platform);
    let missing: Vec<&str> = [("spec.gpusPerNode", gpus), ("spec.mlnxPerNode", mlnx)]
        .into_iter()
        .filter_map(|(field, value)| value.is_none().then_some(field))
        .collect();
    let path = missing.first().copied().unwrap_or("spec.gpusPerNode");
    let message = format!(
        "the hardware table has no row for GPU architecture {architecture}, so its fallback counts apply: \
         gpusPerNode {} and mlnxPerNode {}; what counts with spec.gpusPerNode and spec.mlnxPerNode is gpusPerNode {} and \
         mlnxPerNode {}",
        table.gpus_per_node,
        table.mlnx_per_node,
        gpus.unwrap_or(table.gpus_per_node),
        mlnx.unwrap_or(table.mlnx_per_node),
    );
    let help = if missing.is_empty() {
        "nothing to do: spec.gpusPerNode and spec.mlnxPerNode are both set".to_owned()
    } else {
        format!("set {} to what the nodes have", list(missing.iter().copied(), " and "))
    };
    Some(Diagnostic::at(Code::GpuArchitectureDefaults, path, message).with_help(help))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fleet::testing::catalogue;

    #[test]
    fn products_of_03_3_1() {
        for (product, architecture) in [
            ("NVIDIA-H100-80GB-HBM3", "h100"),
            ("NVIDIA-H100-80GB-HBM3-SHARED", "h100"),
            ("NVIDIA-H100-NVL", "h100"),
            ("NVIDIA-H100-PCIe", "h100"),
            ("NVIDIA-H200", "h200"),
            ("NVIDIA-A100-SXM4-40GB", "a100"),
            ("NVIDIA-A100-SXM4-80GB", "a100"),
            ("NVIDIA-A100-SXM4-80GB-MIG-1g.10gb", "a100"),
            ("NVIDIA-L40", "l40"),
            ("NVIDIA-L40S", "l40s"),
            ("NVIDIA-L4", "l4"),
            ("NVIDIA-B200", "b200"),
            ("NVIDIA-B300-SXM6-AC", "b300"),
            ("NVIDIA-GB200", "gb200"),
            ("NVIDIA-GB200-NVL72", "gb200"),
            ("NVIDIA-GB300", "gb300"),
            ("NVIDIA-GB300-NVL72", "gb300"),
            ("NVIDIA GB300", "gb300"),
            ("gb300", "gb300"),
            ("NVIDIA-GH200-480GB", "gh200"),
            ("NVIDIA-RTX-PRO-6000-Blackwell-Server-Edition", "rtxpro6000"),
            ("NVIDIA RTX PRO 6000 Blackwell Server Edition", "rtxpro6000"),
            ("NVIDIA-RTX-6000-Ada-Generation", "rtx"),
            ("NVIDIA-GeForce-RTX-4090", "geforce"),
            ("Tesla-V100-SXM2-16GB", "tesla"),
            ("H100", "h100"),
            ("nvidia-h100", "nvidia"),
            ("NVIDIA", "nvidia"),
            ("NVIDIA-", ""),
            ("NVIDIA--H100", "-h100"),
            ("NVIDIA-NVIDIA GB300", "gb300"),
            ("", ""),
        ] {
            assert_eq!(parse_product(product), architecture, "{product}");
        }
    }

    #[test]
    fn placeholders() {
        for yes in
            ["NVIDIA-Graphics-Device", "NVIDIA Graphics Device", "NVIDIA-DGX-Display", "NVIDIA-Graphics-Device-SHARED"]
        {
            assert!(is_placeholder_product(yes), "{yes}");
        }
        for no in ["", "NVIDIA-H100", "NVIDIA-DGX", "NVIDIA-Graphics-Devices"] {
            assert!(!is_placeholder_product(no), "{no}");
        }
    }

    #[test]
    fn label_values_of_03_3_3() {
        for (name, label) in [
            ("NVIDIA GB300", "NVIDIA-GB300"),
            ("NVIDIA H100 80GB HBM3", "NVIDIA-H100-80GB-HBM3"),
            ("  NVIDIA  B200 ", "NVIDIA-B200"),
            ("NVIDIA/B200 (TM)", "NVIDIAB200-TM"),
            ("()", ""),
        ] {
            assert_eq!(product_label_value(name), label, "{name}");
        }
    }

    #[test]
    fn architecture_flags() {
        let catalogue = catalogue();
        for text in ["gb300", "NVIDIA-GB300", "NVIDIA GB300"] {
            assert_eq!(parse_architecture_flag(text, &catalogue).unwrap().as_deref(), Some("gb300"), "{text}");
        }
        assert_eq!(parse_architecture_flag("", &catalogue).unwrap(), None);
        for text in ["h999", "NVIDIA-", "nvidia-gb300"] {
            let error = parse_architecture_flag(text, &catalogue).unwrap_err();
            assert_eq!(error.code, Code::UnknownArchitecture);
            assert!(error.message.contains(text), "{}", error.message);
            assert!(error.message.contains(&catalogue.architecture_names().join(", ")), "{}", error.message);
        }
    }

    #[test]
    fn platform_flags() {
        let catalogue = catalogue();
        assert_eq!(parse_platform_flag("aws", &catalogue).unwrap(), Some("aws"));
        assert_eq!(parse_platform_flag("", &catalogue).unwrap(), None);
        let error = parse_platform_flag("AWS", &catalogue).unwrap_err();
        assert!(error.message.contains("\"AWS\"") && error.message.contains("aws, gcp"), "{}", error.message);
    }

    #[test]
    fn the_target_may_name_the_architecture() {
        let mut target = TargetSpec::default();
        assert_eq!(architecture_of_target(&target), None);
        target.match_expressions.push(crate::api::NodeSelectorRequirement {
            key: GPU_PRODUCT_KEY.into(),
            operator: "In".into(),
            values: vec!["NVIDIA-B200".into(), "NVIDIA-H200".into()],
        });
        assert_eq!(architecture_of_target(&target), None);
        target.match_expressions[0].values.pop();
        assert_eq!(architecture_of_target(&target).as_deref(), Some("b200"));
        target.node_selector.insert(GPU_PRODUCT_KEY.into(), "NVIDIA-GB300".into());
        assert_eq!(architecture_of_target(&target).as_deref(), Some("gb300"));
    }

    #[test]
    fn unknown_architectures_get_the_fallback_and_a_notice() {
        let catalogue = catalogue();
        assert_eq!(hardware_notice("gb300", "aws", &catalogue, None, None), None);
        assert_eq!(hardware_notice("", "aws", &catalogue, None, None), None);
        assert_eq!(hardware_notice("unknown", "aws", &catalogue, None, None), None);
        let notice = hardware_notice("gh200", "aws", &catalogue, Some(1), None).unwrap();
        assert_eq!(notice.code, Code::GpuArchitectureDefaults);
        for part in ["gh200", "gpusPerNode 4 and mlnxPerNode 0", "gpusPerNode 1 and mlnxPerNode 0"] {
            assert!(notice.message.contains(part), "{part}: {}", notice.message);
        }
        assert_eq!(notice.path.unwrap().to_string(), "spec.mlnxPerNode");
    }
}
