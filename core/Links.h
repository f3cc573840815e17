// The links between the lines of stages: the source of a line, and the lines made from it. Computed from
// Stage::origins.
//
//   const Stage &last = stages.stages.back(), &laidOut = *stages.find("laid-out");
//   originOf(last, 42).places            the statement that line 42 computes: pipeline.py, line 30, columns 7 to 12
//   linkedLines(last, 42, laidOut)       {57, 58}: the operations of that statement's line
//   linesFrom(last, snippet, 30)         {40, 41, 42}: the lines made from line 30
//
// Lines are counted from 1. A line that the compiler added has no link; its origin is never guessed.
#pragma once

#include "core/Stages.h"

namespace lanescope::core {

/// The origin of a line. Text for a line past the end, or if origins were not requested.
const LineOrigin &originOf(const Stage &stage, uint32_t line);

/// A source in the form of a stage in which each line comes from itself. It allows queries for the lines made from the
/// source.
Stage sourceStage(SourceRef source);

/// The lines of `stage` that come from a line of the source, ascending.
std::vector<uint32_t> linesFrom(const Stage &stage, const SourceRef &source, uint32_t line);

/// The lines of `to` that are linked to a line of `from`, ascending, in either direction. If one stage records the
/// lines of the other that it was made from (machine code records its assembly), these are the links. Otherwise two
/// lines are linked if both come from the same lines of the source. For many queries, use core/LinkTable.h.
std::vector<uint32_t> linkedLines(const Stage &from, uint32_t line, const Stage &to);

/// The stage's text. Each line begins with the source lines that it comes from: "30" or "12,14"; "-" if the compiler
/// added the code; nothing if the line has no code. `source` is the first stage's source. Lines of any other source are
/// written with its name: "lib.py:3".
std::string withOrigins(const Stage &stage, const SourceRef &source);

/// All origins, as JSON:
///
///   {"kernel": "double",
///    "sources": ["double.py"],
///    "stages": [{"id": "ir", "title": "IR", "lines": [null, [], [[0, 17, 22, 30]]]}]}
///
/// The entry of a line is null if it has no code. Otherwise it is a list of places, empty for code that the compiler
/// added. A place is the number of the source, the line, the first column, and the column after the last (from 1, in
/// bytes).
std::string linksJson(const Stages &stages, std::string_view kernel);

} // namespace lanescope::core
