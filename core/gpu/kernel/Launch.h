// How to launch a PTX entry: what `launch.json` says (docs/launch.md). Plain data, shared by emulator, worker,
// packages.
#pragma once

#include "core/Artifact.h"
#include "core/gpu/kernel/SharedArrays.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace lanescope::core {

/// Elements of 4 or 6 bits that TMA copies sixteen at a time, by their names in the PTX ISA ("Sub-byte types").
enum class TmaFormat : uint8_t {
  Plain,    // whole bytes, or 4 bits as halves of them
  B4x16,    // 8 bytes of both memories
  B4x16P64, // 8 bytes of global, 16 of shared memory: the upper half is not written
  B6x16P32, // 12 bytes of global, 16 of shared memory
};
struct TmaFormatSizes {
  int bits = 0;        // of an element
  int globalBytes = 0; // of sixteen
  int sharedBytes = 0; // of sixteen
  bool padded() const { return globalBytes != sharedBytes; }
};
/// Of all but Plain.
TmaFormatSizes sizesOf(TmaFormat format);
std::string_view name(TmaFormat format); // "b4x16_p64"; of Plain empty

/// How a TMA copy walks its array, by the load modes of the PTX ISA ("Tensors").
enum class TmaMode : uint8_t {
  Tiled,      // a box
  Im2col,     // the pixels of images one after another, inside of a bounding box
  Im2colW,    // the same along the width alone: from its end on to the next image
  Im2colW128, // 128 pixels of these
};
std::string_view name(TmaMode mode); // "im2col::w", as PTX spells it; of Tiled "tile"

/// What one copy takes of an array of images, [N, W, C], [N, H, W, C] or [N, D, H, W, C].
struct Im2colSpec {
  /// The corners of the bounding box, outermost first, without N and C: of `lower` from 0, of `upper` from size - 1 on.
  /// Of the W modes one number each, the width's.
  Shape lower, upper;
  int64_t pixels = 0, channels = 0;

  bool operator==(const Im2colSpec &) const = default;
};

/// Whose copy of a buffer is meant, in a launch on several devices (Launch::devices). As it is: each device's own.
struct PeerSpec {
  std::vector<uint32_t> peers; // device d means that of device peers[d]; one for each device, or none
  bool multicast = false;      // the multicast object over the copies of all devices (PTX ISA, `multimem`)

  bool isOwn() const { return peers.empty() && !multicast; }
  bool operator==(const PeerSpec &) const = default;
};

inline constexpr uint32_t kPointerBytes = 8, kTensorMapBytes = 128, kTensorMapAlign = 64;

/// A TMA descriptor over one of the block's buffers. Dimensions outermost first.
struct TensorMapSpec {
  uint32_t offset = 0; // in the parameter block, multiple of 64
  uint32_t buffer = 0;
  Dtype dtype = Dtype::F32;
  Shape shape;
  Shape stridesBytes; // rank-1 entries: the innermost dimension is contiguous
  Shape box;
  int swizzle = 0;     // 0, 32, 64, 128
  int atom = 16;       // bytes that a swizzle of 128 keeps together: 16 or 32
  bool oobNan = false; // "oob_fill": "zeros" | "nan"
  /// Sizes of shape and box count elements all the same; `dtype` is of the bits, or U8 for 6 of them.
  TmaFormat format = TmaFormat::Plain;
  PeerSpec peer{}; // `shape` is that of one device's copy
  /// Of all but Tiled, `im2col` says what `box` says else, which is empty.
  TmaMode mode = TmaMode::Tiled;
  Im2colSpec im2col{};
  Shape elementStrides{}; // every which element is copied, one number per dimension; none: each
};

/// The address of byte `at` of one of the block's buffers, at a byte of the parameter.
struct PointerSpec {
  uint32_t offset = 0, buffer = 0;
  uint64_t at = 0;
  PeerSpec peer{};
};

struct BufferParam {
  BufferSpec buffer;
};
struct ScalarParam {
  Dtype dtype = Dtype::I32;
  uint64_t bits = 0;
};
/// A pointer to byte `at` of a buffer that is another parameter's, by its number in Launch::buffers().
struct PointerParam {
  uint32_t buffer = 0;
  uint64_t at = 0;
  PeerSpec peer{};
};
/// A pointer to the device's collective metadata, which whoever runs the launch makes.
struct MetadataParam {};
struct BytesParam {
  uint32_t size = 0, align = 64;
  std::vector<std::byte> data; // what the block begins with; empty: zeros
  std::vector<BufferSpec> buffers;
  std::vector<TensorMapSpec> tensorMaps;
  std::vector<PointerSpec> pointers;
  std::optional<uint32_t> metadata{}; // the byte at which a pointer to the device's collective metadata is
};
using Param = std::variant<BufferParam, ScalarParam, BytesParam, PointerParam, MetadataParam>;

/// A `.global` or `.const` variable of the module that the launch fills and reads back.
struct ModuleVariable {
  std::string variable;
  BufferSpec buffer;
};
/// A pointer inside a buffer: buffers by their numbers in Launch::buffers().
struct BufferLink {
  uint32_t buffer = 0;
  uint64_t offset = 0; // where the pointer is, a multiple of 8
  uint32_t target = 0;
  uint64_t at = 0; // byte of the target
  PeerSpec peer{}; // of the target
};

/// The largest NVLink domain there is has that many (GB200 NVL72).
inline constexpr uint32_t kMaxDevices = 72;
/// What the collective metadata of a device begin with, as upstream JAX's Mosaic GPU lays them out: i64 words, of which
/// the first is the device's own rank. Behind them, for P devices and B = Launch::sharedBuffers() buffers b:
/// word header + P * b + p is the address of device p's copy of b; word header + P * B + b is its multicast address.
inline constexpr uint32_t kMetadataHeaderWords = 4;

struct Launch {
  std::string entry;
  std::array<uint32_t, 3> grid{1, 1, 1}, cluster{1, 1, 1}, block{128, 1, 1};
  uint32_t dynamicSmem = 0;
  bool cooperative = false; // all blocks run at once, and may meet (cooperative groups' grid.sync())
  std::vector<Param> params;
  std::vector<ModuleVariable> variables;
  std::vector<BufferLink> links;
  std::vector<SharedArray> sharedArrays; // what messages call the dynamic shared memory
  /// Devices that the grid runs on, side by side; on each all of it. 0: one, in a world without peers, as ever.
  ///
  /// With devices, the shape of every buffer (variables too) begins with them, [devices, …]: slice d is device d's
  /// copy, and a device sees its copy alone at the address that its parameters give. So a run takes and gives as many
  /// arrays as on one device, and whoever carries arrays (Device::run, packages, files, the worker) need not know of
  /// devices. All else here (bytes, offsets, shapes of descriptors) is of one device's copy.
  uint32_t devices = 0;

  uint32_t deviceCount() const { return devices ? devices : 1; }
  /// Of one device's copy: without the axis of devices.
  Shape shapeOnDevice(const BufferSpec &buffer) const;
  /// Buffers that are parameters': the first of buffers(). Peers reach these, through the collective metadata.
  size_t sharedBuffers() const { return buffers().size() - variables.size(); }

  /// All buffers, in parameter order, a bytes parameter's own in theirs, then those of variables: the order of a run's
  /// arrays.
  std::vector<const BufferSpec *> buffers() const;
};

Result<Launch> parseLaunch(SourceRef json);
std::string toJson(const Launch &launch);

} // namespace lanescope::core
