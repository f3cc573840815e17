#include "app/lanescope/Common.h"
#include "repl/session/Check.h"
#include "repl/session/Interruption.h"

#include <algorithm>

namespace lanescope::app {

int runCheck(const CheckArguments &arguments) {
  if (!programWordsFit("check", arguments.file, arguments.python, arguments.programArguments))
    return kUsage;
  core::SketchOptions sketch;
  sketch.grid = arguments.grid;
  sketch.arguments = arguments.arguments;
  const std::vector<std::string> &reads = arguments.reach.reads;
  repl::Interruption interruption;
  const repl::CheckOptions options{.reads = {reads.begin(), reads.end()},
                                   .launch = arguments.launch,
                                   .sketch = std::move(sketch),
                                   .seeds = arguments.seeds,
                                   .adversaries = arguments.adversaries,
                                   .schedule = arguments.schedule,
                                   .coverage = arguments.coverage,
                                   .rules = arguments.rules,
                                   .strictRules = arguments.strictRules,
                                   .keepGoing = arguments.keepGoing,
                                   .blocks = arguments.blocks,
                                   .shrink = arguments.shrink,
                                   .timeLimit = arguments.timeLimit,
                                   .arch = arguments.arch,
                                   .threads = arguments.threads,
                                   .progress = &progressLine().progress(),
                                   .interrupted = interruption.flag(),
                                   .python = arguments.python,
                                   .arguments = arguments.programArguments};
  auto checked = repl::check(arguments.file, options);
  if (!checked)
    return report(checked.error());
  report(checked->remarks);
  if (arguments.format == "text")
    say(writeFindings(*checked, repl::FindingsFormat::Text));
  else
    put(writeFindings(*checked, arguments.format == "json" ? repl::FindingsFormat::Json : repl::FindingsFormat::Sarif));
  if (checked->smaller)
    complain(shrunkText(*checked->smaller, arguments.file, options));
  else if (arguments.shrink)
    complain("nothing to shrink: the runs have no finding\n");
  int status = report(checked->problems);
  if (!arguments.blocks.isAll())
    complain("only the blocks that `--blocks` names ran: nothing between them and the other blocks is checked\n");
  if (checked->interrupted)
    complain("stopped before all runs were made: the findings above are from the earlier runs\n");
  bool fails = std::ranges::any_of(checked->findings, [&](const Diagnostic &finding) {
    return finding.severity == Severity::Error || (arguments.strict && finding.severity == Severity::Warning);
  });
  return fails ? std::max<int>(status, kInputAtFault) : status;
}

} // namespace lanescope::app
