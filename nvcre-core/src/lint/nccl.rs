//! Settings of NCCL against what the platform, its boards and the catalogue's entries are.

use super::{Input, Variable};
use crate::api::Value;
use crate::catalogue::Fabric;
use crate::diagnostic::{Code, Diagnostic, FieldPath};

pub(super) fn lint(input: &Input<'_>, out: &mut Vec<Diagnostic>) {
    let variables = input.variables();
    for variable in &variables {
        known(input, variable, out);
    }
    interfaces(input, out);
    removed(input, &variables, out);
    fabric(input, out);
    mnnvl(input, out);
    peer_to_peer(input, out);
    visible(input, out);
}

/// A number as NCCL reads it; also `0x10`.
fn number(text: &str) -> Option<i64> {
    let (sign, digits) = text.strip_prefix('-').map_or((1, text), |rest| (-1, rest));
    let hex = digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X"));
    let found = hex.map_or_else(|| digits.parse().ok(), |hex| i64::from_str_radix(hex, 16).ok())?;
    Some(sign * found)
}

fn is_on(variable: &Variable<'_>) -> bool {
    number(variable.value).is_some_and(|n| n != 0)
}

/// Names and values of the variables that the catalogue lists.
fn known(input: &Input<'_>, variable: &Variable<'_>, out: &mut Vec<Diagnostic>) {
    let list = &input.catalogue.nccl_variables;
    let Variable { name, value, path, .. } = variable;
    let Some(rule) = list.iter().find(|v| v.name == *name) else {
        let plain = |text: &str| text.replace('_', "").to_ascii_uppercase();
        let near = |v: &&crate::catalogue::NcclVariable| {
            plain(&v.name) == plain(name) || strsim::damerau_levenshtein(&v.name, name) == 1
        };
        let upper = name.to_ascii_uppercase();
        if let Some(meant) = list.iter().find(near).filter(|_| upper.starts_with("NCCL")) {
            let message = format!("NCCL does not know {name}, so that it has no effect; it knows {}", meant.name);
            let help = format!("did you mean `{}`?", meant.name);
            let path = if variable.forwarded { path.clone() } else { name_of(path) };
            out.push(Diagnostic::at(Code::VariableMisspelt, path, message).with_help(help));
        }
        return;
    };
    // Of what Kubernetes or a shell puts in, nothing is known; an empty text is as good as unset.
    if value.is_empty() || value.contains('$') || number(value).is_some() {
        return;
    }
    let fits = |word: &String| word.eq_ignore_ascii_case(value);
    let wanted = match rule.words.as_slice() {
        [] if rule.whole => "a whole number, such as 0 or 1".to_owned(),
        words if !words.is_empty() && !words.iter().any(fits) => format!("one of {}", words.join(", ")),
        _ => return,
    };
    let message = format!("NCCL ignores {name} {value:?}: it reads {wanted}");
    out.push(Diagnostic::at(Code::VariableValue, path, message).with_help(format!("write {wanted}")));
}

/// The name of a variable of `spec.env` whose value is at a path.
fn name_of(path: &FieldPath) -> FieldPath {
    let (_, element) = path.0.split_last().map_or((None, &[][..]), |(last, rest)| (Some(last), rest));
    FieldPath(element.to_vec()).key("name")
}

fn interfaces(input: &Input<'_>, out: &mut Vec<Diagnostic>) {
    let Some(variable) = input.variable("NCCL_SOCKET_IFNAME") else { return };
    let value = variable.value;
    // ^ leaves interfaces out; = names them whole, anything else is the beginning of a name.
    if value.is_empty() || value.starts_with('^') || value.contains('$') {
        return;
    }
    let (exact, list) = value.strip_prefix('=').map_or((false, value), |rest| (true, rest));
    let wanted: Vec<&str> = list.split(',').map(str::trim).filter(|name| !name.is_empty()).collect();
    let (_, nodes) = input.size();
    if nodes > 1 && !wanted.is_empty() && wanted.iter().all(|name| *name == "lo") {
        let message = format!(
            "NCCL_SOCKET_IFNAME {value:?} is the loopback interface: no rank reaches the other {} of its job",
            if nodes == 2 { "node" } else { "nodes" }
        );
        let help = "name an interface that reaches other nodes, for example eth0";
        out.push(Diagnostic::at(Code::NoSuchInterface, &variable.path, message).with_help(help));
        return;
    }
    let host = |pod: &Value| pod.get("hostNetwork").and_then(Value::as_bool) == Some(true);
    if input.pods().iter().any(|(_, pod)| host(pod)) {
        return;
    }
    let Some(there) = input.catalogue.interfaces(input.platform, input.architecture) else { return };
    let fits = |name: &&str| there.iter().any(|own| if exact { own == name } else { own.starts_with(name) });
    if !wanted.is_empty() && !wanted.iter().any(fits) {
        let message = format!(
            "NCCL_SOCKET_IFNAME {value:?} fits no network interface of a pod on {}, which has {}: NCCL does not start",
            input.on(),
            there.join(", ")
        );
        let help = format!("name one of {}, or remove it", there.join(", "));
        out.push(Diagnostic::at(Code::NoSuchInterface, &variable.path, message).with_help(help));
    }
}

