//! What a strict API server says to a manifest, without a server: the schemas of `../shared/crds` and of Kubernetes' own
//! types with unknown fields refused, keys of lists, CEL rules, names and labels, and what a pod must agree with itself about.
//!
//! The schemas run through `jsonschema`, which knows types, words, patterns and bounds better than a walker of our own
//! would; what is Kubernetes' own (unknown fields, `x-kubernetes-list-type`, `x-kubernetes-validations`) is added as
//! closed objects and custom keywords. Only tests use this module.

mod close;
mod fixtures;
mod keywords;
mod objects;
mod pods;
mod server;
mod tests;

use server::Server;
use std::path::{Path, PathBuf};

/// The folder of CRDs: `NVCRE_CRDS_DIR`, else `crds` beside the folder of golden files (`NVCRE_GOLDEN_DIR`), else
/// `../shared/crds` beside the checkout.
fn folder() -> PathBuf {
    let golden = || Some(Path::new(&std::env::var_os("NVCRE_GOLDEN_DIR")?).parent()?.join("crds"));
    std::env::var_os("NVCRE_CRDS_DIR")
        .map(PathBuf::from)
        .or_else(golden)
        .unwrap_or_else(|| crate::files::root().join("../shared/crds"))
}

/// The server, or a message that it cannot be had.
fn server() -> Option<Server> {
    let folder = folder();
    if !folder.is_dir() {
        println!("no folder {}: manifests are not checked against CRDs", folder.display());
        return None;
    }
    Some(Server::new(&folder))
}
