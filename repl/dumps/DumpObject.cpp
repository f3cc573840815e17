#include "repl/dumps/DumpObject.h"

#include "core/gpu/dumps/CompareDumps.h"
#include "core/gpu/dumps/Edits.h"
#include "core/gpu/dumps/PageText.h"
#include "core/gpu/inference/DumpInference.h"
#include "core/gpu/ir/Context.h"
#include "core/gpu/ir/DumpListing.h"
#include "core/ir/KernelModule.h"
#include "layouts/support/Text.h"
#include "layouts/support/Try.h"
#include "repl/dumps/DumpLaunch.h"
#include "repl/dumps/DumpPages.h"
#include "repl/kernel/gpu/specs/GpuSpecs.h"
#include "repl/kernel/launch/Results.h"

#include <algorithm>

namespace lanescope::repl {

namespace {

using core::dumps::KernelPage;

DumpObject &self(const BoundArguments &args) { return *args.self->as<DumpObject>(); }

Value codeText(std::string kind, std::string text) {
  return Value(std::make_shared<CodeText>(std::move(kind), std::move(text)));
}

/// The index, from 0, of the operation that argument 0 names. The page and the argument count from 1.
Result<size_t> operation(const BoundArguments &args) {
  int64_t number = LANESCOPE_TRY(args.integer(0));
  size_t count = self(args).page().dump.ops.size();
  if (number < 1 || static_cast<size_t>(number) > count)
    return args.wrongValue(0, Message("operations are numbered 1 to {count}", count));
  return static_cast<size_t>(number - 1);
}

/// The value that `operand=` or `result=` chooses. Without either, it is the operation's first result, or the first
/// operand of an operation without results.
struct Chosen {
  bool result = true;
  size_t index = 0;
};
Result<Chosen> chosenValue(const BoundArguments &args, size_t op, size_t operandAt, size_t resultAt) {
  const core::DumpOp &of = self(args).page().dump.ops[op];
  if (args.has(operandAt) && args.has(resultAt))
    return args.wrongValue(resultAt, "`operand` and `result` name one value: leave one of them out");
  Chosen chosen;
  size_t given = args.has(operandAt) ? operandAt : resultAt;
  chosen.result = args.has(operandAt) ? false : args.has(resultAt) || !of.results.empty();
  size_t count = chosen.result ? of.results.size() : of.operands.size();
  if (args.has(given)) {
    int64_t index = LANESCOPE_TRY(args.integer(given));
    if (index < 0 || static_cast<size_t>(index) >= count)
      return args.wrongValue(
          given, Message("{} has {count}{}, counted from 0", of.name, count, chosen.result ? " results" : " operands"));
    chosen.index = static_cast<size_t>(index);
  }
  return chosen;
}

Result<Value> opMethod(Context &, const BoundArguments &args) {
  const KernelPage &page = self(args).page();
  size_t op = LANESCOPE_TRY(operation(args));
  std::string words = core::dumpOpText(page.dump, op + 1);
  core::IrContext context = core::makeGpuContext();
  auto module = LANESCOPE_TRY(core::parseModule(context, page.module, core::ModuleChecks::Structure));
  const core::DumpOp &of = page.dump.ops[op];
  auto reasons = core::layoutReasons(module, {page.module, of.span.begin, of.nameSpan.end}, {});
  if (reasons)
    words += core::dumps::reasonWords(*reasons);
  return codeText("op", std::move(words));
}

Result<Value> layoutMethod(Context &, const BoundArguments &args) {
  size_t op = LANESCOPE_TRY(operation(args));
  Chosen chosen = LANESCOPE_TRY(chosenValue(args, op, 1, 2));
  const core::DumpOp &of = self(args).page().dump.ops[op];
  const core::DumpValue &value = (chosen.result ? of.results : of.operands)[chosen.index];
  if (value.layout)
    return Value(*value.layout);
  if (value.tensorLayout)
    return Value(*value.tensorLayout);
  return args.wrongValue(0, Message("{}{} of {} has no layout of registers or tensor memory",
                                    chosen.result ? "result " : "operand ", chosen.index, of.name));
}

Result<std::shared_ptr<DumpObject>> changed(const BoundArguments &args, SourceRef module) {
  KernelPage page = LANESCOPE_TRY(core::dumps::pageOf(module));
  constexpr std::string_view kEdited = " (edited)";
  const std::string &name = self(args).page().files.name;
  page.files.name = name.ends_with(kEdited) ? name : text(name, kEdited);
  auto before = std::static_pointer_cast<const DumpObject>(self(args).shared_from_this());
  return std::make_shared<DumpObject>(std::move(page), before,
                                      std::shared_ptr<KernelRuntime>(before, &before->runtime()));
}

Result<Value> castMethod(Context &context, const BoundArguments &args) {
  enum : size_t { kOp, kLayout, kOperand, kResult };
  const KernelPage &page = self(args).page();
  size_t op = LANESCOPE_TRY(operation(args));
  Chosen chosen = LANESCOPE_TRY(chosenValue(args, op, kOperand, kResult));
  core::dumps::CastRequest request{.op = page.dump.ops[op].span, .result = chosen.result, .index = chosen.index};
  const Value &to = args[kLayout].value;
  if (auto layout = to.registerLayout())
    request.to = *layout;
  else if (const layouts::TMEMLayout *tensor = to.tmemLayout())
    request.to = *tensor;
  else if (to.asTuple() || to.asList() || to.as<TransformSpec>())
    request.to = LANESCOPE_TRY(transformsArgument(context, args, kLayout));
  else
    return args.wrongType(kLayout, "a layout of registers or of tensor memory, or a tuple of transforms");
  auto edited = core::dumps::withCast(page.module, request);
  if (!edited && !edited.error().empty() && edited.error().front().kind == "what-if")
    return args.wrongValue(kLayout, edited.error().front().message);
  if (!edited)
    return std::unexpected(std::move(edited.error()));
  return Value(LANESCOPE_TRY(changed(args, *edited)));
}

Result<Value> compareMethod(Context &, const BoundArguments &args) {
  auto *other = args[0].value.as<DumpObject>();
  if (!other)
    return args.wrongType(0, "a dump, as `open_dump` gives it");
  const KernelPage &first = self(args).page(), &second = other->page();
  return codeText("comparison", core::dumps::comparisonText(first, second, core::dumps::compare(first, second)));
}

Result<Value> runMethod(Context &context, const BoundArguments &args) {
  DumpObject &dump = self(args);
  DumpRequest request;
  for (const Arg &input : args.rest()) {
    const core::Array *array = input.value.asArray();
    if (!array)
      return error("type", input.span,
                   Message("an input of a dump's kernel is an array, not {type}", input.value.typeName()));
    request.arrays.push_back(*array);
  }
  KernelLaunch launch = LANESCOPE_TRY(launchDump(dump.runtime(), dump.page().module, request));
  if (!launch.stages->kernel)
    return std::unexpected(launch.stages->diagnostics);
  if (!launch.result)
    return context.fail("kernel", "the kernel was compiled, but this session runs none");
  if (hasErrors(launch.result->diagnostics))
    return std::unexpected(launch.result->diagnostics);
  std::vector<Value> outputs = outputValues(launch);
  return Value(std::make_shared<KernelResult>(std::move(launch), std::move(outputs)));
}

/// The page at a path that the snippet names, under the rules for the snippet's files.
Result<KernelPage> dumpPage(const SnippetFiles &files, const std::string &path, const Span &place) {
  auto read = [&](const std::filesystem::path &file, core::FileRole role) {
    return files.readSource(file.string(), role);
  };
  auto unusable = [&](const Diagnostics &problems, bool foreign) {
    return unusableFile("a dump", path, place, problems, foreign);
  };
  if (auto folder = files.folder(path); folder && core::dumps::looksLikeDumps(*folder)) {
    auto page = readDumpPage(folder->string(), "", read);
    return page ? std::move(page) : unusable(page.error(), false);
  }
  auto module = files.readSource(path, core::FileRole::Module);
  if (!module)
    return at(place, std::move(module.error()));
  auto page = modulePage(*module);
  return page ? std::move(page) : unusable(page.error(), !core::looksLikeDump((*module)->text()));
}

struct Method {
  const char *name, *signature, *doc;
  BuiltinCall call;
};

const std::vector<Method> &methods() {
  static const std::vector<Method> kMethods{
      {"op", "op(number)", "One operation in full, and why its values have their layouts.", opMethod},
      {"layout", "layout(number, *, operand=None, result=None)",
       "The layout of an operation's value: of its first result unless `operand` or `result` says another.",
       layoutMethod},
      {"cast", "cast(number, layout, *, operand=None, result=None)",
       "What if: the dump with a value of an operation in another layout, everything inferred anew. Prints what "
       "changes.",
       castMethod},
      {"compare", "compare(other)", "The differences in another dump of the same kernel, and their cost.",
       compareMethod},
      {"run", "run(*inputs)",
       "Compiles the kernel and runs it, on arrays in the order of JAX's arguments; others are random.", runMethod}};
  return kMethods;
}

} // namespace

std::string DumpObject::repr() const {
  if (!before_)
    return core::dumps::pageText(page_);
  return core::dumps::comparisonText(before_->page(), page_, core::dumps::compare(before_->page(), page_));
}

std::vector<std::string> DumpObject::members() const {
  std::vector<std::string> out{"module", "page", "relayouts", "conflicts", "registers"};
  for (const Method &method : methods())
    out.push_back(method.name);
  return out;
}

Result<Value> DumpObject::attribute(Context &context, const std::string &name) {
  if (name == "module")
    return codeText("module", std::string(page_.module->text()));
  if (name == "page")
    return codeText("page", core::dumps::pageText(page_));
  if (name == "relayouts")
    return Value(page_.relayouts.size());
  if (name == "conflicts")
    return Value(page_.conflicts());
  if (name == "registers")
    return Value(page_.registers);
  auto method = std::ranges::find(methods(), name, &Method::name);
  if (method == methods().end())
    return Object::attribute(context, name);
  return BuiltinValue::make(
      {.name = method->name, .signature = method->signature, .doc = method->doc, .call = method->call},
      Value(shared_from_this()));
}

Builtin openDumpBuiltin(std::shared_ptr<KernelRuntime> runtime, std::shared_ptr<SnippetFiles> files) {
  return {.name = "open_dump",
          .signature = "open_dump(path)",
          .doc =
              "A kernel that JAX dumped (`MOSAIC_GPU_DUMP_TO=…`), to look at, to change a layout in, and to run.\n"
              "\n"
              "d = open_dump(\"dumps/k_7\")         a kernel's files in a folder, or one module\n"
              "d.op(11)                            one operation, and why its values have their layouts\n"
              "show(d.layout(11), (64, 128))       its layout as a picture; operand=1: of an operand\n"
              "d.cast(11, WGMMA_TRANSPOSED)        what if it had another layout: what changes, as a dump of its own\n"
              "d.cast(4, (TilingTransform((8, 32)), SwizzleTransform(64)))   the same for shared memory\n"
              "d.compare(open_dump(\"old/k_7\"))     two dumps of one kernel\n"
              "d.run(x, y)                         compiled by us and run",
          .call = [runtime, files](Context &, const BoundArguments &args) -> Result<Value> {
            std::string path = LANESCOPE_TRY(args.text(0));
            KernelPage page = LANESCOPE_TRY(dumpPage(*files, path, args[0].span));
            return Value(std::make_shared<DumpObject>(std::move(page), nullptr, runtime));
          },
          .group = "dumps"};
}

} // namespace lanescope::repl
