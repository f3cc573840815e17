#include "viz/gui/debugger/DebuggerWords.h"

#include "layouts/Catalogue.h"
#include "layouts/support/Text.h"
#include "layouts/support/Words.h"

namespace lanescope::viz {

std::string blockWords(const DebugPage &page, uint32_t block) {
  return core::blockWords(page.grid, page.devices, core::deviceBlockOf(page.grid, block));
}

std::string warpWords(const DebugPage &page, core::WarpRef warp) {
  return text(blockWords(page, warp.block), ", warp ", warp.warp);
}

std::string stopWords(const DebugPage &page) {
  const core::Stop &stop = page.stop;
  switch (stop.reason) {
  case core::StopReason::Start: return "before the first instruction";
  case core::StopReason::Step: return "stopped where requested";
  case core::StopReason::Breakpoint: return text("at a breakpoint: ", warpWords(page, stop.warp));
  case core::StopReason::Watchpoint: return stop.what;
  case core::StopReason::Fault:
    return text("the moment before a fault: ", stop.fault ? stop.fault->message : std::string("no warp can go on"));
  case core::StopReason::End: return "all blocks have ended";
  case core::StopReason::Limit: return "stopped on the way";
  }
  return {};
}

std::string momentWords(const DebugPage &page) {
  std::string out = text("moment ", page.stop.moment, page.lastIsEnd ? text(" of ", page.last) : std::string(),
                         ", cycle ", page.stop.cycle);
  if (const auto &place = page.stop.place)
    out += text(", ", warpWords(page, page.stop.warp), " is at ",
                place->snippetLine ? text("line ", place->snippetLine) : text("PTX line ", place->ptxLine), ": ",
                place->opcode);
  else if (page.stop.landing)
    out += ", a copy lands next";
  return out;
}

std::string faultPlaceWords(const DebugPage &page) {
  const core::Stop &stop = page.stop;
  if (stop.reason != core::StopReason::Fault || !stop.fault || !stop.fault->span.source || !stop.place ||
      stop.place->snippetLine == 0) // otherwise both are in the same text
    return {};
  const Span &span = stop.fault->span;
  uint32_t line = span.source->lineColumn(span.begin).line;
  if (line == stop.place->snippetLine)
    return {};
  return text("The report is about line ", line, ". The run stands before the instruction that completes the fault: `",
              stop.place->opcode, "` of ", warpWords(page, stop.warp), ", ", "line ", stop.place->snippetLine, ".");
}

std::string nothingInFlight(const DebugPage &page) {
  std::string out = text(blockWords(page, page.focus.block), " has nothing in flight at this moment");
  if (page.stop.reason != core::StopReason::Fault || !page.stop.place)
    return out;
  const std::string &next = page.stop.place->opcode;
  bool starts = next.starts_with("cp.") || next.starts_with("wgmma.mma_async") || next.starts_with("tcgen05.");
  return starts ? text(out, ": `", next, "` of ", warpWords(page, page.stop.warp), ", which is next, starts it") : out;
}

std::string lanesWords(uint32_t lanes) {
  if (lanes == UINT32_MAX)
    return "all lanes";
  if (lanes == 0)
    return "-";
  std::vector<std::string> runs;
  for (uint32_t lane = 0; lane < 32; ++lane) {
    if (!(lanes >> lane & 1))
      continue;
    uint32_t first = lane;
    while (lane + 1 < 32 && (lanes >> (lane + 1) & 1))
      ++lane;
    runs.push_back(first == lane ? text(first) : text(first, "-", lane));
  }
  return text(runs.size() == 1 && runs[0].find('-') == std::string::npos ? "lane " : "lanes ", joined(runs, ", "));
}

std::string barrierName(const core::BarrierState &barrier) {
  if (barrier.named)
    return text("bar.sync ", barrier.address);
  return barrier.name.empty() ? text("mbarrier at ", barrier.address) : text(barrier.name, " at ", barrier.address);
}

std::string barrierWords(const core::BarrierState &barrier) {
  std::string out = text(barrier.named ? "" : text("phase ", barrier.phase, ", "), barrier.pending, " of ",
                         counted(barrier.expected, "arrival"));
  if (barrier.bytes != 0)
    out += text(" and ", barrier.bytes, " bytes");
  return out + " missing";
}

std::string kindWords(const core::Flight &flight) {
  switch (flight.kind) {
  case core::Flight::Kind::Copy: return "copy";
  case core::Flight::Kind::Wgmma: return "wgmma";
  case core::Flight::Kind::TensorCore: return "tensor core";
  }
  return {};
}

std::string readableText(const DebuggerModel &model) {
  std::string out;
  auto add = [&](const std::string &line) { out += line + "\n"; };
  if (const DebugTarget *target = model.target())
    add(text("debugger ", target->title));
  for (const Diagnostic &problem : model.problems())
    add(problem.message);
  const DebugPage *page = model.page();
  if (!page)
    return out;
  add(stopWords(*page));
  add(momentWords(*page));
  add(faultPlaceWords(*page));
  if (model.panel() == DebugPanel::Flights && page->flights.empty())
    add(nothingInFlight(*page));
  for (const DebugStop &stop : page->stops)
    add(text(stop.line ? "breakpoint at " : "", stop.words, stop.enabled ? "" : ", switched off"));
  add(page->said);
  for (const core::WarpPlace &warp : page->warps)
    for (const core::CodePlace &place : warp.places)
      add(text(warpWords(*page, warp.warp), ", line ", place.snippetLine, ", ", place.opcode,
               place.waitsFor.empty() ? "" : ", waits for ", place.waitsFor));
  for (const core::BarrierState &barrier : page->barriers)
    add(text(barrierName(barrier), ": ", barrierWords(barrier)));
  for (const core::Flight &flight : page->flights)
    add(text(kindWords(flight), " of ", warpWords(*page, flight.warp), ", ", flight.bytes, " bytes, ", flight.from,
             " to ", flight.to));
  for (const core::WaitEdge &edge : page->waits)
    add(text(warpWords(*page, edge.from), " waits for ", edge.what));
  if (!page->valueNames.empty())
    add(text("values ", joined(page->valueNames, ", ")));
  if (const auto &value = page->value)
    add(text(page->valueName, ": ", layouts::name(value->array.dtype), "[", joined(value->array.shape, ", "), "] ",
             value->layout ? layouts::catalogueName(*value->layout).value_or("") : std::string(), value->memory,
             value->remark));
  add(page->valueProblem);
  if (model.panel() == DebugPanel::Shared && model.sharedWord)
    add(sharedWordWords(*page, model.sharedWord));
  if (model.panel() == DebugPanel::Tensor)
    add(tensorCellWords(*page, model.tensorLane, model.tensorColumn));
  for (const Diagnostic &finding : page->findings)
    add(finding.message);
  return out;
}

} // namespace lanescope::viz
