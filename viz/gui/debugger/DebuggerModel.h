// A kernel's run under the debugger: where it stands, what is there, and what to do next. No Dear ImGui in here.
//
//   DebuggerModel model;
//   model.offer(target);                       // a run that faulted opens at the moment before
//   model.perform(DebugAction::Continue);      // returns at once; the page comes with a later update()
//   model.page()->barriers                     // as plain data, all of one moment
//
// The debugger (core/gpu/emulator/debug) is used on one thread alone, the model's own: each job goes somewhere and
// takes a page of all that the view shows. A long run keeps pictures and live files waiting no more than they keep it.
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

  /// A run that can be opened; another one that is open is closed. One that faulted is opened.
  void offer(std::shared_ptr<const DebugTarget> target);
  const DebugTarget *target() const { return target_.get(); }
  /// Null: not opened yet, or it cannot be (problems()).
  const DebugPage *page() const { return page_.get(); }
  const Diagnostics &problems() const { return problems_; }

  /// Takes what is ready; each frame. True: something was.
  bool update();
  /// Something is under way.
  bool busy() const { return worker_.busy(); }
  /// Called on the model's thread when something is ready.
  void onNews(std::function<void()> wake) { worker_.onNews(std::move(wake)); }

  void perform(DebugAction action);
  void goTo(uint64_t moment);
  void setFocus(core::WarpRef warp);
  /// The block's warp before or behind the one in focus.
  void focusNext(int step);
  /// Sets or takes away the breakpoint of a line, from 1.
  void toggleBreakpoint(uint32_t line, bool inSnippet);
  /// The same of the line that the arrows chose, else of the one where the warp in focus is; nothing without a run.
  void toggleBreakpointHere();
  /// What people write to stop it, or no more: "46 if warp == 4", "watch out[3, 4]", "delete 2" (DebugStops). What came
  /// of it is said in the page.
  void obey(const std::string &words);
  void removeStop(uint32_t number);
  void enableStop(uint32_t number, bool enabled);
  /// The panel of stops, with the keyboard in its entry, which begins with the chosen line's condition.
  void writeCondition();
  void showPanel(DebugPanel panel);
  /// The value that the panel of values shows, in front.
  void showValue(const std::string &name);
  DebugPanel panel() const { return panel_; }
  /// Ends what is under way.
  void interrupt();

  bool ptxInFront = false;
  size_t array = 0;                                // that the panel shows
  bool arrayAsPicture = true;                      // else as numbers
  bool valueAsPicture = true;                      // likewise, of a value
  uint32_t cursorLine = 0;                         // that F9 is about, from 1; 0: where the run stands
  std::string stopWords;                           // in the entry of the panel of stops
  bool stopsTakeFocus = false, stopsToEnd = false; // the entry takes the keyboard, with the cursor behind the text
  uint32_t sharedWord = 0;                         // the chosen one's address; 0: none
  bool sharedByTile = false;                       // its colours: the array that it is of, else who wrote
  uint32_t tensorLane = 0, tensorColumn = 0;       // the chosen cell

  /// The line where the warp in focus stands, in the text in front; 0: nowhere.
  uint32_t lineInFront() const;
  /// The line of the text in front that the fault is told at, where the run stands before one; 0: none.
  uint32_t faultLine() const;
  /// Counts pages: a new one wants its line in sight.
  uint64_t pageNumber() const { return pageNumber_; }

private:
  struct Session;
  using Work = std::function<void(Session &)>;
  void post(const std::string &tag, Work work);
  void close();

  std::shared_ptr<const DebugTarget> target_;
  std::shared_ptr<Session> session_; // null: nothing is open
  std::weak_ptr<Session> closing_;   // the one before, which may still be running
  std::shared_ptr<const DebugPage> page_;
  Diagnostics problems_;
  DebugPanel panel_ = DebugPanel::Warps;
  std::string value_; // of the panel of values
  uint64_t jobs_ = 0, pageNumber_ = 0;
  Requests worker_; // last: its jobs use the rest
};

} // namespace lanescope::viz
