// A launch turned into what the grid needs: global memory regions, the parameter block with pointers and descriptors.
#pragma once

#include "core/gpu/emulator/machine/Grid.h"
#include "core/gpu/emulator/machine/StandingMemory.h"
#include "core/gpu/kernel/Launch.h"

#include <span>

namespace lanescope::core::emulator {

/// The address at which a kernel on one device sees a buffer of its launch that is a parameter's.
uint64_t addressOfBuffer(const Program &program, size_t buffer);
/// A TMA descriptor over what lies at an address, as a kernel reads it: kTensorMapBytes at `to`. Errors: "launch".
Result<void> encodeTensorMap(const TensorMapSpec &spec, uint64_t address, Span place, std::byte *to);

/// Memory of all devices of a run: on each one allocation per array (sub-byte elements packed) and per module variable.
class LaunchImage {
public:
  /// Checks the launch against the entry and fills each grid's regions, parameters and sizes; a grid for each of
  /// launch.deviceCount() devices. With `standing`, memory is copies of its pieces and nothing else; one device then.
  Result<void> build(const Program &program, const Launch &launch, std::span<const Array> arrays,
                     std::span<Grid *const> grids, const StandingMemory *standing = nullptr);
  /// The arrays as the kernel left them.
  std::vector<Array> arrays() const;
  /// The same, without a copy where host and device have the bytes alike. Nothing is left here.
  std::vector<Array> takeArrays();
  /// The same of standing memory: one for each region, empty where nothing is. It is taken away from here.
  std::vector<Array> takeStanding();
  size_t bufferCount() const { return buffers_.size(); }
  /// The region that a buffer of the launch is to a device.
  size_t regionOfBuffer(size_t buffer, uint32_t device, const PeerSpec &peer = {}) const;

private:
  using Bytes = std::vector<std::byte>;
  struct DeviceMemory {
    std::vector<Bytes> variables; // of the module
    std::vector<Bytes> arrays;    // those that parameters name
    std::vector<Bytes> rest;      // metadata, workspace, heap
  };
  /// `unwritten`: each byte of what lies behind an array and is nobody's.
  Result<void> allocate(const Program &program, std::span<const Array> arrays, std::byte unwritten, Span place);
  /// Gives module variables what the launch says.
  Result<void> fillVariables(const Program &program, std::span<const Array> arrays, Span place);
  Result<void> link(Span place);
  /// The regions of standing memory.
  void fillStanding(Grid &grid);
  Result<void> fillGrid(const Program &program, Grid &grid, Span place);
  uint64_t addressOfBuffer(size_t buffer, uint32_t device, const PeerSpec &peer = {}) const;
  Bytes &bytesOf(size_t buffer, uint32_t device);
  const Bytes &bytesOf(size_t buffer, uint32_t device) const;
  size_t sizeOf(size_t buffer, uint32_t device) const; // without what lies behind it

  const Launch *launch_ = nullptr;
  const Program *program_ = nullptr;
  const StandingMemory *standing_ = nullptr;
  std::vector<Bytes> pieces_; // of standing memory, in its order
  std::vector<const BufferSpec *> buffers_;
  std::vector<DeviceMemory> devices_;
  std::vector<size_t> variables_; // of Launch::variables, in DeviceMemory::variables
  size_t shared_ = 0;             // buffers that are parameters'
};

} // namespace lanescope::core::emulator
