// The module of the page's console.
#include "repl/web/SnippetPage.h"
#include "viz/web/ModuleExports.h"

LANESCOPE_EXPORT_CALLS(lanescope::repl::SnippetPage)
