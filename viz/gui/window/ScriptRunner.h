// Performs a script's commands on a workspace, through the same mouse and keyboard that a person would use.
//
//   ScriptRunner runner(commands);
//   each frame:  ScriptStep step = runner.next(workspace, focused);   // what mouse and keys do in this frame
//
// One command begins only when the work that the last one caused is done, so that scripts need no guessed pauses.
#pragma once

#include "viz/gui/style/KeyNames.h"
#include "viz/gui/window/Script.h"
#include "viz/gui/window/Workspace.h"

#include <chrono>
#include <deque>

namespace lanescope::viz {

/// What a frame's input is.
struct ScriptStep {
  ImVec2 pointer{-FLT_MAX, -FLT_MAX};
  bool down = false;
  float wheel = 0;
  std::string characters;
  std::optional<KeyPress> key;
  std::optional<std::string> screenshot; // save after this frame is drawn
  bool focusConsole = false;
  CodePlace line = {}; // the pointer is on this line, where it is when the frame begins
};

class ScriptRunner {
public:
  explicit ScriptRunner(std::vector<ScriptCommand> commands) : commands_(std::move(commands)) {}

  /// Input for the next frame. `textFieldActive`: some text field has the keyboard.
  ScriptStep next(Workspace &workspace, bool textFieldActive);
  bool done() const { return stopped_ || (at_ >= commands_.size() && plan_.empty() && wait_ <= 0 && checked_); }
  const Diagnostics &problems() const { return problems_; }
  /// A screenshot could not be saved.
  void fail(Diagnostics problems);

private:
  void begin(const ScriptCommand &command, Workspace &workspace, bool textFieldActive);
  void beginView(const std::string &name, Workspace &workspace);
  void beginField(const ScriptCommand &command, Workspace &workspace);
  void beginSnippet(const ScriptCommand &command, Workspace &workspace);
  void beginDebugger(const ScriptCommand &command, Workspace &workspace);
  void beginDump(const ScriptCommand &command, Workspace &workspace);
  void beginColour(const ScriptCommand &command, Workspace &workspace);
  void beginPointer(const ScriptCommand &command, Workspace &workspace);
  void beginCode(const std::string &texts, Workspace &workspace);
  void beginLine(const ScriptCommand &command, Workspace &workspace);
  /// What the command that is over did not achieve: work that it began has failed.
  void checkOutcome(const Workspace &workspace);
  void problem(std::string message, bool stops = true);
  void plan(ScriptStep step, int frames = 1);

  std::vector<ScriptCommand> commands_;
  size_t at_ = 0;
  const ScriptCommand *current_ = nullptr;
  std::deque<ScriptStep> plan_;
  ImVec2 pointer_{-FLT_MAX, -FLT_MAX};
  int wait_ = 3;                          // frames; the first ones lay the window out
  bool stopped_ = false, checked_ = true; // checkOutcome() has seen the current command
  std::chrono::steady_clock::time_point quietSince_ = std::chrono::steady_clock::now();
  Diagnostics problems_;
};

} // namespace lanescope::viz
