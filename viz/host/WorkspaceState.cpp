#include "viz/host/WorkspaceState.h"

#include "core/data/Files.h"
#include "layouts/support/Text.h"
#include "layouts/support/Utf8.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdlib>

namespace lanescope::viz {

namespace {

using nlohmann::json;
namespace fs = std::filesystem;

constexpr int kWorkspaceVersion = 1;

/// Reads an object's fields, and remembers the first field with a wrong type.
struct FieldReader {
  const json &object;
  std::string wrong;

  const json *find(const char *name, bool (json::*is)() const noexcept, const char *type) {
    auto at = object.find(name);
    if (at == object.end())
      return nullptr;
    if (((*at).*is)())
      return &*at;
    if (wrong.empty())
      wrong = text("`", name, "` must be ", type);
    return nullptr;
  }
  void read(const char *name, std::string &out) {
    if (const json *at = find(name, &json::is_string, "a text"))
      out = at->get<std::string>();
  }
  void read(const char *name, bool &out) {
    if (const json *at = find(name, &json::is_boolean, "true or false"))
      out = at->get<bool>();
  }
  void read(const char *name, float &out, float least, float most) {
    if (const json *at = find(name, &json::is_number, "a number"))
      out = std::clamp(at->get<float>(), least, most);
  }
  /// Reads a list of numbers in (0, 1], and scales them so that their sum is 1.
  void readShares(const char *name, std::vector<float> &out) {
    std::vector<float> read;
    float sum = 0;
    if (const json *at = find(name, &json::is_array, "a list of numbers"))
      for (const json &each : *at)
        if (each.is_number() && each.get<double>() > 0 && each.get<double>() <= 1)
          sum += read.emplace_back(each.get<float>());
    for (float &share : read)
      share /= sum;
    out = std::move(read);
  }
  void read(const char *name, FoldWish &out) {
    if (const json *at = find(name, &json::is_string, "a text"))
      out = foldNamed(at->get<std::string>()).value_or(out);
  }
  void read(const char *name, size_t &out) {
    if (const json *at = find(name, &json::is_number_unsigned, "a number of at least 0"))
      out = at->get<size_t>();
  }
  void read(const char *name, std::vector<std::string> &out) {
    if (const json *at = find(name, &json::is_array, "a list of texts"))
      for (const json &each : *at)
        if (each.is_string())
          out.push_back(each.get<std::string>());
  }
  void read(const char *name, std::map<std::string, std::string> &out) {
    if (const json *at = find(name, &json::is_object, "an object of texts"))
      for (const auto &[key, value] : at->items())
        if (value.is_string())
          out[key] = value.get<std::string>();
  }
  void read(const char *name, std::optional<std::pair<double, double>> &out) {
    const json *at = find(name, &json::is_array, "two numbers");
    if (at && at->size() == 2 && (*at)[0].is_number() && (*at)[1].is_number())
      out = {(*at)[0].get<double>(), (*at)[1].get<double>()};
  }
};

json docksToJson(const Docks &docks) {
  json out = json::array();
  for (const Dock &dock : docks)
    out.push_back(
        {{"panel", name(dock.panel)}, {"side", name(dock.side)}, {"width", dock.width}, {"height", dock.height}});
  return out;
}

/// Reads the panels. Unknown names are ignored, and panels that are missing get their default place.
void readDocks(FieldReader &fields, Docks &docks) {
  const json *list = fields.find("docks", &json::is_array, "a list of panels");
  if (!list)
    return;
  Docks read;
  for (const json &each : *list) {
    FieldReader dock{each, {}};
    std::string panel, side;
    Dock out;
    if (!each.is_object())
      continue;
    dock.read("panel", panel);
    dock.read("side", side);
    dock.read("width", out.width, 0, kMostShare);
    dock.read("height", out.height, 0, kMostShare);
    auto which = dockPanelNamed(panel);
    if (!which || std::ranges::find(read, *which, &Dock::panel) != read.end())
      continue;
    out.panel = *which, out.side = dockSideNamed(side).value_or(DockSide::Left);
    read.push_back(out);
  }
  for (const Dock &usual : docks)
    if (std::ranges::find(read, usual.panel, &Dock::panel) == read.end())
      read.push_back(usual);
  docks = std::move(read);
}

json viewsToJson(const std::map<std::string, ViewArrangement> &views) {
  json out = json::object();
  for (const auto &[view, each] : views)
    out[view] = {{"side_fold", name(each.side.folding.wish)},
                 {"side_left", each.side.left},
                 {"side_share", each.side.share},
                 {"columns", each.grid.columns},
                 {"rows", each.grid.rows}};
  return out;
}

void readViews(FieldReader &fields, std::map<std::string, ViewArrangement> &views) {
  const json *object = fields.find("views", &json::is_object, "an object by views");
  if (!object)
    return;
  for (const auto &[view, each] : object->items()) {
    if (!each.is_object())
      continue;
    FieldReader reader{each, {}};
    ViewArrangement &out = views[view];
    reader.read("side_fold", out.side.folding.wish);
    reader.read("side_left", out.side.left);
    reader.read("side_share", out.side.share, 0, kMostShare);
    reader.readShares("columns", out.grid.columns);
    reader.readShares("rows", out.grid.rows);
  }
}

/// The state as JSON. Paths of files in `folder` are written relative to it. If `folder` is empty, all paths are
/// unchanged.
json toJson(const WorkspaceState &state, const fs::path &folder) {
  json files = json::array();
  for (const std::string &file : state.files) {
    std::error_code ignored;
    fs::path whole = fs::absolute(file, ignored);
    fs::path near = folder.empty() ? fs::path() : whole.lexically_relative(folder);
    files.push_back(validUtf8(near.empty() || *near.begin() == ".." ? whole.string() : near.string()));
  }
  json out = {{"lanescope", "workspace"},
              {"version", kWorkspaceVersion},
              {"files", files},
              {"parameters", state.parameters},
              {"view", state.view},
              {"pictures", state.pictures},
              {"editor", state.editor},
              {"line", state.line},
              {"column", state.column},
              {"files_fold", name(state.arrangement.files.wish)},
              {"console_fold", name(state.arrangement.console.wish)},
              {"docks", docksToJson(state.arrangement.docks)},
              {"views", viewsToJson(state.arrangement.views)},
              {"tabs", state.arrangement.tabs},
              {"picture_order", state.pictureOrder},
              {"text_order", state.textOrder},
              {"dark", state.dark},
              {"scale", state.scale}};
  if (state.range)
    out["range"] = {state.range->first, state.range->second};
  return out;
}

Result<WorkspaceState> fromJson(const json &object, const fs::path &folder) {
  if (!object.is_object() || object.value("lanescope", json()) != "workspace")
    return error("workspace-file", "this is no workspace of Lanescope: `\"lanescope\": \"workspace\"` is not in it");
  WorkspaceState out;
  FieldReader fields{object, {}};
  fields.read("files", out.files);
  fields.read("parameters", out.parameters);
  fields.read("view", out.view);
  fields.read("pictures", out.pictures);
  fields.read("range", out.range);
  fields.read("editor", out.editor);
  fields.read("line", out.line);
  fields.read("column", out.column);
  fields.read("files_fold", out.arrangement.files.wish);
  fields.read("console_fold", out.arrangement.console.wish);
  fields.read("tabs", out.arrangement.tabs);
  fields.read("picture_order", out.pictureOrder);
  fields.read("text_order", out.textOrder);
  readDocks(fields, out.arrangement.docks);
  readViews(fields, out.arrangement.views);
  fields.read("dark", out.dark);
  fields.read("scale", out.scale, 0.5f, 4);
  if (!fields.wrong.empty())
    return error("workspace-file", fields.wrong);
  for (std::string &file : out.files)
    if (!folder.empty() && fs::path(file).is_relative())
      file = (folder / file).lexically_normal().string();
  return out;
}

fs::path folderOf(const fs::path &path) {
  std::error_code ignored;
  return fs::absolute(path, ignored).parent_path();
}

/// The JSON text. Bytes that are not UTF-8 are replaced.
std::string written(const json &object) { return object.dump(2, ' ', false, json::error_handler_t::replace) + "\n"; }

/// The parsed text, or a discarded value if it is not JSON. (The library is built without exceptions.)
json parsed(std::string_view content) { return json::parse(content, nullptr, false); }

} // namespace

Result<void> saveWorkspace(const fs::path &path, const WorkspaceState &state) {
  return core::writeFile(path, written(toJson(state, folderOf(path))));
}

Result<WorkspaceState> loadWorkspace(const fs::path &path) {
  auto source = core::readSource(path, core::FileRole::Json);
  if (!source)
    return std::unexpected(std::move(source.error()));
  auto state = fromJson(parsed((*source)->text()), folderOf(path));
  if (!state)
    return at({*source, 0, 0}, std::move(state.error()));
  return state;
}

fs::path keptStateFile() {
  if (const char *state = std::getenv("XDG_STATE_HOME"); state && *state)
    return fs::path(state) / "lanescope" / "window.json";
  if (const char *home = std::getenv("HOME"); home && *home)
    return fs::path(home) / ".local" / "state" / "lanescope" / "window.json";
  return {};
}

KeptState loadKept(const fs::path &path) {
  KeptState out;
  std::error_code ignored;
  if (path.empty() || !fs::is_regular_file(path, ignored)) // reading a pipe would block
    return out;
  auto source = core::readSource(path, core::FileRole::Json);
  json object = source ? parsed((*source)->text()) : json();
  if (!object.is_object())
    return out;
  FieldReader fields{object, {}};
  fields.read("recent", out.recent);
  fields.read("unsaved", out.unsaved);
  if (auto last = object.find("last"); last != object.end())
    if (auto state = fromJson(*last, {}))
      out.last = *std::move(state);
  return out;
}

Result<void> saveKept(const fs::path &path, const KeptState &kept) {
  if (path.empty())
    return {};
  std::error_code problem; // ignored, because writing reports it if the folder does not exist
  if (fs::exists(path, problem) && !fs::is_regular_file(path, problem))
    return error("unwritable-file", Message("`{path}` is no file, so nothing is kept there", path.string()));
  fs::create_directories(path.parent_path(), problem);
  json unsaved = json::object(), recent = json::array();
  for (const auto &[file, content] : kept.unsaved)
    unsaved[validUtf8(file)] = content;
  for (const std::string &file : kept.recent)
    recent.push_back(validUtf8(file));
  json out = {{"recent", recent}, {"unsaved", unsaved}};
  if (kept.last)
    out["last"] = toJson(*kept.last, {});
  return core::writeFile(path, written(out));
}

} // namespace lanescope::viz
