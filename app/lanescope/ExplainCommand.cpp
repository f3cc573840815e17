#include "app/lanescope/Common.h"

#include "repl/explain/ExplainKind.h"

namespace lanescope::app {

int runExplain(const ExplainArguments &arguments) {
  if (arguments.kind.empty()) {
    arguments.json ? put(repl::kindsJson() + "\n") : say(repl::listKinds());
    return kDone;
  }
  auto words = arguments.json ? repl::kindJson(arguments.kind) : repl::explainKind(arguments.kind);
  if (!words)
    return report(words.error());
  arguments.json ? put(*words + "\n") : say(*words);
  return kDone;
}

} // namespace lanescope::app
