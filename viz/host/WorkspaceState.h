// The state of a window as a small JSON file. It is kept between sessions, or given to another person.
//
//   WorkspaceState state = workspace.state();
//   saveWorkspace("tuning.lanescope", state);            // files below the folder by their relative paths
//   loadWorkspace("tuning.lanescope")                    // Result<WorkspaceState>: the same
//
// Fields that are missing in a file keep their defaults. Fields of a later version are ignored.
#pragma once

#include "layouts/support/Diagnostic.h"
#include "viz/host/Arrangement.h"

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace lanescope::viz {

struct WorkspaceState {
  std::vector<std::string> files;                 // opened one after another, the last one in front
  std::map<std::string, std::string> parameters;  // the parameters of the last file that differ from their defaults
  std::string view = "layout";                    // the name of the view in front
  std::string pictures;                           // the layout view, as `view(…)`
  std::optional<std::pair<double, double>> range; // the visible part of the trace, in ns
  bool editor = false;                            // the editor is open
  size_t line = 0, column = 0;                    // the editor's cursor, from 0, in bytes
  Arrangement arrangement;
  std::vector<std::string> pictureOrder, textOrder; // the order of the pictures, and the order of the texts, by name
  bool dark = true;
  float scale = 1;
};

/// The state that is kept between sessions: the last window, the opened files, unsaved texts.
struct KeptState {
  std::optional<WorkspaceState> last;
  std::vector<std::string> recent;
  std::map<std::string, std::string> unsaved; // by file
};

/// The suffix of workspace files.
constexpr std::string_view kWorkspaceSuffix = ".lanescope";

Result<void> saveWorkspace(const std::filesystem::path &path, const WorkspaceState &state);
/// Errors: the file cannot be read; "workspace-file": the file is no workspace, or a field has the wrong type.
Result<WorkspaceState> loadWorkspace(const std::filesystem::path &path);

/// `$XDG_STATE_HOME/lanescope/window.json`, or below `~/.local/state`; empty if neither is set.
std::filesystem::path keptStateFile();
/// The kept state. If the file is missing or cannot be read, returns an empty one, so that a window opens anyway.
KeptState loadKept(const std::filesystem::path &path);
Result<void> saveKept(const std::filesystem::path &path, const KeptState &kept);

} // namespace lanescope::viz
