// `shard_map(kernel, devices)`: a kernel on several devices at once, each with its part of every array.
#include "layouts/support/Text.h"
#include "layouts/support/Try.h"
#include "repl/kernel/launch/DeviceMesh.h"
#include "repl/kernel/tpu/launch/TpuKernel.h"

namespace lanescope::repl {

namespace {

/// Cuts an array into equal parts along dimension 0, one for each device. Every device gets all other arguments whole.
Result<std::vector<Arg>> parts(Context &context, const Arg &given, size_t devices) {
  const core::Array *array = given.value.asArray();
  if (!array)
    return std::vector<Arg>(devices, given);
  core::Array all = LANESCOPE_TRY(
      dealt(context, *array, lineOf(static_cast<int64_t>(devices)), alongLine(), "the array", given.span));
  std::vector<Arg> out;
  for (size_t d = 0; d < devices; ++d)
    out.push_back({Value(partOf(all, static_cast<int64_t>(d))), given.span});
  return out;
}

class ShardedKernel final : public Kernel {
public:
  ShardedKernel(std::shared_ptr<TpuKernel> kernel, size_t devices) : kernel_(std::move(kernel)), devices_(devices) {}

  const std::string &name() const override { return kernel_->name(); }
  KernelRuntime &runtime() const override { return kernel_->runtime(); }
  Span span() const override { return kernel_->span(); }
  std::string repr() const override { return text(kernel_->repr(), " on ", devices_, " devices"); }
  std::shared_ptr<const core::KernelStages> last() const override { return kernel_->last(); }
  Result<std::shared_ptr<const core::KernelStages>> stages(Context &context, const Arguments &arguments,
                                                           bool keepTexts) override {
    if (arguments.positional.empty() && arguments.keyword.empty())
      return kernel_->stages(context, arguments, keepTexts);
    return kernel_->stages(context, LANESCOPE_TRY(split(context, arguments)).front(), keepTexts);
  }
  Result<KernelLaunch> launch(Context &context, const Arguments &arguments, const CompileRequest &request,
                              const std::string &device, double timeoutSeconds) override {
    return kernel_->launchOn(context, LANESCOPE_TRY(split(context, arguments)), request, device, timeoutSeconds);
  }

private:
  Result<std::vector<Arguments>> split(Context &context, const Arguments &arguments) const {
    std::vector<Arguments> out(devices_);
    for (const Arg &given : arguments.positional) {
      auto each = LANESCOPE_TRY(parts(context, given, devices_));
      for (size_t d = 0; d < devices_; ++d)
        out[d].positional.push_back(each[d]);
    }
    for (const KeywordArg &given : arguments.keyword) {
      auto each = LANESCOPE_TRY(parts(context, {given.value, given.span}, devices_));
      for (size_t d = 0; d < devices_; ++d)
        out[d].keyword.push_back({given.name, given.nameSpan, each[d].value, given.span});
    }
    return out;
  }

  std::shared_ptr<TpuKernel> kernel_;
  size_t devices_;
};

} // namespace

Builtin shardMapBuiltin() {
  return {.name = "shard_map",
          .signature = "shard_map(kernel, devices)",
          .doc =
              "A SparseCore's kernel on several devices at once.\n\nEvery array is cut along its first dimension, and "
              "each device gets a part; results are joined in the same way. In the kernel `device_id()` is the "
              "device's number, and `async_remote_copy` and `semaphore_signal(…, device_id=d)` reach the others.",
          .call = [](Context &, const BoundArguments &args) -> Result<Value> {
            auto kernel = args[0].value.ref<TpuKernel>();
            if (!kernel)
              return args.wrongType(0, "a kernel of a SparseCore");
            int64_t devices = LANESCOPE_TRY(args.integer(1));
            constexpr int64_t kMost = 64;
            if (devices < 1 || devices > kMost)
              return args.wrongValue(1, Message("a kernel runs on 1 to {limit} devices, not {}", kMost, devices));
            return Value(std::make_shared<ShardedKernel>(std::move(kernel), static_cast<size_t>(devices)));
          },
          .group = "SparseCore"};
}

} // namespace lanescope::repl
