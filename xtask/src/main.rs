//! Developer tasks: `cargo xtask tables` and `cargo xtask schemas` write the generated files of the repository. Tests of
//! this package keep them current; `UPDATE=1 cargo test -p xtask` rewrites them as well.

mod crd;
mod files;
mod kube;
mod own;
mod schemas;
mod tables;

use anyhow::{Result, bail};

/// What the command line knows.
const USAGE: &str = "usage: cargo xtask tables | schemas
  tables   nvcre-core/src/schema/k8s.table
  schemas  JSON schemas (nvcre-core/src/schema, docs/schemas) and the CRD of WorkloadRun";

fn main() -> Result<()> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let files = match words.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["tables"] => tables::files()?,
        ["schemas"] => schemas::files()?,
        _ => bail!("{USAGE}"),
    };
    files::write(&files)
}
