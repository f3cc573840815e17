// The notes on the trace of a timeline, which are kept in a file beside the trace, and the one that the user writes.
#pragma once

#include "core/Trace.h"

#include <optional>
#include <string>
#include <vector>

namespace lanescope::viz {

class TimelineNotes {
public:
  /// Takes the notes of a trace. `originNs`: the begin of its first slice, in the trace's own time. `file`: empty if
  /// the trace has no file.
  void show(const core::Trace &trace, double originNs, std::string file) {
    *this = TimelineNotes();
    all_ = trace.notes, originUs_ = trace.originUs, originNs_ = originNs, file_ = std::move(file);
  }

  const std::vector<core::TraceNote> &all() const { return all_; }
  /// Times are ns since the first slice.
  double time(size_t note) const { return all_[note].ns - originNs_; }
  /// Adds a note and saves it at once. If that fails, problem() has the error.
  void add(double time, std::string text);
  void remove(size_t note);
  const std::string &problem() const { return problem_; }
  /// The trace's file; empty: it has none.
  const std::string &file() const { return file_; }

  std::optional<double> writingAt; // the moment for which the user is writing a note
  std::string draft;

private:
  void save();

  std::vector<core::TraceNote> all_;
  int64_t originUs_ = 0;
  double originNs_ = 0;
  std::string file_, problem_;
};

} // namespace lanescope::viz
