// The names that one scope of PTX declares. Each name may be declared only once, for whatever kind of thing. An inner
// scope may declare a name again.
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
  std::map<std::string_view, uint32_t> counts_; // by prefix: how many numbered names there are
  std::map<std::string_view, uint32_t>
      smallest_; // by prefix: the smallest number that follows the prefix in a name of `names_`
};

} // namespace lanescope::core::emulator
