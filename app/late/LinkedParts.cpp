#include "app/late/LateParts.h"

namespace lanescope::app {

void whenCompilerIsLoaded(void (*act)()) { act(); }

} // namespace lanescope::app
