// What another version of MLIR spells otherwise than ours, as data: a table of pairs of spellings.
//
//   constexpr SyntaxDifference kKnown[] = {{"nvvm.cp.async.bulk.wait_group $n read", "nvvm.cp.async.bulk.wait_group $n
//   {read}"}}; toOurSyntax(text, kKnown)    // the edits that make MLIR read `text`
//
// A spelling begins with the operation's or the attribute's name. `$n` stands for one item: a word, a value, a number,
// a string, or a bracket with all that is in it. `$...` stands for the attribute dictionary that may come there; within
// braces of `ours` its entries follow those that stand there. What comes after the spelling stays as it is.
#pragma once

#include "core/ir/EditedText.h"

#include <span>

namespace lanescope::core {

struct SyntaxDifference {
  std::string_view theirs, ours;
};

/// What a target says of its modules to the reader (ModuleReader.h).
struct ModuleDialects {
  std::span<const SyntaxDifference> differences; // beside those of MLIR's own dialects (CommonSyntax.h)
  /// Operations without operands whose results may have any type, whatever their dialect says of them.
  std::span<const std::string_view> anyValues;
  /// Operations that no dialect has are kept as what they are; else they are errors.
  bool keepsUnknown = false;
};

/// One edit for each place where an operation is written as the table's `theirs`; of several that fit, the first.
std::vector<TextEdit> toOurSyntax(std::string_view text, std::span<const SyntaxDifference> known);

} // namespace lanescope::core
