// The decorator `@sc_kernel(…)`, and the target's additions to a session.
#include "layouts/support/Text.h"
#include "layouts/support/Try.h"
#include "repl/kernel/functions/Functions.h"
#include "repl/kernel/launch/Decorator.h"
#include "repl/kernel/tpu/launch/TpuKernel.h"
#include "repl/kernel/tpu/memory/TpuMemory.h"
#include "repl/kernel/tpu/memory/TpuRefs.h"
#include "repl/kernel/tpu/threads/TpuThreads.h"
#include "repl/kernel/tpu/vectors/Vectors.h"

#include <algorithm>

namespace lanescope::repl {

const Primitives &tpuPrimitives() {
  static const Primitives kAll = [] {
    Primitives all("kernels of a SparseCore", "SparseCore");
    // The SparseCore's own families come first: if two functions have one name, the first one counts.
    for (auto family : {tpuAxisPrimitives(), tpuSemaphorePrimitives(), tpuLoopPrimitives(), tpuCopyPrimitives(),
                        tpuAccessPrimitives(), tpuScopePrimitives(), tpuSelectPrimitives(), tpuLanePrimitives(),
                        tpuPackingPrimitives()})
      all.add(family);
    for (auto family :
         {mathPrimitives(), compoundPrimitives(), shapePrimitives(), reductionPrimitives(), probePrimitives()})
      all.add(family);
    return all;
  }();
  return kAll;
}

namespace {

enum Parameter : size_t {
  kFunction,
  kMesh,
  kGrid,
  kInSpecs,
  kOutSpecs,
  kScratch,
  kGridNames,
  kSemantics,
  kCore,
  kChip,
  kTiling,
  kLayoutPasses,
  kDebug,
  kName,
};

Result<std::optional<std::vector<core::TpuSemantics>>> semantics(const BoundArguments &args) {
  using core::TpuSemantics;
  static constexpr std::pair<std::string_view, TpuSemantics> kNames[] = {
      {"parallel", TpuSemantics::Parallel},
      {"arbitrary", TpuSemantics::Arbitrary},
      {"core_parallel", TpuSemantics::CoreParallel},
      {"subcore_parallel", TpuSemantics::SubcoreParallel}};
  if (!args.has(kSemantics) || args[kSemantics].value.isNone())
    return std::nullopt;
  std::vector<TpuSemantics> out;
  for (const std::string &name : LANESCOPE_TRY(stringsOf(args, kSemantics))) {
    auto found = std::ranges::find(kNames, name, &std::pair<std::string_view, TpuSemantics>::first);
    if (found == std::end(kNames))
      return args.wrongValue(kSemantics,
                             "a dimension is \"arbitrary\", \"parallel\", \"core_parallel\" or \"subcore_parallel\"");
    out.push_back(found->second);
  }
  return out;
}

Result<Value> decorate(Context &context, const BoundArguments &args, std::shared_ptr<KernelRuntime> runtime) {
  TpuKernelSettings settings;
  settings.span = context.span;
  auto setting = [&](size_t index) { return args.has(index) ? args[index] : Arg{Value::tuple({}), context.span}; };
  settings.grid = setting(kGrid);
  settings.inSpecs = setting(kInSpecs);
  settings.outSpecs = setting(kOutSpecs);
  settings.scratch = setting(kScratch);
  settings.gridNames = LANESCOPE_TRY(axisNames(args, kGridNames));
  settings.semantics = LANESCOPE_TRY(semantics(args));
  if (args.has(kMesh) && !args[kMesh].value.isNone()) {
    settings.mesh = args[kMesh].value.ref<SubcoreMesh>();
    if (!settings.mesh)
      return args.wrongType(kMesh, "a `VectorSubcoreMesh(…)` or `ScalarSubcoreMesh(…)`");
    for (size_t other : {kGrid, kInSpecs, kOutSpecs, kSemantics, kCore, kGridNames})
      if (args.has(other) && !args[other].value.isNone())
        return args.wrongValue(other, "a mesh says which subcores run the body: with `mesh=` there are no grid, "
                                      "blocks, semantics and core to choose");
  }
  std::string core = args.has(kCore) ? LANESCOPE_TRY(args.text(kCore)) : "vector";
  if (core != "vector" && core != "scalar")
    return args.wrongValue(kCore, "a kernel runs on the \"vector\" or the \"scalar\" subcores");
  settings.core = core == "vector" ? core::TpuCore::VectorSubcore : core::TpuCore::ScalarSubcore;
  settings.target = LANESCOPE_TRY(chipArgument(args, kChip));
  settings.tensorCoreTiles = LANESCOPE_TRY(args.booleanOr(kTiling, false));
  settings.layoutPasses = LANESCOPE_TRY(args.booleanOr(kLayoutPasses, false));
  settings.debug = LANESCOPE_TRY(args.booleanOr(kDebug, false));
  settings.name = LANESCOPE_TRY(kernelName(args, kName));
  auto make = [settings = std::move(settings), runtime = std::move(runtime)](
                  Context &below, std::shared_ptr<const Function> function) -> Result<Value> {
    return Value(LANESCOPE_TRY(TpuKernel::make(below, std::move(function), settings, runtime)));
  };
  return decorated(context, args, kFunction, "sc_kernel", std::move(make));
}

} // namespace

Result<const core::TpuTarget *> chipArgument(const BoundArguments &args, size_t index) {
  if (!args.has(index) || args[index].value.isNone())
    return nullptr;
  std::string chip = LANESCOPE_TRY(args.text(index));
  const core::TpuTarget *found = core::findTpuTarget(chip);
  if (!found)
    return args.wrongValue(index, core::noTpuTargetText(chip));
  return found;
}

Builtin tpuKernelBuiltin(std::shared_ptr<KernelRuntime> runtime) {
  return {
      .name = "sc_kernel",
      .signature = "sc_kernel(function=None, *, mesh=None, grid=(), in_specs=(), out_specs=(), scratch=(), "
                   "grid_names=None, dimension_semantics=None, core=\"vector\", chip=None, use_tc_tiling_on_sc=False, "
                   "needs_layout_passes=False, debug=False, name=None)",
      .doc = "`@sc_kernel(...)` above a `def` makes it a kernel for the SparseCores of a TPU.\n\n"
             "With `mesh=VectorSubcoreMesh(…)` or `ScalarSubcoreMesh(…)` each subcore runs the body, arrays are in "
             "`HBM`, and `scratch` is each subcore's own. With `grid=` one subcore runs the body for each step, and "
             "arrays come block by block, as `BlockSpec`s say. Parameters are annotated as in `@kernel`: `GMEM(shape, "
             "dtype)`, `Out(…)`, `InOut(…)`. `chip`: \"v5p\", \"v6e\", \"7x\", …. `use_tc_tiling_on_sc` stores arrays "
             "in the tiles of a TensorCore, 8 rows by 128 columns: their padding takes room, results stay the same. "
             "With `needs_layout_passes` vectors may have any shape: a later pass cuts them to registers. "
             "`debug` prints the module, with the snippet's names.",
      .call = [runtime = std::move(runtime)](Context &context,
                                             const BoundArguments &args) { return decorate(context, args, runtime); },
      .group = "SparseCore"};
}

Builtins tpuPreludeHelpers() {
  return {{.name = "on_subcore",
           .signature = "on_subcore()",
           .doc = "True if the kernel runs on a SparseCore.",
           .call = [](Context &context, const BoundArguments &) -> Result<Value> {
             Tracer *tracer = LANESCOPE_TRY(Tracer::current(context, "emit_pipeline"));
             return Value(dynamic_cast<TpuTracer *>(tracer) != nullptr);
           }}};
}

void addTpuBuiltins(BuiltinTable &table, std::shared_ptr<KernelRuntime> runtime) {
  for (Builtins more :
       {tpuSpecBuiltins(), tpuVectorBuiltins(),
        Builtins{rowIndicesBuiltin(), tpuKernelBuiltin(runtime), mpmdMapBuiltin(runtime), shardMapBuiltin()}})
    table.add(std::move(more));
  tpuPrimitives().addTo(table);
}

} // namespace lanescope::repl
