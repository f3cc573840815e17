// `@sc_kernel(…)`, and what the target adds to a session.
#include "layouts/support/Text.h"
#include "layouts/support/Try.h"
#include "repl/kernel/functions/Functions.h"
#include "repl/kernel/tpu/launch/TpuKernel.h"
#include "repl/kernel/tpu/memory/Memory.h"
#include "repl/kernel/tpu/threads/Threads.h"
#include "repl/kernel/tpu/vectors/Vectors.h"

#include <algorithm>

namespace lanescope::repl {

const Primitives &tpuPrimitives() {
  static const Primitives kAll = [] {
    Primitives all("kernels of a SparseCore", "SparseCore");
    // Its own families first: of two functions with one name the first counts.
    for (auto family : {tpuAxisPrimitives(), tpuSemaphorePrimitives(), tpuLoopPrimitives(), tpuCopyPrimitives(),
                        tpuAccessPrimitives(), tpuScopePrimitives(), tpuLanePrimitives(), tpuPackingPrimitives()})
      all.add(family);
    for (auto family :
         {mathPrimitives(), compoundPrimitives(), shapePrimitives(), reductionPrimitives(), probePrimitives()})
      all.add(family);
    return all;
  }();
  return kAll;
}

namespace {

/// What `sc_kernel(...)` gives: called with the function below it.
class TpuDecorator final : public Object {
public:
  TpuDecorator(TpuKernelSettings settings, std::shared_ptr<KernelRuntime> runtime)
      : settings_(std::move(settings)), runtime_(std::move(runtime)) {}
  std::string typeName() const override { return "kernel decorator"; }
  bool callable() const override { return true; }
  Result<Value> call(Context &context, const Arguments &arguments) override {
    if (arguments.positional.size() != 1 || !arguments.keyword.empty() || !arguments.positional[0].value.asFunction())
      return context.fail("kernel", "`@sc_kernel(…)` goes above a `def`");
    return Value(
        LANESCOPE_TRY(TpuKernel::make(context, arguments.positional[0].value.functionRef(), settings_, runtime_)));
  }

private:
  TpuKernelSettings settings_;
  std::shared_ptr<KernelRuntime> runtime_;
};

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
  kName,
};

Result<std::vector<std::string>> texts(const BoundArguments &args, size_t index) {
  std::vector<std::string> out;
  if (!args.has(index) || args[index].value.isNone())
    return out;
  std::vector<Value> items = args[index].value.asTuple()  ? *args[index].value.asTuple()
                             : args[index].value.asList() ? args[index].value.asList()->items
                                                          : std::vector{args[index].value};
  for (const Value &item : items) {
    if (!item.asStr())
      return args.wrongType(index, "a tuple of strings");
    out.push_back(*item.asStr());
  }
  return out;
}

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
  for (const std::string &name : LANESCOPE_TRY(texts(args, kSemantics))) {
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
  settings.gridNames = LANESCOPE_TRY(texts(args, kGridNames));
  settings.semantics = LANESCOPE_TRY(semantics(args));
  if (args.has(kMesh) && !args[kMesh].value.isNone()) {
    settings.mesh = args[kMesh].value.ref<SubcoreMesh>();
    if (!settings.mesh)
      return args.wrongType(kMesh, "a `VectorSubcoreMesh(…)` or `ScalarSubcoreMesh(…)`");
    for (size_t other : {kGrid, kInSpecs, kOutSpecs, kSemantics, kCore, kGridNames})
      if (args.has(other) && !args[other].value.isNone())
        return args.wrongValue(other, "a mesh says who runs what: with `mesh=` there are no grid, blocks, semantics "
                                      "and core to choose");
  }
  std::string core = args.has(kCore) ? LANESCOPE_TRY(args.text(kCore)) : "vector";
  if (core != "vector" && core != "scalar")
    return args.wrongValue(kCore, "a kernel runs on the \"vector\" or the \"scalar\" subcores");
  settings.core = core == "vector" ? core::TpuCore::VectorSubcore : core::TpuCore::ScalarSubcore;
  if (args.has(kChip) && !args[kChip].value.isNone()) {
    std::string chip = LANESCOPE_TRY(args.text(kChip));
    settings.target = core::findTpuTarget(chip);
    if (!settings.target)
      return args.wrongValue(kChip, core::noTpuTargetText(chip));
  }
  LANESCOPE_CHECK(args.booleanOr(kTiling, false));
  if (args.has(kName) && !args[kName].value.isNone())
    settings.name = LANESCOPE_TRY(args.text(kName));
  auto decorator = std::make_shared<TpuDecorator>(std::move(settings), std::move(runtime));
  if (!args.has(kFunction) || args[kFunction].value.isNone())
    return Value(std::move(decorator));
  Arguments function;
  function.positional.push_back(args[kFunction]);
  return decorator->call(context, function); // `@sc_kernel` without brackets
}

} // namespace

Builtin tpuKernelBuiltin(std::shared_ptr<KernelRuntime> runtime) {
  return {
      .name = "sc_kernel",
      .signature = "sc_kernel(function=None, *, mesh=None, grid=(), in_specs=(), out_specs=(), scratch=(), "
                   "grid_names=None, dimension_semantics=None, core=\"vector\", chip=None, use_tc_tiling_on_sc=False, "
                   "name=None)",
      .doc = "`@sc_kernel(...)` above a `def` makes it a kernel for the SparseCores of a TPU.\n\n"
             "With `mesh=VectorSubcoreMesh(…)` or `ScalarSubcoreMesh(…)` each subcore runs the body, arrays are in "
             "`HBM`, and `scratch` is each subcore's own. With `grid=` one subcore runs the body for each step, and "
             "arrays come block by block, as `BlockSpec`s say. Parameters are annotated as in `@kernel`: `GMEM(shape, "
             "dtype)`, `Out(…)`, `InOut(…)`. `chip`: \"v5p\", \"v6e\", \"7x\", …. `use_tc_tiling_on_sc` stores arrays "
             "in the "
             "tiles of a TensorCore, which changes neither the module nor results.",
      .call = [runtime = std::move(runtime)](Context &context,
                                             const BoundArguments &args) { return decorate(context, args, runtime); },
      .group = "SparseCore"};
}

void addTpuBuiltins(Builtins &table, std::shared_ptr<KernelRuntime> runtime) {
  auto add = [&](Builtins builtins) {
    table.insert(table.end(), std::make_move_iterator(builtins.begin()), std::make_move_iterator(builtins.end()));
  };
  add(tpuSpecBuiltins());
  add(tpuVectorBuiltins());
  add(tpuLoopBuiltins());
  table.push_back(tpuKernelBuiltin(std::move(runtime)));
  tpuPrimitives().addTo(table);
}

} // namespace lanescope::repl
