#include "core/gpu/lowering/tensor/AccumulatorWords.h"

#include "layouts/support/Text.h"

namespace lanescope::core {

using namespace mlir;

AccumulatorWords::AccumulatorWords(ThreadBuilder &t, const RegisterArray &array, Type element) {
  bool pairs = element.isF16();
  word = pairs ? t.i32() : element;
  for (Value each : array.registers) {
    if (pairs) {
      words.push_back(t.create<LLVM::BitcastOp>(t.i32(), each));
      continue;
    }
    words.push_back(t.extract(each, 0));
    words.push_back(t.extract(each, 1));
  }
}

const char *AccumulatorWords::constraint() const { return isa<FloatType>(word) ? "f" : "r"; }

RegisterArray AccumulatorWords::array(ThreadBuilder &t, const RegisterArray &model, ArrayRef<Value> results) const {
  RegisterArray out{model.layout, model.shape, {}};
  Type registerType = model.registers.front().getType();
  if (registerType != t.vectorOf(word, 2))
    for (Value each : results)
      out.registers.push_back(t.create<LLVM::BitcastOp>(registerType, each));
  else
    for (size_t i = 0; i < results.size(); i += 2)
      out.registers.push_back(t.concatenate({results[i], results[i + 1]}));
  return out;
}

std::string operandList(size_t first, size_t count) {
  std::string list = "{";
  for (size_t i = 0; i < count; ++i)
    list += text(i ? "," : "", "$", first + i);
  return list + "}";
}

} // namespace lanescope::core
