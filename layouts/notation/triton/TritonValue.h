// The values inside Triton's attributes: integers, booleans, names, lists, dictionaries and attributes, with their
// places; and a reader that takes dictionary keys in any order. Private to notation/.
//
//   {vec = 8, order = [1, 0], transposed = false, parent = #ttg.blocked<{…}>, ctaLayout = {warp = [[0, 1]]}}
#pragma once

#include "layouts/linear/TritonLayout.h"
#include "layouts/notation/text/Scanner.h"

#include <functional>
#include <map>
#include <optional>

namespace lanescope::layouts {

struct TritonEntry;

struct TritonValue {
  enum class Kind { Integer, Boolean, Name, List, Dictionary, Encoding };
  Kind kind = Kind::Integer;
  Span span;
  int64_t integer = 0;
  std::string name;
  std::vector<TritonValue> items;
  std::vector<TritonEntry> entries;
  TritonParent encoding;
};
struct TritonEntry {
  std::string key;
  Span keySpan;
  TritonValue value;
};

/// Reads the attributes of one text. Keeps the aliases, the remarks and the depth of nesting.
class TritonReader {
public:
  TritonReader(Scanner &in, Diagnostics *remarks) : in(in), remarks_(remarks) {}

  /// Reads `#ttg.name<…>` or the name of an alias defined before.
  Result<TritonEncoding> encoding();
  /// Reads `tensor<…>` or `!ttg.memdesc<…>`.
  Result<Layout> type();
  /// Reads the attribute after `#name =`, at the reader's place, and keeps the alias. Returns false for a memory space,
  /// which is not a layout.
  Result<bool> define(std::string name);
  /// Makes a name stand for the attribute at an offset. The attribute is read at each use of the name.
  void alias(std::string name, uint32_t offset) { aliases_[std::move(name)] = offset; }
  bool knows(const std::string &name) const { return aliases_.contains(name); }
  /// Bits per element of the type being read; 0 outside types.
  int elementBits = 0;

  void remark(Span span, std::string message);
  Result<TritonValue> value();
  Result<TritonValue> dictionary();
  /// A key `=` value without braces.
  Result<TritonEntry> entry();
  /// Reads `#` and the name of an alias.
  Result<std::string> aliasName();

  Scanner &in;

private:
  Result<TritonEncoding> attribute(uint32_t begin);
  Result<std::string> memorySpace();

  Diagnostics *remarks_;
  std::map<std::string, uint32_t> aliases_;
  int depth_ = 0;
  int resolved_ = 0;
};

/// The keys of one attribute. Each getter marks its key as read, and reports an error at a value of the wrong kind.
class TritonFields {
public:
  TritonFields(TritonReader &reader, std::string_view attribute, Span place, std::vector<TritonEntry> entries)
      : reader_(reader), attribute_(attribute), place_(std::move(place)), entries_(std::move(entries)),
        used_(entries_.size(), false) {}

  bool has(std::string_view key) const;
  Span spanOf(std::string_view key) const;
  /// Returns null if the key is missing.
  const TritonValue *find(std::string_view key);
  Result<int> integer(std::string_view key, std::optional<int> fallback = std::nullopt);
  Result<bool> boolean(std::string_view key, bool fallback);
  Result<Shape> list(std::string_view key, std::optional<Shape> fallback = std::nullopt);
  Result<std::vector<LinearLayout::Basis>> bases(std::string_view key, bool required);
  Result<TritonParent> parent(std::string_view key);
  /// Reads `CGALayout`, or the older `CTAsPerCGA`, `CTASplitNum`, `CTAOrder`.
  Result<CgaBases> cga(size_t rank);
  /// Reads a linear layout from keys. Its outputs are dim0, …; `rank` is their number, or 0 to take it from the bases.
  Result<LinearLayout> linear(std::initializer_list<std::string_view> required,
                              std::initializer_list<std::string_view> optional, size_t rank = 0);
  /// Handles the keys that no getter read: reports an error at the first one, or remarks that they have no effect.
  Result<void> finish(bool ignoreUnknown = false);
  /// Adds a remark at a key (or at the attribute).
  void remark(std::string_view key, std::string message);
  [[nodiscard]] std::unexpected<Diagnostics> fail(std::string_view key, Message message) const;
  TritonReader &reader() { return reader_; }

private:
  [[nodiscard]] std::unexpected<Diagnostics> wrong(const TritonValue &value, std::string_view key,
                                                   std::string_view expected) const;
  std::unexpected<Diagnostics> missing(std::string_view key) const;

  TritonReader &reader_;
  std::string attribute_;
  Span place_;
  std::vector<TritonEntry> entries_;
  std::vector<bool> used_;
};

Result<Shape> integersOf(const TritonValue &value, std::string_view what);
Result<std::vector<LinearLayout::Basis>> basesOf(const TritonValue &value, std::string_view what);

} // namespace lanescope::layouts
