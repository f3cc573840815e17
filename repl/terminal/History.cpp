#include "repl/terminal/History.h"

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace lanescope::repl {
namespace {

constexpr std::uintmax_t kMaxFileBytes = 64 << 20;

// The entry as one line, with line breaks and backslashes escaped.
std::string escaped(std::string_view entry) {
  std::string out;
  for (char c : entry) {
    if (c == '\n')
      out += "\\n";
    else if (c == '\\')
      out += "\\\\";
    else if (c != '\0')
      out += c;
  }
  return out += '\n';
}

std::string unescaped(std::string_view line) {
  std::string out;
  for (size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '\\' && i + 1 < line.size())
      out += line[++i] == 'n' ? '\n' : line[i];
    else
      out += line[i];
  }
  return out;
}

bool writeAll(int file, std::string_view text) {
  while (!text.empty()) {
    ssize_t written = ::write(file, text.data(), text.size());
    if (written < 0 && errno == EINTR)
      continue;
    if (written <= 0)
      return false;
    text.remove_prefix(static_cast<size_t>(written));
  }
  return true;
}

} // namespace

std::string defaultHistoryPath() {
  // The XDG base directory specification says to ignore a relative path.
  const char *state = std::getenv("XDG_STATE_HOME");
  if (state && state[0] == '/')
    return std::string(state) + "/lanescope/history";
  const char *home = std::getenv("HOME");
  if (home && home[0] == '/')
    return std::string(home) + "/.local/state/lanescope/history";
  return {};
}

History::History(std::string path) : path_(std::move(path)) {
  if (path_.empty())
    return;
  std::error_code problem;
  if (!std::filesystem::is_regular_file(path_, problem) || std::filesystem::file_size(path_, problem) > kMaxFileBytes ||
      problem)
    return;
  std::ifstream in(path_, std::ios::binary);
  for (std::string line; std::getline(in, line);)
    if (!line.empty() && line.size() <= 2 * kMaxEntryBytes)
      entries_.push_back(unescaped(line));
  if (entries_.size() > kMaxEntries) {
    entries_.erase(entries_.begin(), entries_.end() - kMaxEntries);
    rewrite();
  }
}

void History::add(std::string_view entry) {
  while (!entry.empty() && (entry.back() == '\n' || entry.back() == ' '))
    entry.remove_suffix(1);
  if (entry.find_first_not_of(" \t\n") == entry.npos || entry.size() > kMaxEntryBytes ||
      (!entries_.empty() && entries_.back() == entry))
    return;
  entries_.emplace_back(entry);
  if (entries_.size() > 2 * kMaxEntries)
    entries_.erase(entries_.begin(), entries_.end() - kMaxEntries);
  append(entry);
}

void History::append(std::string_view entry) {
  if (path_.empty())
    return;
  std::error_code ignored;
  std::filesystem::path folder = std::filesystem::path(path_).parent_path();
  if (!std::filesystem::exists(folder, ignored)) {
    std::filesystem::create_directories(folder, ignored);
    ::chmod(folder.c_str(), 0700);
  }
  // Each entry is one write, so that two sessions do not mix their lines.
  int file = ::open(path_.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0600);
  if (file < 0 || !writeAll(file, escaped(entry)))
    path_.clear(); // the file is not writable, so keep entries in memory from now on
  if (file >= 0)
    ::close(file);
}

void History::rewrite() {
  std::string fresh = path_ + ".new";
  int file = ::open(fresh.c_str(), O_WRONLY | O_TRUNC | O_CREAT | O_CLOEXEC, 0600);
  if (file < 0)
    return;
  std::string text;
  for (const std::string &entry : entries_)
    text += escaped(entry);
  bool written = writeAll(file, text);
  ::close(file);
  if (!written || ::rename(fresh.c_str(), path_.c_str()) != 0)
    ::unlink(fresh.c_str());
}

} // namespace lanescope::repl
