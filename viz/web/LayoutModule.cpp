// The module of the page of layouts.
#include "viz/web/LayoutPage.h"
#include "viz/web/ModuleExports.h"

LANESCOPE_EXPORT_CALLS(lanescope::viz::LayoutPage)
