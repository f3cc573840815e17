// Device functions: the code of an entry and of every function that it may reach, as one function.
//
//   LinkedCode code = linkFunctions(module, entry);
//   code.function        // the entry's declarations; instructions, scopes, labels of all, the entry first
//   code.parts[1]        // a function: where its instructions and its scope begin
//
// A name of another function stays as it is; its number is its place in `parts`.
#pragma once

#include "core/gpu/emulator/ptx/PtxModule.h"

namespace lanescope::core::emulator {

struct LinkedPart {
  const Function *function = nullptr;
  uint32_t firstInstruction = 0, scope = 0;
  std::vector<uint32_t> names; // parts that it names: calls, or whose address it takes
  bool callsIndirectly = false;
  bool addressTaken = false; // by an instruction or an initialiser
};

struct LinkedCode {
  Function function;
  std::vector<LinkedPart> parts; // the entry is the first

  /// Whether a call of `part` may come back to it before it has returned.
  bool recursive(uint32_t part) const;
};

/// The defined function of that name or alias; null when there is none.
const Function *findFunction(const Module &module, std::string_view name);
LinkedCode linkFunctions(const Module &module, const Function &entry);

} // namespace lanescope::core::emulator
