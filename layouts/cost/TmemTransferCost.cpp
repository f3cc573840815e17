#include "layouts/cost/TmemTransferCost.h"

#include "layouts/Catalogue.h"
#include "layouts/cost/RelayoutTable.h"
#include "layouts/support/Text.h"

#include <algorithm>
#include <bit>

namespace lanescope::layouts {

namespace {

constexpr int kMostWords = 32; // the most words of an instruction; a longer one only delays its registers
constexpr int64_t kBlock = 8;  // rows and columns of a block, which four lanes per row hold

/// The correspondence between a thread's registers and the rows and columns.
enum class Path : uint8_t {
  Rows,       // TCGEN05: a quarter has four blocks of rows; the registers hold one column of blocks after another
  Halves,     // WGMMA: the quarter's upper half has the left columns, its lower half the right ones
  Collective, // fa_m64_collective: like Rows, with half of the columns
  Pairs,      // TMEM_NATIVE(2): a lane's row, two columns per register
  Cells,      // the layout of the cells themselves
};

bool isRows(Path path) { return path == Path::Rows || path == Path::Halves || path == Path::Collective; }

template <typename Layout, typename Made> bool is(const Layout &layout, const Made &made) {
  return made && layout == *made;
}

std::expected<Path, std::string> pathOf(const TMEMLayout &tensor, const RegisterLayout &registers, const Shape &shape,
                                        int bitwidth) {
  auto fail = [](auto &&...parts) { return std::unexpected(text(parts...)); };
  if (tensor == catalogue::sparseMeta())
    return fail("sparsity metadata is copied from shared memory, not loaded or stored");
  if (auto fits = tensor.checkType(shape, bitwidth); !fits)
    return fail(fits.error().front().message);
  if (int64_t rows = tensor.tiled().baseTile().front(); shape[0] != rows)
    return fail("arrays of ", rows, " rows are loaded and stored in this layout of tensor memory, not of ", shape[0]);
  const auto *tiled = std::get_if<TiledLayout>(&registers);
  int64_t columns = shape[1], packing = tensor.packing();
  bool inBlocks = bitwidth == 16 || bitwidth == 32;
  if (tiled && is(tensor, catalogue::tmemDefault(packing))) {
    if (inBlocks && columns % kBlock == 0 && *tiled == catalogue::tcgen05())
      return Path::Rows;
    if ((bitwidth == 32 || (bitwidth == 16 && packing == 1)) && columns % 2 == 0 &&
        is(*tiled, catalogue::tmemNative(2)))
      return Path::Pairs;
  }
  if (tiled && inBlocks && is(tensor, catalogue::tmemHalfLane(columns, packing)) && *tiled == catalogue::wgmma())
    return Path::Halves;
  if (tiled && inBlocks && is(tensor, catalogue::tmemM64Collective(columns, packing)) &&
      is(*tiled, catalogue::faM64Collective(columns)))
    return Path::Collective;
  if (tiled && packing * bitwidth == kTmemCellBits && *tiled == tensor.tiled())
    return Path::Cells;
  return fail("an array in ", quoted(registers), " with elements of ", bitwidth,
              " bits is not loaded from, or stored to, tensor memory laid out as ", quoted(tensor));
}

/// The register of block (row, column) of a quarter.
int64_t blockRegister(Path path, int64_t row, int64_t column, int64_t columns) {
  switch (path) {
  case Path::Rows: return column * 4 + row;
  case Path::Halves: return row < 2 ? column * 2 + row : (column + columns / 2 / kBlock) * 2 + row - 2;
  default: return row * (columns / 2 / kBlock) + column;
  }
}

} // namespace

std::expected<TmemTransfer, std::string> chooseTmemTransfer(const TMEMLayout &tensor, const RegisterLayout &registers,
                                                            const Shape &shape, int bitwidth) {
  auto path = pathOf(tensor, registers, shape, bitwidth);
  if (!path)
    return std::unexpected(std::move(path.error()));
  int64_t columns = shape[1], packing = tensor.packing();
  TmemTransfer plan;
  plan.packs = bitwidth == 16 && packing == 1;
  // In each half, the instructions' repeat counts `.x` add up to `steps`. One repeat moves `wordsPerStep` words per
  // thread, and the next one begins `cellsPerStep` columns further on.
  int64_t steps, wordsPerStep = 1, cellsPerStep = 1;
  if (isRows(*path)) {
    plan.shape = bitwidth == 32 ? "16x256b" : "16x128b";
    steps = (*path == Path::Rows ? columns : columns / 2) / kBlock;
    wordsPerStep = bitwidth == 32 ? 4 : 2;
    cellsPerStep = kBlock / packing;
  } else {
    plan.shape = "32x32b";
    cellsPerStep = plan.packs ? 2 : 1;
    steps = *path == Path::Pairs ? columns / cellsPerStep : *tensor.columnsIn(shape, bitwidth);
  }
  auto most = std::min(std::bit_floor(static_cast<uint64_t>(steps)), static_cast<uint64_t>(kMostWords / wordsPerStep));
  for (int half = 0; half < (isRows(*path) ? 2 : 1); ++half) {
    auto num = static_cast<int64_t>(most);
    for (int64_t done = 0; done < steps; done += num) {
      while (num > steps - done)
        num /= 2;
      TmemInstruction instruction{half * 16, done * cellsPerStep, static_cast<int>(num), {}};
      for (int64_t step = done; step < done + num; ++step) {
        if (!isRows(*path)) {
          bool split = *path == Path::Pairs && bitwidth == 32;
          instruction.words.push_back(split ? TmemWord{static_cast<int32_t>(step / 2), static_cast<int32_t>(step % 2)}
                                            : TmemWord{static_cast<int32_t>(step)});
          continue;
        }
        for (int row : {2 * half, 2 * half + 1}) {
          auto reg = static_cast<int32_t>(blockRegister(*path, row, step, columns));
          if (bitwidth == 32)
            instruction.words.insert(instruction.words.end(), {{reg, 0}, {reg, 1}});
          else
            instruction.words.push_back({reg});
        }
      }
      plan.instructions.push_back(std::move(instruction));
    }
  }
  return plan;
}

bool isTransferable(const TMEMLayout &tensor, const RegisterLayout &registers, const Shape &shape, int bitwidth) {
  return pathOf(tensor, registers, shape, bitwidth).has_value();
}

std::vector<RegisterLayout> registerLayoutsFor(const TMEMLayout &tensor, const Shape &shape, int bitwidth) {
  std::vector<RegisterLayout> candidates{catalogue::tcgen05(), tensor.tiled(), *catalogue::tmemNative(2),
                                         catalogue::wgmma()};
  if (auto halves = catalogue::faM64Collective(shape.back()))
    candidates.emplace_back(*halves);
  std::erase_if(candidates, [&](const RegisterLayout &each) { return !isTransferable(tensor, each, shape, bitwidth); });
  return candidates;
}

std::string quoted(const TMEMLayout &layout) { return text('`', catalogueName(layout).value_or(jaxText(layout)), '`'); }

std::vector<TMEMLayout> tensorLayoutsFor(const RegisterLayout &registers, const Shape &shape, int bitwidth) {
  std::vector<TMEMLayout> found;
  for (int64_t packing = kTmemCellBits / bitwidth; packing > 0; packing = packing > 1 ? 1 : 0)
    for (const Result<TMEMLayout> &each :
         {catalogue::tmemDefault(packing), catalogue::tmemHalfLane(shape.back(), packing),
          catalogue::tmemM64Collective(shape.back(), packing)})
      if (each && isTransferable(*each, registers, shape, bitwidth))
        found.push_back(*each);
  return found;
}

} // namespace lanescope::layouts
