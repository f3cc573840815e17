// Makes the launch description of a recorded launch: pointers become buffers and offsets.
#include "core/gpu/kernel/LaunchBuffers.h"
#include "core/gpu/record/RecordedPackage.h"
#include "layouts/support/Text.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <set>

namespace lanescope::core::record {

namespace {

class Describing {
public:
  Describing(const RecordedLaunch &launch, const Snapshot &snapshot, const KnownMaps &maps)
      : from_(launch), snapshot_(snapshot), maps_(maps), owned_(snapshot.pieces().size()) {}

  Result<PackagePlan> run() {
    const emulator::Module *module = from_.kernel.ptx->read();
    auto entry = std::ranges::find(module->functions, std::string_view(from_.kernel.name), &emulator::Function::name);
    for (const auto &[name, place] : from_.variables)
      owned_[place.piece] = true; // the variable owns the piece of memory
    for (size_t n = 0; n < from_.parameters.size(); ++n)
      addParameter(entry->params[n], from_.parameters[n]);
    giveRestAnOwner();
    if (!problem_.empty())
      return error(kKind, problem_);
    Launch &launch = plan_.launch;
    launch.entry = from_.kernel.name;
    launch.grid = from_.grid;
    launch.block = from_.block;
    launch.cluster = entry->cluster[0] ? std::array<uint32_t, 3>{1, 1, 1} : from_.cluster;
    launch.dynamicSmem = from_.sharedBytes;
    launch.cooperative = from_.cooperative;
    if (auto count = from_.device.find("multiprocessors"); count != from_.device.end())
      launch.multiprocessors = static_cast<uint32_t>(std::strtoul(count->second.c_str(), nullptr, 10));
    plan_.arch = std::string(module->target.substr(0, module->target.find(',')));
    number();
    resolve();
    addLinks();
    addAddresses();
    return std::move(plan_);
  }

private:
  /// A pointer to a buffer whose index is known only at the end.
  struct Pending {
    size_t parameter = 0, index = 0;
    size_t piece = 0;
    bool map = false;
  };

  BufferSpec bufferOf(size_t piece, std::string name) {
    std::string file = text("buffer", piece, ".npy");
    return {.dtype = Dtype::U8,
            .shape = {static_cast<int64_t>(snapshot_.pieces()[piece].bytes)},
            .data = file,
            .out = text("buffer", piece, ".out.npy"),
            .name = std::move(name)};
  }

  /// The type of a parameter that is one number. Nothing for other parameters, and for a NaN, whose bits a launch
  /// description does not keep.
  static std::optional<Dtype> scalarType(const emulator::Variable &variable, const std::vector<std::byte> &bytes) {
    using Kind = emulator::RegisterKind;
    if (!variable.scalar || variable.kind == Kind::Halves || bytes.size() != variable.bytes)
      return std::nullopt;
    if (variable.kind == Kind::Float) {
      float single = 0;
      double wide = 0;
      if (bytes.size() == sizeof single)
        std::memcpy(&single, bytes.data(), sizeof single);
      else if (bytes.size() == sizeof wide)
        std::memcpy(&wide, bytes.data(), sizeof wide);
      else
        return std::nullopt;
      bool number = !std::isnan(single) && !std::isnan(wide);
      return number ? std::optional(bytes.size() == sizeof single ? Dtype::F32 : Dtype::F64) : std::nullopt;
    }
    bool integer = variable.kind == Kind::Integer;
    switch (bytes.size()) {
    case 1: return Dtype::U8;
    case 2: return Dtype::U16;
    case 4: return integer ? Dtype::I32 : Dtype::U32;
    case 8: return integer ? Dtype::I64 : Dtype::U64;
    default: return std::nullopt;
    }
  }

  bool holdsPointer(const std::vector<std::byte> &bytes) const {
    uint64_t word = 0;
    if (bytes.size() == sizeof word)
      std::memcpy(&word, bytes.data(), sizeof word);
    return word != 0 && snapshot_.find(word).has_value();
  }

  void addParameter(const emulator::Variable &variable, const std::vector<std::byte> &bytes) {
    size_t number = plan_.launch.params.size();
    std::string name(variable.name);
    if (bytes.size() == 8) {
      uint64_t word = 0;
      std::memcpy(&word, bytes.data(), sizeof word);
      std::optional<Place> place = snapshot_.find(word);
      if (place && !owned_[place->piece] && place->at == 0) {
        owned_[place->piece] = true;
        plan_.launch.params.emplace_back(BufferParam{bufferOf(place->piece, name)});
        owners_.push_back({place->piece});
        return;
      }
      if (place && owned_[place->piece]) {
        plan_.launch.params.emplace_back(PointerParam{.buffer = 0, .at = place->at, .name = name});
        pending_.push_back({number, 0, place->piece, false});
        owners_.emplace_back();
        return;
      }
    }
    if (std::optional<Dtype> dtype = scalarType(variable, bytes); dtype && !holdsPointer(bytes)) {
      ScalarParam scalar{.dtype = *dtype, .bits = 0, .name = name};
      std::memcpy(&scalar.bits, bytes.data(), bytes.size());
      plan_.launch.params.emplace_back(std::move(scalar));
      owners_.emplace_back();
      return;
    }
    BytesParam block{.size = static_cast<uint32_t>(bytes.size()),
                     .align = std::max(variable.align, 1u),
                     .data = bytes,
                     .buffers = {},
                     .tensorMaps = {},
                     .pointers = {}};
    std::vector<size_t> own;
    auto take = [&](size_t piece) {
      if (owned_[piece])
        return;
      owned_[piece] = true;
      block.buffers.push_back(bufferOf(piece, own.empty() ? name : text(name, ".", own.size())));
      own.push_back(piece);
    };
    for (size_t at = 0; at + 8 <= bytes.size();) {
      if (size_t skip = addMap(block, bytes, at, number, take)) {
        at += skip;
        continue;
      }
      uint64_t word = 0;
      std::memcpy(&word, bytes.data() + at, sizeof word);
      if (std::optional<Place> place = snapshot_.find(word)) {
        take(place->piece);
        pending_.push_back({number, block.pointers.size(), place->piece, false});
        block.pointers.push_back({.offset = static_cast<uint32_t>(at), .buffer = 0, .at = place->at});
      }
      at += 8;
    }
    plan_.launch.params.emplace_back(std::move(block));
    owners_.push_back(std::move(own));
  }

