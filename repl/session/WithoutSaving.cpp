#include "repl/session/WithoutSaving.h"

#include "repl/session/Session.h"

namespace lanescope::repl {

void withoutSaving(Session &session) {
  const Builtin *save = session.evaluator().findBuiltin("save");
  if (!save)
    return;
  Builtin idle = *save;
  idle.call = [](Context &, const BoundArguments &) -> Result<Value> { return Value(); };
  session.evaluator().set(idle.name, BuiltinValue::make(idle));
}

void savingAgain(Session &session) {
  const Builtin *save = session.evaluator().findBuiltin("save");
  const Value *now = session.evaluator().lookup("save");
  if (save && now && now->asBuiltin())
    session.evaluator().set(save->name, BuiltinValue::make(*save));
}

} // namespace lanescope::repl
