#include "viz/gui/debugger/DebuggerModel.h"

#include "core/gpu/emulator/debug/Debugger.h"

#include <mutex>

namespace lanescope::viz {

namespace {

constexpr double kPatience = 60; // seconds of one step

std::shared_ptr<const DebugPage> taken(core::Debugger &debugger, const DebugTarget &target, DebugPanel panel,
                                       const std::string &value, uint64_t last, bool lastIsEnd) {
  auto page = std::make_shared<DebugPage>();
  page->panel = panel;
  page->stop = debugger.stop();
  page->focus = debugger.focus();
  page->last = last;
  page->lastIsEnd = lastIsEnd;
  page->warps = debugger.warps();
  page->barriers = debugger.barriers(page->focus.block);
  page->flights = debugger.flights();
  if (panel == DebugPanel::Waits)
    page->waits = debugger.waits();
  page->shared = debugger.shared(page->focus.block);
  if (panel == DebugPanel::Arrays)
    page->arrays = debugger.arrays();
  page->registers = debugger.registers(page->focus);
  for (const auto &[number, breakpoint] : debugger.breakpoints())
    (breakpoint.inSnippet ? page->snippetBreaks : page->ptxBreaks).insert(breakpoint.line);
  page->findings = debugger.findings();
  if (target.values)
    page->valueNames = target.values->names();
  if (panel == DebugPanel::Values && target.values && !page->valueNames.empty()) {
    bool known = std::ranges::find(page->valueNames, value) != page->valueNames.end();
    page->valueName = known ? value : page->valueNames.front();
    if (auto found = target.values->value(debugger, page->valueName, page->focus))
      page->value = *std::move(found);
    else
      page->valueProblem = found.error().front().message;
  }
  return page;
}

} // namespace

/// What the worker's jobs share: the debugger, and how far the run has been seen to go.
struct DebuggerModel::Session {
  std::shared_ptr<const DebugTarget> target;
  std::unique_ptr<core::Debugger> debugger; // made and used by jobs
  std::mutex mutex;                         // guards `running`
  core::Debugger *running = nullptr;        // to interrupt
  uint64_t last = 0;
  bool lastIsEnd = false;
};

DebuggerModel::DebuggerModel() = default;
DebuggerModel::~DebuggerModel() { interrupt(); }

void DebuggerModel::offer(std::shared_ptr<const DebugTarget> target, Requests &requests) {
  interrupt();
  bool faulted = target->faulted;
  target_ = std::move(target);
  session_.reset();
  page_.reset();
  problems_.clear();
  cursorLine = 0;
  array = target_->shownArray;
  ptxInFront = target_->snippet == nullptr;
  if (faulted)
    perform(DebugAction::Fault, requests);
}

void DebuggerModel::interrupt() {
  if (!session_)
    return;
  std::lock_guard lock(session_->mutex);
  if (session_->running)
    session_->running->interrupt();
}

void DebuggerModel::post(const std::string &tag, Requests &requests, Work work) {
  if (!target_)
    return;
  if (!session_) {
    session_ = std::make_shared<Session>();
    session_->target = target_;
  }
  busy_ = true;
  requests.post(
      tag, [this, session = session_, panel = panel_, value = value_, work = std::move(work)]() -> Requests::Delivery {
        Diagnostics problems;
        if (!session->debugger) {
          if (session->target->withValues)
            if (auto better = session->target->withValues())
              session->target = std::move(better);
          const DebugTarget &target = *session->target;
          auto opened = core::Debugger::open(
              target.ptx, target.launch, target.arrays,
              {.snippet = target.snippet, .seed = target.seed, .strict = target.strict, .timeoutSeconds = kPatience});
          if (opened)
            session->debugger = std::move(*opened);
          else
            problems = std::move(opened.error());
        }
        std::shared_ptr<const DebugPage> page;
        if (core::Debugger *debugger = session->debugger.get()) {
          {
            std::lock_guard lock(session->mutex);
            session->running = debugger;
          }
          work(*debugger);
          {
            std::lock_guard lock(session->mutex);
            session->running = nullptr;
          }
          const core::Stop &stop = debugger->stop();
          session->lastIsEnd |= stop.reason == core::StopReason::End || stop.reason == core::StopReason::Fault;
          session->last = std::max(session->last, stop.moment);
          page = taken(*debugger, *session->target, panel, value, session->last, session->lastIsEnd);
        }
        return [this, session, target = session->target, page = std::move(page), problems = std::move(problems)] {
          if (session != session_) // another run was opened meanwhile
            return;
          busy_ = false;
          target_ = target; // opened, it may be of other code
          page_ = page;
          problems_ = problems;
          ++pageNumber_;
          cursorLine = 0;
        };
      });
}

void DebuggerModel::perform(DebugAction action, Requests &requests) {
  using core::StepBy, core::Way;
  post("debugger " + std::to_string(++jobs_), requests, [action](core::Debugger &debugger) {
    switch (action) {
    case DebugAction::Start: debugger.goTo(0); break;
    case DebugAction::ContinueBack: debugger.resume(Way::Back); break;
    case DebugAction::LineBack: debugger.step(StepBy::Line, Way::Back); break;
    case DebugAction::InstructionBack: debugger.step(StepBy::Instruction, Way::Back); break;
    case DebugAction::Instruction: debugger.step(StepBy::Instruction); break;
    case DebugAction::Line: debugger.step(StepBy::Line); break;
    case DebugAction::Event: debugger.step(StepBy::Event); break;
    case DebugAction::Continue: debugger.resume(); break;
    case DebugAction::Fault: debugger.runToFault(); break;
    case DebugAction::End: debugger.goTo(UINT64_MAX); break;
    }
  });
}

void DebuggerModel::goTo(uint64_t moment, Requests &requests) {
  // One tag: while someone drags, only the newest place is gone to.
  post("debugger scrub", requests, [moment](core::Debugger &debugger) { debugger.goTo(moment); });
}

void DebuggerModel::showPanel(DebugPanel panel, Requests &requests) {
  panel_ = panel;
  if (page_ && page_->panel != panel)
    post("debugger panel", requests, [](core::Debugger &) {});
}

void DebuggerModel::showValue(const std::string &name, Requests &requests) {
  value_ = name;
  panel_ = DebugPanel::Values;
  if (page_)
    post("debugger panel", requests, [](core::Debugger &) {});
}

void DebuggerModel::setFocus(core::WarpRef warp, Requests &requests) {
  post("debugger focus", requests, [warp](core::Debugger &debugger) { debugger.setFocus(warp); });
}

void DebuggerModel::toggleBreakpoint(uint32_t line, bool inSnippet, Requests &requests) {
  post("debugger " + std::to_string(++jobs_), requests, [line, inSnippet](core::Debugger &debugger) {
    for (const auto &[number, breakpoint] : debugger.breakpoints())
      if (breakpoint.line == line && breakpoint.inSnippet == inSnippet) {
        debugger.remove(number);
        return;
      }
    // A line without code behind it keeps no breakpoint: the gutter shows none.
    (void)debugger.breakAt({.line = line, .inSnippet = inSnippet});
  });
}

uint32_t DebuggerModel::lineInFront() const {
  if (!page_)
    return 0;
  for (const core::WarpPlace &warp : page_->warps)
    if (warp.warp == page_->focus && !warp.places.empty())
      return ptxInFront ? warp.places.front().ptxLine : warp.places.front().snippetLine;
  return 0;
}

uint32_t DebuggerModel::faultLine() const {
  if (!page_ || !page_->stop.fault)
    return 0;
  const Source *front = ptxInFront ? target_->ptx.get() : target_->snippet.get();
  auto lineIn = [&](const Span &span) {
    return span.source && span.source.get() == front ? front->lineColumn(span.begin).line : 0;
  };
  if (uint32_t line = lineIn(page_->stop.fault->span))
    return line;
  for (const Note &note : page_->stop.fault->notes) // the instruction of the PTX is a note
    if (uint32_t line = lineIn(note.span))
      return line;
  return 0;
}

} // namespace lanescope::viz
