//! A matrix as Markdown: the table in the open, what each combination adds folded.

use super::{
    arguments, codes, entries, environment, in_common, legend, members, objects, on, parts, resources, rows, sizes,
    variants,
};
use crate::difference::markdown::{cell, escaped, html};
use nvcre_core::matrix::{Differences, Matrix};
use std::fmt::Write;

/// The whole matrix; nothing is cut. Writing to a string does not fail.
pub fn matrix(matrix: &Matrix) -> String {
    let several = matrix.plain.len() > 1;
    let mut out = String::new();
    for plain in &matrix.plain {
        let text = format!(
            "Run {}, edition {}. Plain, with no entry of the catalogue: {}.",
            matrix.run,
            plain.edition,
            sizes(&plain.sizes)
        );
        let _ = writeln!(out, "{}\n", escaped(&text));
    }
    let mut head =
        vec!["platform", "GPU", "GPUs", "NICs", "MNNVL", "entries", "env", "command", "pods ask for", "objects"];
    head.extend(["findings", "see"]);
    if several {
        head.insert(0, "edition");
    }
    let _ = writeln!(out, "| {} |\n|{}", head.join(" | "), "---|".repeat(head.len()));
    let rows = rows(matrix);
    for row in &rows {
        let (sizes, differences) = (&row.content.sizes, &row.content.differences);
        let applied =
            if row.content.rendered { entries(differences).join(" ") } else { "cannot be rendered".to_owned() };
        let mut cells = vec![
            format!("{}{}", row.platform, row.platform_mark),
            row.gpus.join(", "),
            sizes.gpus_per_node.to_string(),
            sizes.mlnx_per_node.to_string(),
            on(sizes.enable_mnnvl).to_owned(),
            applied,
            environment(differences),
            arguments(differences),
            resources(differences).join(", "),
            objects(differences).join(", "),
            codes(differences).join(" "),
            (row.variant + 1).to_string(),
        ];
        if several {
            cells.insert(0, row.edition.to_owned());
        }
        let cells: Vec<String> = cells.iter().map(|text| cell(&escaped(text))).collect();
        let _ = writeln!(out, "| {} |", cells.join(" | "));
    }
    let legend = legend(matrix);
    if !legend.is_empty() {
        let lines: Vec<String> = legend.iter().map(|line| escaped(line)).collect();
        let _ = writeln!(out, "\n{}", lines.join("  \n"));
    }
    let variants = variants(matrix);
    if !matrix.common.is_empty() {
        folded(in_common(matrix), &matrix.common, &mut out);
    }
    for (place, variant) in variants.iter().enumerate() {
        let own = match variants.len() {
            1 => variant.differences.clone(),
            _ => variant.differences.without(&matrix.common),
        };
        let failed = if variant.rendered { "" } else { ", cannot be rendered" };
        folded(&format!("{}. {}{failed}", place + 1, members(matrix, &rows, place)), &own, &mut out);
    }
    out
}

fn folded(title: &str, differences: &Differences, out: &mut String) {
    let _ = write!(out, "\n<details><summary>{}</summary>\n\n", html(title));
    let parts = parts(differences, None);
    if parts.is_empty() {
        out.push_str("Nothing else differs.\n");
    }
    for (name, lines) in parts {
        let _ = writeln!(out, "* {name}");
        for line in lines {
            let _ = writeln!(out, "{}* {}", "  ".repeat(line.depth + 1), escaped(&line.text));
        }
    }
    out.push_str("\n</details>\n");
}
