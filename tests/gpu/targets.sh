#!/usr/bin/env bash
# Makes packages of the samples and library kernels that run on Ampere and Ada, with the emulator's results. A newer GPU
# runs them as well, because its driver compiles their PTX.
#
#   tests/gpu/targets.sh build/release/bin/lanescope packages [ARCHITECTURES]    # here; no GPU needed
#   tests/gpu/run.sh packages                                    # on any GPU since Ampere
set -euo pipefail
lanescope=${1:?the program} packages=${2:?the folder for packages}
lanescope=$(realpath "$lanescope") packages=$(realpath -m "$packages")
cd "$(dirname "$0")/../.."
mkdir -p "$packages"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
for arch in ${3:-sm_80 sm_86 sm_89}; do
  for file in samples/kernels/{ampere,double,pipeline,transpose,tune_stages,warps}.py \
    kernels/{ampere_matmul,ampere_matmul_8bit,ampere_attention,layer_norm,rms_norm,softmax,transpose}.py; do
    "$lanescope" compile "$file" --arch "$arch" --emit package -o "$scratch/made"
    for package in "$scratch"/made/*.lspkg; do
      mv "$package" "$packages/$arch-$(basename "$file" .py)-$(basename "$package")"
    done
    rm -rf "$scratch/made"
  done
done
