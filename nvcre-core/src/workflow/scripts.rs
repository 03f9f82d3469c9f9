//! The shell scripts of MPI runs, in our own words, with the behaviour of 02 §4.3 and §6 (00 D22).

/// Starts sshd on a worker: installs it only when the image has none, puts the keys in place, runs in the foreground.
pub const WORKER_START: &str = r#"set -ex
if [ ! -x /usr/sbin/sshd ]; then
  apt-get update
  DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends openssh-server
fi
mkdir -p /var/run/sshd
chmod 0755 /var/run/sshd
mkdir -p /root/.ssh
chmod 700 /root/.ssh
cp /tmp/mpi-ssh-raw/* /root/.ssh/
chmod 600 /root/.ssh/id_rsa
chmod 644 /root/.ssh/id_rsa.pub /root/.ssh/authorized_keys
/usr/sbin/sshd -De
"#;

/// Puts the SSH keys of the launcher in place, with the modes that ssh demands.
pub const LAUNCHER_INIT: &str = r#"set -ex
cp /tmp/mpi-ssh-raw/* /root/.ssh/
chmod 600 /root/.ssh/id_rsa
chmod 644 /root/.ssh/id_rsa.pub /root/.ssh/authorized_keys
"#;

/// Waits until every worker of the hostfile answers over ssh: at most 240 attempts, 5 s apart. Under KAI the launcher
/// starts with the workers, so nothing else holds it back (02 §6). Works after [`LAUNCHER_INIT`] and alone.
pub const WAIT_FOR_WORKERS: &str = r#"if [ ! -f /root/.ssh/id_rsa ]; then
  { mkdir -p /root/.ssh && chmod 700 /root/.ssh && cp /tmp/mpi-ssh-raw/* /root/.ssh/ && chmod 600 /root/.ssh/id_rsa; } || true
fi
{ set +x; } 2>/dev/null
hostfile=/etc/mpi/hostfile
self=${HOSTNAME:-}
if [ -z "$self" ]; then
  self=$(hostname)
fi
listed=""
peers=""
if [ -r "$hostfile" ]; then
  while read -r host rest || [ -n "$host" ]; do
    if [ -z "$host" ]; then
      continue
    fi
    listed="$listed $host"
    case "$host" in
      "$self" | "$self".*) ;;
      *) peers="$peers $host" ;;
    esac
  done <"$hostfile"
fi
if [ -z "$listed" ]; then
  echo "error: $hostfile lists no hosts (missing, unreadable or empty)" >&2
  exit 1
fi
probe() {
  timeout 10 ssh -o BatchMode=yes -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -o ConnectTimeout=5 "$1" true </dev/null
}
attempt=0
while [ "$attempt" -lt 240 ]; do
  waiting=""
  for host in $peers; do
    if probe "$host" >/dev/null 2>&1; then
      continue
    fi
    waiting="$waiting $host"
    if [ "$((attempt % 10))" -eq 0 ]; then
      echo "waiting for $host: attempt $((attempt + 1)) of 240, $((attempt * 5)) s"
      { probe "$host" 2>&1 || true; } | head -n 3
    fi
  done
  if [ -z "$waiting" ]; then
    echo "all workers answer after $((attempt * 5)) s"
    exit 0
  fi
  attempt=$((attempt + 1))
  sleep 5
done
echo "error: no answer from$waiting after 20 minutes; $hostfile: $(tr '\n' ' ' <"$hostfile")" >&2
echo "hint: check that the network policies allow port 22 between the pods of this job" >&2
exit 1
"#;
