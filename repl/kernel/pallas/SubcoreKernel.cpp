// `pl.kernel` over meshes of subcores: a SparseCore's kernel whose parameters are decided by a call, and whose bodies
// are called while it is traced.
#include "repl/kernel/pallas/CalledKernel.h"
#include "repl/kernel/pallas/Pallas.h"
#include "repl/kernel/tpu/launch/TpuKernel.h"

#include "layouts/support/Text.h"
#include "layouts/support/Try.h"
#include "repl/kernel/launch/Decorator.h"
#include "repl/lang/values/ArrayOps.h"

#include <algorithm>

namespace lanescope::repl {
namespace {

using core::ArgumentKind;
using Given = KernelParameters::Given;
using Role = KernelParameters::Role;

/// The parts of a kernel that do not depend on its arguments.
struct Plan {
  // The subcores that run each body, and the body.
  std::vector<std::pair<std::shared_ptr<const SubcoreMesh>, Arg>> parts;
  Arg outputs, scratch;
  std::vector<std::string> names; // the bodies' parameters, in order
  Arg places;                     // the memory of each array, operands first; None: HBM
  TpuKernelSettings settings;
};

class SubcoreKernel final : public CalledKernel<TpuKernel> {
public:
  SubcoreKernel(Plan plan, std::shared_ptr<KernelRuntime> runtime, CurrentShards shards)
      : CalledKernel(std::move(runtime), std::move(shards)), plan_(std::move(plan)) {}

  const std::string &name() const override { return plan_.settings.name; }
  Span span() const override { return plan_.settings.span; }
  std::string repr() const override { return text("<SparseCore kernel ", name(), ">"); }

private:
  Value resultOf(const std::vector<Value> &written) const override { return Value::tuple(written); }

  std::vector<core::Array> byDevice(std::vector<core::Array> outputs, size_t devices) const override {
    for (core::Array &each : outputs) { // the parts of an output are joined along dimension 0
      each.shape.front() /= static_cast<int64_t>(devices);
      each.shape.insert(each.shape.begin(), static_cast<int64_t>(devices));
    }
    return outputs;
  }

  std::string nameOf(size_t position) const {
    return position < plan_.names.size() ? plan_.names[position] : text("arg", position);
  }

  /// The parameters for the operands of a call, with the operands' values.
  Result<std::vector<Given>> operands(Context &context, const Arguments &arguments, Made &made) const {
    std::vector<Given> slots;
    for (const Arg &operand : arguments.positional) {
      auto changing = operand.value.ref<MutableArray>();
      ArgumentKind kind = changing ? ArgumentKind::InOut : ArgumentKind::In;
      Value value = underJaxRules(changing ? changing->array() : operand.value);
      if (changing)
        made.mutables.push_back(std::move(changing));
      const core::Array *array = value.asArray();
      if (!array)
        return error("type", operand.span,
                     Message("kernel `{kernel}` takes arrays, not `{type}`", name(), operand.value.typeName()));
      if (std::ranges::find(array->shape, 0) != array->shape.end())
        return error("shape-mismatch", operand.span, Message("kernel `{kernel}` takes no empty arrays", name()));
      made.arguments.positional.push_back({value, operand.span});
      slots.push_back({nameOf(slots.size()), Role::Array, kind,
                       LANESCOPE_TRY(arraySpecOf(context, value, kind, operand.span)), operand.span});
    }
    return slots;
  }

  KernelParameters::Body bodyOf(const Arg &body) const {
    return [body](Context &context, const std::vector<Value> &values) -> Result<void> {
      Arguments all;
      for (const Value &value : values)
        all.positional.push_back({value, body.span});
      Value result = LANESCOPE_TRY(context.evaluator.call(body.value, all, context.span));
      if (!result.isNone())
        return error("kernel", body.span, "the body of a kernel returns nothing: results are written to references");
      return {};
    };
  }

