// The names declared in one scope of PTX, each only once, whatever it names. An inner scope may redeclare them.
//
//   DeclaredNames names;
//   names.add("%r2");              // true
//   names.addNumbered("%r", 4);    // false: %r0 … %r3, and %r2 is there
//
// Source: the behaviour of ptxas; the PTX ISA does not cover overlapping numbered names.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string_view>

namespace lanescope::core::emulator {

/// Names are views into the source text.
class DeclaredNames {
public:
  /// Returns false if the name is already declared.
  bool add(std::string_view name);
  /// Adds `prefix<count>`. Returns false if one of these names, or another range with this prefix, is already declared.
  bool addNumbered(std::string_view prefix, uint32_t count);

private:
  std::set<std::string_view> names_;
  std::map<std::string_view, uint32_t> counts_; // number of numbered names, by prefix
  std::map<std::string_view, uint32_t>
      smallest_; // smallest number at the end of a name in `names_`, by the prefix before it
};

} // namespace lanescope::core::emulator
