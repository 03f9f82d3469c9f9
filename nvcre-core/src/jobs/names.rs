//! Names of everything that is made per group (03 §6.1), and what a cluster makes of them (08 row 22, 00 D21, D26).

/// Longest name of a Job (03 §6.1).
pub const JOB_NAME_MAX: usize = 35;
/// Longest name of a TrainJob (03 §6.1).
pub const TRAIN_JOB_NAME_MAX: usize = 44;
/// Longest name of measurements and per-job copies (03 §6.1).
pub const COPY_NAME_MAX: usize = 63;
/// Longest name of a run record (10 §2).
pub const RECORD_NAME_MAX: usize = 253;
/// Digits of the hash in a cut name.
pub const HASH_DIGITS: usize = 5;

/// What a TrainJob's name adds to the name of its Job.
const TRAIN_JOB_SUFFIX: &str = "-workload";
/// Characters that Kubernetes adds to the name of a pod of a Job: a hyphen and five random ones.
const POD_SUFFIX: usize = 6;

/// 32-bit FNV-1a over the bytes of a text.
pub fn fnv1a(text: &str) -> u32 {
    text.bytes().fold(2_166_136_261, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(16_777_619))
}

/// The first `digits` characters of the hash in hexadecimal: without leading zeros, but padded to that many digits.
pub fn hash_text(text: &str, digits: usize) -> String {
    format!("{:0digits$x}", fnv1a(text)).chars().take(digits).collect()
}

/// `T(name, max)`: the name when it fits, else its beginning, a hyphen and a five-character hash of the whole name.
///
/// ```
/// use nvcre_core::jobs::truncate;
/// assert_eq!(truncate("nccl-fleet-sweep-run-group-0-iter-1", 35), "nccl-fleet-sweep-run-group-0-iter-1");
/// assert_eq!(truncate("nccl-fleet-sweep-run2-group-0-iter-1", 35), "nccl-fleet-sweep-run2-group-0-4b651");
/// ```
pub fn truncate(name: &str, max: usize) -> String {
    truncate_with(name, max, HASH_DIGITS)
}

/// As [`truncate`], with a hash of more digits and a beginning that is shorter by as many (00 D57).
pub fn truncate_with(name: &str, max: usize, digits: usize) -> String {
    if name.len() <= max {
        return name.to_owned();
    }
    let mut end = max.saturating_sub(digits + 1).max(1);
    while !name.is_char_boundary(end) {
        end -= 1;
    }
    let head = name.get(..end).unwrap_or_default().trim_end_matches('-');
    format!("{head}-{}", hash_text(name, digits))
}

/// The part after the last hyphen when it is exactly five bytes long, else the five-character hash of the whole name.
pub fn extract_hash(name: &str) -> String {
    match name.rsplit_once('-') {
        Some((_, tail)) if tail.len() == HASH_DIGITS => tail.to_owned(),
        _ => hash_text(name, HASH_DIGITS),
    }
}

/// Name of the TrainJob of a Job.
pub fn train_job_name(job: &str) -> String {
    truncate(&format!("{job}{TRAIN_JOB_SUFFIX}"), TRAIN_JOB_NAME_MAX)
}

/// Name of the GoodputMeasurement of a Job.
pub fn goodput_name(job: &str) -> String {
    truncate(&format!("{job}-goodput"), COPY_NAME_MAX)
}

/// Name of the BandwidthMeasurement of a Job.
pub fn bandwidth_name(job: &str) -> String {
    truncate(&format!("{job}-bandwidth"), COPY_NAME_MAX)
}

/// Name of the run record of a direct run (10 §2).
pub fn record_name(run: &str) -> String {
    truncate(&format!("{run}-nvcre-run"), RECORD_NAME_MAX)
}

/// Names of one run: what they are made of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Naming {
    /// Name of the Workflow, which is that of the run.
    pub workflow: String,
    /// Jobs are named after group and iteration.
    long_jobs: bool,
    /// Copies are named after group and iteration.
    long_copies: bool,
    hash: String,
}

impl Naming {
    /// `iterations` and `groups` are the totals of the run; `diagnose` says that fault isolation is on.
    pub fn new(workflow: &str, iterations: u64, groups: usize, diagnose: bool) -> Self {
        let many = iterations > 1 || groups > 1;
        Self {
            workflow: workflow.to_owned(),
            long_jobs: many || diagnose,
            long_copies: many,
            hash: extract_hash(workflow),
        }
    }

