//! From a resolved Workflow and a fleet to groups and manifests (03 §5–6, 10).
