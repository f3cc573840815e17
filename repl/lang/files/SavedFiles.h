// The record of files that snippets made. A snippet that is run again may replace the files that its last run saved,
// and no others.
//
//   rememberSaved(record, "/home/u/a.py", "/home/u/x.npy", stamp);
//   savedBy(record, "/home/u/a.py", "/home/u/x.npy")      the stamp; nothing if another snippet made it
//
// A file that was changed since has another stamp. A record that is damaged or cannot be written counts as empty: the
// user is then asked once more than needed.
#pragma once

#include "core/data/Beneath.h"

namespace lanescope::repl {

/// The path `lanescope/saved` in $XDG_STATE_HOME, else in ~/.local/state; empty if there is no home directory.
std::filesystem::path defaultSavedRecord();
std::optional<core::FileStamp> savedBy(const std::filesystem::path &record, const std::filesystem::path &snippet,
                                       const std::filesystem::path &file);
void rememberSaved(const std::filesystem::path &record, const std::filesystem::path &snippet,
                   const std::filesystem::path &file, const core::FileStamp &stamp);

} // namespace lanescope::repl
