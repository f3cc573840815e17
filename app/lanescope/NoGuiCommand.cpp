// The command `gui`, and links, in a build without the window (LANESCOPE_GUI=OFF).
#include "app/lanescope/Common.h"
#include "app/lanescope/OpenLink.h"

namespace lanescope::app {

int runGui(const GuiArguments &) {
  complain("lanescope: this program was built without its window (LANESCOPE_GUI=OFF); `show -o x.html` and "
           "`trace -o x.html` draw to files\n");
  return kMachineLacks;
}

Result<std::string> viewOfLink(const std::string &link) {
  return error("bad-view", {Source::make("<link>", link), 0, static_cast<uint32_t>(link.size())},
               "this program was built without its window (LANESCOPE_GUI=OFF), which reads links");
}

} // namespace lanescope::app
