// Semaphores of the kernel that is being traced: `Semaphore(count=2)` in `scratch`.
//
//   semaphore_signal(done.at[0])              a waiter sees everything that this warpgroup did before
//   semaphore_wait(done.at[0], 4)             waits until it is 4 or more, then takes 4 from it
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
  /// True for one semaphore (there is one, or it has been indexed).
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
  layouts::Shape shape_; // shape of the dimensions that are not indexed yet
  Value place_ = 0;      // number of the first semaphore, as an int or a traced value
  core::Offset index_ = int64_t{0};
};

} // namespace lanescope::repl
