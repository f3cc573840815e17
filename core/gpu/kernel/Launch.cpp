#include "core/gpu/kernel/Launch.h"

#include "core/data/JsonFields.h"
#include "core/gpu/kernel/LaunchBuffers.h"
#include "core/gpu/kernel/TensorMapCheck.h"
#include "layouts/support/Text.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <set>
#include <span>

namespace lanescope::core {

namespace {

constexpr char kLaunchKind[] = "launch";
constexpr int64_t kLargestIndex = 0x7FFFFFFF, kLargestParameterBytes = 32764; // PTX ISA: kernel parameters, sm_70 on
constexpr int64_t kLargestAddress = int64_t{1} << 40;
constexpr int kMaxTensorMapRank = 5;
constexpr int64_t kMostMultiprocessors = 1024; // more than any GPU has

constexpr TmaMode kIm2colModes[] = {TmaMode::Im2col, TmaMode::Im2colW, TmaMode::Im2colW128};
constexpr TmaFormat kTmaFormats[] = {TmaFormat::B4x16, TmaFormat::B4x16P64, TmaFormat::B6x16P32};

class LaunchReader {
public:
  explicit LaunchReader(SourceRef source) : source_(std::move(source)) {}

  Result<Launch> read() {
    Result<Json> root = parseJson(source_);
    if (!root)
      return std::unexpected(root.error());
    JsonFields fields = open(*root, "a launch description");
    fields.only({"entry", "grid", "cluster", "block", "dynamic_smem", "cooperative", "params", "memory", "variables",
                 "pointers", "addresses", "device", "devices", "shared", "comment"});
    Launch launch;
    launch.entry = fields.string("entry");
    readThree(fields, "grid", launch.grid);
    readThree(fields, "block", launch.block);
    if (fields.has("cluster"))
      readThree(fields, "cluster", launch.cluster);
    if (fields.has("dynamic_smem"))
      launch.dynamicSmem = static_cast<uint32_t>(fields.integer("dynamic_smem", 0, kLargestIndex));
    if (fields.has("cooperative"))
      if (const Json *yes = fields.member("cooperative", Json::Kind::Bool, "true or false"))
        launch.cooperative = yes->boolean;
    if (fields.has("devices"))
      launch.devices = static_cast<uint32_t>(fields.integer("devices", 1, kMaxDevices));
    devices_ = launch.devices;
    const Json *params = fields.member("params", Json::Kind::Array, "a list of the entry's parameters");
    const Json *memory =
        fields.has("memory") ? fields.member("memory", Json::Kind::Array, "a list of buffers") : nullptr;
    const Json *variables =
        fields.has("variables") ? fields.member("variables", Json::Kind::Array, "a list of module variables") : nullptr;
    const Json *pointers = fields.has("pointers")
                               ? fields.member("pointers", Json::Kind::Array, "a list of pointers in buffers")
                               : nullptr;
    const Json *addresses = fields.has("addresses")
                                ? fields.member("addresses", Json::Kind::Array, "a list of addresses of buffers")
                                : nullptr;
    if (const Json *device =
            fields.has("device") ? fields.member("device", Json::Kind::Object, "properties of a GPU") : nullptr)
      launch.multiprocessors = readMultiprocessors(*device);
    const Json *shared = fields.has("shared")
                             ? fields.member("shared", Json::Kind::Array, "a list of arrays in shared memory")
                             : nullptr;
    close(fields);
    if (shared)
      for (const Json &array : shared->items)
        launch.sharedArrays.push_back(readShared(array));
    if (params)
      for (const Json &param : params->items)
        launch.params.push_back(readParam(param));
    if (memory)
      for (const Json &buffer : memory->items)
        launch.memory.push_back(readBuffer(buffer, {"dtype", "shape", "data", "out", "name"}));
    if (variables)
      for (const Json &variable : variables->items)
        launch.variables.push_back(readVariable(variable));
    if (pointers)
      for (const Json &pointer : pointers->items)
        launch.links.push_back(readLink(pointer));
    if (addresses)
      for (const Json &address : addresses->items)
        launch.addresses.push_back(readAddress(address));
    checkNumbers(launch, *root);
    if (!problems_.empty())
      return std::unexpected(std::move(problems_));
    return launch;
  }

private:
  JsonFields open(const Json &json, std::string what) {
    return JsonFields(source_, json, std::move(what), kLaunchKind);
  }
  void close(JsonFields &fields) {
    Diagnostics found = fields.take();
    problems_.insert(problems_.end(), found.begin(), found.end());
  }
  static void readThree(JsonFields &fields, std::string_view name, std::array<uint32_t, 3> &to) {
    std::ranges::transform(fields.sizes(name, 1, kLargestIndex), to.begin(),
                           [](int64_t size) { return static_cast<uint32_t>(size); });
  }

