#include "repl/lang/builtins/Builtins.h"

#include "repl/lang/evaluate/Classes.h"
#include "repl/lang/evaluate/Exceptions.h"
#include "repl/lang/layouts/LayoutBuiltins.h"
#include "repl/lang/modules/Modules.h"
#include "repl/lang/numpy/Numpy.h"

namespace lanescope::repl {

Builtins hostBuiltins() {
  Builtins out;
  auto add = [&](Builtins part) {
    out.insert(out.end(), std::make_move_iterator(part.begin()), std::make_move_iterator(part.end()));
  };
  for (Builtins part :
       {pythonBuiltins(), reductions(), classBuiltins(), exceptionBuiltins(), arrayBuiltins(), elementFunctions(),
        Builtins{roundFunction()}, shapeFunctions(), layoutBuiltins(), cuteBuiltins(), linearBuiltins()})
    add(std::move(part));
  for (Builtins part : {fragmentBuiltins(), costBuiltins(), compareBuiltins()}) { // they ask about layouts
    for (Builtin &builtin : part)
      builtin.worksIn = WorksIn::Host;
    add(std::move(part));
  }
  add(helpBuiltins());
  std::vector<ModuleSpec> modules = pythonModules();
  for (ModuleSpec &module : numpyModules())
    modules.push_back(std::move(module));
  for (Builtin &module : moduleBuiltins(std::move(modules)))
    out.push_back(std::move(module));
  return out;
}

} // namespace lanescope::repl
