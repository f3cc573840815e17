#include "core/gpu/lowering/tensor/MmaScales.h"

namespace lanescope::core {

using namespace mlir;

constexpr int64_t kScalesPerWord = 4;

MmaScaleWords::MmaScaleWords(ThreadBuilder &t, const RegisterArray &array,
                             const layouts::catalogue::MmaScaleLayout &places, int64_t perStep)
    : perStep_(perStep), neighbours_(places.neighbours), tiles_(places.tiles),
      wordsPerRegister_(std::max<int64_t>(1, neighbours_ / kScalesPerWord)),
      registersPerRow_(array.shape[1] / neighbours_) {
  for (Value each : array.registers) {
    if (neighbours_ < kScalesPerWord) {
      Type narrow = t.builder().getIntegerType(static_cast<unsigned>(8 * neighbours_));
      words_.push_back(t.resize(each.getType() == narrow ? each : t.create<LLVM::BitcastOp>(narrow, each), 32));
      continue;
    }
    Value all = t.create<LLVM::BitcastOp>(ThreadBuilder::vectorOf(t.i32(), wordsPerRegister_), each);
    for (int64_t i = 0; i < wordsPerRegister_; ++i)
      words_.push_back(t.extract(all, i));
  }
}

MmaScaleWords::Selected MmaScaleWords::at(size_t tile, size_t step) const {
  // The registers are in the order (tiles, scales along K).
  int64_t first = static_cast<int64_t>(step) * perStep_, row = static_cast<int64_t>(tile) / tiles_;
  int64_t reg = row * registersPerRow_ + first / neighbours_, byte = first % neighbours_;
  return {words_[reg * wordsPerRegister_ + byte / kScalesPerWord], byte % kScalesPerWord,
          static_cast<int64_t>(tile) % tiles_};
}

} // namespace lanescope::core
