// What a window looks like, to be kept from one session to the next or given to someone else: a small JSON file.
//
//   WorkspaceState state = workspace.state();
//   saveWorkspace("tuning.lanescope", state);            // files below the folder by their relative paths
//   loadWorkspace("tuning.lanescope")                    // Result<WorkspaceState>: the same
//
// What a file leaves out keeps its default, and fields of a later version are passed over.
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
  std::map<std::string, std::string> parameters;  // of the last one, where they are not its defaults
  std::string view = "layout";                    // the name of the view in front
  std::string pictures;                           // the layout view, as `view(…)`
  std::optional<std::pair<double, double>> range; // of the trace, ns
  bool editor = false;                            // it is open
  size_t line = 0, column = 0;                    // its cursor, from 0, in bytes
  Arrangement arrangement;
  std::vector<std::string> pictureOrder, textOrder; // beside each other, by their names
  bool dark = true;
  float scale = 1;
};

/// What is kept of a person's windows: the last one, the files that were opened, texts that were not saved.
struct KeptState {
  std::optional<WorkspaceState> last;
  std::vector<std::string> recent;
  std::map<std::string, std::string> unsaved; // by file
};

/// The suffix of workspace files.
constexpr std::string_view kWorkspaceSuffix = ".lanescope";

Result<void> saveWorkspace(const std::filesystem::path &path, const WorkspaceState &state);
/// Errors: it cannot be read; "workspace-file": it is no workspace, or a field is of another type.
Result<WorkspaceState> loadWorkspace(const std::filesystem::path &path);

/// `$XDG_STATE_HOME/lanescope/window.json`, or below `~/.local/state`; empty where neither is set.
std::filesystem::path keptStateFile();
/// Nothing where there is none, or none that can be read: a window opens all the same.
KeptState loadKept(const std::filesystem::path &path);
Result<void> saveKept(const std::filesystem::path &path, const KeptState &kept);

} // namespace lanescope::viz
