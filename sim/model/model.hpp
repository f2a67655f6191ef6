#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "sim/core/state.hpp"
#include "sim/core/topology.hpp"
#include "sim/force/force_term.hpp"
#include "sim/model/particle_origin.hpp"
#include "sim/model/values.hpp"
#include "sim/model/values_in_time.hpp"

namespace pithball::sim {

class Constraint;
struct BrokenLink;

/// The part of a simulation that a step does not change: topology, force terms, constraints and physical values. Copies
/// share topology, terms and constraints and own their values, so that a fit can create many models that differ only in
/// numbers.
class Model {
 public:
  /// Checks sizes, indices and values (InvalidArgument) and lets the terms and constraints declare their values. Blocks
  /// 0 and 1 are always "mass" [kg, N] and "charge" [C, N]. Masses are positive; those of tracers may be 0, and tracers
  /// have no springs, terms or constraints.
  Model(Topology topology, const Vector& mass, const Vector& charge, std::vector<std::shared_ptr<ForceTerm>> terms,
        std::vector<std::shared_ptr<Constraint>> constraints = {});

  Index particles() const { return structure_->topology.particles; }  ///< N, fixed and tracers included
  const Topology& topology() const { return structure_->topology; }   ///< shared with all copies
  const std::vector<Spring>& springs() const { return structure_->topology.springs; }  ///< by number of the spring
  /// The terms to be evaluated: with key frames or a leak, those given as `KeyFramedForce`.
  const std::vector<std::shared_ptr<ForceTerm>>& terms() const { return structure_->terms; }
  /// The terms as given, for inspection; where values change with time, evaluate `terms()` instead.
  const std::vector<std::shared_ptr<ForceTerm>>& given_terms() const { return constant_structure()->terms; }

  /// Constraints, for the integrator `xpbd`; other integrators reject a model with constraints.
  const std::vector<std::shared_ptr<Constraint>>& constraints() const { return structure_->constraints; }

  /// All physical values in one flat vector; for those that change with time, use `at(t)`.
  const Values& values() const { return *values_; }
  const std::shared_ptr<const Values>& shared_values() const { return values_; }  ///< the same, to share ownership
  /// The same model with other physical values; throws InvalidArgument if one is not finite or has a forbidden sign.
  Model with_values(const Vector& data) const;

  /// The same model with key frames for these entries of `values()` (of one block) at these ascending times, as further
  /// values: see `KeyFrames`. Initially they equal the present entries. Throws InvalidArgument for masses, which are
  /// constant, for entries that already have key frames, and for key times that do not ascend.
  Model with_key_frames(const std::vector<Index>& entries, const std::vector<double>& times) const;
  const std::vector<KeyFrames>& key_frames() const { return structure_->key_frames; }  ///< empty: none
  /// The same model whose charges leak away at this rate γ ≥ 0 [1/s], the further value `charge_leak_rate`: see
  /// `ChargeLeak`. Throws InvalidArgument if they already do, or have key frames.
  Model with_charge_leak(double rate) const;
  const std::optional<ChargeLeak>& charge_leak() const { return structure_->charge_leak; }  ///< empty: charges stay
  /// Whether no value changes with time: neither key frames nor a charge leak.
  bool has_constant_values() const { return !structure_->constant; }
  /// The same model at time t [s] with constant values: without key frames and leak, in the same layout of values.
  Model at(double t) const;
  /// The same model without key frames and leak and with other values, which are not checked, in the same layout.
  Model with_constant_values(const Vector& data) const;

