#include "core/gpu/emulator/instructions/Families.h"

#include <algorithm>

namespace lanescope::core::emulator {

const InstructionTable &instructionTable() {
  static const auto table = [] {
    InstructionTable all;
    for (const Family *family :
         {&integerFamily(),       &bitsFamily(),          &floatFamily(),         &floatFormFamily(),
          &narrowFloatFamily(),   &convertMicroFamily(),  &convertNarrowFamily(), &convertFamily(),
          &compareFamily(),       &moveFamily(),          &memoryFamily(),        &atomicFamily(),
          &controlFamily(),       &warpFamily(),          &barrierFamily(),       &bulkFamily(),
          &matrixFamily(),        &wgmmaFamily(),         &mmaFamily(),           &clusterFamily(),
          &callFamily(),          &videoFamily(),         &wmmaFamily(),          &mmaSparseFamily(),
          &mmaScaledFamily(),     &launchControlFamily(), &tensorMapFamily(),     &tcgen05Family(),
          &tcgen05MemoryFamily(), &multimemFamily(),      &textureFamily(),       &surfaceFamily(),
          &textureQueryFamily(),  &approximateFamily()})
      for (const FamilyEntry &entry : *family)
        all[entry.root].push_back(entry.decode);
    // If an opcode belongs to several families, the last of them is the most special.
    for (auto &[root, decoders] : all)
      std::ranges::reverse(decoders);
    return all;
  }();
  return table;
}

} // namespace lanescope::core::emulator
