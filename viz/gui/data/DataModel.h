// The arrays and images of a file: the one that is shown, its slice, and its picture.
//
//   DataModel model;
//   model.show(request, requests);        // drawn on the worker
//   model.setSlice({2}, requests);        // for an array of rank 3: element (2, i, j) at row i, column j
//
// No Dear ImGui.
#pragma once

#include "viz/gui/canvas/SceneModel.h"
#include "viz/host/Host.h"
#include "viz/host/Requests.h"

namespace lanescope::viz {

class DataModel {
public:
  SceneModel picture;
  std::string problem; // the reason why there is no picture
  bool dark = true;    // the picture's theme; call redraw() after a change

  bool empty() const { return request_.items.empty(); }
  const DataRequest &request() const { return request_; }
  /// Shows the arrays of a file. If an array has the name of the chosen one, it is chosen, with the same slice if that
  /// is valid.
  void show(DataRequest request, Requests &requests);
  size_t chosen() const { return chosen_; }
  const ArrayNumbers &numbers() const { return *request_.items[chosen_].numbers; }
  void choose(size_t item, Requests &requests);
  /// The indices of the leading dimensions. At first, an array of rank 3 or more has an index for each dimension except
  /// the last two.
  const layouts::Shape &slice() const { return slice_; }
  void setSlice(layouts::Shape slice, Requests &requests);
  void redraw(Requests &requests);
  /// The facts that the view shows, in words.
  std::vector<std::string> words() const;

private:
  DataRequest request_;
  size_t chosen_ = 0;
  layouts::Shape slice_;
};

} // namespace lanescope::viz
