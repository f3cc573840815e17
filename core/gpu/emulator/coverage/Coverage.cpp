#include "core/gpu/emulator/coverage/Coverage.h"

#include "layouts/support/Text.h"

#include <algorithm>
#include <optional>

namespace lanescope::core {

namespace {

using Kind = CoveragePoint::Kind;

std::string_view nameOf(const SourceRef &source) { return source ? std::string_view(source->name()) : ""; }

/// Compares sources by name, because each run has its own objects.
bool samePoint(const CoveragePoint &a, const CoveragePoint &b) {
  return a.kind == b.kind && a.usedBy == b.usedBy && a.place.begin == b.place.begin &&
         nameOf(a.place.source) == nameOf(b.place.source);
}

bool before(const CoveragePoint &a, const CoveragePoint &b) {
  if (nameOf(a.place.source) != nameOf(b.place.source))
    return nameOf(a.place.source) < nameOf(b.place.source);
  return a.place.begin != b.place.begin ? a.place.begin < b.place.begin : a.kind < b.kind;
}

void merge(CoveragePoint &into, const CoveragePoint &point) {
  into.inLoop |= point.inLoop;
  into.reached += point.reached;
  into.waited += point.waited;
  into.parity[0] |= point.parity[0];
  into.parity[1] |= point.parity[1];
  into.barrier = into.barrier.empty() ? point.barrier : into.barrier;
  into.stages.insert(point.stages.begin(), point.stages.end());
  into.allStages.insert(point.allStages.begin(), point.allStages.end());
  into.again += point.again;
  into.taken |= point.taken;
  into.fellThrough |= point.fellThrough;
  into.tried += point.tried;
  into.breaks |= point.breaks;
  into.untried = into.untried.empty() ? point.untried : into.untried;
  into.users.insert(point.users.begin(), point.users.end());
  into.lateUsers.insert(point.lateUsers.begin(), point.lateUsers.end());
}

Diagnostic gap(const CoveragePoint &point, std::string kind, std::string message) {
  return {Severity::Note, std::move(kind), point.place, std::move(message), {}};
}

/// "1 of 2 warps".
std::string ofAll(size_t some, size_t all, std::string_view one) {
  return text(some, " of ", all, " ", one, all == 1 ? "" : "s");
}

/// For a Late or an Access: true if every suspected lateness was tried.
bool isTried(const CoveragePoint &point) {
  return point.kind == Kind::Access ? point.lateUsers.size() >= point.users.size() : point.tried >= point.reached;
}

/// The most important thing that no run has shown at a point.
std::optional<Diagnostic> gapOf(const CoveragePoint &point) {
  std::string what = text("`", point.words, "`");
  if (point.kind == Kind::Loop) {
    if (point.reached && !point.taken)
      return gap(point, "coverage-one-round", text(what, " never went round a second time"));
    return std::nullopt;
  }
  if (point.kind == Kind::Branch) {
    if (point.inLoop && point.reached && !(point.taken && point.fellThrough))
      return gap(point, "coverage-one-way", text(what, " went one way only"));
    return std::nullopt;
  }
  if (point.kind == Kind::Late) {
    if (point.breaks)
      return gap(point, "coverage-late-breaks", text(what, ": the kernel breaks if one warp comes late here"));
    if (!isTried(point))
      return gap(point, "coverage-late-untried",
                 text(what, ": one warp that comes late here could break the kernel; this was tried for ",
                      ofAll(point.tried, point.reached, "suspicion"), ": ", point.untried));
    return std::nullopt;
  }
  if (point.kind == Kind::Access) {
    if (!isTried(point))
      return gap(point, "coverage-late-untried",
                 text(what, ": other ", point.usedBy,
                      "s use the same memory, some by atomics or volatile accesses, and a late one could matter here; ",
                      ofAll(point.lateUsers.size(), point.users.size(), point.usedBy), " were late"));
    return std::nullopt;
  }
  if (!point.reached)
    return gap(point, "coverage-never-reached", text(what, " was never reached"));
  switch (point.kind) {
  case Kind::Wait:
    if (!point.waited)
      return gap(point, "coverage-never-waited",
                 text(what, " never had to wait: the event had always happened before"));
    if (point.inLoop && !(point.parity[0] && point.parity[1]))
      return gap(point, "coverage-one-parity",
                 text(what, " only ever saw phases of parity ", point.parity[1] ? 1 : 0,
                      ": no barrier came round a second time"));
    if (point.inLoop && point.stages.size() > 1 && point.stages.size() < point.allStages.size())
      return gap(point, "coverage-stages",
                 text(what, " waited for ", point.stages.size(), " of the ", point.allStages.size(), " barriers `",
                      point.barrier, "`"));
    return std::nullopt;
  case Kind::GroupWait:
    if (!point.waited)
      return gap(point, "coverage-never-waited", text(what, " never found anything in flight to wait for"));
    return std::nullopt;
  case Kind::Barrier:
    if (!point.waited)
      return gap(point, "coverage-never-waited", text(what, " never had to wait"));
    return std::nullopt;
  case Kind::Copy:
    if (point.inLoop && !point.again)
      return gap(point, "coverage-never-reused", text(what, " never used a buffer a second time"));
    return std::nullopt;
  default: return std::nullopt;
  }
}

} // namespace

void Coverage::add(const std::vector<CoveragePoint> &points) {
  for (const CoveragePoint &point : points) {
    auto found = std::ranges::find_if(points_, [&](const CoveragePoint &old) { return samePoint(old, point); });
    if (found == points_.end())
      points_.push_back(point);
    else
      merge(*found, point);
  }
  std::ranges::stable_sort(points_, before);
}

Diagnostics Coverage::gaps() const {
  Diagnostics all;
  for (const CoveragePoint &point : points_)
    if (auto gap = gapOf(point))
      all.push_back(*std::move(gap));
  return all;
}

std::string Coverage::report() const { return render(gaps()) + summary() + "\n"; }

std::string Coverage::summary() const {
  size_t open = gaps().size();
  std::string out =
      text("coverage: ", ofAll(points_.size() - open, points_.size(), "point"), " of synchronisation shown in full");
  Late late = this->late();
  if (late.suspected)
    out += text("; at ", late.suspected, " of these points one late warp or block could matter: ", late.tried,
                " tried, ", late.breaking, late.breaking == 1 ? " breaks" : " break", " the kernel");
  return out;
}

Coverage::Late Coverage::late() const {
  Late late;
  for (const CoveragePoint &point : points_)
    if (point.kind == Kind::Late || point.kind == Kind::Access) {
      ++late.suspected;
      late.tried += isTried(point);
      late.breaking += point.breaks;
    }
  return late;
}

} // namespace lanescope::core
