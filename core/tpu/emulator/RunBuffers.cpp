#include "core/tpu/emulator/RunBuffers.h"

#include "core/tpu/emulator/Capacity.h"
#include "core/tpu/emulator/CopiesInFlight.h"
#include "core/tpu/program/TpuTiling.h"
#include "layouts/support/Text.h"

namespace lanescope::core::sparsecore {

std::optional<layouts::TiledMemoryLayout> layoutOf(const Machine &m, const MemRefType &type,
                                                   const std::vector<int64_t> &shape, bool allocated) {
  if (type.layout)
    return type.layout;
  return m.tensorCoreTiles ? tensorCoreLayout(type.element, type.space, shape, allocated) : std::nullopt;
}

/// Each dimension's own part of an element's address: tiles cut every dimension independently.
static std::deque<OffsetTable> tablesOf(const layouts::TiledMemoryLayout &layout, const std::vector<int64_t> &shape,
                                        uint32_t bytes) {
  std::deque<OffsetTable> tables;
  for (size_t d = 0; d < shape.size(); ++d) {
    OffsetTable &table = tables.emplace_back(static_cast<size_t>(shape[d]));
    layouts::Shape index(shape.size(), 0);
    for (int64_t k = 0; k < shape[d]; ++k) {
      index[d] = k;
      table[static_cast<size_t>(k)] = layout.offset(index) * bytes;
    }
  }
  return tables;
}

Buffer *makeBuffer(Machine &m, NewBuffer plan) {
  auto &[element, space, shape, layout, owner, name, place] = plan;
  auto buffer = std::make_unique<Buffer>();
  buffer->element = element;
  buffer->space = space;
  buffer->shape = std::move(shape);
  buffer->owner = owner;
  buffer->name = std::move(name);
  buffer->place = place;
  if (element.isSemaphore()) {
    buffer->semaphores.resize(buffer->elements());
  } else {
    uint64_t elements = buffer->elements();
    if (layout && elements != 0) {
      elements = static_cast<uint64_t>(layout->extent(buffer->shape));
      buffer->tables = tablesOf(*layout, buffer->shape, element.bytes());
      buffer->layout = std::move(layout);
    }
    buffer->deviceBytes = (elements * element.bits + 7) / 8;
    buffer->bytes.resize(elements * element.bytes());
    buffer->watched = m.checks;
    if (m.checks)
      buffer->shadow = Shadow(buffer->bytes.size());
  }
  m.buffers.push_back(std::move(buffer));
  return m.buffers.back().get();
}

void addToGroup(Machine &m, const Machine::GroupKey &key, Buffer *buffer) {
  m.groups[key] = buffer;
  m.groupOf[buffer] = key;
}

Reach reachOf(Space space) {
  switch (space) {
  case Space::Vmem:
  case Space::Smem:
  case Space::SemaphoreMem: return Reach::Subcore;
  case Space::VmemShared:
  case Space::Cmem: return Reach::Core;
  default: return Reach::Device;
  }
}

Buffer *peerOf(Machine &m, const Buffer &buffer, const Location &there) {
  auto key = m.groupOf.find(&buffer);
  if (key == m.groupOf.end())
    return nullptr;
  Machine::GroupKey wanted = key->second;
  wanted.device = there.device;
  Reach reach = reachOf(buffer.space);
  if (reach != Reach::Device)
    wanted.core = there.core;
  if (reach == Reach::Subcore)
    wanted.subcore = wanted.type == CoreType::ScalarSubcore ? 0 : there.subcore;
  if (auto found = m.groups.find(wanted); found != m.groups.end())
    return found->second;
  bool exists = false; // true if a subcore that runs there has not reached the allocation yet
  for (const Subcore &s : m.subcores)
    exists |= s.location.device == wanted.device && s.location.core == wanted.core &&
              (reach != Reach::Subcore || (s.location.subcore == wanted.subcore && s.location.type == wanted.type));
  if (!exists || buffer.operand >= 0)
    return nullptr;
  Buffer *made = makeBuffer(m, {buffer.element,
                                buffer.space,
                                buffer.shape,
                                buffer.layout,
                                {wanted.device, wanted.core, wanted.subcore, wanted.type},
                                buffer.name,
                                buffer.place});
  addToGroup(m, wanted, made);
  return made;
}

static bool usesBuffer(const Copy &copy, const Buffer *buffer) {
  return copy.source.buffer == buffer || copy.target.buffer == buffer || copy.offsets.buffer == buffer;
}

/// Faults for a copy that no subcore has waited for. If the copy conflicts with another access, reports the conflict
/// instead.
static void failUnfinished(Machine &m, uint32_t index, std::string message, std::vector<Note> notes) {
  if (m.copies[index].done || complete(m, index))
    m.fail("unfinished-copy", m.copies[index].place, std::move(message), std::move(notes));
}

bool checkSemaphores(Machine &m, Buffer &buffer, uint32_t place, std::string_view end) {
  for (size_t k = 0; k < buffer.semaphores.size(); ++k) {
    SemaphoreState &state = buffer.semaphores[k];
    if (!state.copies.empty()) {
      uint32_t index = state.copies.front();
      failUnfinished(m, index,
                     text(end, " before ", m.nameOf(m.subcores[m.copies[index].subcore]), " has waited for this copy"),
                     {{m.place(place), "it ends here"}});
      return false;
    }
    if (state.count != 0) {
      m.fail("semaphore-left-over", place,
             Message("{} and a semaphore of {} ({}{}) still holds {count}: it was signalled more often than waited for",
                     end, name(buffer.owner, m.devices > 1), buffer.name,
                     buffer.semaphores.size() > 1 ? text(", number ", k) : "", state.count),
             {{m.place(buffer.place), "the semaphore"}});
      return false;
    }
  }
  return true;
}

bool releaseScope(Machine &m, Subcore &s, uint32_t place) {
  if (s.scopes.empty())
    return true;
  Scope scope = std::move(s.scopes.back());
  s.scopes.pop_back();
  for (Buffer *buffer : scope.buffers) {
    if (!m.checks)
      continue; // without checks, a missing wait is not reported
    if (!checkSemaphores(m, *buffer, place, "the scope ends"))
      return false;
    for (uint32_t index : m.unawaited)
      if (usesBuffer(m.copies[index], buffer)) {
        failUnfinished(m, index, "the scope ends while this copy may still use memory that was allocated in it",
                       {{m.place(place), "it ends here"}, {m.place(buffer->place), "the memory"}});
        return false;
      }
  }
  // Completed copies and dead references still point to the object, so only its memory is freed.
  for (Buffer *buffer : scope.buffers) {
    bool used = false;
    for (uint32_t index : m.inFlight)
      used |= usesBuffer(m.copies[index], buffer) || m.copies[index].targetSemaphores == buffer ||
              m.copies[index].sourceSemaphores == buffer;
    buffer->freed = true;
    giveRoom(s, *buffer);
    if (auto key = m.groupOf.find(buffer); key != m.groupOf.end()) {
      m.groups.erase(key->second);
      m.groupOf.erase(key);
    }
    if (used)
      continue;
    buffer->bytes = {};
    buffer->shadow = Shadow();
  }
  return true;
}

bool checkBounds(Machine &m, const Instruction &i, const MemRef &ref, std::span<const int64_t> index,
                 std::span<const int64_t> size, std::string_view what) {
  for (uint32_t d = 0; d < ref.rank; ++d) {
    if (index[d] >= 0 && size[d] >= 0 && index[d] <= ref.sizes[d] - size[d])
      continue;
    std::string range = size[d] == 1 ? text(index[d]) : text(index[d], " to ", index[d] + size[d] - 1);
    m.fail("memref-out-of-bounds", i.place,
           Message("{} {} of dimension {dimension} is outside of {}, which has {} there", what, range, d,
                   ref.buffer ? ref.buffer->name : "a reference", ref.sizes[d]));
    return false;
  }
  return true;
}

} // namespace lanescope::core::sparsecore
