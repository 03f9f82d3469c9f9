//! `workloadrun/apply-platform-mpi-args`: the blocks of matching entries before the user's own arguments.
//!
//! Only the engine's part is under test, so the three AWS entries stand here literally (05, E5–E7).

use nvcre_core::api::{EnvVar, OverrideSpec};
use nvcre_core::overrides::{Context, Layer, match_layers, mpi_args, substitute_env};
use serde_json::{Value, json};

fn entries() -> Vec<(&'static str, Value)> {
    vec![
        (
            "E5",
            json!({"when": {"platform": {"equals": "aws"}}, "preCommand": ["rm -rf /opt/amazon", "unset NCCL_NET_PLUGIN"]}),
        ),
        ("E6", json!({"when": {"platform": {"equals": "aws"}}, "mpiArgs": ["-x", "NCCL_NET_PLUGIN=none"]})),
        (
            "E7",
            json!({
                "when": {"platform": {"equals": "aws"}, "gpuArchitecture": {"equals": "gb300"}},
                "mpiArgs": [
                    "--mca", "orte_keep_fqdn_hostnames", "true", "--mca", "pml", "ob1", "--mca", "btl", "tcp,self",
                    "--mca", "btl_tcp_if_include", "eth0", "--mca", "oob", "tcp", "--mca", "oob_tcp_if_include", "eth0",
                    "--mca", "coll_ucc_enable", "0", "--mca", "coll_hcoll_enable", "0",
                    "-x", "NCCL_DEBUG_SUBSYS=NET,INIT", "-x", "NCCL_SOCKET_IFNAME=eth0", "-x", "NCCL_IB_GID_INDEX=3",
                    "-x", "NCCL_NVLS_ENABLE=1", "-x", "NCCL_CUMEM_ENABLE=1", "-x", "NCCL_NET_GDR_C2C=1"
                ]
            }),
        ),
    ]
}

#[test]
fn apply_platform_mpi_args() {
    for case in super::cases("workloadrun/apply-platform-mpi-args") {
        let text = |key: &str| case.input[key].as_str().unwrap_or_default().to_owned();
        if text("platform") == "nscale" {
            eprintln!("{}: skipped, its entries are not here (00 D56)", case.name);
            continue;
        }
        let mpi = &case.input["run"]["spec"]["framework"]["mpi"];
        let env: Vec<EnvVar> = serde_json::from_value(case.input["run"]["spec"]["env"].clone()).unwrap_or_default();
        let own: Vec<String> = serde_json::from_value(mpi["mpiArgs"].clone()).unwrap_or_default();
        let layers: Vec<Layer> = entries()
            .into_iter()
            .enumerate()
            .map(|(at, (id, value))| {
                let mut spec: OverrideSpec = serde_json::from_value(value).unwrap();
                substitute_env(&mut spec, &env);
                Layer::entry(at, id, id.to_lowercase(), spec)
            })
            .collect();
        let context = Context { platform: text("platform"), gpu_architecture: text("gpuArch"), ..Context::default() };
        let mut findings = Vec::new();
        let matches = match_layers(&layers, &context, &mut findings);
        // For a run without mpirun nobody asks for the arguments.
        let found = match text("frameworkType").as_str() {
            "mpi" => json!(mpi_args(&layers, &matches, &own).into_iter().map(|w| w.text).collect::<Vec<_>>()),
            _ => Value::Null,
        };
        assert_eq!(json!({ "mpiArgs": found }), case.expected.unwrap(), "{}", case.name);
        assert_eq!(findings, [], "{}", case.name);
    }
}
