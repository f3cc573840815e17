#include "viz/gui/data/DataModel.h"

#include "layouts/support/Text.h"

#include <algorithm>

namespace lanescope::viz {

namespace {
/// The first slice of an array that consists of several slices. Empty for an image, which has only one.
layouts::Shape firstSlice(const ArrayNumbers &numbers) {
  size_t rank = numbers.array.shape.size();
  return layouts::Shape(numbers.image || rank <= 2 ? 0 : rank - 2, 0);
}

bool fits(const layouts::Shape &slice, const ArrayNumbers &numbers) {
  if (slice.size() != firstSlice(numbers).size())
    return false;
  for (size_t d = 0; d < slice.size(); ++d)
    if (slice[d] >= numbers.array.shape[d])
      return false;
  return true;
}
} // namespace

void DataModel::show(DataRequest request, Requests &requests) {
  std::string before = empty() ? std::string() : request_.items[chosen_].name;
  request_ = std::move(request);
  auto at = std::ranges::find(request_.items, before, &DataRequest::Item::name);
  chosen_ = at == request_.items.end() ? 0 : size_t(at - request_.items.begin());
  if (at == request_.items.end() || !fits(slice_, numbers()))
    slice_ = firstSlice(numbers());
  redraw(requests);
}

void DataModel::choose(size_t item, Requests &requests) {
  if (item >= request_.items.size())
    return;
  chosen_ = item;
  slice_ = firstSlice(numbers());
  redraw(requests);
}

void DataModel::setSlice(layouts::Shape slice, Requests &requests) {
  slice_ = std::move(slice);
  redraw(requests);
}

void DataModel::redraw(Requests &requests) {
  if (empty())
    return;
  ArraySceneOptions options{slice_, dark ? ColourTheme::Dark : ColourTheme::Light};
  requests.post("data", [this, options, numbers = request_.items[chosen_].numbers]() -> Requests::Delivery {
    auto scene = arrayScene(numbers, options);
    if (!scene)
      return [this, why = scene.error().front().message] {
        picture.clear();
        problem = why;
      };
    if (scene->raster)
      scene->raster->prepare();
    auto prepared = std::make_shared<const PreparedScene>(*std::move(scene));
    return [this, prepared] {
      problem.clear();
      picture.show(prepared);
    };
  });
}

std::vector<std::string> DataModel::words() const {
  if (empty())
    return {};
  std::vector<std::string> out = {request_.title, arrayWords(numbers())};
  if (request_.items.size() > 1)
    for (const DataRequest::Item &item : request_.items)
      out.push_back(item.name);
  if (!slice_.empty())
    out.push_back(text("slice ", joined(slice_, ", ")));
  if (!problem.empty())
    out.push_back(problem);
  return out;
}

} // namespace lanescope::viz
