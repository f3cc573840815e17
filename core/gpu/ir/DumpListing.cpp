#include "core/gpu/ir/DumpListing.h"

#include "layouts/Catalogue.h"
#include "layouts/notation/Find.h"
#include "layouts/support/TerminalWidth.h"
#include "layouts/support/Text.h"
#include "layouts/support/Visible.h"
#include "layouts/support/Words.h"

#include <algorithm>

namespace lanescope::core {

namespace {

constexpr size_t kMostSourceLines = 20; // for an operation with regions

std::string sizes(const DumpKernel::Sizes &sizes) {
  std::vector<std::string> words;
  for (const std::optional<int64_t> &size : sizes)
    words.push_back(size ? text(*size) : "?");
  return joined(words, "x");
}

/// MLIR's text of the type, with shared memory's address space as `smem`.
std::string shortType(std::string type) {
  constexpr std::string_view kSpace = "#gpu.address_space<workgroup>";
  for (size_t at = 0; (at = type.find(kSpace, at)) != std::string::npos;)
    type.replace(at, kSpace.size(), "smem");
  return type;
}

std::string types(const std::vector<DumpValue> &values) {
  std::vector<std::string> words;
  for (const DumpValue &value : values)
    words.push_back(shortType(value.type));
  return joined(words, ", ");
}

std::string signature(const DumpOp &op) {
  std::string out = text("(", types(op.operands), ")");
  if (!op.results.empty())
    out += text(" -> ", types(op.results));
  return out;
}

std::string shortText(const layouts::RegisterLayout &layout) {
  return layouts::catalogueName(layout).value_or(layouts::jaxText(layout));
}

/// The values' layouts and transforms, separated by commas; empty if no value has one.
std::string storage(const std::vector<DumpValue> &values) {
  std::vector<std::string> words;
  for (const DumpValue &value : values) {
    if (value.layout)
      words.push_back(shortText(*value.layout));
    if (value.transforms)
      words.push_back(text("smem ", jaxText(*value.transforms)));
    if (value.tensorLayout)
      words.push_back(
          text("tmem ", layouts::catalogueName(*value.tensorLayout).value_or(layouts::jaxText(*value.tensorLayout))));
  }
  return joined(words, ", ");
}

uint32_t lineOf(const DumpOp &op) { return op.nameSpan.source->lineColumn(op.nameSpan.begin).line; }

void describe(std::string &out, std::string_view role, size_t index, const DumpValue &value) {
  out += text("  ", role, " ", index, ": ", shortType(value.type), "\n");
  if (value.layout) {
    auto name = layouts::catalogueName(*value.layout);
    out += text("    layout ", name ? text(*name, " = ") : "", layouts::jaxText(*value.layout), "\n");
  }
  if (value.transforms)
    out += text("    transforms ", jaxText(*value.transforms), "\n");
  if (value.tensorLayout) {
    auto name = layouts::catalogueName(*value.tensorLayout);
    out += text("    layout ", name ? text(*name, " = ") : "", layouts::jaxText(*value.tensorLayout), "\n");
  }
}

/// The operation as written in the dump, from the start of its line; long regions are cut.
std::string sourceText(const DumpOp &op) {
  const Source &source = *op.span.source;
  uint32_t first = lineOf(op), last = std::max(first, source.lineColumn(op.span.end > 0 ? op.span.end - 1 : 0).line);
  size_t indent = std::min(source.lineText(first).find_first_not_of(' '), source.lineText(first).size());
  std::string out;
  for (uint32_t line = first; line <= last; ++line) {
    if (line - first >= kMostSourceLines)
      return out + text("  … ", last - line + 1, " more lines\n");
    std::string_view words = source.lineText(line);
    words.remove_prefix(std::min({indent, words.find_first_not_of(' '), words.size()}));
    out += text("  ", shownLine(words), "\n");
  }
  return out;
}

} // namespace

Result<Dump> openDump(const SourceRef &source) {
  Result<Dump> dump = readDump(source);
  if (dump)
    return dump;
  auto found = layouts::findLayouts(source);
  std::erase_if(found, [](const layouts::FoundLayout &one) { return !one.layout; });
  Diagnostics problems = std::move(dump.error());
  if (!found.empty() && !problems.empty())
    problems.front().notes.push_back(
        {problems.front().span,
         text("this is no dump of JAX Mosaic GPU, but its text holds ", counted(found.size(), "layout"),
              ": paste it into `find_layouts(\"\"\"…\"\"\")`, or draw the first one with `lanescope show \"$(cat ",
              source->name(), ")\"`")});
  return std::unexpected(std::move(problems));
}

bool looksLikeDump(std::string_view text) { return text.find("mosaic_gpu.") != std::string_view::npos; }

std::string dumpHeading(const Dump &dump) {
  std::string out;
  for (const DumpKernel &kernel : dump.kernels) {
    out += text("kernel ", kernel.name.empty() ? "without a name" : shownName(kernel.name));
    if (!dump.module.empty())
      out += text(" in module ", shownName(dump.module));
    if (!dump.arch.empty())
      out += text(", ", dump.arch);
    out += text(": grid ", sizes(kernel.grid), ", block ", sizes(kernel.block));
    if (kernel.cluster)
      out += text(", cluster ", sizes(*kernel.cluster));
    out += text(", dynamic shared memory ", kernel.dynamicSmem ? text(*kernel.dynamicSmem) : "?", " bytes\n");
  }
  if (dump.kernels.empty())
    out += text("no kernel launch", dump.module.empty() ? "" : text(" in module ", shownName(dump.module)), "\n");
  return out;
}

std::string dumpListing(const Dump &dump) {
  int64_t nameWidth = 0, numberWidth = columnCount(text(dump.ops.size()));
  int64_t lineWidth = std::max<int64_t>(columnCount(text(lineOf(dump.ops.back()))), 4);
  for (const DumpOp &op : dump.ops)
    nameWidth = std::max(nameWidth, columnCount(shownName(op.name)));
  std::string out = text(padded("#", numberWidth, Aligned::Right), "  ", padded("line", lineWidth, Aligned::Right),
                         "  ", padded("op", nameWidth), "  types\n");
  std::string indent(static_cast<size_t>(numberWidth + lineWidth + 6), ' ');
  for (size_t i = 0; i < dump.ops.size(); ++i) {
    const DumpOp &op = dump.ops[i];
    out += text(padded(text(i + 1), numberWidth, Aligned::Right), "  ",
                padded(text(lineOf(op)), lineWidth, Aligned::Right), "  ", padded(shownName(op.name), nameWidth), "  ",
                signature(op), op.known ? "\n" : "  unknown operation\n");
    if (std::string in = storage(op.operands); !in.empty())
      out += text(indent, "in:  ", in, "\n");
    if (std::string results = storage(op.results); !results.empty())
      out += text(indent, "out: ", results, "\n");
  }
  if (!dump.hasLayouts)
    out += "no layouts on the ops: the dump is from before layout inference\n";
  return out;
}

std::string dumpOpText(const Dump &dump, size_t number) {
  const DumpOp &op = dump.ops[number - 1];
  std::string out = text("op ", number, ", ", shownName(op.name), op.known ? "" : " (unknown)", ", line ", lineOf(op));
  if (!op.place.empty())
    out += text(", from ", shownName(op.place));
  out += text("\n", sourceText(op));
  for (size_t i = 0; i < op.operands.size(); ++i)
    describe(out, "operand", i, op.operands[i]);
  for (size_t i = 0; i < op.results.size(); ++i)
    describe(out, "result", i, op.results[i]);
  return out;
}

} // namespace lanescope::core
