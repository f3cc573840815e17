// Barriers of chosen warpgroups and warps.
#include "layouts/support/Try.h"
#include "layouts/support/Words.h"
#include "repl/kernel/gpu/threads/GpuThreads.h"

namespace lanescope::repl {

namespace {

template <bool arriveOnly> Result<Value> namedBarrier(GpuTracer &tracer, Context &context, const BoundArguments &args) {
  enum : size_t { kId, kWarpgroups, kWarps };
  // A block has 16 named barriers (PTX ISA, `barrier.cta`). The block uses one, and each warpgroup uses one.
  int64_t count = 15 - tracer.axes().warpgroups, id = LANESCOPE_TRY(args.integer(kId));
  if (id < 0 || id >= count)
    return args.wrongValue(kId, Message("a block with {} has named barriers 0 to {}, not {}",
                                        counted(tracer.axes().warpgroups, "warpgroup"), count - 1, id));
  bool groups = args.has(kWarpgroups) && !args[kWarpgroups].value.isNone();
  bool warps = args.has(kWarps) && !args[kWarps].value.isNone();
  if (groups == warps)
    return error("arguments", context.span, "give one of `num_warpgroups=` and `num_warps=`");
  size_t given = groups ? kWarpgroups : kWarps;
  int64_t many = LANESCOPE_TRY(args.integer(given));
  int64_t most = tracer.axes().warpgroups * (groups ? 1 : layouts::kWarpsPerWarpgroup);
  if (many < 1 || many > most)
    return args.wrongValue(given, Message("the block has {limit}{}{}, not {}", most, groups ? " warpgroup" : " warp",
                                          most == 1 ? "" : "s", many));
  if (!tracer.warpAxis() && warps && many < layouts::kWarpsPerWarpgroup)
    return args.wrongValue(kWarps, "a whole warpgroup comes to this barrier, which is 4 warps");
  int64_t threads = many * (groups ? layouts::kThreadsPerWarpgroup : layouts::kLanesPerWarp);
  tracer.at(context.span).namedBarrier(id, threads, arriveOnly);
  return Value();
}

constexpr GpuPrimitive kNamedBarrierPrimitives[] = {
    {"named_barrier_sync", "named_barrier_sync(id, num_warpgroups=None, num_warps=None)",
     "Waits at one of the block's named barriers until as many warpgroups (or warps) have come, this one among them.",
     namedBarrier<false>},
    {"named_barrier_arrive", "named_barrier_arrive(id, num_warpgroups=None, num_warps=None)",
     "Counts this warpgroup (or warp) at a named barrier, as `named_barrier_sync` does, and does not wait.",
     namedBarrier<true>},
};

} // namespace

std::span<const GpuPrimitive> namedBarrierPrimitives() { return kNamedBarrierPrimitives; }

} // namespace lanescope::repl
