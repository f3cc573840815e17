#include "repl/dumps/DumpPages.h"

#include "core/data/Files.h"
#include "core/gpu/codegen/DumpProgram.h"
#include "core/gpu/codegen/StageKinds.h"
#include "core/gpu/dumps/PageText.h"
#include "core/gpu/inference/DumpInference.h"
#include "core/gpu/ir/Context.h"
#include "core/ir/KernelModule.h"
#include "core/tpu/ir/TpuModule.h"
#include "layouts/support/Text.h"
#include "layouts/support/Try.h"
#include "viz/scene/DumpScene.h"

#include <algorithm>
#include <map>

namespace lanescope::repl {

namespace {

using core::dumps::KernelPage;

uint32_t lineOf(const Span &span) { return span.source ? span.source->lineColumn(span.begin).line : 0; }

viz::DumpRowValue valueOf(std::string role, const core::DumpValue &value) {
  viz::DumpRowValue out;
  out.role = std::move(role);
  out.type = core::dumps::typeWords(value);
  out.storage = core::dumps::storageWords(value);
  out.view = viz::dumpValueView(value);
  if (value.source)
    out.source = value.source->op;
  return out;
}

viz::DumpRow rowOf(const core::DumpOp &op) {
  viz::DumpRow row;
  row.line = lineOf(op.nameSpan);
  row.name = op.name;
  row.place = op.place;
  for (size_t i = 0; i < op.operands.size(); ++i)
    row.values.push_back(valueOf(text("operand ", i), op.operands[i]));
  for (size_t i = 0; i < op.results.size(); ++i)
    row.values.push_back(valueOf(text("result ", i), op.results[i]));
  return row;
}

/// Adds to each operation's values the chain of constraints that explains its layout.
void explain(const KernelPage &page, std::vector<viz::DumpRow> &rows) {
  if (!page.hasModule() || (page.compared && !page.differences.empty()))
    return; // there is nothing to explain, or our layouts differ from the layouts that are shown
  core::IrContext context = core::makeGpuContext();
  auto module = core::parseModule(context, page.module, core::ModuleChecks::Structure);
  if (!module)
    return;
  auto reasons = core::layoutReasons(*module, {page.module, 0, static_cast<uint32_t>(page.module->text().size())}, {});
  if (!reasons)
    return;
  std::map<uint32_t, size_t> byBegin;
  for (size_t i = 0; i < page.dump.ops.size(); ++i)
    byBegin.try_emplace(page.dump.ops[i].span.begin, i);
  for (const core::ValueReasons &value : *reasons) {
    auto found = byBegin.find(value.op.begin);
    if (found == byBegin.end())
      continue;
    auto &values = rows[found->second].values;
    auto shown = std::ranges::find(values, value.value, &viz::DumpRowValue::role);
    if (shown == values.end())
      continue;
    for (const core::LayoutReason &step : value.steps)
      shown->why.push_back({step.words, lineOf(step.span)});
  }
}

size_t firstOf(const KernelPage &page, const std::vector<viz::DumpRow> &rows) {
  auto found = std::ranges::find_if(rows, [](const viz::DumpRow &row) { return !row.costs.empty(); });
  if (found != rows.end())
    return static_cast<size_t>(found - rows.begin());
  auto isLaidOut = [](const core::DumpValue &value) {
    return value.tensorLayout || (value.layout && !std::holds_alternative<layouts::WGSplatFragLayout>(*value.layout));
  };
  auto laidOut = std::ranges::find_if(
      page.dump.ops, [&](const core::DumpOp &op) { return std::ranges::any_of(op.results, isLaidOut); });
  return laidOut == page.dump.ops.end() ? 0 : static_cast<size_t>(laidOut - page.dump.ops.begin());
}

viz::DumpSection section(std::string title) { return {std::move(title), ""}; }

void addCosts(const KernelPage &page, viz::DumpPage &out) {
  viz::DumpSection relayouts = section("Relayouts"), transfers = section("Registers and shared memory");
  for (const core::dumps::Relayout &one : page.relayouts) {
    std::string words = core::dumps::relayoutWords(page, one);
    out.rows[one.op].costs.push_back(text("relayout of operand ", one.operand, ": ", core::dumps::costWords(one)));
    relayouts.text += text(core::dumps::opWords(page.dump, one.op), ": ", words, one.inLoop ? ", in a loop" : "", "\n");
  }
  for (const core::dumps::Transfer &one : page.transfers) {
    if (one.conflicts() > 0)
      out.rows[one.op].costs.push_back(text("bank conflicts: ", core::dumps::transferWords(one)));
    transfers.text += text(core::dumps::opWords(page.dump, one.op), ", ", one.layout, ", ", one.memory, ": ",
                           core::dumps::transferWords(one), one.inLoop ? ", in a loop" : "", "\n");
  }
  for (viz::DumpSection *one : {&relayouts, &transfers})
    if (!one->text.empty())
      out.sections.push_back(std::move(*one));
}

void addPtx(const KernelPage &page, viz::DumpPage &out) {
  if (!page.ptx)
    return;
  out.ptx = page.ptx->source->text();
  for (const core::dumps::PtxPlace &place : page.ptx->places)
    for (uint32_t line : place.lines) {
      if (out.ptxPlaces.size() < line)
        out.ptxPlaces.resize(line);
      out.ptxPlaces[line - 1] = place.place;
    }
  out.sections.push_back({"PTX", core::dumps::ptxWords(page)});
}

/// Adds the stages of our compilation if it succeeds. If not, `lanescope run` reports its errors.
void addOurs(const KernelPage &page, viz::DumpPage &out) {
  if (!page.hasModule())
    return;
  core::Compiler compiler;
  auto stages = core::compileDump(compiler, page.module, {.keepTexts = true});
  const core::Stage *ptx = stages ? stages->find(core::kPtxStage.id) : nullptr;
  if (!ptx)
    return;
  out.ours = ptx->text();
  for (const core::LineOrigin &origin : ptx->origins)
    out.oursFrom.push_back(
        origin.places.empty() || origin.places.front().source != page.module ? 0 : lineOf(origin.places.front()));
  out.sections.push_back({"What we compile it to", core::dumps::instructionWords(core::dumps::summaryOf(ptx->source))});
}

} // namespace

Result<KernelPage> modulePage(const SourceRef &module, const std::string &arch) {
  if (core::looksLikeTpuModule(module->text()))
    return error(
        "not-a-dump", {module, 0, 0},
        Message("this module is for a SparseCore, which has no layouts of registers; `lanescope open {}` shows it",
                module->name()));
  return core::dumps::pageOf(module, arch);
}

Result<KernelPage> readDumpPage(const std::string &path, const std::string &arch,
                                const core::dumps::SourceReader &read) {
  if (!core::dumps::looksLikeDumps(path))
    return modulePage(LANESCOPE_TRY(read(path, core::FileRole::Module)), arch);
  KernelPage page = core::dumps::readPage(LANESCOPE_TRY(core::dumps::findOneDump(path)), read);
  if (page.hasModule())
    return page;
  if (!page.problems.empty())
    return std::unexpected(std::move(page.problems));
  return error("no-dumps", Message("there is no module of kernel `{kernel}` in `{}`", page.files.name, path));
}

viz::DumpPage drawnPage(const KernelPage &page) {
  viz::DumpPage out;
  out.name = page.files.name;
  out.summary = core::dumps::summaryText(page);
  for (const core::DumpOp &op : page.dump.ops)
    out.rows.push_back(rowOf(op));
  explain(page, out.rows);
  for (const core::dumps::Allocation &one : page.allocations) {
    out.memory.push_back({.tensor = one.place == core::DumpValue::Place::TensorMemory,
                          .offset = one.offset,
                          .size = one.size,
                          .first = one.first,
                          .last = one.last,
                          .name = one.name,
                          .storage = one.storage});
  }
  addCosts(page, out);
  out.first = firstOf(page, out.rows);
  if (std::string words = core::dumps::differenceWords(page); !words.empty())
    out.sections.push_back({"JAX's choice and ours", std::move(words)});
  addPtx(page, out);
  addOurs(page, out);
  if (std::string words = core::dumps::sassWords(page); !words.empty())
    out.sections.push_back({"SASS", std::move(words)});
  if (!page.constraints.empty())
    out.sections.push_back({"JAX's constraints", page.constraints});
  if (page.module)
    out.module = page.module->text();
  return out;
}

} // namespace lanescope::repl
