// A module of SparseCore kernels as plain data: its functions with their cores, grids and operands, and its operations
// with the memories of their operands. No MLIR type appears here.
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
  std::string type;     // MLIR's text with memory spaces by name: "memref<16x8xf32, hbm>"
  std::string memory;   // a reference's memory: "hbm", "vmem", …; empty for other values
  layouts::Shape shape; // shape of a reference or of a vector with static shape
  std::optional<layouts::Dtype> dtype;
  std::optional<layouts::TiledMemoryLayout> layout; // set for tiled references
};

struct TpuFunction {
  Span place;
  std::string name;
  std::string core; // "scalar subcore", "vector subcore"; empty for functions that no core runs, such as index maps
  std::vector<int64_t> grid;
  std::vector<std::string> semantics; // semantics of the grid's dimensions
  std::vector<TpuValue> operands;     // without the grid's indices
  int64_t scratch = 0;                // number of scratch operands; they are the last ones
};

struct TpuOp {
  Span place;
  std::string name;    // "tpu.vector_load"
  int depth = 0;       // number of regions around it in its function
  size_t function = 0; // index into `functions`
  std::vector<TpuValue> operands, results;
};

struct TpuModule {
  SourceRef source;
  std::vector<TpuFunction> functions;
  std::vector<TpuOp> ops; // in the order of the text, without constants and terminators
};

/// True if the text seems to be such a module, because it names something in the `tpu` dialect.
bool looksLikeTpuModule(std::string_view text);
/// Errors (kind "ir") have places in `source`.
Result<TpuModule> readTpuModule(const SourceRef &source);

/// "kernel main for a vector subcore: grid 2 x 16 (core_parallel, subcore_parallel)" and a line for each operand.
std::string tpuHeading(const TpuModule &module);
/// The operations, numbered from 1.
std::string tpuListing(const TpuModule &module);
/// For each line of the listing, the line of the module's text; 0 for headings.
std::vector<uint32_t> tpuListingLines(const TpuModule &module);
/// One operation with its source line; `number` is its number in the listing, from 1.
std::string tpuOpText(const TpuModule &module, size_t number);

} // namespace lanescope::core
