#include "repl/kernel/launch/Prelude.h"

#include "core/build/Dependence.h"
#include "layouts/support/Text.h"
#include "layouts/support/Try.h"
#include "repl/kernel/trace/Traced.h"
#include "repl/kernel/trace/Tracer.h"
#include "repl/lang/evaluate/Evaluator.h"
#include "repl/lang/syntax/Parser.h"

#include <algorithm>
#include <memory>

namespace lanescope::repl {

extern const char *const kPreludeText; // the text of prelude.py, which CMake makes into a string

namespace {

/// A pipeline: a function with the attribute `get_allocations`, which is a function too.
class PipelineValue final : public Object {
public:
  PipelineValue(Value run, Value allocations) : run_(std::move(run)), allocations_(std::move(allocations)) {}
  std::string typeName() const override { return "pipeline"; }
  std::string repr() const override { return "<pipeline>"; }
  std::vector<std::string> members() const override { return {"get_allocations"}; }
  Result<Value> attribute(Context &context, const std::string &name) override {
    if (name == "get_allocations")
      return allocations_;
    return Object::attribute(context, name);
  }
  bool callable() const override { return true; }
  Result<Value> call(Context &context, const Arguments &arguments) override {
    return context.evaluator.call(run_, arguments, context.span);
  }

private:
  Value run_, allocations_;
};

/// `PipelinePipeline.START`, `.STEADY`, `.STOP`: numbers, so that the device can choose among them.
class PipelineStates final : public Object {
public:
  std::string typeName() const override { return "PipelinePipeline"; }
  std::string repr() const override { return "PipelinePipeline"; }
  std::vector<std::string> members() const override { return {"START", "STEADY", "STOP"}; }
  Result<Value> attribute(Context &context, const std::string &name) override {
    std::vector<std::string> names = members();
    auto found = std::ranges::find(names, name);
    if (found == names.end())
      return Object::attribute(context, name);
    return Value(found - names.begin());
  }
};

/// The position of a loop over a grid: `info.index`, the place in the grid, and `info.local_index`, the number of
/// earlier iterations.
class LoopInfo final : public Object {
public:
  LoopInfo(Value index, Value round) : index_(std::move(index)), round_(std::move(round)) {}
  std::string typeName() const override { return "NDLoopInfo"; }
  std::vector<std::string> members() const override { return {"index", "local_index"}; }
  Result<Value> attribute(Context &context, const std::string &name) override {
    return name == "index" ? index_ : name == "local_index" ? round_ : Object::attribute(context, name);
  }
  // The info also unpacks to its index: `i, j = info`.
  Result<std::vector<Value>> iterate(Context &context) override {
    return context.evaluator.iterate(index_, context.span);
  }
  Result<Value> getItem(Context &context, const Arg &index) override {
    return context.evaluator.getItem({index_, context.span}, index, context.span);
  }
  Result<int64_t> length(Context &) override { return static_cast<int64_t>(index_.asTuple()->size()); }

private:
  Value index_, round_;
};

/// The builtins that prelude.py needs in addition to the language's.
Builtins helpers() {
  auto kind = [](const char *name, const char *doc, bool (*holds)(const Value &)) {
    return Builtin{.name = name,
                   .signature = text(name, "(value)"),
                   .doc = doc,
                   .call = [holds](Context &, const BoundArguments &args) -> Result<Value> {
                     return Value(holds(args[0].value));
                   }};
  };
  return {kind("is_static", "True if a value is known while tracing.",
               [](const Value &value) { return !value.as<TracedValue>(); }),
          kind("is_tuple", "True if a value is a tuple or a list.",
               [](const Value &value) { return value.asTuple() || value.asList(); }),
          kind("is_dict", "True if a value is a dict.", [](const Value &value) { return value.asDict() != nullptr; }),
          {.name = "depends_on",
           .signature = "depends_on(value, source)",
           .doc = "True if a value was computed from `source`, while tracing or on the device.",
           .call = [](Context &, const BoundArguments &args) -> Result<Value> {
             const auto *value = args[0].value.as<TracedValue>(), *source = args[1].value.as<TracedValue>();
             return Value(value && source && core::dependsOn(value->ir(), source->ir()));
           }},
          {.name = "parameter_name",
           .signature = "parameter_name(function, index, otherwise)",
           .doc = "The name that a function gives its argument number `index`; `otherwise` if that is not known.",
           .call = [](Context &, const BoundArguments &args) -> Result<Value> {
             const Function *function = args[0].value.asFunction();
             auto index = static_cast<size_t>(LANESCOPE_TRY(args.integer(1)));
             bool known = function && index < function->syntax->parameters.size();
             return known ? Value(function->syntax->parameters[index].name) : args[2].value;
           }},
          {.name = "loop_info",
           .signature = "loop_info(index, local_index)",
           .doc = "The argument with which a loop over a grid calls its body.",
           .call = [](Context &, const BoundArguments &args) -> Result<Value> {
             return Value(std::make_shared<LoopInfo>(args[0].value, args[1].value));
           }},
          {.name = "is_row_numbers",
           .signature = "is_row_numbers(value)",
           .doc = "True if an index names rows one by one: an array, or a reference to one.",
           .call = [](Context &, const BoundArguments &args) -> Result<Value> {
             const auto *traced = args[0].value.as<TracedValue>();
             return Value(args[0].value.as<Reference>() != nullptr || (traced && !traced->ir().isScalar()));
           }},
          {.name = "dtype_bits",
           .signature = "dtype_bits(dtype)",
           .doc = "How many bits an element has.",
           .call = [](Context &, const BoundArguments &args) -> Result<Value> {
             return Value(int64_t{layouts::bitwidth(LANESCOPE_TRY(args.dtype(0)))});
           }},
          {.name = "pipeline_of",
           .signature = "pipeline_of(run, get_allocations)",
           .doc = "A pipeline of the two functions.",
           .call = [](Context &, const BoundArguments &args) -> Result<Value> {
             return Value(std::make_shared<PipelineValue>(args[0].value, args[1].value));
           }},
          {.name = "traced_zero",
           .signature = "traced_zero()",
           .doc = "A zero that is not known while tracing.",
           .call = [](Context &context, const BoundArguments &) -> Result<Value> {
             Tracer *tracer = LANESCOPE_TRY(Tracer::current(context, "traced_zero"));
             auto zero = tracer->at(context.span).constant(layouts::Dtype::I32, {}, int64_t{0});
             return TracedValue::make(*tracer, zero, context.span);
           }}};
}

class Prelude {
public:
  explicit Prelude(Builtins targets) : targets_(std::move(targets)) {}
  ~Prelude() {
    if (scope_)
      scope_->names.clear(); // breaks the cycle: the scope's functions refer to the scope
  }

