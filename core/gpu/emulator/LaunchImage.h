// Turns a launch into the grid's inputs: global memory regions, and the parameter block with pointers and descriptors.
#pragma once

#include "core/gpu/emulator/machine/Grid.h"
#include "core/gpu/emulator/machine/StandingMemory.h"
#include "core/gpu/kernel/Launch.h"

#include <span>

namespace lanescope::core::emulator {

/// Returns the address at which a kernel on one device sees a buffer that its launch passes as a parameter.
uint64_t addressOfBuffer(const Program &program, size_t buffer);
/// Writes a TMA descriptor of the array at `address`, as a kernel reads it: kTensorMapBytes at `to`. Errors: "launch".
Result<void> encodeTensorMap(const TensorMapSpec &spec, uint64_t address, Span place, std::byte *to);

/// The memory of all devices of a run: each has one allocation per array (sub-byte elements packed) and per module
/// variable.
class LaunchImage {
public:
  /// Checks the launch against the entry, and fills each grid's regions, parameters and sizes; there is one grid for
  /// each of launch.deviceCount() devices. With `standing`, memory consists of copies of its pieces only, on one
  /// device.
  Result<void> build(const Program &program, const Launch &launch, std::span<const Array> arrays,
                     std::span<Grid *const> grids, const StandingMemory *standing = nullptr);
  /// Returns the arrays as the kernel left them.
  std::vector<Array> arrays() const;
  /// The same, but moves the bytes where host and device store them alike; the image is empty afterwards.
  std::vector<Array> takeArrays();
  /// Moves out the standing memory: one array per region, empty for a region without memory.
  std::vector<Array> takeStanding();
  size_t bufferCount() const { return buffers_.size(); }
  /// Returns the region of a buffer of the launch, as a device sees it.
  size_t regionOfBuffer(size_t buffer, uint32_t device, const PeerSpec &peer = {}) const;

private:
  using Bytes = std::vector<std::byte>;
  struct DeviceMemory {
    std::vector<Bytes> variables; // the module's variables
    std::vector<Bytes> arrays;    // arrays of parameters
    std::vector<Bytes> rest;      // metadata, workspace, heap
  };
  /// `unwritten`: the value of each byte after an array that belongs to no array.
  Result<void> allocate(const Program &program, std::span<const Array> arrays, std::byte unwritten, Span place);
  /// Fills module variables with the launch's values.
  Result<void> fillVariables(const Program &program, std::span<const Array> arrays, Span place);
  Result<void> link(Span place);
  /// The regions of standing memory.
  void fillStanding(Grid &grid);
  Result<void> fillGrid(const Program &program, Grid &grid, Span place);
  uint64_t addressOfBuffer(size_t buffer, uint32_t device, const PeerSpec &peer = {}) const;
  Bytes &bytesOf(size_t buffer, uint32_t device);
  const Bytes &bytesOf(size_t buffer, uint32_t device) const;
  size_t sizeOf(size_t buffer, uint32_t device) const; // without the bytes after its end

  const Launch *launch_ = nullptr;
  const Program *program_ = nullptr;
  const StandingMemory *standing_ = nullptr;
  std::vector<Bytes> pieces_; // the pieces of standing memory, in its order
  std::vector<const BufferSpec *> buffers_;
  std::vector<DeviceMemory> devices_;
  std::vector<size_t> variables_; // index in DeviceMemory::variables of each of Launch::variables
  size_t shared_ = 0;             // number of buffers that parameters refer to
};

} // namespace lanescope::core::emulator
