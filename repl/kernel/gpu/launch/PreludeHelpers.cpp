// The helper functions that launch/prelude.py needs for a GPU's kernel.
#include "layouts/support/Try.h"
#include "repl/kernel/gpu/launch/GpuPrimitives.h"
#include "repl/kernel/gpu/specs/GpuSpecs.h"
#include "repl/kernel/gpu/trace/GpuTracer.h"

namespace lanescope::repl {

namespace {

/// The current trace, which must be a GPU kernel's.
Result<GpuTracer *> gpuTracer(const Context &context, std::string_view what) {
  auto *tracer = dynamic_cast<GpuTracer *>(LANESCOPE_TRY(Tracer::current(context, what)));
  if (!tracer)
    return context.fail("unsupported", Message("`{function}` is for kernels of a GPU", what));
  return tracer;
}

/// The names of the cluster's axes; none if a cluster is one block.
Result<Value> clusterMembers(Context &context, const BoundArguments &) {
  const AxisNames &axes = LANESCOPE_TRY(gpuTracer(context, "cluster_members"))->axes();
  if (layouts::elementCount(axes.clusterShape) == 1)
    return Value::tuple({});
  if (axes.cluster.empty())
    return context.fail("kernel", "the blocks of a cluster meet along its axes; name them, `cluster_names=`");
  std::vector<Value> names(axes.cluster.begin(), axes.cluster.end());
  return Value::tuple(std::move(names));
}

} // namespace

Builtins gpuPreludeHelpers() {
  return {{.name = "cluster_members",
           .signature = "cluster_members()",
           .doc = "The names of the cluster's axes.",
           .call = clusterMembers},
          {.name = "called",
           .signature = "called(barrier, name)",
           .doc = "A barrier's spec with a name for messages.",
           .call = [](Context &, const BoundArguments &args) -> Result<Value> {
             const auto *given = args[0].value.as<BarrierSpec>();
             if (!given || !args[1].value.asStr())
               return args.wrongType(0, "a barrier and its name");
             auto spec = std::make_shared<BarrierSpec>(*given);
             spec->name = *args[1].value.asStr();
             return Value(std::move(spec));
           }},
          {.name = "num_warpgroups",
           .signature = "num_warpgroups()",
           .doc = "How many warpgroups a block has.",
           .call = [](Context &context, const BoundArguments &) -> Result<Value> {
             return Value(LANESCOPE_TRY(gpuTracer(context, "dynamic_scheduling_loop"))->axes().warpgroups);
           }},
          {.name = "begin_products",
           .signature = "begin_products()",
           .doc = "Marks the begin of a pipeline's body: earlier products are not its own.",
           .call = [](Context &context, const BoundArguments &) -> Result<Value> {
             LANESCOPE_TRY(gpuTracer(context, "emit_pipeline"))->openProducts = false;
             return Value();
           }},
          {.name = "settle_products",
           .signature = "settle_products(level)",
           .doc = "If the body has waited for none of its products, waits until at most `level` are pending, so that "
                  "a buffer that they read can be filled again.",
           .call = [](Context &context, const BoundArguments &args) -> Result<Value> {
             GpuTracer *tracer = LANESCOPE_TRY(gpuTracer(context, "emit_pipeline"));
             if (tracer->openProducts && tracer->target().wgmma)
               tracer->at(context.span).wgmmaWait(LANESCOPE_TRY(args.integer(0)));
             tracer->openProducts = false;
             return Value();
           }},
          {.name = "wait_for_wgmma",
           .signature = "wait_for_wgmma()",
           .doc = "Waits for all products of the warpgroup, on architectures where these are its own.",
           .call = [](Context &context, const BoundArguments &) -> Result<Value> {
             GpuTracer *tracer = LANESCOPE_TRY(gpuTracer(context, "wait_for_wgmma"));
             if (tracer->target().wgmma)
               tracer->at(context.span).wgmmaWait(0);
             return Value();
           }}};
}

} // namespace lanescope::repl
