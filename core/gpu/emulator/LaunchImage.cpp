#include "core/gpu/emulator/LaunchImage.h"

#include "core/gpu/emulator/machine/Cluster.h"
#include "core/gpu/kernel/DeviceBytes.h"
#include "layouts/support/Text.h"

#include <algorithm>
#include <cstring>

namespace lanescope::core::emulator {

namespace {

constexpr char kKind[] = "launch";
constexpr uint64_t kMaxThreads = 1024;

std::string shapeText(const BufferSpec &buffer) {
  return text(layouts::name(buffer.dtype), "[", joined(buffer.shape, ", "), "]");
}

uint64_t addressOf(size_t region) { return kGlobalBase + (static_cast<uint64_t>(region) << kRegionShift); }

struct Builder {
  const Program &program;
  Span place;
  std::vector<const BufferSpec *> &buffers;
  size_t firstBuffer;

  Result<TensorMap> tensorMap(const TensorMapSpec &spec, size_t bufferBase, size_t bufferCount) const {
    auto bad = [&](std::string why) { return error(kKind, place, text("a TMA descriptor ", why)); };
    if (spec.buffer >= bufferCount)
      return bad(text("is over buffer ", spec.buffer, " of ", bufferCount));
    size_t rank = spec.shape.size();
    if (rank < 1 || rank > 5 || spec.box.size() != rank || spec.stridesBytes.size() + 1 != rank)
      return bad("needs 1 to 5 dimensions, a box size for each and a stride for all but the innermost");
    if (spec.swizzle != 0 && spec.swizzle != 32 && spec.swizzle != 64 && spec.swizzle != 128)
      return bad(text("has swizzle ", spec.swizzle, "; 0, 32, 64 and 128 are possible"));
    TensorMap map;
    map.global = addressOf(firstBuffer + bufferBase + spec.buffer);
    map.rank = static_cast<uint8_t>(rank);
    map.swizzle = static_cast<uint8_t>(spec.swizzle);
    map.dtype = spec.dtype;
    map.oobNan = spec.oobNan;
    // Sub-byte elements travel as bytes.
    int64_t packing =
        layouts::bitwidth(spec.dtype) < 8 && spec.format == TmaFormat::Plain ? 8 / layouts::bitwidth(spec.dtype) : 1;
    map.format = spec.format;
    map.elementBytes = static_cast<uint8_t>(layouts::hostBytes(spec.dtype));
    for (size_t n = 0; n < rank; ++n) {
      int64_t size = spec.shape[rank - 1 - n], box = spec.box[rank - 1 - n];
      if (n == 0 && packing > 1) {
        size /= packing;
        box /= packing;
      }
      if (size < 1 || size > (int64_t(1) << 32) || box < 1 || box > 256)
        return bad(text("has a dimension of size ", size, " with a box of ", box, "; a box has 1 to 256 elements"));
      map.sizes[n] = static_cast<uint64_t>(size);
      map.box[n] = static_cast<uint16_t>(box);
      map.strides[n] = n == 0 ? map.elementBytes : static_cast<uint64_t>(spec.stridesBytes[rank - 1 - n]);
      if (n > 0 && (spec.stridesBytes[rank - 1 - n] < 0 || map.strides[n] % 16 != 0 || map.strides[n] >= (1ull << 40)))
        return bad(text("has a stride of ", spec.stridesBytes[rank - 1 - n], " bytes; strides are multiples of 16"));
    }
    TensorMap copied = map.inSixteens();
    uint32_t inner = uint32_t{copied.box[0]} * (copied.sharedBytes ? copied.sharedBytes : copied.elementBytes);
    if (inner % 16 != 0)
      return bad(text("has boxes of ", inner, " bytes innermost; that must be a multiple of 16"));
    if (spec.swizzle && inner > static_cast<uint32_t>(spec.swizzle))
      return bad(text("has boxes of ", inner, " bytes innermost, more than its swizzle of ", spec.swizzle));
    return map;
  }

