// `mpmd_map([(mesh, function), …])`: one program on scalar and vector subcores, with a function for each kind.
#include "layouts/support/Text.h"
#include "layouts/support/Try.h"
#include "repl/kernel/launch/Decorator.h"
#include "repl/kernel/tpu/launch/TpuKernel.h"

namespace lanescope::repl {

using core::TpuCore;

namespace {

/// Checks that scalar and vector subcores belong to the same cores.
Result<void> checkMeshes(const SubcoreMesh &first, const SubcoreMesh &second, const core::TpuTarget &target) {
  if (first.core == second.core)
    return error("kernel", second.span,
                 Message("there are two functions for {} subcores, and each kind of subcore runs one",
                         first.core == TpuCore::ScalarSubcore ? "scalar" : "vector"),
                 {{first.span, "the other mesh"}});
  if (first.coreAxis != second.coreAxis ||
      first.cores.value_or(target.sparseCores) != second.cores.value_or(target.sparseCores))
    return error("kernel", second.span,
                 Message("`{}` should have the same core axis name and number of cores as `{}`, beside which it runs",
                         second.repr(), first.repr()),
                 {{first.span, "the other mesh"}});
  return {};
}

std::string_view roleText(KernelParameters::Role role) {
  switch (role) {
  case KernelParameters::Role::Array: return "an array";
  case KernelParameters::Role::Static: return "a static argument";
  case KernelParameters::Role::Scratch: return "scratch";
  }
  return "";
}

/// Checks that the functions have the parameters of the first one. The others may omit annotations.
Result<void> checkParameters(const KernelParameters &first, const KernelParameters &other) {
  if (first.slots().size() != other.slots().size())
    return error(
        "kernel", other.span(),
        Message("`{kernel}` has {parameters} parameters, and `{}`, which runs beside it with the same ones, {count}",
                other.kernel(), other.slots().size(), first.kernel(), first.slots().size()),
        {{first.span(), text("`", first.kernel(), "` is defined here")}});
  for (size_t i = 0; i < first.slots().size(); ++i) {
    const KernelParameters::Slot &slot = first.slots()[i], &own = other.slots()[i];
    bool said = own.role != KernelParameters::Role::Scratch;
    if (said && (own.role != slot.role || own.kind != slot.kind))
      return error("kernel", other.spanOf(own),
                   Message("`{name}` is {} of another kind than in `{kernel}`, where it is {}", own.syntax->name,
                           roleText(own.role), first.kernel(), roleText(slot.role)),
                   {{first.spanOf(slot), "declared here"}});
  }
  return {};
}

Result<Value> mpmdMap(Context &context, const BoundArguments &args, std::shared_ptr<KernelRuntime> runtime) {
  enum : size_t { kPairs, kScratch, kChip, kTiling, kLayoutPasses, kDebug, kName };
  std::vector<TpuPart> parts;
  TpuKernelSettings settings;
  settings.span = context.span;
  settings.scratch = args.has(kScratch) ? args[kScratch] : Arg{Value::tuple({}), context.span};
  settings.target = LANESCOPE_TRY(chipArgument(args, kChip));
  settings.tensorCoreTiles = LANESCOPE_TRY(args.booleanOr(kTiling, false));
  settings.layoutPasses = LANESCOPE_TRY(args.booleanOr(kLayoutPasses, false));
  settings.debug = LANESCOPE_TRY(args.booleanOr(kDebug, false));
  settings.name = LANESCOPE_TRY(kernelName(args, kName));
  for (const Value &pair : LANESCOPE_TRY(context.evaluator.iterate(args[kPairs].value, args[kPairs].span))) {
    const std::vector<Value> *both = pair.asTuple();
    auto mesh = both && both->size() == 2 ? (*both)[0].ref<SubcoreMesh>() : nullptr;
    if (!mesh || !(*both)[1].asFunction())
      return args.wrongType(
          kPairs, "a list of pairs, each of a `VectorSubcoreMesh(…)` or `ScalarSubcoreMesh(…)` and a function");
    auto function = (*both)[1].functionRef();
    std::string name = function->syntax->name;
    parts.push_back({LANESCOPE_TRY(KernelParameters::make(context, std::move(function), name)), std::move(mesh)});
  }
  if (parts.empty())
    return args.wrongValue(kPairs, "there has to be a function to run");
  return Value(
      LANESCOPE_TRY(TpuKernel::sideBySide(context, std::move(parts), std::move(settings), std::move(runtime))));
}

} // namespace

Result<std::shared_ptr<TpuKernel>> TpuKernel::sideBySide(Context &, std::vector<TpuPart> parts,
                                                         TpuKernelSettings settings,
                                                         std::shared_ptr<KernelRuntime> runtime) {
  std::vector<std::string> names;
  for (const TpuPart &part : parts)
    names.push_back(part.parameters.kernel());
  if (settings.name.empty())
    settings.name = joined(names, "_");
  KernelParameters first = parts.front().parameters;
  auto kernel = std::shared_ptr<TpuKernel>(new TpuKernel(std::move(first), std::move(settings), std::move(runtime)));
  for (size_t k = 0; k < parts.size(); ++k) {
    LANESCOPE_CHECK(checkParameters(parts[0].parameters, parts[k].parameters));
    for (size_t other = 0; other < k; ++other)
      LANESCOPE_CHECK(checkMeshes(*parts[other].mesh, *parts[k].mesh, kernel->target()));
  }
  kernel->parts_ = std::move(parts);
  return kernel;
}

Builtin mpmdMapBuiltin(std::shared_ptr<KernelRuntime> runtime) {
  return {.name = "mpmd_map",
          .signature = "mpmd_map(pairs, *, scratch=(), chip=None, use_tc_tiling_on_sc=False, "
                       "needs_layout_passes=False, debug=False, name=None)",
          .doc =
              "A kernel of several functions that run side by side: `mpmd_map([(VectorSubcoreMesh(…), f), "
              "(ScalarSubcoreMesh(…), g)])`.\n\nAll take the same parameters, which the first one annotates as "
              "`@sc_kernel` has it; arrays are in `HBM`. `scratch` is there for all of them: `VMEM_SHARED(…)`, or what "
              "belongs to one kind of subcore, `SemaphoreType.REGULAR @ mesh`, `VMEM(…) @ mesh`. They meet by "
              "semaphores, `semaphore_signal(sem, device_id={\"core\": 0, \"subcore\": 1})`.",
          .call = [runtime = std::move(runtime)](
                      Context &context, const BoundArguments &args) { return mpmdMap(context, args, runtime); },
          .group = "SparseCore"};
}

} // namespace lanescope::repl
