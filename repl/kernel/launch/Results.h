// The result of `run`, as a value of the snippet language: a KernelResult with outputs, trace, time, diagnostics.
#pragma once

#include "core/gpu/codegen/Resources.h"
#include "core/gpu/emulator/coverage/Coverage.h"
#include "core/Trace.h"
#include "repl/kernel/launch/Launches.h"
#include "repl/lang/files/SnippetFiles.h"

#include <memory>

namespace lanescope::repl {

/// A trace: `result.trace`, for `show` and `trace`.
class TraceValue final : public Object {
public:
  explicit TraceValue(core::Trace trace) : trace_(std::move(trace)) {}
  const core::Trace &trace() const { return trace_; }
  std::string typeName() const override { return "trace"; }
  /// The table that `lanescope trace --summary` prints.
  std::string repr() const override;

private:
  core::Trace trace_;
};

class KernelResult final : public Object {
public:
  /// `coverage`: set if the run requested it; else null.
  KernelResult(KernelLaunch launch, std::vector<Value> outputs,
               std::shared_ptr<const core::Coverage> coverage = nullptr)
      : launch_(std::move(launch)), outputs_(std::move(outputs)), coverage_(std::move(coverage)) {}
  const KernelLaunch &launch() const { return launch_; }
  std::string typeName() const override { return "kernel result"; }
  std::string repr() const override;
  Result<Value> attribute(Context &context, const std::string &name) override;
  std::vector<std::string> members() const override;

private:
  /// The kernel's resources; nothing if the kernel is not a GPU's. The first call runs ptxas.
  const std::optional<core::KernelResources> &resources() const;

  KernelLaunch launch_;
  std::vector<Value> outputs_;
  mutable std::optional<core::KernelResources> resources_;
  std::shared_ptr<const core::Coverage> coverage_;
};

/// A stage's text: `ptx(kernel)`, `ir(kernel)`. It prints unquoted.
class CodeText final : public Object {
public:
  CodeText(std::string kind, std::string text) : kind_(std::move(kind)), text_(std::move(text)) {}
  const std::string &kind() const { return kind_; }
  const std::string &text() const { return text_; }
  std::string typeName() const override { return kind_; }
  std::string repr() const override { return text_; }
  Result<Value> attribute(Context &context, const std::string &name) override;
  std::vector<std::string> members() const override { return {"text"}; }
  Result<int64_t> length(Context &) override { return static_cast<int64_t>(text_.size()); }
  Result<std::vector<Value>> iterate(Context &context) override; // the text's lines

private:
  std::string kind_, text_;
};

/// The outputs of a launch, in the order of the kernel's `Out` and `InOut` parameters.
std::vector<Value> outputValues(const KernelLaunch &launch);
/// The outputs of a launch, in the same order. They are moved if only `launch` refers to its result, else copied.
std::vector<Value> takeOutputs(KernelLaunch launch);

/// The builtins `run`, `ir` and `ptx`.
Builtins runBuiltins(const std::shared_ptr<SnippetFiles> &files);
/// The builtins `trace`, `explain_trace` and `compare_traces`.
Builtins traceBuiltins(const std::shared_ptr<SnippetFiles> &files);

} // namespace lanescope::repl
