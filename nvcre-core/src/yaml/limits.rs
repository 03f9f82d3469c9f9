//! How much a text may hold (00 D71).

/// Bounds on what is read; every one has its own finding, which names the limit and the way out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Length of a text in bytes, aliases written out.
    pub bytes: u64,
    /// Mappings and lists inside each other; at most [`Limits::MAX_DEPTH`].
    pub depth: usize,
    /// Aliases of one document, each counted as often as it is expanded.
    pub aliases: u64,
    /// Length of one scalar in bytes.
    pub scalar: usize,
}

impl Limits {
    /// The deepest nesting that can be asked for: deeper trees would need too much stack when they are dropped.
    pub const MAX_DEPTH: usize = 1024;

    /// For a run: 8 MiB, depth 64, 1,000 aliases, 8 MiB in one scalar.
    pub const RUN: Self = Self { bytes: 8 << 20, depth: 64, aliases: 1_000, scalar: 8 << 20 };

    /// For an inventory: as for a run, but of any length; what stands under anchors may hold 8 MiB.
    pub const INVENTORY: Self = Self { bytes: u64::MAX, ..Self::RUN };

    pub(crate) fn depth(&self) -> usize {
        self.depth.min(Self::MAX_DEPTH)
    }

    /// Text that aliases may repeat in one document.
    pub(crate) fn repeated(&self) -> u64 {
        self.bytes.min(Self::RUN.bytes)
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self::RUN
    }
}

/// A number of bytes as people say it.
pub(crate) fn human(bytes: u64) -> String {
    match bytes {
        b if b >= 1 << 20 && b % (1 << 20) == 0 => format!("{} MiB", b >> 20),
        b if b >= 1 << 20 => format!("{:.1} MiB", b as f64 / f64::from(1 << 20)),
        b => format!("{b} bytes"),
    }
}
