#include "repl/session/WithoutSaving.h"

#include "repl/session/Session.h"

namespace lanescope::repl {

void withoutSaving(Session &session) { session.files().setKeepsInMemory(true); }

void savingAgain(Session &session) { session.files().setKeepsInMemory(false); }

} // namespace lanescope::repl
