// A layout in any language: Mosaic's own classes, or one that came from elsewhere (CuTe, Triton, Tilus, TIRx, an
// instruction's fragment).
//
//   Layout mine = catalogue::wgmma(), theirs = *parseLayout(Source::make("cli", "((_4,_8,_4),(_2,_2,_8)):(…)"));
//   placement(theirs, {64, 64}, 32)  ->  an ElementMap: which thread and value holds which element
//
// A foreign layout keeps its own language's form; what it means is the maps that it makes of itself. So a new language
// is one subclass with its parser and printer, and everything that rests on the maps (equality, difference, pictures,
// costs) takes it at once.
#pragma once

#include "layouts/RegisterLayout.h"
#include "layouts/TmemLayout.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace lanescope::layouts {

class ElementMap;
class AddressMap;
class TmemMap;

/// Where a layout puts elements.
enum class Memory { Registers, Shared, Tmem };
std::string_view name(Memory memory); // "registers", "shared memory", "tensor memory"

/// One line of `explain`: what is computed, and its value: {"lane", "(9 % 8)*4 + (2 % 8)/2", "5"}.
struct ExplainStep {
  std::string what, how, value;
};

/// A layout of a language other than Mosaic GPU's. Immutable; shared by its copies.
class ForeignLayout {
public:
  virtual ~ForeignLayout() = default;
  /// "cute", "triton", "linear", "tilus", "tirx", "fragment": the names that `notation` takes.
  virtual std::string_view language() const = 0;
  /// Canonical text, which the language's parser reads back to an equal layout.
  virtual std::string text() const = 0;
  /// The memories that the layout can be asked about, its natural one first. A plain CuTe layout answers for shared
  /// memory (coordinates -> offset) and, read as (thread, value) -> index, for registers.
  virtual std::vector<Memory> memories() const = 0;
  /// The array that the layout is for, where the text says so (`tensor<128x64xf16, …>`, a CuTe layout's own shape).
  virtual std::optional<Shape> shape() const { return std::nullopt; }
  virtual std::optional<int> bitwidth() const { return std::nullopt; }
  /// The maps, by memory. The defaults are errors that name the language and what it lacks.
  virtual Result<ElementMap> elementMap(const Shape &shape) const;
  virtual Result<AddressMap> addressMap(const Shape &shape, int bitwidth) const;
  virtual Result<TmemMap> tmemMap(const Shape &shape, int bitwidth) const;
  /// The arithmetic from an element's coordinates to its places, step by step; empty: explain() reads it off the maps.
  virtual Result<std::vector<ExplainStep>> explain(const Shape &shape, const Shape &index) const;
};

/// A ForeignLayout as a value: copies are cheap, equality is that of language and text.
class Foreign {
public:
  explicit Foreign(std::shared_ptr<const ForeignLayout> layout) : layout_(std::move(layout)) {}
  const ForeignLayout *operator->() const { return layout_.get(); }
  const ForeignLayout &operator*() const { return *layout_; }
  /// The layout as one of its language's class; null when it is of another.
  template <typename T> const T *as() const { return dynamic_cast<const T *>(layout_.get()); }
  std::shared_ptr<const ForeignLayout> shared() const { return layout_; }
  bool operator==(const Foreign &other) const;

private:
  std::shared_ptr<const ForeignLayout> layout_;
};

/// Any layout that a user can name or paste.
using Layout = std::variant<RegisterLayout, TMEMLayout, Foreign>;

/// The layout in its own language's canonical form (Mosaic's: JAX's Python form); parses back.
std::string layoutText(const Layout &layout);
/// "jax", or the foreign layout's language.
std::string_view languageOf(const Layout &layout);
/// The memory that the layout is about first of all.
Memory memoryOf(const Layout &layout);

} // namespace lanescope::layouts
