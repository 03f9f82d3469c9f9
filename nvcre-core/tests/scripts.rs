//! The scripts of MPI pods do what 02 §4.3 and §6 say: each is run by a shell with stub commands in a folder of its
//! own (00 D22).
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, clippy::disallowed_methods)]
#![allow(missing_docs)]
#![cfg(unix)]

use nvcre_core::workflow::{LAUNCHER_INIT, WAIT_FOR_WORKERS, WORKER_START};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A root of its own: absolute paths of the script lead into it, commands are stubs that write down how they were called.
struct Sandbox {
    root: PathBuf,
}

impl Sandbox {
    fn new(name: &str) -> Self {
        let root = std::env::temp_dir().join(format!("nvcre-scripts-{}-{name}", std::process::id()));
        let _ = std::fs::remove_dir_all(&root);
        for folder in ["bin", "usr/sbin", "root", "tmp/mpi-ssh-raw", "etc/mpi", "var/run"] {
            std::fs::create_dir_all(root.join(folder)).unwrap();
        }
        let sandbox = Self { root };
        for key in ["id_rsa", "id_rsa.pub", "authorized_keys"] {
            sandbox.write(&format!("tmp/mpi-ssh-raw/{key}"), key);
        }
        sandbox
    }

    fn path(&self, name: &str) -> PathBuf {
        self.root.join(name)
    }

    fn write(&self, name: &str, text: &str) {
        std::fs::write(self.path(name), text).unwrap();
    }

    /// A command that writes its name and arguments to `calls`, then runs `body`.
    fn stub(&self, name: &str, body: &str) {
        let text = format!(
            "#!/bin/sh\necho \"{}\" \"$@\" >>{}/calls\n{body}\n",
            Path::new(name).file_name().unwrap().display(),
            self.root.display()
        );
        self.write(name, &text);
        std::fs::set_permissions(self.path(name), std::fs::Permissions::from_mode(0o755)).unwrap();
    }

    fn run(&self, script: &str, hostname: &str) -> Output {
        let root = self.root.display();
        let mut script = script.to_owned();
        for path in ["/usr/sbin/sshd", "/root/.ssh", "/tmp/mpi-ssh-raw", "/var/run/sshd", "/etc/mpi"] {
            script = script.replace(path, &format!("{root}{path}"));
        }
        let path = format!("{root}/bin:/usr/bin:/bin");
        Command::new("sh").arg("-c").arg(script).env("PATH", path).env("HOSTNAME", hostname).output().unwrap()
    }

    fn calls(&self) -> Vec<String> {
        let text = std::fs::read_to_string(self.path("calls")).unwrap_or_default();
        text.lines().map(str::to_owned).collect()
    }

    fn mode(&self, name: &str) -> u32 {
        std::fs::metadata(self.path(name)).unwrap().permissions().mode() & 0o777
    }
}

impl Drop for Sandbox {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.root);
    }
}

#[test]
fn a_worker_with_sshd_downloads_nothing() {
    let sandbox = Sandbox::new("worker");
    sandbox.stub("bin/apt-get", "exit 1");
    sandbox.stub("usr/sbin/sshd", "exit 0");
    let output = sandbox.run(WORKER_START, "w");
    assert!(output.status.success(), "{output:?}");
    assert_eq!(sandbox.calls(), ["sshd -De"]);
    let modes = ["root/.ssh", "root/.ssh/id_rsa", "root/.ssh/id_rsa.pub", "root/.ssh/authorized_keys", "var/run/sshd"];
    assert_eq!(modes.map(|f| sandbox.mode(f)), [0o700, 0o600, 0o644, 0o644, 0o755]);
}

#[test]
fn a_worker_without_sshd_installs_it_without_asking() {
    let sandbox = Sandbox::new("install");
    let sshd = sandbox.path("usr/sbin/sshd");
    let install =
        format!("[ \"$1\" = install ] || exit 0\nprintf '#!/bin/sh\\nexit 0\\n' >{0}\nchmod 755 {0}", sshd.display());
    sandbox.stub("bin/apt-get", &install);
    let output = sandbox.run(WORKER_START, "w");
    assert!(output.status.success(), "{output:?}");
    assert_eq!(sandbox.calls(), ["apt-get update", "apt-get install -y --no-install-recommends openssh-server"]);
}

#[test]
fn a_worker_stops_at_the_first_failure() {
    let sandbox = Sandbox::new("failure");
    sandbox.stub("usr/sbin/sshd", "exit 0");
    std::fs::remove_dir_all(sandbox.path("tmp/mpi-ssh-raw")).unwrap();
    assert!(!sandbox.run(WORKER_START, "w").status.success());
    assert_eq!(sandbox.calls(), Vec::<String>::new());
}

