// The values that the source names, at a moment: which registers hold them is marked in the PTX
// (core/gpu/codegen/DebugValues.h), and the debugger tells which mark a warp has passed last.
//
//   MarkedValues marks(target);
//   marks.find("acc")                         // null: nothing of that name is marked
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
    std::vector<std::string> registers;        // of a thread, in the order of the layout
    std::string type;                          // of a scalar: "i32", "index"
    int value = -1;                            // of an array: number in DebugTarget::values
    std::vector<uint32_t> products = {};       // of what a wgmma adds to: the lines of its instructions
    std::optional<core::SharedArray> ref = {}; // of an array in shared memory
    bool unknown = false;                      // something is written to the name that is not followed
    uint32_t offset = 0;                       // of `ref`: bytes behind the start of the dynamic shared memory
  };
  std::string name;
  std::vector<Mark> marks;
  int tensor = -1; // of an array in tensor memory, which has no marks: number in DebugTarget::tensorArrays
  std::vector<uint32_t> lines() const;
  bool isScalar() const { return tensor < 0 && !known().type.empty(); }
  /// A mark that says what it is; the first.
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
  core::Array array;                         // of a scalar: an element for each lane of the warp
  const core::ValueLayout *layout = nullptr; // of an array in registers
  std::optional<viz::DebugTile> tile = {};   // of an array in shared memory: where it lies
  std::string remark = {};                   // warps that are elsewhere, products in flight; empty: none
};
/// What the value was when `warp` passed its definition last, of an array with the other warps of its warpgroup: names
/// of a kernel do not change in between. Of memory, what it holds now. Error "debug-value": it has no value yet.
Result<RecoveredValue> recover(core::Debugger &debugger, const DebugTarget &target, const MarkedValue &value,
                               core::WarpRef warp);

/// The arrays of the kernel that are at one place in the block's shared memory.
std::vector<viz::DebugTile> tilesOf(const core::Debugger &debugger, const MarkedValues &values);

/// A register's bits as a number of the mark's type.
int64_t scalarOf(const MarkedValue::Mark &mark, uint64_t bits);

} // namespace lanescope::repl
