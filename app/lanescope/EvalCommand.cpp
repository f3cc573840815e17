#include "app/lanescope/SessionOptions.h"
#include "repl/files/FileKind.h"
#include "repl/lang/values/ValueJson.h"
#include "repl/terminal/Interruption.h"

namespace lanescope::app {

int runEval(const EvalArguments &arguments) {
  if (auto file = repl::checkNoFile("eval", arguments.expression); !file)
    return report(file.error());
  repl::Session session(sessionOptions({}, {}, runRules(arguments.reach)));
  repl::Interruption interruption;
  repl::Interruption::Reaches reaches(session);
  auto value = session.evaluate(Source::make("<eval>", arguments.expression));
  if (!value)
    return report(value.error());
  if (!arguments.json) {
    // Results with several fields are written as tables, as in the REPL. Layouts stay texts; `show` draws them.
    say(value->asDict() ? session.render(*value) : repl::str(*value) + "\n");
    return kDone;
  }
  auto json = repl::toJson(*value);
  if (!json)
    return report(at({Source::make("<eval>", arguments.expression), 0, 0}, json.error()).error());
  put(*json + "\n");
  return kDone;
}

} // namespace lanescope::app
