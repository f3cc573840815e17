// The files that are open, and what becomes of them: a save in anyone's editor, an edit in ours, a parameter that
// moves, all run the snippet again, and a run that fails leaves the last good pictures, which are old from then on.
//
//   LiveFiles live(host, requests, editor);
//   live.opened(event);                // the host has opened a file: it is watched from now on
//   each frame:  live.update();        // what has changed on the disk, what was typed
//   live.old()                         // "double.py, line 7: expected `)`", or empty: pictures are of the text as it
//   is
//
// No Dear ImGui in here.
#pragma once

#include "viz/gui/editor/EditorModel.h"
#include "viz/host/FileWatch.h"
#include "viz/host/Requests.h"

#include <chrono>
#include <map>

namespace lanescope::viz {

class LiveFiles {
public:
  static constexpr auto kPause = std::chrono::milliseconds(250); // in typing, after which a text is looked at
  static constexpr size_t kMostRecent = 12;

  LiveFiles(Host &host, Requests &requests, EditorModel &editor);

  /// The host has opened or run a file.
  void opened(const Opened &event);
  /// True when something changed.
  bool update();
  /// A text was typed that is not looked at yet.
  bool waiting() const { return typed_; }
  void onNews(std::function<void()> wake) { watch_.onNews(std::move(wake)); }

  /// The file opened last, where it was found; empty before the first.
  const std::string &current() const { return current_; }
  /// Whether program() is a Python program, which runs when it is saved or asked for, and not while it is typed.
  bool ofPython() const { return ofPython_; }
  /// The snippet or program opened last: parameters and the editor's runs are of this.
  const std::string &program() const { return program_; }
  /// Why the pictures are not of the text as it is; empty when they are.
  const std::string &old() const { return old_; }
  /// Files by when they were opened, the last one first.
  std::vector<std::string> recent;
  bool whileTyping = true; // a text is run when typing pauses and its syntax is right

  const std::vector<ParameterControl> &parameters() const { return parameters_; }
  /// Sets it and runs the snippet again.
  void setParameter(size_t index, std::string value);
  void resetParameters();
  /// Whether the parameters are a launch of PTX, which a button runs as it stands.
  bool isLaunch() const { return launch_; }

  /// Runs what is in front again: the editor's text as it stands, or the file.
  void run();
  /// Writes the editor's text to its file and runs that. Where the file has changed on the disk, that is said first.
  void save();
  void takeTheirs();
  void keepMine();
  /// A snippet to begin with, in the editor; it has no file until it is saved.
  void newSnippet();

  /// Texts that are not saved, by their files: the editor's and those that were put aside for it.
  std::map<std::string, std::string> unsaved() const;
  /// When that file is opened the editor has this text of an earlier session, not saved.
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
  std::map<std::string, EditorModel> aside_; // edited, not saved, and not in front
  std::map<std::string, std::string> kept_;  // of an earlier session
  uint64_t seen_ = 0;                        // the editor's version that was looked at, or was no edit
  bool typed_ = false, ofPython_ = false;
  std::chrono::steady_clock::time_point typedAt_;
};

} // namespace lanescope::viz
