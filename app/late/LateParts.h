// Parts of the program that it loads when it first needs them.
#pragma once

namespace lanescope::app {

/// Calls `act` as soon as the program has loaded its compiler, in the thread that first needs it. Calls it at once if
/// the program is linked with the compiler.
void whenCompilerIsLoaded(void (*act)());

} // namespace lanescope::app
