#include "sim/force/bending_force.hpp"

#include <Eigen/Eigenvalues>

#include "sim/core/error.hpp"
#include "sim/linear/block_matrix.hpp"
#include "sim/model/model.hpp"

namespace pithball::sim {
namespace {

/// Returns the columns of the particles that form an angle.
template <int Corners>
Eigen::Matrix<double, 3, Corners> corners(const Points& all, const std::array<Index, Corners>& particles) {
  Eigen::Matrix<double, 3, Corners> own;
  for (int c = 0; c < Corners; ++c) own.col(c) = all.col(particles[c]);
  return own;
}

/// all += factor · own, at the particles of an angle.
template <int Corners>
void add_corners(const Eigen::Matrix<double, 3, Corners>& own, double factor,
                 const std::array<Index, Corners>& particles, Points& all) {
  for (int c = 0; c < Corners; ++c) all.col(particles[c]) += factor * own.col(c);
}

/// Returns the positive semidefinite matrix nearest to a symmetric matrix.
template <class Matrix>
Matrix without_negative_part(const Matrix& H) {
  const Eigen::SelfAdjointEigenSolver<Matrix> solver(H);
  return solver.eigenvectors() * solver.eigenvalues().cwiseMax(0).asDiagonal() * solver.eigenvectors().transpose();
}

}  // namespace

template <int Corners>
void BendingForce<Corners>::declare(const Topology& topology, Values& values) {
  for (const Angle& angle : angles_)
    for (const Index i : angle.particles)
      if (i < 0 || i >= topology.particles)
        throw InvalidArgument({"", "forces." + traits().name,
                               "must be of particles between 0 and " + std::to_string(topology.particles - 1),
                               std::to_string(i), "particles are counted from 0"});
  block_ = values.add(
      {traits().name + "_stiffness", unit_, ValueOwner::Term, ValueSign::NonNegative, ValueScaling::Stiffness},
      Vector::Constant(1, stiffness_));
}

template <int Corners>
double BendingForce<Corners>::stiffness(const Model& model) const {
  return model.values()[block_][0];
}

template <int Corners>
double BendingForce<Corners>::stiffness_jvp(const Model& model, const Vector& dvalues) const {
  return model.values().of(dvalues, block_)[0];
}

template <int Corners>
void BendingForce<Corners>::add_stiffness_vjp(const Model& model, double by_stiffness, Vector& g) const {
  model.values().of(g, block_)[0] += by_stiffness;
}

template <int Corners>
void BendingForce<Corners>::validate(const Model&, const State& s) const {
  for (const Angle& angle : angles_)
    if (!is_defined(angle, corners<Corners>(s.x, angle.particles))) {
      std::string names;
      for (const Index i : angle.particles) names += (names.empty() ? "" : ", ") + std::to_string(i);
      throw InvalidArgument({"", "forces." + traits().name, "needs sides and faces of a size and no side folded back",
                             "particles " + names + " in one point or line, or folded back", "move one of them"});
    }
}

template <int Corners>
void BendingForce<Corners>::add_force(const Model& model, const State& s, Points& f) const {
  const double k = stiffness(model);
  for (const Angle& angle : angles_)
    add_corners<Corners>(gradient_of(angle, corners<Corners>(s.x, angle.particles)), -k * angle.weight, angle.particles,
                         f);
}

template <int Corners>
std::optional<double> BendingForce<Corners>::energy(const Model& model, const State& s) const {
  double sum = 0;
  for (const Angle& angle : angles_) sum += angle.weight * energy_of(angle, corners<Corners>(s.x, angle.particles));
  return stiffness(model) * sum;
}

template <int Corners>
void BendingForce<Corners>::add_jvp(const Model& model, const State& s, const Variation& d, Points& df) const {
  const double k = stiffness(model), dk = stiffness_jvp(model, d.values);
  for (const Angle& angle : angles_) {
    const Places x = corners<Corners>(s.x, angle.particles), dx = corners<Corners>(d.x, angle.particles);
    Places change = dk * gradient_of(angle, x);
    change.reshaped() += k * (hessian_of(angle, x) * dx.reshaped());
    add_corners<Corners>(change, -angle.weight, angle.particles, df);
  }
}

template <int Corners>
void BendingForce<Corners>::add_vjp(const Model& model, const State& s, const Points& w, Variation& g) const {
  const double k = stiffness(model);
  double by_stiffness = 0;
  for (const Angle& angle : angles_) {
    const Places x = corners<Corners>(s.x, angle.particles), own = corners<Corners>(w, angle.particles);
    by_stiffness -= angle.weight * gradient_of(angle, x).cwiseProduct(own).sum();
    Places change;
    change.reshaped() = hessian_of(angle, x) * own.reshaped();
    add_corners<Corners>(change, -k * angle.weight, angle.particles, g.x);
  }
  add_stiffness_vjp(model, by_stiffness, g.values);
}

template <int Corners>
void BendingForce<Corners>::add_position_blocks(const Model& model, const State& s, double scale, bool definite,
                                                BlockMatrix& J) const {
  const double k = stiffness(model);
  for (const Angle& angle : angles_) {
    Matrix H = hessian_of(angle, corners<Corners>(s.x, angle.particles));
    if (definite) H = without_negative_part(H);
    H *= -scale * k * angle.weight;
    for (int c = 0; c < Corners; ++c) {
      J.add_diagonal(angle.particles[c], H.template block<3, 3>(3 * c, 3 * c));
      for (int e = c + 1; e < Corners; ++e)
        J.add_coupling(angle.particles[c], angle.particles[e], H.template block<3, 3>(3 * c, 3 * e));
    }
  }
}

template <int Corners>
std::vector<Spring> BendingForce<Corners>::couplings() const {
  std::vector<Spring> pairs;
  for (const Angle& angle : angles_)
    for (int c = 0; c < Corners; ++c)
      for (int e = c + 1; e < Corners; ++e) pairs.push_back({angle.particles[c], angle.particles[e]});
  return pairs;
}

template <int Corners>
void BendingForce<Corners>::add_stiffness_majorizer(const Model& model, double scale, Majorizer& L) const {
  // At rest the form is k w (Σ_c lever_c n·δ_c)². The levers sum to zero, so the square is a sum over pairs.
  const double k = stiffness(model);
  for (const Angle& angle : angles_)
    for (int c = 0; c < Corners; ++c)
      for (int e = c + 1; e < Corners; ++e)
        L.edge(angle.particles[c], angle.particles[e], -scale * k * angle.weight * angle.lever[c] * angle.lever[e]);
}

template <int Corners>
void BendingForce<Corners>::add_negative_curvature_bound(const Model& model, const State& s, Vector& bound) const {
  const double k = stiffness(model);
  for (const Angle& angle : angles_) {
    const Matrix H = hessian_of(angle, corners<Corners>(s.x, angle.particles));
    const double lowest = Eigen::SelfAdjointEigenSolver<Matrix>(H, Eigen::EigenvaluesOnly).eigenvalues()[0];
    // Rounding perturbs the zero eigenvalues of rigid motions; the margin keeps this an upper bound.
    const double rounding = 1e-14 * H.norm();
    for (const Index i : angle.particles) bound[i] += k * angle.weight * std::max(0.0, rounding - lowest);
  }
}

template <int Corners>
void BendingForce<Corners>::renumber(const std::vector<ParticleOrigin>& origins) {
  Index earlier = 0;
  for (const ParticleOrigin& origin : origins) earlier = std::max(earlier, origin.like + 1);
  const std::vector<Index> place = places(origins, earlier);
  for (Angle& angle : angles_)
    for (Index& i : angle.particles) i = place[i];
}

template class BendingForce<3>;
template class BendingForce<4>;

}  // namespace pithball::sim
