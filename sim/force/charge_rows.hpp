#pragma once
// Direct sums over pairs of charges, row by row on several threads, for any law of the distance.
#include <limits>
#include <string>
#include <vector>

#include "sim/core/error.hpp"
#include "sim/core/parallel_for.hpp"
#include "sim/force/charge_field.hpp"
#include "sim/model/model.hpp"

namespace pithball::sim {

/// A law between two charges at distance r, each per product of the charges: the potential energy u(r), the push
/// p = −u'(r)/r, so that the force is p r, and p'(r)/r.
struct PairLaw {
  double energy,   ///< u(r) [J/C²], Coulomb's constant included
      push,        ///< p [N/(m C²)], positive: equal charges repel
      push_slope;  ///< p'(r)/r [N/(m³ C²)]
};

/// Largest number of charges for direct sums of this kind: a sum over all pairs of more takes seconds.
inline constexpr Index most_direct_charges = 10'000;

/// The particles with a charge, or with a change of it.
inline std::vector<Index> charged_particles(const Vector& charge, const Vector& change = {}) {
  std::vector<Index> found;
  for (Index i = 0; i < charge.size(); ++i)
    if (charge[i] != 0 || (change.size() > 0 && change[i] != 0)) found.push_back(i);
  return found;
}

/// Rejects more charges than direct sums allow; `remedy`: what to use instead.
inline void require_few_charges(const std::string& force, std::size_t charges, const std::string& remedy) {
  if (charges > most_direct_charges)
    throw InvalidArgument(
        {"", "forces." + force,
         "must act on at most " + std::to_string(most_direct_charges) + " charges, as it is a sum over all pairs",
         std::to_string(charges), remedy});
}

/// A panel of one row.
inline Panel one_row(const Points& points) { return flat(points).transpose().array(); }

/// Sums over all pairs (i, j) of charges at positions x [m], where i feels j at the separation r_ij = x_i − T x_j:
///   U = ½ Σ_ij q_i q_j u(|r_ij|),   F_i = q_i Σ_j q_j p(|r_ij|) r_ij.
/// `Law` says what T is, the identity or a reflection: `separation(xi, xj)` is r_ij, `turned(d)` is T of a direction;
/// whether a charge feels its own partner T x_i (`feels_itself`); and `at(r²)`, the `PairLaw`. Pairs at distance 0,
/// which only particles without charge may be, are skipped.
template <class Law>
class ChargeRows {
 public:
  /// All three are kept as references: x is 3×N [m], charge has N entries [C].
  ChargeRows(const Law& law, const Points& x, const Vector& charge) : law_(law), x_(x), q_(charge) {}

  /// The energy U [J].
  double energy() const {
    const std::vector<Index> charged = charged_particles(q_);
    Vector of_row = Vector::Zero(charged.size());
    rows(charged, charged, [&](Index row, Index i, Index j, const Vec3& r) {
      of_row[row] += q_[i] * q_[j] * law_.at(r.squaredNorm()).energy;
    });
    return of_row.sum() / 2;
  }

  /// f += factor · F.
  void add_force(double factor, Points& f) const {
    const std::vector<Index> charged = charged_particles(q_);
    rows(charged, charged, [&](Index, Index i, Index j, const Vec3& r) {
      f.col(i) += factor * q_[i] * q_[j] * law_.at(r.squaredNorm()).push * r;
    });
  }

  /// Adds factor times the field of all partners at other points y, with r = y − T x_j: E = Σ_j q_j p(|r|) r and φ =
  /// Σ_j q_j u(|r|); NaN where r = 0.
  void add_field(double factor, const Points& at, ChargeField& field) const {
    const std::vector<Index> charged = charged_particles(q_);
    const double pairs = cost_of_pair * static_cast<double>(at.cols()) * static_cast<double>(charged.size());
    parallel_for(at.cols(), pairs, [&](Index k) {
      for (const Index j : charged) {
        const Vec3 r = law_.separation(at.col(k), x_.col(j));
        if (r.isZero(0)) {
          field.clear(k);
          continue;
        }
        const PairLaw law = law_.at(r.squaredNorm());
        field.field.col(k) += factor * q_[j] * law.push * r;
        field.potential[k] += factor * q_[j] * law.energy;
      }
    });
  }

  /// df += the changes of F along P directions in which positions and charges change: dx and df are P×3N, dq P×N. The
  /// law of a pair is computed once for all of them.
  void add_changes(const Panel& dx, const Eigen::Ref<const Panel>& dq, Panel& df) const {
    const Index P = dx.rows();
    const std::vector<Index> charged = charged_particles(q_, dq.abs().colwise().maxCoeff().transpose().matrix());
    rows(charged, charged, [&](Index, Index i, Index j, const Vec3& r) {
      const PairLaw law = law_.at(r.squaredNorm());
      const double qq = q_[i] * q_[j];
      const double *xi = dx.data() + 3 * i * P, *xj = dx.data() + 3 * j * P;
      const double *qi = dq.col(i).data(), *qj = dq.col(j).data();
      double* f = df.data() + 3 * i * P;
      for (Index p = 0; p < P; ++p) {
        const Vec3 d = Vec3(xi[p], xi[P + p], xi[2 * P + p]) - law_.turned(Vec3(xj[p], xj[P + p], xj[2 * P + p]));
        const double along_r = qq * law.push_slope * r.dot(d) + (qi[p] * q_[j] + q_[i] * qj[p]) * law.push;
        for (int a = 0; a < 3; ++a) f[a * P + p] += qq * law.push * d[a] + along_r * r[a];
      }
    });
  }

  /// The transpose: from w = ∂L/∂F to ∂L/∂x and ∂L/∂q.
  template <class Charges>
  void add_adjoint(const Points& w, Points& gx, Charges gq) const {
    std::vector<Index> all(x_.cols());
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
    rows(all, charged_particles(q_), [&](Index, Index i, Index j, const Vec3& r) {
      const PairLaw law = law_.at(r.squaredNorm());
      const Vec3 d = w.col(i) - law_.turned(w.col(j));
      gx.col(i) += q_[i] * q_[j] * (law.push * d + law.push_slope * r.dot(d) * r);
      gq[i] += q_[j] * law.push * r.dot(d);
    });
  }

 private:
  static constexpr double cost_of_pair = 20;  // of one pair, in the unit of `parallel_for`

  template <class Body>
  void rows(const std::vector<Index>& felt_by, const std::vector<Index>& partners, const Body& body) const {
    const double pairs = cost_of_pair * static_cast<double>(felt_by.size()) * static_cast<double>(partners.size());
    parallel_for(static_cast<Index>(felt_by.size()), pairs, [&](Index row) {
      const Index i = felt_by[row];
      for (const Index j : partners) {
        if (i == j && !Law::feels_itself) continue;
        if (const Vec3 r = law_.separation(x_.col(i), x_.col(j)); !r.isZero(0)) body(row, i, j, r);
      }
    });
  }

  const Law& law_;
  const Points& x_;
  const Vector& q_;
};

}  // namespace pithball::sim
