// The programs that the window may run: those in a folder that the user trusts, those whose text was trusted once, and
// files that the command line names.
//
//   ProgramTrust trust(defaultTrustRecord());
//   trust.trusts("/home/me/work/k.py", text)         // false: the window asks
//   trust.trustFolder("/home/me/work/k.py");         // kept for later windows; does not cover subfolders
//   trust.trustText("/home/me/work/k.py", text);     // this text of this file, until the window closes
//
// Links are resolved: a link in a trusted folder to a file elsewhere counts as a file elsewhere.
#pragma once

#include "layouts/support/Diagnostic.h"

#include <filesystem>
#include <set>
#include <string>
#include <string_view>

namespace lanescope::repl {

/// `$XDG_STATE_HOME/lanescope/trusted`, or the same below `~/.local/state`; empty if neither is known.
std::filesystem::path defaultTrustRecord();

class ProgramTrust {
public:
  /// `record`: the file of trusted folders, one JSON string per line; empty: folders are kept until the window closes.
  explicit ProgramTrust(std::filesystem::path record = {});
  bool trusts(const std::filesystem::path &file, std::string_view text) const;
  void trustText(const std::filesystem::path &file, std::string_view text);
  /// Trusts the folder that holds the file. Errors: those of writing the record; the folder is then trusted until the
  /// window closes.
  Result<void> trustFolder(const std::filesystem::path &file);
  /// Trusts the file with any text, until the window closes.
  void trustFile(const std::filesystem::path &file);

private:
  std::filesystem::path record_;
  std::set<std::string> folders_, files_;
  std::set<std::pair<std::string, std::string>> texts_; // file and text
};

/// The folder that holds the file after links are resolved; empty if the file does not exist.
std::filesystem::path folderOf(const std::filesystem::path &file);

} // namespace lanescope::repl
