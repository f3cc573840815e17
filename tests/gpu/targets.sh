#!/usr/bin/env bash
# Makes packages of the samples and library kernels that run on Ampere and Ada, with the emulator's results. A newer GPU
# runs them as well, because its driver compiles their PTX.
#
#   tests/gpu/targets.sh build/release/bin/lanescope packages    # here; no GPU needed
#   tests/gpu/run.sh packages                                    # on any GPU since Ampere
set -euo pipefail
lanescope=${1:?the program} packages=${2:?the folder for packages}
cd "$(dirname "$0")/../.."
for arch in sm_80 sm_86 sm_89; do
  for file in samples/kernels/{ampere,double,pipeline,transpose,tune_stages,warps}.py \
    kernels/{ampere_matmul,layer_norm,rms_norm,softmax,transpose}.py; do
    "$lanescope" compile "$file" --arch "$arch" --emit package -o "$packages/$arch-$(basename "$file" .py)"
  done
done
