#include "viz/gui/debugger/DebuggerSession.h"

#include "layouts/support/Text.h"

#include <algorithm>
#include <utility>

namespace lanescope::viz {

namespace {

constexpr double kPatience = 60; // time limit for one step, in seconds

/// The command that sets the watchpoint again, if its block is focused.
std::string commandOf(const core::Watchpoint &watchpoint) {
  switch (watchpoint.what) {
  case core::Watchpoint::What::Global: break;
  case core::Watchpoint::What::Shared: return text("smem ", watchpoint.address, " ", watchpoint.bytes);
  case core::Watchpoint::What::Mbarrier: return text("mbarrier ", watchpoint.address);
  }
  return watchpoint.text;
}

std::vector<DebugStop> stopsOf(const core::Debugger &debugger) {
  std::vector<DebugStop> out;
  for (const auto &[number, one] : debugger.breakpoints())
    out.push_back({number, one.enabled, !one.text.empty(), one.line, one.inSnippet,
                   text(one.inSnippet ? "line " : "PTX line ", one.line, one.text.empty() ? "" : ", if ", one.text),
                   text(one.inSnippet ? "" : "ptx:", one.line, one.text.empty() ? "" : " if ", one.text)});
  for (const auto &[number, one] : debugger.watchpoints())
    out.push_back({number, one.enabled, false, 0, false, text("watches ", one.text), commandOf(one), one.block});
  std::ranges::sort(out, {}, &DebugStop::number);
  return out;
}

} // namespace

core::Debugger *DebuggerModel::Session::open(Diagnostics &problems) {
  if (debugger_)
    return debugger_.get();
  if (target->withValues)
    if (auto better = target->withValues())
      target = std::move(better);
  auto opened = core::Debugger::open(
      target->ptx, target->launch, target->arrays,
      {.snippet = target->snippet, .seed = target->seed, .strict = target->strict, .timeoutSeconds = kPatience});
  if (!opened) {
    problems = std::move(opened.error());
    return nullptr;
  }
  debugger_ = std::move(*opened);
  if (target->stops)
    stops_ = target->stops(*debugger_);
  return debugger_.get();
}

std::shared_ptr<const DebugMemories> DebuggerModel::Session::memories() {
  if (memories_)
    return memories_;
  auto made = std::make_shared<DebugMemories>();
  if (target->values)
    made->tiles = target->values->tiles(*debugger_);
  for (const core::TensorArray &each : target->tensorArrays)
    if (auto map = layouts::TmemMap::of(each.array.layout, layouts::matrixShape(each.array),
                                        layouts::bitwidth(each.array.dtype)))
      made->tensors.push_back({each, *std::move(map)});
  return memories_ = std::move(made);
}

std::shared_ptr<const DebugPage> DebuggerModel::Session::page(DebugPanel panel, const std::string &value) {
  core::Debugger &debugger = *debugger_;
  auto page = std::make_shared<DebugPage>();
  page->panel = panel;
  page->stop = debugger.stop();
  page->focus = debugger.focus();
  page->grid = target->launch.grid;
  page->devices = target->launch.deviceCount();
  lastIsEnd_ |= page->stop.reason == core::StopReason::End || page->stop.reason == core::StopReason::Fault;
  last_ = std::max(last_, page->stop.moment);
  page->last = last_;
  page->lastIsEnd = lastIsEnd_;
  page->warps = debugger.warps();
  page->barriers = debugger.barriers(page->focus.block);
  page->flights = debugger.flights();
  if (panel == DebugPanel::Waits)
    page->waits = debugger.waits();
  page->shared = debugger.shared(page->focus.block);
  if (panel == DebugPanel::Shared || panel == DebugPanel::Tensor)
    page->memories = memories();
  if (panel == DebugPanel::Tensor)
    page->tensor = debugger.tensorMemory(page->focus.block);
  if (panel == DebugPanel::Arrays)
    page->arrays = debugger.arrays();
  page->registers = debugger.registers(page->focus);
  page->stops = stopsOf(debugger);
  page->findings = debugger.findings();
  if (target->values)
    page->valueNames = target->values->names();
  if (panel == DebugPanel::Values && target->values && !page->valueNames.empty()) {
    bool known = std::ranges::find(page->valueNames, value) != page->valueNames.end();
    page->valueName = known ? value : page->valueNames.front();
    if (auto found = target->values->value(debugger, page->valueName, page->focus))
      page->value = *std::move(found);
    else
      page->valueProblem = found.error().front().message;
  }
  if (stops_)
    if (Diagnostics problems = stops_->takeProblems(); !problems.empty())
      say(text("the condition could not be evaluated, and counts as true: ", problems.front().message), true);
  page->said = std::exchange(said_, {});
  page->refused = refused_;
  return page;
}

void DebuggerModel::Session::say(std::string words, bool isError) {
  said_ = std::move(words);
  refused_ = isError;
}

void DebuggerModel::Session::obey(const std::string &words) {
  if (!stops_)
    return say("this run stops only at lines: F9, or a click beside a line", true);
  auto done = stops_->obey(words);
  if (done)
    say(*std::move(done), false);
  else
    say(done.error().front().message, true);
}

void DebuggerModel::Session::interrupt(bool forGood) {
  std::lock_guard lock(mutex_);
  closed_ |= forGood;
  if (running_)
    debugger_->interrupt();
}

bool DebuggerModel::Session::setRunning(bool runs) {
  std::lock_guard lock(mutex_);
  running_ = runs && !closed_;
  return running_;
}

} // namespace lanescope::viz
