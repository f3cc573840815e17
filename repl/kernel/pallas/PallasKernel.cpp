// `plgpu.kernel(body, out_type=…, …)`: a kernel whose parameters are decided by a call.
#include "repl/kernel/gpu/launch/KernelFunction.h"
#include "repl/kernel/pallas/CalledKernel.h"
#include "repl/kernel/pallas/Pallas.h"

#include "layouts/support/Text.h"
#include "layouts/support/Try.h"
#include "repl/kernel/pallas/Trees.h"
#include "repl/lang/values/ArrayOps.h"

#include <algorithm>
#include <utility>

namespace lanescope::repl {

Result<std::shared_ptr<ArgumentSpec>> arraySpecOf(Context &context, const Value &value, core::ArgumentKind kind,
                                                  const Span &span) {
  auto shape = context.evaluator.attribute(value, "shape", span);
  auto dtype = context.evaluator.attribute(value, "dtype", span);
  if (!shape || !dtype || !shape->asTuple() || !dtype->asDtype())
    return error("type", span,
                 Message("an output is `jax.ShapeDtypeStruct(shape, dtype)`, or a tuple of them, not `{type}`",
                         value.typeName()));
  auto spec = std::make_shared<ArgumentSpec>();
  spec->kind = kind;
  spec->dtype = narrowed(*dtype->asDtype());
  for (const Value &size : *shape->asTuple()) {
    Value plain = size.plain();
    if (!plain.asInt() || *plain.asInt() < 1)
      return error("type", span, Message("a shape is made of ints above 0, not {}", repr(size)));
    spec->dims.emplace_back(*plain.asInt());
  }
  return spec;
}

namespace {

/// The parameters of `plgpu.kernel` by their positions. Those of kernelSettings() come first.
enum Parameter : size_t {
  kFunction,
  kScratch = 5,
  kOutType = 9,
  kOutShape,
  kScratchTypes,
  kScratchShapes,
  kCompilerParams,
  kKernelName,
  kMesh,
};

/// The `def` of a body that is a function of the snippet; null for other bodies.
const FunctionSyntax *syntaxOf(const Value &body) {
  if (const Function *function = body.asFunction())
    return function->syntax;
  return nullptr;
}

class PallasKernel final : public CalledKernel<KernelFunction> {
public:
  PallasKernel(Arg body, KernelSettings settings, Arg out, std::shared_ptr<KernelRuntime> runtime,
               PallasTracing tracing, CurrentShards shards)
      : CalledKernel(std::move(runtime), std::move(shards)), body_(std::move(body)), settings_(std::move(settings)),
        out_(std::move(out)), tracing_(std::move(tracing)) {}

  const std::string &name() const override { return settings_.name; }
  Span span() const override { return body_.span; }
  std::string repr() const override { return text("<kernel ", name(), ">"); }

private:
  Value resultOf(const std::vector<Value> &written) const override {
    std::vector<Value> leaves;
    treeLeaves(out_.value, leaves);
    size_t next = written.size() - leaves.size();
    return treeOf(out_.value, written, next);
  }

  std::vector<core::Array> byDevice(std::vector<core::Array> outputs, size_t) const override { return outputs; }

