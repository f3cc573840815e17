// What another version of MLIR spells otherwise than ours, as data: a table of pairs of spellings.
//
//   constexpr SyntaxDifference kKnown[] = {{"nvvm.cp.async.bulk.wait_group $n read", "nvvm.cp.async.bulk.wait_group $n
//   {read}"}}; toOurSyntax(text, kKnown)    // the edits that make MLIR read `text`
//
// A spelling begins with the operation's or the attribute's name. `$n` stands for one item: a word, a value, a number, a string, or a
// bracket with all that is in it. `$...` stands for the attribute dictionary that may come there; within braces of
// `ours` its entries follow those that stand there. What comes after the spelling stays as it is.
#pragma once

#include "core/ir/EditedText.h"

#include <span>

namespace lanescope::core {

struct SyntaxDifference {
  std::string_view theirs, ours;
};

/// One edit for each place where an operation is written as the table's `theirs`; of several that fit, the first.
std::vector<TextEdit> toOurSyntax(std::string_view text, std::span<const SyntaxDifference> known);

} // namespace lanescope::core
