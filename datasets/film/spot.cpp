#include "datasets/film/spot.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <numbers>

namespace pithball::datasets {
namespace {

using Eigen::ArrayXd;
using std::numbers::pi;

/// The larger and the smaller eigenvalue of [[a, b], [b, c]].
std::pair<double, double> eigenvalues(double a, double b, double c) {
  const double middle = 0.5 * (a + c), half = std::hypot(0.5 * (a - c), b);
  return {middle + half, middle - half};
}

}  // namespace

Spot Spot::round(double x, double y, double height, double sigma) {
  return {SpotForm::Round, x, y, height, {1 / (sigma * sigma), 0, 0}};
}

int Spot::parameters() const { return form == SpotForm::Round ? 4 : form == SpotForm::Ring ? 5 : 6; }

bool Spot::is_valid() const {
  if (!std::isfinite(x + y + height) || !shape.allFinite()) return false;
  if (form == SpotForm::Ring) return shape[0] > 0 && shape[1] > 0;
  return shape[0] > 0 && (form == SpotForm::Round || eigenvalues(shape[0], shape[1], shape[2]).second > 0);
}

void Spot::compute(const ArrayXd& at_x, const ArrayXd& at_y, ArrayXd& brightness, Slopes* slopes) const {
  const ArrayXd dx = at_x - x, dy = at_y - y;
  if (form == SpotForm::Ring) {
    const double radius = shape[0], width = shape[1];
    const ArrayXd r = (dx.square() + dy.square()).sqrt();
    const ArrayXd u = (r - radius) / width, unit = (-0.5 * u.square()).exp();
    brightness = height * unit;
    if (!slopes) return;
    const ArrayXd by_radius = brightness * u / width;
    const ArrayXd inverse = (r > 0).select(1 / r, 0.0);  // at the center the slope has no direction
    slopes->col(0) = by_radius * dx * inverse;
    slopes->col(1) = by_radius * dy * inverse;
    slopes->col(2) = unit;
    slopes->col(3) = by_radius;
    slopes->col(4) = by_radius * u;
    return;
  }
  const bool is_round = form == SpotForm::Round;
  const double xx = shape[0], xy = shape[1], yy = is_round ? xx : shape[2];
  const ArrayXd px = xx * dx + xy * dy, py = xy * dx + yy * dy;  // P d
  const ArrayXd unit = (-0.5 * (dx * px + dy * py)).exp();
  brightness = height * unit;
  if (!slopes) return;
  slopes->col(0) = brightness * px;
  slopes->col(1) = brightness * py;
  slopes->col(2) = unit;
  if (is_round) {
    slopes->col(3) = -0.5 * brightness * (dx.square() + dy.square());
    return;
  }
  slopes->col(3) = -0.5 * brightness * dx.square();
  slopes->col(4) = -brightness * dx * dy;
  slopes->col(5) = -0.5 * brightness * dy.square();
}

Spot Spot::moved(const Eigen::VectorXd& step) const {
  Spot next = *this;
  next.x += step[0];
  next.y += step[1];
  next.height += step[2];
  for (int k = 3; k < parameters(); ++k) next.shape[k - 3] += step[k];
  return next;
}

double Spot::sigma() const { return form == SpotForm::Ring ? shape[1] : size() / std::numbers::sqrt2; }

double Spot::size() const {
  if (form == SpotForm::Ring) return shape[0];
  if (form == SpotForm::Round) return std::sqrt(2 / shape[0]);
  return std::sqrt((shape[0] + shape[2]) / (shape[0] * shape[2] - shape[1] * shape[1]));  // trace of P⁻¹
}

double Spot::elongation() const {
  if (form != SpotForm::Elliptical) return 1;
  const auto [large, small] = eigenvalues(shape[0], shape[1], shape[2]);
  return std::sqrt(large / small);
}

double Spot::integral() const {
  if (form == SpotForm::Round) return 2 * pi * height / shape[0];
  if (form == SpotForm::Elliptical) return 2 * pi * height / std::sqrt(shape[0] * shape[2] - shape[1] * shape[1]);
  // 2π h ∫ r exp(−(r − R)²/2w²) dr
  const double radius = shape[0], width = shape[1], u = radius / width;
  return 2 * pi * height * width *
         (width * std::exp(-0.5 * u * u) + radius * std::sqrt(pi / 2) * (1 + std::erf(u / std::numbers::sqrt2)));
}

double Spot::extent() const {
  constexpr double reach = 4.8;  // exp(−4.8²/2) = 10⁻⁵
  if (form == SpotForm::Ring) return shape[0] + reach * shape[1];
  const double smallest = form == SpotForm::Round ? shape[0] : eigenvalues(shape[0], shape[1], shape[2]).second;
  return reach / std::sqrt(smallest);
}

Spot Spot::sharpened(double bin) const {
  const double added = (bin * bin - 1) / 12;  // variance of a square's points in each direction, less that of a pixel
  if (added <= 0 || form == SpotForm::Ring) return *this;
  Spot sharp = *this;
  Eigen::Matrix2d precision;
  precision << shape[0], shape[1], shape[1], form == SpotForm::Round ? shape[0] : shape[2];
  const Eigen::Matrix2d variance = precision.inverse() - added * Eigen::Matrix2d::Identity();
  if (!(variance(0, 0) > 0 && variance.determinant() > 0)) return *this;
  precision = variance.inverse();
  sharp.shape = {precision(0, 0), precision(0, 1), form == SpotForm::Round ? 0 : precision(1, 1)};
  sharp.height *= integral() / sharp.integral();
  return sharp;
}

void Spot::add_to(Picture& picture, double factor) const {
  const double reach = extent();
  const auto first = [&](double center) { return std::max<Index>(0, static_cast<Index>(std::ceil(center - reach))); };
  const auto end = [&](double center, Index size) {
    return std::min(size, static_cast<Index>(std::floor(center + reach)) + 1);
  };
  const Index x0 = first(x), y0 = first(y), columns = end(x, picture.cols()) - x0, rows = end(y, picture.rows()) - y0;
  if (columns <= 0 || rows <= 0) return;
  if (form == SpotForm::Round) {  // the product of a function of x and one of y
    const auto profile = [&](Index count, double offset) {
      const ArrayXd d = ArrayXd::LinSpaced(count, 0, static_cast<double>(count - 1)) + offset;
      return ArrayXd((-0.5 * shape[0] * d.square()).exp());
    };
    const Eigen::ArrayXf along = (factor * height * profile(columns, x0 - x)).cast<float>();
    const Eigen::ArrayXf down = profile(rows, y0 - y).cast<float>();
    for (Index k = 0; k < rows; ++k) picture.row(y0 + k).segment(x0, columns) += down[k] * along.transpose();
    return;
  }
  const ArrayXd at_x = ArrayXd::LinSpaced(columns, x0, x0 + columns - 1);
  ArrayXd brightness;
  for (Index k = 0; k < rows; ++k) {
    compute(at_x, ArrayXd::Constant(columns, y0 + k), brightness, nullptr);
    picture.row(y0 + k).segment(x0, columns) += (factor * brightness).cast<float>().transpose();
  }
}

}  // namespace pithball::datasets
