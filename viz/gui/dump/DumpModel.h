// A dump's page in the window: which operation is chosen, what lights up with it, the picture of a value's layout.
//
//   model.show(page, requests);
//   model.choose(10, requests);           // row 10: its first layout is drawn
//   model.linkOf(9)                        Link::Source: row 10 takes something of row 9
//   model.whatIf("WGMMA_TRANSPOSED")       the console's entry that asks for it
#pragma once

#include "viz/gui/canvas/SceneModel.h"
#include "viz/host/Host.h"
#include "viz/host/Requests.h"

#include <memory>
#include <optional>
#include <string>

namespace lanescope::viz {

class DumpModel {
public:
  enum class Link { None, Chosen, Source, User };
  /// What the right side shows.
  enum class Side { Value, SharedMemory, TensorMemory, Page };

  Side side = Side::Value;
  SceneModel picture;
  std::string problem; // why there is no picture
  std::string cast;    // the field of what if
  bool dark = true;    // of the picture; redraw() after a change

  bool empty() const { return !page_; }
  const DumpPage &page() const { return *page_; }
  /// Replaces the page; the row that was chosen stays chosen where there is one of its name.
  void show(std::shared_ptr<const DumpPage> page, Requests &requests);

  size_t row() const { return row_; }
  size_t value() const { return value_; }
  /// Chooses a row, and of it the first value that has a picture; rows behind the last are ignored.
  void choose(size_t row, Requests &requests);
  void chooseValue(size_t value, Requests &requests);
  void showSide(Side wanted, Requests &requests);
  /// Draws the picture again, in the theme.
  void redraw(Requests &requests);
  /// The row under the pointer lights up what goes with it; nothing: the chosen one does.
  void hover(std::optional<size_t> row) { hovered_ = row; }
  Link linkOf(size_t row) const;
  /// The value in words: its type, its layout, where it comes from, and why.
  std::string valueWords() const;
  /// The entry for the console that puts the chosen value into the layout `text`; empty where none is chosen.
  std::string whatIf(const std::string &text) const;

private:
  const DumpRowValue *chosen() const;

  std::shared_ptr<const DumpPage> page_;
  size_t row_ = 0, value_ = 0;
  std::optional<size_t> hovered_;
};

} // namespace lanescope::viz
