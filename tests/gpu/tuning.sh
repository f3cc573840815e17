#!/bin/sh
# `tune` on this machine's GPU: times a few configurations of the library's matmul, and finds the best one again.
#
#   tests/gpu/tuning.sh LANESCOPE [WORKER_COMMAND]
#
# Exit status: 0 good, 1 something is wrong.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
lanescope=$1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
sed '/^# The check/,$d' "$here/../../kernels/matmul.py" > "$scratch/tune.py"
cat >> "$scratch/tune.py" <<'EOF'
a, b = random((1024, 2048), f16, seed=0), random((2048, 1024), f16, seed=1)
found = tune(lambda group: make_matmul(f16, group=group), dict(group=[4, 8, 16]), [a, b], sizes=(1024, 1024, 2048))
print(found)
assert tuned("matmul", (1024, 1024, 2048)) == found.best
assert tuned("matmul", (1024, 1024, 4096), {(64, 64, 64): dict(group=1)}) == found.best
assert found.time_us < 1000, "launches count, or the GPU is not one"
print("tune: the result is right")
EOF
XDG_CACHE_HOME="$scratch/cache" "$lanescope" run "$scratch/tune.py" --device gpu ${2:+--worker "$2"}
