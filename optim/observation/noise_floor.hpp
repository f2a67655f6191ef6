#pragma once
#include <vector>

#include "optim/observation/observation.hpp"

namespace pithball::optim {

/// One component of one marker, and its noise.
struct NoisySeries {
  std::vector<double> values;  ///< F; NaN: missing
  double sigma = 0;            ///< its noise, from differences; in the unit of the values
};

/// The fast part of a recording's spectrum in units of its noise. Every 16 consecutive samples of a series (or W, if
/// there are fewer) are taken as a sum of the orthonormal polynomials of their times,
///    x_f = Σ_k c_k φ_k(t_f),  k = 0 … W − 1,  σ_k² = mean over windows and series of (c_k/σ)².
/// The coefficients of independent noise have its variance at every degree k. Those of a smooth motion fall faster than
/// exponentially beyond k = W ω Δt/2, because φ_k has k sign changes and a frequency of about k/(2 W Δt). The last 7/16
/// of the degrees are compared: with 10 frames per period they show noise only, and are level. A motion with few frames
/// per period has lines or a slope there. Outliers, which lie beyond 4σ of what the other degrees predict, are removed,
/// up to two of a window, each with its share of the degrees of freedom.
struct NoiseFloor {
  int degrees = 0;    ///< K: that are compared; 0: too few frames
  double level = 0;   ///< mean of σ_k²; 1: as from differences
  double values = 0;  ///< ν: independent coefficients of one degree, fewer than there are if the series are correlated
  double ratio = 0;  ///< of likelihoods, ν Σ ln(level/σ_k²) by Bartlett: χ² with K − 1 degrees of freedom for noise
  double tilt = 0;     ///< ln of the mean σ_k² of the slower half of these degrees over that of the faster half
  double spoiled = 0;  ///< part of the degrees of freedom that is lost to windows with more than two outliers, and to
                       ///< outliers between 4σ and 20σ

  /// Whether the spectrum is level and as high as the differences suggest, each within this many standard deviations of
  /// noise.
  bool is_level(double deviations) const;
};

/// The noise floor of series with these F times. At most 64 windows of a series are used, evenly spaced.
NoiseFloor find_noise_floor(const std::vector<double>& times, const std::vector<NoisySeries>& series);

}  // namespace pithball::optim