  Result<void> bytes(const BytesParam &param, size_t bufferBase, std::span<std::byte> to) const {
    for (const TensorMapSpec &spec : param.tensorMaps) {
      if (spec.offset % 64 != 0 || spec.offset + kTensorMapBytes > to.size())
        return error(kKind, place,
                     text("a TMA descriptor at byte ", spec.offset, " of a parameter of ", to.size(),
                          " bytes; it takes 128 bytes at a multiple of 64"));
      auto map = tensorMap(spec, bufferBase, param.buffers.size());
      if (!map)
        return std::unexpected(map.error());
      encode(*map, to.data() + spec.offset);
    }
    for (const PointerSpec &pointer : param.pointers) {
      if (pointer.buffer >= param.buffers.size() || pointer.offset + 8ull > to.size() || pointer.offset % 8 != 0)
        return error(
            kKind, place,
            text("a pointer at byte ", pointer.offset, " to buffer ", pointer.buffer, " does not fit its parameter"));
      uint64_t address = addressOf(firstBuffer + bufferBase + pointer.buffer);
      std::memcpy(to.data() + pointer.offset, &address, 8);
    }
    return {};
  }
};

/// The shape of the launch, or the one that the entry requires.
Result<void> clusterShape(const Program &program, const Launch &launch, Span place, Grid &grid) {
  auto bad = [&](std::string why) { return error(kKind, place, std::move(why)); };
  const Function &entry = *program.function;
  auto shown = [](const std::array<uint32_t, 3> &shape) { return text("(", joined(shape, ", "), ")"); };
  bool required = entry.cluster[0] != 0, given = launch.cluster != std::array<uint32_t, 3>{1, 1, 1};
  if (required && given && entry.cluster != launch.cluster)
    return bad(
        text("the entry requires clusters of ", shown(entry.cluster), " blocks, not of ", shown(launch.cluster)));
  grid.cluster = required ? entry.cluster : launch.cluster;
  grid.explicitCluster = required || given || entry.explicitCluster;
  uint64_t size = 1;
  for (size_t n = 0; n < 3; ++n) {
    size *= std::min(grid.cluster[n], 1024u);
    if (grid.cluster[n] == 0 || launch.grid[n] % grid.cluster[n] != 0)
      return bad(
          text("a grid of ", shown(launch.grid), " blocks does not divide into clusters of ", shown(grid.cluster)));
  }
  uint32_t most = entry.maxClusterRank ? std::min(entry.maxClusterRank, kMaxClusterSize) : kMaxClusterSize;
  if (size > most)
    return bad(text("a cluster of ", size, " blocks; ", entry.maxClusterRank ? "the entry allows " : "sm_90 has up to ",
                    most));
  return {};
}

} // namespace

Result<void> LaunchImage::build(const Program &program, const Launch &launch, std::span<const Array> arrays,
                                Grid &grid) {
  Span place{program.module.source, program.function->begin, program.function->begin + 1};
  auto bad = [&](std::string why) { return error(kKind, place, std::move(why)); };
  uint64_t threads = 1, blocks = 1;
  for (int n = 0; n < 3; ++n) {
    threads *= launch.block[n] ? std::min<uint64_t>(launch.block[n], 4096) : 0;
    blocks *= std::min<uint64_t>(launch.grid[n], 1u << 31);
    if (launch.grid[n] == 0 || blocks > (1ull << 31))
      return bad("a grid has 1 to 2^31 blocks");
  }
  if (auto shape = clusterShape(program, launch, place, grid); !shape)
    return shape;
  if (threads == 0 || threads > kMaxThreads)
    return bad("a block has 1 to 1024 threads");
  if (program.function->maxThreads && threads > program.function->maxThreads)
    return bad(text("the entry is compiled for ", program.function->maxThreads, " threads per block, not ", threads));
  if (program.sharedBytes + static_cast<uint64_t>(launch.dynamicSmem) >
      static_cast<uint64_t>(program.machine->sharedBytesPerBlock))
    return bad(text("the block needs ", program.sharedBytes + static_cast<uint64_t>(launch.dynamicSmem),
                    " bytes of shared memory; there are ", program.machine->sharedBytesPerBlock));
  if (launch.params.size() != program.params.size())
    return bad(text("the entry has ", program.params.size(), " parameters, the launch ", launch.params.size()));
  buffers = launch.buffers();
  if (arrays.size() != buffers.size())
    return bad(text("the launch has ", buffers.size(), " buffers, but ", arrays.size(), " arrays were given"));

  grid.program = &program;
  grid.size = launch.grid;
  grid.block = launch.block;
  grid.dynamicSmem = launch.dynamicSmem;
  firstBuffer = program.globals.size();
  memory.resize(firstBuffer + buffers.size());
  grid.regions.resize(memory.size());
  for (size_t n = 0; n < memory.size(); ++n) {
    std::string name;
    if (n < firstBuffer) {
      const Variable &variable = *program.globals[n];
      memory[n].assign(std::max<uint64_t>(variable.bytes, variable.initial.size()), std::byte{0});
      std::memcpy(memory[n].data(), variable.initial.data(), variable.initial.size());
      name = text("the variable `", variable.name, "`");
    } else {
      const BufferSpec &buffer = *buffers[n - firstBuffer];
      const Array &array = arrays[n - firstBuffer];
      auto count = static_cast<size_t>(layouts::elementCount(buffer.shape));
      if (array.bytes.size() != count * static_cast<size_t>(layouts::hostBytes(buffer.dtype)))
        return bad(text("array ", n - firstBuffer, " has ", array.bytes.size(), " bytes; its buffer ",
                        shapeText(buffer), " has ", count * static_cast<size_t>(layouts::hostBytes(buffer.dtype))));
      memory[n] = toDevice(Array{buffer.dtype, buffer.shape, array.bytes});
      name = buffer.name.empty() ? text("buffer ", n - firstBuffer) : text("`", buffer.name, "`");
      name += text(" (", shapeText(buffer), ")");
    }
    grid.regions[n] = {memory[n].data(), memory[n].size(), std::move(name)};
  }

  grid.params.assign(program.paramBytes, std::byte{0});
  Builder builder{program, place, buffers, firstBuffer};
  size_t buffer = 0;
  for (size_t n = 0; n < launch.params.size(); ++n) {
    const ParamSlot &slot = program.params[n];
    std::span<std::byte> to(grid.params.data() + slot.offset, slot.bytes);
    auto wrongSize = [&](size_t bytes) {
      return error(kKind, Span{program.module.source, slot.begin, slot.begin + 1},
                   text("parameter ", n, " has ", slot.bytes, " bytes in the PTX and ", bytes, " in the launch"));
    };
    if (std::holds_alternative<BufferParam>(launch.params[n])) {
      if (slot.bytes != 8)
        return wrongSize(8);
      uint64_t address = addressOf(firstBuffer + buffer++);
      std::memcpy(to.data(), &address, 8);
    } else if (const auto *scalar = std::get_if<ScalarParam>(&launch.params[n])) {
      auto bytes = static_cast<size_t>(layouts::hostBytes(scalar->dtype));
      if (slot.bytes != bytes)
        return wrongSize(bytes);
      std::memcpy(to.data(), &scalar->bits, bytes);
    } else {
      const auto &block = std::get<BytesParam>(launch.params[n]);
      if (slot.bytes != block.size)
        return wrongSize(block.size);
      if (auto done = builder.bytes(block, buffer, to); !done)
        return done;
      buffer += block.buffers.size();
    }
  }
  return {};
}

std::vector<Array> LaunchImage::arrays() const {
  std::vector<Array> out;
  for (size_t n = 0; n < buffers.size(); ++n) {
    out.push_back(fromDevice(buffers[n]->dtype, buffers[n]->shape, memory[firstBuffer + n]));
  }
  return out;
}

} // namespace lanescope::core::emulator
