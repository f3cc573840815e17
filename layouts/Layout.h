// A layout in any language: one of Mosaic's own classes, or one from elsewhere (CuTe, Triton, Tilus, TIRx, an
// instruction's fragment).
//
//   Layout mine = catalogue::wgmma(), theirs = *parseLayout(Source::make("cli", "((_4,_8,_4),(_2,_2,_8)):(…)"));
//   placement(theirs, {64, 64}, 32)  ->  an ElementMap: which thread and value holds which element
//
// A foreign layout keeps the form of its own language. The maps that it computes define its meaning. So a new language
// needs one subclass, a parser and a printer; all code that uses only maps (equality, difference, pictures, costs) then
// works with it.
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

/// The kind of place in which a layout puts elements.
enum class Memory { Registers, Shared, Tmem };
std::string_view name(Memory memory); // "registers", "shared memory", "tensor memory"

/// One line of `explain`: the name, the computation and its value: {"lane", "(9 % 8)*4 + (2 % 8)/2", "5"}.
struct ExplainStep {
  std::string what, how, value;
};

/// A layout of a language other than Mosaic GPU's. Immutable; shared by its copies.
class ForeignLayout {
public:
  virtual ~ForeignLayout() = default;
  /// The language's name, as `notation` takes it: "cute", "triton", "linear", "tilus", "tirx", "fragment".
  virtual std::string_view language() const = 0;
  /// Canonical text, which the language's parser reads back to an equal layout.
  virtual std::string text() const = 0;
  /// The memories that the layout has maps for, its natural one first. A plain CuTe layout has one for shared memory
  /// (coordinates -> offset) and, read as (thread, value) -> index, one for registers.
  virtual std::vector<Memory> memories() const = 0;
  /// The array that the layout is for, if the text names it (`tensor<128x64xf16, …>`, a CuTe layout's own shape).
  virtual std::optional<Shape> shape() const { return std::nullopt; }
  virtual std::optional<int> bitwidth() const { return std::nullopt; }
  /// The maps for each memory. The default implementations return errors that name the language and the missing map.
  virtual Result<ElementMap> elementMap(const Shape &shape) const;
  virtual Result<AddressMap> addressMap(const Shape &shape, int bitwidth) const;
  virtual Result<TmemMap> tmemMap(const Shape &shape, int bitwidth) const;
  /// The steps from an element's coordinates to its places. If empty, explain() derives them from the maps.
  virtual Result<std::vector<ExplainStep>> explain(const Shape &shape, const Shape &index) const;
};

/// A ForeignLayout as a value. Copies are cheap; two are equal if their language and text are.
class Foreign {
public:
  explicit Foreign(std::shared_ptr<const ForeignLayout> layout) : layout_(std::move(layout)) {}
  const ForeignLayout *operator->() const { return layout_.get(); }
  const ForeignLayout &operator*() const { return *layout_; }
  /// The layout as a class of its language; null if it is of another class.
  template <typename T> const T *as() const { return dynamic_cast<const T *>(layout_.get()); }
  std::shared_ptr<const ForeignLayout> shared() const { return layout_; }
  bool operator==(const Foreign &other) const;

private:
  std::shared_ptr<const ForeignLayout> layout_;
};

/// Any layout that a user can name or paste.
using Layout = std::variant<RegisterLayout, TMEMLayout, Foreign>;

/// The layout in its own language's canonical form; for Mosaic, this is JAX's Python form. The text parses back to an
/// equal layout.
std::string layoutText(const Layout &layout);
/// The language of the layout: "jax", or a foreign layout's language.
std::string_view languageOf(const Layout &layout);
/// The layout's natural memory.
Memory memoryOf(const Layout &layout);

} // namespace lanescope::layouts
