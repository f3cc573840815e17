// The driver functions that the library intercepts (Interposer.cpp), by name.
#pragma once

namespace lanescope::core::record {

/// True for a function that the library intercepts.
bool isWatched(const char *symbol);
/// Returns the function to give to a program that looked up a watched one and found `found`, which may be null.
void *standInFor(const char *symbol, void *found);

} // namespace lanescope::core::record
