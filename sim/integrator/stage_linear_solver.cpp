#include "sim/integrator/stage_linear_solver.hpp"

#include <cmath>
#include <cstring>
#include <vector>

#include "sim/core/error.hpp"
#include "sim/linear/symmetric_sweeps.hpp"

namespace pithball::sim {
namespace {

/// Collects graph weights of the majorizer as entries of the lower triangle of a sparse matrix.
class MajoriserEntries final : public Majorizer {
 public:
  explicit MajoriserEntries(const Model& model) : model_(model) {}
  void edge(Index i, Index j, double w) override {
    vertex(i, w);
    vertex(j, w);
    if (!model_.is_held(i) && !model_.is_held(j)) entries_.emplace_back(std::max(i, j), std::min(i, j), -w);
  }
  void vertex(Index i, double w) override {
    if (!model_.is_held(i)) entries_.emplace_back(i, i, w);
  }
  /// M + the collected weights; identity rows for held particles.
  SparseMatrix with_masses() {
    for (Index i = 0; i < model_.particles(); ++i)
      entries_.emplace_back(i, i, model_.is_held(i) ? 1.0 : model_.mass()[i]);
    SparseMatrix A(model_.particles(), model_.particles());
    A.setFromTriplets(entries_.begin(), entries_.end());
    return A;
  }

 private:
  const Model& model_;
  std::vector<Eigen::Triplet<double>> entries_;
};

/// Collects only the diagonal of that matrix.
class MajoriserDiagonal final : public Majorizer {
 public:
  explicit MajoriserDiagonal(Index particles) : diagonal_(Vector::Zero(particles)) {}
  void edge(Index i, Index j, double w) override {
    diagonal_[i] += w;
    diagonal_[j] += w;
  }
  void vertex(Index i, double w) override { diagonal_[i] += w; }
  const Vector& diagonal() const { return diagonal_; }

