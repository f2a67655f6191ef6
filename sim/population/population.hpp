#pragma once
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "sim/core/counter_noise.hpp"
#include "sim/core/settings.hpp"
#include "sim/core/state.hpp"
#include "sim/model/model.hpp"
#include "sim/population/roster.hpp"

namespace pithball::sim {

/// A region of space, for emitters and sinks.
struct Region {
  /// Whether it contains a point [m]; false for a region without volume.
  std::function<bool(const Vec3&)> contains = {};
  /// The point [m] for three numbers in (0, 1), uniform over its volume (or area) if these are; none for an unbounded
  /// region.
  std::function<Vec3(const Vec3&)> point = {};
};

/// A kind of region, as named in an experiment.
struct RegionInfo {
  std::string name;                       ///< the key: "disc"
  std::string summary;                    ///< description, in a phrase
  std::function<Region(Settings&)> make;  ///< reads the region's own settings, [m]
  bool emits = false,                     ///< has `point`: for emitters
      takes = false;                      ///< has `contains`: for sinks
};

/// All kinds of regions.
const std::vector<RegionInfo>& regions();

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

/// Emitters, sinks and attributes of a run.
struct PopulationRules {
  std::vector<Emitter> emitters = {};           ///< in the order of their numbers; may be empty
  std::vector<Sink> sinks = {};                 ///< a particle leaves by the first that takes it
  std::vector<std::string> attributes = {};     ///< names
  std::vector<double> initial_attributes = {};  ///< for the particles of the first model, one for each name
  std::uint64_t seed = 0;                       ///< of all random numbers
};

/// Particles removed and emitted at the end of a step.
struct Turnover {
  std::vector<Index> leaving;  ///< their places, ascending
  long emitted = 0;            ///< number of new particles
};

/// The particles of a run with emitters and sinks, and their model.
///
/// All random numbers are functions of the seed and of (emitter, number) or (sink, particle, step), and emission is a
/// function of time alone, so that a run continued from a snapshot equals the uninterrupted one. Particles with
/// springs, links, pins or a path are never removed, and neither is the last particle: the one with the smallest id
/// stays.
class Population {
 public:
  /// The particles of the first model, at time t [s]; throws InvalidArgument if the rules do not match the model.
  Population(PopulationRules rules, const Model& first, double t);
  /// The same, continuing with the particles of a roster.
  Population(PopulationRules rules, const Model& first, Roster roster);

  const Roster& roster() const { return roster_; }  ///< the present particles, in the order of the state
  const std::vector<std::string>& attributes() const { return rules_.attributes; }  ///< names
  long emitted() const { return emitted_; }                                         ///< since this object was created
  long taken() const { return taken_; }  ///< likewise, by sinks and at the end of their lifetime
  /// The model of the present particles.
  Model model() const { return model_of(roster_.size()); }
  /// The model of the first `count` of them.
  Model model_of(Index count) const;
  /// Number of these particles that were emitted after a time [s]; they are the last ones.
  Index emitted_after(double t) const;

  /// The particles removed and emitted in the step n ≥ 1 from time `before` [s] to the state.
  Turnover turnover(double before, const State& state, Index n) const;
  /// Removes particles at these ascending places: returns the state of those that stay, at the same time.
  State remove(const std::vector<Index>& leaving, const State& state);
  /// Adds the particles emitted from time `before` [s] to the state, after those that it has.
  State emit(double before, const State& state);
  /// Links that broke stay broken from now on.
  void links_broke(const std::vector<BrokenLink>& broken);

 private:
  void emit_particle(const Emitter&, std::size_t number, long k, State& state, Index column);
  /// The first id of particles emitted after a time [s].
  std::int64_t first_id_after(double t) const;

  PopulationRules rules_;
  Model first_;
  std::vector<bool> bound_;  // for the first model's particles
  CounterNoise emission_, absorption_;
  Roster roster_;
  long emitted_ = 0, taken_ = 0;
};

}  // namespace pithball::sim
