// A JAX Mosaic GPU dump, or a module of ours, as plain data: its kernels, and its warpgroup-level operations with the
// layouts of their arrays and the transforms of their shared-memory references. No MLIR type appears here.
//
//   auto dump = readDump(Source::make("k_7.after_layout_inference.txt", text));
//   dump->kernels[0].dynamicSmem          24584
//   dump->ops[17].name                    "mosaic_gpu.wgmma"
//   dump->ops[17].results[0].layout       WGMMA
//
// The list has every `mosaic_gpu` and `lanescope` operation, every operation with layouts or transforms, and every
// operation on vectors, which are a warpgroup's arrays in such a module. So the dumps from before and after layout
// inference list the same operations; those from before have no layouts.
#pragma once

#include "core/gpu/ir/SmemTransforms.h"

#include "layouts/Dtype.h"
#include "layouts/RegisterLayout.h"
#include "layouts/support/Diagnostic.h"
#include "layouts/TmemLayout.h"

#include <array>

namespace lanescope::core {

/// The origin of a value: a result of an operation, or an operand that an operation passes to an argument of its
/// region.
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
  layouts::Shape shape;   // for arrays and references of static shape
  layouts::Shape strides; // for a reference with static strides, in elements
  std::optional<layouts::Dtype> dtype;
  std::optional<DumpSource> source;                // for an operand: the listed operation that provides it
  std::optional<size_t> memory;                    // for a reference: the listed operation that allocates its memory
  std::optional<layouts::RegisterLayout> layout;   // in Registers
  std::optional<SmemTransforms> transforms;        // in SharedMemory
  std::optional<layouts::TMEMLayout> tensorLayout; // in TensorMemory
};

struct DumpOp {
  Span span;                     // the whole operation with its regions
  Span nameSpan;                 // the operation's name
  std::string name;              // "mosaic_gpu.vector_load"
  bool known = true;             // true if it belongs to one of our dialects; other operations' effects are unknown
  std::string place;             // the text of its `loc(…)`, "kernel.py:12:3"; empty without one
  std::optional<int64_t> offset; // for `slice_smem` in bytes, for `slice_tmem` in columns
  std::vector<DumpValue> operands, results;
};

/// A `gpu.launch`, or a function with our `lanescope.grid`. Sizes that are not constants are absent.
struct DumpKernel {
  using Sizes = std::array<std::optional<int64_t>, 3>;
  Span span;
  std::string name; // name of the function
  Sizes grid, block;
  std::optional<Sizes> cluster;
  std::optional<int64_t> dynamicSmem; // bytes
};

struct Dump {
  SourceRef source;
  std::string module; // its name, "k"; may be empty
  std::string arch;   // "sm_90"; empty if the module states none
  std::vector<DumpKernel> kernels;
  std::vector<DumpOp> ops; // in textual order
  std::vector<Span> loops; // whole loops, outer ones first
  bool hasLayouts = false; // true after layout inference
  Diagnostics warnings;    // about layout attributes that are not a valid layout
};

/// Errors (kind "ir", as MLIR words them, or "not-a-dump") have places in `source`.
Result<Dump> readDump(const SourceRef &source);

} // namespace lanescope::core
