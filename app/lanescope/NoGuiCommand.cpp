// The command `gui` in a build without the window (LANESCOPE_GUI=OFF).
#include "app/lanescope/Common.h"

namespace lanescope::app {

int runGui(const GuiArguments &) {
  complain("lanescope: this program was built without its window (LANESCOPE_GUI=OFF); `show -o x.html` and "
           "`trace -o x.html` draw to files\n");
  return kMachineLacks;
}

} // namespace lanescope::app
