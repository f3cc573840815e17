#include "repl/lang/files/SavedFiles.h"

#include "core/data/Files.h"
#include "core/data/Json.h"
#include "layouts/support/Text.h"

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <sys/stat.h>

namespace lanescope::repl {

namespace {

namespace fs = std::filesystem;
constexpr size_t kMostEntries = 4096;

/// One line of the record: a JSON list with the snippet, the file, and the four numbers of the file's stamp.
struct Entry {
  std::string snippet, file, line;
  core::FileStamp stamp;
};

std::optional<Entry> entryOf(std::string_view line) {
  using nlohmann::json;
  json list = json::parse(line, nullptr, false);
  constexpr size_t kFields = 6;
  if (!list.is_array() || list.size() != kFields || !list[0].is_string() || !list[1].is_string() ||
      !std::all_of(list.begin() + 2, list.end(), [](const json &number) { return number.is_number_integer(); }))
    return std::nullopt;
  return Entry{list[0], list[1], std::string(line), {list[2], list[3], list[4], list[5]}};
}

std::string lineOf(const std::string &snippet, const std::string &file, const core::FileStamp &stamp) {
  return nlohmann::json::array({snippet, file, stamp.device, stamp.inode, stamp.size, stamp.changed})
      .dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
}

std::vector<Entry> entriesOf(const fs::path &record) {
  std::vector<Entry> entries;
  auto bytes = core::readBeneath(record.parent_path(), record.filename(), core::FileRole::Json);
  if (!bytes)
    return entries;
  std::string_view rest(reinterpret_cast<const char *>(bytes->data()), bytes->size());
  while (!rest.empty()) {
    size_t end = std::min(rest.find('\n'), rest.size());
    if (auto entry = entryOf(rest.substr(0, end)))
      entries.push_back(*std::move(entry));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return entries;
}

} // namespace

fs::path defaultSavedRecord() {
  // The XDG base directory specification says to ignore a relative path.
  if (const char *state = std::getenv("XDG_STATE_HOME"); state && state[0] == '/')
    return fs::path(state) / "lanescope" / "saved";
  if (const char *home = std::getenv("HOME"); home && home[0] == '/')
    return fs::path(home) / ".local" / "state" / "lanescope" / "saved";
  return {};
}

std::optional<core::FileStamp> savedBy(const fs::path &record, const fs::path &snippet, const fs::path &file) {
  if (record.empty())
    return std::nullopt;
  std::vector<Entry> entries = entriesOf(record);
  auto found = std::ranges::find_if(entries.rbegin(), entries.rend(), [&](const Entry &entry) {
    return entry.snippet == snippet.native() && entry.file == file.native();
  });
  return found == entries.rend() ? std::nullopt : std::optional(found->stamp);
}

void rememberSaved(const fs::path &record, const fs::path &snippet, const fs::path &file,
                   const core::FileStamp &stamp) {
  if (record.empty())
    return;
  std::vector<Entry> entries = entriesOf(record);
  std::erase_if(entries, [&](const Entry &entry) { return entry.file == file.native(); });
  if (entries.size() >= kMostEntries)
    entries.erase(entries.begin(), entries.end() - (kMostEntries - 1));
  std::string all;
  for (const Entry &entry : entries)
    all += entry.line + '\n';
  all += lineOf(snippet.string(), file.string(), stamp) + '\n';
  std::error_code ignored;
  fs::create_directories(record.parent_path(), ignored);
  (void)core::writeBeneath(record.parent_path(), record.filename(), std::as_bytes(std::span(all.data(), all.size())),
                           core::stampBeneath(record.parent_path(), record.filename()));
}

} // namespace lanescope::repl
