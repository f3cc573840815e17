// A JAX Mosaic GPU dump, or a module of ours, as plain data: its kernels, and its warpgroup-level operations with the
// layouts of their arrays and the transforms of their shared-memory references. No MLIR type shows here.
//
//   auto dump = readDump(Source::make("k_7.after_layout_inference.txt", text));
//   dump->kernels[0].dynamicSmem          24584
//   dump->ops[17].name                    "mosaic_gpu.wgmma"
//   dump->ops[17].results[0].layout       WGMMA
//
// Warpgroup-level: every `mosaic_gpu` and `lanescope` operation, those that carry layouts or transforms, and those on
// vectors (arrays of a warpgroup, in such a module). So a dump from before layout inference lists the same operations
// as the one from after it, without layouts.
#pragma once

#include "core/gpu/ir/SmemTransforms.h"

#include "layouts/Dtype.h"
#include "layouts/RegisterLayout.h"
#include "layouts/support/Diagnostic.h"
#include "layouts/TmemLayout.h"

#include <array>

namespace lanescope::core {

/// Who hands a value on: a result of an operation, or, to an argument of its region, an operand.
struct DumpSource {
  size_t op = 0; // in Dump::ops
  bool result = true;
  size_t index = 0;
  bool operator==(const DumpSource &) const = default;
};

/// An operand or a result.
struct DumpValue {
  enum class Place { Registers, SharedMemory, TensorMemory, GlobalMemory, Barrier, Other };
  Place place = Place::Other;
  std::string type;       // as MLIR prints it
  layouts::Shape shape;   // of arrays and references of static shape
  layouts::Shape strides; // of a reference with static ones, in elements
  std::optional<layouts::Dtype> dtype;
  std::optional<DumpSource> source; // of an operand that an operation of the list hands on
  std::optional<size_t> memory; // of a reference: the operation of the list that takes the memory that it is a part of
  std::optional<layouts::RegisterLayout> layout;   // in Registers
  std::optional<SmemTransforms> transforms;        // in SharedMemory
  std::optional<layouts::TMEMLayout> tensorLayout; // in TensorMemory
};

struct DumpOp {
  Span span;                     // the whole operation, its regions too
  Span nameSpan;                 // where its name stands
  std::string name;              // "mosaic_gpu.vector_load"
  bool known = true;             // to one of our dialects; what another does is not known
  std::string place;             // what its `loc(…)` says, "kernel.py:12:3"; empty without one
  std::optional<int64_t> offset; // of `slice_smem` in bytes, of `slice_tmem` in columns
  std::vector<DumpValue> operands, results;
};

/// A `gpu.launch`, or a function with our `lanescope.grid`. Sizes that are no constants are absent.
struct DumpKernel {
  using Sizes = std::array<std::optional<int64_t>, 3>;
  Span span;
  std::string name; // the function's
  Sizes grid, block;
  std::optional<Sizes> cluster;
  std::optional<int64_t> dynamicSmem; // bytes
};

struct Dump {
  SourceRef source;
  std::string module; // its name, "k"; may be empty
  std::string arch;   // "sm_90"; empty where the module does not say
  std::vector<DumpKernel> kernels;
  std::vector<DumpOp> ops; // in the order of the text
  std::vector<Span> loops; // whole ones, an outer one before those in it
  bool hasLayouts = false; // after layout inference
  Diagnostics warnings;    // layouts that do not belong to a value
};

/// Errors (kind "ir", as MLIR words them, or "not-a-dump") have places in `source`.
Result<Dump> readDump(const SourceRef &source);

} // namespace lanescope::core
