// Checks a module's text before MLIR parses it. MLIR's parser and printer recurse once for each level of nesting and
// write an alias out at each use. So a text of a few kilobytes can exhaust the stack or the memory. This check refuses
// such texts.
//
//   checkModuleText(source)   Result: invalid UTF-8, brackets nested too deeply, aliases that grow without bound, an
//                             affine map or a number that is too long
//
// It is not a parser: a text that passes may still not be a module.
#pragma once

#include "core/data/FileLimits.h"
#include "layouts/support/Diagnostic.h"

namespace lanescope::core {

/// The most levels of brackets; those inside of a used alias count at the place of the use. Real dumps have fewer than
/// 20.
constexpr int kDeepestModuleText = 128;
/// The most bytes of the text with every alias written out.
constexpr uint64_t kLargestModuleText = limitOf(FileRole::Module).bytes();
/// The most bytes of one `affine_map<…>` or `affine_set<…>`. The parser recurses in its expression without any
/// brackets.
constexpr uint32_t kLongestAffineMap = 4096;

/// The most digits of one number. The widest integer in kernels takes 39.
constexpr uint32_t kLongestNumber = 128;

/// Errors (kind "ir") point at the first wrong byte.
Result<void> checkModuleText(const SourceRef &source);

} // namespace lanescope::core
