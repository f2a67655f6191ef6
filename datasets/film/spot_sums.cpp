#include "datasets/film/spot_sums.hpp"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "datasets/film/spot_sums.cpp"
#include <hwy/foreach_target.h>

#include <hwy/highway.h>

#include <hwy/contrib/math/math-inl.h>

HWY_BEFORE_NAMESPACE();
namespace pithball::datasets::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using Tag = hn::CappedTag<double, 8>;
using Vector = hn::Vec<Tag>;

/// h exp(−r²/2σ²) and its slopes by x, y, h = 1 and 1/σ².
struct RoundSlopes {
  static constexpr int count = 4;
  HWY_ATTR explicit RoundSlopes(const Spot& spot) : precision(hn::Set(Tag(), spot.shape[0])) {}
  HWY_ATTR void compute(Vector dx, Vector dy, Vector* slopes) const {
    const Vector minus_half = hn::Set(Tag(), -0.5);
    const Vector half_square = hn::Mul(minus_half, hn::MulAdd(dx, dx, hn::Mul(dy, dy)));
    const Vector unit = hn::Exp(Tag(), hn::Mul(half_square, precision));
    const Vector steep = hn::Mul(unit, precision);
    slopes[0] = hn::Mul(steep, dx);
    slopes[1] = hn::Mul(steep, dy);
    slopes[2] = unit;
    slopes[3] = hn::Mul(unit, half_square);
  }
  Vector precision;
};

/// h exp(−dᵀ P d/2), and its slopes by x, y, h = 1, P_xx, P_xy and P_yy.
struct EllipticalSlopes {
  static constexpr int count = 6;
  HWY_ATTR explicit EllipticalSlopes(const Spot& spot)
      : xx(hn::Set(Tag(), spot.shape[0])), xy(hn::Set(Tag(), spot.shape[1])), yy(hn::Set(Tag(), spot.shape[2])) {}
  HWY_ATTR void compute(Vector dx, Vector dy, Vector* slopes) const {
    const Vector minus_half = hn::Set(Tag(), -0.5);
    const Vector px = hn::MulAdd(xx, dx, hn::Mul(xy, dy)), py = hn::MulAdd(xy, dx, hn::Mul(yy, dy));
    const Vector unit = hn::Exp(Tag(), hn::Mul(minus_half, hn::MulAdd(dx, px, hn::Mul(dy, py))));
    const Vector along = hn::Mul(unit, dx), down = hn::Mul(unit, dy);
    slopes[0] = hn::Mul(unit, px);
    slopes[1] = hn::Mul(unit, py);
    slopes[2] = unit;
    slopes[3] = hn::Mul(minus_half, hn::Mul(along, dx));
    slopes[4] = hn::Neg(hn::Mul(along, dy));
    slopes[5] = hn::Mul(minus_half, hn::Mul(down, dy));
  }
  Vector xx, xy, yy;
};

/// h exp(−(r − R)²/2w²), and its slopes by x, y, h = 1, R and w.
struct RingSlopes {
  static constexpr int count = 5;
  HWY_ATTR explicit RingSlopes(const Spot& spot)
      : radius(hn::Set(Tag(), spot.shape[0])), inverse_width(hn::Set(Tag(), 1 / spot.shape[1])) {}
  HWY_ATTR void compute(Vector dx, Vector dy, Vector* slopes) const {
    const Vector r = hn::Sqrt(hn::MulAdd(dx, dx, hn::Mul(dy, dy)));
    const Vector u = hn::Mul(hn::Sub(r, radius), inverse_width);
    const Vector unit = hn::Exp(Tag(), hn::Mul(hn::Set(Tag(), -0.5), hn::Mul(u, u)));
    const Vector by_radius = hn::Mul(hn::Mul(unit, u), inverse_width);
    const auto is_outside = hn::Gt(r, hn::Zero(Tag()));  // at the center the slope has no direction
    const Vector by_distance = hn::IfThenElseZero(is_outside, hn::Div(by_radius, r));
    slopes[0] = hn::Mul(by_distance, dx);
    slopes[1] = hn::Mul(by_distance, dy);
    slopes[2] = unit;
    slopes[3] = by_radius;
    slopes[4] = hn::Mul(by_radius, u);
  }
  Vector radius, inverse_width;
};

/// Sums that grow by a vector of pixels at a time.
template <class Slopes>
struct Sums {
  static constexpr int columns = Slopes::count + 1;
  HWY_ATTR Sums() {
    for (int i = 0; i < columns; ++i) {
      right[i] = hn::Zero(Tag());
      for (int j = 0; j <= i; ++j) products[i][j] = hn::Zero(Tag());
    }
  }
  HWY_ATTR HWY_INLINE void add(const Slopes& slopes, Vector dx, Vector dy, Vector brightness, Vector weight) {
    Vector column[columns];
    slopes.compute(dx, dy, column);
    for (int i = 0; i < Slopes::count; ++i) {
      const Vector weighted = hn::Mul(weight, column[i]);
      for (int j = 0; j <= i; ++j) products[i][j] = hn::MulAdd(weighted, column[j], products[i][j]);
      products[columns - 1][i] = hn::Add(products[columns - 1][i], weighted);
      right[i] = hn::MulAdd(weighted, brightness, right[i]);
    }
    products[columns - 1][columns - 1] = hn::Add(products[columns - 1][columns - 1], weight);
    right[columns - 1] = hn::MulAdd(weight, brightness, right[columns - 1]);
  }
  Vector products[columns][columns], right[columns];
};

