// A look at a module's text before MLIR parses it. MLIR's parser and printer recurse once for each level of nesting and
// write an alias out at each use, so a text of a few kilobytes can exhaust the stack or the memory; this refuses those.
//
//   checkModuleText(source)   Result: invalid UTF-8, brackets nested too deeply, aliases that grow without bound, an
//                             affine map or a number that is too long
//
// It is no parser: what passes may still be no module.
#pragma once

#include "core/data/FileLimits.h"
#include "layouts/support/Diagnostic.h"

namespace lanescope::core {

/// Levels of brackets, with those inside the aliases that are used there. Real dumps have fewer than 20.
constexpr int kDeepestModuleText = 128;
/// Bytes that the text takes when every alias is written out.
constexpr uint64_t kLargestModuleText = limitOf(FileRole::Module).bytes();
/// Bytes of one `affine_map<…>` or `affine_set<…>`: its expression recurses without brackets.
constexpr uint32_t kLongestAffineMap = 4096;

/// Digits of one number in a row. The widest integer that kernels have takes 39.
constexpr uint32_t kLongestNumber = 128;

/// Errors (kind "ir") point at the first byte at fault.
Result<void> checkModuleText(const SourceRef &source);

} // namespace lanescope::core
