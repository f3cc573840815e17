// How to launch a PTX entry: the contents of `launch.json` (docs/launch.md). Plain data, shared by emulator, worker and
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

/// Formats of 4- or 6-bit elements that TMA copies in groups of sixteen, by their names in the PTX ISA ("Sub-byte
/// types").
enum class TmaFormat : uint8_t {
  Plain,    // whole bytes, or 4-bit elements as half bytes
  B4x16,    // 8 bytes in both memories
  B4x16P64, // 8 bytes in global, 16 in shared memory, whose upper half is not written
  B6x16P32, // 12 bytes in global, 16 in shared memory
};
struct TmaFormatSizes {
  int bits = 0;        // per element
  int globalBytes = 0; // per sixteen elements
  int sharedBytes = 0; // per sixteen elements
  bool padded() const { return globalBytes != sharedBytes; }
};
/// The sizes of a format other than Plain.
TmaFormatSizes sizesOf(TmaFormat format);
std::string_view name(TmaFormat format); // "b4x16_p64"; empty for Plain

/// How a TMA copy traverses its array: the load modes of the PTX ISA ("Tensors").
enum class TmaMode : uint8_t {
  Tiled,      // a box
  Im2col,     // the pixels of images one after another, within a bounding box
  Im2colW,    // pixels along the width only; after the width's end, the copy continues with the next image
  Im2colW128, // Im2colW with 128 pixels
};
std::string_view name(TmaMode mode); // "im2col::w", as in PTX; "tile" for Tiled

/// The part of an array of images that one copy takes. The array is [N, W, C], [N, H, W, C] or [N, D, H, W, C].
struct Im2colSpec {
  /// The corners of the bounding box, outermost first, without N and C: `lower` relative to 0, `upper` relative to size
  /// - 1. In the W modes, each has one number, for the width.
  Shape lower, upper;
  int64_t pixels = 0, channels = 0;

  bool operator==(const Im2colSpec &) const = default;
};

/// Selects a device's copy of a buffer in a launch on several devices (Launch::devices). By default, each device uses
/// its own copy.
struct PeerSpec {
  std::vector<uint32_t> peers; // device d uses the copy of device peers[d]; one per device, or empty
  bool multicast = false;      // use the multicast object over all devices' copies (PTX ISA, `multimem`)

  bool isOwn() const { return peers.empty() && !multicast; }
  bool operator==(const PeerSpec &) const = default;
};

inline constexpr uint32_t kPointerBytes = 8, kTensorMapBytes = 128, kTensorMapAlign = 64;
inline constexpr uint32_t kTensorMapArrayAlign = 16; // bytes; the alignment of an array that a descriptor describes

/// A TMA descriptor of one of the block's buffers. Dimensions are outermost first.
struct TensorMapSpec {
  uint32_t offset = 0; // in the parameter block, a multiple of 64
  uint32_t buffer = 0;
  Dtype dtype = Dtype::F32;
  Shape shape;
  Shape stridesBytes; // rank-1 entries: the innermost dimension is contiguous
  Shape box;
  int swizzle = 0;     // 0, 32, 64, 128
  int atom = 16;       // bytes that a 128-byte swizzle keeps together: 16 or 32
  bool oobNan = false; // "oob_fill": "zeros" | "nan"
  /// Shape and box count elements in every format. `dtype` is the type of the element's bits, or U8 for 6-bit elements.
  TmaFormat format = TmaFormat::Plain;
  PeerSpec peer{}; // `shape` is the shape of one device's copy
  /// For every mode but Tiled, `im2col` replaces `box`, and `box` is empty.
  TmaMode mode = TmaMode::Tiled;
  Im2colSpec im2col{};
  Shape elementStrides{}; // the copy takes every n-th element, one n per dimension; empty: every element
  uint64_t at = 0;        // the byte of the buffer at which the array begins; a multiple of 16
};

