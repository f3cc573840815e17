// The driver's functions that the library stands before (Interposer.cpp), by their names.
#pragma once

namespace lanescope::core::record {

/// True for a function that the library watches.
bool isWatched(const char *symbol);
/// Gives the function for a program that looked up a watched one and found `found`, which may be null.
void *standInFor(const char *symbol, void *found);

} // namespace lanescope::core::record
