// The open files and their runs. The snippet runs again when the user saves it in any editor, edits it in the window's
// editor, or changes a parameter. If a run fails, the pictures of the last good run stay, and are marked as old.
//
//   LiveFiles live(host, requests, editor);
//   live.opened(event);                // the host has opened a file, which is watched from now on
//   each frame:  live.update();        // takes changes on the disk and typed text
//   live.old()                         // "double.py, line 7: expected `)`"; empty if the pictures show the
//                                      // current text
//
// This file does not use Dear ImGui.
#pragma once

#include "viz/gui/editor/EditorModel.h"
#include "viz/host/FileWatch.h"
#include "viz/host/Requests.h"

#include <chrono>
#include <map>

namespace lanescope::viz {

class LiveFiles {
public:
  // After a pause of this length in typing, the text is checked.
  static constexpr auto kPause = std::chrono::milliseconds(250);
  static constexpr size_t kMostRecent = 12;

  LiveFiles(Host &host, Requests &requests, EditorModel &editor);

  /// Handles the host's report that it opened or ran a file.
  void opened(const Opened &event);
  /// Called each frame. True if a file has changed on the disk.
  bool update();
  /// True if a typed text has not been checked yet.
  bool waiting() const { return typed_; }
  void onUpdate(std::function<void()> wake) { watch_.onUpdate(std::move(wake)); }

  /// The path of the file opened last; empty before the first.
  const std::string &current() const { return current_; }
  /// True if program() is a Python program. It runs when it is saved or when the user requests it, but not while the
  /// user types.
  bool ofPython() const { return ofPython_; }
  /// The snippet or program opened last. The parameters and the editor's runs belong to it.
  const std::string &program() const { return program_; }
  /// The reason why the pictures do not show the current text; empty if they do.
  const std::string &old() const { return old_; }
  /// The files in the order in which they were opened, the last one first.
  std::vector<std::string> recent;
  bool whileTyping = true; // runs a text when typing pauses, if its syntax is correct

  const std::vector<ParameterControl> &parameters() const { return parameters_; }
  /// Sets a parameter and runs the snippet again.
  void setParameter(size_t index, std::string value);
  void resetParameters();
  /// True if the parameters are those of a PTX launch. A button runs the launch, even if nothing has changed.
  bool isLaunch() const { return launch_; }

  /// Runs the front program again: the editor's current text, or the file.
  void run();
  /// Writes the editor's text to its file and runs it. If the file has changed on the disk, reports a conflict instead.
  void save();
  void takeTheirs();
  void keepMine();
  /// Puts a new snippet into the editor. It has no file until it is saved.
  void newSnippet();

  /// The unsaved texts by file: the editor's text, and texts that were put aside.
  std::map<std::string, std::string> unsaved() const;
  /// Keeps an unsaved text from an earlier session. The editor gets it when the file is opened.
  void restoreUnsaved(std::string path, std::string text) { kept_[std::move(path)] = std::move(text); }

private:
  void edit(const std::string &path);
  void fileChanged(const std::string &path);
  void look();
  void runAgain(const std::string &path, bool edited);
  void remember(const std::string &path);

  Host &host_;
  Requests &requests_;
  EditorModel &editor_;
  FileWatch watch_;
  std::string current_, program_, old_;
  std::vector<ParameterControl> parameters_;
  bool launch_ = false;                      // see isLaunch()
  std::map<std::string, EditorModel> aside_; // texts that were edited but not saved, and that are not in the editor now
  std::map<std::string, std::string> kept_;  // unsaved texts from an earlier session
  uint64_t seen_ = 0; // the version of the editor's text that update() saw last, or that came from a file
  bool typed_ = false, ofPython_ = false;
  std::chrono::steady_clock::time_point typedAt_;
};

} // namespace lanescope::viz