/// The address of byte `at` in one of the block's buffers, stored at byte `offset` of the parameter.
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
  std::string name{}; // the kernel argument, for messages; may be empty
};
/// A pointer to byte `at` of another parameter's buffer, by its index in Launch::buffers().
struct PointerParam {
  uint32_t buffer = 0;
  uint64_t at = 0;
  PeerSpec peer{};
  std::string name{}; // the kernel argument, for messages; may be empty
};
/// A pointer to the device's collective metadata, which the runtime creates.
struct MetadataParam {};
struct BytesParam {
  uint32_t size = 0, align = 64;
  std::vector<std::byte> data; // initial bytes of the block; empty: zeros
  std::vector<BufferSpec> buffers;
  std::vector<TensorMapSpec> tensorMaps;
  std::vector<PointerSpec> pointers;
  std::optional<uint32_t> metadata{}; // byte offset of a pointer to the device's collective metadata
};
using Param = std::variant<BufferParam, ScalarParam, BytesParam, PointerParam, MetadataParam>;

/// A module's `.global` or `.const` variable that the launch fills and reads back.
struct ModuleVariable {
  std::string variable;
  BufferSpec buffer;
};
/// A pointer stored inside a buffer; buffers are indices in Launch::buffers().
struct BufferLink {
  uint32_t buffer = 0;
  uint64_t offset = 0; // place of the pointer, a multiple of 8
  uint32_t target = 0;
  uint64_t at = 0; // byte offset in the buffer that the pointer points into
  PeerSpec peer{}; // the device whose copy the pointer points into
};

/// The address by which numbers in the PTX refer to a buffer. Compilers that know an array's address, such as Numba's
/// for arrays that a kernel captures, write it as a number.
struct FixedAddress {
  uint32_t buffer = 0; // index in Launch::buffers()
  uint64_t address = 0;
};

/// The blocks of the largest cluster. A cluster of 8 starts on every GPU with clusters; a kernel may allow 16.
inline constexpr uint32_t kMaxClusterBlocks = 16;
/// The number of devices in the largest NVLink domain (GB200 NVL72).
inline constexpr uint32_t kMaxDevices = 72;
/// The collective metadata of a device, in the layout of upstream JAX's Mosaic GPU. The metadata begin with this many
/// i64 words; the first word is the device's own rank. After these words, for P devices and B = Launch::sharedBuffers()
/// buffers, with buffer b and device p: word header + P * b + p is the address of device p's copy of b; word header + P
/// * B + b is its multicast address.
inline constexpr uint32_t kMetadataHeaderWords = 4;

struct Launch {
  std::string entry;
  std::array<uint32_t, 3> grid{1, 1, 1}, cluster{1, 1, 1}, block{128, 1, 1};
  uint32_t dynamicSmem = 0;
  bool cooperative = false; // all blocks run at once and may synchronise (grid.sync() of cooperative groups)
  std::vector<Param> params;
  /// Memory that belongs to no parameter: pointers in buffers or numbers in the PTX (`addresses`) refer to it.
  std::vector<BufferSpec> memory;
  std::vector<ModuleVariable> variables;
  std::vector<BufferLink> links;
  std::vector<FixedAddress> addresses;
  uint32_t multiprocessors = 0;          // of the GPU that the launch was made for; 0: not known
  std::vector<SharedArray> sharedArrays; // names of arrays in the dynamic shared memory, for messages
  /// The number of devices that run the grid side by side; each device runs all blocks. 0: one device without peers.
  ///
  /// If it is above 0, the shape of every buffer (variables too) begins with the number of devices: [devices, …]. Slice
  /// d is device d's copy. The address in a device's parameters is that of its own copy. A run therefore takes and
  /// returns as many arrays as on one device, and code that passes arrays on (Device::run, packages, files, the worker)
  /// need not handle devices. All other fields (bytes, offsets, shapes of descriptors) describe one device's copy.
  uint32_t devices = 0;

  uint32_t deviceCount() const { return devices ? devices : 1; }
  /// The shape of one device's copy, without the axis of devices.
  Shape shapeOnDevice(const BufferSpec &buffer) const;
  /// Number of buffers of parameters and of `memory`, which come first in buffers(). Peers access these through the
  /// collective metadata.
  size_t sharedBuffers() const { return buffers().size() - variables.size(); }

  /// All buffers, in the order of a run's arrays: first the buffers of parameters, in parameter order, where a bytes
  /// parameter stands for its own buffers; then `memory`; then the buffers of variables.
  std::vector<const BufferSpec *> buffers() const;
  /// The blocks of a cluster.
  uint64_t clusterBlocks() const { return uint64_t{cluster[0]} * cluster[1] * cluster[2]; }
};

Result<Launch> parseLaunch(SourceRef json);
std::string toJson(const Launch &launch);

} // namespace lanescope::core
