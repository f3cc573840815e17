// Records what goes from one device to another: bytes over each link, and signals. A signal is a strong write on one
// device, together with the read on another device that observes it.
//
//   Links links(devices);
//   links.attach(program);           // replaces handlers in program.code
//   grid.links = &links;             // the program runs only in such grids
//   …run…
//   links.bytes(0, 1)                // from device 0 to device 1
//   links.signalsAt(address)         // the devices that have signalled there, for reports of warps that wait
//
// Loads from another device are charged the time of the link. With one device, there are no links.
#pragma once

#include "core/gpu/emulator/machine/Grid.h"
#include "core/Trace.h"

#include <atomic>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

namespace lanescope::core {
struct ProfileSpec;
}

namespace lanescope::core::emulator {

struct AsyncOp;
struct Block;
struct Warp;

class Links {
public:
  explicit Links(uint32_t devices) : devices_(devices), bytes_(size_t{devices} * devices) {}

  void attach(Program &program);
  /// Forgets all records, because the run begins again.
  void clear();
  /// Delays copies over links, each by a different time.
  void slow(uint32_t seed) { slow_ = seed; }
  /// Later runs are not recorded.
  void stop() { recording_ = false; }

  uint32_t devices() const { return devices_; }
  uint64_t bytes(uint32_t from, uint32_t to) const { return bytes_[size_t{from} * devices_ + to]; }
  /// "device 0 to device 1: 4096 bytes, …", for the links that carried bytes. Empty if there are none.
  std::string summary() const;

  /// A copy has been issued. Adds the link's delay to its time.
  void issued(const Block &block, AsyncOp &op);

  /// Strong writes at an address, for each device: their number, and the pc of the last one.
  struct Signals {
    std::map<uint32_t, std::pair<uint64_t, uint32_t>> byDevice;
  };
  /// Null if no device has written there.
  const Signals *signalsAt(uint64_t address) const;

  /// The bytes, signals and length of the trace at one moment. A repetition of the run from this moment restores them.
  struct Memory;
  Memory memory() const;
  void restore(const Memory &memory);

  /// Joins the traces of all devices. The result has a group of processes for each device, arrows from signals to the
  /// warps that observed them, and a track for each link.
  Trace join(std::vector<Trace> traces, const ProfileSpec &spec, const std::array<uint32_t, 3> &grid) const;

private:
  struct Access {
    Handler run = nullptr; // the instruction's own handler
    bool reads = false, writes = false, strong = false, signals = false;
  };
  struct Point {
    uint32_t device = 0, warp = 0;
    std::array<uint32_t, 3> block{};
    uint64_t time = 0;
  };
  struct Flag {
    Signals signals;
    Point last;
    uint64_t count = 0;
    // For each device, block and warp: how many signals it has observed.
    std::map<std::array<uint32_t, 3>, uint64_t> seen;
  };
  struct Arrow {
    Point from, to;
  };
  struct Transfer {
    uint32_t from = 0, to = 0;
    uint64_t begin = 0, end = 0, bytes = 0;
    std::string what;
  };
  static constexpr size_t kMostEntries = 1 << 14;

  static Step follow(Warp &warp, const Instr &i, uint32_t mask);
  /// Counts an access. Returns true if the access goes to another device.
  bool count(const Grid &grid, uint64_t address, uint64_t bytes, bool reads);
  void signal(const Warp &warp, const Instr &i, uint64_t address);
  void look(const Warp &warp, uint64_t address);
  static Point pointOf(const Warp &warp);

  uint32_t devices_;
  bool recording_ = true;
  std::optional<uint32_t> slow_; // the seed of the delays of slow()
  const Program *program_ = nullptr;
  std::vector<Access> accesses_; // by pc
  std::vector<std::atomic<uint64_t>> bytes_;
  std::unordered_map<uint64_t, Flag> flags_;
  std::vector<Arrow> arrows_;
  std::vector<Transfer> transfers_;
  std::mutex mutex_; // guards transfers_
};

struct Links::Memory {
  std::vector<uint64_t> bytes;
  std::unordered_map<uint64_t, Flag> flags;
  size_t arrows = 0, transfers = 0;

  /// Approximate size in memory.
  size_t size() const { return sizeof *this + bytes.size() * 8 + flags.size() * (sizeof(Flag) + 128); }
};

} // namespace lanescope::core::emulator
