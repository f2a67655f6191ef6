#include "sim/run/stiffness.hpp"

#include <algorithm>
#include <cmath>
#include <random>

#include "sim/core/text.hpp"
#include "sim/integrator/stage_linear_solver.hpp"

namespace pithball::sim {
namespace {

/// Up to this number of free coordinates, the whole spectrum is computed, which takes milliseconds.
constexpr Index most_dense = 150;
/// Newton steps raise smaller eigenvalues to this one: far from rest, steps along softer modes would be misleading.
constexpr double softest_followed = 1e-8;
constexpr int probes = 8;
constexpr double solve_tolerance = 1e-12;     // target relative residual of conjugate gradients
constexpr double solved_well_enough = 1e-10;  // sufficient for ten digits of a derivative
constexpr int most_solve_iterations = 2000;
constexpr int most_mode_iterations = 300;
/// Number of modes searched for at a time.
constexpr Index mode_block = 8;
/// A mode counts as found when its residual is below this fraction of its eigenvalue: its sign is then certain.
constexpr double mode_tolerance = 0.01;

/// Numbers uniform in (−1, 1), identical on every machine.
class RandomNumbers {
 public:
  double next() { return (bits_() >> 11) * 0x1p-52 - 1; }

 private:
  std::mt19937_64 bits_{1};
};

/// Adapts a preconditioner P⁻¹ of K to S K S.
class ScaledPreconditioner final : public Preconditioner {
 public:
  ScaledPreconditioner(std::shared_ptr<const Preconditioner> inner, Vector unit)
      : inner_(std::move(inner)), unit_(std::move(unit)) {}
  void apply(const Points& r, Points& z) const override {
    inner_->apply(r * unit_.asDiagonal(), z);
    z *= unit_.asDiagonal();
  }
  std::size_t bytes() const override { return inner_->bytes(); }

 private:
  std::shared_ptr<const Preconditioner> inner_;
  Vector unit_;
};

/// Π P⁻¹ Π, where Π projects onto the complement of some directions.
class ProjectedPreconditioner final : public Preconditioner {
 public:
  ProjectedPreconditioner(const Preconditioner& inner, const Eigen::MatrixXd& beside)
      : inner_(inner), beside_(beside) {}
  void apply(const Points& r, Points& z) const override {
    Points in = r;
    project(in);
    z.resize(3, r.cols());
    inner_.apply(in, z);
    project(z);
  }
  void project(Points& p) const { flat(p) -= beside_ * (beside_.transpose() * flat(p)); }
  std::size_t bytes() const override { return inner_.bytes(); }

