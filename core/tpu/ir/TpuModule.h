// A module of SparseCore kernels as plain data: its functions with their cores, grids and operands, and its operations
// with the memories of what they take. No MLIR type shows here.
//
//   auto module = readTpuModule(Source::make("module.mlir", text));
//   module->functions[0].core              "vector subcore"
//   module->functions[0].operands[0].memory  "hbm"
//   module->ops[4].name                    "tpu.enqueue_dma"
#pragma once

#include "layouts/Dtype.h"
#include "layouts/support/Diagnostic.h"
#include "layouts/tpu/TiledMemoryLayout.h"

#include <optional>

namespace lanescope::core {

/// An operand or a result.
struct TpuValue {
  std::string type;     // as MLIR prints it, memory spaces by their names: "memref<16x8xf32, hbm>"
  std::string memory;   // of references: "hbm", "vmem", …; empty for others
  layouts::Shape shape; // of references and vectors of static shape
  std::optional<layouts::Dtype> dtype;
  std::optional<layouts::TiledMemoryLayout> layout; // of tiled references
};

struct TpuFunction {
  Span place;
  std::string name;
  std::string core; // "scalar subcore", "vector subcore"; empty for functions that no core runs, such as index maps
  std::vector<int64_t> grid;
  std::vector<std::string> semantics; // of the grid's dimensions
  std::vector<TpuValue> operands;     // behind the grid's indices
  int64_t scratch = 0;                // how many of them are, the last ones
};

struct TpuOp {
  Span place;
  std::string name;    // "tpu.vector_load"
  int depth = 0;       // of the regions around it in its function
  size_t function = 0; // of `functions`
  std::vector<TpuValue> operands, results;
};

struct TpuModule {
  SourceRef source;
  std::vector<TpuFunction> functions;
  std::vector<TpuOp> ops; // in the order of the text, constants and terminators left out
};

/// Whether the text means to be one: it names something of the `tpu` dialect.
bool looksLikeTpuModule(std::string_view text);
/// Errors (kind "ir") have places in `source`.
Result<TpuModule> readTpuModule(const SourceRef &source);

/// "kernel main for a vector subcore: grid 2 x 16 (core_parallel, subcore_parallel)" and a line for each operand.
std::string tpuHeading(const TpuModule &module);
/// The operations, numbered from 1.
std::string tpuListing(const TpuModule &module);
/// Of each line of that: the line of the module's text, 0 for headings.
std::vector<uint32_t> tpuListingLines(const TpuModule &module);
/// One of them, with the line that it stands in; `number` counts from 1 and is one of the listing's.
std::string tpuOpText(const TpuModule &module, size_t number);

} // namespace lanescope::core
