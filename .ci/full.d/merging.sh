#!/usr/bin/env bash
# The structural merge on 150,000 random pairs whose right result is known, on hostile texts, and against the clock.
# Fails when something it needs is missing.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

command -v git >/dev/null || { echo "needed and missing: git" >&2; exit 1; }
MEMDIR_FULL=1 cargo test --release --test it -- --nocapture merging::
