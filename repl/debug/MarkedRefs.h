// Arrays in shared and tensor memory as the kernel sees them: the place of each element, and the array's current
// content.
//
//   SharedArray ref = *takeRef("f16 64x64 8x64 128 tile");       // words of a mark
//   readTile(debugger, block, *tileOf(ref, "tile", 1024))        // the array that lies at shared address 1024
//
// layouts::SmemMap and layouts::TmemMap compute where an element lies.
#pragma once

#include "core/gpu/emulator/debug/Debugger.h"
#include "core/gpu/kernel/SharedArrays.h"
#include "core/gpu/kernel/TensorArrays.h"
#include "viz/host/DebuggedRun.h"

#include <string_view>

namespace lanescope::repl {

/// Removes the words of a mark in front of the name, such as "f16 64x64 8x64 128", and returns the array that they
/// describe. "-" stands for no numbers. Nothing: the words describe no array.
std::optional<core::SharedArray> takeRef(std::string_view &words);

/// Maps each byte from a shared address on to the element that it holds. Errors: those of SmemMap::of.
Result<viz::DebugTile> tileOf(const core::SharedArray &ref, const std::string &name, uint32_t address);
/// The tile's content in a block's shared memory. Error "debug-value": the block is not running.
Result<core::Array> readTile(const core::Debugger &debugger, uint32_t block, const viz::DebugTile &tile);
/// The content of the array in a block's tensor memory. Error "debug-value": nothing is allocated there.
Result<core::Array> readTensor(const core::Debugger &debugger, uint32_t block, const layouts::TmemArray &array);

} // namespace lanescope::repl
