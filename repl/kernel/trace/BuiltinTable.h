// A session's builtins while they are put together, from lists of which one may have names of another.
//
//   BuiltinTable table(hostBuiltins());
//   table.add(runBuiltins());                    // in place of what has the same name there
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

  /// Puts them at the end, in place of what has the same name; without a heading of their own under "kernels".
  void add(Builtins more);
  /// Puts one at the end, in place of what has the same name.
  void put(Builtin one);
  /// Null: there is none. It stays where it is until another is added, and keeps its name.
  Builtin *find(std::string_view name);
  Builtins take() &&;

private:
  struct Hash {
    using is_transparent = void;
    size_t operator()(std::string_view name) const { return std::hash<std::string_view>()(name); }
  };
  Builtins entries_; // those that were replaced have no name
  std::unordered_map<std::string, size_t, Hash, std::equal_to<>> byName_;
};

} // namespace lanescope::repl
