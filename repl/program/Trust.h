// The programs that the window may run: those in a folder that the user trusts, those whose text was trusted once, and
// files that the command line names.
//
//   ProgramTrust trust(defaultTrustRecord());
//   trust.trusts("/home/me/work/k.py", text)         // false: the window asks
//   trust.trustFolder("/home/me/work/k.py");         // kept for later windows; does not cover subfolders
//   trust.trustText("/home/me/work/k.py", text);     // this text of this file, until the window closes
//
// Links are resolved. A link in a trusted folder to a file in another folder counts as that file.
#pragma once

#include "layouts/support/Diagnostic.h"

#include <filesystem>
#include <set>
#include <string>
#include <string_view>

namespace lanescope::repl {

/// The path `lanescope/trusted` in $XDG_STATE_HOME, else in ~/.local/state; empty if neither folder is known.
std::filesystem::path defaultTrustRecord();

class ProgramTrust {
public:
  /// `record`: the file that lists trusted folders, with one JSON string in each line. If empty, trust lasts until the
  /// window closes.
  explicit ProgramTrust(std::filesystem::path record = {});
  bool trusts(const std::filesystem::path &file, std::string_view text) const;
  void trustText(const std::filesystem::path &file, std::string_view text);
  /// Trusts the folder that contains the file. Errors: those of writing the record; the folder is then trusted until
  /// the window closes.
  Result<void> trustFolder(const std::filesystem::path &file);
  /// Trusts the file with any content, until the window closes.
  void trustFile(const std::filesystem::path &file);

private:
  std::filesystem::path record_;
  std::set<std::string> folders_, files_;
  std::set<std::pair<std::string, std::string>> texts_; // file and text
};

/// The folder that contains the file after links are resolved; empty if the file does not exist.
std::filesystem::path folderOf(const std::filesystem::path &file);

} // namespace lanescope::repl
