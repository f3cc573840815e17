// Changes the notes. A browser has no file beside the trace, so its module lacks this.
#include "viz/gui/timeline/TimelineNotes.h"

#include "core/profiler/TraceNotes.h"

#include <algorithm>

namespace lanescope::viz {

void TimelineNotes::add(double time, std::string text) {
  if (text.empty())
    return;
  all_.push_back({time + originNs_, std::move(text)});
  std::ranges::stable_sort(all_, {}, &core::TraceNote::ns);
  save();
}

void TimelineNotes::remove(size_t note) {
  if (note < all_.size())
    all_.erase(all_.begin() + std::ptrdiff_t(note));
  save();
}

void TimelineNotes::save() {
  problem_.clear();
  if (file_.empty())
    problem_ = "Not saved: this trace is of no file.";
  else if (auto saved = core::saveNotes(all_, originUs_, file_); !saved)
    problem_ = saved.error()[0].message;
}

} // namespace lanescope::viz
