// The links between the lines of stages: what wrote a line, and what became of it. Asked of Stage::origins.
//
//   const Stage &last = stages.stages.back(), &laidOut = *stages.find("laid-out");
//   originOf(last, 42).places            the statement that line 42 computes: pipeline.py, line 30, columns 7 to 12
//   linkedLines(last, 42, laidOut)       {57, 58}: the operations of that statement's line
//   linesFrom(last, snippet, 30)         {40, 41, 42}: what line 30 became
//
// Lines are counted from 1. A line that the compiler made by itself leads nowhere: nothing is guessed.
#pragma once

#include "core/Stages.h"

namespace lanescope::core {

/// Of a line past the end, or where origins were not asked for: Text.
const LineOrigin &originOf(const Stage &stage, uint32_t line);

/// A source as a stage, to ask what became of its lines: each comes from itself.
Stage sourceStage(SourceRef source);

/// The lines of `stage` that come from a line of the source, ascending.
std::vector<uint32_t> linesFrom(const Stage &stage, const SourceRef &source, uint32_t line);

/// The lines of `to` that belong to a line of `from`, ascending, in either direction: those made from it where that is
/// known (machine code and the assembly it is made from), else those that come from the same lines of the source. For
/// many questions: core/LinkTable.h.
std::vector<uint32_t> linkedLines(const Stage &from, uint32_t line, const Stage &to);

/// The stage's text, each line behind the lines of the source that it comes from: "30", "12,14", "-" for what the
/// compiler made, nothing for text. Lines of other sources than the first stage's, `source`, with their name:
/// "lib.py:3".
std::string withOrigins(const Stage &stage, const SourceRef &source);

/// All origins, as JSON:
///
///   {"kernel": "double",
///    "sources": ["double.py"],
///    "stages": [{"id": "ir", "title": "IR", "lines": [null, [], [[0, 17, 22, 30]]]}]}
///
/// For each line null (no code), or a list of places, empty for what the compiler made: number of the source, line,
/// first column, column after the last (from 1, in bytes).
std::string linksJson(const Stages &stages, std::string_view kernel);

} // namespace lanescope::core
