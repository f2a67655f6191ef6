#include "datasets/capture/capture_spec.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "sim/core/error.hpp"
#include "sim/core/text.hpp"

namespace pithball::datasets {

std::array<std::string, 3> axes_with_up(std::string_view up) {
  if (up == "z") return {"x", "y", "z"};
  if (up == "-z") return {"x", "-y", "-z"};
  if (up == "y") return {"x", "-z", "y"};
  if (up == "-y") return {"x", "z", "-y"};
  if (up == "x") return {"y", "z", "x"};
  if (up == "-x") return {"y", "-z", "-x"};
  throw InvalidArgument({"", "up", "must be x, y, z, -x, -y or -z", "'" + std::string(up) + "'",
                         "give the axis of the file that points up"});
}

sim::Mat3 matrix_of(const CaptureFrame& frame, const std::string& where) {
  const double scale = frame.scale.value_or(1);
  if (!std::isfinite(scale) || scale <= 0)
    throw InvalidArgument({where, "scale", "must be finite and > 0", to_text(scale),
                           "give meters per unit of the file; flip axes with 'axes'"});
  sim::Mat3 matrix = sim::Mat3::Zero();
  for (std::size_t a = 0; a < 3; ++a) {
    const std::string& word = frame.axes[a];
    const double sign = word.starts_with('-') ? -1 : 1;
    const std::string name = sign < 0 ? word.substr(1) : word;
    const auto source = name.size() == 1 ? std::string("xyz").find(name) : std::string::npos;
    if (source == std::string::npos || matrix.col(source).any())
      throw InvalidArgument({where, "axes", "must contain each of x, y, z once, with or without '-'", "'" + word + "'",
                             "write for example [x, -z, y]"});
    matrix(a, source) = sign * scale;
  }
  return matrix;
}

Index axis_of(const sim::Mat3& matrix, Index a) {
  Index source = 0;
  matrix.row(a).cwiseAbs().maxCoeff(&source);
  return source;
}

sim::Vec3 factors_of(const sim::Mat3& matrix) {
  sim::Vec3 factors;
  for (Index a = 0; a < 3; ++a) factors[a] = matrix(a, axis_of(matrix, a));
  return factors;
}

sim::Points to_meters(const sim::Mat3& matrix, const sim::Points& raw) {
  sim::Points x(3, raw.cols());
  for (Index a = 0; a < 3; ++a) {
    const Index source = axis_of(matrix, a);
    x.row(a) = matrix(a, source) * raw.row(source);
  }
  return x;
}

void mask_numbers(const std::vector<double>& missing, const std::array<bool, 3>& recorded, Index column,
                  sim::Points& raw) {
  bool any_is_missing = false, all_are = true, any = false;
  for (Index a = 0; a < 3; ++a) {
    if (!recorded[a]) continue;
    const bool is_listed = std::ranges::find(missing, raw(a, column)) != missing.end();
    any = true;
    all_are = all_are && is_listed;
    any_is_missing = any_is_missing || (is_listed && raw(a, column) != 0);
  }
  if (any_is_missing || (any && all_are)) raw.col(column).setConstant(std::numeric_limits<double>::quiet_NaN());
}

std::vector<Index> kept_frames(const FrameSubset& subset, const std::vector<double>& time, const std::string& where) {
  if (subset.skip_first < 0 || subset.skip_last < 0)
    throw InvalidArgument({where, "skip_first and skip_last", "must be >= 0", "", "give the number of frames to skip"});
  if (subset.every < 1)
    throw InvalidArgument({where, "every", "must be >= 1", std::to_string(subset.every), "1 keeps all frames"});
  std::vector<Index> kept;
  Index inside = 0;
  for (Index k = subset.skip_first; k < static_cast<Index>(time.size()) - subset.skip_last; ++k) {
    const double t = time[k];
    if (!(t >= subset.from && t <= subset.to)) continue;
    if (inside++ % subset.every == 0) kept.push_back(k);
  }
  if (kept.empty())
    throw InvalidArgument({where, "frames", "must leave at least one frame",
                           "none of " + std::to_string(time.size()) + " frames between " + to_text(time.front()) +
                               " s and " + to_text(time.back()) + " s",
                           "reduce `skip_first` or `skip_last`, or widen `from` and `to`"});
  return kept;
}

}  // namespace pithball::datasets
