// Prevents runs for which the user did not ask from writing files: runs while the user types, and runs that find a
// debugger's values.
#pragma once

namespace lanescope::repl {

class Session;

/// Makes the session's `save` keep its arrays in memory, where `load` finds them. `save` is the only function of the
/// language that writes files.
void withoutSaving(Session &session);
/// Makes `save` write files again.
void savingAgain(Session &session);

} // namespace lanescope::repl
