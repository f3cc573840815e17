// `pl.kernel` over meshes of subcores: a SparseCore's kernel whose parameters are what a call gives it, and whose
// bodies are called while it is traced.
#include "repl/kernel/launch/Results.h"
#include "repl/kernel/pallas/MutableArray.h"
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
  std::vector<std::pair<std::shared_ptr<const SubcoreMesh>, Arg>> parts; // which subcores run which body
  Arg outputs, scratch;
  std::vector<std::string> names; // the bodies' parameters, in order
  Arg places;                     // by array, operands first: where it is; None: HBM
  TpuKernelSettings settings;
};

class SubcoreKernel final : public Kernel {
public:
  SubcoreKernel(Plan plan, std::shared_ptr<KernelRuntime> runtime, CurrentShards shards)
      : plan_(std::move(plan)), runtime_(std::move(runtime)), shards_(std::move(shards)) {}

  const std::string &name() const override { return plan_.settings.name; }
  KernelRuntime &runtime() const override { return *runtime_; }
  Span span() const override { return plan_.settings.span; }
  std::string repr() const override { return text("<SparseCore kernel ", name(), ">"); }
  std::shared_ptr<const core::KernelStages> last() const override { return last_; }

  Result<std::shared_ptr<const core::KernelStages>> stages(Context &context, const Arguments &arguments,
                                                           bool keepTexts) override {
    Made made = LANESCOPE_TRY(make(context, arguments));
    last_ = LANESCOPE_TRY(made.kernel->stages(context, made.arguments, keepTexts));
    return last_;
  }

  Result<KernelLaunch> launch(Context &context, const Arguments &arguments, const CompileRequest &request,
                              const std::string &device, double timeoutSeconds) override {
    if (*shards_)
      return context.fail("kernel", text("under `shard_map` kernel `", name(), "` is called, not run by hand"));
    Made made = LANESCOPE_TRY(make(context, arguments));
    auto out = made.kernel->launch(context, made.arguments, request, device, timeoutSeconds);
    last_ = made.kernel->last();
    if (!out)
      return out;
    std::vector<Value> written = outputValues(context, *out);
    for (size_t i = 0; i < made.mutables.size() && i < written.size(); ++i)
      LANESCOPE_CHECK(made.mutables[i]->write(context, *written[i].asArray()));
    return out;
  }

  Result<Value> call(Context &context, const Arguments &arguments) override {
    if (*shards_)
      return callOnShard(context, arguments, **shards_);
    const KernelOptions &options = runtime_->options();
    KernelLaunch done =
        LANESCOPE_TRY(launch(context, arguments, {.profile = options.profile}, options.device, options.timeoutSeconds));
    return resultOf(outputValues(context, done));
  }

private:
  struct Made {
    std::shared_ptr<TpuKernel> kernel;
    Arguments arguments;
    std::vector<std::shared_ptr<MutableArray>> mutables;
  };

  /// The call's value, of all that the kernel wrote: before its outputs, the mutable arrays among the operands.
  static Value resultOf(const std::vector<Value> &written) { return Value::tuple(written); }

  /// One device's call, which all devices of a `shard_map` make.
  Result<Value> callOnShard(Context &context, const Arguments &arguments, ShardRuns &runs) {
    Made mine = LANESCOPE_TRY(make(context, arguments));
    auto self = std::static_pointer_cast<SubcoreKernel>(shared_from_this()); // it outlives the run that made it
    auto launch = [self, mine](Context &from,
                               const std::vector<Arguments> &devices) -> Result<std::vector<core::Array>> {
      const KernelOptions &options = self->runtime_->options();
      auto out =
          mine.kernel->launchOn(from, devices, {.profile = options.profile}, options.device, options.timeoutSeconds);
      self->last_ = mine.kernel->last();
      std::vector<core::Array> parts = LANESCOPE_TRY(std::move(out)).result->outputs;
      for (core::Array &each : parts) { // joined along dimension 0, and wanted by device
        each.shape.front() /= static_cast<int64_t>(devices.size());
        each.shape.insert(each.shape.begin(), static_cast<int64_t>(devices.size()));
      }
      return parts;
    };
    const auto *all = LANESCOPE_TRY(runs.meet(context, text("kernel `", name(), "`"), mine.arguments, launch));
    std::vector<Value> written;
    for (const core::Array &parts : *all)
      written.emplace_back(partOf(parts, runs.device()));
    for (size_t i = 0; i < mine.mutables.size() && i < written.size(); ++i)
      LANESCOPE_CHECK(mine.mutables[i]->write(context, *written[i].asArray()));
    return resultOf(written);
  }

  std::string nameOf(size_t position) const {
    return position < plan_.names.size() ? plan_.names[position] : text("arg", position);
  }

  /// The parameters that a call's operands are, and what they are bound to.
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
                     text("kernel `", name(), "` takes arrays, not `", operand.value.typeName(), "`"));
      if (std::ranges::find(array->shape, 0) != array->shape.end())
        return error("shape-mismatch", operand.span, text("kernel `", name(), "` takes no empty arrays"));
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

  /// The kernel for a call's operands.
  Result<Made> make(Context &context, const Arguments &arguments) {
    if (context.evaluator.staging())
      return context.fail("staging", text("kernel `", name(), "` cannot be called inside a kernel"));
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
      made.kernel = TpuKernel::of(std::move(parameters), std::move(settings), runtime_);
      return made;
    }
    std::vector<TpuPart> parts;
    for (const auto &[mesh, body] : plan_.parts)
      parts.push_back({KernelParameters::of(text(name(), "_", parts.size()), span(), slots, bodyOf(body)), mesh});
    made.kernel = LANESCOPE_TRY(TpuKernel::sideBySide(context, std::move(parts), std::move(settings), runtime_));
    return made;
  }

  Plan plan_;
  std::shared_ptr<KernelRuntime> runtime_;
  CurrentShards shards_;
  std::shared_ptr<const core::KernelStages> last_;
};

enum Parameter : size_t {
  kParts,
  kOutputs,
  kScratch,
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
  plan.scratch = setting(kScratch);
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
