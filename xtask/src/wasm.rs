//! `cargo xtask wasm`: the library must build for browsers. Where rustup can bring the target this is one `cargo check`;
//! where only package registries are reached, Debian's compiler builds the standard library along (its packages
//! `rustc-web`, `cargo-web` and `rust-web-src`).

use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const TARGET: &str = "wasm32-unknown-unknown";
const DEBIAN: [&str; 3] = ["rustc-web", "cargo-web", "rust-web-src"];
const DEBIAN_SOURCE: &str = "/usr/lib/rustlib/src/rust/library/Cargo.lock";

/// Checks the library for wasm32, without and with its default features.
pub fn check() -> Result<()> {
    let has_target = has_target()? || added_target();
    if !has_target && !Path::new(DEBIAN_SOURCE).exists() {
        install_debian()?;
    }
    // A folder of its own: another compiler and other flags would throw away what is built for this machine.
    let folder = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| "target".into(), PathBuf::from).join("wasm");
    for features in [&["--no-default-features"][..], &[][..]] {
        let mut cargo = if has_target { Command::new("cargo") } else { debian_cargo() };
        cargo.args(["check", "--locked", "--package", "nvcre-core", "--target", TARGET, "--target-dir"]);
        cargo.arg(&folder);
        cargo.args(features);
        if !has_target {
            cargo.arg("-Zbuild-std=std,panic_abort");
        }
        let status = cargo.status().context("cannot start cargo")?;
        if !status.success() {
            bail!("nvcre-core does not build for {TARGET}");
        }
    }
    Ok(())
}

fn has_target() -> Result<bool> {
    let output = Command::new("rustc").args(["--print", "sysroot"]).output().context("cannot start rustc")?;
    let root = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    Ok(Path::new(&root).join("lib/rustlib").join(TARGET).is_dir())
}

fn added_target() -> bool {
    let mut rustup = Command::new("rustup");
    rustup.args(["target", "add", TARGET]).stdout(Stdio::null()).stderr(Stdio::null());
    rustup.status().is_ok_and(|s| s.success())
}

fn install_debian() -> Result<()> {
    let update = Command::new("apt-get").args(["update", "-qq"]).status();
    let mut install = Command::new("apt-get");
    install.args(["install", "-y", "-qq", "--no-install-recommends"]).args(DEBIAN);
    if update.is_ok_and(|s| s.success()) && install.status().is_ok_and(|s| s.success()) {
        return Ok(());
    }
    bail!("no compiler for {TARGET}: rustup cannot add the target, and apt-get cannot install {}", DEBIAN.join(", "))
}

/// Debian's cargo with its own compiler, away from rustup's.
fn debian_cargo() -> Command {
    let mut cargo = Command::new("/usr/bin/cargo");
    cargo.env("RUSTC", "/usr/bin/rustc").env("RUSTC_BOOTSTRAP", "1").env_remove("RUSTUP_TOOLCHAIN").env_remove("CARGO");
    cargo
}
