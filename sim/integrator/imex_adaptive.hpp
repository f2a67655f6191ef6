#pragma once
#include <limits>

#include "sim/core/settings.hpp"
#include "sim/integrator/imex.hpp"
#include "sim/integrator/substeps.hpp"

namespace pithball::sim {

/// `imex_midpoint` in substeps adapted to its explicit forces: with T the shortest time in which one of them changes
/// (`shortest_time`; for charges the time in which two cross the distance between them), a step h, or the rest of it,
/// is divided into
///   m = ⌈left / (approach · T)⌉
/// equal parts, the first of which is taken before T is evaluated again. For bodies in which particles occasionally
/// come very close to each other, an external charge or a wall, for violent releases and collapses: long steps while
/// they are far apart, short ones while they are close. Each substep costs one sum and one stage, and at most two
/// products with the linearization of forces that are not inverse-square sums. With one substep it is `imex_midpoint`,
/// reversible and symplectic; choosing substeps by their beginning is neither. Substeps are in the step record and on
/// the tape; those limited by `max_substeps` are counted. History: `force`, as in imex_midpoint.
class ImexAdaptive final : public Integrator {
 public:
  static const IntegratorInfo integrator;  ///< its entry in `integrators()`
  /// Settings of the integrator.
  struct Options {
    double approach = 0.1;      ///< largest fraction of T for a substep
    Index max_substeps = 1000;  ///< per step; if T requires shorter substeps they are h/max_substeps
    double max_step = std::numeric_limits<double>::infinity();  ///< longest substep [s]
  };
  /// Reads `safety_factor`, `max_substeps` and `max_step`.
  static Options read(Settings& settings);

  /// Settings of its own, and those of the stage of each substep. Throws InvalidArgument for an unknown linear solver.
  ImexAdaptive(Options options, StageOptions stage) : options_(options), inner_(std::move(stage)) {}
  const IntegratorInfo& info() const override { return integrator; }
  const std::string& linear_solver() const override { return inner_.linear_solver(); }
  void freeze(std::shared_ptr<SubstepMemory> memory) override { memory_ = std::move(memory); }

 private:
  History do_start(const Model&, const State&) override;
  History do_extend(const Model&, const State&, const History& earlier) override;
  void do_step(const Model&, const TimeStep&, State&, History&, StepOutput&) override;
  /// How long a substep can be.
  struct Room {
    double left,  ///< of the step [s]
        least;    ///< the shortest substep [s]
  };
  /// How long a substep from this state, whose history this is, should be at most [s].
  double longest_substep(const Model&, const State&, const History&, const Room&, TimeProbe&) const;
  Options options_;
  ImexMidpoint inner_;
  std::shared_ptr<SubstepMemory> memory_;
};

}  // namespace pithball::sim
