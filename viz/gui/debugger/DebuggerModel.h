// A kernel's run under the debugger: where it stands, what is there, and what to do next. No Dear ImGui in here.
//
//   DebuggerModel model;
//   model.offer(target, requests);                       // a run that faulted opens at the moment before
//   model.perform(DebugAction::Continue, requests);      // returns at once; the page comes in a later frame
//   model.page()->barriers                               // as plain data, all of one moment
//
// The debugger (core/gpu/emulator/debug) is used on the worker's thread alone: each job goes somewhere and takes a page
// of all that the view shows.
#pragma once

#include "core/gpu/emulator/debug/DebugTypes.h"
#include "viz/gui/debugger/DebuggerActions.h"
#include "viz/host/DebugTarget.h"
#include "viz/host/Requests.h"

#include <atomic>
#include <memory>
#include <set>

namespace lanescope::core {
class Debugger;
}

namespace lanescope::viz {

enum class DebugPanel { Warps, Values, Barriers, Flights, Waits, Shared, Arrays, Registers };

/// All that is seen at one standstill. Barriers and shared memory are those of the block in focus; what costs much is
/// there when its panel is.
struct DebugPage {
  DebugPanel panel = DebugPanel::Warps;
  core::Stop stop;
  core::WarpRef focus;
  uint64_t last = 0;      // moment up to which is known that there is something
  bool lastIsEnd = false; // nothing is behind it
  std::vector<core::WarpPlace> warps;
  std::vector<core::BarrierState> barriers;
  std::vector<core::Flight> flights;
  std::vector<core::WaitEdge> waits; // of Waits: to know them the run goes on for a while, and back
  core::SharedMemory shared;
  std::vector<core::Array> arrays;            // of Arrays
  std::vector<core::RegisterValue> registers; // of the warp in focus
  std::vector<std::string> valueNames;        // of the snippet
  std::string valueName;                      // of Values: what `value` is of
  std::optional<DebugValue> value;
  std::string valueProblem;                    // why there is none; empty: nothing was asked for
  std::set<uint32_t> snippetBreaks, ptxBreaks; // lines from 1
  Diagnostics findings;                        // hazards and notes so far
};

class DebuggerModel {
public:
  DebuggerModel();
  ~DebuggerModel();
  DebuggerModel(const DebuggerModel &) = delete;
  DebuggerModel &operator=(const DebuggerModel &) = delete;

  /// A run that can be opened; another one that is open is closed. One that faulted is opened.
  void offer(std::shared_ptr<const DebugTarget> target, Requests &requests);
  const DebugTarget *target() const { return target_.get(); }
  /// Null: not opened yet, or it cannot be (problems()).
  const DebugPage *page() const { return page_.get(); }
  const Diagnostics &problems() const { return problems_; }
  /// Something is under way.
  bool busy() const { return busy_; }

  void perform(DebugAction action, Requests &requests);
  void goTo(uint64_t moment, Requests &requests);
  void setFocus(core::WarpRef warp, Requests &requests);
  /// Sets or takes away the breakpoint of a line, from 1.
  void toggleBreakpoint(uint32_t line, bool inSnippet, Requests &requests);
  void showPanel(DebugPanel panel, Requests &requests);
  /// The value that the panel of values shows, in front.
  void showValue(const std::string &name, Requests &requests);
  DebugPanel panel() const { return panel_; }
  /// Ends what is under way.
  void interrupt();

  bool ptxInFront = false;
  size_t array = 0;           // that the panel shows
  bool arrayAsPicture = true; // else as numbers
  bool valueAsPicture = true; // likewise, of a value
  uint32_t cursorLine = 0;    // that F9 is about, from 1; 0: where the run stands

  /// The line where the warp in focus stands, in the text in front; 0: nowhere.
  uint32_t lineInFront() const;
  /// The line of the text in front that the fault is told at, where the run stands before one; 0: none.
  uint32_t faultLine() const;
  /// Counts pages: a new one wants its line in sight.
  uint64_t pageNumber() const { return pageNumber_; }

private:
  struct Session;
  using Work = std::function<void(core::Debugger &)>;
  void post(const std::string &tag, Requests &requests, Work work);

  std::shared_ptr<const DebugTarget> target_;
  std::shared_ptr<Session> session_; // null: nothing is open
  std::shared_ptr<const DebugPage> page_;
  Diagnostics problems_;
  DebugPanel panel_ = DebugPanel::Warps;
  std::string value_; // of the panel of values
  bool busy_ = false;
  uint64_t jobs_ = 0, pageNumber_ = 0;
};

} // namespace lanescope::viz
