#include "core/data/Progress.h"

#include "layouts/support/Text.h"

#include <algorithm>
#include <utility>

namespace lanescope::core {

std::string Progress::line() const {
  std::lock_guard lock(mutex_);
  std::string out;
  for (const Step &step : steps_) {
    std::string words = step.name;
    if (!step.unit.empty()) {
      uint64_t counted = step.total ? step.total : step.done;
      words = text(step.done, step.total ? text(" of ", step.total) : "", " ", step.unit, counted == 1 ? "" : "s",
                   step.name.empty() ? "" : text(" (", step.name, ")"));
    }
    out += text(out.empty() || words.empty() ? "" : ", ", words);
  }
  return out;
}

Progress::Step *Progress::find(uint64_t id) {
  auto found = std::ranges::find(steps_, id, &Step::id);
  return found == steps_.end() ? nullptr : &*found;
}

ProgressStep::ProgressStep(Progress *progress, std::string_view unit, uint64_t total) : progress_(progress) {
  if (!progress_)
    return;
  std::lock_guard lock(progress_->mutex_);
  id_ = progress_->nextId_++;
  progress_->steps_.push_back({id_, unit, 0, total, {}});
}

ProgressStep::~ProgressStep() {
  if (!progress_)
    return;
  std::lock_guard lock(progress_->mutex_);
  std::erase_if(progress_->steps_, [&](const Progress::Step &step) { return step.id == id_; });
}

void ProgressStep::advance(uint64_t parts) {
  if (!progress_)
    return;
  std::lock_guard lock(progress_->mutex_);
  if (Progress::Step *step = progress_->find(id_))
    step->done += parts;
}

void ProgressStep::name(std::string what) {
  if (!progress_)
    return;
  std::lock_guard lock(progress_->mutex_);
  if (Progress::Step *step = progress_->find(id_))
    step->name = std::move(what);
}

} // namespace lanescope::core
