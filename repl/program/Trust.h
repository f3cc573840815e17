// Which programs the window may run: those in a folder that its user trusts, one whose text was trusted once, and a
// file that the command line names.
//
//   ProgramTrust trust(defaultTrustRecord());
//   trust.trusts("/home/me/work/k.py", text)         // false: asks
//   trust.trustFolder("/home/me/work/k.py");         // kept for later windows; folders below are others
//   trust.trustText("/home/me/work/k.py", text);     // this text of this file, until the window closes
//
// A file is where it really lies: a link in a trusted folder to a file elsewhere is a file elsewhere.
#pragma once

#include "layouts/support/Diagnostic.h"

#include <filesystem>
#include <set>
#include <string>
#include <string_view>

namespace lanescope::repl {

/// `$XDG_STATE_HOME/lanescope/trusted`, or the same below `~/.local/state`; empty where neither is known.
std::filesystem::path defaultTrustRecord();

class ProgramTrust {
public:
  /// `record`: the file that keeps trusted folders, a JSON text a line; empty: they are kept until the window closes.
  explicit ProgramTrust(std::filesystem::path record = {});
  bool trusts(const std::filesystem::path &file, std::string_view text) const;
  void trustText(const std::filesystem::path &file, std::string_view text);
  /// The folder that holds the file. Errors: those of writing the record; the folder is trusted until the window
  /// closes.
  Result<void> trustFolder(const std::filesystem::path &file);
  /// Whatever it holds, until the window closes.
  void trustFile(const std::filesystem::path &file);

private:
  std::filesystem::path record_;
  std::set<std::string> folders_, files_;
  std::set<std::pair<std::string, std::string>> texts_; // file and text
};

/// The folder in which the file really lies; empty where there is none.
std::filesystem::path folderOf(const std::filesystem::path &file);

} // namespace lanescope::repl
