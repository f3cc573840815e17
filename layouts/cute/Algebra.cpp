#include "layouts/cute/Algebra.h"

#include "layouts/support/Text.h"

#include <algorithm>
#include <numeric>

namespace lanescope::layouts::cute {

namespace {

using lanescope::text;

/// Compositions of up to this many coordinates are compared with A(B(c)) one by one.
constexpr int64_t kVerified = 1 << 16;

Leaf integer(int64_t value, bool isStatic) { return Leaf{.isStatic = isStatic, .value = value}; }

Leaf scaled(const Leaf &stride, const Leaf &factor, Checked &checked) {
  Leaf out = stride;
  out.value = checked.times(stride.value, factor.value);
  out.isStatic = stride.isStatic && factor.isStatic;
  return out;
}

int64_t ceilDiv(int64_t a, int64_t b) { return a / b + (a % b != 0); }

/// True if results that depend only on the shape are static integers.
bool allStatic(const Layout &layout) { return std::ranges::all_of(leavesOf(layout.shape), &Leaf::isStatic); }

bool isOne(const Leaf &leaf) { return leaf.kind == Leaf::Kind::Int && leaf.value == 1; }
bool isInt(const Leaf &leaf) { return leaf.kind == Leaf::Kind::Int; }

Layout fromModes(const std::vector<FlatMode> &modes) {
  if (modes.empty())
    return {IntTuple(1, true), IntTuple(0, true)};
  Layout out{IntTuple::of({}), IntTuple::of({})};
  for (const FlatMode &mode : modes) {
    out.shape.items.emplace_back(mode.size);
    out.stride.items.emplace_back(mode.stride);
  }
  return {unwrap(std::move(out.shape)), unwrap(std::move(out.stride))};
}

/// Merges neighbouring modes that continue each other; drops sizes of 1.
std::vector<FlatMode> merged(const std::vector<FlatMode> &modes) {
  std::vector<FlatMode> out;
  for (const FlatMode &mode : modes) {
    if (isOne(mode.size))
      continue;
    if (!out.empty()) {
      FlatMode &last = out.back();
      Checked checked;
      if (isInt(last.size) && isInt(last.stride) && isInt(mode.size) && isInt(mode.stride) &&
          last.stride.basis == mode.stride.basis &&
          checked.times(last.size.value, last.stride.value) == mode.stride.value &&
          checked.times(last.size.value, mode.size.value) <= kMaxInt && !checked.overflowed()) {
        last.size.value *= mode.size.value;
        last.size.isStatic = last.size.isStatic && mode.size.isStatic;
        continue;
      }
    }
    out.push_back(mode);
  }
  return out;
}

/// Coalesces so that the function stays the same beyond its domain too: a last mode of size 1 keeps its stride.
std::vector<FlatMode> extended(const Layout &layout) {
  std::vector<FlatMode> modes = flatModes(layout);
  if (modes.empty())
    modes.push_back({integer(1, true), integer(0, true)});
  if (isOne(modes.back().size))
    modes.back().size.value = 2;
  return merged(modes);
}

Result<Layout> finished(Layout layout, const Checked &checked) {
  if (checked.overflowed())
    return error("cute-range", "the result is too large: sizes, strides and offsets up to 2^60 are supported");
  return Layout::make(std::move(layout.shape), std::move(layout.stride));
}

std::unexpected<Diagnostics> indivisible(std::string_view which, const std::vector<FlatMode> &outer, size_t at,
                                         const Leaf &size, const Leaf &stride, std::string_view why) {
  return error(
      "cute-divisibility",
      Message(
          "`{}` cannot be composed with the mode `{}:{}`: the {} divisibility condition fails at mode {}, `{}:{}`: {}",
          cppText(fromModes(outer)), cppText(size), cppText(stride), which, at, cppText(outer[at].size),
          cppText(outer[at].stride), why));
}

/// Composes outer o size:stride, for one mode of the inner layout. `outer` is extended().
Result<Layout> composeMode(const std::vector<FlatMode> &outer, const Leaf &size, const Leaf &stride, Checked &checked) {
  Leaf step = stride;
  step.basis.clear();
  if (step.value == 0)
    return Layout{size, step};
  if (outer.size() == 1)
    return Layout{size, scaled(outer[0].stride, step, checked)};
  std::vector<FlatMode> result;
  Leaf rest = size;
  for (size_t i = 0; i + 1 < outer.size(); ++i) {
    const FlatMode &mode = outer[i];
    int64_t extent = mode.size.value, reach = std::abs(step.value);
    if (rest.value != 1) {
      bool within = checked.times(rest.value - 1, reach) < extent;
      if (reach % extent != 0 && extent % reach != 0 && !within)
        return indivisible("stride", outer, i, size, stride,
                           text(reach < extent ? extent : reach, " is not a multiple of ", std::min(reach, extent)));
      int64_t count = std::min(ceilDiv(extent, reach), rest.value);
      if (count != 1) {
        if (rest.value % count != 0)
          return indivisible("shape", outer, i, size, stride, text(rest.value, " is not a multiple of ", count));
        result.push_back(
            {integer(count, mode.size.isStatic && rest.isStatic && step.isStatic), scaled(mode.stride, step, checked)});
        rest = integer(rest.value / count, rest.isStatic && mode.size.isStatic && step.isStatic);
      }
    }
    step = integer(ceilDiv(reach, extent) * (step.value < 0 ? -1 : 1), step.isStatic && mode.size.isStatic);
  }
  if (result.empty() || rest.value != 1)
    result.push_back({rest, scaled(outer.back().stride, step, checked)});
  return fromModes(result);
}

/// The mode of `layout` that a basis vector selects.
Result<Layout> modeAt(const Layout &layout, const std::vector<int> &basis) {
  Layout mode = layout;
  for (int i : basis) {
    if (i < 0 || static_cast<size_t>(i) >= mode.rank())
      return error("cute-basis", Message("`@{}` points at a mode that `{}` does not have", i, cppText(mode)));
    Layout inner = mode.mode(static_cast<size_t>(i));
    mode = std::move(inner);
  }
  return mode;
}

Result<Layout> composeTree(const Layout &outer, const IntTuple &shape, const IntTuple &stride, Checked &checked) {
  if (!shape.isTuple) {
    Result<Layout> mode = modeAt(outer, stride.leaf.basis);
    return mode ? composeMode(extended(*mode), shape.leaf, stride.leaf, checked) : mode;
  }
  std::vector<Layout> modes;
  for (size_t i = 0; i < shape.items.size(); ++i) {
    Result<Layout> mode = composeTree(outer, shape.items[i], stride.items[i], checked);
    if (!mode)
      return mode;
    modes.push_back(*std::move(mode));
  }
  return makeLayout(modes);
}

/// Verifies that the result is outer(inner(c)) for each c. Carries between the modes of `outer`, which the code above
/// ignores, can make it differ.
Result<void> verify(const Layout &outer, const Layout &inner, const Layout &result) {
  if (inner.size() > kVerified)
    return {};
  std::vector<std::vector<int>> inputs = basesOf(inner), outputs = basesOf(outer);
  for (const std::vector<int> &output : outputs) {
    std::vector<int64_t> found = valuesOf(along(result, output)), wanted(found.size(), 0);
    for (const std::vector<int> &input : inputs) {
      Result<Layout> mode = modeAt(outer, input);
      if (!mode)
        return std::unexpected(std::move(mode.error()));
      std::vector<FlatMode> part = flatModes(along(*mode, output));
      std::vector<int64_t> indices = valuesOf(along(inner, input));
      if (std::ranges::any_of(indices, [](int64_t i) { return i < 0; }))
        return {}; // a layout is not defined for negative indices
      for (size_t i = 0; i < wanted.size(); ++i)
        wanted[i] += valueAt(part, indices[i]);
    }
    for (size_t i = 0; i < wanted.size(); ++i)
      if (wanted[i] != found[i])
        return error("cute-divisibility", Message("`{layout}` composed with `{other_layout}` is no layout: at index "
                                                  "{index} it is {}, where the composition of its modes gives {}",
                                                  cppText(outer), cppText(inner), i, wanted[i], found[i]));
  }
  return {};
}

Result<Layout> mapLeaves(const Layout &layout, auto &&function) {
  if (!layout.shape.isTuple)
    return function(layout.shape.leaf, layout.stride.leaf);
  std::vector<Layout> modes;
  for (size_t i = 0; i < layout.rank(); ++i) {
    Result<Layout> mode = mapLeaves(layout.mode(i), function);
    if (!mode)
      return mode;
    modes.push_back(*std::move(mode));
  }
  return makeLayout(modes);
}

/// Modes of a coalesced layout in the order of their strides, each with the index where it starts.
struct Indexed {
  FlatMode mode;
  Leaf start;
};
std::vector<Indexed> byStride(const Layout &layout) {
  std::vector<Indexed> out;
  Leaf start = integer(1, allStatic(layout));
  for (FlatMode &mode : flatModes(coalesce(layout))) {
    Leaf next = integer(start.value * mode.size.value, start.isStatic && mode.size.isStatic);
    out.push_back({std::move(mode), start});
    start = next;
  }
  std::ranges::sort(out, {}, [](const Indexed &i) { return std::pair(i.mode.stride.value, i.start.value); });
  return out;
}

/// Converts a layout with coordinate values to one with their colexicographic index as values: @0 runs fastest. CuTe
/// inverts such layouts in this way.
Result<Layout> flattenedCodomain(const Layout &layout, std::string_view what) {
  if (!hasBasis(layout.stride))
    return layout;
  std::vector<std::vector<int>> bases = basesOf(layout);
  if (std::ranges::find(bases, std::vector<int>()) != bases.end())
    return error("cute-basis",
                 Message("{} needs strides of one kind; `{layout}` mixes integers and `@`", what, cppText(layout)));
  Checked checked;
  std::vector<int64_t> weights;
  int64_t weight = 1;
  for (const std::vector<int> &basis : bases) {
    weights.push_back(weight);
    weight = checked.times(weight, cosizeOf(along(layout, basis)));
  }
  auto replace = [&](auto &&self, IntTuple &stride) -> void {
    if (!stride.isTuple) {
      auto found = std::ranges::find(bases, stride.leaf.basis);
      if (found != bases.end())
        stride.leaf.value = checked.times(stride.leaf.value, weights[static_cast<size_t>(found - bases.begin())]);
      stride.leaf.basis.clear();
    }
    for (IntTuple &item : stride.items)
      self(self, item);
  };
  Layout out = layout;
  replace(replace, out.stride);
  return finished(std::move(out), checked);
}

} // namespace

Result<Tiler> Tiler::ofShape(const IntTuple &shape) {
  if (shape.isTuple) {
    std::vector<Tiler> modes;
    for (const IntTuple &item : shape.items) {
      Result<Tiler> mode = ofShape(item);
      if (!mode)
        return mode;
      modes.push_back(*std::move(mode));
    }
    return of(std::move(modes));
  }
  if (shape.leaf.kind == Leaf::Kind::Whole)
    return whole();
  Result<Layout> layout = Layout::make(shape, integer(1, shape.leaf.isStatic));
  if (!layout)
    return std::unexpected(std::move(layout.error()));
  return of(*std::move(layout));
}

std::string cppText(const Tiler &tiler) {
  if (tiler.kind == Tiler::Kind::Whole)
    return "_";
  if (tiler.kind == Tiler::Kind::Layout)
    return cppText(tiler.layout);
  // A single mode in round parentheses would read as a parenthesised layout.
  bool round = tiler.modes.size() > 1;
  std::string out = round ? "(" : "[";
  for (size_t i = 0; i < tiler.modes.size(); ++i)
    out += (i > 0 ? "," : "") + cppText(tiler.modes[i]);
  return out + (round ? ")" : "]");
}

std::string dslText(const Tiler &tiler) {
  if (tiler.kind == Tiler::Kind::Whole)
    return "_";
  if (tiler.kind == Tiler::Kind::Layout)
    return dslText(tiler.layout);
  std::string out = "[";
  for (size_t i = 0; i < tiler.modes.size(); ++i)
    out += (i > 0 ? ";" : "") + dslText(tiler.modes[i]);
  return out + "]";
}

int depthOf(const Tiler &tiler) {
  int depth = 0;
  for (const Tiler &mode : tiler.modes)
    depth = std::max(depth, depthOf(mode) + 1);
  return depth;
}

Layout coalesce(const Layout &layout) { return fromModes(merged(flatModes(layout))); }

Result<Layout> coalesce(const Layout &layout, const IntTuple &profile) {
  if (!profile.isTuple)
    return coalesce(layout);
  if (profile.rank() > layout.rank() || !layout.shape.isTuple)
    return error("cute-rank", Message("the profile `{profile}` has {modes} modes, but `{layout}` has {rank}",
                                      dslText(profile), profile.rank(), cppText(layout), layout.rank()));
  std::vector<Layout> modes;
  for (size_t i = 0; i < layout.rank(); ++i) {
    Result<Layout> mode = i < profile.rank() ? coalesce(layout.mode(i), profile.items[i]) : layout.mode(i);
    if (!mode)
      return mode;
    modes.push_back(*std::move(mode));
  }
  return makeLayout(modes);
}

Layout filter(const Layout &layout) {
  std::vector<FlatMode> modes = flatModes(layout);
  std::erase_if(modes, [](const FlatMode &mode) { return isInt(mode.stride) && mode.stride.value == 0; });
  return fromModes(merged(modes));
}

Result<Layout> composition(const Layout &outer, const Layout &inner) {
  for (const Layout *layout : {&outer, &inner})
    if (Result<void> known = requireKnown(*layout, "a composition"); !known)
      return std::unexpected(std::move(known.error()));
  Checked checked;
  Result<Layout> result = composeTree(outer, inner.shape, inner.stride, checked);
  if (!result)
    return result;
  result = finished(*std::move(result), checked);
  if (!result)
    return result;
  if (Result<void> verified = verify(outer, inner, *result); !verified)
    return std::unexpected(std::move(verified.error()));
  return result;
}

Result<Layout> composition(const Layout &outer, const Tiler &tiler) {
  switch (tiler.kind) {
  case Tiler::Kind::Whole: return outer;
  case Tiler::Kind::Layout: return composition(outer, tiler.layout);
  case Tiler::Kind::Tuple: break;
  }
  if (tiler.modes.size() > outer.rank())
    return error("cute-rank", Message("the tiler `{tiler}` has {modes} modes, but `{layout}` has {rank}",
                                      dslText(tiler), tiler.modes.size(), cppText(outer), outer.rank()));
  std::vector<Layout> modes;
  for (size_t i = 0; i < tiler.modes.size(); ++i) {
    Result<Layout> mode = composition(outer.mode(i), tiler.modes[i]);
    if (!mode)
      return mode;
    modes.push_back(*std::move(mode));
  }
  return finished(makeLayout(modes), {});
}

Result<Layout> complement(const Layout &layout, std::optional<int64_t> cotarget) {
  if (Result<void> integers = requireIntegers(layout, "a complement"); !integers)
    return std::unexpected(std::move(integers.error()));
  if (cotarget && (*cotarget < 1 || *cotarget > kMaxInt))
    return error("cute-range", Message("the target of the complement is {}; targets go from 1 to 2^60", *cotarget));
  std::vector<FlatMode> modes;
  Layout filtered = filter(layout);
  int64_t target = cotarget.value_or(cosizeOf(filtered));
  for (FlatMode &mode : flatModes(filtered))
    if (!isOne(mode.size))
      modes.push_back(std::move(mode));
  std::ranges::sort(modes, {}, [](const FlatMode &mode) { return std::pair(mode.stride.value, mode.size.value); });
  bool isStatic = allStatic(layout);
  std::vector<FlatMode> result;
  Checked checked;
  int64_t next = 1;
  for (const FlatMode &mode : modes) {
    if (mode.stride.value < next)
      return error(
          "cute-injective",
          Message(
              "`{layout}` has no complement: its mode `{}:{}` overlaps the values below {} that its other modes reach",
              cppText(layout), cppText(mode.size), cppText(mode.stride), next));
    result.push_back({integer(mode.stride.value / next, isStatic && mode.stride.isStatic), integer(next, isStatic)});
    next = checked.times(mode.stride.value, mode.size.value);
  }
  result.push_back({integer(ceilDiv(target, next), isStatic), integer(next, isStatic)});
  return finished(fromModes(merged(result)), checked);
}

Result<Layout> rightInverse(const Layout &layout) {
  if (Result<void> known = requireKnown(layout, "an inverse"); !known)
    return std::unexpected(std::move(known.error()));
  Result<Layout> plain = flattenedCodomain(layout, "an inverse");
  if (!plain)
    return plain;
  std::vector<FlatMode> result;
  int64_t next = 1;
  for (const Indexed &indexed : byStride(*plain)) {
    if (indexed.mode.stride.value != next)
      continue;
    result.push_back({indexed.mode.size, indexed.start});
    next *= indexed.mode.size.value;
  }
  return finished(fromModes(merged(result)), {});
}

Result<Layout> leftInverse(const Layout &layout) {
  if (Result<void> known = requireKnown(layout, "an inverse"); !known)
    return std::unexpected(std::move(known.error()));
  Result<Layout> plain = flattenedCodomain(layout, "an inverse");
  if (!plain)
    return plain;
  // Each mode of the result extends up to the stride of the next mode of `layout`. So it also covers a gap in the
  // values between the two modes.
  std::vector<FlatMode> result;
  Leaf stride = integer(0, allStatic(layout)), last = integer(1, allStatic(layout));
  int64_t filled = 1, reached = 1; // values below `reached` belong to the modes before
  Checked checked;
  for (const Indexed &indexed : byStride(*plain)) {
    const Leaf &own = indexed.mode.stride;
    last = indexed.mode.size;
    if (own.value == 0)
      continue;
    if (own.value < 0 || own.value % filled != 0)
      return error("cute-divisibility",
                   Message("`{layout}` has no left inverse that is a layout: its mode `{}:{}` {}", cppText(layout),
                           cppText(indexed.mode.size), cppText(own),
                           own.value < 0 ? std::string("runs backwards")
                                         : text("has a stride that is not a multiple of ", filled)));
    if (own.value < reached && !isOne(indexed.mode.size))
      return error("cute-injective", Message("`{layout}` has no left inverse: its mode `{}:{}` overlaps the values "
                                             "below {} that its other modes reach",
                                             cppText(layout), cppText(indexed.mode.size), cppText(own), reached));
    reached = checked.times(own.value, indexed.mode.size.value);
    result.push_back({integer(own.value / filled, own.isStatic), stride});
    filled = own.value;
    stride = indexed.start;
  }
  result.push_back({last, stride});
  return finished(fromModes(merged(result)), checked);
}

Result<Layout> maxCommonLayout(const Layout &a, const Layout &b) {
  Result<Layout> inverse = rightInverse(b);
  Result<Layout> common = inverse ? composition(a, *inverse) : inverse;
  if (!common)
    return common;
  FlatMode first = flatModes(coalesce(*common)).front();
  if (first.stride.value != 1 || !first.stride.basis.empty())
    return Layout{IntTuple(1, true), IntTuple(0, true)};
  return composition(*inverse, Layout{first.size, first.stride});
}

Result<Layout> upcast(const Layout &layout, int64_t factor) {
  if (factor < 1 || factor > kMaxInt)
    return error("cute-range", Message("elements cannot become {} times as wide", factor));
  if (Result<void> integers = requireIntegers(layout, "a recast"); !integers)
    return std::unexpected(std::move(integers.error()));
  auto wider = [&](const Leaf &size, const Leaf &stride) -> Result<Layout> {
    if (stride.value == 0)
      return Layout{size, stride};
    int64_t step = std::abs(stride.value);
    if (step % factor != 0 && factor % step != 0)
      return error(
          "cute-divisibility",
          Message("elements {} times as wide do not fit the mode `{}:{}`: neither of {step} and {} divides the other",
                  factor, cppText(size), cppText(stride), step, factor));
    return Layout{integer(ceilDiv(size.value, ceilDiv(factor, step)), size.isStatic && stride.isStatic),
                  integer(ceilDiv(step, factor) * (stride.value < 0 ? -1 : 1), stride.isStatic)};
  };
  return mapLeaves(layout, wider);
}

Result<Layout> downcast(const Layout &layout, int64_t factor) {
  if (factor < 1 || factor > kMaxInt)
    return error("cute-range", Message("elements cannot become narrower by {}", factor));
  if (Result<void> integers = requireIntegers(layout, "a recast"); !integers)
    return std::unexpected(std::move(integers.error()));
  if (factor > 1 && std::ranges::none_of(leavesOf(layout.stride), isOne))
    return error("cute-divisibility", Message("`{layout}` has no mode of stride 1 whose elements could be split in {}",
                                              cppText(layout), factor));
  Checked checked;
  auto narrower = [&](const Leaf &size, const Leaf &stride) -> Result<Layout> {
    Leaf times = integer(factor, true);
    if (std::abs(stride.value) == 1)
      return Layout{scaled(size, times, checked), stride};
    return Layout{size, scaled(stride, times, checked)};
  };
  Result<Layout> out = mapLeaves(layout, narrower);
  return out ? finished(*std::move(out), checked) : out;
}

Result<Layout> recast(const Layout &layout, int64_t fromBits, int64_t toBits) {
  if (fromBits < 1 || toBits < 1)
    return error("cute-range", "the widths of a recast are in bits, from 1 up");
  int64_t common = std::gcd(fromBits, toBits);
  Result<Layout> wide = upcast(layout, toBits / common);
  return wide && fromBits != common ? downcast(*wide, fromBits / common) : wide;
}

} // namespace lanescope::layouts::cute