  Result<Value> call(Context &context, const std::string &name, const Arguments &arguments) {
    if (!scope_)
      LANESCOPE_CHECK(load(context));
    auto result = context.evaluator.call(scope_->names.find(name)->second, arguments, context.span);
    return result;
  }

private:
  Result<void> load(Context &context) {
    Parsed parsed = parse(Source::make("prelude.py", kPreludeText));
    if (hasErrors(parsed.diagnostics))
      return std::unexpected(std::move(parsed.diagnostics));
    context.evaluator.addLibrary(parsed.module->source);
    auto scope = std::make_shared<Scope>();
    // Uses the original builtins, even if the session has rebound their names.
    for (const Builtins &table : {context.evaluator.builtins(), helpers(), targets_})
      for (const Builtin &builtin : table)
        scope->names.insert_or_assign(builtin.name, builtin.call ? BuiltinValue::make(builtin) : builtin.constant);
    for (const StmtPtr &statement : parsed.module->body) {
      const auto *def = as<FunctionStmt>(statement);
      if (!def)
        continue;
      auto function = std::make_shared<Function>();
      function->module = parsed.module;
      function->syntax = &def->function;
      function->closure = scope;
      for (const Parameter &parameter : def->function.parameters) {
        std::optional<Value> value;
        if (parameter.defaultValue)
          value = LANESCOPE_TRY(context.evaluator.evaluate(*parameter.defaultValue, *function));
        function->defaults.push_back(std::move(value));
      }
      scope->names.insert_or_assign(def->function.name, Value(std::shared_ptr<const Function>(std::move(function))));
    }
    scope_ = std::move(scope);
    return {};
  }

