#!/bin/sh
# Runs packages on this machine's GPU and compares the outputs with the expected ones, bit for bit.
#
#   tests/gpu/run.sh [PACKAGES_DIR] [RESULTS_DIR]
#
# Without a folder of packages: those that make_packages.py writes. WORKER names the program (default: the one in
# build/release/bin), DEVICE=emulator runs the same without a GPU. Exit status: 0 all good, 1 something differed or failed, 3 no GPU.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
worker=${WORKER:-$here/../../build/release/bin/lanescope-worker}
results=${2:-gpu-results}
if [ ! -x "$worker" ]; then
  echo "error: $worker is not there; build it with ./dev build, or name one in WORKER" >&2
  exit 2
fi
device=${DEVICE:-gpu}
if [ "$device" = gpu ]; then
  "$worker" info
fi
packages=${1:-}
if [ -z "$packages" ]; then
  packages=$results/packages
  python3 "$here/make_packages.py" "$packages"
fi
# A short time limit (TIMEOUT, in seconds): one of the kernels never ends, and the others take microseconds.
exec "$worker" run "$packages"/*.lspkg -o "$results" --timeout "${TIMEOUT:-5}" --device "$device"
