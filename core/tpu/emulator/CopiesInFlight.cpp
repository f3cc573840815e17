#include "core/tpu/emulator/CopiesInFlight.h"

#include "core/tpu/emulator/ElementArithmetic.h"
#include "core/tpu/emulator/TpuCostModel.h"
#include "core/tpu/emulator/TpuRecorder.h"
#include "layouts/support/Text.h"

#include <cstring>

namespace lanescope::core::sparsecore {
namespace {

struct Run {
  int64_t address = 0, bytes = 0;
};
void addRuns(const MemRef &ref, std::vector<Run> &runs) {
  forEachPiece(ref, [&](int64_t address, int64_t bytes) {
    if (!runs.empty() && runs.back().address + runs.back().bytes == address)
      runs.back().bytes += bytes;
    else
      runs.push_back({address, bytes});
  });
}

class Mover {
public:
  Mover(Machine &m, uint32_t index)
      : m_(m), copy_(m.copies[index]), by_(accessorOf(m, index)), source_(*copy_.source.buffer),
        target_(*copy_.target.buffer), width_(copy_.target.element.bytes()) {}

  bool moveAll() { return copy_.indirect ? indirect() : rows(copy_.source, copy_.target); }

private:
  /// Moves bytes that are contiguous on both sides.
  bool move(int64_t from, int64_t to, int64_t bytes) {
    uint64_t size = static_cast<uint64_t>(bytes);
    uint64_t sourceAt = static_cast<uint64_t>(from), targetAt = static_cast<uint64_t>(to);
    std::byte *target = target_.bytes.data() + to;
    const std::byte *source = source_.bytes.data() + from;
    if (!noteRead(m_, source_, sourceAt, sourceAt + size, by_))
      return false;
    if (copy_.add)
      return add(source, target, sourceAt, targetAt, size, bytes / width_);
    Content content = source_.watched ? source_.shadow.content(sourceAt, sourceAt + size) : kDefined;
    bool same = holds(source_, sourceAt, target_, targetAt, size);
    std::memmove(target, source, size);
    if (!noteWrite(m_, target_, targetAt, targetAt + size, by_, same ? kAsBefore : kDefined, same))
      return false;
    if (content != kDefined && target_.watched && !same) {
      target_.shadow.copyContent(source_.shadow, sourceAt, targetAt, size);
      return requireKnownOutput(m_, target_, content);
    }
    return true;
  }

  bool add(const std::byte *source, std::byte *target, uint64_t sourceAt, uint64_t targetAt, uint64_t size,
           int64_t elements) {
    Content content = kDefined;
    if (target_.watched) { // the sum of several copies' additions does not depend on their order
      content = target_.shadow.content(targetAt, targetAt + size);
      if (content == kUninitialised)
        content = kComputed + copy_.place;
    }
    if (content == kDefined && source_.watched)
      content = source_.shadow.content(sourceAt, sourceAt + size);
    for (int64_t k = 0; k < elements; ++k) {
      std::byte *to = target + k * width_;
      storeElement(copy_.target.element, to,
                   added(copy_.target.element, loadElement(copy_.target.element, to),
                         loadElement(copy_.target.element, source + k * width_)));
    }
    return noteAdd(targetAt, targetAt + size, content);
  }

  /// Records an addition. Additions of several copies do not conflict, because each is atomic and their order does not
  /// matter.
  bool noteAdd(uint64_t begin, uint64_t end, Content content) {
    if (!target_.watched)
      return true;
    Clock before = *by_.clock;
    before.join(target_.atomics);
    Accessor by = by_;
    by.clock = &before;
    if (!noteWrite(m_, target_, begin, end, by, content, false))
      return false;
    target_.atomics.raise(by_.use.step);
    return true;
  }

  bool rows(const MemRef &from, const MemRef &to) {
    std::vector<Run> sources, targets;
    addRuns(from, sources);
    addRuns(to, targets);
    size_t s = 0, t = 0;
    while (s < sources.size() && t < targets.size()) {
      int64_t bytes = std::min(sources[s].bytes, targets[t].bytes);
      if (!move(sources[s].address, targets[t].address, bytes))
        return false;
      for (Run *run : {&sources[s], &targets[t]}) {
        run->address += bytes;
        run->bytes -= bytes;
      }
      s += sources[s].bytes == 0;
      t += targets[t].bytes == 0;
    }
    return true;
  }

