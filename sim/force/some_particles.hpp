#pragma once
#include <vector>

#include "sim/force/force_term.hpp"
#include "sim/model/model.hpp"

namespace pithball::sim {

/// Some of the particles of a state that are in no list of a term (springs, angles, …), and their contribution to
/// forces and energies: the difference between all particles and all but them, at less cost than either.
class SomeParticles {
 public:
  /// which: ascending, each once. Model and state must outlive the object.
  SomeParticles(const Model& model, const State& state, std::vector<Index> which);
  /// The last particles, from `first` on.
  static SomeParticles from(const Model& model, const State& state, Index first);

  /// f += F − F without them [N], 3×N. Returns false, without effect, for a term that must be summed as a whole.
  bool add_force(const std::shared_ptr<ForceTerm>& term, Points& f) const;
  /// U − U without them [J]; empty for a term whose energy must be summed as a whole.
  std::optional<double> energy(const std::shared_ptr<ForceTerm>& term) const;
  /// [J].
  double kinetic_energy() const;

 private:
  /// A term that acts on each particle alone, for the model of these.
  std::shared_ptr<const ForceTerm> own(const std::shared_ptr<ForceTerm>& term) const;

  const Model& model_;
  const State& state_;
  std::vector<Index> which_;
  Model alone_;        // the model of these particles alone
  State alone_state_;  // likewise
};

}  // namespace pithball::sim