  ModuleVariable readVariable(const Json &json) {
    JsonFields fields = open(json, "a module variable");
    ModuleVariable variable;
    variable.variable = fields.string("variable");
    close(fields);
    variable.buffer = readBuffer(json, {"variable", "dtype", "shape", "data", "out", "name"});
    return variable;
  }

  SharedArray readShared(const Json &json) {
    JsonFields fields = open(json, "an array in shared memory");
    fields.only({"name", "dtype", "shape", "offset", "tiling", "swizzle"});
    SharedArray array;
    array.name = fields.string("name");
    array.dtype = fields.dtype("dtype");
    array.shape = fields.integers("shape", 1, kLargestIndex);
    array.offset = static_cast<uint32_t>(fields.integer("offset", 0, kLargestIndex));
    if (fields.has("tiling"))
      array.tiling = fields.integers("tiling", 1, kLargestIndex);
    if (fields.has("swizzle"))
      array.swizzle = readSwizzle(json, fields);
    if (!fields.failed())
      if (auto good = elementsOf(array, array.offset); !good)
        fields.problem(json, good.error().front().message);
    close(fields);
    return array;
  }

  /// The swizzle in bytes; 0: none.
  static int readSwizzle(const Json &json, JsonFields &fields) {
    int swizzle = static_cast<int>(fields.integer("swizzle", 0, 128));
    if (swizzle != 0 && swizzle != 32 && swizzle != 64 && swizzle != 128)
      fields.problem(*json.find("swizzle"), "`swizzle` must be 0, 32, 64 or 128");
    return swizzle;
  }

  BufferLink readLink(const Json &json) {
    JsonFields fields = open(json, "a pointer in a buffer");
    fields.only({"in", "offset", "buffer", "at", "peer"});
    BufferLink link;
    link.buffer = static_cast<uint32_t>(fields.integer("in", 0, kLargestIndex));
    link.offset = static_cast<uint64_t>(fields.integer("offset", 0, kLargestAddress));
    link.target = static_cast<uint32_t>(fields.integer("buffer", 0, kLargestIndex));
    if (fields.has("at"))
      link.at = static_cast<uint64_t>(fields.integer("at", 0, kLargestAddress));
    link.peer = readPeer(json, fields);
    if (link.offset % kPointerBytes != 0)
      fields.problem(*json.find("offset"), text("the offset ", link.offset, " is not a multiple of ", kPointerBytes));
    close(fields);
    return link;
  }

  /// Reads `{"buffer": 2, "address": "0x7f0a00000000"}`.
  FixedAddress readAddress(const Json &json) {
    JsonFields fields = open(json, "the address of a buffer");
    fields.only({"buffer", "address"});
    FixedAddress out;
    out.buffer = static_cast<uint32_t>(fields.integer("buffer", 0, kLargestIndex));
    std::string digits = fields.string("address");
    auto [end, problem] = std::from_chars(digits.data() + std::min<size_t>(2, digits.size()),
                                          digits.data() + digits.size(), out.address, 16);
    if (!fields.failed() && (!digits.starts_with("0x") || problem != std::errc() ||
                             end != digits.data() + digits.size() || out.address == 0))
      fields.problem(*json.find("address"), "`address` is a hexadecimal number in quotes, such as \"0x7f0a00000000\"");
    close(fields);
    return out;
  }

  uint32_t readMultiprocessors(const Json &json) {
    JsonFields fields = open(json, "properties of a GPU");
    fields.only({"multiprocessors"});
    auto out = static_cast<uint32_t>(fields.integer("multiprocessors", 1, kMostMultiprocessors));
    close(fields);
    return out;
  }

