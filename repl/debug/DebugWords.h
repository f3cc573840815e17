// Writes the debugger's answers as text for a terminal.
#pragma once

#include "core/gpu/emulator/debug/Debugger.h"
#include "repl/debug/DebugTarget.h"
#include "viz/host/DebuggedRun.h"

#include <string>

namespace lanescope::repl {

/// A text such as "warp 2 of block (0, 1)"; in a grid of one dimension "warp 2 of block 1"; with several devices "warp
/// 2 of device 1 block 0".
std::string warpWords(const DebugTarget &target, core::WarpRef warp);
/// A text such as "line 46"; for PTX without a snippet "PTX line 46".
std::string placeWords(const core::CodePlace &place);
/// The reason and the place of the stop, with the line of the snippet and the instruction.
std::string stopWords(const DebugTarget &target, const core::Stop &stop);
/// The places of warps. Warps at the same place share a line.
std::string whereWords(const DebugTarget &target, const std::vector<core::WarpPlace> &warps, core::WarpRef focus);
std::string barrierWords(const DebugTarget &target, const std::vector<core::BarrierState> &barriers);
std::string flightWords(const DebugTarget &target, const std::vector<core::Flight> &flights);
std::string waitWords(const DebugTarget &target, const std::vector<core::WaitEdge> &waits,
                      const std::vector<core::Flight> &flights);
/// Rows of 16 bytes, with the writer of each part. `flights`: all copies in flight.
std::string sharedWords(const core::SharedMemory &shared, const std::vector<core::Flight> &flights);
std::string registerWords(const std::vector<core::RegisterValue> &registers);
/// A text such as "shared memory from address 1024 on, f32[2, 64, 64] in tiles of (8, 32), 128-byte swizzle".
std::string tileWords(const viz::DebugTile &tile);
/// A text such as "tensor memory, (128, 64) f32 in …, columns 0 to 63".
std::string tensorArrayWords(const layouts::TmemArray &array);
std::string tensorMemoryWords(const core::TensorMemoryState &memory);
/// The lines around `line`, with a mark at `line`.
std::string listWords(const SourceRef &source, uint32_t line);

} // namespace lanescope::repl