/// Plugins that an entry which matched takes out of the image.
fn removed(input: &Input<'_>, variables: &[Variable<'_>], out: &mut Vec<Diagnostic>) {
    for removed in &input.catalogue.removed_plugins {
        let Some(entry) = input.entries.iter().find(|e| e.entry.id == removed.entry) else { continue };
        let one_of = |list: &[String], value: &str| list.iter().any(|own| own.eq_ignore_ascii_case(value));
        for variable in variables {
            let value = variable.value;
            let below =
                |path: &String| value.split(':').any(|part| part == path || part.starts_with(&format!("{path}/")));
            let names_it = match variable.name {
                "NCCL_NET_PLUGIN" => one_of(&removed.plugins, value) || removed.paths.iter().any(below),
                "NCCL_NET" => one_of(&removed.networks, value),
                "LD_LIBRARY_PATH" => removed.paths.iter().any(below),
                _ => false,
            };
            if !names_it {
                continue;
            }
            let message = format!(
                "{} {value:?} asks for a network plugin that the platform entry {} {} removes from the image on {}",
                variable.name,
                entry.entry.id,
                entry.entry.name,
                input.on()
            );
            let help = "remove it; or choose an edition of the catalogue that keeps the plugin there, if there is one";
            out.push(Diagnostic::at(Code::RemovedPlugin, &variable.path, message).with_help(help));
        }
    }
}

fn fabric(input: &Input<'_>, out: &mut Vec<Diagnostic>) {
    let Some(fabric) = input.catalogue.fabric(input.platform, input.architecture) else { return };
    let (on, title) = (input.on(), fabric.title());
    let (_, nodes) = input.size();
    if fabric.is_rdma() && nodes > 1 {
        let off = input.variable("NCCL_IB_DISABLE").filter(is_on);
        let socket = input.variable("NCCL_NET").filter(|v| v.value.eq_ignore_ascii_case("socket"));
        for variable in off.into_iter().chain(socket) {
            let message = format!(
                "{} {:?} keeps NCCL from the {title} network that {on} has: nodes talk over TCP, many times slower",
                variable.name, variable.value
            );
            let help = "remove it, or accept this finding when TCP is what you measure";
            out.push(Diagnostic::at(Code::RdmaOff, &variable.path, message).with_help(help));
        }
    }
    if let Some(variable) = input.variable("FI_PROVIDER").filter(|v| !v.value.contains('$') && !v.value.is_empty()) {
        let efa = variable.value.split([',', ';']).any(|name| name.trim().eq_ignore_ascii_case("efa"));
        if efa != (fabric == Fabric::Efa) && !variable.value.starts_with('^') {
            let message = format!(
                "FI_PROVIDER {:?} does not fit {on}, whose nodes are joined by {title}: libfabric {}",
                variable.value,
                if efa { "finds no such device" } else { "leaves the fast devices aside" }
            );
            let help = if efa { "remove it" } else { "write efa, or remove it" };
            out.push(Diagnostic::at(Code::FabricProvider, &variable.path, message).with_help(help));
        }
    }
    if let Some(variable) = input.variable("NCCL_IB_HCA").filter(|v| !v.value.is_empty() && !fabric.is_rdma()) {
        let message = format!(
            "NCCL_IB_HCA chooses InfiniBand or RoCE devices, and {on} is joined by {title}: it has none, so that nothing is chosen"
        );
        out.push(Diagnostic::at(Code::NoIbDevices, &variable.path, message).with_help("remove it"));
    }
}

