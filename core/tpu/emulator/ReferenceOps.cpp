// Allocations, and views of references: slices, squeezed, reshaped and bitcast ones.
#include "core/tpu/emulator/Capacity.h"
#include "core/tpu/emulator/ElementArithmetic.h"
#include "core/tpu/emulator/RunBuffers.h"
#include "core/tpu/emulator/TpuCostModel.h"
#include "layouts/support/Text.h"

namespace lanescope::core::sparsecore {
namespace {

/// Operands: the dynamic sizes.
Outcome allocate(Machine &m, Subcore &s, const Instruction &i) {
  const MemRefType &type = refTypeOf(m, s, i.results[0]);
  std::vector<int64_t> shape = type.shape;
  size_t dynamic = 0;
  for (int64_t &size : shape) {
    if (size != kDynamic)
      continue;
    if (!requireDefined(m, s, i, i.operands[dynamic], "the size of an allocation"))
      return Outcome::Failed;
    size = number(m, s, i.operands[dynamic++]);
  }
  auto layout = layoutOf(m, type, shape, true);
  if (!couldHold(m.vmemBytes, type.element, type.space, shape, layout)) {
    failTooLarge(m, type.element, type.space, shape, layout, i.place);
    return Outcome::Failed;
  }
  // If the subcores of a core execute the same allocation of core memory, they share one buffer. A copy or a signal
  // from elsewhere may name the buffer before this subcore executes the allocation.
  Reach reach = reachOf(type.space);
  bool own = reach == Reach::Subcore;
  uint32_t instruction = static_cast<uint32_t>(&i - s.function->code.data());
  Machine::GroupKey key{uint64_t{1} << 63 | uint64_t{s.functionIndex} << 40 | instruction,
                        s.allocations[instruction]++,
                        s.location.device,
                        reach == Reach::Device ? 0 : s.location.core,
                        own ? s.location.subcore : 0,
                        s.location.type};
  Buffer *buffer = nullptr;
  if (auto found = m.groups.find(key); found != m.groups.end()) {
    buffer = found->second;
  } else {
    buffer = makeBuffer(m, {type.element, type.space, std::move(shape), std::move(layout), s.location,
                            text("an allocation in ", name(type.space)), i.place});
    addToGroup(m, key, buffer);
  }
  if (own && !s.scopes.empty())
    s.scopes.back().buffers.push_back(buffer);
  ref(s, i.results[0]) = whole(*buffer);
  s.time += cost::kScalar;
  return !own || takeRoom(m, s, *buffer, i.place) ? Outcome::Next : Outcome::Failed;
}

/// The semaphore that all subcores with the kernel's `collective_id` share. There is one per core, found by its type
/// alone.
Outcome barrierSemaphore(Machine &m, Subcore &s, const Instruction &i) {
  Machine::GroupKey key{uint64_t{1} << 62, 0, s.location.device, s.location.core, s.location.subcore, s.location.type};
  auto [at, isNew] = m.groups.try_emplace(key, nullptr);
  if (isNew) {
    Buffer *buffer = makeBuffer(m, {refTypeOf(m, s, i.results[0]).element,
                                    Space::SemaphoreMem,
                                    {},
                                    {},
                                    s.location,
                                    "the barrier semaphore",
                                    i.place});
    addToGroup(m, key, buffer);
  }
  ref(s, i.results[0]) = whole(*m.groups[key]);
  return Outcome::Next;
}

/// Operands: memref, starts, dynamic sizes.
Outcome slice(Machine &m, Subcore &s, const Instruction &i) {
  const MemRef &from = ref(s, i.operands[0]);
  const MemRefType &type = refTypeOf(m, s, i.results[0]);
  MemRef to = from;
  std::array<int64_t, kMostRank> starts{};
  size_t dynamic = 1 + from.rank;
  for (uint32_t d = 0; d < from.rank; ++d) {
    if (!requireDefined(m, s, i, i.operands[1 + d], "a slice's start"))
      return Outcome::Failed;
    starts[d] = number(m, s, i.operands[1 + d]);
    to.sizes[d] = type.shape[d];
    if (type.shape[d] != kDynamic)
      continue;
    if (!requireDefined(m, s, i, i.operands[dynamic], "a slice's size"))
      return Outcome::Failed;
    to.sizes[d] = number(m, s, i.operands[dynamic++]);
  }
  s.time += cost::kScalar;
  if (!checkBounds(m, i, from, starts, to.sizes, "a slice of"))
    return Outcome::Failed;
  if (from.packed >= 0 && starts[static_cast<size_t>(from.packed)] % from.packing != 0) {
    m.fail("memref-out-of-bounds", i.place,
           Message("a slice of narrower elements has to begin with a whole word, which is {rows} rows", from.packing));
    return Outcome::Failed;
  }
  to.advance(starts.data());
  to.element = type.element;
  ref(s, i.results[0]) = to;
  return Outcome::Next;
}

/// Drops dimensions of one element; the others are matched from the last one on.
Outcome squeeze(Machine &m, Subcore &s, const Instruction &i) {
  MemRef to = ref(s, i.operands[0]);
  const std::vector<int64_t> &before = refTypeOf(m, s, i.operands[0]).shape,
                             &after = refTypeOf(m, s, i.results[0]).shape;
  size_t kept = after.size();
  for (uint32_t d = to.rank; d-- > 0;) {
    if (kept > 0 && after[kept - 1] == before[d])
      --kept;
    else
      to.drop(d, 0);
  }
  ref(s, i.results[0]) = to;
  return Outcome::Next;
}

/// Builds tables for a view of the same elements in another shape, in which each dimension adds its own part of the
/// address. False if there are no such tables, because the view would cut tiles.
bool tabulate(const MemRef &from, MemRef &to) {
  std::deque<OffsetTable> made;
  std::array<int64_t, kMostRank> index{};
  auto addressOf = [&](int64_t number) {
    for (uint32_t d = from.rank; d-- > 0; number /= from.sizes[d])
      index[d] = number % from.sizes[d];
    return from.address(index.data());
  };
  int64_t first = addressOf(0), step = 1;
  for (uint32_t d = to.rank; d-- > 0; step *= to.sizes[d]) {
    OffsetTable &table = made.emplace_front();
    for (int64_t k = 0; k < to.sizes[d]; ++k)
      table.push_back(addressOf(k * step) - first);
  }
  for (int64_t number = 0, total = to.elements(); number < total; ++number) {
    int64_t at = first;
    for (int64_t rest = number, d = to.rank - 1; d >= 0; rest /= to.sizes[static_cast<size_t>(d)], --d)
      at += made[static_cast<size_t>(d)][static_cast<size_t>(rest % to.sizes[static_cast<size_t>(d)])];
    if (at != addressOf(number))
      return false;
  }
  to.offset = first;
  for (uint32_t d = 0; d < to.rank; ++d) {
    to.tables[d] = &from.buffer->tables.emplace_back(std::move(made[d]));
    to.starts[d] = 0;
  }
  return true;
}

/// Views the reference's elements in another shape with as many elements.
Outcome reshape(Machine &m, Subcore &s, const Instruction &i) {
  const MemRef from = ref(s, i.operands[0]);
  const MemRefType &type = refTypeOf(m, s, i.results[0]);
  MemRef to = from;
  to.rank = static_cast<uint32_t>(type.shape.size());
  to.packed = -1;
  to.packing = 1;
  int64_t count = 1, unknown = -1;
  for (uint32_t d = 0; d < to.rank; ++d) {
    to.sizes[d] = type.shape[d];
    if (type.shape[d] == kDynamic)
      unknown = d;
    else
      count *= type.shape[d];
  }
  if (unknown >= 0) {
    to.sizes[static_cast<size_t>(unknown)] = count == 0 ? 0 : from.elements() / count;
    count *= to.sizes[static_cast<size_t>(unknown)];
  }
  auto refuse = [&](Message why) {
    m.fail("memref-reshape", i.place, std::move(why));
    return Outcome::Failed;
  };
  if (count != from.elements())
    return refuse(Message("the view has {elements} elements, and the reference has {}", count, from.elements()));
  if (from.pieces > 1)
    return refuse("a view of wider elements than the memory has cannot be seen in another shape");
  if (count != 0 && from.run() == count) {
    std::array<int64_t, kMostRank> zeros{};
    to.offset = from.address(zeros.data());
    int64_t stride = from.element.isSemaphore() ? 1 : from.element.bytes();
    for (uint32_t d = to.rank; d-- > 0; stride *= to.sizes[d]) {
      to.strides[d] = stride;
      to.tables[d] = nullptr;
      to.starts[d] = 0;
    }
  } else if (count != 0 && !tabulate(from, to)) {
    return refuse("a slice whose rows do not follow one another cannot be seen in another shape");
  }
  ref(s, i.results[0]) = to;
  return Outcome::Next;
}

/// Views the memory as elements of another width. If the new elements are narrower, each row of words becomes as many
/// rows as a word has elements; the first of them has the lowest bits. If they are wider, each element takes several
/// rows (JAX, TPU dialect: memref_bitcast).
Outcome bitcastRef(Machine &m, Subcore &s, const Instruction &i) {
  const MemRef &from = ref(s, i.operands[0]);
  const MemRefType &type = refTypeOf(m, s, i.results[0]);
  MemRef to = from;
  to.element = type.element;
  int64_t before = from.element.bytes(), after = type.element.bytes(), row = before * from.packing / from.pieces;
  int32_t rows = static_cast<int32_t>(from.rank) - 2;
  auto refuse = [&](Message why) {
    m.fail("memref-reshape", i.place, std::move(why));
    return Outcome::Failed;
  };
  if (before != after) {
    bool squeezed = from.packed < 0 && from.pieces > 1;
    if (rows < 0 || squeezed || (from.packed >= 0 && from.packed != rows))
      return refuse(
          Message("a view of {} memory as {} needs the rows that its words are made of, and this view has one of them",
                  name(from.element), name(type.element)));
    if (after / row > static_cast<int64_t>(MemRef::kMostPieces))
      return refuse(Message("a view of {} memory as {} is not emulated", name(from.element), name(type.element)));
    size_t d = static_cast<size_t>(rows);
    if (to.sizes[d] * before % after != 0)
      return refuse(
          Message("{rows} rows of {} are no whole rows of {}", to.sizes[d], name(from.element), name(type.element)));
    to.sizes[d] = to.sizes[d] * before / after;
    to.packing = std::max<int64_t>(1, row / after);
    to.pieces = std::max<int64_t>(1, after / row);
    to.packed = to.packing > 1 || to.pieces > 1 ? rows : -1;
  }
  ref(s, i.results[0]) = to;
  return Outcome::Next;
}

/// Gives the reference another type; its elements stay the same.
Outcome cast(Machine &m, Subcore &s, const Instruction &i) {
  const MemRef &from = ref(s, i.operands[0]);
  const MemRefType &type = refTypeOf(m, s, i.results[0]);
  bool same = from.rank == type.shape.size() && from.element == type.element;
  for (uint32_t d = 0; same && d < from.rank; ++d)
    same = type.shape[d] == kDynamic || type.shape[d] == from.sizes[d];
  if (!same && from.element == type.element)
    return reshape(m, s, i);
  if (!same) {
    m.fail("memref-reshape", i.place, "a view of other elements than the memory has");
    return Outcome::Failed;
  }
  ref(s, i.results[0]) = from;
  return Outcome::Next;
}

Outcome dimension(Machine &m, Subcore &s, const Instruction &i) {
  const MemRef &from = ref(s, i.operands[0]);
  int64_t d = number(m, s, i.operands[1]);
  if (d < 0 || d >= static_cast<int64_t>(from.rank)) {
    m.fail("index-range", i.place, Message("the reference has no dimension {dimension}", d));
    return Outcome::Failed;
  }
  cells(s, i.results[0])[0] = static_cast<uint64_t>(from.sizes[static_cast<size_t>(d)]);
  return Outcome::Next;
}

} // namespace

void addReferences(Handlers &handlers) {
  auto set = [&](Op op, Handler handler) { handlers[static_cast<size_t>(op)] = handler; };
  set(Op::Alloca, allocate);
  set(Op::SemaphoreAlloc, allocate);
  set(Op::SemaphoreBarrier, barrierSemaphore);
  set(Op::SliceRef, slice);
  set(Op::SqueezeRef, squeeze);
  set(Op::ReshapeRef, reshape);
  set(Op::BitcastRef, bitcastRef);
  set(Op::CastRef, cast);
  set(Op::Dim, dimension);
}

} // namespace lanescope::core::sparsecore
