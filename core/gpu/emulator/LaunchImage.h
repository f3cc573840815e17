// Converts a launch into the grid's inputs: regions of global memory, and the parameter block with pointers and
// descriptors.
#pragma once

#include "core/data/Bytes.h"
#include "core/gpu/emulator/machine/Grid.h"
#include "core/gpu/emulator/machine/StandingMemory.h"
#include "core/gpu/kernel/Launch.h"

#include <memory>
#include <span>

namespace lanescope::core::emulator {

/// The name in StandingMemory::variables of the heap of `malloc`, which then outlives launches. No variable of PTX can
/// have it. The heap's first word counts its used bytes, with this word's part.
inline constexpr char kHeapName[] = "heap of malloc";
inline constexpr uint64_t kHeapHeader = 16;

/// Returns the address of a buffer that the launch passes as a parameter, as a kernel on one device sees it.
uint64_t addressOfBuffer(const Program &program, size_t buffer);
/// Writes a TMA descriptor of the array at `address` in the form that a kernel reads. It has kTensorMapBytes at `to`.
/// Error: "launch".
Result<void> encodeTensorMap(const TensorMapSpec &spec, uint64_t address, Span place, std::byte *to);

/// The arrays that a run reads in their caller's memory, without copying them. The caller's memory is never written: a
/// store to such an array ends the run. The next run gives that array memory of its own:
///
///   LentArrays lent(outputs);
///   do {
///     LaunchImage image;
///     LANESCOPE_CHECK(image.build(program, launch, arrays, grids, nullptr, &lent));
///     …                                                       // run the grid
///   } while (lent.takeWritten());
class LentArrays {
public:
  /// `written`: the numbers of buffers that the kernel is known to write.
  explicit LentArrays(std::span<const uint32_t> written);
  /// True if the run has written one of the arrays. Later runs copy that array.
  bool takeWritten();

private:
  friend class LaunchImage;
  std::vector<uint32_t> written_;
  std::vector<std::unique_ptr<LentArray>> arrays_; // one for each buffer; null: the buffer is a copy
};

/// The memory of all devices of a run. Each device has one allocation per array (sub-byte elements are packed) and one
/// per module variable.
class LaunchImage {
public:
  /// Checks the launch against the entry, and sets each grid's regions, parameters and sizes. There is one grid for
  /// each of the launch.deviceCount() devices. With `standing`, memory consists only of copies of its pieces, on one
  /// device. With `lent`, large arrays stay in their caller's memory while the image lives.
  Result<void> build(const Program &program, const Launch &launch, std::span<const Array> arrays,
                     std::span<Grid *const> grids, const StandingMemory *standing = nullptr,
                     LentArrays *lent = nullptr);
  /// Returns the arrays in the state in which the kernel left them.
  std::vector<Array> arrays() const;
  /// The same as arrays(), but moves the bytes if host and device store them in the same way. The image is empty
  /// afterwards.
  std::vector<Array> takeArrays();
  /// Writes how much of a standing heap is used after a run.
  void keepHeap(const Grid &grid);
  /// Moves out the standing memory: one array per region, empty for a region without memory.
  std::vector<Array> takeStanding();
  size_t bufferCount() const { return buffers_.size(); }
  /// Returns the region of one of the launch's buffers, as seen by a device.
  size_t regionOfBuffer(size_t buffer, uint32_t device, const PeerSpec &peer = {}) const;

private:
  struct DeviceMemory {
    std::vector<Bytes> variables; // the module's variables
    std::vector<Bytes> arrays;    // arrays that parameters refer to
    std::vector<Bytes> rest;      // metadata, workspace, heap
  };
  /// `unwritten`: the initial value of each byte after an array.
  Result<void> allocate(const Program &program, std::span<const Array> arrays, std::byte unwritten, Span place);
  /// Fills module variables with the launch's values.
  Result<void> fillVariables(const Program &program, std::span<const Array> arrays, Span place);
  Result<void> link(Span place);
  /// Returns the heap among the standing pieces; null if there is none.
  std::byte *standingHeap();
  /// Sets the regions of standing memory.
  void fillStanding(Grid &grid);
  Result<void> fillGrid(const Program &program, Grid &grid, Span place);
  uint64_t addressOfBuffer(size_t buffer, uint32_t device, const PeerSpec &peer = {}) const;
  Bytes &bytesOf(size_t buffer, uint32_t device);
  const Bytes &bytesOf(size_t buffer, uint32_t device) const;
  /// Chooses the arrays that stay in their caller's memory.
  void findLent();
  bool inPlace(size_t buffer) const { return lent_ && lent_->arrays_[buffer]; }
  size_t sizeOf(size_t buffer, uint32_t device) const; // without the accessible bytes after its end

  const Launch *launch_ = nullptr;
  const Program *program_ = nullptr;
  const StandingMemory *standing_ = nullptr;
  LentArrays *lent_ = nullptr;
  std::span<const Array> arrays_; // set with `lent_`
  std::vector<Bytes> pieces_;     // the pieces of standing memory, in the same order
  std::vector<const BufferSpec *> buffers_;
  std::vector<DeviceMemory> devices_;
  std::vector<size_t> variables_; // for each of Launch::variables: its index in DeviceMemory::variables
  size_t shared_ = 0;             // number of buffers that parameters refer to
};

} // namespace lanescope::core::emulator