 private:
  const Preconditioner& inner_;
  const Eigen::MatrixXd& beside_;
};

/// Extends an orthonormal basis by the components of further columns outside it.
void extend_basis(const Eigen::MatrixXd& further, Eigen::MatrixXd& basis) {
  for (Index c = 0; c < further.cols() && basis.cols() < basis.rows(); ++c) {
    Vector v = further.col(c).stableNormalized();
    for (int pass = 0; pass < 2; ++pass) v -= basis * (basis.transpose() * v);
    const double left = v.norm();
    if (!(left > 1e-10)) continue;  // only rounding
    v /= left;
    v -= basis * (basis.transpose() * v);
    basis.conservativeResize(Eigen::NoChange, basis.cols() + 1);
    basis.rightCols(1) = v.normalized();
  }
}

}  // namespace

void apply_stiffness(const Model& model, const State& at, const Points& in, Points& out) {
  Variation d{in, Points::Zero(3, in.cols()), Vector::Zero(model.values().size())};
  model.clear_held(d.x);
  out = Points::Zero(3, in.cols());
  for (const auto& term : model.terms()) term->add_jvp(model, at, d, out);
  out = -out;
  model.clear_held(out);
}

Stiffness::Stiffness(const Model& model, const State& at) : model_(model), at_(at) {
  for (Index i = 0; i < model.particles(); ++i)
    for (Index a = 3 * i; a < 3 * i + 3 && !model.is_held(i); ++a) free_.push_back(a);
  measure();
  factorize();
}

void Stiffness::measure() {
  const Index n = model_.particles();
  felt_ = Vector::Zero(n);
  RandomNumbers random;
  std::vector<Points> along(probes, Points(3, n));
  for (Points& z : along)
    for (double& entry : z.reshaped()) entry = random.next();
  for (Points& z : along) model_.clear_held(z);
  for (const auto& term : model_.terms()) {
    Vector squares = Vector::Zero(n);
    for (const Points& z : along) {
      Points out = Points::Zero(3, n);
      term->add_jvp(model_, at_, {z, Points::Zero(3, n), Vector::Zero(model_.values().size())}, out);
      model_.clear_held(out);
      squares += out.colwise().squaredNorm().transpose() / probes;
    }
    felt_ += squares.cwiseSqrt();
  }
  const double largest = felt_.size() > 0 ? felt_.maxCoeff() : 0;
  unit_ = (felt_.array() > 0).select(felt_, largest > 0 ? largest : 1.0).cwiseSqrt();
}

void Stiffness::factorize() {
  const Index count = free_.size();
  if (count == 0) return;
  if (count <= most_dense) {
    const Eigen::MatrixXd K = multiply_scaled(Eigen::MatrixXd(Eigen::MatrixXd::Identity(count, count)));
    if (!K.allFinite()) return;
    spectrum_ = symmetric_spectrum((K + K.transpose()) / 2);
    return;
  }
  // Tensioned springs contribute fully, compressed ones without their negative part. All other stiffness of a particle
  // is on the diagonal, with a small shift that keeps the matrix definite at loose ends.
  BlockMatrix K(model_.topology());
  for (const auto& term : model_.terms())
    if (const auto* stiff = term->as<StiffPotential>()) stiff->add_position_blocks(model_, at_, -1, true, K);
  for (Index i = 0; i < model_.particles(); ++i) {
    const double all = unit_[i] * unit_[i], springs = K.diagonal(i).norm();
    K.add_diagonal(i, (softest_followed * all + std::max(0.0, all - 2 * springs)) * Mat3::Identity());
  }
  std::shared_ptr<const Preconditioner> inner = std::make_shared<BlockJacobi>(K);
  if (auto factor = StageLinearSolver("cholesky").factorize(K))
    inner = std::make_shared<BlockFactor>(std::move(*factor));
  preconditioner_ = std::make_shared<ScaledPreconditioner>(std::move(inner), unit_);
}

Points Stiffness::scaled(const Points& points) const { return points * unit_.cwiseInverse().asDiagonal(); }
Points Stiffness::unscaled(const Points& points) const { return points * unit_.asDiagonal(); }

void Stiffness::multiply_scaled(const Points& in, Points& out) const {
  apply_stiffness(model_, at_, scaled(in), out);
  out = scaled(out);
}

Eigen::MatrixXd Stiffness::multiply_scaled(const Eigen::MatrixXd& free) const {
  Eigen::MatrixXd products(free.rows(), free.cols());
  Points out;
  for (Index c = 0; c < free.cols(); ++c) {
    multiply_scaled(spread(free.col(c)), out);
    products.col(c) = gather(out);
  }
  return products;
}

Points Stiffness::spread(const Vector& free) const {
  Points points = Points::Zero(3, model_.particles());
  flat(points)(free_) = free;
  return points;
}

Vector Stiffness::gather(const Points& points) const { return flat(points)(free_); }

Eigen::MatrixXd Stiffness::displacements(const Eigen::MatrixXd& free) const {
  Eigen::MatrixXd moves(3 * model_.particles(), free.cols());
  for (Index c = 0; c < free.cols(); ++c) moves.col(c) = flat(scaled(spread(free.col(c)))).stableNormalized();
  return moves;
}

Eigen::MatrixXd Stiffness::loose_scaled(const Eigen::MatrixXd& loose) const {
  Eigen::MatrixXd columns(loose.rows(), loose.cols());
  for (Index c = 0; c < loose.cols(); ++c)
    columns.col(c) = flat(unscaled(loose.col(c).reshaped(3, model_.particles()))).stableNormalized();
  return orthonormal(columns);
}

Points Stiffness::descend(const Points& forces, double noise) const {
  const Points f = scaled(forces);
  if (!preconditioner_) {
    if (spectrum_.values.size() == 0) return Points::Zero(3, f.cols());
    Vector along = spectrum_.vectors.transpose() * gather(f);
    for (Index k = 0; k < along.size(); ++k) {
      const double stiffness = std::abs(spectrum_.values[k]);
      along[k] = stiffness < softest_followed && std::abs(along[k]) <= noise
                     ? 0
                     : along[k] / std::max(stiffness, softest_followed);
    }
    return scaled(spread(spectrum_.vectors * along));
  }
  Points step;
  const CgReport cg = solve_conjugate_gradients([this](const Points& in, Points& out) { multiply_scaled(in, out); },
                                                preconditioner(), f, {1e-10, 500}, step);
  if (cg.negative_curvature && step.isZero(0)) preconditioner().apply(f, step);  // still a descent direction
  return scaled(step);
}

Spectrum Stiffness::lowest_pairs(double zero, bool& decided) const {
  if (!preconditioner_) return spectrum_;
  // Block Davidson: the basis is extended by preconditioned residuals and restarted from its best vectors when it
  // becomes large (Davidson 1975; Crouzeix, Philippe & Sadkane 1994).
  const Index n = free_.size();
  RandomNumbers random;
  Index block = mode_block;
  Eigen::MatrixXd basis(n, 0), start(n, block);
  for (double& entry : start.reshaped()) entry = random.next();
  extend_basis(start, basis);
  Eigen::MatrixXd products = multiply_scaled(basis);
  for (int k = 0; k < most_mode_iterations; ++k) {
    const Eigen::MatrixXd small = basis.transpose() * products;
    const Spectrum ritz = symmetric_spectrum((small + small.transpose()) / 2);
    const Index wanted = std::min(block, basis.cols());
    const Vector values = ritz.values.head(wanted);
    const Eigen::MatrixXd mix = ritz.vectors.leftCols(wanted);
    const Eigen::MatrixXd vectors = basis * mix;
    const Eigen::MatrixXd residuals = products * mix - vectors * values.asDiagonal();
    Index settled = 0;  // number of lowest pairs that have converged, up to and including the first above zero
    bool above = false;
    for (; settled < wanted && !above; ++settled) {
      const double allowed = std::max(mode_tolerance * std::abs(values[settled]), mode_tolerance * zero);
      if (residuals.col(settled).norm() > allowed) break;
      above = values[settled] > zero;
    }
    if (above || settled == n) return {values.head(settled), vectors.leftCols(settled)};
    if (settled == wanted) block = std::min(2 * block, n);  // all of them at or below zero: there may be more
    Eigen::MatrixXd further(n, residuals.cols());
    Points z(3, model_.particles());
    for (Index c = 0; c < residuals.cols(); ++c) {
      preconditioner().apply(spread(residuals.col(c)), z);
      further.col(c) = gather(z);
    }
    if (settled == wanted)
      for (double& entry : further.reshaped()) entry = random.next();
    if (basis.cols() + further.cols() > std::min(n, 8 * block)) {
      const Index kept = std::min(2 * block, basis.cols());
      basis = orthonormal(basis * ritz.vectors.leftCols(kept));
      products = multiply_scaled(basis);
    }
    const Index before = basis.cols();
    extend_basis(further, basis);
    products.conservativeResize(Eigen::NoChange, basis.cols());
    products.rightCols(basis.cols() - before) =
        multiply_scaled(Eigen::MatrixXd(basis.rightCols(basis.cols() - before)));
  }
  decided = false;
  return {};
}

StiffnessModes Stiffness::find_modes(double zero) const {
  StiffnessModes modes;
  modes.loose.resize(3 * model_.particles(), 0);
  if (free_.empty()) return modes;
  const Spectrum low = lowest_pairs(zero, modes.decided);
  if (low.values.size() == 0) {
    modes.decided = false;
    return modes;
  }
  modes.lowest = low.values[0];
  const auto count = [&](double below) { return (low.values.array() <= below).count(); };
  // Eigenvalues that are equal by symmetry differ by rounding.
  if (modes.lowest < -zero) modes.softest = displacements(low.vectors.leftCols(count(modes.lowest * (1 - 1e-6))));
  const Index negative = count(-zero);
  modes.loose = orthonormal(displacements(low.vectors.middleCols(negative, count(zero) - negative)));
  return modes;
}

double Stiffness::part_along(const Points& b, const Eigen::MatrixXd& loose) const {
  Points free = scaled(b);
  model_.clear_held(free);
  const double all = flat(free).stableNorm();
  return loose.cols() > 0 && all > 0 ? (loose_scaled(loose).transpose() * flat(free)).stableNorm() / all : 0;
}

std::string Stiffness::solve(const Points& b, const StiffnessModes& modes, Points& x) const {
  const auto beside = [&](Points& p) { flat(p) -= modes.loose * (modes.loose.transpose() * flat(p)); };
  Points rhs = b;
  model_.clear_held(rhs);
  beside(rhs);
  rhs = scaled(rhs);
  if (!preconditioner_) {
    Vector along = spectrum_.vectors.transpose() * gather(rhs);
    const Index loose = modes.loose.cols(), firm = along.size() - loose;  // at rest the loose modes are the lowest
    along.head(loose).setZero();
    along.tail(firm).array() /= spectrum_.values.tail(firm).array();
    x = scaled(spread(spectrum_.vectors * along));
  } else {
    const Eigen::MatrixXd loose = loose_scaled(modes.loose);
    const ProjectedPreconditioner projected(preconditioner(), loose);
    projected.project(rhs);
    const CgReport cg = solve_conjugate_gradients(
        [&](const Points& in, Points& out) {
          multiply_scaled(in, out);
          projected.project(out);
        },
        projected, rhs, {solve_tolerance, most_solve_iterations}, x);
    if (!(cg.converged || cg.relative_residual <= solved_well_enough))
      return "the change of the equilibrium was found to " + to_text(cg.relative_residual) + " only, after " +
             std::to_string(cg.iterations) + " iterations of conjugate gradients";
    x = scaled(x);
  }
  beside(x);
  return x.allFinite() ? "" : "the change of the equilibrium is not finite";
}

}  // namespace pithball::sim