  Result<Made> make(Context &context, const Arguments &arguments, DeviceMesh) override {
    if (context.evaluator.staging())
      return context.fail("staging", Message("kernel `{kernel}` cannot be called inside a kernel", name()));
    Made made;
    std::vector<Given> slots = LANESCOPE_TRY(operands(context, arguments, made));
    for (const Value &output : LANESCOPE_TRY(context.evaluator.iterate(plan_.outputs.value, plan_.outputs.span)))
      slots.push_back({nameOf(slots.size()), Role::Array, ArgumentKind::Out,
                       LANESCOPE_TRY(arraySpecOf(context, output, ArgumentKind::Out, plan_.outputs.span)),
                       plan_.outputs.span});
    TpuKernelSettings settings = plan_.settings;
    settings.scratch = plan_.scratch;
    std::vector<Value> places = LANESCOPE_TRY(context.evaluator.iterate(plan_.places.value, plan_.places.span));
    for (size_t i = 0; i < arguments.positional.size() && i < places.size(); ++i)
      if (auto *array = arguments.positional[i].value.as<MutableArray>())
        places[i] = array->place();
    for (size_t i = 0; i < places.size() && i < slots.size(); ++i)
      if (!places[i].isNone())
        settings.places[i] = LANESCOPE_TRY(placeOf(places[i], plan_.places.span));
    size_t scratch = LANESCOPE_TRY(context.evaluator.iterate(plan_.scratch.value, plan_.scratch.span)).size();
    for (size_t i = 0; i < scratch; ++i)
      slots.push_back({nameOf(slots.size()), Role::Scratch, ArgumentKind::In, nullptr, plan_.scratch.span});
    if (plan_.parts.size() == 1) {
      settings.mesh = plan_.parts[0].first;
      auto parameters = KernelParameters::of(name(), span(), slots, bodyOf(plan_.parts[0].second));
      made.kernel = TpuKernel::of(std::move(parameters), std::move(settings), sharedRuntime());
      return made;
    }
    std::vector<TpuPart> parts;
    for (const auto &[mesh, body] : plan_.parts)
      parts.push_back({KernelParameters::of(text(name(), "_", parts.size()), span(), slots, bodyOf(body)), mesh});
    made.kernel = LANESCOPE_TRY(TpuKernel::sideBySide(context, std::move(parts), std::move(settings), sharedRuntime()));
    return made;
  }

  Plan plan_;
};

enum SubcoreParameter : size_t {
  kParts,
  kOutputs,
  kSubcoreScratch,
  kNames,
  kPlaces,
  kTiling,
  kLayoutPasses,
  kChip,
  kDebug,
  kName,
};

Result<Value> subcoreKernel(Context &context, const BoundArguments &args, std::shared_ptr<KernelRuntime> runtime,
                            CurrentShards shards) {
  Plan plan;
  auto setting = [&](size_t index) { return args.has(index) ? args[index] : Arg{Value::tuple({}), args.call}; };
  plan.outputs = setting(kOutputs);
  plan.scratch = setting(kSubcoreScratch);
  plan.places = setting(kPlaces);
  plan.names = LANESCOPE_TRY(stringsOf(args, kNames));
  plan.settings.span = args.call;
  plan.settings.tensorCoreTiles = LANESCOPE_TRY(args.booleanOr(kTiling, false));
  plan.settings.layoutPasses = LANESCOPE_TRY(args.booleanOr(kLayoutPasses, true));
  plan.settings.debug = LANESCOPE_TRY(args.booleanOr(kDebug, false));
  plan.settings.target = LANESCOPE_TRY(chipArgument(args, kChip));
  plan.settings.name = LANESCOPE_TRY(kernelName(args, kName));
  if (plan.settings.name.empty())
    plan.settings.name = "kernel";
  for (const Value &pair : LANESCOPE_TRY(context.evaluator.iterate(args[kParts].value, args[kParts].span))) {
    const std::vector<Value> *both = pair.asTuple();
    auto mesh = both && both->size() == 2 ? (*both)[0].ref<SubcoreMesh>() : nullptr;
    if (!mesh)
      return args.wrongType(kParts, "pairs of a mesh of subcores and a body");
    plan.parts.emplace_back(std::move(mesh), Arg{(*both)[1], args[kParts].span});
  }
  if (plan.parts.empty())
    return args.wrongValue(kParts, "there has to be a body to run");
  return Value(std::make_shared<SubcoreKernel>(std::move(plan), std::move(runtime), std::move(shards)));
}

} // namespace

Builtin subcoreKernelBuiltin(std::shared_ptr<KernelRuntime> runtime, CurrentShards shards) {
  return {
      .name = "_subcore_kernel",
      .signature = "_subcore_kernel(parts, out_type=(), scratch=(), names=(), places=(), use_tc_tiling_on_sc=False, "
                   "needs_layout_passes=True, chip=None, debug=False, name=None)",
      .doc = "",
      .call = [runtime = std::move(runtime), shards = std::move(shards)](Context &context, const BoundArguments &args) {
        return subcoreKernel(context, args, runtime, shards);
      }};
}

} // namespace lanescope::repl
