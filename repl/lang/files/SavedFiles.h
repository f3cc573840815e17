// The record of files that snippets made: a snippet that is run again replaces what its last run has saved, and nothing
// else.
//
//   rememberSaved(record, "/home/u/a.py", "/home/u/x.npy", stamp);
//   savedBy(record, "/home/u/a.py", "/home/u/x.npy")      the stamp; nothing where another made it
//
// A file that was changed since has another stamp. A record that is damaged, or cannot be written, is as good as none:
// the user is asked once more than needed.
#pragma once

#include "core/data/Beneath.h"

namespace lanescope::repl {

/// `$XDG_STATE_HOME/lanescope/saved`, else in `~/.local/state`; empty where there is no home.
std::filesystem::path defaultSavedRecord();
std::optional<core::FileStamp> savedBy(const std::filesystem::path &record, const std::filesystem::path &snippet,
                                       const std::filesystem::path &file);
void rememberSaved(const std::filesystem::path &record, const std::filesystem::path &snippet,
                   const std::filesystem::path &file, const core::FileStamp &stamp);

} // namespace lanescope::repl
