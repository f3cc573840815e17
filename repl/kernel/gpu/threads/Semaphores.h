// Semaphores of the kernel that is being traced: `Semaphore(count=2)` in `scratch`.
//
//   semaphore_signal(done.at[0])              what this warpgroup did before is seen by who waits
//   semaphore_wait(done.at[0], 4)             until it is 4 or more, then takes 4 from it
#pragma once

#include "repl/kernel/gpu/trace/GpuTracer.h"
#include "repl/kernel/trace/Traced.h"

#include <memory>

namespace lanescope::repl {

class SemaphoreValue final : public NamedObject {
public:
  SemaphoreValue(std::string name, core::IrRef memory, layouts::Shape shape, TraceId trace, Span origin)
      : NamedObject(std::move(name), trace, std::move(origin)), memory_(std::move(memory)), shape_(std::move(shape)) {}

  const core::IrRef &memory() const { return memory_; }
  /// One semaphore (there is one, or it has been indexed).
  bool single() const { return shape_.empty() || memory_.shape[0] == 1; }
  const core::Offset &index() const { return index_; }

  std::string typeName() const override { return "semaphore"; }
  std::string repr() const override;
  Result<Value> attribute(Context &context, const std::string &name) override;
  std::vector<std::string> members() const override { return {"at"}; }
  Result<Value> getItem(Context &context, const Arg &index) override;
  Result<int64_t> length(Context &) override { return shape_.empty() ? 1 : shape_[0]; }

private:
  core::IrRef memory_;
  layouts::Shape shape_; // of what has not been indexed
  Value place_ = 0;      // of the first of them, as an int or a traced one
  core::Offset index_ = int64_t{0};
};

} // namespace lanescope::repl
