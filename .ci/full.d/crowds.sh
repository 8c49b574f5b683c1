#!/usr/bin/env bash
# Crowds, human hands, recovery, forgetting, races and fuzzing at full length. Fails when something it needs is missing.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

for tool in git setpriv unshare mount; do
    command -v "$tool" >/dev/null || { echo "needed and missing: $tool" >&2; exit 1; }
done
[ -r /proc/locks ] || { echo "needed and missing: /proc/locks" >&2; exit 1; }

log=$(mktemp)
trap 'rm -f "$log"' EXIT
MEMDIR_FULL=1 cargo test --release --test it -- \
    --nocapture --test-threads 1 crowds:: hands:: recovery:: forget:: races:: readers:: 2>&1 | tee "$log"
if grep -q SKIPPED "$log"; then
    echo "something was skipped" >&2
    exit 1
fi
