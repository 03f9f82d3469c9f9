//! A matrix as text with colours.

use super::{
    Row, arguments, codes, entries, environment, in_common, legend, members, objects, on, parts, resources, rows,
    sizes, variants,
};
use crate::table::{Table, list, wrapped};
use anstyle::{AnsiColor, Style};
use nvcre_core::compare::ChangeKind;
use nvcre_core::matrix::{Differences, Matrix};

const TITLE: Style = Style::new().bold();
const ADDED: Style = AnsiColor::Green.on_default();
const REMOVED: Style = AnsiColor::Red.on_default();
const CHANGED: Style = AnsiColor::Yellow.on_default();
/// A terminal of so many columns has room for what each combination brings; a smaller one shows it below only.
const WIDE: usize = 160;
/// Width of the part titles.
const LABEL: usize = 14;

/// The table, what all combinations have in common, and what each adds. With a `width` long texts are broken.
pub fn matrix(matrix: &Matrix, width: Option<usize>) -> String {
    let mut out = format!("run      {}\n", matrix.run);
    for plain in &matrix.plain {
        let text = format!("edition {}, no entry of the catalogue: {}", plain.edition, sizes(&plain.sizes));
        out.push_str(&format!("plain    {}\n", wrapped(&text, width, 9)));
    }
    let rows = rows(matrix);
    for plain in &matrix.plain {
        let title =
            if matrix.plain.len() > 1 { format!("{TITLE}Edition {}{TITLE:#}\n", plain.edition) } else { String::new() };
        let own = rows.iter().filter(|row| row.edition == plain.edition);
        out.push_str(&format!("\n{title}{}", table(own, width)));
    }
    let legend = legend(matrix);
    if !legend.is_empty() {
        out.push('\n');
    }
    for line in legend {
        out.push_str(&wrapped(line, width, 3));
        out.push('\n');
    }
    let variants = variants(matrix);
    if !matrix.common.is_empty() {
        section(&mut out, in_common(matrix), &matrix.common, width);
    }
    for (place, variant) in variants.iter().enumerate() {
        let own = match variants.len() {
            1 => variant.differences.clone(),
            _ => variant.differences.without(&matrix.common),
        };
        let failed = if variant.rendered { "" } else { ", cannot be rendered" };
        let title = wrapped(&format!("{}. {}{failed}", place + 1, members(matrix, &rows, place)), width, 3);
        section(&mut out, &title, &own, width);
    }
    out
}

fn table<'r>(rows: impl Iterator<Item = &'r Row<'r>>, width: Option<usize>) -> String {
    let wide = width.is_none_or(|width| width >= WIDE);
    // A cell is never narrower than a list can be.
    let narrow = width.map(|_| 0);
    let words = |list: Vec<String>| if narrow.is_some() { list.join("\n") } else { list.join(", ") };
    let cells = |row: &Row<'_>| {
        let (variant, differences) = (row.content, &row.content.differences);
        let mut cells = Vec::new();
        cells.push(format!("{}{}", row.platform, row.platform_mark));
        cells.push(list(&row.gpus, narrow));
        cells.push(variant.sizes.gpus_per_node.to_string());
        cells.push(variant.sizes.mlnx_per_node.to_string());
        if wide {
            cells.push(on(variant.sizes.enable_mnnvl).to_owned());
        }
        let applied = entries(differences).join(" ");
        cells.push(wrapped(if variant.rendered { &applied } else { "cannot be rendered" }, narrow.map(|_| 20), 0));
        if wide {
            cells.push(environment(differences));
            cells.push(arguments(differences));
            cells.push(words(resources(differences)));
            cells.push(words(objects(differences)));
            cells.push(words(codes(differences)));
        }
        cells.push((row.variant + 1).to_string());
        cells
    };
    let mut head = vec!["PLATFORM", "GPU", "GPUS", "NICS"];
    head.extend(wide.then_some("MNNVL"));
    head.push("ENTRIES");
    if wide {
        head.extend(["ENV", "COMMAND", "PODS ASK FOR", "OBJECTS", "FINDINGS"]);
    }
    head.push("SEE");
    let mut table = Table::new(head);
    rows.for_each(|row| table.row(cells(row)));
    table.text()
}

fn section(out: &mut String, title: &str, differences: &Differences, width: Option<usize>) {
    out.push_str(&format!("\n{TITLE}{title}{TITLE:#}\n"));
    let parts = parts(differences, width.map(|width| width.saturating_sub(3 + LABEL)));
    if parts.is_empty() {
        out.push_str("   nothing else differs\n");
    }
    for (name, lines) in parts {
        let mut label = name;
        for line in lines {
            let (sign, style) = match line.mark {
                Some(ChangeKind::Added) => ("+ ", ADDED),
                Some(ChangeKind::Removed) => ("- ", REMOVED),
                Some(ChangeKind::Changed | ChangeKind::Moved) => ("~ ", CHANGED),
                None => ("", Style::new()),
            };
            let indent = "  ".repeat(line.depth);
            let text = wrapped(&line.text, width, 3 + LABEL + indent.len() + sign.len());
            out.push_str(&format!("   {label:LABEL$}{indent}{style}{sign}{text}{style:#}\n"));
            label = "";
        }
    }
}
