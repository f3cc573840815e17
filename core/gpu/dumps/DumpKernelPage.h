// All facts in the dump of one kernel, as plain data, for `lanescope open FOLDER`, the page and the window.
//
//   KernelPage page = readPage(files);                  // never fails: it lists what is missing or damaged
//   page.relayouts[0].to                                WGMMA: a conversion of an array, with its cost
//   page.transfers[0].conflicts()                       0: bank conflicts between registers and shared memory
//   page.allocations[0]                                 bytes [0, 8192) of shared memory, from operation 2 to 9
//   page.differences                                    where our inference chose otherwise than JAX
//
// Costs are those of layouts/cost, for the code that our compiler makes of the kernel. JAX emits the same code for
// conversions and for transfers without conflicts. Indices of operations count from 0, as in Dump::ops; texts for
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

/// Operand `operand` of `op` receives an array in another layout than its source has, or `op` is a cast of that array.
struct Relayout {
  size_t op = 0, operand = 0;
  layouts::RegisterLayout from, to;
  layouts::Shape shape;
  layouts::Dtype dtype{};
  layouts::RelayoutMechanism mechanism{};
  layouts::RelayoutCounts counts; // per thread
  int64_t scratch = 0;            // bytes of shared memory for a round trip
  bool inLoop = false;
};

/// A transfer between registers and shared memory.
struct Transfer {
  size_t op = 0;
  bool load = false;
  std::string layout, memory;        // "WGMMA", "tile (8, 64), swizzle 128"
  std::string instructions;          // "ldmatrix.x4", "st.shared.b64, staggered: …"
  int64_t wavefronts = 0, ideal = 0; // for all warps
  bool inLoop = false;
  std::string unknown; // the reason why nothing is counted
  int64_t conflicts() const { return wavefronts - ideal; }
};

/// A part of shared memory (bytes) or tensor memory (columns), and its first and last operation. If a loop uses memory
/// that was allocated before the loop, the use lasts until the loop's end.
struct Allocation {
  size_t op = 0;
  DumpValue::Place place = DumpValue::Place::SharedMemory; // or Barrier, or TensorMemory
  int64_t offset = 0, size = 0;
  std::string name, storage; // "smem f16[64x64]", "tile (8, 64), swizzle 128"
  size_t first = 0, last = 0;
};

/// JAX's layout or transforms of a value, and those of our inference.
struct Difference {
  size_t op = 0;
  bool result = false;
  size_t index = 0;
  std::string theirs, ours;
};

struct KernelPage {
  DumpFiles files;
  Dump dump;                 // with layouts; without operations if no module could be read
  SourceRef module;          // the module text that the page's layouts were read from
  bool inferredHere = false; // JAX's layouts are missing, and were inferred here
  std::vector<Relayout> relayouts;
  std::vector<Transfer> transfers;
  std::vector<Allocation> allocations; // by place and offset
  int64_t registers = 0;               // 32-bit registers per thread at the operation with the most live arrays
  size_t registersAt = 0;
  bool compared = false; // true if our inference was compared with JAX's
  std::vector<Difference> differences;
  std::optional<PtxSummary> ptx;
  std::optional<SassSummary> sass;
  std::string constraints;              // JAX's system of constraints
  std::optional<bool> constraintsAgree; // true if our system has the same lines
  std::string resources, ptxas;         // in JAX's and in ptxas' words
  /// Notes about the whole page: missing or damaged files. Errors in files have their places.
  std::vector<std::string> missing;
  Diagnostics problems;

  bool hasModule() const { return !dump.ops.empty(); }
  int64_t conflicts() const;
  int64_t shuffles() const; // in all conversions; each conversion counts once, also in a loop
};

/// A function that returns a file's text: `readSource`, or one that reads only some files.
using SourceReader = std::function<Result<SourceRef>(const std::filesystem::path &, FileRole)>;
/// Reads the existing files of a kernel.
KernelPage readPage(const DumpFiles &files, const SourceReader &read = readSource);
/// The page of one module. If the module has no layouts, they are inferred for `arch` ("sm_90a", …; empty: the module's
/// own). Errors: the module does not parse, or no layouts exist.
Result<KernelPage> pageOf(const SourceRef &module, const std::string &arch = "");

} // namespace lanescope::core::dumps
