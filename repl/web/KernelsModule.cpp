// The module of the page of kernels.
#include "repl/web/KernelPage.h"
#include "viz/web/ModuleExports.h"

LANESCOPE_EXPORT_CALLS(lanescope::repl::KernelPage)
LANESCOPE_EXPORT_FILE(lanescope::repl::KernelPage)