  /// The same model with each term replaced by the result of `replace`, which must have declared the same values.
  Model with_terms(const std::function<std::shared_ptr<ForceTerm>(const std::shared_ptr<ForceTerm>&)>& replace) const;
  /// The same model with approximate terms frozen (`Approximation::frozen`).
  Model frozen() const;
  /// The same model with forces that meet obstacles holding their touches at a state (`MeetsObstacle::holding`).
  Model holding_touches(const State& s) const;
  /// The same model without broken rows (`BreakableRows::without`).
  Model without(const std::vector<BrokenLink>& broken) const;
  /// The model with other particles, as after emission or removal: each takes its values from one of this model's, and
  /// references to particles (springs, holds, constraints) are renumbered. Throws InvalidArgument if a particle with
  /// springs, angles, links, pins or a path is missing, if one occurs twice, or if values change with time.
  Model with_particles(const std::vector<ParticleOrigin>& origins) const;
  /// The model of some of the particles (ascending) alone, without springs, terms and constraints: its blocks are those
  /// of this model, those of particles with the entries of the selected ones, those of springs empty. Key frames are
  /// not copied; use `at(t)`.
  Model of_particles(const std::vector<Index>& selected) const;
  /// The model with further springs after its own, of these rest lengths [m]; their other values, stiffness and
  /// damping, are 0, so that nothing moves otherwise. Throws InvalidArgument unless it has springs, and these are as
  /// many as rest lengths and join different particles.
  Model with_springs(const std::vector<Spring>& more, const Vector& rest_length) const;
  /// The particles with springs, angles, links, pins or a path, which cannot be removed.
  std::vector<bool> bound() const;
  /// Maximum of `Approximation::crossings` over its terms.
  Index crossings() const;

  static constexpr Index mass_block = 0,                  ///< block of the masses in `values()`
      charge_block = 1;                                   ///< block of the charges
  auto mass() const { return values()[mass_block]; }      ///< [kg], N
  auto charge() const { return values()[charge_block]; }  ///< [C], N; for charges that change with time, use `at(t)`

  /// Whether the particles are tracers (`Topology::flow`).
  bool is_tracers() const { return structure_->topology.flow != nullptr; }
  /// Whether its motion is prescribed: pinned or driven.
  bool is_held(Index particle) const { return structure_->is_held[particle]; }
  /// Sets the columns of held particles to zero (they are not unknowns of solves).
  void clear_held(Points& points) const;
  /// Sets driven particles to their path's position (and, if requested, velocity) at time t; pinned ones keep their
  /// position and get velocity 0. Free tracers get the velocity u(x, t) of their field.
  void place_held(double t, Points& x, Points* v = nullptr) const;

  /// f += Σ F over the terms that `select` accepts, `every_term` or another predicate of a `ForceTerm`.
  template <class Select>
  void add_forces(const State& s, Points& f, Select select) const {
    for (const auto& term : terms())
      if (select(*term)) term->add_force(*this, s, f);
  }

  /// Checks everything before step 0: sizes of the state, finite numbers, and each term's and constraint's own check.
  void validate(const State& initial) const;

  /// ℓ̄, the mean rest length of the springs [m]; 1 m without springs or if all are 0. A fixed length scale for
  /// residual tests.
  double length_scale() const;

 private:
  struct Structure {
    Topology topology;
    std::vector<std::shared_ptr<ForceTerm>> terms;
    std::vector<std::shared_ptr<Constraint>> constraints;
    std::vector<bool> is_held;
    std::vector<KeyFrames> key_frames = {};
    std::optional<ChargeLeak> charge_leak = {};
    std::shared_ptr<const Structure> constant =
        {};  // for a model whose values change with time: the model without, with its forces as given
  };
  /// The structure with key frames and leak, whose forces use time-dependent values.
  static std::shared_ptr<const Structure> in_time(std::shared_ptr<const Structure> constant,
                                                  std::vector<KeyFrames> frames, std::optional<ChargeLeak> leak);
  /// This model's structure without key frames and leak.
  const std::shared_ptr<const Structure>& constant_structure() const {
    return structure_->constant ? structure_->constant : structure_;
  }

  std::shared_ptr<const Structure> structure_;
  std::shared_ptr<const Values> values_;
};

}  // namespace pithball::sim
