#pragma once
#include <string>
#include <vector>

#include "diff/rollout/rollout.hpp"
#include "optim/observation/observation.hpp"

namespace pithball::experiments::pendulum_encoder {

using sim::Index;

inline constexpr double length = 0.15;  ///< [m] of the rod: only gravity over length counts, and gravity is fitted
inline constexpr double standard_gravity = 9.81;  ///< [m/s²] as the authors take it
inline constexpr double sample_time = 0.01;       ///< [s]

/// What slows a bob of 1 kg on a rod of `length`: linear drag [kg/s], quadratic drag [kg/m], dry friction [N].
struct Slowing {
  double linear = 0, quadratic = 0, dry = 0;
};

/// One decay of the pendulum: the angle from the downward vertical [rad] in each sample.
struct Swing {
  std::string name;
  std::vector<double> angle;

  /// Rate [rad/s] at the first sample: slope of a cubic through fifteen samples by least squares.
  double starting_rate() const;
  /// A point mass of 1 kg on a stiff rod about the origin, with gravity. The frame of reference is turned so that the
  /// rod begins along −z: then the first angle and rate are the x components of position and velocity alone. `rest` is
  /// what the encoder shows at rest [rad].
  diff::Scenario scenario(double rest, const Slowing& slowing, double time_step) const;
  /// The point in that frame at each sample, from `validation_from` [s] on a forecast.
  optim::Observation observation(double validation_from) const;
};

/// The four segments of the set.
std::vector<Swing> read_swings(const std::string& folder);

/// The angle of a position in the frame of a swing [rad], minus the first.
double angle_of(const sim::Vec3& x);

}  // namespace pithball::experiments::pendulum_encoder
