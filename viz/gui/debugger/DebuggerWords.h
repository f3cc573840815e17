// The texts of the debugger's view, for its panels and for scripts that read them.
#pragma once

#include "viz/gui/debugger/DebuggerMemoryWords.h"
#include "viz/gui/debugger/DebuggerModel.h"

namespace lanescope::viz {

/// "block 0", with several devices "device 1 block 0"
std::string blockWords(const DebugPage &page, uint32_t block);
/// "block 0, warp 3"
std::string warpWords(const DebugPage &page, core::WarpRef warp);
/// The reason why the run stopped: "the moment before a fault: …".
std::string stopWords(const DebugPage &page);
/// "moment 120 of 480, cycle 1402, block 0, warp 3 is at line 46"
std::string momentWords(const DebugPage &page);
/// The line at which the run has stopped, if the fault's report names another line. Empty if it names the same line.
std::string faultPlaceWords(const DebugPage &page);
/// The reason why the panel of operations in flight is empty.
std::string nothingInFlight(const DebugPage &page);
/// The lanes of a mask: "all lanes", "lanes 0-15, 31".
std::string lanesWords(uint32_t lanes);
std::string barrierName(const core::BarrierState &barrier);
/// "phase 2, 1 of 2 arrivals and 8192 bytes missing"
std::string barrierWords(const core::BarrierState &barrier);
std::string kindWords(const core::Flight &flight);
/// One line for each fact that the view can show, in whichever panel.
std::string readableText(const DebuggerModel &model);

} // namespace lanescope::viz
