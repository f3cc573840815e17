#include "repl/lang/files/SnippetFiles.h"

#include "core/data/Files.h"
#include "layouts/support/Text.h"
#include "layouts/support/Try.h"
#include "layouts/support/Utf8.h"
#include "layouts/support/Visible.h"

#include <algorithm>
#include <set>

namespace lanescope::repl {

namespace {

namespace fs = std::filesystem;
constexpr char kAccessKind[] = "file-access";

fs::path absoluteOf(const fs::path &path) {
  std::error_code problem;
  fs::path whole = fs::absolute(path.empty() ? fs::path(".") : path, problem);
  whole = (problem ? path : whole).lexically_normal();
  // A path with a `/` at its end has no file name.
  return whole.has_filename() || whole == whole.root_path() ? whole : whole.parent_path();
}

/// The part of `path` below `folder`, found by comparing the texts; nothing if `path` is not below it.
std::optional<fs::path> below(const fs::path &path, const fs::path &folder) {
  fs::path rest = path.lexically_relative(folder);
  if (rest.empty() || *rest.begin() == "..")
    return std::nullopt;
  return rest;
}

std::string listed(const std::vector<fs::path> &folders) {
  std::vector<std::string> names;
  for (const fs::path &folder : folders)
    names.push_back(text("`", folder.string(), "`"));
  return joined(names, ", ");
}

bool isThere(const Diagnostics &problems) { return !problems.empty() && problems.front().kind != "unreadable-file"; }

} // namespace

Result<void> checkName(std::string_view name) {
  constexpr size_t kLongest = 4096; // PATH_MAX
  if (name.empty())
    return error(kAccessKind, "an empty name names no file");
  if (name.size() > kLongest)
    return error(kAccessKind,
                 Message("a name of {bytes} bytes is longer than any file's: `{path}`", name.size(), shownName(name)));
  if (name.find('\n') != name.npos || name.find('\t') != name.npos || visible(name) != name)
    return error(kAccessKind, Message("`{path}` has invisible characters, and a file's name may not have them here",
                                      shownName(name)));
  return {};
}

std::unexpected<Diagnostics> unusableFile(std::string_view what, const std::string &name, const Span &call,
                                          const Diagnostics &problems, bool foreign) {
  constexpr size_t kMostNotes = 8;
  constexpr std::string_view kOfNames[] = {kAccessKind, "unreadable-file", "no-dumps", "several-kernels", "not-a-dump"};
  Diagnostic out{
      Severity::Error, "unusable-file", call, text("`", shownName(name), "` is not ", what, " that can be used"), {}};
  for (const Diagnostic &problem : problems) {
    if (std::ranges::find(kOfNames, problem.kind) != std::end(kOfNames))
      return at(call, {problem});
    if (!foreign && out.notes.size() < kMostNotes)
      out.notes.push_back({problem.span, problem.message});
  }
  return std::unexpected(Diagnostics{std::move(out)});
}

SnippetFiles::SnippetFiles(FileRules rules) : rules_(std::move(rules)) {}

void SnippetFiles::setKeepsInMemory(bool keeps) {
  rules_.keepsInMemory = keeps;
  if (!keeps)
    inMemory_.clear();
}

fs::path SnippetFiles::snippetFolder() const {
  return rules_.snippet.empty() ? fs::path() : absoluteOf(absoluteOf(rules_.snippet).parent_path());
}

fs::path SnippetFiles::outFolder() const {
  if (!rules_.out.empty())
    return absoluteOf(rules_.out);
  return rules_.snippet.empty() ? absoluteOf(".") : snippetFolder();
}

std::vector<fs::path> SnippetFiles::readFolders() const {
  std::vector<fs::path> folders = {outFolder()};
  auto add = [&](const fs::path &folder) {
    if (std::ranges::find(folders, folder) == folders.end())
      folders.push_back(folder);
  };
  if (!rules_.snippet.empty())
    add(snippetFolder());
  add(absoluteOf("."));
  for (const fs::path &folder : rules_.reads)
    add(absoluteOf(folder));
  for (const fs::path &folder : opened_)
    add(folder);
  return folders;
}

Result<std::vector<SnippetFiles::Place>> SnippetFiles::placesOf(const std::string &name) const {
  LANESCOPE_CHECK(checkName(name));
  std::vector<fs::path> folders = readFolders();
  std::vector<Place> places;
  for (const fs::path &start : fs::path(name).is_absolute() ? std::vector<fs::path>{{}} : folders) {
    fs::path whole = start.empty() ? fs::path(name).lexically_normal() : (start / name).lexically_normal();
    // Use the nearest folder that contains the path. The user named that folder, so links on the way to it are allowed.
    const fs::path *nearest = nullptr;
    for (const fs::path &folder : folders)
      if (below(whole, folder) && (!nearest || folder.native().size() > nearest->native().size()))
        nearest = &folder;
    if (nearest)
      places.push_back({*nearest, *below(whole, *nearest)});
  }
  if (places.empty())
    return error(kAccessKind, Message("`{name}` is in none of the folders that may be read: {}; `--read DIR` adds one",
                                      name, listed(folders)));
  return places;
}

template <typename Read>
auto SnippetFiles::firstOf(const std::string &name, const Read &read) const -> decltype(read(Place{})) {
  std::vector<Place> places = LANESCOPE_TRY(placesOf(name));
  auto first = read(places.front());
  for (size_t i = 1; !first && !isThere(first.error()) && i < places.size(); ++i) {
    auto next = read(places[i]);
    if (next || isThere(next.error()))
      return next;
  }
  return first;
}

Result<core::Bytes> SnippetFiles::read(const std::string &name, core::FileRole role) const {
  if (rules_.anywhere)
    return core::readFile(name, role);
  return firstOf(name, [&](const Place &place) -> Result<core::Bytes> {
    if (auto kept = inMemory_.find(place.whole()); kept != inMemory_.end())
      return kept->second;
    return core::readBeneath(place.folder, place.name, role);
  });
}

Result<SourceRef> SnippetFiles::readSource(const std::string &name, core::FileRole role) const {
  if (rules_.anywhere)
    return core::readSource(name, role);
  return firstOf(name, [&](const Place &place) { return core::readSourceBeneath(place.folder, place.name, role); });
}

Result<fs::path> SnippetFiles::folder(const std::string &name) const {
  if (rules_.anywhere)
    return fs::path(name);
  return firstOf(name, [](const Place &place) -> Result<fs::path> {
    if (auto whole = core::checkFolderBeneath(place.folder, place.name); !whole) {
      if (isThere(whole.error()) || core::stampBeneath(place.folder, place.name))
        return std::unexpected(std::move(whole.error()));
      fs::path above = place.name.parent_path();
      LANESCOPE_CHECK(core::checkFolderBeneath(place.folder, above.empty() ? fs::path(".") : above));
    }
    return place.whole();
  });
}

Result<SnippetFiles::Place> SnippetFiles::outPlace(const std::string &name) const {
  LANESCOPE_CHECK(checkName(name));
  fs::path folder = outFolder(), whole = (folder / name).lexically_normal();
  auto rest = below(whole, folder);
  if (!rest)
    return error(kAccessKind,
                 Message("`{name}` is not in `{path}`, the only folder that may be written; `--out DIR` names another",
                         name, folder.string()));
  return Place{folder, *rest};
}

std::optional<core::FileStamp> SnippetFiles::replaceable(const Place &place) const {
  auto now = core::stampBeneath(place.folder, place.name);
  if (!now)
    return std::nullopt;
  fs::path whole = place.whole();
  auto made = made_.find(whole);
  bool own = made != made_.end() && made->second == *now;
  if (!own && !rules_.snippet.empty())
    own = savedBy(rules_.saved, absoluteOf(rules_.snippet), whole) == now;
  bool may = own || rules_.overwrite || (ask && ask(whole.string()));
  return may ? now : std::nullopt;
}

Result<void> SnippetFiles::save(const std::string &name, core::Bytes bytes) {
  if (rules_.anywhere)
    return core::writeFile(name, bytes);
  Place place = LANESCOPE_TRY(outPlace(name));
  if (rules_.keepsInMemory) {
    inMemory_[place.whole()] = std::move(bytes);
    return {};
  }
  if (!rules_.out.empty()) {
    std::error_code ignored; // if the folder cannot be made, writing reports it
    fs::create_directories(rules_.out, ignored);
  }
  auto written = core::writeBeneath(place.folder, place.name, bytes, replaceable(place));
  if (!written && written.error().front().kind == "file-exists")
    return error(
        "file-exists",
        Message("{}, and this snippet did not make it; `--overwrite` replaces it, `--out DIR` saves to another folder",
                written.error().front().message));
  if (!written)
    return std::unexpected(std::move(written.error()));
  made_[place.whole()] = *written;
  if (!rules_.snippet.empty())
    rememberSaved(rules_.saved, absoluteOf(rules_.snippet), place.whole(), *written);
  return {};
}

SnippetFiles::Opened::Opened(SnippetFiles &files, const fs::path &path) : files_(files) {
  std::error_code ignored;
  fs::path whole = absoluteOf(path);
  files_.opened_.push_back(fs::is_directory(whole, ignored) ? whole : whole.parent_path());
}
SnippetFiles::Opened::~Opened() { files_.opened_.pop_back(); }

} // namespace lanescope::repl
