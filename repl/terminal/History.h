// Entries of former sessions, in a file that only the user can read.
//
//   History history(defaultHistoryPath());
//   history.entries()                        // oldest first
//   history.add("def f(x):\n  return x");    // an entry may have several lines; written to the file at once
//
// A file that cannot be read or written is no error. The entries of the session are then lost when the session ends.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace lanescope::repl {

/// The path `lanescope/history` in $XDG_STATE_HOME, else in ~/.local/state; empty if there is no home directory.
std::string defaultHistoryPath();

class History {
public:
  static constexpr size_t kMaxEntries = 2000;
  static constexpr size_t kMaxEntryBytes = 64 << 10;

  /// Reads the file. With an empty path, entries are kept in memory only.
  explicit History(std::string path);

  const std::vector<std::string> &entries() const { return entries_; }
  /// Appends an entry unless it is blank, longer than kMaxEntryBytes or equal to the one before it.
  void add(std::string_view entry);

private:
  void append(std::string_view entry);
  void rewrite();

  std::string path_;
  std::vector<std::string> entries_;
};

} // namespace lanescope::repl
