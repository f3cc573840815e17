#include "app/lanescope/Common.h"

#include "core/gpu/ir/Dump.h"
#include "layouts/Catalogue.h"
#include "layouts/notation/Find.h"
#include "layouts/support/Text.h"
#include "viz/export/Export.h"
#include "viz/export/TerminalText.h"

#include <algorithm>
#include <iostream>

namespace lanescope::app {
namespace {

constexpr size_t kMostSourceLines = 20; // of an op with regions

int usage(const std::string &message) {
  std::cerr << "lanescope open: " << message << "\n";
  return kUsage;
}

std::string sizes(const core::DumpKernel::Sizes &sizes) {
  std::vector<std::string> words;
  for (const std::optional<int64_t> &size : sizes)
    words.push_back(size ? text(*size) : "?");
  return joined(words, "x");
}

std::string heading(const core::Dump &dump) {
  std::string out;
  for (const core::DumpKernel &kernel : dump.kernels) {
    out += text("kernel ", kernel.name.empty() ? "without a name" : kernel.name);
    if (!dump.module.empty())
      out += text(" in module ", dump.module);
    if (!dump.arch.empty())
      out += text(", ", dump.arch);
    out += text(": grid ", sizes(kernel.grid), ", block ", sizes(kernel.block));
    if (kernel.cluster)
      out += text(", cluster ", sizes(*kernel.cluster));
    out += text(", dynamic shared memory ", kernel.dynamicSmem ? text(*kernel.dynamicSmem) : "?", " bytes\n");
  }
  if (dump.kernels.empty())
    out += text("no kernel launch", dump.module.empty() ? "" : text(" in module ", dump.module), "\n");
  return out;
}

/// MLIR's text of the type, with shared memory's address space as `smem`.
std::string shortType(std::string type) {
  constexpr std::string_view kSpace = "#gpu.address_space<workgroup>";
  for (size_t at = 0; (at = type.find(kSpace, at)) != std::string::npos;)
    type.replace(at, kSpace.size(), "smem");
  return type;
}

std::string types(const std::vector<core::DumpValue> &values) {
  std::vector<std::string> words;
  for (const core::DumpValue &value : values)
    words.push_back(shortType(value.type));
  return joined(words, ", ");
}

std::string signature(const core::DumpOp &op) {
  std::string out = text("(", types(op.operands), ")");
  if (!op.results.empty())
    out += text(" -> ", types(op.results));
  return out;
}

std::string shortText(const layouts::RegisterLayout &layout) {
  return layouts::catalogueName(layout).value_or(layouts::jaxText(layout));
}

/// The values' layouts and transforms, a comma between values; empty where none has one.
std::string storage(const std::vector<core::DumpValue> &values) {
  std::vector<std::string> words;
  for (const core::DumpValue &value : values) {
    if (value.layout)
      words.push_back(shortText(*value.layout));
    if (value.transforms)
      words.push_back(text("smem ", core::jaxText(*value.transforms)));
  }
  return joined(words, ", ");
}

std::string padded(std::string words, size_t width, bool right = false) {
  std::string space(width - std::min(width, words.size()), ' ');
  return right ? space + words : words + space;
}

uint32_t lineOf(const core::DumpOp &op) { return op.nameSpan.source->lineColumn(op.nameSpan.begin).line; }

std::string listing(const core::Dump &dump) {
  size_t nameWidth = 0, numberWidth = text(dump.ops.size()).size();
  size_t lineWidth = std::max<size_t>(text(lineOf(dump.ops.back())).size(), 4);
  for (const core::DumpOp &op : dump.ops)
    nameWidth = std::max(nameWidth, op.name.size());
  std::string out = text(padded("#", numberWidth, true), "  ", padded("line", lineWidth, true), "  ",
                         padded("op", nameWidth), "  types\n");
  std::string indent(numberWidth + lineWidth + 6, ' ');
  for (size_t i = 0; i < dump.ops.size(); ++i) {
    const core::DumpOp &op = dump.ops[i];
    out += text(padded(text(i + 1), numberWidth, true), "  ", padded(text(lineOf(op)), lineWidth, true), "  ",
                padded(op.name, nameWidth), "  ", signature(op), "\n");
    if (std::string in = storage(op.operands); !in.empty())
      out += text(indent, "in:  ", in, "\n");
    if (std::string results = storage(op.results); !results.empty())
      out += text(indent, "out: ", results, "\n");
  }
  if (!dump.hasLayouts)
    out += "no layouts on the ops: the dump is from before layout inference\n";
  return out;
}

void describe(std::string &out, std::string_view role, size_t index, const core::DumpValue &value) {
  out += text("  ", role, " ", index, ": ", shortType(value.type), "\n");
  if (value.layout) {
    auto name = layouts::catalogueName(*value.layout);
    out += text("    layout ", name ? text(*name, " = ") : "", layouts::jaxText(*value.layout), "\n");
  }
  if (value.transforms)
    out += text("    transforms ", core::jaxText(*value.transforms), "\n");
}

/// The op as the dump spells it, from the start of its line; long regions are cut.
std::string sourceText(const core::DumpOp &op) {
  const Source &source = *op.span.source;
  uint32_t first = lineOf(op), last = std::max(first, source.lineColumn(op.span.end > 0 ? op.span.end - 1 : 0).line);
  size_t indent = std::min(source.lineText(first).find_first_not_of(' '), source.lineText(first).size());
  std::string out;
  for (uint32_t line = first; line <= last; ++line) {
    if (line - first >= kMostSourceLines)
      return out + text("  … ", last - line + 1, " more lines\n");
    std::string_view words = source.lineText(line);
    words.remove_prefix(std::min({indent, words.find_first_not_of(' '), words.size()}));
    out += text("  ", words, "\n");
  }
  return out;
}

std::string full(const core::Dump &dump, size_t number) {
  const core::DumpOp &op = dump.ops[number - 1];
  std::string out = text("op ", number, ", ", op.name, ", line ", lineOf(op));
  if (!op.place.empty())
    out += text(", from ", op.place);
  out += text("\n", sourceText(op));
  for (size_t i = 0; i < op.operands.size(); ++i)
    describe(out, "operand", i, op.operands[i]);
  for (size_t i = 0; i < op.results.size(); ++i)
    describe(out, "result", i, op.results[i]);
  return out;
}

/// The value to draw: the first result in registers whose layout is known, or else the first operand.
const core::DumpValue *drawn(const core::DumpOp &op) {
  for (const std::vector<core::DumpValue> *values : {&op.results, &op.operands})
    for (const core::DumpValue &value : *values)
      if (value.layout)
        return &value;
  return nullptr;
}

Result<viz::Scene> sceneOf(const core::DumpOp &op) {
  const core::DumpValue *value = drawn(op);
  if (!value)
    return error(
        "no-layout", op.nameSpan,
        "this op has no register layout to draw; ops on arrays have one in the dump from after layout inference");
  if (!value->dtype)
    return error("no-layout", op.nameSpan, text("arrays of type `", value->type, "` can't be drawn"));
  auto scene = viz::layoutScene(*value->layout, value->shape, *value->dtype);
  if (!scene)
    return at(op.nameSpan, std::move(scene.error()));
  return scene;
}

int showOp(const core::Dump &dump, size_t number, const std::string &output) {
  const core::DumpOp &op = dump.ops[number - 1];
  std::cout << full(dump, number);
  if (output.empty() && !drawn(op))
    return kDone;
  auto scene = sceneOf(op);
  if (!scene)
    return report(scene.error());
  if (output.empty()) {
    std::cout << "\n"
              << viz::terminalText(
                     *scene, {.width = outputWidth(),
                              .colour = colourOutput() ? viz::TerminalColour::TrueColour : viz::TerminalColour::None});
    return kDone;
  }
  auto written = viz::exportScene(*scene, output);
  if (!written && !written.error().empty() && written.error()[0].kind == "unknown-format")
    return usage(written.error()[0].message);
  return written ? kDone : report(written.error());
}

} // namespace

int runOpen(const OpenArguments &arguments) {
  const bool all = arguments.op == OpenArguments{}.op;
  if (all && !arguments.output.empty())
    return usage("-o draws one op; say which with `--op N`, N as the listing numbers them");
  auto source = readSource(arguments.file);
  if (!source)
    return report(source.error());
  auto dump = core::readDump(*source);
  if (!dump) {
    // TTGIR and other modules are no dumps of Mosaic, but their layouts can be listed.
    auto found = layouts::findLayouts(*source);
    std::erase_if(found, [](const layouts::FoundLayout &one) { return !one.layout; });
    Diagnostics problems = std::move(dump.error());
    if (!found.empty() && !problems.empty())
      problems.front().notes.push_back(
          {problems.front().span, text("this is no dump of JAX Mosaic GPU, but its text holds ", found.size(),
                                       found.size() == 1 ? " layout" : " layouts",
                                       ": paste it into `find_layouts(\"\"\"…\"\"\")`, or draw "
                                       "the first one with `lanescope show \"$(cat ",
                                       arguments.file, ")\"`")});
    return report(problems);
  }
  report(dump->warnings);
  std::cout << heading(*dump);
  if (all) {
    std::cout << listing(*dump);
    return kDone;
  }
  if (arguments.op < 1 || static_cast<size_t>(arguments.op) > dump->ops.size())
    return usage(text("--op ", arguments.op, ": the dump's ops are numbered 1 to ", dump->ops.size()));
  return showOp(*dump, static_cast<size_t>(arguments.op), arguments.output);
}

} // namespace lanescope::app
