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

/// Reads fields of an object; remembers the first one of another type than it must have.
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

/// `folder` empty: paths as they are; else those below it are written relative to it.
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
              {"files_folded", state.filesFolded},
              {"console_folded", state.consoleFolded},
              {"files_width", state.filesWidth},
              {"console_share", state.consoleShare},
              {"editor_share", state.editorShare},
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
  fields.read("files_folded", out.filesFolded);
  fields.read("console_folded", out.consoleFolded);
  fields.read("files_width", out.filesWidth, 120, 600);
  fields.read("console_share", out.consoleShare, 0.1f, 0.8f);
  fields.read("editor_share", out.editorShare, 0.15f, 0.8f);
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

/// Bytes that are no UTF-8 are replaced.
std::string written(const json &object) { return object.dump(2, ' ', false, json::error_handler_t::replace) + "\n"; }

/// Nothing where the text is no JSON. (The library is built without exceptions.)
json parsed(std::string_view content) { return json::parse(content, nullptr, false); }

} // namespace

Result<void> saveWorkspace(const fs::path &path, const WorkspaceState &state) {
  return core::writeFile(path, written(toJson(state, folderOf(path))));
}

Result<WorkspaceState> loadWorkspace(const fs::path &path) {
  auto source = core::readSource(path);
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
  if (path.empty() || !fs::exists(path, ignored))
    return out;
  auto source = core::readSource(path);
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
  std::error_code problem; // where the folder cannot be made, writing says so
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
