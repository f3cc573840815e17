#include "repl/lang/builtins/Builtins.h"
#include "repl/lang/builtins/FileBuiltins.h"

#include "repl/lang/evaluate/Classes.h"
#include "repl/lang/evaluate/Exceptions.h"
#include "repl/lang/layouts/LayoutBuiltins.h"
#include "repl/lang/modules/Modules.h"
#include "repl/lang/numpy/Numpy.h"

namespace lanescope::repl {

static Builtins makeHostBuiltins() {
  Builtins out;
  auto add = [&](Builtins part) {
    out.insert(out.end(), std::make_move_iterator(part.begin()), std::make_move_iterator(part.end()));
  };
  for (auto part : {pythonBuiltins, iteratorBuiltins, reductions, classBuiltins, exceptionBuiltins, arrayBuiltins,
                    elementFunctions, shapeFunctions, layoutBuiltins, cuteBuiltins, linearBuiltins})
    add(part());
  out.push_back(roundFunction());
  add(fileBuiltins(nullptr));
  for (auto part : {fragmentBuiltins, costBuiltins, compareBuiltins}) { // they ask about layouts
    Builtins asking = part();
    for (Builtin &builtin : asking)
      builtin.worksIn = WorksIn::Host;
    add(std::move(asking));
  }
  add(helpBuiltins());
  std::vector<ModuleSpec> modules = pythonModules();
  for (ModuleSpec &module : numpyModules())
    modules.push_back(std::move(module));
  add(moduleBuiltins(std::move(modules)));
  return out;
}

Builtins hostBuiltins() {
  // Nothing in it is an evaluator's own, and making it takes longer than compiling a small kernel again.
  static const Builtins made = makeHostBuiltins();
  return made;
}

} // namespace lanescope::repl
