// Arrays and images of a file: which one is shown, which slice of it, its picture.
//
//   DataModel model;
//   model.show(request, requests);        // drawn on the worker
//   model.setSlice({2}, requests);        // of an array of rank 3: element (2, i, j) at row i, column j
//
// No Dear ImGui in here.
#pragma once

#include "viz/gui/canvas/SceneModel.h"
#include "viz/host/Host.h"
#include "viz/host/Requests.h"

namespace lanescope::viz {

class DataModel {
public:
  SceneModel picture;
  std::string problem; // why there is no picture
  bool dark = true;    // of the picture; redraw() after a change

  bool empty() const { return request_.items.empty(); }
  const DataRequest &request() const { return request_; }
  /// The array of the same name stays chosen, with its slice where it still fits.
  void show(DataRequest request, Requests &requests);
  size_t chosen() const { return chosen_; }
  const ArrayNumbers &numbers() const { return *request_.items[chosen_].numbers; }
  void choose(size_t item, Requests &requests);
  /// Indices of leading dimensions; of an array of rank 3 and more all but the last two at first.
  const layouts::Shape &slice() const { return slice_; }
  void setSlice(layouts::Shape slice, Requests &requests);
  void redraw(Requests &requests);
  /// What is read in the view.
  std::vector<std::string> words() const;

private:
  DataRequest request_;
  size_t chosen_ = 0;
  layouts::Shape slice_;
};

} // namespace lanescope::viz
