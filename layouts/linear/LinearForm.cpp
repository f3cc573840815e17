#include "layouts/linear/LinearForm.h"

#include "layouts/linear/TritonLinear.h"
#include "layouts/support/Text.h"
#include "layouts/XorMap.h"

#include <algorithm>
#include <array>
#include <bit>

namespace lanescope::layouts {

namespace {

constexpr int kMaxTableBits = 27;

std::unexpected<Diagnostics> notLinear(Message message) { return error("not-linear", std::move(message)); }

Result<std::vector<LinearLayout::Output>> outputsOf(const Shape &shape) {
  std::vector<LinearLayout::Output> outputs;
  for (int64_t size : shape) {
    if (!isPowerOfTwo(size) || size > (int64_t(1) << 30))
      return notLinear(
          Message("shape {shape} has a size of {size}, which is not a power of two, so the layout has no linear form",
                  tupleText(shape), size));
    outputs.push_back({standardName(outputs.size()), static_cast<int32_t>(size)});
  }
  return outputs;
}

std::string coordinates(int64_t element, const Shape &shape) {
  return element < 0 ? std::string("nothing") : tupleText(unravelIndex(element, shape));
}

/// Finds the linear layout with the flat table `table`. The bits of the index are split among `inputs` (name, bits),
/// lowest first. The table must have no holes. `place` names an index for messages.
template <typename Place>
Result<LinearLayout> fromTable(std::span<const int32_t> table, const Shape &shape,
                               const std::vector<std::pair<std::string_view, int>> &inputs, Place &&place) {
  Result<std::vector<LinearLayout::Output>> outputs = outputsOf(shape);
  if (!outputs)
    return std::unexpected(std::move(outputs.error()));
  if (table.empty() || !isPowerOfTwo(static_cast<int64_t>(table.size())))
    return notLinear(
        Message("the layout has {count} places, which is not a power of two, so it has no linear form", table.size()));
  if (table[0] != 0)
    return notLinear(Message("the layout has no linear form: {} holds {}, where a linear layout has element {}",
                             place(0), coordinates(table[0], shape), coordinates(0, shape)));
  for (size_t k = 1; k < table.size(); ++k) {
    size_t high = std::bit_floor(k), low = k ^ high;
    if (table[k] < 0)
      return notLinear(Message("the layout has no linear form: {} holds nothing", place(k)));
    if (low != 0 && table[k] != (table[high] ^ table[low]))
      return notLinear(
          Message("the layout has no linear form: {} holds {} and {} holds {}, so {} would hold {}, but it holds {}",
                  place(low), coordinates(table[low], shape), place(high), coordinates(table[high], shape), place(k),
                  coordinates(table[high] ^ table[low], shape), coordinates(table[k], shape)));
  }
  std::vector<LinearLayout::Input> named;
  size_t bit = 0;
  for (auto [name, bits] : inputs) {
    LinearLayout::Input input{std::string(name), {}};
    for (int i = 0; i < bits; ++i, ++bit) {
      LinearLayout::Basis basis;
      for (int64_t c : unravelIndex(table[size_t(1) << bit], shape))
        basis.push_back(static_cast<int32_t>(c));
      input.bases.push_back(std::move(basis));
    }
    named.push_back(std::move(input));
  }
  return LinearLayout::make(std::move(named), *std::move(outputs));
}

Result<LinearLayout> formOf(const ElementMap &map, std::optional<ThreadGrid> grid) {
  int lanes = std::min(map.threadsPerWarp(), map.threads());
  ThreadGrid threads = grid.value_or(ThreadGrid{lanes, map.threads() / lanes, 1});
  if (int64_t(threads.lanes) * threads.warps * threads.blocks != map.threads() || !isPowerOfTwo(threads.lanes) ||
      !isPowerOfTwo(threads.warps) || !isPowerOfTwo(threads.blocks))
    return notLinear(
        Message("the layout has {threads} threads, not a power of two in whole warps, so it has no linear form",
                map.threads()));
  if (!isPowerOfTwo(map.values()))
    return notLinear(
        Message("each thread has {values} values, which is not a power of two, so the layout has no linear form",
                map.values()));
  auto place = [&](size_t k) {
    auto value = static_cast<int>(k % static_cast<size_t>(map.values()));
    return text("register ", value, " of thread ", k / static_cast<size_t>(map.values()));
  };
  return fromTable(map.elements(), map.shape(),
                   {{kRegister, log2Exact(map.values())},
                    {kLane, log2Exact(threads.lanes)},
                    {kWarp, log2Exact(threads.warps)},
                    {kBlock, log2Exact(threads.blocks)}},
                   place);
}

Result<LinearLayout> formOf(const AddressMap &map) {
  int bits = isPowerOfTwo(map.extent()) ? log2Exact(map.extent()) : 0;
  if (map.sparse())
    return notLinear(Message(
        "the layout has no linear form: its {elements} elements are spread over {} offsets, most of which hold nothing",
        map.offsets().size(), map.extent()));
  return fromTable(map.image(), map.shape(), {{kOffset, bits}}, [](size_t k) { return text("offset ", k); });
}

Result<LinearLayout> formOf(const TmemMap &map) {
  int width = map.columns() * map.packing();
  if (!isPowerOfTwo(width))
    return notLinear(Message(
        "the layout takes {columns} columns, which is not a power of two, so it has no linear form", map.columns()));
  size_t count = map.elements().size();
  std::vector<int32_t> table(count);
  for (int lane = 0; lane < kTmemLanes; ++lane)
    for (int column = 0; column < width; ++column)
      table[static_cast<size_t>(column) * kTmemLanes + static_cast<size_t>(lane)] =
          map.elements()[static_cast<size_t>(lane) * width + static_cast<size_t>(column)];
  // If all cells that have a bit set are empty, the bit selects no place. Fill them with the elements of the cells
  // without the bit, so that its basis is zero.
  for (size_t bit = 1; bit < count; bit *= 2) {
    if (table[bit] >= 0)
      continue;
    for (size_t k = 0; k < count; ++k)
      if (k & bit) {
        if (table[k] >= 0 && table[k ^ bit] != table[k])
          return notLinear(Message("the layout has no linear form: lane {lane}, column {column} holds {}, although "
                                   "lane {}, column {} holds nothing",
                                   k % kTmemLanes, k / kTmemLanes, coordinates(table[k], map.shape()), bit % kTmemLanes,
                                   bit / kTmemLanes));
        table[k] = table[k ^ bit];
      }
  }
  return fromTable(table, map.shape(), {{kRow, log2Exact(kTmemLanes)}, {kColumn, log2Exact(width)}},
                   [](size_t k) { return text("lane ", k % kTmemLanes, ", column ", k / kTmemLanes); });
}

struct Role {
  std::string_view role;
  std::initializer_list<std::string_view> names;
};
const std::array<Role, 8> kRoles = {{
    {kRegister, {"register", "registers", "reg", "R", "r"}},
    {kLane, {"lane", "lanes", "thread", "T", "t", "L"}},
    {kWarp, {"warp", "warps", "W", "w"}},
    {kBlock, {"block", "blocks", "cta", "B"}},
    {kOffset, {"offset", "O", "S"}},
    {kPartition, {"partition", "P"}},
    {kRow, {"row"}},
    {kColumn, {"col", "column"}},
}};

std::string_view roleOf(std::string_view name) {
  for (const Role &role : kRoles)
    if (std::find(role.names.begin(), role.names.end(), name) != role.names.end())
      return role.role;
  return {};
}

/// The layout with its dimensions in the array's order: by number if the outputs are dim0, dim1, … in any order;
/// otherwise as listed.
LinearLayout inArrayOrder(const LinearLayout &linear) {
  LinearLayout result = linear;
  std::vector<std::string> standard = standardNames(linear.outputs().size()), sorted = linear.outputNames();
  std::sort(sorted.begin(), sorted.end());
  std::vector<std::string> expected = standard;
  std::sort(expected.begin(), expected.end());
  if (sorted == expected)
    result.orderOutputs(standard);
  return result;
}

/// The flat bases of the inputs, joined in the order of `roles`. `bits` receives the number of bits of each role.
Result<std::vector<uint64_t>> rolesInOrder(const LinearLayout &linear, const Shape &shape, Memory memory,
                                           const std::vector<std::string_view> &roles, std::vector<int> &bits) {
  Result<LinearRoles> known = linearRoles(linear);
  if (!known)
    return std::unexpected(std::move(known.error()));
  if (known->memory != memory)
    return error("layout-memory", Message("the linear layout's inputs are those of {memory}, not of {}",
                                          name(known->memory), name(memory)));
  LinearLayout ordered = inArrayOrder(linear);
  if (ordered.outputShape() != shape)
    return error("layout-shape", Message("the linear layout is for shape {shape}, not {other_shape}",
                                         tupleText(ordered.outputShape()), tupleText(shape)));
  std::vector<uint64_t> flat = ordered.flatBases(), joined;
  int total = 0;
  for (std::string_view role : roles) {
    size_t bit = 0;
    bits.push_back(0);
    for (size_t i = 0; i < known->names.size(); ++i) {
      size_t count = ordered.inputs()[i].bases.size();
      if (known->names[i] == role) {
        bits.back() = static_cast<int>(count);
        joined.insert(joined.end(), flat.begin() + static_cast<std::ptrdiff_t>(bit),
                      flat.begin() + static_cast<std::ptrdiff_t>(bit + count));
      }
      bit += count;
    }
    total += bits.back();
  }
  if (total > kMaxTableBits)
    return error("map-too-large",
                 Message("the map would have 2^{} entries; at most 2^{} are supported", total, kMaxTableBits));
  if (ordered.outputBits() > kMaxTableBits)
    return error("map-too-large",
                 Message("shape {shape} has more than 2^{} elements", tupleText(shape), kMaxTableBits));
  return joined;
}

} // namespace

std::vector<int32_t> xorTable(const std::vector<uint64_t> &bases) {
  std::vector<int32_t> table(size_t(1) << bases.size());
  xorSums(std::vector<int32_t>(bases.begin(), bases.end()), table.data());
  return table;
}

Result<LinearLayout> linearForm(const Placement &placement, std::optional<ThreadGrid> grid) {
  if (const auto *map = std::get_if<ElementMap>(&placement))
    return formOf(*map, grid);
  if (const auto *map = std::get_if<AddressMap>(&placement))
    return formOf(*map);
  return formOf(std::get<TmemMap>(placement));
}

Result<LinearRoles> linearRoles(const LinearLayout &layout) {
  LinearRoles roles{Memory::Registers, {}};
  bool registers = false, shared = false, tmem = false;
  for (const LinearLayout::Input &input : layout.inputs()) {
    std::string_view role = roleOf(input.name);
    if (role.empty())
      return error("linear-names", Message("input `{input}` is no place that the maps know; they know register, lane, "
                                           "warp and block (R, T, W, B), offset and partition, or row and col",
                                           input.name));
    registers |= role == kRegister || role == kLane || role == kWarp;
    shared |= role == kOffset || role == kPartition;
    tmem |= role == kRow || role == kColumn;
    if (std::find(roles.names.begin(), roles.names.end(), role) != roles.names.end())
      return error("linear-names", Message("two inputs stand for the {}", role));
    roles.names.emplace_back(role);
  }
  if (registers + shared + tmem > 1)
    return error("linear-names", "the inputs mix registers, shared memory and tensor memory");
  roles.memory = shared ? Memory::Shared : tmem ? Memory::Tmem : Memory::Registers;
  return roles;
}

Result<ElementMap> elementMapFrom(const LinearLayout &linear, Layout layout, const Shape &shape) {
  std::vector<int> bits;
  Result<std::vector<uint64_t>> bases =
      rolesInOrder(linear, shape, Memory::Registers, {kRegister, kLane, kWarp, kBlock}, bits);
  if (!bases)
    return std::unexpected(std::move(bases.error()));
  return ElementMap::fromTable(std::move(layout), shape, 1 << (bits[1] + bits[2] + bits[3]), 1 << bits[0], 1,
                               xorTable(*bases), 1 << bits[1]);
}

Result<AddressMap> addressMapFrom(const LinearLayout &linear, std::string title, const Shape &shape, int bitwidth,
                                  const std::vector<std::pair<int64_t, int64_t>> &padding) {
  std::vector<int> bits;
  Result<std::vector<uint64_t>> bases =
      rolesInOrder(linear, shape, Memory::Shared, {kOffset, kPartition, kBlock}, bits);
  if (!bases)
    return std::unexpected(std::move(bases.error()));
  auto padded = [&](int64_t offset) {
    int64_t out = offset;
    for (auto [interval, skipped] : padding)
      out += saturatingMultiply(offset / interval, skipped);
    return out;
  };
  int64_t part = int64_t(1) << bits[0], partExtent = padded(part - 1) + 1;
  std::vector<int32_t> table = xorTable(*bases);
  if (saturatingMultiply(partExtent, static_cast<int64_t>(table.size()) / part) > (int64_t(1) << kMaxTableBits))
    return error("map-too-large", Message("with its padding the layout has more than 2^{} offsets", kMaxTableBits));
  std::vector<int32_t> offsets(static_cast<size_t>(elementCount(shape)), -1);
  for (size_t k = table.size(); k-- > 0;) {
    auto index = static_cast<int64_t>(k);
    offsets[static_cast<size_t>(table[k])] =
        static_cast<int32_t>(padding.empty() ? index : index / part * partExtent + padded(index % part));
  }
  auto hole = std::find(offsets.begin(), offsets.end(), -1);
  if (hole != offsets.end())
    return error("layout-shape", Message("no offset holds element {}", coordinates(hole - offsets.begin(), shape)));
  return AddressMap::make(std::move(title), shape, bitwidth, std::move(offsets));
}

Result<TmemMap> tmemMapFrom(const LinearLayout &linear, Layout layout, const Shape &shape, int bitwidth) {
  std::vector<int> bits;
  Result<std::vector<uint64_t>> bases = rolesInOrder(linear, shape, Memory::Tmem, {kRow, kColumn, kBlock}, bits);
  if (!bases)
    return std::unexpected(std::move(bases.error()));
  if (bits[0] > 7)
    return error("tmem-lanes",
                 Message("the layout has 2^{} rows; tensor memory has {limit} lanes", bits[0], kTmemLanes));
  if (!isPowerOfTwo(bitwidth) || bitwidth > 32)
    return error("tmem-bitwidth",
                 Message("elements of {bits} bits do not go to tensor memory; 1 to 32 do, powers of two", bitwidth));
  // fp4Padded counts columns in bytes; all other encodings count columns in elements.
  int packing = kTmemCellBits / bitwidth, width = 1 << (bits[1] + bits[2]);
  int columns = (width + packing - 1) / packing;
  if (columns > kTmemColumns)
    return error("tmem-columns", Message("the layout takes {columns} columns of tensor memory, which has {limit}",
                                         columns, kTmemColumns));
  uint64_t empty = 0; // place bits whose cells are empty
  for (size_t bit = 0; bit < bases->size(); ++bit)
    if ((*bases)[bit] == 0 && !(bit < static_cast<size_t>(bits[0]) && (bit == 5 || bit == 6)))
      empty |= uint64_t(1) << bit;
  for (size_t bit = static_cast<size_t>(bits[0] + bits[1]); bit < bases->size(); ++bit)
    empty &= ~(uint64_t(1) << bit); // these bits number blocks, whose cells may hold copies
  std::vector<int32_t> table = xorTable(*bases);
  std::vector<int32_t> cells(static_cast<size_t>(kTmemLanes) * columns * packing, -1);
  for (size_t k = 0; k < table.size(); ++k) {
    if (k & empty)
      continue;
    size_t row = k & ((size_t(1) << bits[0]) - 1), column = k >> bits[0];
    cells[row * static_cast<size_t>(columns) * packing + column] = table[k];
  }
  return TmemMap::fromTable(std::move(layout), shape, bitwidth, columns, packing, cells);
}

} // namespace lanescope::layouts
