#include "core/gpu/kernel/Launch.h"

#include "core/data/JsonFields.h"
#include "layouts/support/Text.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <nlohmann/json.hpp>

namespace lanescope::core {

namespace {

constexpr char kKind[] = "launch";
constexpr int64_t kLargestIndex = 0x7FFFFFFF, kLargestParameterBytes = 32764; // PTX ISA: kernel parameters, sm_70 on
constexpr int64_t kTensorMapBytes = 128, kPointerBytes = 8;
constexpr int kMaxTensorMapRank = 5;

constexpr TmaFormat kTmaFormats[] = {TmaFormat::B4x16, TmaFormat::B4x16P64, TmaFormat::B6x16P32};

class LaunchReader {
public:
  explicit LaunchReader(SourceRef source) : source_(std::move(source)) {}

  Result<Launch> read() {
    Result<Json> root = parseJson(source_);
    if (!root)
      return std::unexpected(root.error());
    JsonFields fields = open(*root, "a launch description");
    fields.only({"entry", "grid", "cluster", "block", "dynamic_smem", "params", "comment"});
    Launch launch;
    launch.entry = fields.string("entry");
    readThree(fields, "grid", launch.grid);
    readThree(fields, "block", launch.block);
    if (fields.has("cluster"))
      readThree(fields, "cluster", launch.cluster);
    if (fields.has("dynamic_smem"))
      launch.dynamicSmem = static_cast<uint32_t>(fields.integer("dynamic_smem", 0, kLargestIndex));
    const Json *params = fields.member("params", Json::Kind::Array, "a list of the entry's parameters");
    close(fields);
    if (params)
      for (const Json &param : params->items)
        launch.params.push_back(readParam(param));
    if (!problems_.empty())
      return std::unexpected(std::move(problems_));
    return launch;
  }

private:
  JsonFields open(const Json &json, std::string what) { return JsonFields(source_, json, std::move(what), kKind); }
  void close(JsonFields &fields) {
    Diagnostics found = fields.take();
    problems_.insert(problems_.end(), found.begin(), found.end());
  }
  static void readThree(JsonFields &fields, std::string_view name, std::array<uint32_t, 3> &to) {
    Shape sizes = fields.integers(name, 1, kLargestIndex, 3);
    for (size_t i = 0; i < 3; ++i)
      to[i] = static_cast<uint32_t>(sizes[i]);
  }

  Param readParam(const Json &json) {
    JsonFields fields = open(json, "a parameter");
    std::string kind = fields.string("kind");
    if (kind == "buffer") {
      close(fields);
      return BufferParam{readBuffer(json, true)};
    }
    if (kind == "scalar") {
      ScalarParam scalar = readScalar(json, fields);
      close(fields);
      return scalar;
    }
    if (kind == "bytes") {
      BytesParam block = readBlock(json, fields);
      close(fields);
      return block;
    }
    if (!fields.failed())
      fields.problem(*json.find("kind"),
                     text("`", kind, "` is no kind of parameter; `buffer`, `scalar` and `bytes` are"));
    close(fields);
    return BufferParam{};
  }

  BufferSpec readBuffer(const Json &json, bool isParameter) {
    JsonFields fields = open(json, "a buffer");
    if (isParameter)
      fields.only({"kind", "dtype", "shape", "data", "out", "name"});
    else
      fields.only({"dtype", "shape", "data", "out", "name"});
    BufferSpec buffer;
    buffer.dtype = fields.dtype("dtype");
    buffer.shape = fields.integers("shape", 0, int64_t{1} << 40);
    for (auto [name, to] :
         {std::pair("data", &buffer.data), std::pair("out", &buffer.out), std::pair("name", &buffer.name)})
      if (fields.has(name))
        *to = fields.string(name);
    if (!fields.failed() && !checkedArrayBytes(buffer.dtype, buffer.shape))
      fields.problem(*json.find("shape"), text("a buffer of shape ", layouts::tupleText(buffer.shape),
                                               " is larger than the ", kMaxArrayBytes >> 30, " GiB that one may take"));
    close(fields);
    return buffer;
  }

