#include "repl/lang/builtins/Builtins.h"
#include "repl/lang/builtins/FileBuiltins.h"

#include "repl/lang/evaluate/Classes.h"

namespace lanescope::repl {

Builtins languageBuiltins() {
  Builtins out;
  for (auto part :
       {pythonBuiltins, iteratorBuiltins, reductions, classBuiltins, arrayBuiltins, elementFunctions, shapeFunctions}) {
    Builtins more = part();
    out.insert(out.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
  }
  out.push_back(roundFunction());
  for (Builtin &builtin : fileBuiltins(nullptr))
    out.push_back(std::move(builtin));
  return out;
}

} // namespace lanescope::repl
