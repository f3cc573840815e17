// Joins the code of an entry and of every device function that it may call into one function.
//
//   LinkedCode code = linkFunctions(module, entry);
//   code.function        // the entry's declarations; instructions, scopes, labels of all, the entry first
//   code.parts[1]        // a function: where its instructions and its scope begin
//
// An operand that names another function keeps that name. The function's number is its index in `parts`.
#pragma once

#include "core/gpu/emulator/ptx/PtxModule.h"

#include <string>
#include <string_view>
#include <unordered_map>

namespace lanescope::core::emulator {

/// The defined functions of a module by their names and aliases.
class FunctionTable {
public:
  FunctionTable() = default;
  /// The table refers to names in the module, which must outlive the table.
  explicit FunctionTable(const Module &module);
  /// Returns null if there is no function of that name.
  const Function *find(std::string_view name) const;

private:
  std::unordered_map<std::string_view, const Function *> functions_;
};

struct LinkedPart {
  const Function *function = nullptr;
  uint32_t firstInstruction = 0, scope = 0;
  std::vector<uint32_t> names; // the parts that it calls, or whose addresses it takes
  bool callsIndirectly = false;
  bool addressTaken = false; // an instruction or an initialiser takes its address
};

struct LinkedCode {
  Function function;
  std::vector<LinkedPart> parts;                          // the first one is the entry
  std::unordered_map<const Function *, uint32_t> numbers; // the index of each function's part

  /// True if a call of `part` may lead to another call of `part` before the first has returned.
  bool recursive(uint32_t part) const;
};

LinkedCode linkFunctions(const Module &module, const Function &entry);

} // namespace lanescope::core::emulator
