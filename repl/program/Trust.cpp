#include "repl/program/Trust.h"

#include "core/data/Beneath.h"
#include "layouts/support/Try.h"
#include "repl/lang/files/SavedFiles.h"

#include <nlohmann/json.hpp>

#include <span>

namespace lanescope::repl {

namespace fs = std::filesystem;

namespace {

/// The path with links resolved; empty if the file does not exist, since no name is trusted without a file.
std::string realPath(const fs::path &file) {
  std::error_code problem;
  fs::path out = fs::canonical(file, problem);
  return problem ? std::string() : out.string();
}

std::set<std::string> foldersIn(const fs::path &record) {
  std::set<std::string> out;
  auto bytes = core::readBeneath(record.parent_path(), record.filename(), core::FileRole::Json);
  std::string_view rest = bytes ? std::string_view(reinterpret_cast<const char *>(bytes->data()), bytes->size()) : "";
  while (!rest.empty()) {
    size_t end = std::min(rest.find('\n'), rest.size());
    auto line = nlohmann::json::parse(rest.substr(0, end), nullptr, false);
    if (line.is_string() && line.get_ref<const std::string &>().starts_with('/'))
      out.insert(line.get<std::string>());
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return out;
}

} // namespace

fs::path defaultTrustRecord() {
  fs::path saved = defaultSavedRecord();
  return saved.empty() ? saved : saved.parent_path() / "trusted";
}

fs::path folderOf(const fs::path &file) { return fs::path(realPath(file)).parent_path(); }

ProgramTrust::ProgramTrust(fs::path record) : record_(std::move(record)) {
  if (!record_.empty())
    folders_ = foldersIn(record_);
}

bool ProgramTrust::trusts(const fs::path &file, std::string_view text) const {
  std::string path = realPath(file);
  return !path.empty() && (files_.contains(path) || folders_.contains(fs::path(path).parent_path().string()) ||
                           texts_.contains({path, std::string(text)}));
}

void ProgramTrust::trustText(const fs::path &file, std::string_view text) {
  if (std::string path = realPath(file); !path.empty())
    texts_.emplace(std::move(path), text);
}

void ProgramTrust::trustFile(const fs::path &file) {
  if (std::string path = realPath(file); !path.empty())
    files_.insert(std::move(path));
}

Result<void> ProgramTrust::trustFolder(const fs::path &file) {
  fs::path folder = folderOf(file);
  if (folder.empty())
    return {};
  folders_.insert(folder.string());
  if (record_.empty())
    return {};
  std::set<std::string> kept = foldersIn(record_); // read the record again, since another window may have added folders
  kept.insert(folder.string());
  std::string all;
  for (const std::string &each : kept)
    all += nlohmann::json(each).dump(-1, ' ', true, nlohmann::json::error_handler_t::replace) + '\n';
  std::error_code ignored;
  fs::create_directories(record_.parent_path(), ignored);
  LANESCOPE_TRY(core::writeBeneath(record_.parent_path(), record_.filename(), std::as_bytes(std::span(all)),
                                   core::stampBeneath(record_.parent_path(), record_.filename())));
  return {};
}

} // namespace lanescope::repl
