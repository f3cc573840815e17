// A kernel that JAX dumped, as a value. It can be shown and run, and its layouts can be changed.
//
//   d = open_dump("dumps/k_7")          the page of `lanescope open`
//   e = d.cast(11, WGMMA_TRANSPOSED)    gives result 0 of operation 11 that layout: prints what changes
//   e.run()                             compiles it with our compiler and runs it, on random or given inputs
#pragma once

#include "core/gpu/dumps/DumpKernelPage.h"
#include "repl/kernel/launch/Launches.h"
#include "repl/lang/files/SnippetFiles.h"

#include <memory>

namespace lanescope::repl {

class DumpObject final : public Object {
public:
  /// `before`: the dump of which this one is a changed copy; null: none.
  DumpObject(core::dumps::KernelPage page, std::shared_ptr<const DumpObject> before,
             std::shared_ptr<KernelRuntime> runtime)
      : page_(std::move(page)), before_(std::move(before)), runtime_(std::move(runtime)) {}
  const core::dumps::KernelPage &page() const { return page_; }
  const std::shared_ptr<const DumpObject> &before() const { return before_; }
  KernelRuntime &runtime() const { return *runtime_; }

  std::string typeName() const override { return "dump"; }
  /// The kernel's page. For a changed dump, it is the list of changes.
  std::string repr() const override;
  Result<Value> attribute(Context &context, const std::string &name) override;
  std::vector<std::string> members() const override;
  Result<int64_t> length(Context &) override { return static_cast<int64_t>(page_.dump.ops.size()); }

private:
  core::dumps::KernelPage page_;
  std::shared_ptr<const DumpObject> before_;
  std::shared_ptr<KernelRuntime> runtime_;
};

/// The builtin `open_dump(path)`.
Builtin openDumpBuiltin(std::shared_ptr<KernelRuntime> runtime, std::shared_ptr<SnippetFiles> files);

} // namespace lanescope::repl
