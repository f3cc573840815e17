// A kernel whose parameters are decided by a call: `plgpu.kernel`, and `pl.kernel` over meshes of subcores.
//
//   plgpu.kernel(body, out_type=…)(a, b)     // make() gives the kernel for a and b, a KernelFunction here
//
// It compiles and runs that kernel, and writes changes into the mutable arrays among the operands. Under `shard_map` it
// waits until all devices have called it. Derived classes decide the parameters in make().
#pragma once

#include "repl/kernel/launch/Results.h"
#include "repl/kernel/pallas/MutableArray.h"
#include "repl/kernel/pallas/ShardMap.h"

#include "layouts/support/Text.h"
#include "layouts/support/Try.h"

namespace lanescope::repl {

/// Base of these kernels. `Target`: KernelFunction or TpuKernel.
template <typename Target> class CalledKernel : public Kernel {
public:
  CalledKernel(std::shared_ptr<KernelRuntime> runtime, CurrentShards shards)
      : runtime_(std::move(runtime)), shards_(std::move(shards)) {}

  KernelRuntime &runtime() const final { return *runtime_; }
  std::shared_ptr<const core::KernelStages> last() const final { return last_; }

  Result<std::shared_ptr<const core::KernelStages>> stages(Context &context, const Arguments &arguments,
                                                           bool keepTexts) final {
    Made made = LANESCOPE_TRY(make(context, arguments, {}));
    last_ = LANESCOPE_TRY(made.kernel->stages(context, made.arguments, keepTexts));
    return last_;
  }

  Result<KernelLaunch> launch(Context &context, const Arguments &arguments, const CompileRequest &request,
                              const std::string &device, double timeoutSeconds) final {
    if (*shards_)
      return context.fail("kernel", Message("under `shard_map` kernel `{kernel}` is called, not run by hand", name()));
    Made made = LANESCOPE_TRY(make(context, arguments, {}));
    auto out = made.kernel->launch(context, made.arguments, request, device, timeoutSeconds);
    last_ = made.kernel->last();
    if (!out)
      return out;
    for (size_t i = 0; out->result && i < made.mutables.size() && i < out->result->outputs.size(); ++i)
      LANESCOPE_CHECK(made.mutables[i]->write(context, out->result->outputs[i]));
    return out;
  }

  Result<Value> call(Context &context, const Arguments &arguments) final {
    if (*shards_)
      return callOnShard(context, arguments, **shards_);
    const KernelOptions &options = runtime_->options();
    return resultOf(takeOutputs(LANESCOPE_TRY(
        launch(context, arguments, {.profile = options.profile}, options.device, options.timeoutSeconds))));
  }

protected:
  struct Made {
    std::shared_ptr<Target> kernel;
    Arguments arguments;
    std::vector<std::shared_ptr<MutableArray>> mutables; // the mutable arrays among the operands, in order
  };

  /// The kernel for a call's operands. `mesh`: the devices that run it together; none outside `shard_map`.
  virtual Result<Made> make(Context &context, const Arguments &arguments, DeviceMesh mesh) = 0;
  /// The value of a call, made from everything that the kernel wrote: first the mutable arrays among the operands, then
  /// the outputs.
  virtual Value resultOf(const std::vector<Value> &written) const = 0;
  /// The outputs of a run on several devices as [devices, …].
  virtual std::vector<core::Array> byDevice(std::vector<core::Array> outputs, size_t devices) const = 0;

  const std::shared_ptr<KernelRuntime> &sharedRuntime() const { return runtime_; }

private:
  /// The call on one device of a `shard_map`, all of whose devices make the call.
  Result<Value> callOnShard(Context &context, const Arguments &arguments, ShardRuns &runs) {
    Made mine = LANESCOPE_TRY(make(context, arguments, runs.mesh()));
    // The launch outlives the run that made it, and needs the kernel.
    auto self = std::static_pointer_cast<CalledKernel>(shared_from_this());
    auto launch = [self, mine](Context &from,
                               const std::vector<Arguments> &devices) -> Result<std::vector<core::Array>> {
      const KernelOptions &options = self->runtime_->options();
      auto out =
          mine.kernel->launchOn(from, devices, {.profile = options.profile}, options.device, options.timeoutSeconds);
      self->last_ = mine.kernel->last();
      return self->byDevice(LANESCOPE_TRY(std::move(out)).result->outputs, devices.size());
    };
    const auto *all = LANESCOPE_TRY(runs.meet(context, text("kernel `", name(), "`"), mine.arguments, launch));
    std::vector<Value> written;
    for (const core::Array &parts : *all)
      written.emplace_back(partOf(parts, runs.device()));
    for (size_t i = 0; i < mine.mutables.size() && i < written.size(); ++i)
      LANESCOPE_CHECK(mine.mutables[i]->write(context, *written[i].asArray()));
    return resultOf(written);
  }

  std::shared_ptr<KernelRuntime> runtime_;
  CurrentShards shards_;
  std::shared_ptr<const core::KernelStages> last_;
};

} // namespace lanescope::repl
