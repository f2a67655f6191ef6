#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "sim/core/state.hpp"
#include "sim/core/topology.hpp"
#include "sim/force/force_term.hpp"
#include "sim/model/key_frames.hpp"
#include "sim/model/particle_origin.hpp"
#include "sim/model/values.hpp"

namespace pithball::sim {

class Constraint;
struct BrokenLink;

/// What a step does not change: topology, force terms, constraints and physical values. Copies share topology, terms
/// and constraints and own their values, so that a fit can make many models that differ in numbers only.
class Model {
 public:
  /// Checks sizes, indices and values (InvalidArgument) and lets the terms and constraints declare theirs. Blocks 0 and
  /// 1 are always "mass" [kg, N] and "charge" [C, N]. Masses are positive; those of tracers may be 0, and they have no
  /// springs, terms or constraints.
  Model(Topology topology, const Vector& mass, const Vector& charge, std::vector<std::shared_ptr<ForceTerm>> terms,
        std::vector<std::shared_ptr<Constraint>> constraints = {});

  Index particles() const { return structure_->topology.particles; }
  const Topology& topology() const { return structure_->topology; }
  const std::vector<Spring>& springs() const { return structure_->topology.springs; }
  const std::vector<std::shared_ptr<ForceTerm>>& terms() const { return structure_->terms; }
  /// The terms as they were given, for those who ask what they are; with key frames, `terms()` are to be evaluated.
  const std::vector<std::shared_ptr<ForceTerm>>& given_terms() const {
    return structure_->constant ? structure_->constant->terms : structure_->terms;
  }

  /// What positions are projected on, by the integrator `xpbd`; other integrators reject a model that has any.
  const std::vector<std::shared_ptr<Constraint>>& constraints() const { return structure_->constraints; }

  const Values& values() const { return *values_; }
  const std::shared_ptr<const Values>& shared_values() const { return values_; }  ///< the same, to be kept
  /// The same model with other physical values; throws InvalidArgument if one is not finite or has a forbidden sign.
  Model with_values(const Vector& data) const;

  /// The same model with the values that these entries of `values()` (of one block) have at these times, ascending, as
  /// further values: see `KeyFrames`. They begin as what the entries have there now. Throws InvalidArgument for masses,
  /// which a body that keeps its particles does not change, for entries that have other key frames, and for key times
  /// that do not ascend.
  Model with_key_frames(const std::vector<Index>& entries, const std::vector<double>& times) const;
  const std::vector<KeyFrames>& key_frames() const { return structure_->key_frames; }
  /// The same model as it is at time t [s], all its values constant: without key frames, in the same layout of values.
  Model at(double t) const;
  /// The same model without key frames and with other values, which are not checked, in the same layout.
  Model without_key_frames(const Vector& data) const;

  /// The same model with each term replaced by what `replace` returns for it, which must have declared the same values.
  Model with_terms(const std::function<std::shared_ptr<ForceTerm>(const std::shared_ptr<ForceTerm>&)>& replace) const;
  /// The same model with approximate terms frozen (`Approximation::frozen`).
  Model frozen() const;
  /// The same model without the rows that broke (`BreakableRows::without`).
  Model without(const std::vector<BrokenLink>& broken) const;
  /// The model of other particles, as after emission or loss: each takes its values after one of this model's, and
  /// what names particles (springs, holds, constraints) is renumbered. Throws InvalidArgument if a particle that
  /// springs, links, pins or a path name is not among them, if one is there twice, or if this model has key frames.
  Model with_particles(const std::vector<ParticleOrigin>& origins) const;
  /// Which particles springs, links, pins or a path name: those that cannot leave.
  std::vector<bool> bound() const;
  /// The largest `Approximation::crossings` of its terms.
  Index crossings() const;

  static constexpr Index mass_block = 0, charge_block = 1;
  auto mass() const { return values()[mass_block]; }      ///< [kg], N
  auto charge() const { return values()[charge_block]; }  ///< [C], N; of charges with key frames, look at `at(t)`

  /// Whether the particles are tracers (`Topology::flow`).
  bool is_tracers() const { return structure_->topology.flow != nullptr; }
  bool is_held(Index particle) const { return structure_->is_held[particle]; }
  /// Sets the columns of held particles to zero (they take no part in solves).
  void clear_held(Points& points) const;
  /// Gives driven particles their path's position (and, if asked, velocity) at time t; pinned ones keep the position
  /// that they have and get velocity 0. Tracers that are not held get the velocity u(x, t) of their field.
  void place_held(double t, Points& x, Points* v = nullptr) const;

  /// f += Σ F over the terms that `select` accepts, `every_term` or another function of a `ForceTerm`.
  template <class Select>
  void add_forces(const State& s, Points& f, Select select) const {
    for (const auto& term : terms())
      if (select(*term)) term->add_force(*this, s, f);
  }

  /// Everything that can be found wrong before step 0: sizes of the state, finite numbers, and the own check of each
  /// term and constraint.
  void validate(const State& initial) const;

  /// ℓ̄, the mean rest length of the springs [m]; 1 m without springs or when all are 0. A fixed length scale of
  /// residual tests.
  double length_scale() const;

 private:
  struct Structure {
    Topology topology;
    std::vector<std::shared_ptr<ForceTerm>> terms;
    std::vector<std::shared_ptr<Constraint>> constraints;
    std::vector<bool> is_held;
    std::vector<KeyFrames> key_frames = {};
    std::shared_ptr<const Structure> constant =
        {};  // of a model with key frames: the same without, its forces as given
  };
  /// The structure with key frames; its forces read values in time.
  static std::shared_ptr<const Structure> framed(std::shared_ptr<const Structure> constant,
                                                 std::vector<KeyFrames> frames);

  std::shared_ptr<const Structure> structure_;
  std::shared_ptr<const Values> values_;
};

}  // namespace pithball::sim