#[test]
fn the_launcher_gets_its_keys() {
    let sandbox = Sandbox::new("launcher");
    std::fs::create_dir_all(sandbox.path("root/.ssh")).unwrap();
    let output = sandbox.run(LAUNCHER_INIT, "l");
    assert!(output.status.success(), "{output:?}");
    let modes = ["id_rsa", "id_rsa.pub", "authorized_keys"].map(|f| sandbox.mode(&format!("root/.ssh/{f}")));
    assert_eq!(modes, [0o600, 0o644, 0o644]);
}

/// The barrier after the launcher's own init script, as under KAI.
fn barrier() -> String {
    format!("{LAUNCHER_INIT}{WAIT_FOR_WORKERS}")
}

fn barrier_sandbox(name: &str, hostfile: &str, ssh: &str) -> Sandbox {
    let sandbox = Sandbox::new(name);
    std::fs::create_dir_all(sandbox.path("root/.ssh")).unwrap();
    sandbox.write("etc/mpi/hostfile", hostfile);
    sandbox.stub("bin/ssh", ssh);
    sandbox.stub("bin/sleep", "exit 0");
    sandbox
}

#[test]
fn the_barrier_probes_every_worker_and_not_itself() {
    let hosts = "job-launcher-0-0.job slots=8\njob-node-0-0.job slots=8\n\njob-node-0-1.job slots=8";
    let sandbox = barrier_sandbox("barrier", hosts, "exit 0");
    let output = sandbox.run(&barrier(), "job-launcher-0-0");
    assert!(output.status.success(), "{output:?}");
    assert!(String::from_utf8_lossy(&output.stdout).contains("after 0 s"), "{output:?}");
    let ssh = "ssh -o BatchMode=yes -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -o ConnectTimeout=5";
    assert_eq!(sandbox.calls(), [format!("{ssh} job-node-0-0.job true"), format!("{ssh} job-node-0-1.job true")]);
}

#[test]
fn the_barrier_waits_until_the_last_worker_answers() {
    // The second worker answers at its fourth probe: two in attempt 0 (the second is the shown one), one in attempt 1.
    let ssh = "case \"$*\" in *w1*) n=$(grep -c w1 \"$(dirname \"$0\")/../calls\"); [ \"$n\" -ge 4 ] || { echo refused >&2; exit 255; };; esac";
    let sandbox = barrier_sandbox("waits", "w0 slots=1\nw1 slots=1\n", ssh);
    let output = sandbox.run(&barrier(), "l");
    assert!(output.status.success(), "{output:?}");
    let stdout = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(stdout.contains("waiting for w1: attempt 1 of 240, 0 s\nrefused\n"), "{stdout}");
    assert!(stdout.contains("after 10 s"), "{stdout}");
    assert_eq!(sandbox.calls().iter().filter(|c| *c == "sleep 5").count(), 2);
}

#[test]
fn the_barrier_gives_up_after_twenty_minutes() {
    let sandbox = barrier_sandbox("gives-up", "w0 slots=1\n", "exit 255");
    let output = sandbox.run(&barrier(), "l");
    assert_eq!(output.status.code(), Some(1));
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    for part in ["20 minutes", "w0 slots=1", "port 22"] {
        assert!(stderr.contains(part), "{part} in {stderr}");
    }
    let calls = sandbox.calls();
    assert_eq!(calls.iter().filter(|c| *c == "sleep 5").count(), 240);
    // 240 attempts, and a shown probe at every tenth.
    assert_eq!(calls.iter().filter(|c| c.starts_with("ssh")).count(), 264);
}

#[test]
fn the_barrier_needs_a_hostfile_with_hosts() {
    for hostfile in ["", "\n\n"] {
        let sandbox = barrier_sandbox("empty", hostfile, "exit 0");
        let output = sandbox.run(&barrier(), "l");
        assert_eq!(output.status.code(), Some(1));
        assert!(String::from_utf8_lossy(&output.stderr).contains("/etc/mpi/hostfile"));
    }
    let sandbox = barrier_sandbox("missing", "", "exit 0");
    std::fs::remove_file(sandbox.path("etc/mpi/hostfile")).unwrap();
    assert_eq!(sandbox.run(&barrier(), "l").status.code(), Some(1));
}

#[test]
fn the_barrier_alone_brings_its_keys() {
    let sandbox = barrier_sandbox("alone", "w0 slots=1\n", "exit 0");
    std::fs::remove_dir_all(sandbox.path("root/.ssh")).unwrap();
    assert!(sandbox.run(WAIT_FOR_WORKERS, "l").status.success());
    assert_eq!((sandbox.mode("root/.ssh"), sandbox.mode("root/.ssh/id_rsa")), (0o700, 0o600));
}
