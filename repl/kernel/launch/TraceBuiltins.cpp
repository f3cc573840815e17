// `trace`, `explain_trace`, `compare_traces`: the analyses of core/profiler for the trace of a kernel or of a file.
#include "core/gpu/kernel/Profile.h"
#include "core/profiler/CompareText.h"
#include "core/profiler/ExplainTrace.h"
#include "layouts/support/Text.h"
#include "layouts/support/Try.h"
#include "repl/kernel/launch/Results.h"

namespace lanescope::repl {

namespace {

/// The trace of a result or a file, or the value itself.
Result<Value> traceArgument(const SnippetFiles &files, Context &context, const BoundArguments &args, size_t index) {
  const Value &given = args[index].value;
  if (given.as<TraceValue>())
    return given;
  if (const std::string *file = given.asStr()) {
    auto source = files.readSource(*file, core::FileRole::Trace);
    if (!source)
      return at(args[index].span, std::move(source.error()));
    auto trace = core::parseGpuTrace(*source);
    if (!trace)
      return unusableFile("a trace", *file, args[index].span, trace.error(),
                          !(*source)->text().contains("\"traceEvents\""));
    return Value(std::make_shared<TraceValue>(*std::move(trace)));
  }
  if (auto *result = given.as<KernelResult>()) {
    Value found = LANESCOPE_TRY(result->attribute(context, "trace"));
    if (found.isNone())
      return args.wrongValue(index, "the kernel was run without a trace; run it with `profile=True`");
    return found;
  }
  return args.wrongType(index, "what `run(…, profile=True)` gives, or a trace's file");
}

using Files = const SnippetFiles &;

Result<Value> traceOf(Files files, Context &context, const BoundArguments &args) {
  return traceArgument(files, context, args, 0);
}

Result<Value> explainTrace(Files files, Context &context, const BoundArguments &args) {
  Value trace = LANESCOPE_TRY(traceArgument(files, context, args, 0));
  return Value(std::make_shared<CodeText>("explanation", core::explain(trace.as<TraceValue>()->trace())));
}

Result<Value> compareOf(Files files, Context &context, const BoundArguments &args) {
  Value before = LANESCOPE_TRY(traceArgument(files, context, args, 0));
  Value after = LANESCOPE_TRY(traceArgument(files, context, args, 1));
  core::TraceComparison comparison =
      core::compareTraces(before.as<TraceValue>()->trace(), after.as<TraceValue>()->trace());
  return Value(std::make_shared<CodeText>("comparison", core::compareText(comparison)));
}

} // namespace

Builtins traceBuiltins(const std::shared_ptr<SnippetFiles> &files) {
  auto with = [&](Result<Value> (*function)(Files, Context &, const BoundArguments &)) {
    return [files, function](Context &context, const BoundArguments &args) { return function(*files, context, args); };
  };
  Builtins out = {
      {.name = "trace",
       .signature = "trace(result)",
       .doc = "The trace of a kernel that was run with `profile=True`, or of a file: `trace(\"double.json\")`.",
       .call = with(traceOf)},
      {.name = "explain_trace",
       .signature = "explain_trace(result)",
       .doc = "Why a trace took as long as it did: the waits that cost most with the chain of causes of each one's "
              "longest, the critical path, what overlapped, how full the processors were. `result` is what "
              "`run(…, profile=True)` gives, a trace or a trace's file.",
       .call = with(explainTrace)},
      {.name = "compare_traces",
       .signature = "compare_traces(before, after)",
       .doc = "Which regions of a kernel take more or less time than before, most changed first. Both arguments are as "
              "for `explain_trace`.",
       .call = with(compareOf)},
  };
  for (Builtin &builtin : out)
    builtin.worksIn = WorksIn::Host;
  return out;
}

} // namespace lanescope::repl
