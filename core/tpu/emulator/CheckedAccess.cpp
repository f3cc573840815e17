#include "core/tpu/emulator/CheckedAccess.h"

#include "layouts/support/Text.h"

#include <cstring>

namespace lanescope::core::sparsecore {

Accessor accessorOf(const Subcore &s, uint32_t place) { return {{s.now(), place}, &s.clock, s.index}; }
Accessor accessorOf(const Machine &m, uint32_t copy) {
  const Copy &c = m.copies[copy];
  return {{c.step, c.place, copy}, &c.clock, c.subcore};
}

bool noteRead(Machine &m, Buffer &buffer, uint64_t begin, uint64_t end, const Accessor &by) {
  if (!buffer.watched)
    return true;
  auto conflict = buffer.shadow.read(begin, end, by.use, *by.clock);
  if (conflict)
    reportConflict(m, buffer, by, false, *conflict);
  return !conflict;
}

bool noteWrite(Machine &m, Buffer &buffer, uint64_t begin, uint64_t end, const Accessor &by, Content content,
               bool same) {
  if (!buffer.watched)
    return true;
  if (content != kAsBefore && !requireKnownOutput(m, buffer, content))
    return false;
  auto conflict = buffer.shadow.write(begin, end, by.use, *by.clock, {.content = content, .same = same});
  if (!conflict)
    return true;
  reportConflict(m, buffer, by, true, *conflict);
  if (m.failed())
    return false;
  buffer.shadow.write(begin, end, by.use, *by.clock, {.content = content, .same = same, .pastReads = true});
  return true;
}

bool holds(const Buffer &source, uint64_t from, const Buffer &target, uint64_t at, uint64_t size) {
  if (!target.watched || std::memcmp(&target.bytes[at], &source.bytes[from], size) != 0)
    return false;
  return source.watched ? target.shadow.sameContent(source.shadow, from, at, size)
                        : target.shadow.content(at, at + size) == kDefined;
}

static uint32_t subcoreOf(const Machine &m, const Use &use) {
  return use.isCopy() ? m.copies[use.copy].subcore : use.step.agent;
}

static std::string said(const Machine &m, const Use &use, bool writes) {
  std::string who = m.nameOf(m.subcores[subcoreOf(m, use)]);
  if (use.isCopy())
    return text("the copy that ", who, " starts here ", writes ? "writes it" : "reads it");
  return text(who, writes ? " writes it here" : " reads it here");
}

/// The end of a message about a copy that no wait orders. If other copies signal the same semaphore, one of them may
/// have ended the wait.
static std::string missingWait(const Machine &m, const Copy &copy) {
  const SemaphoreState &state = copy.targetSemaphores->semaphores[static_cast<size_t>(copy.targetSemaphore)];
  size_t others = 0;
  for (uint32_t other : state.copies)
    others += &m.copies[other] != &copy;
  return others == 0 ? "" : "; another copy that signals the same semaphore may have ended the wait for it";
}

void reportConflict(Machine &m, const Buffer &buffer, const Accessor &by, bool writes,
                    const Shadow::Conflict &conflict) {
  const Use &other = conflict.other;
  std::string where = buffer.operand >= 0 || buffer.name.empty() ? buffer.name : text("memory of ", buffer.name);
  bool sameSubcore = subcoreOf(m, other) == by.subcore;
  if (!sameSubcore || (!other.isCopy() && !by.use.isCopy())) {
    std::string message = text(said(m, by.use, writes), ", and nothing orders it before or after the other use of ",
                               where, ": a barrier or a semaphore is missing");
    // The diagnostic already has the place, so remove " here".
    if (size_t here = message.find(" here"); here != std::string::npos)
      message.erase(here, 5);
    std::vector<Note> notes{{m.place(other.place), said(m, other, conflict.otherWrites)}};
    if (writes && !conflict.otherWrites)
      m.warn("race", by.use.place, other.place, std::move(message), std::move(notes));
    else
      m.fail("race", by.use.place, std::move(message), std::move(notes));
    return;
  }
  // If the two sides are a copy and the subcore that started it, or two copies of a subcore, the one that is later in
  // the program is at fault.
  bool thisIsLater = by.use.isCopy() ? other.isCopy() && other.copy < by.use.copy : true;
  const Use &later = thisIsLater ? by.use : other, &earlier = thisIsLater ? other : by.use;
  bool laterWrites = thisIsLater ? writes : conflict.otherWrites;
  bool earlierWrites = thisIsLater ? conflict.otherWrites : writes;
  std::string missing = missingWait(m, m.copies[earlier.copy]);
  std::string who = later.isCopy() ? "this copy" : m.nameOf(m.subcores[by.subcore]);
  Note note{m.place(earlier.place), said(m, earlier, earlierWrites)};
  if (laterWrites)
    m.fail("overwritten-in-flight", later.place,
           Message("{} writes {} while a copy still {} it: wait for the copy before{}", who, where,
                   earlierWrites ? "writes" : "reads", missing),
           {note});
  else
    m.fail("copy-not-awaited", later.place,
           Message("{} reads {} before the copy that brings it was waited for{}", who, where, missing), {note});
}

bool requireKnownOutput(Machine &m, const Buffer &target, Content content) {
  bool visible = target.space == Space::Hbm || target.space == Space::Host || target.space == Space::Any;
  Content computed = content & ~kRaw;
  if (!visible || content & kRaw || computed < kComputed)
    return true;
  m.fail("undefined-value", computed - kComputed,
         Message("memory that was never written is read, and a value computed from it comes to {target}", target.name));
  return false;
}

} // namespace lanescope::core::sparsecore