  /// Reads `"peer": 1`, `"peer": [1, 0]` or `"peer": "multicast"`.
  PeerSpec readPeer(const Json &json, JsonFields &fields) {
    PeerSpec peer;
    const Json *given = json.find("peer");
    if (!given)
      return peer;
    peer.multicast = given->is(Json::Kind::String) && given->string == "multicast";
    if (given->is(Json::Kind::Integer))
      peer.peers.assign(std::max(devices_, 1u), static_cast<uint32_t>(given->integer));
    else if (given->is(Json::Kind::Array))
      for (int64_t one : fields.integers("peer", 0, kLargestIndex))
        peer.peers.push_back(static_cast<uint32_t>(one));
    if (devices_ == 0)
      fields.problem(*given, "`peer` is for a launch with `devices`");
    else if (!peer.multicast && (peer.peers.size() != devices_ ||
                                 std::ranges::any_of(peer.peers, [&](uint32_t one) { return one >= devices_; })))
      fields.problem(*given, text("`peer` is one of the ", devices_, " devices, or one for each, or `\"multicast\"`"));
    return peer;
  }

  void needDevices(const Json &place, JsonFields &fields) {
    if (devices_ == 0)
      fields.problem(place, "collective metadata are for a launch with `devices`");
  }

  /// Checks the numbers of buffers. All buffers are known only at the end of the description.
  void checkNumbers(const Launch &launch, const Json &root) {
    std::vector<const BufferSpec *> buffers = launch.buffers();
    JsonFields fields = open(root, "a launch description");
    auto inside = [&](uint32_t number, uint64_t at, uint64_t bytes) {
      if (number >= buffers.size())
        fields.problem(root, text("buffer ", number, " is meant where the launch has ", buffers.size()));
      else if (auto size = checkedArrayBytes(buffers[number]->dtype, launch.shapeOnDevice(*buffers[number]));
               size && at + bytes > *size)
        fields.problem(root, text("byte ", at, " of buffer ", number, " is meant, which has ", *size, " bytes"));
    };
    for (const Param &param : launch.params) {
      if (const auto *pointer = std::get_if<PointerParam>(&param))
        inside(pointer->buffer, pointer->at, 0);
      const auto *block = std::get_if<BytesParam>(&param);
      for (size_t n = 0; block && n < block->pointers.size(); ++n)
        if (const PointerSpec &one = block->pointers[n]; isOfLaunch(one.buffer))
          inside(one.buffer & ~kOfLaunch, one.at, 0);
      for (size_t n = 0; block && n < block->tensorMaps.size(); ++n)
        if (isOfLaunch(block->tensorMaps[n].buffer))
          inside(block->tensorMaps[n].buffer & ~kOfLaunch, block->tensorMaps[n].at, 0);
    }
    for (const BufferLink &link : launch.links) {
      inside(link.buffer, link.offset, kPointerBytes);
      inside(link.target, link.at, 0);
    }
    checkAddresses(launch, root, fields);
    close(fields);
  }

  static void checkAddresses(const Launch &launch, const Json &root, JsonFields &fields) {
    const Json &place = launch.addresses.empty() ? root : *root.find("addresses");
    if (!launch.addresses.empty() && launch.deviceCount() > 1)
      fields.problem(place, "`addresses` is for a launch on one device: each device has its own copy of a buffer");
    std::vector<const BufferSpec *> buffers = launch.buffers();
    auto bytes = [&](uint32_t number) { return checkedArrayBytes(buffers[number]->dtype, buffers[number]->shape); };
    for (const FixedAddress &one : launch.addresses) {
      if (one.buffer >= launch.sharedBuffers()) {
        fields.problem(place, text("`addresses` names buffer ", one.buffer, ", and the launch has ",
                                   launch.sharedBuffers(), " beside its variables"));
        continue;
      }
      for (const FixedAddress &other : std::span(launch.addresses.data(), &one))
        if (other.buffer < launch.sharedBuffers() && (one.address - other.address < bytes(other.buffer).value_or(0) ||
                                                      other.address - one.address < bytes(one.buffer).value_or(0)))
          fields.problem(place, text("the buffers ", other.buffer, " and ", one.buffer, " overlap at these addresses"));
    }
  }