    /// Name of a Job before it is cut.
    pub fn full_job(&self, group: &str, iteration: u64) -> String {
        let workflow = &self.workflow;
        if self.long_jobs { format!("{workflow}-{group}-iter-{iteration}") } else { format!("{workflow}-job") }
    }

    /// Name of a Job.
    pub fn job(&self, group: &str, iteration: u64) -> String {
        truncate(&self.full_job(group, iteration), JOB_NAME_MAX)
    }

    /// What the name of a per-job copy adds to its original (03 §6.4).
    pub fn suffix(&self, group: &str, iteration: u64) -> String {
        let hash = &self.hash;
        if self.long_copies || iteration > 1 {
            format!("-{hash}-{group}-iter-{iteration}")
        } else {
            format!("-{hash}-job")
        }
    }

    /// Name of a per-job copy.
    pub fn copy(&self, original: &str, group: &str, iteration: u64) -> String {
        truncate(&format!("{original}{}", self.suffix(group, iteration)), COPY_NAME_MAX)
    }
}

/// One replicated job of a runtime, as far as it makes names longer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReplicatedJobSize {
    /// Its name.
    pub name: String,
    /// Jobs made of it.
    pub replicas: u64,
    /// Pods of each of those.
    pub pods: u64,
}

impl ReplicatedJobSize {
    /// The longest TrainJob name with which the names of its Jobs and pods stay legal (08 row 22).
    pub fn longest_train_job_name(&self) -> usize {
        let job = 1 + self.name.len() + 1 + digits(self.replicas.saturating_sub(1));
        let pod = job + 1 + digits(self.pods.saturating_sub(1)) + POD_SUFFIX;
        63usize.saturating_sub(pod.max(job))
    }
}

/// The longest Job name whose TrainJob keeps `longest` characters.
pub(crate) fn longest_job_name(longest_train_job: usize) -> usize {
    longest_train_job.saturating_sub(TRAIN_JOB_SUFFIX.len())
}

fn digits(number: u64) -> usize {
    number.checked_ilog10().map_or(1, |n| n as usize + 1)
}

