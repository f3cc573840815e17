// Loads and stores of a scalar, of a vector, and of lanes with their own indices.
//
// A masked load gives the k-th true lane the k-th element, and a masked store writes the k-th true lane's value to the
// k-th element. This is how SparseCores use masks (JAX, sc_primitives.py: load_expanded, store_compressed).
#include "core/tpu/emulator/CheckedAccess.h"
#include "core/tpu/emulator/ElementArithmetic.h"
#include "core/tpu/emulator/TpuCostModel.h"
#include "layouts/support/Text.h"

#include <cstring>

namespace lanescope::core::sparsecore {
namespace {

/// A lane that takes part in an access, and the address of its element in a buffer. An element in pieces has one Lane
/// for each piece, in order.
struct Lane {
  uint32_t lane = 0;
  int64_t address = 0;
};

void addLane(const MemRef &ref, uint32_t lane, const int64_t *index, std::vector<Lane> &lanes) {
  for (int64_t piece = 0; piece < ref.pieces; ++piece)
    lanes.push_back({lane, ref.address(index, piece)});
}

/// Calls `f(first, count)` for runs of lanes with consecutive elements.
template <typename F> bool runs(const std::vector<Lane> &lanes, int64_t bytes, F &&f) {
  for (size_t first = 0; first < lanes.size();) {
    size_t last = first + 1;
    while (last < lanes.size() &&
           lanes[last].address == lanes[first].address + static_cast<int64_t>(last - first) * bytes)
      ++last;
    if (!f(first, last - first))
      return false;
    first = last;
  }
  return true;
}

/// The bits of piece `k % pieces`, shifted to their place in the element.
uint64_t inPlace(uint64_t bits, size_t k, int64_t pieces, int64_t bytes) {
  return bits << (8 * static_cast<int64_t>(k % static_cast<size_t>(pieces)) * bytes);
}

/// Loads elements that are made of pieces in several rows.
bool loadPieces(Machine &m, Subcore &s, const Instruction &i, const MemRef &from, const std::vector<Lane> &lanes,
                std::span<uint64_t> to, std::span<Content> content) {
  Buffer &buffer = *from.buffer;
  uint64_t bytes = static_cast<uint64_t>(from.pieceBytes());
  for (size_t k = 0; k < lanes.size(); ++k) {
    uint64_t at = static_cast<uint64_t>(lanes[k].address), bits = 0;
    if (!noteRead(m, buffer, at, at + bytes, accessorOf(s, i.place)))
      return false;
    std::memcpy(&bits, buffer.bytes.data() + at, bytes);
    bool first = k % static_cast<size_t>(from.pieces) == 0;
    uint64_t &value = to[lanes[k].lane];
    value = (first ? 0 : value) | inPlace(bits, k, from.pieces, from.pieceBytes());
    if (content.empty())
      continue;
    Content known = buffer.watched ? loadedFrom(buffer.shadow.content(at, at + bytes), i.place) : kDefined;
    Content &whole = content[lanes[k].lane];
    whole = first || known == whole ? known : merged(whole, known);
  }
  return true;
}

/// The lanes' values, and what is known of them; `content` is empty if all are defined.
struct StoredValues {
  std::span<const uint64_t> from;
  std::span<const Content> content;
};
enum class StoreMode : uint8_t { Replace, Add };
StoreMode modeOf(const Instruction &i) { return i.flag ? StoreMode::Add : StoreMode::Replace; }

bool storePieces(Machine &m, Subcore &s, const Instruction &i, const MemRef &to, const std::vector<Lane> &lanes,
                 const StoredValues &values) {
  auto [from, content] = values;
  Buffer &buffer = *to.buffer;
  uint64_t bytes = static_cast<uint64_t>(to.pieceBytes());
  for (size_t k = 0; k < lanes.size(); ++k) {
    uint64_t at = static_cast<uint64_t>(lanes[k].address);
    uint64_t bits = from[lanes[k].lane] >> (8 * (k % static_cast<size_t>(to.pieces)) * bytes);
    std::memcpy(buffer.bytes.data() + at, &bits, bytes); // little endian, as all supported hosts
    Content known = content.empty() ? kDefined : storedAs(content[lanes[k].lane]);
    if (!noteWrite(m, buffer, at, at + bytes, accessorOf(s, i.place), known, false))
      return false;
  }
  return true;
}

bool load(Machine &m, Subcore &s, const Instruction &i, const MemRef &from, const std::vector<Lane> &lanes,
          std::span<uint64_t> to, std::span<Content> content) {
  if (from.pieces > 1)
    return loadPieces(m, s, i, from, lanes, to, content);
  Buffer &buffer = *from.buffer;
  int64_t bytes = from.element.bytes();
  Accessor by = accessorOf(s, i.place);
  return runs(lanes, bytes, [&](size_t first, size_t count) {
    uint64_t begin = static_cast<uint64_t>(lanes[first].address), end = begin + count * static_cast<uint64_t>(bytes);
    if (!noteRead(m, buffer, begin, end, by))
      return false;
    for (size_t k = first; k < first + count; ++k)
      to[lanes[k].lane] = loadElement(from.element, buffer.bytes.data() + lanes[k].address);
    if (content.empty() || !buffer.watched)
      return true;
    bool known = buffer.shadow.content(begin, end) == kDefined;
    for (size_t k = first; k < first + count; ++k) {
      uint64_t at = static_cast<uint64_t>(lanes[k].address);
      content[lanes[k].lane] =
          known ? kDefined : loadedFrom(buffer.shadow.content(at, at + static_cast<uint64_t>(bytes)), i.place);
    }
    return true;
  });
}

/// Stores lanes in order, so if two lanes have the same element, the later one's value stays.
bool store(Machine &m, Subcore &s, const Instruction &i, const MemRef &to, const std::vector<Lane> &lanes,
           const StoredValues &values, StoreMode mode) {
  const std::span<const uint64_t> from = values.from;
  const std::span<const Content> content = values.content;
  const bool add = mode == StoreMode::Add;
  if (to.pieces > 1 && add) {
    m.fail("memref-reshape", i.place, "a store does not add to a view of wider elements than the memory has");
    return false;
  }
  if (to.pieces > 1)
    return storePieces(m, s, i, to, lanes, values);
  Buffer &buffer = *to.buffer;
  int64_t bytes = to.element.bytes();
  Accessor by = accessorOf(s, i.place);
  return runs(lanes, bytes, [&](size_t first, size_t count) {
    uint64_t begin = static_cast<uint64_t>(lanes[first].address), end = begin + count * static_cast<uint64_t>(bytes);
    if (add && !noteRead(m, buffer, begin, end, by))
      return false;
    Content before = add && buffer.watched ? loadedFrom(buffer.shadow.content(begin, end), i.place) : kDefined;
    bool same = true, known = before == kDefined;
    for (size_t k = first; k < first + count; ++k) {
      std::byte *at = buffer.bytes.data() + lanes[k].address;
      uint64_t old = loadElement(to.element, at), value = from[lanes[k].lane];
      if (add)
        value = added(to.element, old, value);
      same &= old == value;
      storeElement(to.element, at, value);
      known &= content.empty() || content[lanes[k].lane] == kDefined;
    }
    if (known || !buffer.watched)
      return noteWrite(m, buffer, begin, end, by, kDefined, same);
    for (size_t k = first; k < first + count; ++k) {
      uint64_t at = static_cast<uint64_t>(lanes[k].address);
      Content value = content.empty() ? kDefined : content[lanes[k].lane];
      value = add ? merged(value, before) : storedAs(value);
      if (!noteWrite(m, buffer, at, at + static_cast<uint64_t>(bytes), by, value, false))
        return false;
    }
    return true;
  });
}

/// Reads the scalar indices from `first` on. False if one of them is undefined.
bool indices(Machine &m, Subcore &s, const Instruction &i, size_t first, uint32_t rank,
             std::array<int64_t, kMostRank> &index) {
  for (uint32_t d = 0; d < rank; ++d) {
    if (!requireDefined(m, s, i, i.operands[first + d], "an index"))
      return false;
    index[d] = number(m, s, i.operands[first + d]);
  }
  return true;
}

constexpr std::array<int64_t, kMostRank> kOnes = {1, 1, 1, 1, 1, 1, 1, 1};

Outcome scalarLoad(Machine &m, Subcore &s, const Instruction &i) {
  const MemRef &from = ref(s, i.operands[0]);
  std::array<int64_t, kMostRank> index{};
  if (!indices(m, s, i, 1, from.rank, index) || !checkBounds(m, i, from, index, kOnes, "element"))
    return Outcome::Failed;
  s.time += cost::kMemory;
  std::vector<Lane> lanes;
  addLane(from, 0, index.data(), lanes);
  return load(m, s, i, from, lanes, cells(s, i.results[0]), contents(s, i.results[0])) ? Outcome::Next
                                                                                       : Outcome::Failed;
}

/// Operands: value, memref, indices.
Outcome scalarStore(Machine &m, Subcore &s, const Instruction &i) {
  const MemRef &to = ref(s, i.operands[1]);
  std::array<int64_t, kMostRank> index{};
  if (!indices(m, s, i, 2, to.rank, index) || !checkBounds(m, i, to, index, kOnes, "element"))
    return Outcome::Failed;
  s.time += cost::kMemory;
  std::vector<Lane> lanes;
  addLane(to, 0, index.data(), lanes);
  return store(m, s, i, to, lanes, {cells(s, i.operands[0]), contents(s, i.operands[0])}, StoreMode::Replace)
             ? Outcome::Next
             : Outcome::Failed;
}

/// The elements for the lanes of a vector at an index of a reference, whose last dimensions are the vector's. With a
/// mask, the k-th true lane takes the k-th element.
bool window(Machine &m, Subcore &s, const Instruction &i, const MemRef &ref, size_t first, const Type &type,
            std::vector<Lane> &lanes) {
  std::array<int64_t, kMostRank> start{}, size = kOnes, stride = kOnes;
  if (!indices(m, s, i, first, ref.rank, start))
    return false;
  size_t rank = type.shape.size(), lead = ref.rank - rank;
  for (uint32_t d = 0; d < ref.rank && !i.numbers.empty(); ++d)
    stride[d] = i.numbers[d];
  uint32_t maskOperand = operandOf(i, Role::Mask);
  uint32_t total = type.cells;
  std::span<uint64_t> mask;
  if (maskOperand != UINT32_MAX) {
    mask = cells(s, maskOperand);
    total = 0;
    for (uint32_t k = 0; k < type.cells; ++k)
      total += mask[k % mask.size()] & 1;
  }
  // Elements beyond the number of true lanes are not accessed, so the bounds check covers only the last index in use.
  if (total == 0)
    return true;
  int64_t inner = 1;
  for (size_t d = rank; d-- > 0;) {
    int64_t used = d == 0 ? (static_cast<int64_t>(total) + inner - 1) / inner : type.shape[d];
    if (rank == 1)
      used = total;
    size[lead + d] = (used - 1) * stride[lead + d] + 1;
    inner *= type.shape[d];
  }
  if (!checkBounds(m, i, ref, start, size, "the vector at"))
    return false;
  lanes.reserve(total);
  std::array<int64_t, kMostRank> index = start;
  std::array<int64_t, kMostRank> counter{};
  uint32_t lane = 0;
  for (uint32_t k = 0; k < total; ++k, ++lane) {
    while (!mask.empty() && !(mask[lane % mask.size()] & 1))
      ++lane;
    addLane(ref, lane, index.data(), lanes);
    for (size_t d = rank; d-- > 0;) {
      index[lead + d] += stride[lead + d];
      if (++counter[d] < type.shape[d])
        break;
      counter[d] = 0;
      index[lead + d] = start[lead + d];
    }
  }
  return true;
}

/// If an undefined mask decides about the lanes, their contents are undefined, too.
Content maskContent(Subcore &s, const Instruction &i) {
  uint32_t mask = operandOf(i, Role::Mask);
  Content all = kDefined;
  if (mask != UINT32_MAX)
    for (Content content : contents(s, mask))
      all = merged(all, content);
  return all;
}

Outcome vectorLoad(Machine &m, Subcore &s, const Instruction &i) {
  const MemRef &from = ref(s, i.operands[0]);
  std::vector<Lane> lanes;
  if (!window(m, s, i, from, 1, typeOf(m, s, i.results[0]), lanes))
    return Outcome::Failed;
  auto to = cells(s, i.results[0]);
  auto content = contents(s, i.results[0]);
  // The result is undefined, but is always the same value.
  if (lanes.size() < to.size() * static_cast<size_t>(from.pieces)) {
    std::ranges::fill(to, 0);
    std::ranges::fill(content, kUndefined);
  }
  if (!load(m, s, i, from, lanes, to, content))
    return Outcome::Failed;
  if (Content mask = maskContent(s, i); mask != kDefined)
    std::ranges::fill(content, mask);
  charge(m, s, i.results[0], cost::kMemory);
  return Outcome::Next;
}

/// Operands: value, memref, indices, mask?.
Outcome vectorStore(Machine &m, Subcore &s, const Instruction &i) {
  const MemRef &to = ref(s, i.operands[1]);
  std::vector<Lane> lanes;
  if (!window(m, s, i, to, 2, typeOf(m, s, i.operands[0]), lanes))
    return Outcome::Failed;
  std::span<const Content> content = contents(s, i.operands[0]);
  std::vector<Content> unknown;
  if (Content mask = maskContent(s, i); mask != kDefined) {
    unknown.assign(content.size(), mask);
    content = unknown;
  }
  if (!store(m, s, i, to, lanes, {cells(s, i.operands[0]), content}, modeOf(i)))
    return Outcome::Failed;
  charge(m, s, i.operands[0], i.flag ? 2 * cost::kMemory : cost::kMemory);
  return Outcome::Next;
}

/// The element of each lane, by its own indices; lanes outside the mask take no part.
bool scattered(Machine &m, Subcore &s, const Instruction &i, const MemRef &ref, const Type &type,
               std::vector<Lane> &lanes) {
  std::vector<uint32_t> vectors = operandsOf(i, Role::Index);
  uint32_t maskOperand = operandOf(i, Role::Mask);
  std::span<uint64_t> mask = maskOperand == UINT32_MAX ? std::span<uint64_t>{} : cells(s, maskOperand);
  if (maskOperand != UINT32_MAX && !requireDefined(m, s, i, maskOperand, "which lanes take part"))
    return false;
  for (uint32_t lane = 0; lane < type.cells; ++lane) {
    if (!mask.empty() && !(mask[lane % mask.size()] & 1))
      continue;
    std::array<int64_t, kMostRank> index{};
    for (uint32_t d = 0; d < ref.rank; ++d) {
      if (auto known = contents(s, vectors[d]);
          !known.empty() && !requireDefined(m, known[lane], i.place, text("the index of lane ", lane)))
        return false;
      index[d] = signedOf(typeOf(m, s, vectors[d]).element, cells(s, vectors[d])[lane]);
    }
    if (!checkBounds(m, i, ref, index, kOnes, text("lane ", lane, ": element")))
      return false;
    addLane(ref, lane, index.data(), lanes);
  }
  return true;
}

Outcome vectorLoadIdx(Machine &m, Subcore &s, const Instruction &i) {
  const MemRef &from = ref(s, i.operands[0]);
  std::vector<Lane> lanes;
  if (!scattered(m, s, i, from, typeOf(m, s, i.results[0]), lanes))
    return Outcome::Failed;
  auto to = cells(s, i.results[0]);
  auto content = contents(s, i.results[0]);
  if (lanes.size() < to.size() * static_cast<size_t>(from.pieces)) {
    std::ranges::fill(to, 0);
    std::ranges::fill(content, kUndefined);
  }
  if (!load(m, s, i, from, lanes, to, content))
    return Outcome::Failed;
  charge(m, s, i.results[0], cost::kMemory + cost::kCrossLane);
  return Outcome::Next;
}

/// Operands: value, memref, indices, mask?.
Outcome vectorStoreIdx(Machine &m, Subcore &s, const Instruction &i) {
  const MemRef &to = ref(s, i.operands[1]);
  std::vector<Lane> lanes;
  if (!scattered(m, s, i, to, typeOf(m, s, i.operands[0]), lanes) ||
      !store(m, s, i, to, lanes, {cells(s, i.operands[0]), contents(s, i.operands[0])}, modeOf(i)))
    return Outcome::Failed;
  charge(m, s, i.operands[0], cost::kMemory + cost::kCrossLane);
  return Outcome::Next;
}

/// Operands: memref, indices, value, the subcore that owns the memory. The operation is atomic.
Outcome fetchAndAdd(Machine &m, Subcore &s, const Instruction &i) {
  MemRef at = ref(s, i.operands[0]);
  uint32_t value = operandOf(i, Role::Value), core = operandOf(i, Role::Core);
  std::array<int64_t, kMostRank> index{};
  if (!indices(m, s, i, 1, at.rank, index) || !requireDefined(m, s, i, core, "whose memory is changed") ||
      !checkBounds(m, i, at, index, kOnes, "element"))
    return Outcome::Failed;
  Location there = s.location;
  there.subcore = static_cast<uint32_t>(number(m, s, core));
  if (at.pieces > 1) {
    m.fail("memref-reshape", i.place, "a view of wider elements than the memory has takes no atomic additions");
    return Outcome::Failed;
  }
  Buffer *buffer = at.buffer->owner == there ? at.buffer : peerOf(m, *at.buffer, there);
  if (!buffer) {
    m.fail("memref-out-of-bounds", i.place,
           Message("subcore {} has no {} that an operation could reach from elsewhere", number(m, s, core),
                   at.buffer->name));
    return Outcome::Failed;
  }
  std::byte *bytes = buffer->bytes.data() + at.address(index.data());
  uint64_t begin = static_cast<uint64_t>(at.address(index.data()));
  uint64_t old = loadElement(at.element, bytes);
  Content known = kDefined;
  if (buffer->watched) {
    known = loadedFrom(buffer->shadow.content(begin, begin + at.element.bytes()), i.place);
    // Atomic operations are ordered: each happens after all earlier ones.
    s.clock.join(buffer->atomics);
    if (!noteWrite(m, *buffer, begin, begin + at.element.bytes(), accessorOf(s, i.place), storedAs(known), false))
      return Outcome::Failed;
    buffer->atomics.join(s.clock);
    s.tick();
  }
  storeElement(at.element, bytes, added(at.element, old, cells(s, value)[0]));
  cells(s, i.results[0])[0] = old;
  if (auto content = contents(s, i.results[0]); !content.empty())
    content[0] = known;
  s.time += cost::kIssue + cost::kMemory;
  return Outcome::Next;
}

} // namespace

void addAccesses(Handlers &handlers) {
  auto set = [&](Op op, Handler handler) { handlers[static_cast<size_t>(op)] = handler; };
  set(Op::Load, scalarLoad);
  set(Op::Store, scalarStore);
  set(Op::VectorLoad, vectorLoad);
  set(Op::VectorStore, vectorStore);
  set(Op::VectorLoadIdx, vectorLoadIdx);
  set(Op::VectorStoreIdx, vectorStoreIdx);
  set(Op::FetchAndAdd, fetchAndAdd);
}

} // namespace lanescope::core::sparsecore
