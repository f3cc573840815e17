// The command palette (Ctrl+K): one list of everything that can be done, shown or opened, found by typing. A path that
// is typed (`/`, `./`, `~/` …) lists files; Ctrl+O begins with those opened last.
//
//   std::vector<PaletteEntry> all = paletteEntries(workspace);
//   matching(all, "wgmma row")          ->  the layout WGMMA_ROW first, then what else has both words
//   matching(all, "step back")          ->  `Debugger: line back` first: people call it so (PaletteSynonyms.cpp)
//   all[i].run(workspace)
//
// Its lists are those of their owners (views, pictures, the catalogue, the host's files and documents), so that what is
// added there is found here; only the small actions of the window are listed in Palette.cpp.
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
  std::string_view synonyms = {}; // what else people call it: "stall, why slow"
};

struct PaletteModel {
  enum class Mode {
    Everything,
    Files, // what was opened last, samples, documents
    Save   // a path for the workspace
  };
  bool open = false;
  Mode mode = Mode::Everything;
  std::string query;
  size_t chosen = 0; // of the matching ones
  std::vector<PaletteEntry> entries = {};
};

/// All there is now.
std::vector<PaletteEntry> paletteEntries(Workspace &workspace,
                                         PaletteModel::Mode mode = PaletteModel::Mode::Everything);
/// What arranges panels, side bars, tabs, pictures and texts (PaletteArranging.cpp).
void addArranging(std::vector<PaletteEntry> &out);
/// An entry's name, and what people call it, in lower case, with commas between.
struct Synonyms {
  std::string_view name, words;
};
std::span<const Synonyms> synonyms();
/// Indices of the entries that have every word of the query (upper and lower case alike), best first: one that is
/// called exactly that, names that begin with it, names, synonyms, then kinds and descriptions. All of them for an
/// empty query.
std::vector<size_t> matching(const std::vector<PaletteEntry> &entries, std::string_view query);

/// What a path that is begun may become: folders go on being typed, files are opened.
std::vector<PaletteEntry> pathEntries(std::string_view begun);
/// Whether a query is the begin of a path.
bool isPathBegun(std::string_view query);

/// Opens it with what there is now, or closes it.
void togglePalette(Workspace &workspace, PaletteModel::Mode mode = PaletteModel::Mode::Everything);
/// Draws it over the window; Enter or a click runs the chosen entry, Escape closes it.
void drawPalette(Workspace &workspace, const Theme &theme);

} // namespace lanescope::viz
