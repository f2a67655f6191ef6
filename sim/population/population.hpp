#pragma once
#include <cstdint>
#include <memory>
#include <string>

#include "sim/core/counter_noise.hpp"
#include "sim/core/state.hpp"
#include "sim/model/model.hpp"
#include "sim/population/emitter.hpp"
#include "sim/population/roster.hpp"

namespace pithball::sim {

/// What lets particles into a run and takes them out, and the named numbers that they carry.
struct PopulationRules {
  std::vector<Emitter> emitters = {};
  std::vector<Sink> sinks = {};
  std::vector<std::string> attributes = {};     ///< names
  std::vector<double> initial_attributes = {};  ///< of the particles of the first model, one for each name
  std::uint64_t seed = 0;                       ///< of all that is random
};

/// Who leaves and how many come at the end of a step.
struct Turnover {
  std::vector<bool> leaves;  ///< of each particle
  long emitted = 0;
  bool any = false;
};

/// The particles of a run that emitters and sinks change: who they are, and the model of them.
///
/// All that is random is a function of the seed and of (emitter, number) or (sink, particle, step), and emission of
/// time alone, so that a run that goes on from a snapshot is the uninterrupted one. Particles that springs, links,
/// pins or a path name never leave, and neither does the last one: the one with the smallest id stays.
class Population {
 public:
  /// The particles of the first model, at time t [s]; throws InvalidArgument if the rules do not fit the model.
  Population(PopulationRules rules, const Model& first, double t);
  /// The same, going on with others later.
  Population(PopulationRules rules, const Model& first, Roster roster);

  const Roster& roster() const { return roster_; }
  const std::vector<std::string>& attributes() const { return rules_.attributes; }  ///< names
  long emitted() const { return emitted_; }                                         ///< since this object was made
  long taken() const { return taken_; }                                             ///< likewise, by sinks and by age
  /// The model of the present particles.
  Model model() const;

  /// Who leaves and how many come in the step n ≥ 1 that led from time `before` [s] to the state.
  Turnover turnover(double before, const State& state, Index n) const;
  /// Carries it out: the state, at the same time, of the particles that are there then, those emitted last.
  State apply(const Turnover&, double before, const State& state);
  /// Links that broke are so from now on.
  void links_broke(const std::vector<BrokenLink>& broken);

 private:
  void emit(const Emitter&, std::size_t number, long k, State& state, Index column);

  PopulationRules rules_;
  Model first_;
  std::vector<bool> bound_;  // of the first model's particles
  CounterNoise emission_, absorption_;
  Roster roster_;
  long emitted_ = 0, taken_ = 0;
};

}  // namespace pithball::sim
