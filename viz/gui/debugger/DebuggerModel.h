// A run of a kernel in the debugger: its position, its state there, and the next action. This file does not use Dear
// ImGui.
//
//   DebuggerModel model;
//   model.offer(target);                       // a run that faulted opens at the moment before
//   model.perform(DebugAction::Continue);      // returns at once; the page comes with a later update()
//   model.page()->barriers                     // as plain data, all of one moment
//
// Only the model's own thread uses the debugger (core/gpu/emulator/debug). Each job moves the run, and then makes a
// page with everything that the view shows. So a long run does not delay pictures or live files, and they do not delay
// it.
#pragma once

#include "viz/gui/debugger/DebuggerPage.h"
#include "viz/host/Requests.h"

namespace lanescope::core {
class Debugger;
}

namespace lanescope::viz {

class DebuggerModel {
public:
  DebuggerModel();
  ~DebuggerModel();
  DebuggerModel(const DebuggerModel &) = delete;
  DebuggerModel &operator=(const DebuggerModel &) = delete;

  /// Offers a run to open, and closes the run that is open. A run that faulted is opened at once.
  void offer(std::shared_ptr<const DebugTarget> target);
  const DebugTarget *target() const { return target_.get(); }
  /// The current page; null if the run is not opened yet, or cannot be opened (problems()).
  const DebugPage *page() const { return page_.get(); }
  const Diagnostics &problems() const { return problems_; }

  /// Takes finished pages; called each frame. True if there was one.
  bool update();
  /// True while a job runs or waits.
  bool busy() const { return worker_.busy(); }
  /// Sets a function that the model's thread calls when a page is ready.
  void onUpdate(std::function<void()> wake) { worker_.onUpdate(std::move(wake)); }

  void perform(DebugAction action);
  void goTo(uint64_t moment);
  /// Goes to the first moment at which the warp is at that cycle of the model, and focuses the warp. Shows a slice of a
  /// trace.
  void goToCycle(core::WarpRef warp, uint64_t cycle);
  void setFocus(core::WarpRef warp);
  /// Focuses the next or the previous warp of the block.
  void focusNext(int step);
  /// Sets or removes the breakpoint of a line. Lines count from 1.
  void toggleBreakpoint(uint32_t line, bool inSnippet);
  /// Does the same for the line that the user chose with the arrow keys or, if there is none, for the focused warp's
  /// line. Without a run, does nothing.
  void toggleBreakpointHere();
  /// Runs a command on breakpoints and watchpoints: "46 if warp == 4", "watch out[3, 4]", "delete 2" (DebugStops). The
  /// next page contains the outcome.
  void obey(const std::string &words);
  void removeStop(uint32_t number);
  void enableStop(uint32_t number, bool enabled);
  /// Shows the panel of stops, with the keyboard in its entry. The entry begins with the condition of the chosen line.
  void writeCondition();
  void showPanel(DebugPanel panel);
  /// Shows a value in the panel of values and brings the panel to the front.
  void showValue(const std::string &name);
  DebugPanel panel() const { return panel_; }
  /// Interrupts the running job.
  void interrupt();

  bool ptxInFront = false;
  size_t array = 0;           // index of the array in the panel
  bool arrayAsPicture = true; // false: as numbers
  bool valueAsPicture = true; // the same for a value
  uint32_t cursorLine = 0;    // the line for F9, from 1; 0: the line at which the run has stopped
  std::string stopWords;      // the text in the entry of the panel of stops
  // Requests for the next frame: the entry takes the keyboard, and its cursor goes to the end of its text.
  bool stopsTakeFocus = false, stopsToEnd = false;
  uint32_t sharedWord = 0;                   // the chosen word's address; 0: none
  bool sharedByTile = false;                 // true: words have the colour of their array; false: that of their writer
  uint32_t tensorLane = 0, tensorColumn = 0; // the chosen cell

  /// The focused warp's line in the front text; 0 if it has none.
  uint32_t lineInFront() const;
  /// The line of the front text that the fault's report names, if the run has stopped before a fault; 0 otherwise.
  uint32_t faultLine() const;
  /// The number of pages so far. The view scrolls to the line of each new page.
  uint64_t pageNumber() const { return pageNumber_; }

private:
  struct Session;
  using Work = std::function<void(Session &)>;
  void post(const std::string &tag, Work work);
  void close();

  std::shared_ptr<const DebugTarget> target_;
  std::shared_ptr<Session> session_; // null if no run is open
  std::weak_ptr<Session> closing_;   // the previous session, which may still be running
  std::shared_ptr<const DebugPage> page_;
  Diagnostics problems_;
  DebugPanel panel_ = DebugPanel::Warps;
  std::string value_; // the value that the panel of values shows
  uint64_t jobs_ = 0, pageNumber_ = 0;
  Requests worker_; // the last member, because its jobs use the others
};

} // namespace lanescope::viz