  ScalarParam readScalar(const Json &json, JsonFields &fields) {
    fields.only({"kind", "dtype", "value"});
    ScalarParam scalar;
    scalar.dtype = fields.dtype("dtype");
    const Json *value = json.find("value");
    if (!value || !(value->is(Json::Kind::Integer) || value->is(Json::Kind::Number) || value->is(Json::Kind::Bool))) {
      fields.problem(value ? *value : json, "a scalar needs `value`, a number");
      return scalar;
    }
    if (fields.failed())
      return scalar;
    Array one = Array::zeros(scalar.dtype, {1});
    if (layouts::isFloat(scalar.dtype)) {
      one.setNumber(0, value->is(Json::Kind::Bool) ? value->boolean : value->number);
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
    fields.only({"kind", "size", "align", "buffers", "tensor_maps", "pointers"});
    BytesParam block;
    block.size = static_cast<uint32_t>(fields.integer("size", 1, kLargestParameterBytes));
    if (fields.has("align")) {
      block.align = static_cast<uint32_t>(fields.integer("align", 1, 256));
      if (!fields.failed() && !std::has_single_bit(block.align))
        fields.problem(*json.find("align"), "`align` must be a power of two");
    }
    if (fields.has("buffers"))
      if (const Json *buffers = fields.member("buffers", Json::Kind::Array, "a list of buffers"))
        for (const Json &buffer : buffers->items)
          block.buffers.push_back(readBuffer(buffer, false));
    if (fields.has("tensor_maps"))
      if (const Json *maps = fields.member("tensor_maps", Json::Kind::Array, "a list of TMA descriptors"))
        for (const Json &map : maps->items)
          block.tensorMaps.push_back(readTensorMap(map, block));
    if (fields.has("pointers"))
      if (const Json *pointers = fields.member("pointers", Json::Kind::Array, "a list of pointers"))
        for (const Json &pointer : pointers->items) {
          JsonFields inner = open(pointer, "a pointer");
          inner.only({"offset", "buffer"});
          PointerSpec spec;
          spec.offset = offsetIn(block, inner, pointer, kPointerBytes, kPointerBytes);
          spec.buffer = bufferOf(block, inner);
          block.pointers.push_back(spec);
          close(inner);
        }
    return block;
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
    if (block.buffers.empty() && fields.has("buffer")) {
      fields.integer("buffer", 0, -1);
      return 0;
    }
    return static_cast<uint32_t>(fields.integer("buffer", 0, static_cast<int64_t>(block.buffers.size()) - 1));
  }

  TensorMapSpec readTensorMap(const Json &json, const BytesParam &block) {
    JsonFields fields = open(json, "a TMA descriptor");
    fields.only({"offset", "buffer", "dtype", "shape", "strides_bytes", "box", "swizzle", "oob_fill"});
    TensorMapSpec map;
    map.offset = offsetIn(block, fields, json, kTensorMapBytes, 64);
    map.buffer = bufferOf(block, fields);
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
    map.box = fields.integers("box", 1, 256, rank);
    if (fields.has("swizzle")) {
      map.swizzle = static_cast<int>(fields.integer("swizzle", 0, 128));
      if (map.swizzle != 0 && map.swizzle != 32 && map.swizzle != 64 && map.swizzle != 128)
        fields.problem(*json.find("swizzle"), "`swizzle` must be 0, 32, 64 or 128");
    }
    if (fields.has("oob_fill")) {
      std::string fill = fields.string("oob_fill");
      if (fill != "zeros" && fill != "nan")
        fields.problem(*json.find("oob_fill"), "`oob_fill` must be `zeros` or `nan`");
      map.oobNan = fill == "nan";
    }
    close(fields);
    return map;
  }

  SourceRef source_;
  Diagnostics problems_;
};

using Ordered = nlohmann::ordered_json;

void put(Ordered &json, const BufferSpec &buffer) {
  json["dtype"] = std::string(layouts::name(buffer.dtype));
  json["shape"] = buffer.shape;
  for (auto [key, value] :
       {std::pair("data", &buffer.data), std::pair("out", &buffer.out), std::pair("name", &buffer.name)})
    if (!value->empty())
      json[key] = *value;
}

Ordered toOrdered(const TensorMapSpec &map) {
  Ordered json;
  json["offset"] = map.offset;
  json["buffer"] = map.buffer;
  json["dtype"] = std::string(map.format == TmaFormat::Plain ? layouts::name(map.dtype) : name(map.format));
  json["shape"] = map.shape;
  json["strides_bytes"] = map.stridesBytes;
  json["box"] = map.box;
  json["swizzle"] = map.swizzle;
  json["oob_fill"] = map.oobNan ? "nan" : "zeros";
  return json;
}

Ordered toOrdered(const Param &param) {
  Ordered json;
  if (const auto *buffer = std::get_if<BufferParam>(&param)) {
    json["kind"] = "buffer";
    put(json, buffer->buffer);
  } else if (const auto *scalar = std::get_if<ScalarParam>(&param)) {
    json["kind"] = "scalar";
    json["dtype"] = std::string(layouts::name(scalar->dtype));
    Array one = Array::zeros(scalar->dtype, {1});
    std::memcpy(one.bytes.data(), &scalar->bits, one.bytes.size());
    if (layouts::isFloat(scalar->dtype))
      json["value"] = one.number(0);
    else if (scalar->dtype == Dtype::U64)
      json["value"] = scalar->bits;
    else
      json["value"] = one.integer(0);
  } else {
    const auto &block = std::get<BytesParam>(param);
    json["kind"] = "bytes";
    json["size"] = block.size;
    json["align"] = block.align;
    json["buffers"] = Ordered::array();
    for (const BufferSpec &buffer : block.buffers)
      put(json["buffers"].emplace_back(), buffer);
    json["tensor_maps"] = Ordered::array();
    for (const TensorMapSpec &map : block.tensorMaps)
      json["tensor_maps"].push_back(toOrdered(map));
    json["pointers"] = Ordered::array();
    for (const PointerSpec &pointer : block.pointers)
      json["pointers"].push_back({{"offset", pointer.offset}, {"buffer", pointer.buffer}});
  }
  return json;
}

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

std::vector<const BufferSpec *> Launch::buffers() const {
  std::vector<const BufferSpec *> all;
  for (const Param &param : params) {
    if (const auto *buffer = std::get_if<BufferParam>(&param))
      all.push_back(&buffer->buffer);
    else if (const auto *block = std::get_if<BytesParam>(&param))
      for (const BufferSpec &own : block->buffers)
        all.push_back(&own);
  }
  return all;
}

Result<Launch> parseLaunch(SourceRef json) { return LaunchReader(std::move(json)).read(); }

std::string toJson(const Launch &launch) {
  Ordered json;
  json["entry"] = launch.entry;
  json["grid"] = launch.grid;
  json["cluster"] = launch.cluster;
  json["block"] = launch.block;
  json["dynamic_smem"] = launch.dynamicSmem;
  json["params"] = Ordered::array();
  for (const Param &param : launch.params)
    json["params"].push_back(toOrdered(param));
  return json.dump(1, ' ', false, Ordered::error_handler_t::replace) + "\n";
}

} // namespace lanescope::core
