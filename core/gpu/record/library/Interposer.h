// The driver's functions that the library stands before (Interposer.cpp), by their names.
#pragma once

namespace lanescope::core::record {

/// Whether the library stands before that function.
bool isWatched(const char *symbol);
/// What a program gets that has looked up a watched function and found `found`, which may be null.
void *standInFor(const char *symbol, void *found);

} // namespace lanescope::core::record
