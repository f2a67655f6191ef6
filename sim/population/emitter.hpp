#pragma once
#include <limits>

#include "sim/population/region.hpp"

namespace pithball::sim {

/// Lets particles into a run: one every 1/rate seconds, from the middle of the first such interval on, at a random
/// point of a region. A particle flies on straight from the instant of its emission to the end of the step.
struct Emitter {
  Region region;
  double rate = 0;                                                  ///< ≥ 0 [1/s]
  double start = 0, end = std::numeric_limits<double>::infinity();  ///< emits for start ≤ t ≤ end [s]
  Vec3 velocity = Vec3::Zero();                                     ///< mean [m/s]
  double velocity_spread = 0;  ///< standard deviation of each component, normally distributed [m/s]
  double lifetime = std::numeric_limits<double>::infinity();  ///< mean [s], after which a particle is gone
  double lifetime_spread = 0;    ///< even within lifetime ± spread; less than the lifetime [s]
  std::vector<Index> like = {};  ///< particles of the first model, in turn, whose values emitted ones have; not empty
  std::vector<double> attributes = {};  ///< one for each name of the population

  /// How many particles it has emitted through time t [s].
  long emitted(double t) const;
  /// When it emits its particle k = 0, 1, … [s].
  double time_of(long k) const { return start + (k + 0.5) / rate; }

  /// Reads everything but the attributes.
  static Emitter read(const RegionInfo&, Settings&);
};

/// Takes particles out of a run, within a region or outside it.
struct Sink {
  Region region;
  bool outside = false;
  double rate = std::numeric_limits<double>::infinity();  ///< chance to be taken there, in 1/s; infinite: at once

  bool reaches(const Vec3& x) const { return region.contains(x) != outside; }

  static Sink read(const RegionInfo&, Settings&);
};

}  // namespace pithball::sim