fn mnnvl(input: &Input<'_>, out: &mut Vec<Diagnostic>) {
    let field = input.run.spec.enable_mnnvl;
    let variable = input.variable("NCCL_MNNVL_ENABLE");
    let forced = variable.as_ref().filter(|v| number(v.value) == Some(1));
    let board = input.catalogue.architecture(input.architecture);
    if let Some(board) = board.filter(|board| !board.mnnvl) {
        let path = match (forced, field) {
            (Some(variable), _) => Some(variable.path.clone()),
            (None, Some(true)) if variable.is_none() => Some("spec.enableMNNVL".into()),
            _ => None,
        };
        if let Some(path) = path {
            let message = format!(
                "multi-node NVLink is forced on, and boards with GPU {} have none: NCCL fails when the ranks connect",
                board.name
            );
            out.push(Diagnostic::at(Code::MnnvlForced, path, message).with_help("remove it"));
            return;
        }
    }
    let (Some(field), Some(variable)) = (field, variable) else { return };
    if number(variable.value).is_some_and(|n| matches!(n, 0 | 1) && (n == 1) != field) {
        let message = format!(
            "NCCL_MNNVL_ENABLE {:?} contradicts enableMNNVL: {field}; NCCL does what the variable says, and everything else what the field says",
            variable.value
        );
        out.push(
            Diagnostic::at(Code::MnnvlContradiction, &variable.path, message)
                .with_related("spec.enableMNNVL", "the field")
                .with_help("remove the variable; the field sets it"),
        );
    }
}

fn peer_to_peer(input: &Input<'_>, out: &mut Vec<Diagnostic>) {
    let (gpus, _) = input.size();
    let joined = input.catalogue.architecture(input.architecture).is_some_and(|board| board.nvlink);
    let Some(variable) = input.variable("NCCL_P2P_DISABLE").filter(is_on).filter(|_| joined && gpus > 1) else {
        return;
    };
    let message = format!(
        "NCCL_P2P_DISABLE keeps the {gpus} GPUs of a node with {} from talking over NVLink: they go through memory or the network",
        input.architecture
    );
    let help = "remove it, or accept this finding when that is what you measure";
    out.push(Diagnostic::at(Code::PeerToPeerOff, &variable.path, message).with_help(help));
}

fn visible(input: &Input<'_>, out: &mut Vec<Diagnostic>) {
    let (gpus, _) = input.size();
    if let Some(variable) = input.variable("CUDA_VISIBLE_DEVICES").filter(|v| !v.value.contains('$')) {
        // CUDA stops at the first that it does not know.
        let named = variable.value.split(',').map(str::trim);
        let shown = named.take_while(|d| !d.is_empty() && !d.starts_with('-') && *d != "NoDevFiles").count();
        if i64::try_from(shown).is_ok_and(|shown| shown < gpus) {
            let message = format!(
                "CUDA_VISIBLE_DEVICES {:?} shows {} of the {gpus} that every node's processes are started for",
                variable.value,
                super::count(shown, "GPU")
            );
            let help = format!("remove it; to use fewer GPUs set spec.gpusPerNode to {}", shown.max(1));
            out.push(Diagnostic::at(Code::VisibleDevices, &variable.path, message).with_help(help));
        }
    }
    let own = |v: &Variable<'_>| !v.forwarded && v.value != "void";
    if let Some(variable) = input.variable("NVIDIA_VISIBLE_DEVICES").filter(own) {
        let message = format!(
            "NVIDIA_VISIBLE_DEVICES {:?} takes the place of the list that the device plugin makes: the container may see GPUs of other pods",
            variable.value
        );
        let help = "remove it; the pod gets the GPUs that it asks for";
        out.push(Diagnostic::at(Code::VisibleDevices, &variable.path, message).with_help(help));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_as_nccl_reads_them() {
        for (text, found) in [("1", Some(1)), ("-2", Some(-2)), ("0x10", Some(16)), ("true", None), ("1 ", None)] {
            assert_eq!(number(text), found, "{text}");
        }
    }

    #[test]
    fn the_name_of_a_variable_stands_beside_its_value() {
        assert_eq!(name_of(&"spec.env[3].value".into()).to_string(), "spec.env[3].name");
    }
}