  Param readParam(const Json &json) {
    JsonFields fields = open(json, "a parameter");
    std::string kind = fields.string("kind");
    if (kind == "buffer") {
      close(fields);
      return BufferParam{readBuffer(json, {"kind", "dtype", "shape", "data", "out", "name"})};
    }
    if (kind == "pointer") {
      fields.only({"kind", "buffer", "at", "peer", "name"});
      PointerParam pointer;
      pointer.buffer = static_cast<uint32_t>(fields.integer("buffer", 0, kLargestIndex));
      if (fields.has("at"))
        pointer.at = static_cast<uint64_t>(fields.integer("at", 0, kLargestAddress));
      pointer.peer = readPeer(json, fields);
      if (fields.has("name"))
        pointer.name = fields.string("name");
      close(fields);
      return pointer;
    }
    if (kind == "collective_metadata") {
      fields.only({"kind"});
      needDevices(json, fields);
      close(fields);
      return MetadataParam{};
    }
    if (kind == "scalar") {
      ScalarParam scalar = readScalar(json, fields, {"kind", "dtype", "value", "name"});
      if (fields.has("name"))
        scalar.name = fields.string("name");
      close(fields);
      return scalar;
    }
    if (kind == "bytes") {
      BytesParam block = readBlock(json, fields);
      close(fields);
      return block;
    }
    if (!fields.failed())
      fields.problem(
          *json.find("kind"),
          text("`", kind,
               "` is no kind of parameter; `buffer`, `pointer`, `scalar`, `bytes` and `collective_metadata` are"));
    close(fields);
    return BufferParam{};
  }

  BufferSpec readBuffer(const Json &json, std::initializer_list<std::string_view> keys) {
    JsonFields fields = open(json, "a buffer");
    fields.only(keys);
    BufferSpec buffer;
    buffer.dtype = fields.dtype("dtype");
    buffer.shape = fields.integers("shape", 0, int64_t{1} << 40);
    for (auto [name, to] :
         {std::pair("data", &buffer.data), std::pair("out", &buffer.out), std::pair("name", &buffer.name)})
      if (fields.has(name))
        *to = fields.string(name);
    checkOut(json, fields, buffer.out);
    if (!fields.failed() && !checkedArrayBytes(buffer.dtype, buffer.shape))
      fields.problem(*json.find("shape"), text("a buffer of shape ", layouts::tupleText(buffer.shape),
                                               " is larger than the ", kMaxArrayBytes >> 30, " GiB that one may take"));
    if (!fields.failed() && devices_ && (buffer.shape.empty() || buffer.shape[0] != devices_))
      fields.problem(*json.find("shape"),
                     text("the launch is for ", devices_, " devices, so a buffer's shape begins with ", devices_,
                          "; this one is ", layouts::tupleText(buffer.shape)));
    close(fields);
    return buffer;
  }

  /// Rejects a file name used by two buffers, because the second buffer would overwrite the first one's file.
  void checkOut(const Json &json, JsonFields &fields, const std::string &out) {
    if (out.empty())
      return;
    std::string file = std::filesystem::path(out).lexically_normal().string();
    if (!outs_.insert(file).second)
      fields.problem(*json.find("out"), text("another buffer is saved to `", out, "`, too; give each its own `out`"));
  }

  ScalarParam readScalar(const Json &json, JsonFields &fields, std::initializer_list<std::string_view> keys) {
    fields.only(keys);
    ScalarParam scalar;
    scalar.dtype = fields.dtype("dtype");
    const Json *value = json.find("value");
    std::optional<double> named = value && value->is(Json::Kind::String) ? numberNamed(value->string) : std::nullopt;
    if (!value ||
        !(named || value->is(Json::Kind::Integer) || value->is(Json::Kind::Number) || value->is(Json::Kind::Bool))) {
      fields.problem(value ? *value : json, "a scalar needs `value`, a number, or \"inf\", \"-inf\" or \"nan\"");
      return scalar;
    }
    if (fields.failed())
      return scalar;
    Array one = Array::zeros(scalar.dtype, {1});
    if (layouts::isFloat(scalar.dtype)) {
      one.setNumber(0, named ? *named : value->is(Json::Kind::Bool) ? value->boolean : value->number);
    } else if (named) {
      fields.problem(*value, text("this is not a value of ", layouts::name(scalar.dtype)));
    } else {
      int64_t integer = value->is(Json::Kind::Bool) ? value->boolean : value->integer;
      one.setInteger(0, integer);
      bool fits = one.integer(0) == integer && (!value->unsignedInteger || scalar.dtype == Dtype::U64) &&
                  (integer >= 0 || value->unsignedInteger || scalar.dtype != Dtype::U64);
      if (value->is(Json::Kind::Number) || !fits)
        fields.problem(*value, text("this is not a value of ", layouts::name(scalar.dtype)));
    }
    std::memcpy(&scalar.bits, one.bytes.data(), one.bytes.size());
    return scalar;
  }

