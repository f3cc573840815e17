#include "core/tpu/emulator/Transform.h"

#include "core/tpu/emulator/Operations.h"

namespace lanescope::core::sparsecore {

bool windowStart(Machine &m, const Function &kernel, const Operand &operand, const std::vector<int64_t> &gridIndex,
                 std::vector<int64_t> &start) {
  start.assign(operand.window.size(), 0);
  if (operand.transform < 0)
    return true;
  const Function &map = m.program->functions[static_cast<size_t>(operand.transform)];
  if (map.arguments.size() > gridIndex.size()) {
    m.fail("memref-out-of-bounds", kernel.place,
           Message("`{name}` takes {indices} indices, and the grid has {count}", map.name, map.arguments.size(),
                   gridIndex.size()));
    return false;
  }
  Subcore frame; // a frame for the map's function, which has no memory and does not wait
  frame.function = &map;
  frame.cells.resize(map.cells);
  for (size_t k = 0; k < map.arguments.size(); ++k)
    frame.cells[map.values[map.arguments[k]].at] = static_cast<uint32_t>(gridIndex[k]);
  constexpr uint32_t kMostInstructions = 1 << 20;
  for (uint32_t n = 0; n < kMostInstructions; ++n) {
    const Instruction &i = map.code[frame.next];
    switch (handlers()[static_cast<size_t>(i.op)](m, frame, i)) {
    case Outcome::Next: ++frame.next; break;
    case Outcome::Jumped: break;
    case Outcome::Done:
      for (size_t d = 0; d < i.operands.size() && d < start.size(); ++d)
        start[d] = number(m, frame, i.operands[d]) * operand.window[d];
      for (int64_t first : start)
        if (first < 0) {
          m.fail("memref-out-of-bounds", i.place, Message("`{name}` gives a block that begins at {}", map.name, first));
          return false;
        }
      return true;
    default:
      m.fail("unknown-operation", i.place, Message("`{name}` does more than compute indices", map.name));
      return false;
    }
  }
  m.fail("timeout", kernel.place, Message("`{name}` does not end", map.name));
  return false;
}

} // namespace lanescope::core::sparsecore
