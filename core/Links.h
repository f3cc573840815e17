// The links between the lines of stages: the source of a line, and the lines made from it. Computed from
// Stage::origins.
//
//   const Stage &last = stages.stages.back(), &laidOut = *stages.find("laid-out");
//   originOf(last, 42).places            the statement that line 42 computes: pipeline.py, line 30, columns 7 to 12
//   linkedLines(last, 42, laidOut)       {57, 58}: the operations of that statement's line
//   linesFrom(last, snippet, 30)         {40, 41, 42}: the lines made from line 30
//
// Lines are counted from 1. A line that the compiler added has no link: the code does not guess.
#pragma once

#include "core/Stages.h"

namespace lanescope::core {

/// The origin of a line. Text for a line past the end, or if origins were not requested.
const LineOrigin &originOf(const Stage &stage, uint32_t line);

/// A source as a stage, to find the lines made from it: each of its lines comes from itself.
Stage sourceStage(SourceRef source);

/// The lines of `stage` that come from a line of the source, ascending.
std::vector<uint32_t> linesFrom(const Stage &stage, const SourceRef &source, uint32_t line);

/// The lines of `to` that are linked to a line of `from`, ascending, in either direction. If it is known which lines
/// were made from which (machine code and the assembly that it is made from), these; else those from the same lines of
/// the source. For many queries, use core/LinkTable.h.
std::vector<uint32_t> linkedLines(const Stage &from, uint32_t line, const Stage &to);

/// The stage's text, with each line after the lines of the source that it comes from: "30", "12,14", "-" for code that
/// the compiler added, nothing for text. Lines of other sources than `source`, the first stage's, have their name:
/// "lib.py:3".
std::string withOrigins(const Stage &stage, const SourceRef &source);

/// All origins, as JSON:
///
///   {"kernel": "double",
///    "sources": ["double.py"],
///    "stages": [{"id": "ir", "title": "IR", "lines": [null, [], [[0, 17, 22, 30]]]}]}
///
/// Each line has null (no code) or a list of places, which is empty for code that the compiler added. A place is the
/// number of the source, the line, the first column, and the column after the last (from 1, in bytes).
std::string linksJson(const Stages &stages, std::string_view kernel);

} // namespace lanescope::core