  Result<Made> make(Context &context, const Arguments &arguments, DeviceMesh mesh) override {
    if (context.evaluator.staging())
      return context.fail("staging", Message("kernel `{kernel}` cannot be called inside a kernel", name()));
    if (!arguments.keyword.empty())
      return error("arguments", arguments.keyword.front().nameSpan,
                   Message("kernel `{kernel}` takes its operands by position", name()));
    const FunctionSyntax *syntax = syntaxOf(body_.value);
    size_t position = 0, parts = 0;
    // The name of the body's next parameter; numbers distinguish the pieces of one parameter.
    auto nameOf = [&](bool piece) {
      std::string name = text("arg", position);
      if (syntax && position < syntax->parameters.size() &&
          syntax->parameters[position].form == repl::Parameter::Form::Normal)
        name = syntax->parameters[position].name;
      return piece ? text(name, "_", parts++) : name;
    };
    Made made;
    std::vector<KernelParameters::Given> slots;
    std::vector<Value> trees; // the body's positional arguments
    auto take = [&](const Value &tree, core::ArgumentKind kind, const Span &place, bool arrays) -> Result<void> {
      std::vector<Value> leaves;
      treeLeaves(tree, leaves);
      bool single = !tree.asTuple() && !tree.asList() && !tree.asDict();
      parts = 0;
      for (const Value &leaf : leaves) {
        Value value = leaf;
        if (arrays) {
          auto changing = leaf.ref<MutableArray>();
          kind = changing ? core::ArgumentKind::InOut : core::ArgumentKind::In;
          value = underJaxRules(changing ? changing->array() : leaf);
          if (changing)
            made.mutables.push_back(std::move(changing));
          if (!value.asArray())
            return error("type", place,
                         Message("kernel `{kernel}` takes arrays, not `{type}`", name(), leaf.typeName()));
          if (value.asArray()->shape.empty())
            return error(
                "shape-mismatch", place,
                Message("kernel `{kernel}` takes no scalars; close over the number, or pass an array of one", name()));
          if (std::ranges::find(value.asArray()->shape, 0) != value.asArray()->shape.end())
            return error("shape-mismatch", place, Message("kernel `{kernel}` takes no empty arrays", name()));
          made.arguments.positional.push_back({value, place});
        }
        slots.push_back({nameOf(!single), KernelParameters::Role::Array, kind,
                         LANESCOPE_TRY(arraySpecOf(context, value, kind, place)), place});
      }
      trees.push_back(tree);
      ++position;
      return {};
    };
    for (const Arg &operand : arguments.positional)
      LANESCOPE_CHECK(take(operand.value, core::ArgumentKind::In, operand.span, true));
    if (const auto *several = out_.value.asList() ? &out_.value.asList()->items : out_.value.asTuple()) {
      for (const Value &output : *several)
        LANESCOPE_CHECK(take(output, core::ArgumentKind::Out, out_.span, false));
    } else {
      LANESCOPE_CHECK(take(out_.value, core::ArgumentKind::Out, out_.span, false));
    }

    KernelSettings settings = settings_;
    // For JAX, a write in the kernel means that other devices reach an input, even if the write is never executed.
    settings.writesInputs = !mesh.none();
    settings.axes.mesh = std::move(mesh);
    LANESCOPE_CHECK(checkMesh(settings.axes, body_.span));
    std::vector<std::string> names; // names of scratch that is passed by keyword
    std::vector<Value> specs;
    if (const DictData *named = settings.scratch.value.asDict()) {
      for (const DictData::Item &item : named->items()) {
        names.push_back(item.key.asStr() ? *item.key.asStr() : repr_(item.key));
        specs.push_back(item.value);
      }
    } else if (!settings.scratch.value.isNone()) {
      specs = LANESCOPE_TRY(context.evaluator.iterate(settings.scratch.value, settings.scratch.span));
    }
    settings.scratch.value = Value::tuple(specs);
    for (size_t i = 0; i < specs.size(); ++i, ++position)
      slots.push_back({names.empty() ? nameOf(false) : names[i], KernelParameters::Role::Scratch,
                       core::ArgumentKind::In, nullptr, settings.scratch.span});

    auto body = [body = body_, trees, names, tracing = tracing_](Context &context,
                                                                 const std::vector<Value> &values) -> Result<void> {
      size_t next = 0;
      Arguments all;
      for (const Value &tree : trees)
        all.positional.push_back({treeOf(tree, values, next), body.span});
      for (size_t i = 0; next < values.size(); ++next, ++i) {
        if (names.empty())
          all.positional.push_back({values[next], body.span});
        else
          all.keyword.push_back({names[i], body.span, values[next], body.span});
      }
      const bool before = std::exchange(*tracing, true);
      auto returned = context.evaluator.call(body.value, all, context.span);
      *tracing = before;
      Value result = LANESCOPE_TRY(std::move(returned));
      if (!result.isNone())
        return error(
            "kernel", body.span,
            "the body of a kernel returns nothing: results are written to its last references, those of `out_type`");
      return {};
    };
    auto parameters = KernelParameters::of(name(), body_.span, slots, std::move(body));
    made.kernel = KernelFunction::of(std::move(parameters), std::move(settings), sharedRuntime());
    return made;
  }
  static std::string repr_(const Value &value) { return lanescope::repl::repr(value); }

