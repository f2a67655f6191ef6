#pragma once
#include <memory>
#include <string>
#include <vector>

#include "sim/core/settings.hpp"
#include "sim/force/force_term.hpp"
#include "sim/neighbors/neighbor_search.hpp"

namespace pithball::sim {

class PairRows;

/// Cutoff of a pair force, and its neighbor search.
struct PairRange {
  double cutoff;                                 ///< [m], > 0
  std::shared_ptr<const NeighborSearch> search;  ///< finds the pairs; not null
};

/// Reads the keys `cutoff` (required without `usual_cutoff`), `neighbors` and `skin` of a force.
PairRange read_pair_range(Settings&, std::optional<double> usual_cutoff, const std::string& cutoff_meaning);

/// Reads only the keys `neighbors` and `skin`, for a force with the initial range `reach` [m], called `reach_name` in
/// their descriptions.
std::shared_ptr<const NeighborSearch> read_neighbors(Settings&, double reach, const std::string& reach_name);

/// A central force between all pairs of particles closer than a cutoff, with a law U(r; θ):
///   U = Σ_{i<j, r<cutoff} [U(r) − U(cutoff)],   force on i: Σ_j c(r) (x_i − x_j) with c = −U'(r)/r.
/// The energy is continuous; the force jumps by U'(cutoff) where a pair crosses the cutoff. Derivatives are those
/// between such events. The cutoff is a constant, also if a fit varies θ. A law is a derived class with the four
/// functions below.
class PairForce : public ForceTerm {
 public:
  /// A parameter θ_p of the law, declared in the model as a block of one entry.
  struct LawValue {
    std::string name,      ///< as in `fit.parameters`
        unit;              ///< of θ_p; "": a pure number
    ValueSign sign;        ///< which values θ_p may have
    ValueScaling scaling;  ///< how θ_p grows with masses and forces
    double initial;        ///< θ_p at the start, in `unit`
  };

  double cutoff() const { return range_.cutoff; }  ///< [m]
  void declare(const Topology&, Values&) final;
  void validate(const Model&, const State&) const final;
  void add_force(const Model&, const State&, Points& f) const final;
  std::optional<double> energy(const Model&, const State&) const final;
  void add_jvp(const Model&, const State&, const Variation& d, Points& df) const final;
  void add_vjp(const Model&, const State&, const Points& w, Variation& g) const final;
  /// That of the linearization, for repulsion, and the closest approach of any two, which may still be outside the
  /// cutoff.
  double shortest_time(const Model&, const State&, const Points& a) const final;
  /// Closest approach, to a hundredth of the cutoff: nothing within it is taken to be narrower.
  double time_to_touch(const Model&, const State&, const Points& a) const final;

 protected:
  /// θ has one entry for each of `values`, in their order.
  PairForce(PairRange range, std::vector<LawValue> values) : range_(std::move(range)), law_values_(std::move(values)) {}

  /// Derivatives of the law at several distances, in separate arrays.
  struct Linearized {
    std::vector<double> push;                   ///< c [N/m]
    std::vector<double> push_slope;             ///< c'(r)/r [N/m³]
    std::vector<std::vector<double>> by_value;  ///< ∂c/∂θ_p, for each p
  };

 private:
  // The law at the distances with squares [m²] r2[0 … count).
  /// out[k] = U(r_k; θ) [J].
  virtual void compute_energies(const Vector& theta, std::size_t count, const double* r2, double* out) const = 0;
  /// out[k] = −U'(r_k; θ)/r_k [N/m].
  virtual void compute_pushes(const Vector& theta, std::size_t count, const double* r2, double* out) const = 0;
  /// The first `count` entries of each array of `out`, which are long enough.
  virtual void linearize(const Vector& theta, std::size_t count, const double* r2, Linearized& out) const = 0;

  /// θ in the model.
  Vector theta(const Model&) const;
  template <class Body>
  void for_each_linearized_row(const Model&, const PairRows&, Body body) const;

  PairRange range_;
  std::vector<LawValue> law_values_;
  std::vector<Index> blocks_;  // of each θ_p
};

}  // namespace pithball::sim
