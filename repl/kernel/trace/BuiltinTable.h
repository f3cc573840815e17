// A session's builtins while they are collected from lists, which may share names.
//
//   BuiltinTable table(hostBuiltins());
//   table.add(runBuiltins());                    // replaces builtins of the same names
//   Builtins all = std::move(table).take();
#pragma once

#include "repl/lang/values/Builtin.h"

#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace lanescope::repl {

class BuiltinTable {
public:
  BuiltinTable() = default;
  explicit BuiltinTable(Builtins first);

  /// Adds builtins at the end, and replaces builtins of the same names. Builtins without their own heading go under
  /// "kernels".
  void add(Builtins more);
  /// Adds a builtin at the end, and replaces a builtin of the same name.
  void put(Builtin one);
  /// The builtin of that name; null if there is none. The pointer is valid until another one is added; the name must
  /// not change.
  Builtin *find(std::string_view name);
  Builtins take() &&;

private:
  struct Hash {
    using is_transparent = void;
    size_t operator()(std::string_view name) const { return std::hash<std::string_view>()(name); }
  };
  Builtins entries_; // a builtin that was replaced has no name
  std::unordered_map<std::string, size_t, Hash, std::equal_to<>> byName_;
};

} // namespace lanescope::repl