  BytesParam readBlock(const Json &json, JsonFields &fields) {
    fields.only(
        {"kind", "size", "align", "hex", "values", "buffers", "tensor_maps", "pointers", "collective_metadata"});
    BytesParam block;
    block.size = static_cast<uint32_t>(fields.integer("size", 1, kLargestParameterBytes));
    if (fields.has("align")) {
      block.align = static_cast<uint32_t>(fields.integer("align", 1, 256));
      if (!fields.failed() && !std::has_single_bit(block.align))
        fields.problem(*json.find("align"), "`align` must be a power of two");
    }
    if (fields.has("hex"))
      readHex(json, fields, block);
    if (fields.has("values"))
      if (const Json *values = fields.member("values", Json::Kind::Array, "a list of numbers with their places"))
        for (const Json &value : values->items)
          readValue(value, block);
    if (fields.has("buffers"))
      if (const Json *buffers = fields.member("buffers", Json::Kind::Array, "a list of buffers"))
        for (const Json &buffer : buffers->items)
          block.buffers.push_back(readBuffer(buffer, {"dtype", "shape", "data", "out", "name"}));
    if (fields.has("tensor_maps"))
      if (const Json *maps = fields.member("tensor_maps", Json::Kind::Array, "a list of TMA descriptors"))
        for (const Json &map : maps->items)
          block.tensorMaps.push_back(readTensorMap(map, block));
    if (fields.has("pointers"))
      if (const Json *pointers = fields.member("pointers", Json::Kind::Array, "a list of pointers"))
        for (const Json &pointer : pointers->items) {
          JsonFields inner = open(pointer, "a pointer");
          inner.only({"offset", "buffer", "launch_buffer", "at", "peer"});
          PointerSpec spec;
          spec.offset = offsetIn(block, inner, pointer, kPointerBytes, kPointerBytes);
          spec.buffer = bufferOf(block, inner);
          if (inner.has("at"))
            spec.at = static_cast<uint64_t>(inner.integer("at", 0, kLargestAddress));
          spec.peer = readPeer(pointer, inner);
          block.pointers.push_back(spec);
          close(inner);
        }
    if (fields.has("collective_metadata")) {
      int64_t last = std::max<int64_t>(int64_t{block.size} - kPointerBytes, 0);
      block.metadata = static_cast<uint32_t>(fields.integer("collective_metadata", 0, last));
      if (*block.metadata % kPointerBytes != 0)
        fields.problem(json,
                       text("the offset ", *block.metadata, " of a pointer is not a multiple of ", kPointerBytes));
      needDevices(json, fields);
    }
    return block;
  }

  /// Reads hexadecimal text, two digits per byte, into the beginning of the block.
  static void readHex(const Json &json, JsonFields &fields, BytesParam &block) {
    std::string digits = fields.string("hex");
    auto value = [](char c) {
      return c >= '0' && c <= '9'   ? c - '0'
             : c >= 'a' && c <= 'f' ? c - 'a' + 10
             : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                    : -1;
    };
    bool good = digits.size() % 2 == 0 && digits.size() / 2 <= block.size &&
                std::ranges::all_of(digits, [&](char c) { return value(c) >= 0; });
    if (!good) {
      if (!fields.failed())
        fields.problem(*json.find("hex"),
                       text("`hex` is two hexadecimal digits a byte, for at most ", block.size, " bytes"));
      return;
    }
    block.data.resize(block.size);
    for (size_t n = 0; n < digits.size(); n += 2)
      block.data[n / 2] = static_cast<std::byte>(value(digits[n]) * 16 + value(digits[n + 1]));
  }

