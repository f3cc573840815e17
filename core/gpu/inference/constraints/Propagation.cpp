#include "core/gpu/inference/constraints/Propagation.h"

#include "layouts/support/Try.h"

#include <algorithm>

namespace lanescope::core::constraints {

Propagation::Propagation(const System &system, const GpuTarget &target, bool tolerant)
    : system_(system), target_(target), assignments_(system.assignments), reasons_(system.variables.size(), -1),
      uses_(system.variables.size()), notSplat_(system.variables.size()), open_(system.constraints.size(), true),
      queued_(system.constraints.size()), openCount_(system.constraints.size()), tolerant_(tolerant) {
  for (unsigned i = 0; i < system.constraints.size(); ++i) {
    auto [first, second] = sidesOf(system.constraints[i]);
    for (const Expression *side : {first, second})
      if (side)
        if (const auto *variable = std::get_if<Variable>(&side->leaf))
          if (auto &uses = uses_[variable->id]; uses.empty() || uses.back() != i)
            uses.push_back(i);
    if (const auto *each = std::get_if<NotOfType>(&system.constraints[i]); each && each->kind == LayoutKind::Splat)
      if (auto variable = each->expr.variable())
        notSplat_[variable->id] = true;
  }
}

Result<bool> Propagation::start() {
  for (unsigned i = 0; i < open_.size(); ++i) {
    now_.push_back(i);
    queued_[i] = true;
  }
  return run(); // now_ is a heap without further work, because its indices ascend
}

Result<bool> Propagation::assign(Variable variable, const Constant &constant) {
  position_ = system_.constraints.size();
  set(variable, constant, -1);
  return run();
}

std::optional<size_t> Propagation::reason(Variable variable) const {
  int reason = reasons_[variable.id];
  return reason < 0 ? std::nullopt : std::optional(static_cast<size_t>(reason));
}

void Propagation::set(Variable variable, const Constant &constant, int reason) {
  assignments_[variable.id] = constant;
  reasons_[variable.id] = reason;
  trail_.emplace_back(false, variable.id);
  for (unsigned user : uses_[variable.id]) {
    if (!open_[user] || queued_[user])
      continue;
    queued_[user] = true;
    std::vector<unsigned> &queue = user > position_ ? now_ : next_;
    queue.push_back(user);
    std::ranges::push_heap(queue, std::greater<>());
  }
}

Result<bool> Propagation::look(size_t constraint) {
  Finding finding = LANESCOPE_TRY(examine(system_.constraints[constraint], assignments_, target_));
  if (finding.kind == Finding::Open) {
    // A value that is not a splat cannot become one. Propagation may know this before it knows the value.
    const auto *relayout = std::get_if<Relayout>(&system_.constraints[constraint]);
    if (!relayout)
      return true;
    auto source = relayout->source.variable();
    const Constant *to = relayout->target.constant();
    if (auto target = relayout->target.variable())
      to = &assignments_[target->id];
    return !(source && notSplat_[source->id] && !assignments_[source->id] && to && *to && to->splat());
  }
  if (finding.kind == Finding::False ||
      (finding.kind == Finding::Assign &&
       !LANESCOPE_TRY(isValidAssignment(system_.variables[finding.variable.id], finding.value))))
    return contradicts(constraint);
  close(constraint);
  if (finding.kind == Finding::True)
    return true;
  set(finding.variable, finding.value, static_cast<int>(constraint));
  return true;
}

bool Propagation::contradicts(size_t constraint) {
  if (!tolerant_)
    return false;
  contradictions_.push_back(constraint);
  close(constraint);
  return true;
}

void Propagation::close(size_t constraint) {
  open_[constraint] = false;
  --openCount_;
  trail_.emplace_back(true, static_cast<unsigned>(constraint));
}

std::vector<size_t> Propagation::contradictions() const {
  std::vector<size_t> out = contradictions_;
  std::ranges::sort(out);
  return out;
}

Result<bool> Propagation::run() {
  conflict_.reset();
  Result<bool> holds = true;
  while (true) {
    if (now_.empty()) {
      if (next_.empty())
        break;
      now_.swap(next_);
    }
    std::ranges::pop_heap(now_, std::greater<>());
    position_ = now_.back();
    now_.pop_back();
    queued_[position_] = false;
    if (!open_[position_])
      continue;
    holds = look(position_);
    if (!holds || !*holds) {
      conflict_ = position_;
      for (auto *queue : {&now_, &next_}) {
        for (unsigned each : *queue)
          queued_[each] = false;
        queue->clear();
      }
      break;
    }
  }
  return holds;
}

void Propagation::undo(size_t mark) {
  while (trail_.size() > mark) {
    auto [closed, id] = trail_.back();
    trail_.pop_back();
    if (closed) {
      open_[id] = true;
      ++openCount_;
    } else {
      assignments_[id] = Constant();
      reasons_[id] = -1;
    }
  }
}

} // namespace lanescope::core::constraints
