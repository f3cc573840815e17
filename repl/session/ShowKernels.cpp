#include "repl/session/ShowKernels.h"

#include "core/gpu/dumps/PageText.h"
#include "layouts/support/Text.h"
#include "layouts/support/Try.h"
#include "repl/dumps/DumpObject.h"
#include "repl/kernel/gpu/launch/KernelFunction.h"
#include "repl/kernel/launch/Results.h"
#include "repl/kernel/launch/ShardedLayout.h"
#include "repl/lang/values/LayoutArgument.h"
#include "repl/layouts/LayoutArguments.h"
#include "repl/session/ShowArguments.h"

namespace lanescope::repl {
namespace {

using namespace show;

/// The text of a kernel's `def`: the line of its name, and the following lines that are indented more.
std::string definitionText(const Span &name) {
  const std::string &whole = name.source->text();
  auto indentOf = [](std::string_view line) { return line.find_first_not_of(" \t\r"); };
  uint32_t first = name.source->lineColumn(name.begin).line, last = first;
  size_t indent = indentOf(name.source->lineText(first));
  for (uint32_t line = first + 1; name.source->lineStart(line) < whole.size(); ++line) {
    size_t own = indentOf(name.source->lineText(line));
    if (own != std::string::npos && own <= indent)
      break;
    if (own != std::string::npos)
      last = line;
  }
  uint32_t begin = name.source->lineStart(first);
  return whole.substr(begin, name.source->lineStart(last + 1) - begin);
}

/// The picture of an array that is split over devices, with the device, thread and register of each element.
Result<ShownView> shardedArguments(const BoundArguments &args, const ShardedLayout &sharded) {
  if (!given(args, kShape))
    return args.wrongValue(kWhat, "an array that is split over devices is drawn at a shape: `show(x, (128, 64))`");
  for (size_t index : {kTiling, kSwizzle, kTranspose, kAgainst})
    if (given(args, index))
      return args.wrongValue(index, "this is for shared memory, or for two layouts");
  const Layout *part = sharded.layout().asLayout();
  if (!part)
    return args.wrongValue(kWhat,
                           "a picture needs the layout itself: `sharded(WGMMA, …)`, `sharded(layout(\"…\"), …)`");
  ShownView shown{.spec = {}, .layout = *part};
  viz::ViewSpec &spec = shown.spec;
  using enum viz::View;
  spec.view = LANESCOPE_TRY(named(args, kView, viz::viewNamed, Devices, {Auto, Devices}));
  spec.view = Devices;
  spec.shape = LANESCOPE_TRY(
      partShape(LANESCOPE_TRY(args.shape(kShape)), sharded.mesh(), sharded.sharding(), args[kShape].span));
  spec.devices = {.names = sharded.mesh().names, .sizes = sharded.mesh().sizes, .along = sharded.sharding()};
  if (given(args, kDtype))
    spec.dtype = LANESCOPE_TRY(args.dtype(kDtype));
  if (given(args, kSlice))
    spec.slice = LANESCOPE_TRY(args.shape(kSlice));
  if (given(args, kMemory))
    spec.memory = LANESCOPE_TRY(memoryArgument(args, kMemory));
  using enum viz::ColourBy;
  spec.colourBy = LANESCOPE_TRY(named(args, kColor, viz::colourByNamed, Warp, {Warp, Lane, Register, Vector, Bank}));
  return shown;
}

/// The picture of the tensor memory that a kernel, or the kernel of a result, declares.
Result<std::optional<Shown>> tensorMemoryOf(Context &context, const BoundArguments &args) {
  const Value &value = args[kWhat].value;
  const auto *kernel = value.as<KernelFunction>();
  const auto *result = value.as<KernelResult>();
  if (!kernel && !result)
    return std::nullopt;
  if (viz::View view = LANESCOPE_TRY(named(args, kView, viz::viewNamed, viz::View::Auto, viz::allViews()));
      view != viz::View::Tmem)
    return std::nullopt;
  for (size_t index : {kShape, kDtype, kColor, kTiling, kSwizzle, kTranspose, kAgainst, kSlice, kMemory})
    if (given(args, index))
      return args.wrongValue(index, "the arrays that a kernel declares have shapes, dtypes and layouts of their own");
  std::shared_ptr<const core::KernelStages> stages =
      kernel ? LANESCOPE_TRY(stagesOf(context, value, {})) : result->launch().stages;
  if (hasErrors(stages->diagnostics) || !stages->kernel)
    return std::unexpected(stages->diagnostics);
  if (stages->kernel->tensorArrays.empty())
    return error("no-tensor-memory", args[kWhat].span,
                 Message("kernel `{kernel}` declares nothing in tensor memory", stages->kernel->name));
  ShownView shown;
  shown.spec.view = viz::View::Tmem;
  for (const core::TensorArray &each : stages->kernel->tensorArrays)
    shown.spec.arrays.push_back(each.array);
  return shown;
}

} // namespace

std::optional<Shown> kernelShown(const Value &value) {
  if (auto trace = value.ref<TraceValue>())
    return ShownTrace{.trace = {trace, &trace->trace()},
                      .title = "trace"}; // the trace shares ownership with the value that contains it
  if (const auto *result = value.as<KernelResult>())
    if (const auto &run = result->launch().result; run && run->trace)
      return ShownTrace{.trace = {run, &*run->trace}, .title = result->launch().kernel};
  if (auto dump = value.ref<DumpObject>())
    return ShownDump{.page = {dump, &dump->page()}};
  if (const auto *code = value.as<CodeText>())
    return ShownCode{.title = code->kind(), .pages = {{code->kind(), code->text()}}};
  return std::nullopt;
}

bool isTraceValue(const Value &value) { return value.as<TraceValue>() != nullptr; }

Result<std::optional<Shown>> kernelPicture(Context &context, const BoundArguments &args) {
  if (const auto *sharded = args[kWhat].value.as<ShardedLayout>())
    return LANESCOPE_TRY(shardedArguments(args, *sharded));
  return given(args, kView) ? tensorMemoryOf(context, args) : std::nullopt;
}

Result<std::optional<Shown>> kernelCode(Context &context, const Value &value) {
  const auto *kernel = value.as<KernelFunction>();
  if (!kernel)
    return std::nullopt;
  auto stages = LANESCOPE_TRY(stagesOf(context, value, {}));
  ShownCode code{.title = kernel->name(), .stages = stages, .source = kernel->span().source};
  if (Span span = kernel->span(); span.source)
    code.pages.push_back({"snippet", definitionText(span)});
  for (const core::Stage &stage : stages->stages)
    if (!stage.text().empty())
      code.pages.push_back({std::string(stage.kind.id), stage.text()});
  if (hasErrors(stages->diagnostics))
    return std::unexpected(stages->diagnostics);
  return code;
}

std::string dumpText(const core::dumps::KernelPage &page) { return core::dumps::pageText(page); }

} // namespace lanescope::repl
