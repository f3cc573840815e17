// A person's notes on a trace's file. They are in a file beside the trace, so that a large trace need not be rewritten:
//
//   matmul.json.gz.notes.json      {"notes": [{"ts": 12.5, "text": "why so long?"}]}      ts: µs, the trace's own
//
// A file may also hold notes itself, in `otherData`; those are read with the trace.
#pragma once

#include "core/Trace.h"

#include <filesystem>

namespace lanescope::core {

std::filesystem::path notesPath(const std::filesystem::path &trace);
/// Adds the notes of the file beside the trace, if there is one. Errors: kind "trace-notes".
Result<void> addNotes(Trace &trace, const std::filesystem::path &file);
/// Replaces the file of notes beside the trace, or removes it if there are no notes. `originUs` is the trace's.
Result<void> saveNotes(const std::vector<TraceNote> &notes, int64_t originUs, const std::filesystem::path &file);

} // namespace lanescope::core
