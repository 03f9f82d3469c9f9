//! Large inventories that look like real ones: a node of a fixture, again and again under other names.

use anyhow::{Context, Result};
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

/// The fixture whose first node is multiplied.
const FIXTURE: &str = "fixtures/inventories/aws-gb300-16.yaml";

/// A node as text, cut at the places that differ from node to node.
pub struct Template(Vec<Piece>);

enum Piece {
    Text(String),
    Slot(Slot),
}

#[derive(Clone, Copy)]
enum Slot {
    /// `10-0-1-2`, as in the name of the node.
    Dashes,
    /// `10.0.1.2`.
    Dots,
    /// 17 hexadecimal digits of an instance.
    Instance,
    /// The NVLink domain: 18 nodes.
    Clique,
    /// Network nodes of 8, 64 and 512 nodes.
    Network(usize),
    /// The number, 12 digits.
    Number,
}

impl Template {
    /// Takes the first node of the fixture.
    pub fn read() -> Result<Self> {
        let text = std::fs::read_to_string(FIXTURE).with_context(|| format!("cannot read {FIXTURE}"))?;
        let node = text.split("\n- ").nth(1).context("the fixture has no node")?;
        let after = |mark: &str| -> Result<&str> {
            let tail = node.split_once(mark).with_context(|| format!("the node of the fixture has no {mark:?}"))?.1;
            Ok(tail.split(['\n', '"']).next().unwrap_or_default())
        };
        let address = after("provided-node-ip: ")?;
        let places = [
            (address.replace('.', "-"), Slot::Dashes),
            (address.to_owned(), Slot::Dots),
            (after("{\"ebs.csi.aws.com\":\"i-")?.to_owned(), Slot::Instance),
            (after("gpu.clique: ")?.to_owned(), Slot::Clique),
            (after("network-node-layer-1: nn-")?.to_owned(), Slot::Network(512)),
            (after("network-node-layer-2: nn-")?.to_owned(), Slot::Network(64)),
            (after("network-node-layer-3: nn-")?.to_owned(), Slot::Network(8)),
            (after("uid: ")?.get(24..).unwrap_or_default().to_owned(), Slot::Number),
        ];
        let mut pieces = vec![Piece::Text(format!("- {node}\n"))];
        for (mark, slot) in places {
            pieces = pieces.into_iter().flat_map(|piece| cut(piece, &mark, slot)).collect();
        }
        Ok(Self(pieces))
    }

    /// Writes a `List` of so many nodes.
    pub fn write(&self, path: &Path, nodes: usize) -> Result<()> {
        let mut out = BufWriter::with_capacity(1 << 20, File::create(path)?);
        out.write_all(b"apiVersion: v1\nitems:\n")?;
        for node in 0..nodes {
            for piece in &self.0 {
                match piece {
                    Piece::Text(text) => out.write_all(text.as_bytes())?,
                    Piece::Slot(slot) => slot.write(&mut out, node)?,
                }
            }
        }
        out.write_all(b"kind: List\nmetadata:\n  resourceVersion: \"\"\n")?;
        Ok(out.flush()?)
    }
}

/// Replaces a mark by a slot.
fn cut(piece: Piece, mark: &str, slot: Slot) -> Vec<Piece> {
    let Piece::Text(text) = piece else { return vec![piece] };
    let mut out = Vec::new();
    for (number, part) in text.split(mark).enumerate() {
        if number > 0 {
            out.push(Piece::Slot(slot));
        }
        out.push(Piece::Text(part.to_owned()));
    }
    out
}

impl Slot {
    fn write(self, out: &mut impl Write, node: usize) -> std::io::Result<()> {
        let (high, middle, low) = (node / 65_536, node / 256 % 256, node % 256);
        match self {
            Self::Dashes => write!(out, "10-{high}-{middle}-{low}"),
            Self::Dots => write!(out, "10.{high}.{middle}.{low}"),
            Self::Instance => write!(out, "{node:017x}"),
            Self::Clique => write!(out, "9b409e3d-ef62-43e9-b4dc-{0:012x}.{0}", node / 18),
            Self::Network(size) => write!(out, "{size:05x}{:012x}", node / size),
            Self::Number => write!(out, "{node:012}"),
        }
    }
}