  bool offsets(std::vector<int64_t> &out, uint32_t &rank) {
    if (!copy_.offsets.buffer) {
      out = copy_.offsetList;
      rank = 1;
      return true;
    }
    const MemRef &from = copy_.offsets;
    rank = from.rank;
    return forEachValue(
        from,
        [&](uint64_t begin, uint64_t bytes) {
          return noteRead(m_, *from.buffer, begin, begin + bytes, by_) &&
                 (!from.buffer->watched || requireDefined(m_, from.buffer->shadow.content(begin, begin + bytes),
                                                          copy_.place, "an offset of an indirect copy"));
        },
        [&](uint64_t bits) { out.push_back(signedOf(from.element, bits)); });
  }

  bool indirect() {
    std::vector<int64_t> at;
    uint32_t offsetRank = 1;
    if (!offsets(at, offsetRank))
      return false;
    const MemRef &indexed = copy_.gather ? copy_.source : copy_.target,
                 &dense = copy_.gather ? copy_.target : copy_.source;
    uint32_t rowRank = dense.rank - offsetRank, dimension = indexed.rank - rowRank - 1;
    std::array<int64_t, kMostRank> place{};
    // The reference at an index of the leading dimensions. The dimensions before the indexed one have one element.
    auto rowAt = [&](const MemRef &of, const int64_t *index) {
      MemRef row = of;
      for (uint32_t d = of.rank - rowRank; d-- > 0;)
        row.drop(d, index[d]);
      return row;
    };
    auto firstOf = [](const MemRef &row) {
      std::array<int64_t, kMostRank> zeros{};
      return row.address(zeros.data());
    };
    // All rows are contiguous or none is, because tiles of earlier dimensions cut no row.
    std::optional<bool> contiguous;
    for (size_t k = 0; k < at.size(); ++k) {
      int64_t offset = at[k];
      if (!(copy_.filtered && offset == copy_.filter)) {
        if (offset < 0 || offset >= indexed.sizes[dimension]) {
          m_.fail("memref-out-of-bounds", copy_.place,
                  Message("offset {offset} of an indirect copy is {}, and {} has {rows} rows", k, offset,
                          indexed.buffer->name, indexed.sizes[dimension]));
          return false;
        }
        std::array<int64_t, kMostRank> index{};
        index[dimension] = offset;
        MemRef row = rowAt(indexed, index.data()), denseRow = rowAt(dense, place.data());
        if (!contiguous)
          contiguous = row.run() == std::max<int64_t>(row.elements(), 1) &&
                       denseRow.run() == std::max<int64_t>(denseRow.elements(), 1) && row.pieces == 1 &&
                       denseRow.pieces == 1;
        const MemRef &from = copy_.gather ? row : denseRow, &to = copy_.gather ? denseRow : row;
        if (!(*contiguous ? from.elements() == 0 || move(firstOf(from), firstOf(to), from.elements() * width_)
                          : rows(from, to)))
          return false;
      }
      for (uint32_t d = offsetRank; d-- > 0;) {
        if (++place[d] < dense.sizes[d])
          break;
        place[d] = 0;
      }
    }
    return true;
  }