template <class Slopes>
HWY_ATTR void sum_form(const WeightedPixels& pixels, const Spot& spot, SlopeSums& result) {
  const Tag tag;
  const Slopes slopes(spot);
  const Vector x = hn::Set(tag, spot.x), y = hn::Set(tag, spot.y);
  Sums<Slopes> sums;
  const auto lanes = static_cast<Index>(hn::Lanes(tag));
  Index k = 0;
  for (; k + lanes <= pixels.count; k += lanes)
    sums.add(slopes, hn::Sub(hn::LoadU(tag, pixels.x + k), x), hn::Sub(hn::LoadU(tag, pixels.y + k), y),
             hn::LoadU(tag, pixels.brightness + k), hn::LoadU(tag, pixels.weights + k));
  if (k < pixels.count) {  // what is left, with the weight 0 behind it
    const auto mask = hn::FirstN(tag, static_cast<std::size_t>(pixels.count - k));
    sums.add(slopes, hn::Sub(hn::MaskedLoad(mask, tag, pixels.x + k), x),
             hn::Sub(hn::MaskedLoad(mask, tag, pixels.y + k), y), hn::MaskedLoad(mask, tag, pixels.brightness + k),
             hn::MaskedLoad(mask, tag, pixels.weights + k));
  }
  for (int i = 0; i < Sums<Slopes>::columns; ++i) {
    result.with_brightness[i] = hn::GetLane(hn::SumOfLanes(tag, sums.right[i]));
    for (int j = 0; j <= i; ++j) result.products(i, j) = hn::GetLane(hn::SumOfLanes(tag, sums.products[i][j]));
  }
}

template <class Slopes>
HWY_ATTR void weigh_form(const WeightedPixels& pixels, const Spot& spot, const PixelNoise& noise, double* weights) {
  const Tag tag;
  const Slopes slopes(spot);
  const double floor = noise.floor * noise.floor;
  const Vector x = hn::Set(tag, spot.x), y = hn::Set(tag, spot.y),
               growth = hn::Set(tag, noise.gain * std::max(spot.height, 0.0));
  const Vector even = hn::Set(tag, floor), least = hn::Set(tag, 0.1 * floor), one = hn::Set(tag, 1.0);
  const auto weight = [&](Vector at_x, Vector at_y) HWY_ATTR {
    Vector columns[Slopes::count];
    slopes.compute(hn::Sub(at_x, x), hn::Sub(at_y, y), columns);
    return hn::Div(one, hn::Max(hn::MulAdd(growth, columns[2], even), least));
  };
  const auto lanes = static_cast<Index>(hn::Lanes(tag));
  Index k = 0;
  for (; k + lanes <= pixels.count; k += lanes)
    hn::StoreU(weight(hn::LoadU(tag, pixels.x + k), hn::LoadU(tag, pixels.y + k)), tag, weights + k);
  if (k == pixels.count) return;
  const auto mask = hn::FirstN(tag, static_cast<std::size_t>(pixels.count - k));
  hn::BlendedStore(weight(hn::MaskedLoad(mask, tag, pixels.x + k), hn::MaskedLoad(mask, tag, pixels.y + k)), mask, tag,
                   weights + k);
}

HWY_ATTR void weigh_here(const WeightedPixels& pixels, const Spot& spot, const PixelNoise& noise, double* weights) {
  if (spot.form == SpotForm::Round)
    weigh_form<RoundSlopes>(pixels, spot, noise, weights);
  else if (spot.form == SpotForm::Elliptical)
    weigh_form<EllipticalSlopes>(pixels, spot, noise, weights);
  else
    weigh_form<RingSlopes>(pixels, spot, noise, weights);
}

HWY_ATTR void sum_slopes_here(const WeightedPixels& pixels, const Spot& spot, SlopeSums& result) {
  if (spot.form == SpotForm::Round)
    sum_form<RoundSlopes>(pixels, spot, result);
  else if (spot.form == SpotForm::Elliptical)
    sum_form<EllipticalSlopes>(pixels, spot, result);
  else
    sum_form<RingSlopes>(pixels, spot, result);
}

}  // namespace pithball::datasets::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace pithball::datasets {

HWY_EXPORT(sum_slopes_here);
HWY_EXPORT(weigh_here);

SlopeSums sum_slopes(const WeightedPixels& pixels, const Spot& spot) {
  SlopeSums sums;
  HWY_DYNAMIC_DISPATCH(sum_slopes_here)(pixels, spot, sums);
  return sums;
}

void compute_weights(const Eigen::ArrayXd& x, const Eigen::ArrayXd& y, const Spot& spot, const PixelNoise& noise,
                     Eigen::ArrayXd& weights) {
  weights.resize(x.size());
  if (noise.gain > 0)
    HWY_DYNAMIC_DISPATCH(weigh_here)({x.data(), y.data(), nullptr, nullptr, x.size()}, spot, noise, weights.data());
  else
    weights.setConstant(1 / (noise.floor * noise.floor));
}

}  // namespace pithball::datasets

#endif