  /// Adds the descriptor that begins at byte `at`, if there is one. Returns its size; 0 if there is none.
  template <typename Take>
  size_t addMap(BytesParam &block, const std::vector<std::byte> &bytes, size_t at, size_t number, const Take &take) {
    if (at % kTensorMapAlign != 0 || at + kTensorMapBytes > bytes.size())
      return 0;
    std::array<uint64_t, 16> words{};
    std::memcpy(words.data(), bytes.data() + at, kTensorMapBytes);
    auto found = maps_.find(words);
    if (found == maps_.end())
      return 0;
    std::optional<Place> place = snapshot_.find(found->second.address);
    if (!place) {
      problem_ = "a TMA descriptor of it is over memory that is not there";
      return kTensorMapBytes;
    }
    take(place->piece);
    pending_.push_back({number, block.tensorMaps.size(), place->piece, true});
    TensorMapSpec spec = found->second.spec;
    spec.offset = static_cast<uint32_t>(at);
    spec.at = place->at;
    block.tensorMaps.push_back(std::move(spec));
    std::fill_n(block.data.begin() + static_cast<std::ptrdiff_t>(at), kTensorMapBytes, std::byte{0});
    return kTensorMapBytes;
  }

  /// Makes the launch the owner of the pieces to which only pointers in memory or numbers in the PTX refer.
  void giveRestAnOwner() {
    for (size_t piece = 0; piece < owned_.size(); ++piece) {
      if (owned_[piece])
        continue;
      plan_.launch.memory.push_back(bufferOf(piece, text("memory", piece)));
      rest_.push_back(piece);
    }
  }

  void number() {
    numbers_.assign(snapshot_.pieces().size(), UINT32_MAX);
    for (const std::vector<size_t> &own : owners_)
      for (size_t piece : own)
        addNumber(piece);
    for (size_t piece : rest_)
      addNumber(piece);
    for (const auto &[name, place] : from_.variables) {
      plan_.launch.variables.push_back({name, bufferOf(place.piece, name)});
      addNumber(place.piece);
    }
  }

  void addNumber(size_t piece) {
    numbers_[piece] = static_cast<uint32_t>(plan_.pieces.size());
    plan_.pieces.push_back(piece);
  }

  void resolve() {
    for (const Pending &one : pending_) {
      Param &param = plan_.launch.params[one.parameter];
      uint32_t number = numbers_[one.piece];
      if (auto *pointer = std::get_if<PointerParam>(&param))
        pointer->buffer = number;
      else if (auto *block = std::get_if<BytesParam>(&param))
        (one.map ? block->tensorMaps[one.index].buffer : block->pointers[one.index].buffer) = kOfLaunch | number;
    }
  }

  /// The buffers to which the PTX refers by a number.
  void addAddresses() {
    std::set<size_t> named;
    for (uint64_t address : from_.kernel.ptx->addresses)
      if (std::optional<Place> place = snapshot_.find(address))
        named.insert(place->piece);
    for (size_t piece : named)
      if (uint32_t number = numbers_[piece]; number < plan_.launch.sharedBuffers())
        plan_.launch.addresses.push_back({number, snapshot_.pieces()[piece].address});
  }

  void addLinks() {
    for (const InnerPointer &pointer : snapshot_.pointers())
      if (numbers_[pointer.where.piece] != UINT32_MAX && numbers_[pointer.target.piece] != UINT32_MAX)
        plan_.launch.links.push_back({.buffer = numbers_[pointer.where.piece],
                                      .offset = pointer.where.at,
                                      .target = numbers_[pointer.target.piece],
                                      .at = pointer.target.at});
  }

  const RecordedLaunch &from_;
  const Snapshot &snapshot_;
  const KnownMaps &maps_;
  std::vector<bool> owned_;                 // indexed by piece: true if a parameter or a variable owns it
  std::vector<std::vector<size_t>> owners_; // indexed by parameter: the pieces that it owns
  std::vector<size_t> rest_;                // the pieces of Launch::memory
  std::vector<uint32_t> numbers_;           // indexed by piece: its buffer's index
  std::vector<Pending> pending_;
  PackagePlan plan_;
  std::string problem_;
};

} // namespace

Result<PackagePlan> describe(const RecordedLaunch &launch, const Snapshot &snapshot, const KnownMaps &maps) {
  return Describing(launch, snapshot, maps).run();
}

} // namespace lanescope::core::record
