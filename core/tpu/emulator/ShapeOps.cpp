// Operations that move elements of vectors without computing: broadcasts, slices, bitcasts, gathers.
#include "core/tpu/emulator/ElementArithmetic.h"
#include "core/tpu/emulator/Operations.h"
#include "core/tpu/emulator/TpuCostModel.h"

namespace lanescope::core::sparsecore {
namespace {

using Shape = std::vector<int64_t>;

Shape stridesOf(const Shape &shape) {
  Shape strides(shape.size(), 1);
  for (size_t d = shape.size(); d-- > 1;)
    strides[d - 1] = strides[d] * shape[d];
  return strides;
}

/// Element k of the result is element `from(index of k)` of the operand.
template <typename F> void gather(Subcore &s, uint32_t result, uint32_t operand, const Shape &shape, F &&from) {
  auto source = cells(s, operand), to = cells(s, result);
  auto sourceContent = contents(s, operand), content = contents(s, result);
  Shape index(shape.size(), 0);
  for (size_t k = 0; k < to.size(); ++k) {
    size_t at = static_cast<size_t>(from(index));
    to[k] = source[at];
    if (!content.empty())
      content[k] = sourceContent[at];
    for (size_t d = shape.size(); d-- > 0;) {
      if (++index[d] < shape[d])
        break;
      index[d] = 0;
    }
  }
}

Outcome iota(Machine &m, Subcore &s, const Instruction &i) {
  const Type &type = typeOf(m, s, i.results[0]);
  Shape strides = stridesOf(type.shape);
  auto to = cells(s, i.results[0]);
  for (size_t k = 0; k < to.size(); ++k) {
    int64_t value = 0; // row-major number over the dimensions, in the given order
    for (int64_t dimension : i.numbers) {
      size_t d = static_cast<size_t>(dimension);
      value = value * type.shape[d] + static_cast<int64_t>(k) / strides[d] % type.shape[d];
    }
    to[k] =
        type.element.isFloat() ? floatBits(type.element, static_cast<double>(value)) : integerBits(type.element, value);
  }
  std::ranges::fill(contents(s, i.results[0]), kDefined);
  charge(m, s, i.results[0], cost::kVector);
  return Outcome::Next;
}

Outcome broadcast(Machine &m, Subcore &s, const Instruction &i) {
  const Type &from = typeOf(m, s, i.operands[0]), &to = typeOf(m, s, i.results[0]);
  Shape strides = stridesOf(from.shape);
  size_t lead = to.shape.size() - from.shape.size();
  gather(s, i.results[0], i.operands[0], to.shape, [&](const Shape &index) {
    int64_t at = 0;
    for (size_t d = 0; d < from.shape.size(); ++d)
      at += from.shape[d] == 1 ? 0 : index[lead + d] * strides[d];
    return at;
  });
  charge(m, s, i.results[0], cost::kVector);
  return Outcome::Next;
}

Outcome copy(Machine &, Subcore &s, const Instruction &i) {
  std::ranges::copy(cells(s, i.operands[0]), cells(s, i.results[0]).begin());
  std::ranges::copy(contents(s, i.operands[0]), contents(s, i.results[0]).begin());
  return Outcome::Next;
}

/// Joins or splits the cells of an operand into those of the result, least significant bits first.
void rebits(std::span<const uint64_t> from, uint32_t fromBits, std::span<uint64_t> to, uint32_t toBits) {
  if (fromBits >= toBits) {
    size_t parts = fromBits / toBits;
    uint64_t mask = toBits >= 64 ? ~uint64_t{0} : (uint64_t{1} << toBits) - 1;
    for (size_t k = 0; k < to.size(); ++k)
      to[k] = (from[k / parts] >> (k % parts * toBits)) & mask;
    return;
  }
  size_t parts = toBits / fromBits;
  for (size_t k = 0; k < to.size(); ++k) {
    to[k] = 0;
    for (size_t p = 0; p < parts; ++p)
      to[k] |= from[k * parts + p] << (p * fromBits);
  }
}

void rebitContents(Subcore &s, const Instruction &i) {
  auto from = contents(s, i.operands[0]), to = contents(s, i.results[0]);
  for (size_t k = 0; k < to.size(); ++k) {
    to[k] = kDefined;
    size_t first = k * from.size() / to.size(), last = std::max(first + 1, (k + 1) * from.size() / to.size());
    for (size_t p = first; p < last; ++p)
      if (to[k] == kDefined)
        to[k] = from[p];
  }
}

Outcome bitcast(Machine &m, Subcore &s, const Instruction &i) {
  uint32_t from = typeOf(m, s, i.operands[0]).element.bits, to = typeOf(m, s, i.results[0]).element.bits;
  rebits(cells(s, i.operands[0]), from, cells(s, i.results[0]), to);
  rebitContents(s, i);
  return Outcome::Next;
}

/// Along the second innermost dimension, each column holds the parts of a word. The first row has the least significant
/// bits.
Outcome bitcastRows(Machine &m, Subcore &s, const Instruction &i) {
  const Type &from = typeOf(m, s, i.operands[0]), &to = typeOf(m, s, i.results[0]);
  if (from.element.bits == to.element.bits || from.shape.size() < 2)
    return bitcast(m, s, i);
  auto source = cells(s, i.operands[0]), target = cells(s, i.results[0]);
  auto sourceContent = contents(s, i.operands[0]), content = contents(s, i.results[0]);
  size_t columns = static_cast<size_t>(from.shape.back());
  bool narrower = from.element.bits > to.element.bits;
  size_t parts = narrower ? from.element.bits / to.element.bits : to.element.bits / from.element.bits;
  size_t words = narrower ? source.size() : target.size();
  std::vector<uint64_t> pieces(parts);
  for (size_t word = 0; word < words; ++word) {
    size_t row = word / columns, column = word % columns;
    if (narrower)
      rebits(source.subspan(word, 1), from.element.bits, pieces, to.element.bits);
    for (size_t p = 0; p < parts; ++p) {
      size_t piece = (row * parts + p) * columns + column;
      if (narrower)
        target[piece] = pieces[p];
      else
        pieces[p] = source[piece];
      if (!content.empty() && narrower)
        content[piece] = sourceContent[word];
      else if (!content.empty())
        content[word] = p == 0 ? sourceContent[piece] : merged(content[word], sourceContent[piece]);
    }
    if (!narrower)
      rebits(pieces, from.element.bits, target.subspan(word, 1), to.element.bits);
  }
  return Outcome::Next;
}

/// The position that `numbers` gives; for each dynamic entry, the next operand from `first` on gives the number.
bool position(Machine &m, Subcore &s, const Instruction &i, size_t first, const Shape &shape, Shape &at) {
  at = i.numbers;
  for (size_t d = 0; d < at.size(); ++d) {
    if (at[d] == kDynamic) {
      if (!requireDefined(m, s, i, i.operands[first], "a position in a vector"))
        return false;
      at[d] = number(m, s, i.operands[first++]);
    }
    if (at[d] < 0 || at[d] >= shape[d]) {
      m.fail("memref-out-of-bounds", i.place,
             Message("position {} of dimension {dimension} is outside of a vector of {}", at[d], d, shape[d]));
      return false;
    }
  }
  return true;
}

Outcome extract(Machine &m, Subcore &s, const Instruction &i) {
  const Type &from = typeOf(m, s, i.operands[0]);
  Shape at, strides = stridesOf(from.shape);
  if (!position(m, s, i, 1, from.shape, at))
    return Outcome::Failed;
  size_t offset = 0;
  for (size_t d = 0; d < at.size(); ++d)
    offset += static_cast<size_t>(at[d] * strides[d]);
  auto to = cells(s, i.results[0]);
  std::ranges::copy(cells(s, i.operands[0]).subspan(offset, to.size()), to.begin());
  if (auto content = contents(s, i.results[0]); !content.empty())
    std::ranges::copy(contents(s, i.operands[0]).subspan(offset, to.size()), content.begin());
  s.time += cost::kVector;
  return Outcome::Next;
}

/// Operands: the inserted value, the vector.
Outcome insert(Machine &m, Subcore &s, const Instruction &i) {
  const Type &into = typeOf(m, s, i.operands[1]);
  Shape at, strides = stridesOf(into.shape);
  if (!position(m, s, i, 2, into.shape, at))
    return Outcome::Failed;
  size_t offset = 0;
  for (size_t d = 0; d < at.size(); ++d)
    offset += static_cast<size_t>(at[d] * strides[d]);
  auto part = cells(s, i.operands[0]), to = cells(s, i.results[0]);
  std::ranges::copy(cells(s, i.operands[1]), to.begin());
  std::ranges::copy(part, to.begin() + static_cast<ptrdiff_t>(offset));
  if (auto content = contents(s, i.results[0]); !content.empty()) {
    std::ranges::copy(contents(s, i.operands[1]), content.begin());
    std::ranges::copy(contents(s, i.operands[0]), content.begin() + static_cast<ptrdiff_t>(offset));
  }
  s.time += cost::kVector;
  return Outcome::Next;
}

Outcome extractSlice(Machine &m, Subcore &s, const Instruction &i) {
  const Type &from = typeOf(m, s, i.operands[0]), &to = typeOf(m, s, i.results[0]);
  Shape strides = stridesOf(from.shape);
  size_t sliced = i.numbers.size() / 2; // number of sliced dimensions; `numbers` has their offsets, then their strides
  gather(s, i.results[0], i.operands[0], to.shape, [&](const Shape &index) {
    int64_t at = 0;
    for (size_t d = 0; d < index.size(); ++d)
      at += (d < sliced ? i.numbers[d] + index[d] * i.numbers[sliced + d] : index[d]) * strides[d];
    return at;
  });
  charge(m, s, i.results[0], cost::kVector);
  return Outcome::Next;
}

/// Operands: the slice, the vector. The slice has the vector's last dimensions.
Outcome insertSlice(Machine &m, Subcore &s, const Instruction &i) {
  const Type &part = typeOf(m, s, i.operands[0]), &into = typeOf(m, s, i.operands[1]);
  Shape strides = stridesOf(into.shape), partStrides = stridesOf(part.shape);
  size_t lead = into.shape.size() - part.shape.size(), offsets = into.shape.size();
  auto source = cells(s, i.operands[0]), to = cells(s, i.results[0]);
  auto sourceContent = contents(s, i.operands[0]), content = contents(s, i.results[0]);
  std::ranges::copy(cells(s, i.operands[1]), to.begin());
  std::ranges::copy(contents(s, i.operands[1]), content.begin());
  for (size_t k = 0; k < source.size(); ++k) {
    int64_t at = 0;
    for (size_t d = 0; d < offsets; ++d) {
      int64_t index = d < lead ? 0 : static_cast<int64_t>(k) / partStrides[d - lead] % part.shape[d - lead];
      int64_t stride = d < lead || offsets + d - lead >= i.numbers.size() ? 1 : i.numbers[offsets + d - lead];
      at += (i.numbers[d] + index * stride) * strides[d];
    }
    to[static_cast<size_t>(at)] = source[k];
    if (!content.empty())
      content[static_cast<size_t>(at)] = sourceContent[k];
  }
  charge(m, s, i.results[0], cost::kVector);
  return Outcome::Next;
}

Outcome concatenate(Machine &m, Subcore &s, const Instruction &i) {
  const Type &to = typeOf(m, s, i.results[0]);
  size_t dimension = static_cast<size_t>(i.mode), inner = 1, outer = 1;
  for (size_t d = 0; d < to.shape.size(); ++d)
    (d < dimension ? outer : inner) *= static_cast<size_t>(to.shape[d]);
  auto target = cells(s, i.results[0]);
  auto content = contents(s, i.results[0]);
  size_t at = 0; // position within the dimension, in elements of the result
  for (uint32_t operand : i.operands) {
    auto source = cells(s, operand);
    auto sourceContent = contents(s, operand);
    size_t part = source.size() / std::max<size_t>(outer, 1);
    for (size_t k = 0; k < source.size(); ++k) {
      size_t place = k / part * inner + at + k % part;
      target[place] = source[k];
      if (!content.empty())
        content[place] = sourceContent[k];
    }
    at += part;
  }
  charge(m, s, i.results[0], cost::kVector);
  return Outcome::Next;
}

/// The dimensions in `numbers` count as one dimension, and the index is taken modulo its size.
Outcome dynamicGather(Machine &m, Subcore &s, const Instruction &i) {
  const Type &from = typeOf(m, s, i.operands[0]), &to = typeOf(m, s, i.results[0]);
  const Element &indexElement = typeOf(m, s, i.operands[1]).element;
  Shape strides = stridesOf(from.shape);
  int64_t size = 1;
  for (int64_t d : i.numbers)
    size *= from.shape[static_cast<size_t>(d)];
  auto indices = cells(s, i.operands[1]);
  size_t k = 0;
  gather(s, i.results[0], i.operands[0], to.shape, [&](const Shape &index) {
    int64_t collapsed = signedOf(indexElement, indices[k++]) % size;
    if (collapsed < 0)
      collapsed += size;
    Shape at = index;
    for (size_t d = i.numbers.size(); d-- > 0;) {
      size_t dimension = static_cast<size_t>(i.numbers[d]);
      at[dimension] = collapsed % from.shape[dimension];
      collapsed /= from.shape[dimension];
    }
    int64_t offset = 0;
    for (size_t d = 0; d < at.size(); ++d)
      offset += at[d] * strides[d];
    return offset;
  });
  auto indexContent = contents(s, i.operands[1]), content = contents(s, i.results[0]);
  for (size_t c = 0; c < content.size(); ++c)
    if (indexContent[c] != kDefined)
      content[c] = computedWith(indexContent[c]);
  charge(m, s, i.results[0], cost::kCrossLane);
  return Outcome::Next;
}

Outcome transpose(Machine &m, Subcore &s, const Instruction &i) {
  const Type &from = typeOf(m, s, i.operands[0]), &to = typeOf(m, s, i.results[0]);
  Shape strides = stridesOf(from.shape);
  gather(s, i.results[0], i.operands[0], to.shape, [&](const Shape &index) {
    int64_t at = 0;
    for (size_t d = 0; d < index.size(); ++d)
      at += index[d] * strides[static_cast<size_t>(i.numbers[d])];
    return at;
  });
  charge(m, s, i.results[0], cost::kCrossLane);
  return Outcome::Next;
}

/// Element k of the result is element numbers[k] of the joined operands.
Outcome rearrange(Machine &m, Subcore &s, const Instruction &i) {
  auto to = cells(s, i.results[0]);
  auto content = contents(s, i.results[0]);
  for (size_t k = 0; k < to.size(); ++k) {
    if (i.numbers[k] < 0) { // an undefined element of vector.shuffle
      to[k] = 0;
      if (!content.empty())
        content[k] = kUndefined;
      continue;
    }
    size_t at = static_cast<size_t>(i.numbers[k]), operand = 0;
    while (at >= cells(s, i.operands[operand]).size())
      at -= cells(s, i.operands[operand++]).size();
    to[k] = cells(s, i.operands[operand])[at];
    if (!content.empty())
      content[k] = contents(s, i.operands[operand])[at];
  }
  charge(m, s, i.results[0], cost::kCrossLane);
  return Outcome::Next;
}

} // namespace

void addShapes(Handlers &handlers) {
  auto set = [&](Op op, Handler handler) { handlers[static_cast<size_t>(op)] = handler; };
  set(Op::Iota, iota);
  set(Op::Broadcast, broadcast);
  set(Op::Copy, copy);
  set(Op::Bitcast, bitcast);
  set(Op::BitcastRows, bitcastRows);
  set(Op::Extract, extract);
  set(Op::Insert, insert);
  set(Op::ExtractSlice, extractSlice);
  set(Op::InsertSlice, insertSlice);
  set(Op::Concatenate, concatenate);
  set(Op::DynamicGather, dynamicGather);
  set(Op::Transpose, transpose);
  set(Op::Rearrange, rearrange);
}

} // namespace lanescope::core::sparsecore
