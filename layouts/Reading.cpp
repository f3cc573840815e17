#include "layouts/Reading.h"

#include "layouts/DefaultArray.h"
#include "layouts/NoMemory.h"
#include "layouts/support/Text.h"

#include <algorithm>
#include <array>

namespace lanescope::layouts {

namespace {

constexpr std::array<std::pair<std::string_view, Memory>, 4> kWords = {
    {{"registers", Memory::Registers}, {"shared", Memory::Shared}, {"tmem", Memory::Tmem}, {"smem", Memory::Shared}}};
constexpr size_t kLongText = 60;

bool knows(const std::vector<Memory> &memories, Memory memory) {
  return std::ranges::find(memories, memory) != memories.end();
}

/// True if the text leaves several memories possible.
bool isOpen(const Layout &layout, const std::vector<Memory> &memories) {
  const auto *foreign = std::get_if<Foreign>(&layout);
  if (!foreign || memories.size() < 2) // Mosaic's names and dumps determine the memory
    return false;
  const auto *says = foreign->as<SaysMemory>();
  return !says || !says->saysMemory();
}

/// Applies rule 3 to a layout that has several memories.
Memory guess(const Layout &layout, const std::vector<Memory> &memories, const std::optional<Shape> &shape) {
  constexpr size_t kThreadAndValue = 2;
  if (memories.front() != Memory::Shared || !knows(memories, Memory::Registers) || !isOpen(layout, memories))
    return memories.front();
  std::optional<Shape> own = ownShape(layout);
  bool other = shape && own && *own != *shape && own->size() == kThreadAndValue;
  return other ? Memory::Registers : Memory::Shared;
}

std::optional<Memory> otherOf(const std::vector<Memory> &memories, Memory taken) {
  auto other = std::ranges::find_if(memories, [&](Memory memory) { return memory != taken; });
  return other == memories.end() ? std::nullopt : std::optional(*other);
}

std::unexpected<Diagnostics> notOf(const Layout &layout, Memory memory) {
  return error("layout-memory", Message("`{layout}` is a layout of {memory}, not of {}", layoutText(layout),
                                        name(memoryOf(layout)), name(memory)));
}

std::string quoted(const Layout &layout) {
  std::string written = layoutText(layout);
  return written.size() > kLongText ? "the layout" : text("`", written, "`");
}

/// The meaning in words: "(thread, value)", "memory for an array of shape (8, 4)".
std::string meaning(Memory memory, bool ofCute) {
  switch (memory) {
  case Memory::Registers: return ofCute ? "(thread, value)" : "registers";
  case Memory::Shared: return "memory";
  case Memory::Tmem: return "tensor memory";
  }
  return "";
}

std::string toSwitch(Memory memory, ReadingSwitch how) {
  switch (how) {
  case ReadingSwitch::Argument: return text("`memory=\"", word(memory), "\"`");
  case ReadingSwitch::Flag: return text("`--memory ", word(memory), "`");
  case ReadingSwitch::Window: return "the switch `Read as`";
  }
  return "";
}

std::string shapeSwitch(ReadingSwitch how) {
  return how == ReadingSwitch::Argument ? "`shape=`" : how == ReadingSwitch::Flag ? "`--shape`" : "the field `Shape`";
}

bool isCute(const Layout &layout) { return languageOf(layout) == "cute"; }

} // namespace

std::vector<Memory> memoriesOf(const Layout &layout) {
  if (const auto *foreign = std::get_if<Foreign>(&layout))
    return (*foreign)->memories();
  if (std::holds_alternative<TMEMLayout>(layout))
    return {Memory::Tmem};
  if (std::holds_alternative<TiledLayout>(std::get<RegisterLayout>(layout)))
    return {Memory::Registers, Memory::Tmem};
  return {Memory::Registers};
}

Layout layoutIn(const Layout &layout, Memory memory) {
  if (const auto *registers = std::get_if<RegisterLayout>(&layout); registers && memory == Memory::Tmem)
    if (const auto *tiled = std::get_if<TiledLayout>(registers))
      return TMEMLayout(*tiled);
  return layout;
}

std::optional<Shape> ownShape(const Layout &layout, Memory memory) {
  std::vector<Memory> memories = memoriesOf(layout);
  if (memory == Memory::Registers && !memories.empty() && memories.front() == Memory::Shared)
    return std::nullopt; // the layout's sizes are the numbers of threads and values
  return ownShape(layout);
}

Result<Reading> readingOf(const Layout &layout, const ReadingRequest &request) {
  std::vector<Memory> memories = memoriesOf(layout);
  if (memories.empty())
    return noMemory(layout);
  Reading out;
  if (request.memory) {
    if (!knows(memories, *request.memory))
      return notOf(layout, *request.memory);
    out.memory = *request.memory;
  } else {
    out.memory = guess(layout, memories, request.shape);
    if (isOpen(layout, memories))
      out.otherwise = otherOf(memories, out.memory);
  }
  out.shape = request.shape ? request.shape : ownShape(layout, out.memory);
  return out;
}

std::string guessNote(const Layout &layout, const Reading &reading, ReadingSwitch how) {
  if (!reading.otherwise)
    return "";
  bool cute = isCute(layout);
  std::string array = reading.shape ? text(" for an array of shape ", tupleText(*reading.shape)) : std::string();
  return text(quoted(layout), " is read as ", meaning(reading.memory, cute), array, "; ",
              toSwitch(*reading.otherwise, how), " reads it as ", meaning(*reading.otherwise, cute));
}

Result<CommonReading> commonReading(const Layout &left, const Layout &right, const ReadingRequest &request) {
  for (const Layout *layout : {&left, &right})
    if (memoriesOf(*layout).empty())
      return noMemory(*layout);
  std::vector<Memory> common = memoriesOf(left), others = memoriesOf(right);
  std::erase_if(common, [&](Memory memory) { return !knows(others, memory); });
  if (common.empty())
    return error("layout-memory",
                 Message("one layout is of {memory}, the other of {}; only layouts of one memory can be compared",
                         name(memoryOf(left)), name(memoryOf(right))));
  CommonReading out;
  if (request.memory) {
    for (const Layout *layout : {&left, &right})
      if (!knows(memoriesOf(*layout), *request.memory))
        return notOf(*layout, *request.memory);
    out.memory = *request.memory;
  } else if (common.size() == 1) {
    out.memory = common.front();
  } else {
    // The layout whose text determines its memory decides. If neither does, the result is shared memory, in either
    // order of the two.
    bool open = isOpen(left, common), alsoOpen = isOpen(right, common);
    Memory mine = guess(left, common, request.shape), theirs = guess(right, common, request.shape);
    out.memory = open && alsoOpen ? (mine == common.front() ? mine : theirs) : open ? theirs : mine;
    if (open && alsoOpen)
      out.otherwise = otherOf(common, out.memory);
  }
  if (request.shape) {
    out.shape = request.shape;
    return out;
  }
  std::optional<Shape> mine = ownShape(left, out.memory), theirs = ownShape(right, out.memory);
  out.shape = mine ? mine : theirs;
  if (mine != theirs)
    out.shapeOf = mine ? CommonReading::ShapeOf::Left : CommonReading::ShapeOf::Right;
  return out;
}

std::string guessNote(const Layout &left, const Layout &right, const CommonReading &reading, ReadingSwitch how) {
  std::vector<std::string> parts;
  if (reading.otherwise) {
    bool cute = isCute(left) || isCute(right);
    parts.push_back(text("both are read as ", meaning(reading.memory, cute), "; ", toSwitch(*reading.otherwise, how),
                         " reads them as ", meaning(*reading.otherwise, cute)));
  }
  if (reading.shape && reading.shapeOf != CommonReading::ShapeOf::Agreed)
    parts.push_back(text("compared for an array of shape ", tupleText(*reading.shape), ", that of ",
                         quoted(reading.shapeOf == CommonReading::ShapeOf::Left ? left : right), "; ", shapeSwitch(how),
                         " says another"));
  return joined(parts, "; ");
}

std::optional<Memory> memoryNamed(std::string_view word) {
  for (auto [name, memory] : kWords)
    if (name == word)
      return memory;
  return std::nullopt;
}

std::string_view word(Memory memory) {
  for (auto [name, known] : kWords)
    if (known == memory)
      return name;
  return "";
}

} // namespace lanescope::layouts
