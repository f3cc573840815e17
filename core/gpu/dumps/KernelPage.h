// All that a dump of one kernel says, as plain data: what `lanescope open FOLDER`, the page and the window show.
//
//   KernelPage page = readPage(files);                  // never fails: what is missing or damaged is said in it
//   page.relayouts[0].to                                WGMMA: where an array is converted, and what that costs
//   page.transfers[0].conflicts()                       0: bank conflicts between registers and shared memory
//   page.allocations[0]                                 bytes [0, 8192) of shared memory, from operation 2 to 9
//   page.differences                                    where our inference chose otherwise than JAX
//
// Costs are those of layouts/cost: of the code that our compiler makes of the kernel, which for conversions and
// conflict-free transfers is what JAX makes of it too. Numbers of operations count from 0, as Dump::ops; texts and
// people count from 1.
#pragma once

#include "core/data/Files.h"
#include "core/gpu/dumps/DumpFolder.h"
#include "core/gpu/dumps/PtxSummary.h"
#include "core/gpu/dumps/SassSummary.h"
#include "core/gpu/ir/Dump.h"
#include "layouts/cost/Relayout.h"

#include <functional>
#include <map>
#include <optional>

namespace lanescope::core::dumps {

/// Operand `operand` of `op` gets an array that its source has in another layout, or `op` is a cast of it.
struct Relayout {
  size_t op = 0, operand = 0;
  layouts::RegisterLayout from, to;
  layouts::Shape shape;
  layouts::Dtype dtype{};
  layouts::RelayoutMechanism mechanism{};
  layouts::RelayoutCounts counts; // per thread
  int64_t scratch = 0;            // bytes of shared memory, of a round trip
  bool inLoop = false;
};

/// Between registers and shared memory.
struct Transfer {
  size_t op = 0;
  bool load = false;
  std::string layout, memory;        // "WGMMA", "tile (8, 64), swizzle 128"
  std::string instructions;          // "ldmatrix.x4", "st.shared.b64, staggered: …"
  int64_t wavefronts = 0, ideal = 0; // of all warps
  bool inLoop = false;
  std::string unknown; // why nothing is counted
  int64_t conflicts() const { return wavefronts - ideal; }
};

/// A part of shared memory (bytes) or of tensor memory (columns), and the operations between whose first and last it is
/// used: to the end of a loop that uses what is from before it.
struct Allocation {
  size_t op = 0;
  DumpValue::Place place = DumpValue::Place::SharedMemory; // or Barrier, or TensorMemory
  int64_t offset = 0, size = 0;
  std::string name, storage; // "smem f16[64x64]", "tile (8, 64), swizzle 128"
  size_t first = 0, last = 0;
};

/// JAX's layout or transforms of a value, and those that our inference finds.
struct Difference {
  size_t op = 0;
  bool result = false;
  size_t index = 0;
  std::string theirs, ours;
};

struct KernelPage {
  DumpFiles files;
  Dump dump;                 // with layouts; without operations where no module could be read
  SourceRef module;          // the text that the page's layouts are from
  bool inferredHere = false; // the layouts are ours: JAX's are missing
  std::vector<Relayout> relayouts;
  std::vector<Transfer> transfers;
  std::vector<Allocation> allocations; // by place and offset
  int64_t registers = 0;               // of 32 bits per thread, where the most arrays are alive
  size_t registersAt = 0;
  bool compared = false; // with our inference
  std::vector<Difference> differences;
  std::optional<PtxSummary> ptx;
  std::optional<SassSummary> sass;
  std::string constraints;              // JAX's system
  std::optional<bool> constraintsAgree; // whether ours has the same lines
  std::string resources, ptxas;         // in JAX's and in ptxas' words
  /// What is said of the page as a whole: files that are missing or damaged. Errors of the files have their places.
  std::vector<std::string> missing;
  Diagnostics problems;

  bool hasModule() const { return !dump.ops.empty(); }
  int64_t conflicts() const;
  int64_t shuffles() const; // of all conversions, once each
};

/// Gives a file's text: `readSource`, or something that reads some files only.
using SourceReader = std::function<Result<SourceRef>(const std::filesystem::path &, FileRole)>;
/// Reads what there is of a kernel's files.
KernelPage readPage(const DumpFiles &files, const SourceReader &read = readSource);
/// The page of one module, before or after layout inference (which is done where it has no layouts). Errors: the module
/// does not parse, or has no layouts. `arch`: "sm_90a", …; empty: the module's.
Result<KernelPage> pageOf(const SourceRef &module, const std::string &arch = "");

} // namespace lanescope::core::dumps
