// The values that the source's names have at a moment. Marks in the PTX say which registers hold a value
// (core/gpu/codegen/DebugValues.h), and the debugger reports which mark a warp passed last.
//
//   MarkedValues marks(target);
//   marks.find("acc")                         // null: no value of that name is marked
//   recover(debugger, target, *marks.find("acc"), focus)->array
#pragma once

#include "repl/debug/DebugTarget.h"
#include "repl/debug/MarkedRefs.h"

#include <map>

namespace lanescope::repl {

/// A name and all places that give it a value.
struct MarkedValue {
  struct Mark {
    uint32_t ptxLine = 0;
    std::vector<std::string> registers;        // registers of one thread, in the layout's order
    std::string type;                          // type of a scalar: "i32", "index"
    int value = -1;                            // index of an array in DebugTarget::values
    std::vector<uint32_t> products = {};       // for the accumulator of a wgmma: the lines of its instructions
    std::optional<core::SharedArray> ref = {}; // set for an array in shared memory
    bool unknown = false;                      // the name gets a value that cannot be followed
    uint32_t offset = 0;                       // offset of `ref` in bytes from the start of the dynamic shared memory
  };
  std::string name;
  std::vector<Mark> marks;
  int tensor = -1; // index in DebugTarget::tensorArrays; arrays in tensor memory have no marks
  std::vector<uint32_t> lines() const;
  bool isScalar() const { return tensor < 0 && !known().type.empty(); }
  /// The first mark that describes the value.
  const Mark &known() const;
};

class MarkedValues {
public:
  explicit MarkedValues(const DebugTarget &target);
  const MarkedValue *find(std::string_view name) const;
  const std::map<std::string, MarkedValue, std::less<>> &all() const { return values_; }

private:
  std::map<std::string, MarkedValue, std::less<>> values_;
};

struct RecoveredValue {
  core::Array array;                         // for a scalar, it has one element for each lane of the warp
  const core::ValueLayout *layout = nullptr; // set for an array in registers
  std::optional<viz::DebugTile> tile = {};   // place of an array in shared memory
  std::string remark = {}; // mentions warps at other places and products in flight; empty: there are none
};
/// The value that `warp` computed when it last passed the definition; a kernel's names do not change in between. An
/// array in registers also has the elements of the warpgroup's other warps. An array in memory has the memory's current
/// content. Error "debug-value": the name has no value yet.
Result<RecoveredValue> recover(core::Debugger &debugger, const DebugTarget &target, const MarkedValue &value,
                               core::WarpRef warp);

/// Those arrays of the kernel that have one fixed place in the block's shared memory.
std::vector<viz::DebugTile> tilesOf(const core::Debugger &debugger, const MarkedValues &values);

/// The bits of a register as a number of the mark's type.
int64_t scalarOf(const MarkedValue::Mark &mark, uint64_t bits);

} // namespace lanescope::repl
