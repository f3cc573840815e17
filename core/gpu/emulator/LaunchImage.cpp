#include "core/gpu/emulator/LaunchImage.h"

#include "core/data/Scratch.h"
#include "core/gpu/emulator/machine/Cluster.h"
#include "core/gpu/kernel/DeviceBytes.h"
#include "core/gpu/kernel/LaunchBuffers.h"
#include "core/gpu/kernel/LaunchCheck.h"
#include "core/gpu/kernel/TensorMapCheck.h"
#include "layouts/support/Text.h"
#include "layouts/support/Try.h"

#include <algorithm>
#include <cstring>

namespace lanescope::core::emulator {

namespace {

constexpr char kKind[] = "launch";
constexpr uint64_t kMaxThreads = 1024;
constexpr uint16_t kWidePixels = 128;    // for `im2col::w::128`
constexpr size_t kBehindArrays = 8;      // accessible bytes after an array, so that its last word is complete
constexpr size_t kWidestAccess = 16;     // bytes; such an access does not leave an array whose size is a multiple of it
constexpr uint64_t kWorkspaceBytes = 64; // grid.sync() uses the first word as the size, the second as its counter

std::string shapeText(const BufferSpec &buffer) {
  return text(layouts::name(buffer.dtype), "[", joined(buffer.shape, ", "), "]");
}

uint64_t addressOf(size_t region) { return kGlobalBase + (static_cast<uint64_t>(region) << kRegionShift); }

/// A device's copy of an array, in the device's format.
Bytes copyOf(const Launch &launch, const BufferSpec &buffer, const Array &array, uint32_t device) {
  size_t each = array.bytes.size() / launch.deviceCount();
  Bytes bytes;
  bytes.reserve(each + kBehindArrays);
  if (array.bytes.areUntouchedZeros()) {
    bytes.resize(each);
  } else {
    auto from = array.bytes.begin() + static_cast<long>(device * each);
    bytes.assign(from, from + static_cast<long>(each));
  }
  if (!isPacked(buffer.dtype))
    return bytes;
  return toDevice(Array{buffer.dtype, launch.shapeOnDevice(buffer), std::move(bytes)});
}

/// Copies the im2col settings. The specification must satisfy checkTensorMap().
void takePixels(const TensorMapSpec &spec, TensorMap &map) {
  const Im2colSpec &im2col = spec.im2col;
  map.mode = spec.mode;
  map.pixels = spec.mode == TmaMode::Im2colW128 ? kWidePixels : static_cast<uint16_t>(im2col.pixels);
  std::ranges::transform(im2col.lower.rbegin(), im2col.lower.rend(), map.lower.begin(),
                         [](int64_t corner) { return static_cast<int16_t>(corner); });
  std::ranges::transform(im2col.upper.rbegin(), im2col.upper.rend(), map.upper.begin(),
                         [](int64_t corner) { return static_cast<int16_t>(corner); });
}

Result<TensorMap> tensorMapOf(const TensorMapSpec &spec, uint64_t address, Span place) {
  auto bad = [&](Message why) { return error(kKind, place, std::move(why)); };
  size_t rank = spec.shape.size();
  bool tiled = spec.mode == TmaMode::Tiled;
  if (rank < 1 || rank > 5 || (tiled && spec.box.size() != rank) || spec.stridesBytes.size() + 1 != rank ||
      (!spec.elementStrides.empty() && spec.elementStrides.size() != rank))
    return bad("a TMA descriptor needs 1 to 5 dimensions, a box size for each and a stride for all but the innermost");
  if (spec.swizzle != 0 && spec.swizzle != 32 && spec.swizzle != 64 && spec.swizzle != 128)
    return bad(Message("a TMA descriptor has swizzle {}; 0, 32, 64 and 128 are possible", spec.swizzle));
  TensorMap map;
  map.global = address;
  map.rank = static_cast<uint8_t>(rank);
  map.swizzle = spec.atom == 32 ? kSwizzleWide : static_cast<uint8_t>(spec.swizzle);
  map.dtype = spec.dtype;
  map.oobNan = spec.oobNan;
  // In arrays, each sub-byte element has a byte.
  int64_t packing =
      layouts::bitwidth(spec.dtype) < 8 && spec.format == TmaFormat::Plain ? 8 / layouts::bitwidth(spec.dtype) : 1;
  map.format = spec.format;
  map.elementBytes = static_cast<uint8_t>(layouts::hostBytes(spec.dtype));
  if (!tiled || !spec.elementStrides.empty())
    if (Result<void> good = checkTensorMap(spec, UINT64_MAX, "a TMA descriptor"); !good)
      return std::unexpected(std::move(good.error()));
  if (!tiled)
    takePixels(spec, map);
  for (size_t n = 0; n < rank; ++n) {
    int64_t size = spec.shape[rank - 1 - n], box = tiled ? spec.box[rank - 1 - n] : n == 0 ? spec.im2col.channels : 1;
    if (n == 0 && packing > 1) {
      size /= packing;
      box /= packing;
    }
    if (size < 1 || size > (int64_t(1) << 32) || box < 1 || box > 256)
      return bad(Message(
          "a TMA descriptor has a dimension of size {size} with a box of {}; a box has 1 to 256 elements", size, box));
    map.sizes[n] = static_cast<uint64_t>(size);
    map.box[n] = static_cast<uint16_t>(box);
    if (n > 0 && !spec.elementStrides.empty())
      map.steps[n] = static_cast<uint8_t>(spec.elementStrides[rank - 1 - n]);
    map.strides[n] = n == 0 ? map.elementBytes : static_cast<uint64_t>(spec.stridesBytes[rank - 1 - n]);
    if (n > 0 && (spec.stridesBytes[rank - 1 - n] < 0 || map.strides[n] % 16 != 0 || map.strides[n] >= (1ull << 40)))
      return bad(Message("a TMA descriptor has a stride of {bytes} bytes; strides are multiples of 16",
                         spec.stridesBytes[rank - 1 - n]));
  }
  TensorMap copied = map.inSixteens();
  uint32_t inner = uint32_t{copied.box[0]} * (copied.sharedBytes ? copied.sharedBytes : copied.elementBytes);
  if (inner % 16 != 0)
    return bad(Message("a TMA descriptor has boxes of {bytes} bytes innermost; that must be a multiple of 16", inner));
  if (spec.swizzle && inner > static_cast<uint32_t>(spec.swizzle))
    return bad(Message("a TMA descriptor has boxes of {bytes} bytes innermost, more than its swizzle of {}", inner,
                       spec.swizzle));
  return map;
}

/// Sets the cluster shape to that of the launch or, if the entry requires one, to that.
Result<void> clusterShape(const Program &program, const Launch &launch, Span place, Grid &grid) {
  auto bad = [&](Message why) { return error(kKind, place, std::move(why)); };
  const Function &entry = *program.function;
  auto shown = [](const std::array<uint32_t, 3> &shape) { return text("(", joined(shape, ", "), ")"); };
  bool required = entry.cluster[0] != 0, given = launch.cluster != std::array<uint32_t, 3>{1, 1, 1};
  if (required && given && entry.cluster != launch.cluster)
    return bad(
        Message("the entry requires clusters of {} blocks, not of {}", shown(entry.cluster), shown(launch.cluster)));
  grid.cluster = required ? entry.cluster : launch.cluster;
  grid.explicitCluster = required || given || entry.explicitCluster;
  uint64_t size = 1;
  for (size_t n = 0; n < 3; ++n) {
    size *= std::min(grid.cluster[n], 1024u);
    if (grid.cluster[n] == 0 || launch.grid[n] % grid.cluster[n] != 0)
      return bad(
          Message("a grid of {} blocks does not divide into clusters of {}", shown(launch.grid), shown(grid.cluster)));
  }
  uint32_t most = entry.maxClusterRank ? std::min(entry.maxClusterRank, kMaxClusterBlocks) : kMaxClusterBlocks;
  if (size > most)
    return bad(Message("the cluster has {blocks} blocks; {}{limit}", size,
                       entry.maxClusterRank ? "the entry allows " : "sm_90 has up to ", most));
  return {};
}

} // namespace

uint64_t addressOfBuffer(const Program &program, size_t buffer) { return addressOf(program.globals.size() + buffer); }

Result<void> encodeTensorMap(const TensorMapSpec &spec, uint64_t address, Span place, std::byte *to) {
  encode(LANESCOPE_TRY(tensorMapOf(spec, address, place)), to);
  return {};
}

size_t LaunchImage::regionOfBuffer(size_t buffer, uint32_t device, const PeerSpec &peer) const {
  size_t variables = devices_[0].variables.size();
  if (buffer >= shared_)
    return variables_[buffer - shared_];
  if (peer.multicast)
    return variables + devices_.size() * shared_ + buffer;
  return variables + (peer.peers.empty() ? device : peer.peers[device]) * shared_ + buffer;
}

uint64_t LaunchImage::addressOfBuffer(size_t buffer, uint32_t device, const PeerSpec &peer) const {
  return addressOf(regionOfBuffer(buffer, device, peer));
}

Bytes &LaunchImage::bytesOf(size_t buffer, uint32_t device) {
  DeviceMemory &own = devices_[device];
  return buffer < shared_ ? own.arrays[buffer] : own.variables[variables_[buffer - shared_]];
}

const Bytes &LaunchImage::bytesOf(size_t buffer, uint32_t device) const {
  return const_cast<LaunchImage *>(this)->bytesOf(buffer, device);
}

size_t LaunchImage::sizeOf(size_t buffer, uint32_t device) const {
  if (inPlace(buffer))
    return arrays_[buffer].bytes.size();
  return bytesOf(buffer, device).size() - (buffer < shared_ ? kBehindArrays : 0);
}

/// Returns the error "out-of-memory" if there is no room for the kernel's memory: the devices' copies of the arrays,
/// their outputs, module variables, and the registers of one cluster.
static Result<void> reserveImage(const Program &program, const Launch &launch, std::span<const Array> arrays,
                                 const StandingMemory *standing, Span place) {
  uint64_t variables = 0, copies = 0;
  for (size_t n = 0; standing && n < standing->pieces.size(); ++n)
    copies += standing->pieces[n].bytes.size();
  for (const Variable *variable : program.globals)
    variables += std::max<uint64_t>(variable->bytes, variable->initial.size());
  for (const Array &array : arrays)
    copies += (array.bytes.isLent() ? 1 : 2) * array.bytes.size();
  uint64_t warps = (uint64_t{launch.block[0]} * launch.block[1] * launch.block[2] + 31) / 32;
  uint64_t blocks = launch.clusterBlocks();
  uint64_t registers = program.registerImage.size() * warps * blocks;
  if (auto room =
          reserveBytes(copies + variables * launch.deviceCount() + registers, "the kernel's arrays and registers");
      !room)
    return at(place, std::move(room.error()));
  return {};
}

void LaunchImage::fillStanding(Grid &grid) {
  if (!standing_->pieces.empty())
    grid.regions.resize(size_t{standing_->pieces.back().region} + 1);
  for (const StandingPiece &piece : standing_->pieces) {
    Bytes &bytes = pieces_.emplace_back();
    bytes.reserve(piece.bytes.size() + kBehindArrays);
    bytes.assign(piece.bytes.begin(), piece.bytes.end());
    bytes.insert(bytes.end(), kBehindArrays, grid.unwritten);
    Region &region = grid.regions[piece.region];
    region.data = bytes.data();
    region.bytes = piece.bytes.size();
    region.name = piece.name;
    region.behind = kBehindArrays;
    region.initial = piece.bytes.data();
  }
}

/// The type in which a kernel adds numbers in memory in an unspecified order. The last bits of such sums may differ
/// between runs.
static Dtype summedIn(const Program &program) {
  Dtype found = Dtype::U8;
  for (const Instruction &each : program.function->instructions) {
    if (!each.opcode.starts_with("atom.") && !each.opcode.starts_with("red."))
      continue;
    if (each.opcode.ends_with(".f64"))
      found = Dtype::F64;
    else if (each.opcode.ends_with(".f32") && found != Dtype::F64)
      found = Dtype::F32;
  }
  return found;
}

std::byte *LaunchImage::standingHeap() {
  auto heap = standing_ ? standing_->variables.find(kHeapName) : PlacedVariables::const_iterator();
  if (!standing_ || heap == standing_->variables.end())
    return nullptr;
  auto piece = std::ranges::find(standing_->pieces, heap->second, &StandingPiece::region);
  bool fits = piece != standing_->pieces.end() && piece->bytes.size() >= kHeapBytes;
  return fits ? pieces_[static_cast<size_t>(piece - standing_->pieces.begin())].data() : nullptr;
}

void LaunchImage::keepHeap(const Grid &grid) {
  if (std::byte *used = standingHeap())
    std::memcpy(used, &grid.heapUsed, sizeof grid.heapUsed);
}

std::vector<Array> LaunchImage::takeStanding() {
  std::vector<Array> out;
  if (!standing_->pieces.empty())
    out.resize(size_t{standing_->pieces.back().region} + 1);
  Dtype sums = summedIn(*program_);
  for (size_t n = 0; n < standing_->pieces.size(); ++n) {
    Bytes &bytes = pieces_[n];
    bytes.resize(bytes.size() - kBehindArrays);
    auto each = static_cast<size_t>(layouts::hostBytes(sums));
    Dtype dtype = bytes.size() % each == 0 ? sums : Dtype::U8;
    Shape shape{static_cast<int64_t>(bytes.size()) / layouts::hostBytes(dtype)};
    out[standing_->pieces[n].region] = {dtype, std::move(shape), std::move(bytes)};
  }
  return out;
}

Result<void> LaunchImage::allocate(const Program &program, std::span<const Array> arrays, std::byte unwritten,
                                   Span place) {
  LANESCOPE_CHECK(reserveImage(program, *launch_, arrays, standing_, place));
  for (uint32_t device = 0; device < devices_.size(); ++device) {
    if (standing_)
      break;
    DeviceMemory &own = devices_[device];
    for (const Variable *variable : program.globals) {
      Bytes &bytes = own.variables.emplace_back(std::max<uint64_t>(variable->bytes, variable->initial.size()));
      std::ranges::transform(variable->initial, bytes.begin(), [](auto byte) { return std::byte(byte); });
    }
    for (const AddressInitialiser &one : program.addressInitialisers)
      std::memcpy(own.variables[one.global].data() + one.at, &one.value, one.bytes);
    for (size_t n = 0; n < shared_; ++n) {
      Bytes &bytes = own.arrays.emplace_back();
      if (inPlace(n))
        continue;
      bytes = copyOf(*launch_, *buffers_[n], arrays[n], device);
      bytes.insert(bytes.end(), kBehindArrays, unwritten);
    }
  }
  return fillVariables(program, arrays, place);
}

Result<void> LaunchImage::fillVariables(const Program &program, std::span<const Array> arrays, Span place) {
  for (size_t n = 0; n < launch_->variables.size(); ++n) {
    const ModuleVariable &one = launch_->variables[n];
    auto found = std::ranges::find(program.globals, one.variable, &Variable::name);
    if (found == program.globals.end())
      return error(kKind, place, Message("the PTX has no `.global` or `.const` variable `{variable}`", one.variable));
    auto number = static_cast<size_t>(found - program.globals.begin());
    for (uint32_t device = 0; device < devices_.size(); ++device) {
      Bytes content = copyOf(*launch_, one.buffer, arrays[shared_ + n], device);
      Bytes &variable = devices_[device].variables[number];
      if ((*found)->bytes == 0)
        variable.assign(content.size(), std::byte{0}); // `.extern`: the variable gets the size of the content
      if (variable.size() < content.size())
        return error(kKind, place,
                     Message("the variable `{variable}` has {bytes} bytes, and its contents have {count}", one.variable,
                             variable.size(), content.size()));
      if (!one.buffer.data.empty())
        std::ranges::copy(content, variable.begin());
    }
    variables_.push_back(number);
  }
  return {};
}

/// Writes the pointers that are stored inside buffers.
Result<void> LaunchImage::link(Span place) {
  for (const BufferLink &link : launch_->links)
    for (uint32_t device = 0; device < devices_.size(); ++device) {
      if (link.buffer >= buffers_.size() || link.target >= buffers_.size() ||
          link.offset + 8 > sizeOf(link.buffer, device))
        return error(kKind, place, "a pointer does not fit the buffer that it is in");
      uint64_t address = addressOfBuffer(link.target, device, link.peer) + link.at;
      std::memcpy(bytesOf(link.buffer, device).data() + link.offset, &address, sizeof address);
    }
  return {};
}

Result<void> LaunchImage::fillGrid(const Program &program, Grid &grid, Span place) {
  const Launch &launch = *launch_;
  uint32_t device = grid.device;
  auto bad = [&](Message why) { return error(kKind, place, std::move(why)); };
  auto add = [&](Bytes &bytes, size_t size, std::string name, uint32_t owner) {
    if (devices_.size() > 1)
      name += text(" of device ", owner);
    grid.regions.push_back({bytes.data(), size, std::move(name), owner, 0, 0});
  };
  grid.regions.clear();
  if (standing_)
    fillStanding(grid);
  for (size_t n = 0; n < program.globals.size() && !standing_; ++n)
    add(devices_[device].variables[n], devices_[device].variables[n].size(),
        text("the variable `", program.globals[n]->name, "`"), device);
  grid.firstCopy = standing_ ? 0 : static_cast<uint32_t>(grid.regions.size());
  grid.copies = static_cast<uint32_t>(shared_);
  auto nameOf = [&](size_t n) {
    const BufferSpec &buffer = *buffers_[n];
    return text(buffer.name.empty() ? text("buffer ", n) : text("`", buffer.name, "`"), " (",
                layouts::name(buffer.dtype), "[", joined(launch.shapeOnDevice(buffer), ", "), "])");
  };
  for (uint32_t owner = 0; owner < devices_.size(); ++owner)
    for (size_t n = 0; n < shared_; ++n) {
      add(devices_[owner].arrays[n], sizeOf(n, owner), nameOf(n), owner);
      Region &region = grid.regions.back();
      if (inPlace(n)) {
        region.data = const_cast<std::byte *>(arrays_[n].bytes.data()); // not written, because `lent` is set
        region.readOnly = true;
        region.lent = lent_->arrays_[n].get();
      }
      region.array = buffers_[n]->name;
      region.dtype = buffers_[n]->dtype;
      region.shape = launch.shapeOnDevice(*buffers_[n]);
      region.behind = kBehindArrays;
    }
  for (size_t n = 0; n < shared_ && launch.devices; ++n)
    grid.regions.push_back({nullptr, 0, text("the multicast object of ", nameOf(n)), 0, 0, sizeOf(n, 0)});
  std::vector<Bytes> &rest = devices_[device].rest;
  auto addOwn = [&](size_t bytes, std::string name) {
    add(rest.emplace_back(bytes), bytes, std::move(name), device);
    return addressOf(grid.regions.size() - 1);
  };
  uint64_t metadata = 0;
  if (launch.devices) {
    std::vector<uint64_t> words(kMetadataHeaderWords);
    words[0] = device;
    for (size_t n = 0; n < shared_; ++n)
      for (uint32_t peer = 0; peer < devices_.size(); ++peer)
        words.push_back(addressOfBuffer(n, peer));
    for (size_t n = 0; n < shared_; ++n)
      words.push_back(addressOfBuffer(n, device, {{}, true}));
    metadata = addOwn(words.size() * sizeof(uint64_t), "the collective metadata");
    grid.regions.back().readOnly = true;
    std::memcpy(rest.back().data(), words.data(), rest.back().size());
  }
  grid.cooperative = launch.cooperative;
  grid.workspaceAddress = program.readsGridWorkspace && launch.cooperative
                              ? addOwn(kWorkspaceBytes, "the workspace of a cooperative launch")
                              : 0;
  if (const std::byte *used = standingHeap()) {
    grid.heapAddress = addressOf(standing_->variables.find(kHeapName)->second);
    std::memcpy(&grid.heapUsed, used, sizeof grid.heapUsed);
    grid.heapUsed = std::max(grid.heapUsed, kHeapHeader);
  } else {
    grid.heapAddress = program.usesHeap ? addOwn(kHeapBytes, "the heap of `malloc`") : 0;
    grid.heapUsed = 0;
  }
  // Each memory gets one number. All devices share the arrays. The other regions belong to one device.
  size_t each = grid.regions.size();
  for (size_t n = 0; n < each; ++n) {
    bool own = n < grid.firstCopy || n >= grid.firstCopy + devices_.size() * shared_;
    grid.regions[n].shadow = static_cast<uint32_t>(own ? device * each + n : n);
  }

  auto meansBuffer = [&](uint32_t number, const BytesParam &block) {
    return (number & ~kOfLaunch) < (isOfLaunch(number) ? buffers_.size() : block.buffers.size());
  };
  grid.params.assign(program.paramBytes, std::byte{0});
  auto put = [&](size_t at, uint64_t word) { std::memcpy(grid.params.data() + at, &word, sizeof word); };
  size_t buffer = 0;
  for (size_t n = 0; n < launch.params.size(); ++n) {
    const ParamSlot &slot = program.params[n];
    const auto *scalar = std::get_if<ScalarParam>(&launch.params[n]);
    const auto *block = std::get_if<BytesParam>(&launch.params[n]);
    const auto *pointer = std::get_if<PointerParam>(&launch.params[n]);
    size_t bytes = scalar ? static_cast<size_t>(layouts::hostBytes(scalar->dtype)) : block ? block->size : 8;
    if (slot.bytes != bytes)
      return error(
          kKind, Span{program.module->source, slot.begin, slot.begin + 1},
          Message("parameter {} has {bytes} bytes in the PTX and {other_bytes} in the launch", n, slot.bytes, bytes));
    if (scalar) {
      std::memcpy(grid.params.data() + slot.offset, &scalar->bits, bytes);
    } else if (pointer) {
      if (pointer->buffer >= buffers_.size())
        return bad(Message("parameter {} is a pointer to buffer {} of {count}", n, pointer->buffer, buffers_.size()));
      put(slot.offset, addressOfBuffer(pointer->buffer, device, pointer->peer) + pointer->at);
    } else if (std::holds_alternative<MetadataParam>(launch.params[n])) {
      put(slot.offset, metadata);
    } else if (block) {
      std::span<std::byte> to(grid.params.data() + slot.offset, slot.bytes);
      std::copy_n(block->data.begin(), std::min(block->data.size(), to.size()), to.begin());
      for (const TensorMapSpec &spec : block->tensorMaps) {
        if (spec.offset % 64 != 0 || spec.offset + kTensorMapBytes > to.size())
          return bad(Message("a TMA descriptor is at byte {byte} of a parameter of {bytes} bytes; it needs 128 bytes "
                             "at a multiple of 64",
                             spec.offset, to.size()));
        if (!meansBuffer(spec.buffer, *block))
          return bad(
              Message("a TMA descriptor is over buffer {}, which the launch does not have", spec.buffer & ~kOfLaunch));
        uint64_t array = addressOfBuffer(launchBuffer(spec.buffer, buffer), device, spec.peer) + spec.at;
        LANESCOPE_CHECK(encodeTensorMap(spec, array, place, to.data() + spec.offset));
      }
      for (const PointerSpec &one : block->pointers) {
        if (!meansBuffer(one.buffer, *block) || one.offset + 8ull > to.size() || one.offset % 8 != 0)
          return bad(Message("a pointer at byte {byte} to buffer {} does not fit its parameter", one.offset,
                             one.buffer & ~kOfLaunch));
        put(slot.offset + one.offset, addressOfBuffer(launchBuffer(one.buffer, buffer), device, one.peer) + one.at);
      }
      if (block->metadata)
        put(slot.offset + *block->metadata, metadata);
      buffer += block->buffers.size();
    } else {
      put(slot.offset, addressOfBuffer(buffer++, device));
    }
  }
  return {};
}

LentArrays::LentArrays(std::span<const uint32_t> written) : written_(written.begin(), written.end()) {}

bool LentArrays::takeWritten() {
  bool found = false;
  for (uint32_t n = 0; n < arrays_.size(); ++n)
    if (arrays_[n] && arrays_[n]->written) {
      written_.push_back(n);
      found = true;
    }
  return found;
}

void LaunchImage::findLent() {
  lent_->arrays_.clear();
  lent_->arrays_.resize(buffers_.size());
  if (devices_.size() != 1 || standing_)
    return;
  for (uint32_t n = 0; n < shared_; ++n) {
    const core::ArrayBytes &bytes = arrays_[n].bytes;
    bool linked = std::ranges::any_of(launch_->links, [&](const BufferLink &link) { return link.buffer == n; });
    bool aligned = reinterpret_cast<uintptr_t>(bytes.data()) % kWidestAccess == 0 && bytes.size() % kWidestAccess == 0;
    if (bytes.isLent() && aligned && !linked && !isPacked(buffers_[n]->dtype) &&
        std::ranges::find(lent_->written_, n) == lent_->written_.end())
      lent_->arrays_[n] = std::make_unique<LentArray>();
  }
}

Result<void> LaunchImage::build(const Program &program, const Launch &launch, std::span<const Array> arrays,
                                std::span<Grid *const> grids, const StandingMemory *standing, LentArrays *lent) {
  Span place{program.module->source, program.function->begin, program.function->begin + 1};
  auto bad = [&](Message why) { return error(kKind, place, std::move(why)); };
  uint64_t threads = 1, blocks = 1;
  for (int n = 0; n < 3; ++n) {
    threads *= launch.block[n] ? std::min<uint64_t>(launch.block[n], 4096) : 0;
    blocks *= std::min<uint64_t>(launch.grid[n], 1u << 31);
    if (launch.grid[n] == 0 || blocks > (1ull << 31))
      return bad("a grid has 1 to 2^31 blocks");
  }
  if (threads == 0 || threads > kMaxThreads)
    return bad("a block has 1 to 1024 threads");
  if (program.function->maxThreads && threads > program.function->maxThreads)
    return bad(Message("the entry is compiled for {threads} threads per block, not {}", program.function->maxThreads,
                       threads));
  if (program.sharedBytes + static_cast<uint64_t>(launch.dynamicSmem) >
      static_cast<uint64_t>(program.machine->sharedBytesPerBlock))
    return bad(Message("the block needs {bytes} bytes of shared memory; there are {}",
                       program.sharedBytes + static_cast<uint64_t>(launch.dynamicSmem),
                       program.machine->sharedBytesPerBlock));
  if (launch.params.size() != program.params.size())
    return bad(Message("the entry has {parameters} parameters, and the launch has {count}", program.params.size(),
                       launch.params.size()));
  if (auto good = checkDevices(launch); !good)
    return good;
  launch_ = &launch;
  program_ = &program;
  standing_ = standing;
  buffers_ = launch.buffers();
  shared_ = launch.sharedBuffers();
  if (arrays.size() != buffers_.size())
    return bad(
        Message("the launch has {buffers} buffers, but {count} arrays were given", buffers_.size(), arrays.size()));
  for (size_t n = 0; n < buffers_.size(); ++n)
    if (size_t bytes = static_cast<size_t>(layouts::elementCount(buffers_[n]->shape)) *
                       static_cast<size_t>(layouts::hostBytes(buffers_[n]->dtype));
        arrays[n].bytes.size() != bytes)
      return bad(Message("array {} has {bytes} bytes; its buffer {shape} has {other_bytes}", n, arrays[n].bytes.size(),
                         shapeText(*buffers_[n]), bytes));
  devices_.resize(launch.deviceCount());
  lent_ = lent;
  if (lent_) {
    arrays_ = arrays;
    findLent();
  }
  if (auto done = allocate(program, arrays, grids[0]->unwritten, place); !done)
    return done;
  if (auto done = link(place); !done)
    return done;
  for (uint32_t device = 0; device < devices_.size(); ++device) {
    Grid &grid = *grids[device];
    grid.program = &program;
    grid.size = launch.grid;
    grid.block = launch.block;
    grid.dynamicSmem = launch.dynamicSmem;
    grid.sharedArrays = launch.sharedArrays;
    grid.device = device;
    grid.devices = launch.deviceCount();
    if (auto shape = clusterShape(program, launch, place, grid); !shape)
      return shape;
    if (auto done = fillGrid(program, grid, place); !done)
      return done;
  }
  return {};
}

std::vector<Array> LaunchImage::takeArrays() {
  if (devices_.size() != 1)
    return arrays();
  std::vector<Array> out;
  for (size_t n = 0; n < buffers_.size(); ++n) {
    if (inPlace(n)) {
      out.push_back(arrays_[n]);
      continue;
    }
    const BufferSpec &buffer = *buffers_[n];
    // The bytes are copied if two buffers may be one variable.
    Bytes bytes = n < shared_ ? std::move(bytesOf(n, 0)) : bytesOf(n, 0);
    bytes.resize(deviceBytes(buffer.dtype, buffer.shape));
    out.push_back(fromDevice(buffer.dtype, buffer.shape, std::move(bytes)));
  }
  return out;
}

std::vector<Array> LaunchImage::arrays() const {
  std::vector<Array> out;
  for (size_t n = 0; n < buffers_.size(); ++n) {
    const BufferSpec &buffer = *buffers_[n];
    Shape own = launch_->shapeOnDevice(buffer);
    size_t size = deviceBytes(buffer.dtype, own);
    Array all{buffer.dtype, buffer.shape, {}};
    for (uint32_t device = 0; device < devices_.size(); ++device) {
      const Bytes &bytes = bytesOf(n, device);
      Array one = fromDevice(buffer.dtype, own, Bytes(bytes.begin(), bytes.begin() + static_cast<long>(size)));
      if (all.bytes.empty())
        all.bytes = std::move(one.bytes);
      else
        all.bytes.append(one.bytes);
    }
    out.push_back(std::move(all));
  }
  return out;
}

} // namespace lanescope::core::emulator
