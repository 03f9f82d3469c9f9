//! Where we differ on purpose (00 "Golden files"): suite and case, JSON path, decision. Everything else is compared.

/// One deliberate difference.
pub struct Difference {
    pub suite: &'static str,
    /// The case; `*` for all of the suite.
    pub case: &'static str,
    /// Place in the expected value; `*` stands for any key or index.
    pub path: &'static str,
    /// Number of the decision in 00.
    pub decision: &'static str,
    pub what: What,
}

/// How a place is compared.
#[derive(Clone, Copy)]
pub enum What {
    /// Not at all.
    Skipped,
    /// These words of the expected list, one after the other, are not in ours.
    WordsLess(&'static [&'static str]),
    /// Ours has more elements: those whose value at the pointer is a text, and none of these.
    ElementsMore { pointer: &'static str, unlike: &'static [&'static str] },
}

/// All of them.
pub const ALL: &[Difference] = &[
    // Own wording of the scripts; what they do is tested in `tests/scripts.rs`.
    Difference {
        suite: "platform/apply-gang-scheduler-deps",
        case: "*",
        path: "/*/resource/spec/template/spec/replicatedJobs/*/template/spec/template/spec/initContainers/*/args",
        decision: "D22",
        what: What::Skipped,
    },
    // The suite is older than the Nscale entries of the edition, and than every platform that is added here.
    Difference {
        suite: "platform/override-mpi-args",
        case: "*",
        path: "",
        decision: "D56",
        what: What::ElementsMore {
            pointer: "/when/platform/equals",
            unlike: &["aws", "gcp", "azure", "oci", "onprem", "togetherai", "mistral", "forge"],
        },
    },
    // Nothing but reference fields is renamed, so the damage that the engine repairs never happens.
    Difference {
        suite: "platform/preserve-scheduling-fields",
        case: "*",
        path: "/renamedOnly",
        decision: "D72",
        what: What::Skipped,
    },
    Difference {
        suite: "platform/preserve-scheduling-fields",
        case: "no-intent-leaves-renaming-alone",
        path: "/preserved",
        decision: "D72",
        what: What::Skipped,
    },
    // Nscale forwards no NCCL_NET.
    Difference {
        suite: "workloadrun/apply-platform-mpi-args",
        case: "nscale-b200-mpi-spec-env-wins",
        path: "/mpiArgs",
        decision: "D15",
        what: What::WordsLess(&["-x", "NCCL_NET=IB"]),
    },
    Difference {
        suite: "workloadrun/apply-platform-mpi-args",
        case: "nscale-gb300-mpi-gets-ib-env",
        path: "/mpiArgs",
        decision: "D15",
        what: What::WordsLess(&["-x", "NCCL_NET=IB"]),
    },
];

/// Values that no suite compares: they count entries of other revisions of the catalogue (00 "Golden files").
pub const NEVER_COMPARED: &[&str] = &["/overrideCount"];
