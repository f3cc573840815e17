// The properties of a TPU's SparseCores that the compiler, the emulator and the checks use.
//
//   const TpuTarget &target = *findTpuTarget("v5p");
//   target.sparseCores, target.lanes   ->  4, 8
//   target.vmemBytes                   ->  524288: of one vector subcore
//
// A SparseCore has one scalar subcore and `subcores` vector subcores. Source: jax-ml/jax,
// jax/_src/pallas/mosaic/sc_core.py and tpu_info.py.
#pragma once

#include "core/Target.h"

#include <cstdint>
#include <span>
#include <string>

namespace lanescope::core {

struct TpuTarget : Target {
  int sparseCores = 0;   // per chip
  int subcores = 0;      // vector subcores per SparseCore
  int lanes = 0;         // 32-bit elements per vector register
  int64_t vmemBytes = 0; // per vector subcore
};

/// The targets of kernels, the default first.
std::span<const TpuTarget> tpuTargets();
const TpuTarget &defaultTpuTarget();
/// Finds a target by its name, "v5p", or JAX's device kind, "TPU7x"; null if there is none.
const TpuTarget *findTpuTarget(std::string_view name);
/// "`7x`, `v5p`, … and `8t`".
std::string tpuTargetsText();
/// The error text for an unknown chip.
std::string noTpuTargetText(std::string_view name);

} // namespace lanescope::core
