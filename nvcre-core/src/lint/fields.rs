//! Fields of a run that have no effect, or another one than it seems.

use super::command::collective;
use super::{Input, program};
use crate::api::Value;
use crate::check::GoDuration;
use crate::diagnostic::{Code, Diagnostic, FieldPath};

pub(super) fn lint(input: &Input<'_>, out: &mut Vec<Diagnostic>) {
    thresholds(input, out);
    test_type(input, out);
    volumes(input, out);
    timeout(input, out);
}

/// Metrics of goodput; the other ones are of bandwidth (01 §7).
const GOODPUT: [&str; 3] = ["goodputRatio", "avgTFLOPsPerGPU", "avgStepTimeSec"];

fn thresholds(input: &Input<'_>, out: &mut Vec<Diagnostic>) {
    let spec = &input.run.spec;
    for metric in spec.thresholds.keys().filter(|k| crate::check::THRESHOLDS.contains(&k.as_str())) {
        let goodput = GOODPUT.contains(&metric.as_str());
        let (measured, field, profile) = match goodput {
            true => (spec.goodput_measurement.is_some(), "goodputMeasurement", "megatron-training"),
            false => (spec.bandwidth_measurement.is_some(), "bandwidthMeasurement", "nccl-bandwidth"),
        };
        if measured {
            continue;
        }
        let message = format!(
            "nothing measures {metric}: it comes from spec.{field}, which is not set, so that the threshold decides nothing"
        );
        let help = format!("add spec.{field} with a logProfileRef, for example {profile}, or remove the threshold");
        let path = FieldPath::parse("spec.thresholds").key(metric);
        out.push(Diagnostic::at(Code::ThresholdUnmeasured, path, message).at_key().with_help(help));
    }
}

fn test_type(input: &Input<'_>, out: &mut Vec<Diagnostic>) {
    let spec = &input.run.spec;
    let (Some(measurement), Some(mpi)) = (&spec.bandwidth_measurement, &spec.framework.mpi) else { return };
    let Some(runs) = collective(&mpi.binary) else { return };
    let plain = |text: &str| text.to_ascii_lowercase().replace(['_', '-'], "");
    let named = plain(&measurement.test_type);
    let named = named.strip_suffix("perf").unwrap_or(&named);
    let known = super::command::TESTS.iter().any(|test| plain(test) == named);
    if !known || plain(runs) == named {
        return;
    }
    let message = format!(
        "testType is {:?}, and {} measures {runs}: the numbers stand under the wrong name",
        measurement.test_type,
        program(&mpi.binary)
    );
    out.push(
        Diagnostic::at(Code::TestTypeMismatch, "spec.bandwidthMeasurement.testType", message)
            .with_related("spec.framework.mpi.binary", "the program")
            .with_help(format!("write {runs}, or start the program of the other collective")),
    );
}

fn volumes(input: &Input<'_>, out: &mut Vec<Diagnostic>) {
    let spec = &input.run.spec;
    let mut mounted: Vec<&str> = Vec::new();
    let containers = input.containers();
    let own = spec.init_containers.iter().chain(containers.iter().map(|(_, container)| *container));
    let lists = own.flat_map(|c| [c.get("volumeMounts"), c.get("volumeDevices")]).flatten();
    mounted.extend(lists.filter_map(Value::as_array).flatten().filter_map(|m| m.get("name")?.as_str()));
    mounted.extend(spec.volume_mounts.iter().filter_map(|m| m.get("name")?.as_str()));
    for (at, volume) in spec.volumes.iter().enumerate() {
        let Some(name) = volume.get("name").and_then(Value::as_str).filter(|n| !mounted.contains(n)) else { continue };
        // The volume of a checkpoint has a finding of its own.
        if spec.checkpoint.is_some() && volume.get("persistentVolumeClaim").is_some() {
            continue;
        }
        let message = format!(
            "no container mounts the volume {name}: every pod waits for it before it starts, and no program sees it"
        );
        let help = format!("add a mount of {name} to spec.volumeMounts, or remove the volume");
        let path = FieldPath::parse("spec.volumes").index(at).key("name");
        out.push(Diagnostic::at(Code::VolumeNotMounted, path, message).with_help(help));
    }
}

fn timeout(input: &Input<'_>, out: &mut Vec<Diagnostic>) {
    let Some(orchestration) = &input.run.spec.orchestration else { return };
    let limit = GoDuration::parse(&orchestration.timeout_per_job).filter(|limit| limit.nanos > 0);
    if let Some(limit) = limit.filter(|limit| limit.nanos < 60 * 1_000_000_000) {
        let message = format!(
            "a job is ended {limit} after it was created; scheduling its pods and pulling the image count, and take longer"
        );
        let help = "write minutes or hours, for example 30m";
        out.push(Diagnostic::at(Code::TimeoutShort, "spec.orchestration.timeoutPerJob", message).with_help(help));
    }
}
