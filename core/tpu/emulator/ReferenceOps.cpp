// Allocations, and views of references: slices, squeezed, reshaped and bitcast ones.
#include "core/tpu/emulator/Arithmetic.h"
#include "core/tpu/emulator/Capacity.h"
#include "core/tpu/emulator/CostModel.h"
#include "core/tpu/emulator/References.h"
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
  if (!couldHold(m.vmemBytes, type.element, type.space, shape)) {
    m.fail("scratch-memory", i.place,
           text("an allocation of (", joined(shape, ", "), ") elements, which ", name(type.space), " cannot hold"));
    return Outcome::Failed;
  }
  // What the subcores of a core allocate at the same point is the same memory if it is the core's; and a copy or a
  // signal from elsewhere may name the one of this subcore before it gets here.
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
    buffer = makeBuffer(m, type.element, type.space, std::move(shape), s.location,
                        text("an allocation in ", name(type.space)), i.place);
    addToGroup(m, key, buffer);
  }
  if (own && !s.scopes.empty())
    s.scopes.back().buffers.push_back(buffer);
  ref(s, i.results[0]) = whole(*buffer);
  s.time += cost::kScalar;
  return !own || takeRoom(m, s, *buffer, i.place) ? Outcome::Next : Outcome::Failed;
}

/// The semaphore of all subcores that a kernel's `collective_id` names: one a core, found by its type alone.
Outcome barrierSemaphore(Machine &m, Subcore &s, const Instruction &i) {
  Machine::GroupKey key{uint64_t{1} << 62, 0, s.location.device, s.location.core, s.location.subcore, s.location.type};
  auto [at, isNew] = m.groups.try_emplace(key, nullptr);
  if (isNew) {
    Buffer *buffer = makeBuffer(m, refTypeOf(m, s, i.results[0]).element, Space::SemaphoreMem, {}, s.location,
                                "the barrier semaphore", i.place);
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
           text("a slice of narrower elements has to begin with a whole word, which is ", from.packing, " rows"));
    return Outcome::Failed;
  }
  to.offset = from.address(starts.data());
  to.element = type.element;
  ref(s, i.results[0]) = to;
  return Outcome::Next;
}

/// Drops dimensions of one element; those that stay are matched from the last one.
Outcome squeeze(Machine &m, Subcore &s, const Instruction &i) {
  const MemRef &from = ref(s, i.operands[0]);
  const std::vector<int64_t> &before = refTypeOf(m, s, i.operands[0]).shape,
                             &after = refTypeOf(m, s, i.results[0]).shape;
  MemRef to = from;
  to.rank = static_cast<uint32_t>(after.size());
  uint32_t kept = to.rank;
  for (uint32_t d = from.rank; d-- > 0;) {
    if (kept == 0 || after[kept - 1] != before[d])
      continue;
    --kept;
    to.sizes[kept] = from.sizes[d];
    to.strides[kept] = from.strides[d];
    if (from.packed == static_cast<int32_t>(d))
      to.packed = static_cast<int32_t>(kept);
  }
  ref(s, i.results[0]) = to;
  return Outcome::Next;
}

/// A view of as many elements in another shape; the elements have to lie one after the other.
Outcome reshape(Machine &m, Subcore &s, const Instruction &i) {
  const MemRef &from = ref(s, i.operands[0]);
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
  if (count != from.elements() || from.run() != std::max<int64_t>(from.elements(), 1)) {
    m.fail("memref-reshape", i.place,
           count != from.elements()
               ? text("a view of ", count, " elements of a reference that has ", from.elements())
               : text("a slice whose rows do not follow one another cannot be seen in another shape"));
    return Outcome::Failed;
  }
  int64_t stride = from.element.isSemaphore() ? 1 : from.element.bytes();
  for (uint32_t d = to.rank; d-- > 0; stride *= to.sizes[d])
    to.strides[d] = stride;
  ref(s, i.results[0]) = to;
  return Outcome::Next;
}

/// Narrower elements: each row of words becomes as many rows as a word has elements, the first of them its lowest bits.
/// Back to the width that the memory has; other wider elements would lie in several places.
Outcome bitcastRef(Machine &m, Subcore &s, const Instruction &i) {
  const MemRef &from = ref(s, i.operands[0]);
  const MemRefType &type = refTypeOf(m, s, i.results[0]);
  MemRef to = from;
  to.element = type.element;
  int64_t before = from.element.bytes(), after = type.element.bytes();
  uint32_t rows = from.rank >= 2 ? from.rank - 2 : 0;
  if (before > after && from.packed < 0 && from.rank >= 2) {
    to.packing = before / after;
    to.packed = static_cast<int32_t>(rows);
    to.sizes[rows] *= to.packing;
  } else if (before < after && from.packed == static_cast<int32_t>(rows) && from.packing * before == after) {
    to.sizes[rows] /= from.packing;
    to.packed = -1;
    to.packing = 1;
  } else if (before != after) {
    m.fail("memref-reshape", i.place,
           text("a view of ", name(from.element), " memory as ", name(type.element),
                " is not emulated; copy it through "
                "registers and use a bitcast of the vector"));
    return Outcome::Failed;
  }
  ref(s, i.results[0]) = to;
  return Outcome::Next;
}

/// The same elements under another type.
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
    m.fail("index-range", i.place, text("the reference has no dimension ", d));
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
