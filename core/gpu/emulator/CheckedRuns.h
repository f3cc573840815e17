// Parts of a check of a kernel under several schedules, beside its runs: the schedules' costs, and which findings of
// different runs are the same one.
//
//   ScheduleReserve reserve{kCheckMicroseconds};
//   SchedulePlan plan(reserve, ScheduleExtent::of(launch), ptxBytes, arrayBytesOf(launch));
//   …run under each schedule; leave out findings that are isSameFinding() as an earlier one…
#pragma once

#include "core/gpu/kernel/Launch.h"
#include "layouts/support/Diagnostic.h"

#include <cstdint>

namespace lanescope::core {

/// The time that a check of one PTX file takes in addition to its runs, for ScheduleReserve: starting a process.
inline constexpr double kCheckMicroseconds = 12'000;

/// The number of bytes of the arrays that a run of the launch copies.
uint64_t arrayBytesOf(const Launch &launch);

bool isSameSpan(const Span &a, const Span &b);
/// True if both are of one kind and at one place.
bool isSamePlace(const Diagnostic &a, const Diagnostic &b);
/// True if the finding says that warps cannot continue. The cause may be an operation that another warp issued too
/// early; that operation is reported first.
bool isConsequence(const Diagnostic &finding);
/// True if both findings are of one kind and at one place, or about the same two uses of memory. A race is reported at
/// the second use, and which of the uses is second depends on the schedule.
bool isSameFinding(const Diagnostic &a, const Diagnostic &b);
/// True if runs under other schedules may still find another cause. Example: warp 0 deadlocks or reads data in flight
/// because warp 1 issued an operation too early; another schedule reports warp 1's operation.
bool mayHaveOtherCause(const Diagnostics &findings);

} // namespace lanescope::core
