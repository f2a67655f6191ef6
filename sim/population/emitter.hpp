#pragma once
#include <limits>

#include "sim/population/region.hpp"

namespace pithball::sim {

/// Emits particles: one every 1/rate seconds, starting in the middle of the first such interval, at a random point of a
/// region. A particle moves in a straight line from its emission to the end of the step.
struct Emitter {
  Region region;                                      ///< must have `point`
  double rate = 0;                                    ///< ≥ 0 [1/s]
  double start = 0,                                   ///< emission begins [s]
      end = std::numeric_limits<double>::infinity();  ///< emission ends [s]; infinite: never
  Vec3 velocity = Vec3::Zero();                       ///< mean [m/s]
  double velocity_spread = 0;  ///< standard deviation of each component, normally distributed [m/s]
  double lifetime = std::numeric_limits<double>::infinity();  ///< mean [s]; afterwards the particle is removed
  double lifetime_spread = 0;           ///< lifetimes are uniform within lifetime ± spread; less than the lifetime [s]
  std::vector<Index> like = {};         ///< template particles of the first model, used in turn; not empty
  std::vector<double> attributes = {};  ///< one for each name in the population

  /// Number of particles emitted through time t [s].
  long emitted(double t) const;
  /// Emission time of its particle k = 0, 1, … [s].
  double time_of(long k) const { return start + (k + 0.5) / rate; }

  /// Reads everything except the attributes.
  static Emitter read(const RegionInfo&, Settings&);
};

/// Removes particles within a region or outside it.
struct Sink {
  Region region;                                          ///< must have `contains`
  bool outside = false;                                   ///< removes particles outside the region instead
  double rate = std::numeric_limits<double>::infinity();  ///< rate of removal there [1/s]; infinite: immediately

  /// Whether a particle at x [m] can be removed.
  bool reaches(const Vec3& x) const { return region.contains(x) != outside; }

  /// Reads the region, `outside` and `rate`; rejects a rate that is not > 0.
  static Sink read(const RegionInfo&, Settings&);
};

}  // namespace pithball::sim
