// The command palette (Ctrl+K): a list of everything that can be done, shown or opened, which the user can search. If
// the user types a path (`/`, `./`, `~/` …), it lists files. Ctrl+O begins with the recently opened files.
//
//   std::vector<PaletteEntry> all = paletteEntries(workspace);
//   matching(all, "wgmma row")          ->  the layout WGMMA_ROW first, then the other entries with both words
//   matching(all, "step back")          ->  `Debugger: line back` first, by a synonym (PaletteSynonyms.cpp)
//   all[i].run(workspace)
//
// The palette takes its entries from their owners (views, pictures, the catalogue, the host's files and documents). So
// it also finds items that are added there. CommandPalette.cpp lists only the small actions of the window itself.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lanescope::viz {

class Workspace;
struct Theme;

struct PaletteEntry {
  /// "start", "view", "picture", "action", "access", "text", "cost", "recent", "layout", "sample", "document",
  /// "folder", "file"
  std::string kind;
  std::string name, about;
  std::function<void(Workspace &)> run;
  std::string_view synonyms = {}; // other names for the entry: "stall, why slow"
};

struct PaletteModel {
  enum class Mode {
    Everything,
    Files, // recent files, samples, documents
    Save   // a path for the workspace
  };
  bool open = false;
  Mode mode = Mode::Everything;
  std::string query;
  size_t chosen = 0; // index among the entries that match
  std::vector<PaletteEntry> entries = {};
};

/// All entries that are available now.
std::vector<PaletteEntry> paletteEntries(Workspace &workspace,
                                         PaletteModel::Mode mode = PaletteModel::Mode::Everything);
/// Adds the entries that arrange panels, side bars, tabs, pictures and texts (PaletteArranging.cpp).
void addArranging(std::vector<PaletteEntry> &out);
/// The name of an entry, and its other names in lower case, separated by commas.
struct Synonyms {
  std::string_view name, words;
};
std::span<const Synonyms> synonyms();
/// The indices of the entries that contain every word of the query. Upper and lower case are the same. An exact match
/// comes first. Then follow names that begin with the words, names that contain them, synonyms, kinds and descriptions.
/// An empty query matches all entries.
std::vector<size_t> matching(const std::vector<PaletteEntry> &entries, std::string_view query);

/// The entries that complete a path which the user is typing. Choosing a folder continues the path, and choosing a file
/// opens it.
std::vector<PaletteEntry> pathEntries(std::string_view begun);
/// True if a query is the beginning of a path.
bool isPathBegun(std::string_view query);

/// Opens the palette with the current entries, or closes it.
void togglePalette(Workspace &workspace, PaletteModel::Mode mode = PaletteModel::Mode::Everything);
/// Draws the palette over the window. Enter or a click runs the chosen entry, and Escape closes the palette.
void drawPalette(Workspace &workspace, const Theme &theme);

} // namespace lanescope::viz