 private:
  Vector diagonal_;
};

void add_majorizers(const Model& model, double g, Majorizer& L) {
  for (const auto& term : model.terms()) {
    if (const auto* stiff = term->as<StiffPotential>()) stiff->add_stiffness_majorizer(model, g * g, L);
    if (const auto* damping = term->as<LinearDissipation>()) damping->add_damping_majorizer(model, g, L);
  }
}

SparseMatrix majorised_hessian(const Model& model, double g) {
  MajoriserEntries entries(model);
  add_majorizers(model, g, entries);
  return entries.with_masses();
}

/// Returns the largest ratio of a diagonal entry of M + majorizer to the mass, over free particles.
double largest_ratio(const Model& model, double g) {
  MajoriserDiagonal diagonal(model.particles());
  add_majorizers(model, g, diagonal);
  double largest = 0;
  for (Index i = 0; i < model.particles(); ++i)
    if (!model.is_held(i)) largest = std::max(largest, diagonal.diagonal()[i] / model.mass()[i]);
  return 1 + largest;
}

/// Returns the lower triangle of H as 3n×3n scalars, with identity rows for held particles. Its column 3i + b is row b
/// of the symmetric blocks (i, j), j >= i, which arrive in order.
SparseMatrix scalar_entries(const BlockMatrix& H) {
  SparseMatrix A(3 * H.particles(), 3 * H.particles());
  A.reserve(9 * H.blocks() / 2 + 6 * H.particles());
  std::vector<std::pair<Index, Mat3>> row;
  Index next = 0;
  const auto emit_row = [&](Index i) {  // and the identity rows of preceding held particles, which have no blocks
    for (; next < i; ++next)
      for (int b = 0; b < 3; ++b) {
        A.startVec(3 * next + b);
        A.insertBack(3 * next + b, 3 * next + b) = 1;
      }
    if (row.empty()) return;
    for (int b = 0; b < 3; ++b) {
      A.startVec(3 * i + b);
      for (const auto& [j, block] : row)
        for (int a = j == i ? b : 0; a < 3; ++a) A.insertBack(3 * j + a, 3 * i + b) = block(b, a);
    }
    row.clear();
    next = i + 1;
  };
  Index current = 0;
  H.for_each_block([&](Index i, Index j, const Mat3& B) {
    if (i != current) emit_row(current);
    current = i;
    if (j >= i) row.emplace_back(j, B);
  });
  emit_row(current);
  emit_row(H.particles());
  A.finalize();
  return A;
}

/// Returns the number of iterations of conjugate gradients that reduce the error to 1e-10 at this condition number
/// (Chebyshev bound).
double cg_iterations(double condition) { return 0.5 * std::sqrt(condition) * std::log(2e10) + 1; }

}  // namespace

const std::vector<std::string>& linear_solvers() {
  static const std::vector<std::string> names{"auto", "block_jacobi_cg", "ssor_cg", "prefactored_cg", "cholesky"};
  return names;
}

void StageLinearSolver::prepare(const Model& model, double g) {
  // Compares bytes, which is several times as fast as comparing numbers: every stage calls this.
  const Vector& values = model.values().data();
  const auto bytes = static_cast<std::size_t>(values.size()) * sizeof(double);
  if (g == g_ && values_.size() == values.size() && std::memcmp(values_.data(), values.data(), bytes) == 0) return;
  g_ = g;
  values_ = values;
  if (kind_.empty()) kind_ = requested_ == "auto" ? choose(model, g) : requested_;
  if (kind_ == "prefactored_cg") prefactor(model, g);
}

void StageLinearSolver::prefactor(const Model& model, double g) {
  const SparseMatrix A = majorised_hessian(model, g);
  if (!scalar_analysis_) scalar_analysis_.emplace(A);
  std::vector<char> held(model.particles(), 0);
  for (const Held& h : model.topology().held) held[h.particle] = 1;
  prefactorization_ = std::make_shared<ScalarFactor>(scalar_analysis_->factorize(A).value(), std::move(held));
}

/// Whether to precondition with sweeps instead of diagonal blocks. Measured on sheets and tori whose motion has no
/// symmetry (with symmetry, diagonal blocks need fewer iterations than in general): sweeps are faster from 36 particles
/// on. Along a chain each row of a sweep waits for the previous one.
bool StageLinearSolver::prefers_sweeps(const Model& model) const {
  constexpr Index few = 30, many = 1000;
  constexpr double of_sheets = 1.5;  // springs per particle
  const Index n = model.particles();
  const double springs = static_cast<double>(model.springs().size());
  return iterations_ == StageIterations::Gmres || n >= many || (n >= few && springs >= of_sheets * n);
}

std::string StageLinearSolver::choose(const Model& model, double g) {
  // Times in units of one floating-point operation of the block product. Measured on the paper's torus: a whole stage
  // takes about half of the iterations that the Chebyshev bound gives for one solve, and CHOLMOD's simplicial code runs
  // at the speed of the product. Estimated: a prefactored solve takes at most 120 iterations, and CHOLMOD's supernodal
  // code, used from 40 operations per nonzero on, runs at four times the speed of the product.
  const double n = model.particles();
  const double product = 18 * (n + 2 * static_cast<double>(model.springs().size())) + 60 * n;
  // Sweeps take two fifths of the iterations that diagonal blocks take, as measured on cloths, shells, lattices and
  // chains. In addition, each Newton step inverts the diagonal blocks, for a third of the operations of a product.
  // Sweeps are as fast as a factorization that has 3 to 14 times fewer operations (tori, chains, nets of 400 to 2,600
  // particles): they vectorize better, and stiff bodies move in soft directions, for which the Chebyshev bound is too
  // large. This does not hold with GMRES, whose products cost more than is counted here.
  const bool sweeps = prefers_sweeps(model);
  const double sweeps_advantage = iterations_ == StageIterations::Gmres ? 1 : 3;
  const std::string iterative = sweeps ? "ssor_cg" : "block_jacobi_cg";
  const double jacobi_iterations = cg_iterations(2 * largest_ratio(model, g));
  const double by_iterations =
      sweeps ? (0.5 * 0.4 * jacobi_iterations + 1) * product / sweeps_advantage : 0.5 * jacobi_iterations * product;
  if (jacobi_iterations < 40) return iterative;  // with so few, no factorization pays off

  scalar_analysis_.emplace(majorised_hessian(model, g));
  const double scalar_solve = 2 * 3 * 4 * scalar_analysis_->factor_nonzeros();
  const double prefactored = 0.5 * std::min(jacobi_iterations, 120.0) * (product + scalar_solve);
  const double block_solve = 2 * 4 * 9 * scalar_analysis_->factor_nonzeros();
  const bool supernodal = 3 * scalar_analysis_->factor_flops() > 40 * scalar_analysis_->factor_nonzeros();
  const double cholesky = 27 * scalar_analysis_->factor_flops() / (supernodal ? 4 : 1) + 12 * (product + block_solve);
  if (by_iterations <= prefactored && by_iterations <= cholesky) return iterative;
  return prefactored <= cholesky ? "prefactored_cg" : "cholesky";
}

std::optional<CholeskyFactor> StageLinearSolver::factorize(const BlockMatrix& H) {
  const SparseMatrix A = scalar_entries(H);
  if (!block_analysis_) block_analysis_.emplace(A);
  return block_analysis_->factorize(A);
}

bool StageLinearSolver::factorizes_cheaply(const BlockMatrix& H) {
  if (!block_analysis_) block_analysis_.emplace(scalar_entries(H));
  constexpr double iterations = 300, flops_of_block = 18;
  return block_analysis_->factor_flops() <= iterations * flops_of_block * static_cast<double>(H.blocks());
}

std::shared_ptr<const Preconditioner> StageLinearSolver::make(const std::shared_ptr<const BlockMatrix>& H) {
  if (kind_ == "prefactored_cg") return prefactorization_;
  if (kind_ == "block_jacobi_cg") {
    if (jacobi_.use_count() == 1)
      jacobi_->compute(*H);
    else
      jacobi_ = std::make_shared<BlockJacobi>(*H);
    return jacobi_;
  }
  if (kind_ == "ssor_cg") return simple_preconditioner(H);
  if (auto factor = factorize(*H)) return std::make_shared<BlockFactor>(std::move(*factor));
  return nullptr;
}

std::shared_ptr<const Preconditioner> simple_preconditioner(const std::shared_ptr<const BlockMatrix>& H) {
  if (auto sweeps = SymmetricSweeps::make(H)) return sweeps;
  return std::make_shared<BlockJacobi>(*H);
}

}  // namespace pithball::sim
