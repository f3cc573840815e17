// The families of instructions. Each family has one Decode….cpp with its decode functions and their handlers.
#pragma once

#include "core/gpu/emulator/decode/Decoder.h"

#include <string_view>
#include <vector>

namespace lanescope::core::emulator {

struct FamilyEntry {
  std::string_view root; // the root of the opcode
  DecodeFn decode;
};
using Family = std::vector<FamilyEntry>;

const Family &integerFamily();
const Family &bitsFamily();
const Family &floatFamily();
const Family &floatFormFamily();
const Family &narrowFloatFamily();
const Family &approximateFamily();
const Family &convertFamily();
const Family &convertNarrowFamily();
const Family &convertMicroFamily();
const Family &compareFamily();
const Family &moveFamily();
const Family &memoryFamily();
const Family &atomicFamily();
const Family &controlFamily();
const Family &callFamily();
const Family &videoFamily();
const Family &wmmaFamily();
const Family &mmaSparseFamily();
const Family &mmaScaledFamily();
const Family &warpFamily();
const Family &barrierFamily();
const Family &bulkFamily();
const Family &multimemFamily();
const Family &textureFamily();
const Family &surfaceFamily();
const Family &textureQueryFamily();
const Family &matrixFamily();
const Family &wgmmaFamily();
const Family &mmaFamily();
const Family &clusterFamily();
const Family &launchControlFamily();
const Family &tensorMapFamily();
const Family &tcgen05Family();       // products, copies, commits
const Family &tcgen05MemoryFamily(); // allocation, loads and stores, fences

/// True for a target with the features of one GPU or one family: sm_100a, sm_120f.
inline bool hasOwnFeatures(std::string_view target) { return target.ends_with('a') || target.ends_with('f'); }

/// Takes `.async{.mmio}`, if present, from a store or reduction that has the scope `.gpu` or `.sys` and signals no
/// mbarrier. A reduction must release. Returns false if the instruction is of another kind, or if the target does not
/// have it.
bool takeAsyncRelease(Decoder &d, Modifiers &mods);

/// All families' instructions, for the decoder.
const InstructionTable &instructionTable();

} // namespace lanescope::core::emulator
