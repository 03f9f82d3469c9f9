//! Any bytes as an inventory, whole, in pieces, cut off, and as the other format.
#![no_main]

use libfuzzer_sys::fuzz_target;
use nvcre_core::api::Value;
use nvcre_core::fleet::{Inventory, InventoryReader, PodsReader};
use nvcre_core::yaml::{Read as Reading, to_yaml};
use std::io::{Error, Read, Result};

/// Gives at most `step` bytes at a time, and an error after `limit`.
struct Pieces<'a> {
    bytes: &'a [u8],
    step: usize,
    limit: usize,
}

impl Read for Pieces<'_> {
    fn read(&mut self, out: &mut [u8]) -> Result<usize> {
        if self.limit == 0 {
            return Err(Error::other("unplugged"));
        }
        let count = self.bytes.len().min(out.len()).min(self.step).min(self.limit);
        let (now, later) = self.bytes.split_at(count);
        out[..count].copy_from_slice(now);
        self.bytes = later;
        self.limit -= count;
        Ok(count)
    }
}

fn read(reader: impl Read) -> Reading<Inventory> {
    let mut inventory = InventoryReader::new();
    inventory.read("nodes", reader);
    inventory.finish()
}

/// Everything about an inventory but the places.
fn content(read: &Reading<Inventory>) -> String {
    let nodes: Vec<_> = read
        .value
        .nodes
        .iter()
        .map(|n| {
            let mut n = n.clone();
            (n.line, n.column) = (0, 0);
            n
        })
        .collect();
    let codes: Vec<_> = read.diagnostics.iter().map(|d| (d.code, &d.path)).collect();
    format!("{nodes:#?} {:#?} {:?} {:?} {codes:#?}", read.value.slices, read.value.strings, read.value.taints)
}

fuzz_target!(|bytes: &[u8]| {
    let whole = read(bytes);
    for step in [1, 3, 7] {
        let pieces = read(Pieces { bytes, step, limit: usize::MAX });
        assert_eq!(pieces.diagnostics, whole.diagnostics, "in pieces of {step}");
        assert_eq!(format!("{:?}", pieces.value), format!("{:?}", whole.value), "in pieces of {step}");
    }
    read(Pieces { bytes, step: 16, limit: bytes.len() / 2 });
    // The same bytes as a list of pods.
    let taken = |step: usize| {
        let (mut inventory, mut pods) = (whole.value.clone(), PodsReader::new());
        pods.read("pods", Pieces { bytes, step, limit: usize::MAX });
        let findings = pods.finish(&mut inventory);
        (findings, inventory.taken)
    };
    assert_eq!(taken(3), taken(usize::MAX), "pods in pieces");
    if let Ok(value) = serde_json::from_slice::<Value>(bytes) {
        let (json, yaml) = (value.to_string(), to_yaml(&value));
        if json.starts_with(['{', '[']) {
            assert_eq!(content(&read(json.as_bytes())), content(&read(yaml.as_bytes())), "{json}\n{yaml}");
        }
    }
});
