// Device functions: joins the code of an entry and of every function that it may call into one function.
//
//   LinkedCode code = linkFunctions(module, entry);
//   code.function        // the entry's declarations; instructions, scopes, labels of all, the entry first
//   code.parts[1]        // a function: where its instructions and its scope begin
//
// An operand that names another function keeps the name; the function's number is its index in `parts`.
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
  /// The names are views into the module, which must outlive the table.
  explicit FunctionTable(const Module &module);
  /// Returns null if there is no function of that name.
  const Function *find(std::string_view name) const;

private:
  std::unordered_map<std::string_view, const Function *> functions_;
};

struct LinkedPart {
  const Function *function = nullptr;
  uint32_t firstInstruction = 0, scope = 0;
  std::vector<uint32_t> names; // parts that it calls, or whose address it takes
  bool callsIndirectly = false;
  bool addressTaken = false; // by an instruction or an initialiser
};

struct LinkedCode {
  Function function;
  std::vector<LinkedPart> parts;                          // the entry is the first
  std::unordered_map<const Function *, uint32_t> numbers; // index of a function's part

  /// True if a call of `part` may reach `part` again before it has returned.
  bool recursive(uint32_t part) const;
};

LinkedCode linkFunctions(const Module &module, const Function &entry);

} // namespace lanescope::core::emulator
