// A dump's page in the window: the chosen operation, the rows that light up with it, and the picture of a value's
// layout.
//
//   model.show(page, requests);
//   model.choose(10, requests);           // row 10: its first layout is drawn
//   model.linkOf(9)                        Link::Source: row 10 uses a value of row 9
//   model.whatIf("WGMMA_TRANSPOSED")       the console's entry that tries it
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
  /// The contents of the right side.
  enum class Side { Value, SharedMemory, TensorMemory, Page };

  Side side = Side::Value;
  SceneModel picture;
  std::string problem; // the reason why there is no picture
  std::string cast;    // the text of the what-if field
  bool dark = true;    // the picture's theme; call redraw() after a change

  bool empty() const { return !page_; }
  const DumpPage &page() const { return *page_; }
  /// Replaces the page. The chosen row stays chosen if the new page has a row with the same name at its index.
  void show(std::shared_ptr<const DumpPage> page, Requests &requests);

  size_t row() const { return row_; }
  size_t value() const { return value_; }
  /// Chooses a row, and its first value that has a picture, beginning with results. An index after the last row is
  /// ignored.
  void choose(size_t row, Requests &requests);
  void chooseValue(size_t value, Requests &requests);
  void showSide(Side wanted, Requests &requests);
  /// Draws the picture again in the current theme.
  void redraw(Requests &requests);
  /// Lights the rows that are linked with the row under the pointer. If there is none, lights those linked with the
  /// chosen row.
  void hover(std::optional<size_t> row) { hovered_ = row; }
  Link linkOf(size_t row) const;
  /// The value in words: its type, its layout, the origin of the layout, and the reason for it.
  std::string valueWords() const;
  /// The console's entry that puts the chosen value into the layout `text`; empty if no value is chosen.
  std::string whatIf(const std::string &text) const;

private:
  const DumpRowValue *chosen() const;

  std::shared_ptr<const DumpPage> page_;
  size_t row_ = 0, value_ = 0;
  std::optional<size_t> hovered_;
};

} // namespace lanescope::viz
