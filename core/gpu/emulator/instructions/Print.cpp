#include "core/gpu/emulator/instructions/Print.h"

#include "core/gpu/emulator/machine/Fault.h"
#include "core/gpu/emulator/machine/Lanes.h"
#include "core/gpu/emulator/memory/Memory.h"
#include "layouts/support/Text.h"

#include <cstdio>
#include <string>

namespace lanescope::core::emulator {

namespace {

constexpr size_t kMaxString = 1 << 16;
constexpr size_t kMaxPrinted = 64u << 20; // limit per block, in bytes

bool readString(Warp &warp, const Instr &i, uint32_t lane, uint64_t address, std::string &out) {
  while (out.size() < kMaxString) {
    const std::byte *c = resolve(warp, i, lane, address++, Space::Generic, {1, 1, Access::Read});
    if (!c)
      return false;
    if (*c == std::byte{0})
      return true;
    out += static_cast<char>(*c);
  }
  return true;
}

// One `%…` directive of a format: its flags and digits as written, its length and its conversion.
struct Directive {
  std::string spec; // "%-5.3" without length and conversion
  bool longWord = false;
  char conversion = '\0';
};

template <class T> void append(std::string &out, const std::string &spec, T value) {
  char buffer[512];
  int size = std::snprintf(buffer, sizeof buffer, spec.c_str(), value);
  if (size > 0)
    out.append(buffer, std::min<size_t>(static_cast<size_t>(size), sizeof buffer - 1));
}

class Arguments {
public:
  Arguments(Warp &warp, const Instr &i, uint32_t lane, uint64_t at) : warp_(warp), i_(i), lane_(lane), at_(at) {}
  /// Reads the next argument. Arguments are in a buffer, at their natural alignment.
  bool next(uint32_t bytes, uint64_t &value) {
    at_ = (at_ + bytes - 1) / bytes * bytes;
    const std::byte *from = resolve(warp_, i_, lane_, at_, Space::Generic, {bytes, bytes, Access::Read});
    if (!from)
      return false;
    value = 0;
    std::memcpy(&value, from, bytes);
    at_ += bytes;
    return true;
  }

private:
  Warp &warp_;
  const Instr &i_;
  uint32_t lane_;
  uint64_t at_;
};

bool formatLane(Warp &warp, const Instr &i, uint32_t lane, const std::string &format, uint64_t argumentsAt,
                std::string &out) {
  Arguments arguments(warp, i, lane, argumentsAt);
  for (size_t n = 0; n < format.size(); ++n) {
    if (format[n] != '%') {
      out += format[n];
      continue;
    }
    if (n + 1 < format.size() && format[n + 1] == '%') {
      out += '%';
      ++n;
      continue;
    }
    Directive directive;
    directive.spec = "%";
    size_t at = n + 1;
    while (at < format.size() && directive.spec.size() < 16 &&
           std::string_view("-+ #0123456789.").find(format[at]) != std::string_view::npos)
      directive.spec += format[at++];
    while (at < format.size() && std::string_view("hlzjtL").find(format[at]) != std::string_view::npos)
      directive.longWord |= format[at++] != 'h';
    if (at >= format.size()) {
      out.append(format, n);
      break;
    }
    directive.conversion = format[at];
    // Limits extreme widths, so that snprintf's buffer is large enough.
    size_t digits = 0;
    std::string spec;
    for (char c : directive.spec) {
      digits = c >= '0' && c <= '9' ? digits + 1 : 0;
      if (digits <= 2)
        spec += c;
    }
    uint64_t value = 0;
    switch (directive.conversion) {
    case 'd':
    case 'i':
      if (!arguments.next(directive.longWord ? 8 : 4, value))
        return false;
      append(out, spec + "lld",
             static_cast<long long>(directive.longWord ? static_cast<int64_t>(value) : static_cast<int32_t>(value)));
      break;
    case 'u':
    case 'x':
    case 'X':
    case 'o':
      if (!arguments.next(directive.longWord ? 8 : 4, value))
        return false;
      append(out, spec + "ll" + directive.conversion, static_cast<unsigned long long>(value));
      break;
    case 'f':
    case 'F':
    case 'e':
    case 'E':
    case 'g':
    case 'G':
    case 'a':
    case 'A': {
      if (!arguments.next(8, value))
        return false;
      double number;
      std::memcpy(&number, &value, 8);
      append(out, spec + directive.conversion, number);
      break;
    }
    case 'c':
      if (!arguments.next(4, value))
        return false;
      out += static_cast<char>(value);
      break;
    case 's': {
      if (!arguments.next(8, value))
        return false;
      std::string word;
      if (!readString(warp, i, lane, value, word))
        return false;
      out += word;
      break;
    }
    case 'p':
      if (!arguments.next(8, value))
        return false;
      append(out, "0x%llx", static_cast<unsigned long long>(value));
      break;
    default: out.append(format, n, at - n + 1);
    }
    n = at;
  }
  return true;
}

/// The frame of the calling function.
std::byte *localFrame(Warp &warp, const Instr &i, uint32_t lane) {
  return warp.local.data() + static_cast<size_t>(lane) * warp.localBytes +
         (i.a == kNone ? 0 : warp.reg<uint64_t>(i.a)[lane]);
}

} // namespace

Step printLanes(Warp &warp, const Instr &i, uint32_t mask) {
  Block &block = *warp.block;
  const uint32_t *offsets = block.grid->program->lists.data() + i.list;
  for (uint32_t lane = 0; lane < kLanes; ++lane) {
    if (!(mask >> lane & 1))
      continue;
    std::byte *local = localFrame(warp, i, lane);
    uint64_t format = 0, arguments = 0;
    std::memcpy(&format, local + offsets[0], 8);
    std::memcpy(&arguments, local + offsets[1], 8);
    std::string words;
    if (!readString(warp, i, lane, format, words))
      return Step::Fault;
    if (block.printed.size() < kMaxPrinted && !formatLane(warp, i, lane, words, arguments, block.printed))
      return Step::Fault;
    uint32_t result = 0;
    std::memcpy(local + offsets[2], &result, 4);
  }
  ++block.effects;
  return Step::Next;
}

Step failAssertion(Warp &warp, const Instr &i, uint32_t mask) {
  const Program &program = *warp.block->grid->program;
  auto lane = static_cast<uint32_t>(__builtin_ctz(mask));
  const std::byte *local = localFrame(warp, i, lane);
  auto argument = [&](uint32_t n, size_t bytes) {
    uint64_t value = 0;
    std::memcpy(&value, local + program.lists[i.list + n], bytes);
    return value;
  };
  std::string expression, file, function;
  if (!readString(warp, i, lane, argument(0, 8), expression) || !readString(warp, i, lane, argument(1, 8), file) ||
      !readString(warp, i, lane, argument(3, 8), function))
    return Step::Fault;
  return fault(warp, i, "kernel-assertion",
               Message("the assertion `{}` failed, {}:{}{}", expression, file, argument(2, 4),
                       function.empty() ? "" : text(", in `", function, "`")),
               lane);
}

} // namespace lanescope::core::emulator
