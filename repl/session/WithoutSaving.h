// Runs that nobody asked for, while someone types or to find what a debugger needs, leave no files behind.
#pragma once

namespace lanescope::repl {

class Session;

/// In this session `save`, the only function of the language that writes a file, keeps its arrays in memory, where
/// `load` finds them.
void withoutSaving(Session &session);
/// It writes again.
void savingAgain(Session &session);

} // namespace lanescope::repl
