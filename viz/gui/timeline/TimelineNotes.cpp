// Notes on a trace, which are kept in a file beside the trace. A browser has no such file, so its module lacks this.
#include "core/profiler/TraceNotes.h"
#include "layouts/support/Text.h"
#include "viz/gui/timeline/TimelineModel.h"

#include <algorithm>

namespace lanescope::viz {

void TimelineModel::addNote(double time, std::string text) {
  if (text.empty())
    return;
  notes_.push_back({time + originNs_, std::move(text)});
  std::ranges::stable_sort(notes_, {}, &core::TraceNote::ns);
  saveNotes();
}
void TimelineModel::removeNote(size_t note) {
  if (note < notes_.size())
    notes_.erase(notes_.begin() + std::ptrdiff_t(note));
  saveNotes();
}
void TimelineModel::saveNotes() {
  noteProblem_.clear();
  if (file_.empty())
    noteProblem_ = "Not saved: this trace is of no file.";
  else if (auto saved = core::saveNotes(notes_, given_->originUs, file_); !saved)
    noteProblem_ = saved.error()[0].message;
}

} // namespace lanescope::viz