  /// Reads `{"offset": 8, "dtype": "f32", "value": 2.5}`.
  void readValue(const Json &json, BytesParam &block) {
    JsonFields fields = open(json, "a number");
    ScalarParam scalar = readScalar(json, fields, {"offset", "dtype", "value"});
    auto bytes = static_cast<int64_t>(layouts::hostBytes(scalar.dtype));
    uint32_t offset = offsetIn(block, fields, json, bytes, 1);
    if (!fields.failed()) {
      block.data.resize(block.size);
      std::memcpy(block.data.data() + offset, &scalar.bits, static_cast<size_t>(bytes));
    }
    close(fields);
  }

  static uint32_t offsetIn(const BytesParam &block, JsonFields &fields, const Json &json, int64_t bytes,
                           int64_t align) {
    auto offset = static_cast<uint32_t>(fields.integer("offset", 0, kLargestParameterBytes));
    const Json *place = json.find("offset");
    if (place && offset + bytes > block.size)
      fields.problem(*place,
                     text("the ", bytes, " bytes at offset ", offset, " reach beyond the parameter's ", block.size));
    if (place && offset % align != 0)
      fields.problem(*place, text("the offset ", offset, " is not a multiple of ", align));
    return offset;
  }

  static uint32_t bufferOf(const BytesParam &block, JsonFields &fields) {
    if (fields.has("launch_buffer")) // checkNumbers() checks it when all parameters are known
      return kOfLaunch | static_cast<uint32_t>(fields.integer("launch_buffer", 0, kLargestIndex));
    if (block.buffers.empty() && fields.has("buffer")) {
      fields.integer("buffer", 0, -1);
      return 0;
    }
    return static_cast<uint32_t>(fields.integer("buffer", 0, static_cast<int64_t>(block.buffers.size()) - 1));
  }

  TensorMapSpec readTensorMap(const Json &json, const BytesParam &block) {
    JsonFields fields = open(json, "a TMA descriptor");
    fields.only({"offset", "buffer", "launch_buffer", "at", "dtype", "shape", "strides_bytes", "box", "im2col",
                 "element_strides", "swizzle", "atom", "oob_fill", "peer"});
    TensorMapSpec map;
    map.offset = offsetIn(block, fields, json, kTensorMapBytes, kTensorMapAlign);
    map.buffer = bufferOf(block, fields);
    if (fields.has("at")) {
      map.at = static_cast<uint64_t>(fields.integer("at", 0, kLargestAddress));
      if (map.at % kTensorMapArrayAlign != 0)
        fields.problem(*json.find("at"), text("the array of a TMA descriptor begins at a multiple of ",
                                              kTensorMapArrayAlign, " bytes, not at byte ", map.at));
    }
    const Json *type = json.find("dtype");
    for (TmaFormat format : kTmaFormats)
      if (type && type->is(Json::Kind::String) && type->string == name(format)) {
        map.format = format;
        map.dtype = sizesOf(format).bits == 4 ? Dtype::U4 : Dtype::U8;
      }
    if (map.format == TmaFormat::Plain)
      map.dtype = fields.dtype("dtype");
    map.shape = fields.integers("shape", 1, int64_t{1} << 32);
    auto rank = static_cast<int>(map.shape.size());
    if (!fields.failed() && (rank < 1 || rank > kMaxTensorMapRank))
      fields.problem(*json.find("shape"),
                     text("a TMA descriptor has 1 to ", kMaxTensorMapRank, " dimensions, not ", rank));
    map.stridesBytes = fields.integers("strides_bytes", 0, (int64_t{1} << 40) - 1, std::max(rank - 1, 0));
    if (!fields.has("im2col"))
      map.box = fields.integers("box", 1, 256, rank);
    else if (fields.has("box"))
      fields.problem(*json.find("box"), "a descriptor has `box` or `im2col`, not both");
    else
      readIm2col(fields, rank, map);
    if (fields.has("element_strides"))
      map.elementStrides = fields.integers("element_strides", 1, 8, rank);
    if (fields.has("swizzle"))
      map.swizzle = readSwizzle(json, fields);
    if (fields.has("atom")) {
      map.atom = static_cast<int>(fields.integer("atom", 16, 32));
      if (map.atom != 16 && (map.atom != 32 || map.swizzle != 128))
        fields.problem(*json.find("atom"), "`atom` is 16, or 32 with a swizzle of 128");
    }
    if (fields.has("oob_fill")) {
      std::string fill = fields.string("oob_fill");
      if (fill != "zeros" && fill != "nan")
        fields.problem(*json.find("oob_fill"), "`oob_fill` must be `zeros` or `nan`");
      map.oobNan = fill == "nan";
    }
    map.peer = readPeer(json, fields);
    if (!fields.failed())
      for (const TensorMapProblem &problem : tensorMapProblems(map))
        if (const Json *place = json.find(problem.member); place || !fields.failed())
          fields.problem(place ? *place : json, text("a TMA descriptor: ", problem.message));
    close(fields);
    return map;
  }

