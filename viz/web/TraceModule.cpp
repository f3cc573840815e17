// The module of the page of traces.
#include "viz/web/ModuleExports.h"
#include "viz/web/TracePage.h"

#include <nlohmann/json.hpp> // members of the page

LANESCOPE_EXPORT_CALLS(lanescope::viz::TracePage)
LANESCOPE_EXPORT_FILE(lanescope::viz::TracePage)
