#include "app/lanescope/Common.h"
#include "repl/session/Check.h"

#include <algorithm>
#include <iostream>

namespace lanescope::app {

int runCheck(const CheckArguments &arguments) {
  core::SketchOptions sketch;
  sketch.grid = arguments.grid;
  sketch.arguments = arguments.arguments;
  auto checked = repl::check(arguments.file, {.launch = arguments.launch,
                                              .sketch = std::move(sketch),
                                              .seeds = arguments.seeds,
                                              .adversaries = arguments.adversaries,
                                              .schedule = arguments.schedule,
                                              .coverage = arguments.coverage,
                                              .rules = arguments.rules,
                                              .strictRules = arguments.strictRules,
                                              .keepGoing = arguments.keepGoing,
                                              .timeLimit = arguments.timeLimit,
                                              .arch = arguments.arch,
                                              .threads = arguments.threads});
  if (!checked)
    return report(checked.error());
  report(checked->remarks);
  std::cout << writeFindings(*checked, arguments.format == "json"    ? repl::FindingsFormat::Json
                                       : arguments.format == "sarif" ? repl::FindingsFormat::Sarif
                                                                     : repl::FindingsFormat::Text);
  int status = report(checked->problems);
  bool fails = std::ranges::any_of(checked->findings, [&](const Diagnostic &finding) {
    return finding.severity == Severity::Error || (arguments.strict && finding.severity == Severity::Warning);
  });
  return fails ? std::max<int>(status, kInputAtFault) : status;
}

} // namespace lanescope::app
