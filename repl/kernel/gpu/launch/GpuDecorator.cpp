// The decorator `@kernel(grid=…, num_threads=…, scratch=[…])`.
#include "repl/kernel/gpu/launch/KernelFunction.h"

#include "core/gpu/kernel/Launch.h"
#include "layouts/support/Text.h"
#include "layouts/support/Try.h"
#include "layouts/support/Words.h"
#include "repl/kernel/launch/Decorator.h"

#include <algorithm>

namespace lanescope::repl {

namespace {

enum Parameter : size_t {
  kFunction,
  kGrid,
  kGridNames,
  kNumThreads,
  kThreadName,
  kScratch,
  kCluster,
  kClusterNames,
  kName,
  kMesh,
};

/// Reads `cluster` and `cluster_names`.
Result<void> cluster(const BoundArguments &args, AxisNames &axes) {
  constexpr size_t kMaxRank = 3;
  axes.cluster = LANESCOPE_TRY(axisNames(args, kClusterNames));
  if (args.has(kCluster) && !args[kCluster].value.isNone())
    axes.clusterShape = LANESCOPE_TRY(args.shape(kCluster));
  const layouts::Shape &shape = axes.clusterShape;
  if (shape.size() > kMaxRank)
    return args.wrongValue(kCluster,
                           Message("a cluster has at most {limit} dimensions, not {count}", kMaxRank, shape.size()));
  if (layouts::elementCount(shape) < 1 || layouts::elementCount(shape) > core::kMaxClusterBlocks)
    return args.wrongValue(kCluster, Message("a cluster has from 1 to {limit} blocks, not {}", core::kMaxClusterBlocks,
                                             layouts::elementCount(shape)));
  if (!axes.cluster.empty() && axes.cluster.size() != shape.size())
    return args.wrongValue(kClusterNames,
                           Message("`cluster` has {}, and `cluster_names` {}", counted(shape.size(), "dimension"),
                                   counted(axes.cluster.size(), "name")));
  return {};
}

} // namespace

Result<KernelSettings> kernelSettings(const Context &context, const BoundArguments &args) {
  KernelSettings settings;
  settings.span = context.span;
  settings.grid = args.has(kGrid) ? args[kGrid] : Arg{Value::tuple({Value(1)}), context.span};
  settings.scratch = args.has(kScratch) ? args[kScratch] : Arg{Value::tuple({}), context.span};
  settings.axes.grid = LANESCOPE_TRY(axisNames(args, kGridNames));
  settings.warpgroups = LANESCOPE_TRY(args.integerOr(kNumThreads, 1));
  constexpr int64_t kMaxWarpgroups = 8; // 1024 threads per block
  if (settings.warpgroups < 1 || settings.warpgroups > kMaxWarpgroups)
    return args.wrongValue(kNumThreads,
                           Message("a block has from 1 to {limit} warpgroups (`num_threads` counts these), not {}",
                                   kMaxWarpgroups, settings.warpgroups));
  if (args.has(kThreadName) && !args[kThreadName].value.isNone())
    settings.axes.thread = LANESCOPE_TRY(args.text(kThreadName));
  LANESCOPE_CHECK(cluster(args, settings.axes));
  std::vector<std::string> all = settings.axes.grid;
  all.insert(all.end(), settings.axes.cluster.begin(), settings.axes.cluster.end());
  if (!settings.axes.thread.empty())
    all.push_back(settings.axes.thread);
  for (size_t i = 0; i < all.size(); ++i)
    if (std::find(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(i), all[i]) !=
        all.begin() + static_cast<std::ptrdiff_t>(i))
      return args.wrongValue(settings.axes.thread == all[i] ? kThreadName : kClusterNames,
                             Message("the axis `{axis}` is named twice", all[i]));
  settings.name = LANESCOPE_TRY(kernelName(args, kName));
  return settings;
}

Result<void> checkMesh(const AxisNames &axes, const Span &span) {
  for (const std::string &name : axes.mesh.names)
    if (name == axes.thread || std::ranges::find(axes.grid, name) != axes.grid.end() ||
        std::ranges::find(axes.cluster, name) != axes.cluster.end())
      return error(
          "value", span,
          Message(
              "`{name}` is an axis of the mesh of devices, and one of the kernel's grid, cluster or warpgroups, too",
              name));
  return {};
}

namespace {

Result<Value> decorate(Context &context, const BoundArguments &args, std::shared_ptr<KernelRuntime> runtime) {
  KernelSettings settings = LANESCOPE_TRY(kernelSettings(context, args));
  settings.axes.mesh = LANESCOPE_TRY(meshArgument(context, args, kMesh));
  LANESCOPE_CHECK(checkMesh(settings.axes, args.has(kMesh) ? args[kMesh].span : context.span));
  auto make = [settings = std::move(settings), runtime = std::move(runtime)](
                  Context &below, std::shared_ptr<const Function> function) -> Result<Value> {
    return Value(LANESCOPE_TRY(KernelFunction::make(below, std::move(function), settings, runtime)));
  };
  return decorated(context, args, kFunction, "kernel", std::move(make));
}

} // namespace

Builtin kernelBuiltin(std::shared_ptr<KernelRuntime> runtime) {
  return {
      .name = "kernel",
      .signature = "kernel(function=None, *, grid=(1,), grid_names=None, num_threads=1, thread_name=None, "
                   "scratch=(), cluster=None, cluster_names=None, name=None, mesh=None)",
      .doc = "`@kernel(...)` above a `def` makes it a GPU kernel: `num_threads` warpgroups in each block of `grid`.\n\n"
             "Parameters are annotated `GMEM(shape, dtype)`, `Out(…)` or `InOut(…)`; `int`, `float`, `bool` or "
             "`str` make a static argument; those without annotation take `scratch`'s buffers and barriers in "
             "order. `grid` and `scratch` may be functions without parameters that use the sizes' names. The last "
             "grid dimension varies fastest.\n\n"
             "With `mesh={\"x\": 2, \"y\": 4}` eight devices run it side by side, the whole grid on each: `axis_index` "
             "and `device_id` tell them apart, `remote_ref` and `semaphore_signal(…, device_id=d)` reach the others. A "
             "call takes and gives whole arrays, which are split as the `sharding` of their annotations says.",
      .call = [runtime = std::move(runtime)](Context &context, const BoundArguments &args) {
        return decorate(context, args, runtime);
      }};
}

} // namespace lanescope::repl
