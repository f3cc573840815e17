// Runs a script's commands on a workspace, with the same mouse and keyboard input as that of a user.
//
//   ScriptRunner runner(commands);
//   each frame:  ScriptStep step = runner.next(workspace, focused);   // this frame's mouse and keys
//
// A command begins only when the work of the previous one is done. So scripts need no pauses of a guessed length.
#pragma once

#include "viz/gui/style/KeyNames.h"
#include "viz/gui/window/Script.h"
#include "viz/gui/window/WindowWorkspace.h"

#include <chrono>
#include <deque>

namespace lanescope::viz {

/// The input of one frame.
struct ScriptStep {
  ImVec2 pointer{-FLT_MAX, -FLT_MAX};
  bool down = false;
  float wheel = 0;
  std::string characters;
  std::optional<KeyPress> key;
  std::optional<std::string> screenshot; // path of a picture to save after this frame is drawn
  bool focusConsole = false;
  CodePlace line = {}; // at the beginning of the frame, moves the pointer to the place of this line
};

class ScriptRunner {
public:
  explicit ScriptRunner(std::vector<ScriptCommand> commands) : commands_(std::move(commands)) {}

  /// The input for the next frame. `textFieldActive`: a text field has the keyboard.
  ScriptStep next(Workspace &workspace, bool textFieldActive);
  bool done() const { return stopped_ || (at_ >= commands_.size() && plan_.empty() && wait_ <= 0 && checked_); }
  const Diagnostics &problems() const { return problems_; }
  /// Records that a screenshot could not be saved.
  void fail(Diagnostics problems);

private:
  void begin(const ScriptCommand &command, Workspace &workspace, bool textFieldActive);
  void beginView(const std::string &name, Workspace &workspace);
  void beginField(const ScriptCommand &command, Workspace &workspace);
  void beginSnippet(const ScriptCommand &command, Workspace &workspace);
  void beginFile(const ScriptCommand &command, Workspace &workspace);
  void beginDebugger(const ScriptCommand &command, Workspace &workspace);
  void beginDump(const ScriptCommand &command, Workspace &workspace);
  void beginColour(const ScriptCommand &command, Workspace &workspace);
  void beginPointer(const ScriptCommand &command, Workspace &workspace);
  void beginCode(const std::string &texts, Workspace &workspace);
  void beginLine(const ScriptCommand &command, Workspace &workspace);
  /// Checks the command that has ended. If its work has failed, records a problem.
  void checkOutcome(const Workspace &workspace);
  void problem(std::string message, bool stops = true);
  void plan(ScriptStep step, int frames = 1);
  /// Plans a press of the mouse button at the step's place, and its release.
  void planClick(ScriptStep step);

  std::vector<ScriptCommand> commands_;
  size_t at_ = 0;
  const ScriptCommand *current_ = nullptr;
  std::deque<ScriptStep> plan_;
  ImVec2 pointer_{-FLT_MAX, -FLT_MAX};
  int wait_ = 3;                          // in frames; the first frames are for the layout of the window
  bool stopped_ = false, checked_ = true; // `checked_`: checkOutcome() has run for the current command
  std::chrono::steady_clock::time_point quietSince_ = std::chrono::steady_clock::now();
  Diagnostics problems_;
};

} // namespace lanescope::viz
