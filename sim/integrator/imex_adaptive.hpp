#pragma once
#include "sim/core/settings.hpp"
#include "sim/integrator/imex_midpoint.hpp"

namespace pithball::sim {

/// `imex_midpoint` in substeps that follow its explicit forces: with T the shortest time in which one of them changes
/// (`shortest_time`; of charges that in which two cross the distance between them), a step of h, or what is left of it,
/// is made of
///   m = ⌈left / (approach · T)⌉
/// equal parts, the first of which is taken before T is asked again. For bodies whose particles nearly touch each
/// other, an external charge or a wall now and then, violent releases and collapses: long steps while they are far
/// away, short ones while they are not. Each substep costs one sum and one stage, and at most two products with the
/// linearization of forces that are no inverse-square sums. With one substep it is `imex_midpoint`, reversible and
/// symplectic; the choice of substeps looks at their beginning only and is neither. Substeps are in the step record and
/// on the tape; those that `max_substeps` kept from being as short as T asks are counted. History: `force`, as in
/// imex_midpoint.
class ImexAdaptive final : public Integrator {
 public:
  static const IntegratorInfo integrator;
  struct Options {
    double approach = 0.1;      ///< part of T that a substep may last
    Index max_substeps = 1000;  ///< of one step; where T asks for shorter ones they are h/max_substeps
  };
  /// Reads `approach` and `max_substeps`.
  static Options read(Settings& settings);

  ImexAdaptive(Options options, StageOptions stage) : options_(options), inner_(std::move(stage)) {}
  const IntegratorInfo& info() const override { return integrator; }
  const std::string& linear_solver() const override { return inner_.linear_solver(); }
  void freeze(std::shared_ptr<SubstepMemory> memory) override { memory_ = std::move(memory); }

 private:
  History do_start(const Model&, const State&) override;
  void do_step(const Model&, double h, State&, History&, StepOutput&) override;
  Options options_;
  ImexMidpoint inner_;
  std::shared_ptr<SubstepMemory> memory_;
};

}  // namespace pithball::sim
