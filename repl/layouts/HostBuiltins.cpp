#include "repl/layouts/HostBuiltins.h"

#include "repl/lang/builtins/Builtins.h"
#include "repl/layouts/LayoutBuiltins.h"

namespace lanescope::repl {

static Builtins makeHostBuiltins() {
  Builtins out = languageBuiltins();
  auto add = [&](Builtins part) {
    out.insert(out.end(), std::make_move_iterator(part.begin()), std::make_move_iterator(part.end()));
  };
  for (auto part : {layoutBuiltins, cuteBuiltins, linearBuiltins})
    add(part());
  for (auto part : {fragmentBuiltins, costBuiltins, compareBuiltins}) { // these builtins are about layouts
    Builtins asking = part();
    for (Builtin &builtin : asking)
      builtin.worksIn = WorksIn::Host;
    add(std::move(asking));
  }
  add(helpBuiltins());
  return out;
}

Builtins hostBuiltins() {
  // The table holds nothing that belongs to an evaluator. Building it takes longer than compiling a small kernel again.
  static const Builtins made = makeHostBuiltins();
  return made;
}

} // namespace lanescope::repl
