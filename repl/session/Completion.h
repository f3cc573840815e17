// The candidates for Tab: names of the session, builtins, keywords, members after a dot, keyword arguments inside a
// call.
//
//   complete(evaluator, "sho", 3)               ->  {from: 0, candidates: {"show("}}
//   complete(evaluator, "show(WGMMA, sh", 14)   ->  {from: 12, candidates: {"shape="}}
//   complete(evaluator, "x = WGMMA.red", 13)    ->  {from: 10, candidates: {"reduce("}}
//
// Nothing is evaluated; CursorContext.h says how far a chain of members is followed.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace lanescope::repl {

class Evaluator;

struct Completion {
  size_t from = 0;                          // a candidate replaces bytes [from, cursor)
  std::vector<std::string> candidates = {}; // sorted; callables end with `(`, keyword arguments with `=`
};

Completion complete(Evaluator &evaluator, std::string_view text, size_t cursor);
/// The longest prefix of all candidates.
std::string commonBeginning(const std::vector<std::string> &candidates);

} // namespace lanescope::repl
