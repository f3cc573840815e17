#include "core/profiler/GrownWait.h"

#include "core/profiler/Align.h"
#include "core/profiler/TimeWords.h"
#include "core/profiler/TraceAnalysis.h"
#include "layouts/support/Text.h"
#include "layouts/support/Visible.h"

#include <cmath>

namespace lanescope::core {

namespace {

constexpr double kNoticeable = 0.5; // ns

struct Place {
  uint32_t track = 0;
  const CausedWait *wait = nullptr;
  size_t occurrence = 0;
};
/// The places of waits, keyed by the track's name, the wait's name and its number on the track.
using Places = std::map<std::tuple<std::string, std::string, size_t>, Place>;

Places placesOf(const TraceCauses &causes) {
  const Trace &trace = causes.trace();
  const std::vector<std::string> keys = trackKeys(trace);
  Places out;
  for (uint32_t track = 0; track < trace.tracks.size(); ++track) {
    std::map<uint32_t, size_t> count; // keyed by name
    for (const CausedWait &wait : causes.waits(track)) {
      uint32_t name = trace.tracks[track].slices[wait.slice].name;
      size_t number = ++count[name];
      out[{keys[track], regionName(trace, name), number}] = {track, &wait, number};
    }
  }
  return out;
}

double lengthOf(const Place &place) { return place.wait->endNs - place.wait->beginNs; }

/// The cause in one trace, with times counted from the wait's beginning.
struct Reason {
  WaitCause cause;
  double issued = 0, flew = 0;
  std::string by;
};
Reason reasonOf(const TraceCauses &causes, const Place &place) {
  Reason out{.cause = causes.of(place.track, *place.wait)};
  const Trace &trace = causes.trace();
  if (out.cause.kind == WaitCause::Kind::Flight) {
    const double issued = out.cause.issuedNs;
    out.issued = issued - place.wait->beginNs;
    out.flew = out.cause.ns - issued;
    out.by = regionName(trace, out.cause.name);
  } else if (out.cause.kind == WaitCause::Kind::Arrival) {
    out.issued = out.cause.ns - place.wait->beginNs;
    if (out.cause.track)
      out.by = threadName(trace.tracks[*out.cause.track]);
  }
  return out;
}

std::string amountText(double ns, std::string_view more, std::string_view less) {
  return text(timeText(std::abs(ns)), " ", ns > 0 ? more : less);
}

} // namespace

std::optional<GrownWait> grownWait(const Trace &before, const Trace &after) {
  const TraceCauses was(before), is(after);
  const Places old = placesOf(was);
  const Place *first = nullptr, *second = nullptr;
  std::string name, track;
  double most = kNoticeable;
  const Places now = placesOf(is);
  for (const auto &[key, place] : now) {
    auto match = old.find(key);
    if (match == old.end() || lengthOf(place) - lengthOf(match->second) <= most)
      continue;
    most = lengthOf(place) - lengthOf(match->second);
    first = &match->second, second = &place;
    track = std::get<0>(key), name = std::get<1>(key);
  }
  if (!second)
    return std::nullopt;
  const Reason why = reasonOf(was, *first), whyNow = reasonOf(is, *second);
  GrownWait out{.name = name, .track = track, .occurrence = second->occurrence};
  out.trackIndex = second->track, out.beginNs = second->wait->beginNs;
  out.before = lengthOf(*first), out.after = lengthOf(*second);
  out.startsLater = (second->wait->beginNs - traceStartNs(after)) - (first->wait->beginNs - traceStartNs(before));
  if (why.cause.kind != whyNow.cause.kind)
    return out;
  out.cause = whyNow.cause.kind;
  out.by = whyNow.by;
  out.issuedLater = whyNow.issued - why.issued;
  out.longer = whyNow.flew - why.flew;
  out.inferred = why.cause.inferred || whyNow.cause.inferred;
  return out;
}

std::string grownWaitText(const GrownWait &wait) {
  std::string out = text("`", shownName(wait.name), "` ", wait.occurrence, " of ", shownName(wait.track), " grew by ",
                         timeText(wait.growth()), ", ", timeText(wait.before), " to ", timeText(wait.after));
  std::string why;
  if (wait.cause == WaitCause::Kind::Flight) {
    std::vector<std::string> parts;
    if (std::abs(wait.issuedLater) >= kNoticeable)
      parts.push_back(text("was issued ", amountText(wait.issuedLater, "later", "earlier")));
    if (std::abs(wait.longer) >= kNoticeable)
      parts.push_back(text("was in flight ", amountText(wait.longer, "longer", "shorter")));
    for (const std::string &part : parts)
      why += text(why.empty() ? "" : " and ", part);
    if (!why.empty())
      why = text("`", shownName(wait.by), "`, which ended it, ", why);
  } else if (wait.cause == WaitCause::Kind::Arrival && std::abs(wait.issuedLater) >= kNoticeable) {
    why = text(wait.by.empty() ? "the arrival" : shownName(wait.by), wait.by.empty() ? " that" : ", whose arrival",
               " ended it", wait.by.empty() ? " came " : ", came ", amountText(wait.issuedLater, "later", "earlier"));
  }
  if (why.empty())
    return text(out, "; the traces do not say why");
  return text(out, ": ", why, wait.inferred ? " (as the order of the regions suggests)" : "");
}

} // namespace lanescope::core