/// Why a run of this name makes illegal TrainJob names (RFC 1035: lower-case letters, digits and hyphens, a letter
/// first) or illegal label values; `None` when it makes legal ones.
pub(crate) fn run_name_problem(name: &str) -> Option<String> {
    if name.len() > 63 {
        return Some(format!("it has {} characters, and a label that carries it takes at most 63", name.len()));
    }
    if let Some(bad) = name.chars().find(|c| !(c.is_ascii_lowercase() || c.is_ascii_digit() || *c == '-')) {
        return Some(format!("it holds {bad:?}, and a TrainJob takes only lower-case letters, digits and '-'"));
    }
    match (name.chars().next(), name.chars().last()) {
        (None, _) => Some("it is empty".into()),
        (Some(first), _) if !first.is_ascii_lowercase() => {
            Some(format!("it begins with {first:?}, and the name of a TrainJob begins with a letter"))
        }
        (_, Some('-')) => Some("it ends with '-'".into()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_of_the_table() {
        for (name, fnv, hash, extracted) in [
            ("my-workload", 0x18d1_0b57, "18d10", "18d10"),
            ("my-run", 0xf3e5_8d9b, "f3e58", "f3e58"),
            ("gb300-allreduce", 0xb277_22ed, "b2772", "b2772"),
            ("nccl-sweep", 0x9404_35b4, "94043", "sweep"),
            ("run-1701", 0x0005_02e6, "502e6", "502e6"),
            ("run-252886", 0x0000_0e80, "00e80", "00e80"),
        ] {
            assert_eq!(fnv1a(name), fnv, "{name}");
            assert_eq!(hash_text(name, 5), hash, "{name}");
            assert_eq!(extract_hash(name), extracted, "{name}");
        }
        assert_eq!(extract_hash("plain"), hash_text("plain", 5), "no hyphen: the hash of the whole");
    }

    #[test]
    fn cut_names_of_the_table() {
        for (name, max, cut) in [
            ("my-workload-group-0-iter-1", 35, "my-workload-group-0-iter-1"),
            ("nccl-fleet-sweep-run-group-0-iter-1", 35, "nccl-fleet-sweep-run-group-0-iter-1"),
            ("nccl-fleet-sweep-run2-group-0-iter-1", 35, "nccl-fleet-sweep-run2-group-0-4b651"),
            ("nccl-all-reduce-fleet-sweep-group-12-overflow-iter-1", 35, "nccl-all-reduce-fleet-sweep-g-76a2a"),
            ("a-really-long-training-run-name-x-job", 35, "a-really-long-training-run-na-d8443"),
            (
                "my-workload-compute-domain-channel-18d10-group-12-overflow-iter-10",
                63,
                "my-workload-compute-domain-channel-18d10-group-12-overflo-3baf9",
            ),
        ] {
            assert_eq!(truncate(name, max), cut);
        }
    }

    #[test]
    fn cutting_takes_hyphens_away_and_longer_hashes_shorten_the_beginning() {
        let name = "aaaa-bbbb-----------------------------------";
        assert_eq!(truncate(name, 20), format!("aaaa-bbbb-{}", hash_text(name, 5)));
        let long = "nccl-all-reduce-fleet-sweep-group-12-overflow-iter-1";
        for digits in 5..=8 {
            let cut = truncate_with(long, 35, digits);
            assert!(cut.len() <= 35 && cut.len() >= 34, "a hyphen at the cut goes away");
            assert!(cut.ends_with(&format!("-{}", hash_text(long, digits))), "{cut}");
        }
        assert_eq!(truncate("ééééé", 8), format!("é-{}", hash_text("ééééé", 5)), "never inside a character");
    }

    #[test]
    fn forms_of_job_names() {
        let one = Naming::new("my-workload", 1, 1, false);
        assert_eq!(one.job("group-0", 1), "my-workload-job");
        assert_eq!(one.suffix("group-0", 1), "-18d10-job");
        assert_eq!(train_job_name(&one.job("group-0", 1)), "my-workload-job-workload");
        assert_eq!(one.copy("my-workload-runtime", "group-0", 1), "my-workload-runtime-18d10-job");
        let diagnosed = Naming::new("my-workload", 1, 1, true);
        assert_eq!(diagnosed.job("screen-0", 1), "my-workload-screen-0-iter-1");
        assert_eq!(diagnosed.suffix("screen-0", 1), "-18d10-job", "diagnose plays no part in copies");
        for naming in [Naming::new("my-workload", 2, 1, false), Naming::new("my-workload", 1, 2, false)] {
            assert_eq!(naming.job("group-1", 1), "my-workload-group-1-iter-1");
            assert_eq!(naming.copy("my-workload-runtime", "group-1", 1), "my-workload-runtime-18d10-group-1-iter-1");
        }
        assert_eq!(goodput_name("j"), "j-goodput");
        assert_eq!(bandwidth_name("j"), "j-bandwidth");
        assert_eq!(record_name("my-run"), "my-run-nvcre-run");
    }

    #[test]
    fn a_train_job_name_is_never_cut_after_the_job() {
        let job = truncate(&"x".repeat(80), JOB_NAME_MAX);
        assert_eq!(train_job_name(&job), format!("{job}-workload"));
    }

    #[test]
    fn arithmetic_of_job_sets() {
        let size = |name: &str, replicas, pods| ReplicatedJobSize { name: name.into(), replicas, pods };
        assert_eq!(size("launcher", 1, 1).longest_train_job_name(), 44);
        assert_eq!(size("node", 1, 10).longest_train_job_name(), 48);
        assert_eq!(size("node", 1, 11).longest_train_job_name(), 47);
        assert_eq!(size("node", 1, 100).longest_train_job_name(), 47);
        assert_eq!(size("node", 1, 101).longest_train_job_name(), 46);
        assert_eq!(size("node", 11, 1).longest_train_job_name(), 47);
    }

    #[test]
    fn run_names() {
        assert_eq!(run_name_problem("my-run-2"), None);
        for bad in ["", "1run", "my.run", "Run", "run-", "-run", &"x".repeat(64)] {
            assert!(run_name_problem(bad).is_some(), "{bad}");
        }
    }
}
