#include "viz/gui/debugger/DebuggerModel.h"

#include "layouts/support/Text.h"
#include "viz/gui/debugger/DebuggerSession.h"

#include <algorithm>
#include <chrono>
#include <thread>

namespace lanescope::viz {

DebuggerModel::DebuggerModel() = default;

DebuggerModel::~DebuggerModel() {
  close();
  while (busy()) { // an interrupt before the job begins to run has no effect, so it is repeated
    if (auto session = closing_.lock())
      session->interrupt(true);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    worker_.deliver();
  }
}

void DebuggerModel::close() {
  if (!session_)
    return;
  session_->interrupt(true);
  closing_ = session_;
  session_.reset();
}

void DebuggerModel::offer(std::shared_ptr<const DebugTarget> target) {
  close();
  bool faulted = target->faulted;
  target_ = std::move(target);
  page_.reset();
  problems_.clear();
  cursorLine = sharedWord = 0;
  tensorLane = tensorColumn = 0;
  array = target_->shownArray;
  ptxInFront = target_->snippet == nullptr;
  if (faulted)
    perform(DebugAction::Fault);
}

bool DebuggerModel::update() {
  if (auto session = closing_.lock()) // as in the destructor, an interrupt may have no effect
    session->interrupt(true);
  return worker_.deliver();
}

void DebuggerModel::interrupt() {
  if (session_)
    session_->interrupt(false);
}

void DebuggerModel::post(const std::string &tag, Work work) {
  if (!target_)
    return;
  if (!session_)
    session_ = std::make_shared<Session>(target_);
  worker_.post(
      tag, [this, session = session_, panel = panel_, value = value_, work = std::move(work)]() -> Requests::Delivery {
        Diagnostics problems;
        std::shared_ptr<const DebugPage> page;
        core::Debugger *debugger = session->open(problems);
        if (debugger && session->setRunning(true)) {
          work(*session);
          page = session->page(panel, value);
          session->setRunning(false);
        }
        return [this, session, target = session->target, page = std::move(page), problems = std::move(problems)] {
          if (session != session_) // the user has opened another run in the meantime
            return;
          target_ = target; // the opened target may have other code
          if (!page || !page_ || page->stop.moment != page_->stop.moment)
            cursorLine = 0;
          page_ = page;
          problems_ = problems;
          ++pageNumber_;
        };
      });
}

void DebuggerModel::perform(DebugAction action) {
  using core::StepBy, core::Way;
  post(text("step ", ++jobs_), [action](Session &session) {
    core::Debugger &debugger = session.debugger();
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

void DebuggerModel::goTo(uint64_t moment) {
  // All these jobs have the same tag. So while the user drags, only the newest place is reached.
  post("scrub", [moment](Session &session) { session.debugger().goTo(moment); });
}

void DebuggerModel::goToCycle(core::WarpRef warp, uint64_t cycle) {
  post("scrub", [warp, cycle](Session &session) { session.debugger().goToCycle(warp, cycle); });
}

void DebuggerModel::showPanel(DebugPanel panel) {
  panel_ = panel;
  if (page_ && page_->panel != panel)
    post("panel", [](Session &) {});
}

void DebuggerModel::showValue(const std::string &name) {
  value_ = name;
  panel_ = DebugPanel::Values;
  if (page_)
    post("panel", [](Session &) {});
}

void DebuggerModel::setFocus(core::WarpRef warp) {
  post("focus", [warp](Session &session) { session.debugger().setFocus(warp); });
}

void DebuggerModel::focusNext(int step) {
  if (!page_)
    return;
  auto here = std::ranges::find(page_->warps, page_->focus, &core::WarpPlace::warp);
  if (here == page_->warps.end())
    return;
  auto count = static_cast<ptrdiff_t>(page_->warps.size()), at = here - page_->warps.begin();
  setFocus(page_->warps[static_cast<size_t>((at + step + count) % count)].warp);
}

void DebuggerModel::toggleBreakpoint(uint32_t line, bool inSnippet) {
  post(text("step ", ++jobs_), [line, inSnippet](Session &session) {
    core::Debugger &debugger = session.debugger();
    for (const auto &[number, breakpoint] : debugger.breakpoints())
      if (breakpoint.line == line && breakpoint.inSnippet == inSnippet) {
        debugger.remove(number);
        return;
      }
    if (auto made = debugger.breakAt({.line = line, .inSnippet = inSnippet}); !made)
      session.say(made.error().front().message, true);
  });
}

void DebuggerModel::toggleBreakpointHere() {
  if (!target())
    return;
  if (uint32_t line = cursorLine ? cursorLine : lineInFront(); line != 0)
    toggleBreakpoint(line, target()->snippet && !ptxInFront);
}

void DebuggerModel::obey(const std::string &words) {
  post(text("step ", ++jobs_), [words](Session &session) { session.obey(words); });
}

void DebuggerModel::removeStop(uint32_t number) {
  post(text("step ", ++jobs_), [number](Session &session) { session.debugger().remove(number); });
}

void DebuggerModel::enableStop(uint32_t number, bool enabled) {
  post(text("step ", ++jobs_), [number, enabled](Session &session) { session.debugger().enable(number, enabled); });
}

void DebuggerModel::writeCondition() {
  uint32_t line = cursorLine ? cursorLine : lineInFront();
  bool ptx = ptxInFront || !target_ || !target_->snippet;
  stopWords = line ? text(ptx ? "ptx:" : "", line, " if ") : std::string();
  stopsTakeFocus = true;
  showPanel(DebugPanel::Stops);
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
  for (const Note &note : page_->stop.fault->notes) // a note refers to the PTX instruction
    if (uint32_t line = lineIn(note.span))
      return line;
  return 0;
}

} // namespace lanescope::viz