  Machine &m_;
  Copy &copy_;
  Accessor by_;
  Buffer &source_, &target_;
  int64_t width_;
};

} // namespace

void signal(Buffer &semaphores, int64_t index, int64_t amount, double time) {
  SemaphoreState &state = semaphores.semaphores[static_cast<size_t>(index)];
  state.count += amount;
  state.time = std::max(state.time, time);
}

bool complete(Machine &m, uint32_t index) {
  Copy &copy = m.copies[index];
  std::erase(m.inFlight, index);
  if (!Mover(m, index).moveAll())
    return false;
  copy.done = true;
  auto signalled = [&](Buffer *semaphores, int64_t at) {
    if (!semaphores)
      return;
    bool bytes = semaphores->element.kind == Element::Kind::DmaSemaphore;
    signal(*semaphores, at, bytes ? static_cast<int64_t>(copy.bytes) : 1, copy.end);
    if (!bytes) { // A wait on a plain semaphore is also ordered after the copy.
      semaphores->semaphores[static_cast<size_t>(at)].clock.join(copy.clock);
      std::erase(m.unawaited, index);
    }
  };
  signalled(copy.sourceSemaphores, copy.sourceSemaphore);
  signalled(copy.targetSemaphores, copy.targetSemaphore);
  return true;
}

bool completeDue(Machine &m) {
  if (m.seed == 0)
    return true;
  std::vector<uint32_t> due;
  for (uint32_t index : m.inFlight)
    if (Copy &copy = m.copies[index]; copy.delay != 0 && --copy.delay == 0)
      due.push_back(index);
  for (uint32_t index : due)
    if (!complete(m, index))
      return false;
  return true;
}

bool completeAll(Machine &m) {
  while (!m.inFlight.empty())
    if (!complete(m, m.inFlight.front()))
      return false;
  return true;
}

Taken take(Machine &m, Subcore &s, Buffer &semaphores, int64_t index, int64_t amount) {
  SemaphoreState &state = semaphores.semaphores[static_cast<size_t>(index)];
  while (state.count < amount) {
    std::vector<uint32_t> pending;
    for (uint32_t copy : state.copies)
      if (!m.copies[copy].done)
        pending.push_back(copy);
    if (pending.empty())
      return Taken::NotYet;
    size_t which = m.seed == 0 ? 0 : m.random() % pending.size();
    if (!complete(m, pending[which]))
      return Taken::Fault;
  }
  state.count -= amount;
  double ready = state.time;
  bool all = state.count == 0;
  for (uint32_t copy : state.copies)
    all &= m.copies[copy].done;
  if (all) {
    for (uint32_t index : state.copies) {
      Copy &copy = m.copies[index];
      s.clock.join(copy.clock);
      std::erase(m.unawaited, index);
      if (--copy.toBeAwaited == 0) {
        m.freeAgents.push_back(copy.step);
        copy.clock = {}; // frees memory: there may be many copies, and this clock is not read again
      }
    }
    state.copies.clear();
  }
  s.clock.join(state.clock);
  if (m.recorder)
    m.recorder->waited(s, s.time, std::max(s.time, ready + cost::kWake), "semaphore");
  s.time = std::max(s.time, ready + cost::kWake);
  return Taken::Yes;
}

bool targetOf(Machine &m, Subcore &s, const Instruction &i, Location &there, bool &elsewhere) {
  there = s.location;
  elsewhere = false;
  auto named = [&](Role role, std::string_view what, uint32_t &field) {
    uint32_t operand = operandOf(i, role);
    if (operand == UINT32_MAX)
      return true;
    elsewhere = true;
    if (!requireDefined(m, s, i, operand, what))
      return false;
    int64_t value = number(m, s, operand);
    field = static_cast<uint32_t>(value);
    if (value >= 0 && value < int64_t{1} << 16)
      return true;
    m.fail("memref-out-of-bounds", i.place, Message("there is no {} {}", what, value));
    return false;
  };
  if (!named(Role::Device, "device", there.device) || !named(Role::Core, "core", there.core) ||
      !named(Role::Subcore, "subcore", there.subcore))
    return false;
  if (there.device >= m.devices) {
    m.fail("memref-out-of-bounds", i.place,
           Message("there is no device {device}; {} (`--devices N` runs several)", there.device,
                   m.devices == 1 ? "one runs" : text(m.devices, " run")));
    return false;
  }
  return true;
}

bool referenceAt(Machine &m, const Instruction &i, MemRef &ref, const Location &there, std::string_view what) {
  Buffer *peer = peerOf(m, *ref.buffer, there);
  if (!peer) {
    m.fail("memref-out-of-bounds", i.place,
           Message("there is no such {} on {}, where nothing of this kernel runs", what, name(there, m.devices > 1)));
    return false;
  }
  ref.buffer = peer;
  return true;
}

} // namespace lanescope::core::sparsecore
