#pragma once
#include <memory>
#include <string>
#include <vector>

#include "sim/core/settings.hpp"
#include "sim/force/force_term.hpp"
#include "sim/neighbors/neighbor_search.hpp"

namespace pithball::sim {

/// The partners j of one particle i that are closer than a cutoff: x_i − x_j [m] and its square, in contiguous arrays.
/// i and j are places, as numbered by `PairRows`.
struct PairRow {
  Index i = 0;            ///< place of the one particle
  std::size_t count = 0;  ///< partners of i closer than the cutoff
  std::vector<double> x,  ///< x of x_i − x_j [m]; of all these arrays the first `count` entries are valid
      y,                  ///< y of x_i − x_j [m]
      z,                  ///< z of x_i − x_j [m]
      r2;                 ///< |x_i − x_j|² [m²]
  std::vector<NeighborList::Number> j;  ///< in the order of their particles' numbers

  /// x_i − x_j [m] of partner k < count.
  Vec3 separation(std::size_t k) const { return {x[k], y[k], z[k]}; }
};

/// All pairs of particles that are closer than a cutoff at given positions, each once, row by row.
///
/// If particles that are close in space are far apart in memory (`spatial_order`), they are renumbered as places in
/// spatial order to avoid cache misses: sums gather their inputs and scatter their results. Places depend only on the
/// positions, and rows leave out candidates beyond the cutoff, so that sums do not depend, bit for bit, on how pairs
/// were found.
class PairRows {
 public:
  /// `x` [m] is kept as a reference and must not change while this object is in use.
  PairRows(const NeighborSearch& search, const Points& x, double cutoff);

  /// Number of the particle at a place.
  Index particle(Index place) const { return particle_.empty() ? place : particle_[place]; }

  /// Numbers or vectors of the particles, 1×N or 3×N, by place.
  Vector gathered(const Vector& of_particles) const;
  /// The same for vectors, 3×N.
  Points gathered(const Points& of_particles) const;
  Vector scattered(const Vector& of_places) const;  ///< the reverse of `gathered`

  /// Calls sum(g), which accumulates in vectors g by place, 3×N, and adds them to those of the particles.
  template <class Sum>
  void add_to(Points& of_particles, Sum sum) const {
    if (particle_.empty()) return sum(of_particles);
    Points of_places = Points::Zero(3, of_particles.cols());
    sum(of_places);
    add_scattered(of_places, of_particles);
  }

  /// Calls body(row) for each place with partners, in ascending order.
  template <class Body>
  void for_each(Body body) const {
    PairRow row;
    for (auto* column : {&row.x, &row.y, &row.z, &row.r2}) column->resize(longest_);
    row.j.resize(longest_);
    const double cutoff2 = cutoff_ * cutoff_;
    const double* const at = (particle_.empty() ? *x_ : sorted_).data();
    double *const x = row.x.data(), *const y = row.y.data(), *const z = row.z.data(), *const r2 = row.r2.data();
    NeighborList::Number* const numbers = row.j.data();
    for (Index i = 0; i < list_->points(); ++i) {
      const double xi = at[3 * i], yi = at[3 * i + 1], zi = at[3 * i + 2];
      std::size_t count = 0;
      for (const NeighborList::Number j : list_->row(i)) {
        const double* const b = at + 3 * static_cast<std::size_t>(j);
        // Always written, kept only within the cutoff: a branch would often be mispredicted.
        x[count] = xi - b[0];
        y[count] = yi - b[1];
        z[count] = zi - b[2];
        const double distance2 = squared_distance(xi, yi, zi, b[0], b[1], b[2]);
        r2[count] = distance2;
        numbers[count] = j;
        count += (distance2 < cutoff2);
      }
      if (count == 0) continue;
      row.i = i;
      row.count = count;
      body(static_cast<const PairRow&>(row));
    }
  }

 private:
  void add_scattered(const Points& of_places, Points& of_particles) const;

  double cutoff_;                               // [m]
  const Points* x_;                             // positions of the particles [m]
  std::vector<NeighborList::Number> particle_;  // of each place; empty: places are particles
  Points sorted_;                               // positions of the places, if these are not the particles [m]
  std::shared_ptr<const NeighborList> list_;    // candidates, by places
  std::size_t longest_ = 0;                     // length of the longest row of the list
};

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
  /// Closest approach, with gaps no narrower than a hundredth of the cutoff.
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
