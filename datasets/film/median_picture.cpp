#include "datasets/film/median_picture.hpp"

#include <algorithm>
#include <numeric>

#include "sim/core/error.hpp"

namespace pithball::datasets {

Picture median_picture(const std::vector<Picture>& pictures) {
  if (pictures.empty()) throw InvalidArgument({"background", "", "needs at least one picture", "none", ""});
  Picture median = pictures.front();
  for (const Picture& picture : pictures)
    if (picture.rows() != median.rows() || picture.cols() != median.cols())
      throw InvalidArgument({"background", "", "needs pictures of one size", "two sizes", ""});
  std::vector<float> values(pictures.size());
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  for (Index k = 0; k < median.size(); ++k) {
    for (std::size_t p = 0; p < pictures.size(); ++p) values[p] = pictures[p].data()[k];
    std::ranges::nth_element(values, middle);
    median.data()[k] =
        values.size() % 2 == 1 ? *middle : std::midpoint(*middle, *std::max_element(values.begin(), middle));
  }
  return median;
}

}  // namespace pithball::datasets