  Builtins targets_;
  std::shared_ptr<Scope> scope_;
};

} // namespace

Builtins preludeBuiltins(Builtins targets) {
  auto prelude = std::make_shared<Prelude>(std::move(targets));
  Builtins table = {
      {.name = "BlockSpec",
       .signature = "BlockSpec(block_shape=None, index_map=None, transforms=(), delay_release=0, collective_axes=(), "
                    "pipeline_mode=None, memory_space=None, indexed_by=None, indexed_dim=None, oob_fill_mode=None)",
       .doc =
           "The blocks of an array that a pipeline, or a step of a SparseCore kernel's grid, takes: "
           "`index_map(*indices)` gives the block for a place of the "
           "grid.\n\nA dimension of the block is a size, `None` (or `Squeezed()`) for one index that goes away, or "
           "`Element(n)`, whose index counts elements. `transforms` are the buffer's; with `delay_release=d` a block "
           "stays d rounds longer; `collective_axes` are loaded together by the cluster; `oob_fill_mode` is the "
           "`oob_mode` "
           "of the copies (`copy_gmem_to_smem`).\n\nIn `@sc_kernel`: without a "
           "shape "
           "it is the whole array, in `memory_space` (`HBM`, `VMEM`, …); with `indexed_by=k, indexed_dim=d` block "
           "numbers "
           "along dimension d come from operand k's block."},
      {.name = "Squeezed",
       .signature = "Squeezed()",
       .doc = "A dimension of a `BlockSpec` with one index for each block; the block does not have it."},
      {.name = "Blocked", .signature = "Blocked(size)", .doc = "A dimension of a `BlockSpec` in blocks of `size`."},
      {.name = "Buffered",
       .signature = "Buffered(count)",
       .doc =
           "How many buffers a `BlockSpec` has, for its `pipeline_mode`; a pipeline's `max_concurrent_steps` says it "
           "for all of its specs instead."},
      {.name = "Element",
       .signature = "Element(size)",
       .doc = "A dimension of a `BlockSpec` whose index counts elements, not blocks."},
      {.name = "emit_pipeline",
       .signature = "emit_pipeline(body, grid, in_specs=(), out_specs=(), max_concurrent_steps=1, init_carry=None, "
                    "core_axis_name=None)",
       .doc = "A function of references that runs `body(indices, *blocks)` over a grid, the last dimension fastest, "
              "while the next blocks are being copied.\n\nThere are `max_concurrent_steps` buffers for each spec. With "
              "`init_carry` the body takes it last and returns the next one. In a SparseCore's kernel the body is "
              "`body(*blocks)`, there are two buffers for each spec, an index map may name rows, by a vector or a "
              "reference, and `core_axis_name` shares the steps among the subcores along an axis of the mesh."},
      {.name = "emit_pipeline_warp_specialized",
       .signature =
           "emit_pipeline_warp_specialized(body, grid, memory_registers, wg_axis, num_compute_wgs, in_specs=(), "
           "out_specs=(), max_concurrent_steps=2, pipeline_state=None, manual_ready_barriers=False, "
           "manual_consumed_barriers=False, compute_context=None, memory_thread_idx=None)",
       .doc =
           "A pipeline in which the last warpgroup of `wg_axis` copies and the others compute.\n\n"
           "The warpgroup that copies keeps `memory_registers` registers per thread, and the others share the rest. "
           "With None, all threads keep theirs: GPUs before sm_90 need that. With `manual_ready_barriers` the body "
           "takes a barrier for each input after the blocks and waits for it; with `manual_consumed_barriers` it takes "
           "one for each input after those, and arrives when it is done with the block of `delay_release` steps "
           "before. `compute_context(pipeline)` runs in the warpgroups that compute and calls `pipeline(carry)`, which "
           "gives the last carry.\n\n"
           "Specs and references may be nested in tuples. Pipelines in a row leave no gap when they share buffers, "
           "`with run_scoped(pipeline.get_allocations(x)) as buffers:`, and are called as `pipeline(x, "
           "allocations=buffers)`, the first with `pipeline_state=PipelinePipeline.START`, the last with `STOP`, those "
           "between with `STEADY`."},
      {.name = "find_swizzle",
       .signature = "find_swizzle(minor_dim_bits, what=\"\")",
       .doc = "The largest swizzle, 128, 64, 32 or 16 bytes, that divides rows of so many bits."},
      {.name = "nd_loop",
       .signature = "nd_loop(grid, collective_axes=(), tiling=None, init_carry=None)",
       .doc = "`nd_loop(grid, …)(body)` calls `body(index)` for the places of a grid, shared among the blocks (or "
              "warpgroups) along `collective_axes`: each takes every n-th.\n\nWith `tiling` the places come tile by "
              "tile; with `init_carry` the body is `body(index, carry)` and returns the next carry."},
      {.name = "planar_snake",
       .signature = "planar_snake(index, shape, minor_dim, tile_width)",
       .doc =
           "Place number `index` of a plane that is walked in stripes of `tile_width` along `minor_dim`, every other "
           "one backwards: neighbours in time share data."},
      {.name = "dynamic_scheduling_loop",
       .signature = "dynamic_scheduling_loop(grid_names, thread_axis=None, init_carry=None)",
       .doc = "`dynamic_scheduling_loop(…)(body)` calls `body(info)` for the block's own place in the grid, and then "
              "for places whose blocks have not begun, which it takes over one by one (sm_100a).\n\n"
              "The grid is that of the work, one place each; `info.index` is the place along `grid_names`, "
              "`info.local_index` counts the block's rounds. All warpgroups (`thread_axis` names their axis) and all "
              "blocks of a cluster run it. With `init_carry` the body is `body(info, carry)` and returns the next "
              "carry."},
      {.name = "format_tcgen05_scales",
       .signature = "format_tcgen05_scales(scales, halves=False)",
       .doc = "Block scales, a row for each of M or N and a column for each block of K, as "
              "`async_copy_scales_to_tmem` takes them: (tiles of 128 rows, columns / 4, 32, 16).\n\n`halves=True` is "
              "for `b` of two blocks of 64 rows, whose layout is `b_scales_m64_collective_layout()`: (1, columns / 4, "
              "64, 16)."},
      {.name = "format_tcgen05_sparse_metadata",
       .signature = "format_tcgen05_sparse_metadata(metadata, dtype)",
       .doc = "The metadata of a sparse operand of this dtype, (M, K // 4, 2): which two of each four elements are "
              "kept (of f4e2m1fn, (M, K // 8, 2): which two of each four pairs), as "
              "`async_copy_sparse_metadata_to_tmem` takes them: (M // 128, K // 128, 128, 64)."},
  };
  constexpr std::string_view kOfKernels[] = {"emit_pipeline", "emit_pipeline_warp_specialized", "nd_loop",
                                             "dynamic_scheduling_loop"};
  for (Builtin &builtin : table) {
    if (std::ranges::find(kOfKernels, builtin.name) != std::end(kOfKernels))
      builtin.worksIn = WorksIn::Kernels;
    std::shared_ptr<const Signature> signature = Signature::parse(builtin.signature);
    builtin.call = [prelude, signature](Context &context, const BoundArguments &args) -> Result<Value> {
      Arguments values;
      values.positional = args.rest();
      for (size_t i = 0; i < signature->parameters.size(); ++i)
        if (const Arg *given = args.get(i))
          values.keyword.push_back({signature->parameters[i].name, given->span, given->value, given->span});
      return prelude->call(context, signature->name, values);
    };
  }
  table.push_back({.name = "PipelinePipeline",
                   .doc = "The place of a pipeline among several in a row: `START`, `STEADY` or `STOP`, for the "
                          "`pipeline_state` of `emit_pipeline_warp_specialized`.",
                   .constant = Value(std::make_shared<PipelineStates>())});
  return table;
}

} // namespace lanescope::repl
