// Loads and stores of all state spaces, including vectors; prefetches and cache hints (PTX ISA 9.7.9). All results are
// exact.
#include "core/gpu/emulator/check/Checker.h"
#include "core/gpu/emulator/instructions/Families.h"
#include "core/gpu/emulator/machine/CostModel.h"
#include "core/gpu/emulator/machine/Fault.h"
#include "core/gpu/emulator/machine/Lanes.h"
#include "core/gpu/emulator/memory/Memory.h"
#include "core/HostVectors.h"

#include <algorithm>
#include <type_traits>

namespace lanescope::core::emulator {

namespace {

/// Loads (or stores) N registers of all lanes from one stretch of memory. The compiler can vectorise it because N and
/// the types are known.
template <class M, class R, class Extended, size_t N>
void loadRow(Warp &warp, const std::byte *from, const uint32_t *slots) {
  auto *in = reinterpret_cast<const Unaligned<M> *>(from);
  R *d[N];
  for (size_t n = 0; n < N; ++n)
    d[n] = warp.reg<R>(slots[n]);
  LANESCOPE_OVER_LANES
  for (size_t l = 0; l < kLanes; ++l)
    for (size_t n = 0; n < N; ++n)
      d[n][l] = static_cast<R>(static_cast<Extended>(in[l * N + n].value));
}
template <class M, class R, size_t N> void storeRow(Warp &warp, std::byte *to, const uint32_t *slots) {
  auto *out = reinterpret_cast<Unaligned<M> *>(to);
  const R *a[N];
  for (size_t n = 0; n < N; ++n)
    a[n] = warp.reg<R>(slots[n]);
  LANESCOPE_OVER_LANES
  for (size_t l = 0; l < kLanes; ++l)
    for (size_t n = 0; n < N; ++n)
      out[l * N + n].value = static_cast<M>(a[n][l]);
}

/// Stores registers of all lanes to one place per `Together` lanes. Arranges the elements of each group in a row, and
/// then writes the row at once.
template <class M, class R, size_t N, size_t Together> void scatter(Warp &warp, const Instr &i, std::byte *const *to) {
  const uint32_t *slots = warp.block->grid->program->lists.data() + i.list;
  alignas(64) std::byte row[kLanes * N * sizeof(M)];
  storeRow<M, R, N>(warp, row, slots);
  constexpr size_t kBytes = Together * N * sizeof(M);
  // In order, so that the last lane wins if several write the same place.
  for (size_t n = 0; n < kLanes / Together; ++n) {
    if (Together > 1 && i.ahead)
      fetchLineAhead(to[n], i.ahead, kBytes);
    std::memcpy(to[n], row + n * kBytes, kBytes);
  }
}
template <class M, class R, size_t Together> bool scatter(Warp &warp, const Instr &i, std::byte *const *to) {
  switch (i.listSize) {
  case 1: scatter<M, R, 1, Together>(warp, i, to); return true;
  case 2: scatter<M, R, 2, Together>(warp, i, to); return true;
  case 4: scatter<M, R, 4, Together>(warp, i, to); return true;
  default: return false;
  }
}

/// Loads groups of four lanes, each from one place.
template <class M, class R, class Extended, size_t N>
void gather(Warp &warp, const uint32_t *slots, std::byte *const *from) {
  constexpr size_t kBytes = 4 * N * sizeof(M);
  alignas(64) std::byte row[kLanes * N * sizeof(M)];
  for (size_t n = 0; n < kLanes / 4; ++n)
    std::memcpy(row + n * kBytes, from[n], kBytes);
  loadRow<M, R, Extended, N>(warp, row, slots);
}

/// M: the type of an element in memory. R: the type of its register.
template <class M, class R> Step load(Warp &warp, const Instr &i, uint32_t mask) {
  const uint32_t *slots = warp.block->grid->program->lists.data() + i.list;
  using Extended = std::conditional_t<std::is_signed_v<M>, std::make_signed_t<R>, R>;
  warp.loadsReady = std::max(warp.loadsReady, warp.time + (i.space == Space::Shared          ? cost::kSharedLatency
                                                           : i.space == Space::SharedCluster ? cost::kRemoteLatency
                                                           : i.space == Space::Param         ? 8
                                                                                             : cost::kGlobalLatency));
  Row row;
  if (!resolveRow(warp, i, mask, i.access, Access::Read, row))
    return Step::Fault;
  if (row.first) {
    bool dense = row.stride == i.access;
    if (dense && i.ahead)
      fetchAhead(row.first, i.ahead, kLanes * i.access);
    if (dense && i.listSize == 1) {
      loadRow<M, R, Extended, 1>(warp, row.first, slots);
    } else if (dense && i.listSize == 2) {
      loadRow<M, R, Extended, 2>(warp, row.first, slots);
    } else if (dense && i.listSize == 4) {
      loadRow<M, R, Extended, 4>(warp, row.first, slots);
    } else {
      for (uint32_t n = 0; n < i.listSize; ++n) {
        R *d = warp.reg<R>(slots[n]);
        const std::byte *at = row.first + n * sizeof(M);
        for (uint32_t l = 0; l < kLanes; ++l, at += row.stride)
          d[l] = static_cast<R>(static_cast<Extended>(reinterpret_cast<const Unaligned<M> *>(at)->value));
      }
    }
    return Step::Next;
  }
  std::byte *from[kLanes];
  if (bool fours = false; mask == kAllLanes && i.listSize <= 4) {
    if (!resolveFours(warp, i, i.access, Access::Read, from, fours))
      return Step::Fault;
    if (fours && i.listSize == 1)
      return gather<M, R, Extended, 1>(warp, slots, from), Step::Next;
    if (fours && i.listSize == 2)
      return gather<M, R, Extended, 2>(warp, slots, from), Step::Next;
    if (fours && i.listSize == 4)
      return gather<M, R, Extended, 4>(warp, slots, from), Step::Next;
  }
  if (!resolveLanes(warp, i, mask, i.access, Access::Read, from))
    return Step::Fault;
  for (uint32_t n = 0; n < i.listSize; ++n) {
    R *d = warp.reg<R>(slots[n]);
    if (mask == kAllLanes) {
      for (int l = 0; l < kLanes; ++l) {
        M value;
        std::memcpy(&value, from[l] + n * sizeof(M), sizeof(M));
        d[l] = static_cast<R>(static_cast<Extended>(value));
      }
    } else {
      forLanes(mask, [&](uint32_t l) {
        M value;
        std::memcpy(&value, from[l] + n * sizeof(M), sizeof(M));
        d[l] = static_cast<R>(static_cast<Extended>(value));
      });
    }
  }
  return Step::Next;
}

constexpr uint32_t kHalfSlot =
    kLanes * sizeof(uint64_t); // bytes from the lower half of a 128-bit register to the upper

/// Loads to the lower halves of registers of 128 bits, and extends the values to the upper ones.
template <class M> Step loadToLowerHalf(Warp &warp, const Instr &i, uint32_t mask) {
  if (Step step = load<M, uint64_t>(warp, i, mask); step != Step::Next)
    return step;
  const uint32_t *slots = warp.block->grid->program->lists.data() + i.list;
  for (uint32_t n = 0; n < i.listSize; ++n) {
    const uint64_t *lower = warp.reg<uint64_t>(slots[n]);
    uint64_t *upper = warp.reg<uint64_t>(slots[n] + kHalfSlot);
    forLanes(mask, [&](uint32_t l) {
      upper[l] = std::is_signed_v<M> ? static_cast<uint64_t>(static_cast<int64_t>(lower[l]) >> 63) : 0;
    });
  }
  return Step::Next;
}

constexpr uint32_t kBulkUnit = 8; // bytes of st.bulk

/// True if only the lane itself can see what it stores. Only the first lane of `mask` is tested.
inline bool isPrivate(Warp &warp, const Instr &i, uint32_t mask) {
  if (i.space != Space::Generic)
    return i.space == Space::Local;
  uint64_t address = i.a == kNone ? i.imm : warp.reg<uint64_t>(i.a)[__builtin_ctz(mask)] + i.imm;
  return address >> 56 == kLocalWindow >> 56;
}

template <class M, class R> Step storeLanes(Warp &warp, const Instr &i, uint32_t mask) {
  const uint32_t *slots = warp.block->grid->program->lists.data() + i.list;
  warp.block->effects += !isPrivate(warp, i, mask);
  warp.block->signals += i.strong;
  Row row;
  if (!resolveRow(warp, i, mask, i.access, Access::Write, row))
    return Step::Fault;
  if (row.first) {
    bool dense = row.stride == i.access;
    if (dense && i.ahead)
      fetchAhead(row.first, i.ahead, kLanes * i.access);
    if (dense && i.listSize == 1) {
      storeRow<M, R, 1>(warp, row.first, slots);
    } else if (dense && i.listSize == 2) {
      storeRow<M, R, 2>(warp, row.first, slots);
    } else if (dense && i.listSize == 4) {
      storeRow<M, R, 4>(warp, row.first, slots);
    } else {
      for (uint32_t n = 0; n < i.listSize; ++n) {
        const R *a = warp.reg<R>(slots[n]);
        for (uint32_t l = 0; l < kLanes; ++l) // in order, so that the last lane wins if several write the same place
          reinterpret_cast<Unaligned<M> *>(row.at(l) + n * sizeof(M))->value = static_cast<M>(a[l]);
      }
    }
    return Step::Next;
  }
  std::byte *to[kLanes];
  bool fours = false;
  if (mask == kAllLanes && i.listSize <= 4 && !resolveFours(warp, i, i.access, Access::Write, to, fours))
    return Step::Fault;
  if (fours && scatter<M, R, 4>(warp, i, to))
    return Step::Next;
  if (!resolveLanes(warp, i, mask, i.access, Access::Write, to))
    return Step::Fault;
  if (mask == kAllLanes && scatter<M, R, 1>(warp, i, to))
    return Step::Next;
  for (uint32_t n = 0; n < i.listSize; ++n) {
    const R *a = warp.reg<R>(slots[n]);
    forLanes(mask, [&](uint32_t l) {
      auto value = static_cast<M>(a[l]);
      std::memcpy(to[l] + n * sizeof(M), &value, sizeof(M));
    });
  }
  return Step::Next;
}

template <class M, class R> Step store(Warp &warp, const Instr &i, uint32_t mask) {
  Step step = storeLanes<M, R>(warp, i, mask);
  const Checker *checks = warp.block->checks;
  bool doubtful = checks && (checks->shared.doubtful() || checks->global.doubtful());
  return step == Step::Next && doubtful ? settled(warp, i) : step;
}

template <class M, template <class, class> class Pick> Handler byRegister(uint32_t bits) {
  return bits == 16   ? Pick<M, uint16_t>::handler()
         : bits == 32 ? Pick<M, uint32_t>::handler()
                      : Pick<M, uint64_t>::handler();
}
template <class M, class R> struct Load {
  static Handler handler() { return &load<M, R>; }
};
template <class M, class R> struct Store {
  static Handler handler() { return &store<M, R>; }
};

Handler loadHandler(Type type, uint32_t reg) {
  bool sign = type.isSigned();
  switch (type.bits) {
  case 8: return sign ? byRegister<int8_t, Load>(reg) : byRegister<uint8_t, Load>(reg);
  case 16: return sign ? byRegister<int16_t, Load>(reg) : byRegister<uint16_t, Load>(reg);
  case 32: return sign ? byRegister<int32_t, Load>(reg) : byRegister<uint32_t, Load>(reg);
  case 64: return byRegister<uint64_t, Load>(reg);
  default: return nullptr;
  }
}
Handler lowerHalfHandler(Type type) {
  bool sign = type.isSigned();
  switch (type.bits) {
  case 8: return sign ? &loadToLowerHalf<int8_t> : &loadToLowerHalf<uint8_t>;
  case 16: return sign ? &loadToLowerHalf<int16_t> : &loadToLowerHalf<uint16_t>;
  case 32: return sign ? &loadToLowerHalf<int32_t> : &loadToLowerHalf<uint32_t>;
  default: return sign ? &loadToLowerHalf<int64_t> : &loadToLowerHalf<uint64_t>;
  }
}
Handler storeHandler(Type type, uint32_t reg) {
  switch (type.bits) {
  case 8: return byRegister<uint8_t, Store>(reg);
  case 16: return byRegister<uint16_t, Store>(reg);
  case 32: return byRegister<uint32_t, Store>(reg);
  case 64: return byRegister<uint64_t, Store>(reg);
  default: return nullptr;
  }
}

const std::initializer_list<std::string_view> kStayInL2 = {"L2::evict_normal", "L2::evict_first", "L2::evict_last"};

/// An asynchronous store may have a scope without an order.
enum class AccessForm : uint8_t { Load, Store, AsyncStore };

/// Takes the parts for memory order, scope and cache. They do not change results, because accesses run in order here.
/// Records two things for the checker: whether the access is strong, so that other threads may use it as a flag, and
/// whether it publishes earlier accesses.
bool takeOrdering(Modifiers &mods, Instr &i, AccessForm form) {
  const bool isLoad = form == AccessForm::Load;
  i.releases = i.strong = mods.take("release");
  // PTX ISA 9.7.9.8: a volatile access is a relaxed access of system scope
  i.system = mods.has({"sys", "volatile", "mmio"});
  i.acquires = mods.has({"acquire"});
  i.narrow = mods.has({"cta", "cluster"});
  i.inBlock = mods.has({"cta"});
  // PTX ISA, "ld" and "st": an access is weak, volatile, relaxed or acquire (release). Only the last two have a scope.
  bool isWeak = mods.take("weak"), isVolatile = mods.take("volatile"), isMmio = mods.take("mmio");
  bool scoped = mods.take("relaxed") || i.acquires || i.releases || form == AccessForm::AsyncStore;
  mods.take("acquire");
  bool exists = isWeak + isVolatile + scoped <= 1 && !(isLoad ? i.releases : i.acquires) &&
                scoped == mods.has({"cta", "cluster", "gpu", "sys"}) &&
                (!isMmio || (scoped && mods.has({"sys"}) && !mods.has({"shared", "shared::cta", "shared::cluster"})));
  i.strong = isVolatile || scoped;
  // Only accesses to global memory have eviction priorities and prefetch sizes.
  bool elsewhere = mods.has({"shared", "shared::cta", "shared::cluster", "local", "const", "param", "param::entry"});
  bool stay = mods.has(
           {"L1::evict_normal", "L1::evict_unchanged", "L1::evict_first", "L1::evict_last", "L1::no_allocate"}),
       fetch = mods.has({"L2::64B", "L2::128B", "L2::256B"});
  if ((stay || fetch || mods.has(kStayInL2)) && elsewhere)
    return false;
  if ((stay && (isVolatile || mods.has({"ca", "cg", "cs", "lu", "cv", "wb", "wt"}))) || (fetch && !isLoad))
    return false;
  bool cached = mods.has({"ca", "cg", "cs", "lu", "cv", "wb", "wt", "nc"});
  exists = exists && !(isLoad ? mods.has({"wb", "wt"}) : mods.has({"ca", "lu", "cv", "nc"})) &&
           !(isVolatile && cached) && !(mods.has({"nc"}) && (isWeak || !mods.has({"global"})));
  i.noncoherent = mods.has({"nc"});
  while (!mods.takeOne({"cta",
                        "cluster",
                        "gpu",
                        "sys",
                        "nc",
                        "ca",
                        "cg",
                        "cs",
                        "lu",
                        "cv",
                        "wb",
                        "wt",
                        "L1::evict_normal",
                        "L1::evict_unchanged",
                        "L1::evict_first",
                        "L1::evict_last",
                        "L1::no_allocate",
                        "L2::64B",
                        "L2::128B",
                        "L2::256B"})
              .empty())
    ;
  return exists;
}

/// Appends the slot of the lower 64 bits of a register of 128 bits.
bool addLowerHalf(Decoder &d, const Operand &operand, bool write, Instr &i) {
  uint32_t before = i.listSize;
  if (!d.addWide(operand, write, i))
    return false;
  d.program().lists.pop_back();
  i.listSize = before + 1;
  return true;
}

bool decodeAccess(Decoder &d, Modifiers &mods, Instr &i, bool isLoad) {
  const bool isAsync = d.current().opcode.starts_with("st.async");
  if (!takeOrdering(mods, i, isLoad ? AccessForm::Load : isAsync ? AccessForm::AsyncStore : AccessForm::Store))
    return false;
  Space space = takeSpace(mods);
  bool hint = mods.take("L2::cache_hint"), stays = !mods.takeOne(kStayInL2).empty();
  std::string_view vector = mods.takeOne({"v2", "v4", "v8"});
  Type type = mods.takeType();
  size_t count = vector == "v2" ? 2 : vector == "v4" ? 4 : vector == "v8" ? 8 : 1;
  bool known = type.kind == TypeKind::Float ? type.bits >= 32 && !type.packed
                                            : type.kind != TypeKind::BFloat && type.kind != TypeKind::Narrow;
  if (!known || type.packed || (stays && type.bits * count != 256) ||
      (count == 8 && type.bits != 32 && type.bits != 8 && (isLoad || type.bits != 16)))
    return false;
  if (hint && space != Space::Global && space != Space::Generic)
    return d.fail(Message("`{instruction}` does not exist: `.L2::cache_hint` is for global memory", d.current().opcode),
                  "unknown-instruction");
  if (type.bits < 8 || (type.bits > 64 && count > 1) || !d.finish(mods, hint ? 3 : 2))
    return false;
  bool own =
      space == Space::Local || space == Space::Param || space == Space::Const; // no other thread sees these spaces
  if ((i.strong && own) || (!isLoad && space == Space::Const))
    return d.fail(
        Message("`{instruction}` does not exist: {}", d.current().opcode,
                i.strong ? "the order of accesses is of memory that others see" : "constants are not written"),
        "unknown-instruction");
  if (type.bits * count > 128 && (space == Space::Shared || space == Space::SharedCluster || own))
    return d.fail(Message("`{instruction}` does not exist: 256 bits are of global memory alone", d.current().opcode),
                  "unknown-instruction");
  if (type.bits * count > 128 && !d.requireTarget(100, "an access of 256 bits"))
    return false;
  const Operand &data = d.operand(isLoad ? 0 : 1), &place = d.operand(isLoad ? 1 : 0);
  size_t given = data.kind == Operand::Kind::Vector ? data.parts.size() : 1;
  if (given != count)
    return d.fail("the number of registers does not match the vector size");
  // Registers may be wider than the element. All registers of one instruction have the same width.
  bool wide = type.bits == 128; // as two registers of 64 bits
  if (wide)
    type.bits = 64;
  const Operand *first = data.kind == Operand::Kind::Vector ? &data.parts[0] : &data;
  if (data.kind == Operand::Kind::Vector)
    for (const Operand &part : data.parts)
      if (d.widthOf(part) != 0)
        first = &part;
  uint32_t reg = wide ? 64 : d.widthOf(*first);
  if (reg == 0)
    reg = std::max<uint32_t>(type.bits, 16);
  if (reg < type.bits || reg == 1)
    return d.fail("the register is narrower than the type");
  if (isAsync && reg > std::max<uint32_t>(type.bits, 16))
    return d.fail(Message("`{instruction}` takes registers of {bits} bits", d.current().opcode, int{type.bits}));
  // The lower bits of a register of 128 bits are stored. A value that is loaded to one is extended.
  const bool lower = !wide && reg == 128 && (isLoad || type.bits * count <= 128);
  if (lower)
    reg = 64;
  Type as = type;
  as.bits = static_cast<uint8_t>(reg);
  if (type.kind == TypeKind::Float && reg != type.bits)
    as.kind = TypeKind::BFloat; // a wider register holds bits, because no register has the type of such numbers
  if (wide)
    d.addWide(data, isLoad, i);
  else if (lower && data.kind == Operand::Kind::Vector)
    std::ranges::all_of(data.parts, [&](const Operand &part) { return addLowerHalf(d, part, isLoad, i); });
  else if (lower)
    addLowerHalf(d, data, isLoad, i);
  else if (isLoad)
    d.destList(data, as, i);
  else
    d.sourceList(data, as, i);
  i.run = !isLoad ? storeHandler(type, reg) : lower ? lowerHalfHandler(type) : loadHandler(type, reg);
  i.load = isLoad;
  i.findsRow = true;
  i.cost = cost::kMemoryIssue;
  i.access = static_cast<uint8_t>(type.bits / 8 * (wide ? 2 : count));
  if (space == Space::Global || space == Space::Generic)
    d.program().globalGranule = std::min<uint32_t>(d.program().globalGranule, i.access);
  d.program().communicates |= i.strong && (space == Space::Global || space == Space::Generic);
  return d.address(place, i, space) && !d.failed();
}

bool decodeLoad(Decoder &d, Modifiers &mods, const Instruction &, Instr &i) { return decodeAccess(d, mods, i, true); }
/// st.bulk: each lane fills a stretch of shared memory with zeros. b: its size in bytes. sub: b has 64 bits.
Step storeBulk(Warp &warp, const Instr &i, uint32_t mask) {
  const AddressRef &ref = warp.block->grid->program->addresses[i.imm];
  for (uint32_t l = 0; l < kLanes; ++l) {
    if (!(mask >> l & 1))
      continue;
    uint64_t bytes = i.sub ? warp.reg<uint64_t>(i.b)[l] : warp.reg<uint32_t>(i.b)[l];
    if (bytes % kBulkUnit != 0)
      return fault(warp, i, "misaligned-access",
                   Message("`st.bulk` writes {bytes} bytes, which is not a multiple of {}", bytes, kBulkUnit), l);
    uint32_t address = 0;
    if (!sharedAddress(warp, i, l, addressIn(warp, ref, l), address, ref.space))
      return Step::Fault;
    std::byte *to = resolve(warp, i, l, address, Space::Shared, {bytes, kBulkUnit, Access::Write});
    if (!to)
      return Step::Fault;
    uint64_t addresses[kLanes] = {};
    for (uint64_t at = 0; warp.block->checks && at < bytes; at += kBulkUnit) {
      addresses[l] = address + at;
      if (!warp.block->checks->shared.access(warp, i, 1u << l, addresses, kBulkUnit, Access::Write,
                                             warp.block->clusterRank))
        return Step::Fault;
    }
    std::memset(to, 0, bytes);
  }
  ++warp.block->effects;
  return Step::Next;
}

bool decodeStoreBulk(Decoder &d, Modifiers &mods, Instr &i) {
  mods.take("weak");
  Space space = mods.take("shared::cta") ? Space::Shared : Space::Generic;
  uint64_t value = 0;
  if (!d.requireTarget(100, "`st.bulk`") || !d.finish(mods, 3) || !d.immediate(d.operand(2), value))
    return false;
  if (value != 0)
    return d.fail("`st.bulk` writes zeros alone");
  i.imm = d.program().addresses.size();
  if (!d.addAddress(d.operand(0), space))
    return false;
  uint32_t width = d.operand(1).kind == Operand::Kind::Name ? d.widthOf(d.operand(1)) : 64;
  i.sub = width == 64;
  i.b = d.source(d.operand(1), width);
  i.cost = cost::kMemoryIssue;
  i.run = &storeBulk;
  return !d.failed();
}

bool decodeStore(Decoder &d, Modifiers &mods, const Instruction &, Instr &i) {
  if (mods.take("bulk"))
    return decodeStoreBulk(d, mods, i);
  // `st.async` without an mbarrier is a store of the generic proxy that releases (PTX ISA, "st.async").
  return takeAsyncRelease(d, mods) && decodeAccess(d, mods, i, false);
}

Step nothing(Warp &, const Instr &, uint32_t) { return Step::Next; }

/// Prefetches and residency hints have no visible effect. `discard` makes the contents undefined; here they do not
/// change.
bool decodePrefetch(Decoder &d, Modifiers &mods, const Instruction &, Instr &i) {
  std::string_view root = d.current().opcode.substr(0, d.current().opcode.find('.'));
  bool sized = root == "discard" || root == "applypriority", l2 = mods.has({"L2"});
  if (!(root == "prefetchu"       ? mods.has({"L1"}) && !l2
        : root == "discard"       ? l2
        : root == "applypriority" ? mods.has({"L2::evict_normal"})
                                  : mods.has({"L1", "L2", "L2::evict_last", "L2::evict_normal", "tensormap"})))
    return false;
  while (!mods.takeOne({"global", "local", "param", "const", "L1", "L2", "tensormap", "L2::evict_last",
                        "L2::evict_normal", "L2::128B"})
              .empty())
    ;
  uint64_t bytes = 128; // the only valid size
  if (!d.finish(mods, sized ? 2 : 1) || (sized && !d.immediate(d.operand(1), bytes)) || bytes != 128)
    return false;
  i.run = &nothing;
  return d.address(d.operand(0), i, Space::Generic);
}

bool decodeCreatePolicy(Decoder &d, Modifiers &mods, const Instruction &, Instr &i) {
  while (!mods.takeOne({"fractional", "range", "global", "L2::evict_last", "L2::evict_normal", "L2::evict_first",
                        "L2::evict_unchanged", "cvt", "L2", "b64"})
              .empty())
    ;
  if (!d.finish(mods, 1, 4))
    return false;
  i.d = d.dest(d.operand(0), 64);
  i.a = d.constant(0, 64);
  i.run = &unary<[](uint64_t a) { return a; }, uint64_t, uint64_t>;
  d.ignored();
  return !d.failed();
}

} // namespace

const Family &memoryFamily() {
  static const Family family{{"ld", &decodeLoad},
                             {"ldu", &decodeLoad},
                             {"st", &decodeStore},
                             {"prefetch", &decodePrefetch},
                             {"prefetchu", &decodePrefetch},
                             {"applypriority", &decodePrefetch},
                             {"discard", &decodePrefetch},
                             {"createpolicy", &decodeCreatePolicy}};
  return family;
}

} // namespace lanescope::core::emulator
