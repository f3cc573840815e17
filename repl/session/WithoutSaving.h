// Runs that nobody asked for, while someone types or to find what a debugger needs, leave no files behind.
#pragma once

namespace lanescope::repl {

class Session;

/// In this session `save` does nothing. It is the only function of the language that writes a file.
void withoutSaving(Session &session);
/// It does again, unless the snippet gave the name to something else.
void savingAgain(Session &session);

} // namespace lanescope::repl
