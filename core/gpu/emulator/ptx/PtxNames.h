// The names that one scope of PTX declares: each once, whatever it names. A scope inside another may declare them anew.
//
//   DeclaredNames names;
//   names.add("%r2");              // true
//   names.addNumbered("%r", 4);    // false: %r0 … %r3, and %r2 is there
//
// Source: what ptxas takes; the PTX ISA says nothing of numbered names that overlap.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string_view>

namespace lanescope::core::emulator {

/// Names are views into the source text.
class DeclaredNames {
public:
  /// False: it is declared.
  bool add(std::string_view name);
  /// `prefix<count>`. False: a name of these is declared, or other numbered names with this prefix are.
  bool addNumbered(std::string_view prefix, uint32_t count);

private:
  std::set<std::string_view> names_;
  std::map<std::string_view, uint32_t> counts_;   // how many numbered names there are, by prefix
  std::map<std::string_view, uint32_t> smallest_; // number that a name in `names_` ends with, by what stands before
};

} // namespace lanescope::core::emulator
