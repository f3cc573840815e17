#include "repl/lang/builtins/Builtins.h"

#include "repl/lang/layouts/LayoutBuiltins.h"

namespace lanescope::repl {

Builtins hostBuiltins() {
  Builtins out = pythonBuiltins();
  for (Builtins part : {arrayBuiltins(), layoutBuiltins(), fragmentBuiltins(), costBuiltins(), compareBuiltins(),
                        cuteBuiltins(), linearBuiltins(), helpBuiltins()})
    out.insert(out.end(), std::make_move_iterator(part.begin()), std::make_move_iterator(part.end()));
  return out;
}

} // namespace lanescope::repl