  Arg body_;
  KernelSettings settings_;
  Arg out_;
  PallasTracing tracing_;
};

/// The value of `kernel(out_type=…)` without a body. It is called with the body.
class PallasDecorator final : public Object {
public:
  using Make = std::function<Result<Value>(Context &, const Arg &)>;
  explicit PallasDecorator(Make make) : make_(std::move(make)) {}
  std::string typeName() const override { return "kernel decorator"; }
  bool callable() const override { return true; }
  Result<Value> call(Context &context, const Arguments &arguments) override {
    if (arguments.positional.size() != 1 || !arguments.keyword.empty())
      return context.fail("kernel", "`plgpu.kernel(…)` is called with the body");
    return make_(context, arguments.positional[0]);
  }

private:
  Make make_;
};

/// Reads an argument that has a newer and an older name.
Result<Arg> eitherOf(const BoundArguments &args, size_t newer, size_t older, const char *first, const char *second,
                     const Value &fallback) {
  auto given = [&](size_t index) { return args.has(index) && !args[index].value.isNone(); };
  if (given(newer) && given(older))
    return error("arguments", args[older].span,
                 Message("`{}` and `{}` are two names of one argument; give one of them", first, second));
  if (given(newer) || given(older))
    return args[given(newer) ? newer : older];
  return Arg{fallback, args.call};
}

Result<Value> makeKernel(Context &context, const BoundArguments &args, std::shared_ptr<KernelRuntime> runtime,
                         PallasTracing tracing, CurrentShards shards) {
  KernelSettings settings = LANESCOPE_TRY(kernelSettings(context, args));
  settings.scratch =
      LANESCOPE_TRY(eitherOf(args, kScratchTypes, kScratchShapes, "scratch_types", "scratch_shapes", Value::tuple({})));
  if (const Value &scratch = settings.scratch.value;
      !scratch.asTuple() && !scratch.asList() && !scratch.asDict() && !scratch.isNone() && !scratch.asFunction())
    return error(
        "type", settings.scratch.span,
        Message("scratch is a list, a tuple or a dict of `plgpu.SMEM(…)`, `plgpu.Barrier()`, …, not one `{type}`",
                scratch.typeName()));
  Arg out = LANESCOPE_TRY(eitherOf(args, kOutType, kOutShape, "out_type", "out_shape", Value::tuple({})));
  if (args.has(kMesh) && !args[kMesh].value.isNone()) { // a mesh is allowed if it has one device
    auto size = context.evaluator.attribute(args[kMesh].value, "size", args[kMesh].span);
    auto devices = size ? size->plain().integer() : std::nullopt;
    if (!devices)
      return error(
          "unsupported", args[kMesh].span,
          "give `grid=`, `grid_names=`, `num_threads=` and `thread_name=` instead of a mesh, or call `pl.kernel`");
    if (*devices != 1)
      return error("unsupported", args[kMesh].span,
                   Message("the mesh has {devices} devices; a kernel for several runs in a function under "
                           "`jax.shard_map(…, mesh=…)`",
                           *devices));
  }
  if (settings.warpgroups > 1 && settings.axes.thread.empty())
    return args.wrongValue(3, "`thread_name` names the axis along which the warpgroups of `num_threads` differ");
  settings.infersTransforms = true; // as in JAX's default semantics
  if (args.has(kCompilerParams) && !args[kCompilerParams].value.isNone()) {
    auto semantics =
        context.evaluator.attribute(args[kCompilerParams].value, "lowering_semantics", args[kCompilerParams].span);
    settings.infersTransforms = !semantics || !semantics->asStr() || *semantics->asStr() != "Lane";
    auto fast = context.evaluator.attribute(args[kCompilerParams].value, "approx_math", args[kCompilerParams].span);
    if (!fast)
      return args.wrongType(kCompilerParams, "`plgpu.CompilerParams(…)`");
    settings.approximate = fast && fast->asBool() && *fast->asBool();
    auto none =
        context.evaluator.attribute(args[kCompilerParams].value, "unsafe_no_auto_barriers", args[kCompilerParams].span);
    settings.autoBarriers = none && none->asBool() && !*none->asBool();
  }
  auto make = [settings, out, runtime, tracing, shards](Context &, const Arg &body) -> Result<Value> {
    KernelSettings mine = settings;
    const Value &value = body.value;
    if (!value.asFunction() && !(value.asObject() && value.asObject()->callable()))
      return error("type", body.span, Message("the body of a kernel is a function, not `{type}`", value.typeName()));
    Span place = body.span;
    if (const Function *function = value.asFunction()) {
      place = function->module->span(function->syntax->nameRange);
      if (mine.name.empty() && function->syntax->name != "<lambda>")
        mine.name = function->syntax->name;
    }
    if (mine.name.empty())
      mine.name = "kernel";
    return Value(std::make_shared<PallasKernel>(Arg{value, place}, std::move(mine), out, runtime, tracing, shards));
  };
  if (!args.has(kFunction) || args[kFunction].value.isNone())
    return Value(std::make_shared<PallasDecorator>(make));
  return make(context, args[kFunction]);
}

} // namespace

Builtin pallasKernelBuiltin(std::shared_ptr<KernelRuntime> runtime, PallasTracing tracing, CurrentShards shards) {
  return {
      .name = "kernel",
      .signature = "kernel(body=None, *, grid=(), grid_names=(), num_threads=None, thread_name=None, scratch=None, "
                   "cluster=(), cluster_names=(), name=None, out_type=None, out_shape=None, scratch_types=(), "
                   "scratch_shapes=(), compiler_params=None, kernel_name=None, mesh=None, debug=False, interpret=None, "
                   "cost_estimate=None, metadata=None)",
      .doc =
          "A kernel of Pallas' Mosaic GPU: called with arrays, it runs `body(*operands, *outputs, *scratch)` in each "
          "block of `grid`, on references to them, and gives the outputs of `out_type` (`out_shape` in older "
          "releases).",
      .call = [runtime = std::move(runtime), tracing = std::move(tracing),
               shards = std::move(shards)](Context &context, const BoundArguments &args) {
        return makeKernel(context, args, runtime, tracing, shards);
      }};
}

Builtin pallasRange(Builtin host, PallasTracing tracing) {
  host.call = [tracing = std::move(tracing), call = host.call](Context &context,
                                                               const BoundArguments &args) -> Result<Value> {
    Value out = LANESCOPE_TRY(call(context, args));
    const RangeData *range = out.asRange();
    if (!*tracing || !range || !range->count() || range->atOnce != 1 ||
        context.evaluator.isLibrary(context.span.source))
      return out;
    return Value::range(range->start, range->stop, range->step, true);
  };
  return host;
}

} // namespace lanescope::repl