  /// In the W modes, a corner has only the width.
  void readIm2col(JsonFields &fields, int rank, TensorMapSpec &map) {
    const Json *json = fields.member("im2col", Json::Kind::Object, "an object that says which pixels are copied");
    if (!json)
      return;
    JsonFields inner = open(*json, "an im2col descriptor");
    inner.only({"mode", "lower", "upper", "pixels", "channels"});
    map.mode = TmaMode::Im2col;
    if (inner.has("mode")) {
      std::string wanted = inner.string("mode");
      const auto *found = std::ranges::find(kIm2colModes, wanted, [](TmaMode mode) { return name(mode); });
      if (found != std::end(kIm2colModes))
        map.mode = *found;
      else if (!inner.failed())
        inner.problem(*json->find("mode"), text("`", wanted, "` is none of `im2col`, `im2col::w`, `im2col::w::128`"));
    }
    int corners = map.mode == TmaMode::Im2col ? std::max(rank - 2, 0) : 1;
    map.im2col.lower = inner.integers("lower", INT16_MIN, INT16_MAX, corners);
    map.im2col.upper = inner.integers("upper", INT16_MIN, INT16_MAX, corners);
    map.im2col.pixels = inner.integer("pixels", 1, 1024);
    map.im2col.channels = inner.integer("channels", 1, 256);
    close(inner);
  }

  SourceRef source_;
  uint32_t devices_ = 0; // devices of the launch
  std::set<std::string> outs_;
  Diagnostics problems_;
};

} // namespace

TmaFormatSizes sizesOf(TmaFormat format) {
  switch (format) {
  case TmaFormat::B4x16: return {4, 8, 8};
  case TmaFormat::B4x16P64: return {4, 8, 16};
  case TmaFormat::B6x16P32: return {6, 12, 16};
  case TmaFormat::Plain: break;
  }
  return {};
}

std::string_view name(TmaFormat format) {
  constexpr std::string_view kNames[] = {"", "b4x16", "b4x16_p64", "b6x16_p32"};
  return kNames[static_cast<size_t>(format)];
}

std::string_view name(TmaMode mode) {
  constexpr std::string_view kNames[] = {"tile", "im2col", "im2col::w", "im2col::w::128"};
  return kNames[static_cast<size_t>(mode)];
}

Shape Launch::shapeOnDevice(const BufferSpec &buffer) const {
  return devices && !buffer.shape.empty() ? Shape(buffer.shape.begin() + 1, buffer.shape.end()) : buffer.shape;
}

std::vector<const BufferSpec *> Launch::buffers() const {
  std::vector<const BufferSpec *> all;
  for (const Param &param : params) {
    if (const auto *buffer = std::get_if<BufferParam>(&param))
      all.push_back(&buffer->buffer);
    else if (const auto *block = std::get_if<BytesParam>(&param))
      for (const BufferSpec &own : block->buffers)
        all.push_back(&own);
  }
  for (const BufferSpec &buffer : memory)
    all.push_back(&buffer);
  for (const ModuleVariable &variable : variables)
    all.push_back(&variable.buffer);
  return all;
}

Result<Launch> parseLaunch(SourceRef json) { return LaunchReader(std::move(json)).read(); }

} // namespace lanescope::core
