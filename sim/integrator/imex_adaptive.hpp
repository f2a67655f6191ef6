#pragma once
#include "sim/core/settings.hpp"
#include "sim/integrator/imex_midpoint.hpp"

namespace pithball::sim {

/// `imex_midpoint` in substeps that follow the closest approach of charges: with T the shortest time in which two
/// charges cross the distance between them (`closest_approach`), a step of h, or what is left of it, is made of
///   m = ⌈left / (approach · T)⌉
/// equal parts, the first of which is taken before T is asked again. For bodies whose charges nearly touch now and
/// then, violent releases and collapses: long steps while charges are far apart, short ones while they are not. Each
/// substep costs one sum and one stage. With one substep it is `imex_midpoint`, reversible and symplectic; the choice
/// of substeps looks at their beginning only and is neither. Substeps are in the step record and on the tape. History:
/// `force`, as in imex_midpoint.
class ImexAdaptive final : public Integrator {
 public:
  static const SchemeInfo scheme;
  struct Options {
    double approach = 0.1;       ///< part of T that a substep may last
    Index most_substeps = 1000;  ///< of one step; where T asks for more, these are what it gets
  };
  /// Reads `approach` and `most_substeps`.
  static Options read(Settings& settings);

  ImexAdaptive(Options options, StageOptions stage) : options_(options), inner_(std::move(stage)) {}
  const SchemeInfo& info() const override { return scheme; }
  const std::string& linear_solver() const override { return inner_.linear_solver(); }
  void freeze(std::shared_ptr<SubstepMemory> memory) override { memory_ = std::move(memory); }

 private:
  History do_start(const Model&, const State&) override;
  void do_step(const Model&, double h, State&, History&, StepTape*, StepRecord&, Losses*) override;
  Options options_;
  ImexMidpoint inner_;
  std::shared_ptr<SubstepMemory> memory_;
};

}  // namespace pithball::sim
