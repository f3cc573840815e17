#include "core/gpu/dumps/PageText.h"

#include "core/gpu/dumps/PageParts.h"
#include "core/gpu/ir/DumpListing.h"
#include "layouts/Catalogue.h"
#include "layouts/support/TerminalWidth.h"
#include "layouts/support/Text.h"
#include "layouts/support/Visible.h"
#include "layouts/support/Words.h"

#include <algorithm>

namespace lanescope::core::dumps {

namespace {

using Place = DumpValue::Place;

std::string countedOrNo(int64_t count, std::string_view one, std::string_view many) {
  return text(count == 0 ? "no" : text(count), " ", count == 1 ? one : many);
}

/// Shortens the names of our dialect: "mosaic_gpu.wgmma" -> "wgmma". Names of other dialects stay whole.
std::string shortOp(std::string_view name) {
  constexpr std::string_view kDialect = "mosaic_gpu.";
  return std::string(name.starts_with(kDialect) ? name.substr(kDialect.size()) : name);
}

/// The counts of instructions in words: "  12 ld.shared, 4 wgmma.mma_async".
std::string familiesText(const std::map<std::string, int64_t> &families) {
  std::vector<std::string> out;
  for (const auto &[family, count] : families)
    out.push_back(text(count, " ", family));
  return out.empty() ? "" : text("  ", joined(out, ", "), "\n");
}

/// A line of `width` characters for all operations, with those from `first` to `last` marked.
std::string bar(size_t first, size_t last, size_t operations, size_t width) {
  std::string out;
  for (size_t i = 0; i < width; ++i) {
    size_t begin = i * operations / width, end = std::max((i + 1) * operations / width, begin + 1);
    out += first < end && last >= begin ? "█" : "·";
  }
  return out;
}

/// The values' types and layouts in words, without numbers, addresses and barriers: "f32[64x128] WGMMA, smem f16[64x64]
/// tile (8, 64), swizzle 128".
std::string valuesWords(const std::vector<DumpValue> &values) {
  std::vector<std::string> out;
  for (const DumpValue &value : values) {
    if (value.place == Place::Barrier || value.place == Place::Other)
      continue;
    std::string storage = storageWords(value);
    out.push_back(text(typeWords(value), storage.empty() ? "" : " ", storage));
  }
  return joined(out, ", ");
}

/// A line for each operation, and a line for each of its costs.
std::string operationsText(const KernelPage &page) {
  const Dump &dump = page.dump;
  int64_t nameWidth = 0;
  for (const DumpOp &op : dump.ops)
    nameWidth = std::max(nameWidth, columnCount(shownName(shortOp(op.name))));
  size_t numberWidth = text(dump.ops.size()).size();
  std::map<size_t, std::vector<std::string>> costs;
  for (const Relayout &one : page.relayouts)
    costs[one.op].push_back(text("relayout of operand ", one.operand, ": ", relayoutWords(page, one)));
  for (const Transfer &one : page.transfers)
    if (one.conflicts() > 0)
      costs[one.op].push_back(transferWords(one));
  std::string out;
  for (size_t i = 0; i < dump.ops.size(); ++i) {
    const DumpOp &op = dump.ops[i];
    uint32_t line = op.nameSpan.source->lineColumn(op.nameSpan.begin).line;
    std::string in = valuesWords(op.operands), results = valuesWords(op.results);
    std::string number = text("#", i + 1);
    out += text("  ", std::string(numberWidth + 1 - number.size(), ' '), number, "  ", padded(text("line ", line), 10),
                padded(shownName(shortOp(op.name)), nameWidth), op.known ? "  " : " (unknown)  ", in,
                results.empty() ? "" : text(in.empty() ? "-> " : " -> ", results), "\n");
    for (const std::string &words : costs[i])
      out += text("  ", std::string(numberWidth + 13, ' '), "! ", words, "\n");
  }
  return out;
}

std::string heading(const std::string &words) { return text("\n", words, "\n"); }

std::string relayoutsText(const KernelPage &page) {
  std::string out;
  if (!page.relayouts.empty())
    out += heading("relayouts");
  for (const Relayout &relayout : page.relayouts)
    out += text("  ", opWords(page.dump, relayout.op), ", operand ", relayout.operand,
                relayout.inLoop ? ", in a loop" : "", "\n    ", relayoutWords(page, relayout), "\n");
  return out;
}

std::string transfersText(const KernelPage &page) {
  std::string out;
  if (!page.transfers.empty())
    out += heading("registers and shared memory");
  for (const Transfer &transfer : page.transfers)
    out += text("  ", opWords(page.dump, transfer.op), ", ", transfer.load ? "load" : "store", " of ", transfer.layout,
                ", ", transfer.memory, transfer.inLoop ? ", in a loop" : "", "\n    ", transferWords(transfer), "\n");
  return out;
}

} // namespace

std::string storageWords(const DumpValue &value) {
  if (value.transforms)
    return transformsText(*value.transforms);
  if (value.tensorLayout)
    return layouts::catalogueName(*value.tensorLayout).value_or(layouts::jaxText(*value.tensorLayout));
  return value.layout ? layoutWords(*value.layout) : "";
}

std::string layoutWords(const layouts::RegisterLayout &layout) {
  if (std::holds_alternative<layouts::WGSplatFragLayout>(layout))
    return "splat";
  if (const auto *strided = std::get_if<layouts::WGStridedFragLayout>(&layout))
    return text("strided by ", strided->vecSize());
  return layouts::catalogueName(layout).value_or(layouts::jaxText(layout));
}

std::string typeWords(const DumpValue &value) {
  std::vector<std::string> sizes;
  for (int64_t size : value.shape)
    sizes.push_back(text(size));
  std::string array = text("[", joined(sizes, "x"), "]");
  switch (value.place) {
  case Place::Registers: return value.dtype ? text(layouts::name(*value.dtype), array) : value.type;
  case Place::SharedMemory: return text("smem ", value.dtype ? layouts::name(*value.dtype) : "?", array);
  case Place::TensorMemory: return text("tmem ", value.dtype ? layouts::name(*value.dtype) : "?", array);
  case Place::GlobalMemory: return text("gmem ", value.dtype ? layouts::name(*value.dtype) : "?", array);
  case Place::Barrier: return text("barriers", array);
  case Place::Other: break;
  }
  return value.type;
}

std::string reasonWords(const std::vector<ValueReasons> &reasons) {
  std::string out;
  for (const ValueReasons &value : reasons) {
    out += text("why ", value.value, "\n");
    for (const LayoutReason &step : value.steps)
      out +=
          text("  ", step.words,
               step.span.source ? text(" (line ", step.span.source->lineColumn(step.span.begin).line, ")") : "", "\n");
  }
  return out;
}

std::string opWords(const Dump &dump, size_t op) {
  const Span &name = dump.ops[op].nameSpan;
  return text("#", op + 1, " ", shortOp(dump.ops[op].name),
              name.source ? text(" (line ", name.source->lineColumn(name.begin).line, ")") : "");
}

std::string costWords(const Relayout &relayout) {
  if (relayout.scratch > 0)
    return text("through ", relayout.scratch, " bytes of shared memory");
  std::vector<std::string> words;
  if (relayout.counts.shuffles > 0)
    words.push_back(countedOrNo(relayout.counts.shuffles, "shuffle", "shuffles"));
  if (relayout.counts.selects > 0)
    words.push_back(countedOrNo(relayout.counts.selects, "select", "selects"));
  if (relayout.counts.prmt > 0)
    words.push_back(countedOrNo(relayout.counts.prmt, "byte permute", "byte permutes"));
  if (words.empty())
    return text(layouts::name(relayout.mechanism));
  return text(joined(words, ", "), " per thread");
}

std::string relayoutWords(const KernelPage &page, const Relayout &relayout) {
  const DumpValue &operand = page.dump.ops[relayout.op].operands[relayout.operand];
  return text(layoutWords(relayout.from), " -> ", layoutWords(relayout.to), " of ", typeWords(operand), ": ",
              costWords(relayout));
}

std::string transferWords(const Transfer &transfer) {
  if (!transfer.unknown.empty())
    return text("not counted: ", transfer.unknown);
  return text(transfer.instructions, ": ", transfer.wavefronts, " wavefronts",
              transfer.conflicts() == 0
                  ? ", no conflict"
                  : text(" where ", transfer.ideal, " would do: ", counted(transfer.conflicts(), "bank conflict")));
}

std::string memoryWords(const KernelPage &page, Place place) {
  constexpr size_t kWidth = 24;
  std::string out;
  size_t operations = page.dump.ops.size();
  for (const Allocation &one : page.allocations) {
    if ((one.place == Place::TensorMemory) != (place == Place::TensorMemory))
      continue;
    std::string range = one.size == 0 ? text(one.offset, "…") : text(one.offset, "…", one.offset + one.size - 1);
    size_t end = range.size() - 2; // the ellipsis has three bytes, but takes one column
    out += text("  ", bar(one.first, one.last, operations, kWidth), "  ", range,
                std::string(end < 14 ? 14 - end : 1, ' '), shownName(one.name),
                one.storage.empty() ? "" : text(", ", one.storage), ", #", one.first + 1, " to #", one.last + 1, "\n");
  }
  return out;
}

std::string differenceWords(const KernelPage &page) {
  if (!page.compared)
    return "";
  if (page.differences.empty())
    return "  the same for every value\n";
  std::string out;
  for (const Difference &one : page.differences)
    out += text("  ", opWords(page.dump, one.op), ", ", one.result ? "result " : "operand ", one.index, ": JAX ",
                one.theirs, ", here ", one.ours, "\n");
  return out;
}

std::string instructionWords(const PtxSummary &ptx) {
  return text("  ", countedOrNo(ptx.total, "instruction", "instructions"), "\n", familiesText(ptx.instructions));
}

std::string sassWords(const KernelPage &page) {
  if (!page.sass || page.sass->total == 0)
    return "";
  return text("  ", countedOrNo(page.sass->total, "instruction", "instructions"), "\n",
              familiesText(page.sass->instructions));
}

std::string ptxWords(const KernelPage &page) {
  if (!page.ptx)
    return "";
  constexpr size_t kMostPlaces = 12;
  std::string out = instructionWords(*page.ptx);
  if (!page.ptx->hasPlaces)
    return out;
  if (page.hasModule() && std::ranges::all_of(page.dump.ops, [](const DumpOp &op) { return op.place.empty(); }))
    out += "  the module says no places in Python, so its operations are not beside these lines\n";
  std::vector<PtxPlace> places = page.ptx->places;
  std::ranges::stable_sort(places, std::greater(), [](const PtxPlace &place) { return place.lines.size(); });
  size_t shown = 0;
  for (const PtxPlace &place : places) {
    if (shown++ == kMostPlaces)
      return out + text("  … ", places.size() - kMostPlaces, " more places\n");
    std::vector<std::string> ops;
    for (size_t i = 0; i < page.dump.ops.size() && !place.place.empty(); ++i)
      if (page.dump.ops[i].place.starts_with(place.place + ":") || page.dump.ops[i].place == place.place)
        ops.push_back(text("#", i + 1));
    out += text("  ", padded(place.place.empty() ? "(no place)" : place.place, 24), " ",
                countedOrNo(static_cast<int64_t>(place.lines.size()), "instruction", "instructions"),
                ", first in line ", place.lines.front(), ops.empty() ? "" : text(", op ", joined(ops, ", ")), "\n");
  }
  return out;
}

std::string summaryText(const KernelPage &page) {
  std::string out = shownName(page.files.name);
  if (!page.dump.arch.empty())
    out += text(", ", page.dump.arch);
  else if (page.ptx && !page.ptx->target.empty())
    out += text(", ", page.ptx->target);
  out += "\n";
  if (page.hasModule()) {
    std::string kernels = dumpHeading(page.dump);
    for (size_t at = 0; at < kernels.size();) {
      size_t end = std::min(kernels.find('\n', at), kernels.size());
      out += text("  ", kernels.substr(at, end - at), "\n");
      at = end + 1;
    }
    out += text("  ", countedOrNo(static_cast<int64_t>(page.dump.ops.size()), "operation", "operations"), ", ",
                countedOrNo(static_cast<int64_t>(page.relayouts.size()), "relayout", "relayouts"), ", ",
                countedOrNo(page.conflicts(), "bank conflict", "bank conflicts"));
    if (page.registers > 0)
      out += text(", arrays take at most ", page.registers, " registers per thread (#", page.registersAt + 1, ")");
    out += "\n";
  }
  if (page.inferredHere)
    out += "  the layouts are inferred here: the dump is from before layout inference\n";
  else if (page.compared)
    out += page.differences.empty()
               ? text("  our inference chooses the same layouts",
                      page.constraintsAgree == true ? " from the same constraints\n" : "\n")
               : text("  our inference chooses otherwise for ",
                      countedOrNo(static_cast<int64_t>(page.differences.size()), "value", "values"), "\n");
  if (page.constraintsAgree == false)
    out += "  our system of constraints is not JAX's: see `--emit constraints` of the module\n";
  if (!page.ptxas.empty())
    out += text("  ptxas: ", page.ptxas, "\n");
  if (!page.resources.empty())
    out += text("  ", page.resources, "\n");
  for (const std::string &words : page.missing)
    out += text("  ! ", words, "\n");
  return out;
}

std::string pageText(const KernelPage &page) {
  std::string out = summaryText(page);
  if (page.hasModule()) {
    out += heading("operations") + operationsText(page);
    out += relayoutsText(page) + transfersText(page);
    if (std::string words = memoryWords(page, Place::SharedMemory); !words.empty())
      out += heading("shared memory in bytes, over the operations") + words;
    if (std::string words = memoryWords(page, Place::TensorMemory); !words.empty())
      out += heading("tensor memory in columns, over the operations") + words;
    if (std::string words = differenceWords(page); !words.empty())
      out += heading("JAX's choice and ours") + words;
  }
  if (page.ptx)
    out += heading(text("PTX", page.ptx->target.empty() ? "" : text(" for ", page.ptx->target))) + ptxWords(page);
  if (std::string words = sassWords(page); !words.empty())
    out += heading("SASS") + words;
  return out;
}

} // namespace lanescope::core::dumps
