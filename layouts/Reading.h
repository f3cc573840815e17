// How a layout's text is read: of which memory, and for which array. The one place that decides it; builtins, commands,
// pictures, comparisons and printers ask here.
//
//   readingOf((8,4):(4,1))                          ->  shared memory, for (8, 4): a guess, which its note says
//   readingOf((8,4):(4,1), {.shape = {4, 8}})       ->  registers: mode 0 is the thread, mode 1 the value
//   readingOf(WGMMA)                                ->  registers, no shape: it applies to many
//   commonReading(WGMMA, (128,32):(1,128), {})      ->  registers: the other layout leaves no choice
//
// The rule:
// 1. What is asked for holds: `memory=` of the language, `--memory` of commands, the window's switch, a view of one
//    memory alone.
// 2. Most texts say what they are: the notations of Mosaic, Triton, Tilus, TIRx and TPUs, a pointer (`smem_ptr[16b]`),
//    a printout's label (`LayoutC_TV`), an atom's name, a swizzle, strides that are coordinates (`1@0`).
// 3. A plain `shape:stride` of CuTe does not. It is memory for the array of its modes' sizes, which is the array where
//    none is given. For an array of other sizes it is (thread, value) where it has two modes, else memory.
// 4. Two layouts are compared in a memory that both know. Where that leaves a choice, the one that says what it is
//    decides; two plain ones are (thread, value) only where each would be so by itself. The array is the one asked for,
//    else that of the first, else that of the second.
#pragma once

#include "layouts/Layout.h"

#include <optional>
#include <string>
#include <string_view>

namespace lanescope::layouts {

struct ReadingRequest {
  std::optional<Shape> shape = std::nullopt;
  std::optional<Memory> memory = std::nullopt;
};

struct Reading {
  Memory memory = Memory::Registers;
  std::optional<Shape> shape = std::nullopt;      // asked for, or the text's own; nothing where neither says it
  std::optional<Memory> otherwise = std::nullopt; // what it might mean as well: then `memory` was a guess
};
/// Errors: the layout knows no such memory, or none at all.
Result<Reading> readingOf(const Layout &layout, const ReadingRequest &request = {});

/// What a foreign layout is as well that knows several memories, and whose text may say all the same which one it
/// means.
class SaysMemory {
public:
  virtual bool saysMemory() const = 0;

protected:
  ~SaysMemory() = default;
};

/// How whoever looks may say otherwise.
enum class ReadingSwitch { Argument, Flag, Window }; // memory="registers", --memory registers, the switch `Read as`
/// What was guessed and how to say otherwise, a sentence without a full stop; empty where nothing was.
std::string guessNote(const Layout &layout, const Reading &reading, ReadingSwitch how = ReadingSwitch::Argument);

struct CommonReading {
  Memory memory = Memory::Registers;
  std::optional<Shape> shape = std::nullopt;
  std::optional<Memory> otherwise = std::nullopt;
  /// Whose array it is where nobody asked for one and the two do not agree.
  enum class ShapeOf { Agreed, Left, Right } shapeOf = ShapeOf::Agreed;
};
/// Errors: they share no memory, or not the one asked for; one knows none.
Result<CommonReading> commonReading(const Layout &left, const Layout &right, const ReadingRequest &request = {});
std::string guessNote(const Layout &left, const Layout &right, const CommonReading &reading,
                      ReadingSwitch how = ReadingSwitch::Argument);

/// The array that the layout's text names, read as of that memory: a plain CuTe layout names one as memory only.
std::optional<Shape> ownShape(const Layout &layout, Memory memory);
/// All memories that the layout can be read as, its natural one first. MLIR spells tiled layouts of registers and of
/// tensor memory alike.
std::vector<Memory> memoriesOf(const Layout &layout);
/// The layout as one of that memory, where it is spelled alike for several.
Layout layoutIn(const Layout &layout, Memory memory);
/// "registers", "shared" (or "smem") and "tmem", as `memory=` takes them.
std::optional<Memory> memoryNamed(std::string_view word);
std::string_view word(Memory memory);

} // namespace lanescope::layouts
