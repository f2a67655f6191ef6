#include "optim/weak_form/weak_form_estimate.hpp"

#include <Eigen/IterativeLinearSolvers>
#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "optim/search/minimizer.hpp"

namespace pithball::optim {
namespace {

/// Relative residual of the linear systems.
constexpr double solved = 1e-10;
constexpr int most_iterations = 1000;
/// Part of its start to which a value of fixed sign falls at most: at 0 a logarithm would have no end.
constexpr double weakest = 1e-3;
constexpr Index few_parameters = 64;
constexpr int ridge_rounds = 3;
constexpr int bound_rounds = 5;

using Sparse = Eigen::SparseMatrix<double>;

Sparse with_ridge(const Sparse& normal, double ridge) {
  Sparse sum = normal;
  for (Index k = 0; k < sum.rows(); ++k) sum.coeffRef(k, k) += ridge;
  return sum;
}

/// (AᵀA + λ)⁻¹ of all parameters.
class Inverse {
 public:
  explicit Inverse(const Sparse& matrix) : matrix_(matrix) {
    solver_.setTolerance(solved);
    solver_.setMaxIterations(most_iterations);
    solver_.compute(matrix_);
  }
  Vector operator()(const Vector& b) { return solver_.solve(b); }

 private:
  Sparse matrix_;
  Eigen::ConjugateGradient<Sparse, Eigen::Lower> solver_;
};

double mean_variance(Inverse& inverse, Index parameters) {
  if (parameters <= few_parameters) {
    double trace = 0;
    for (Index k = 0; k < parameters; ++k) trace += inverse(Vector::Unit(parameters, k))[k];
    return trace / static_cast<double>(parameters);
  }
  std::mt19937_64 random(1);  // its bits are the same everywhere, unlike those of distributions
  Vector z(parameters);
  for (double& sign : z) sign = random() >> 63 ? 1 : -1;
  return z.dot(inverse(z)) / static_cast<double>(parameters);
}

/// Σ |A u − b|² divided by the degrees of freedom.
double row_variance(const WeakFormEquations& equations, const Vector& u) {
  const Vector product = equations.normal.selfadjointView<Eigen::Lower>() * u;
  const double round_off = std::numeric_limits<double>::epsilon() * equations.square;
  const double square = equations.square - 2 * u.dot(equations.right) + u.dot(product);
  return std::max(square, round_off) / static_cast<double>(std::max<Index>(1, equations.rows - u.size()));
}

/// The bounds of p in u.
Bounds bounds_of_change(const ParameterMap& map, const Vector& p, const Vector& slope) {
  Bounds bounds{Vector(map.size()), Vector(map.size())};
  for (Index k = 0; k < map.size(); ++k) {
    const ParameterInfo& info = map.info()[k];
    const bool is_log = info.transform.kind() == Transform::Kind::Log;
    bounds.lower[k] = ((is_log ? std::max(info.lower, weakest * p[k]) : info.lower) - p[k]) / slope[k];
    bounds.upper[k] = (info.upper - p[k]) / slope[k];
  }
  return bounds;
}

/// The solution with those on their bounds held there.
Vector solve_within(const WeakFormEquations& equations, const WeakFormSolution& free, const Bounds& bounds) {
  Vector u = free.u;
  Eigen::Array<bool, Eigen::Dynamic, 1> held = Eigen::Array<bool, Eigen::Dynamic, 1>::Constant(u.size(), false);
  for (int round = 0; round < bound_rounds; ++round) {
    const Vector within = u.cwiseMax(bounds.lower).cwiseMin(bounds.upper);
    if (within == u) break;
    held = held || within.array() != u.array();
    const Vector fixed = held.select(within, 0);
    Sparse rest = with_ridge(equations.normal, free.ridge);
    const Vector right = held.select(0, equations.right - rest.selfadjointView<Eigen::Lower>() * fixed);
    rest.prune([&](Index row, Index column, double) { return row == column || !(held[row] || held[column]); });
    u = fixed + Vector(held.select(0, Inverse(rest)(right)));
  }
  return u.cwiseMax(bounds.lower).cwiseMin(bounds.upper);
}

/// Why the motion of this model is not m d²x/dt² = F(x, v, t) with its values constant, in a phrase.
std::string explain_other_motion(const ParameterMap& map, Index recording) {
  const sim::Model& model = map.scenarios()[recording].model;
  if (map.moves_recording_frame(recording)) return "the placement or the clock of a recording is fitted, too";
  if (model.is_tracers()) return "tracers have no inertia";
  if (!model.constraints().empty()) return "the body has constraints";
  for (const auto& term : model.terms())
    if (term->as<sim::Kick>() || !term->traits().differentiable)
      return "the force " + term->traits().name + " has no derivative";
  return "";
}

/// Half widths of windows that fit into the longest track at least twice.
std::vector<Index> possible_half_widths(const std::vector<RecordedBody>& bodies) {
  Index longest = 0;
  for (const RecordedBody& body : bodies)
    for (const BodyTrack& track : body.tracks) longest = std::max<Index>(longest, track.frames.size());
  std::vector<Index> widths{0};
  for (Index W = 1; 2 * W + 3 <= longest / 2; W = 2 * W + 1) widths.push_back(W);
  return widths;
}

/// Of all recordings; `missing`: why one of them has no track.
std::vector<RecordedBody> read_bodies(const ParameterMap& map, const std::vector<Observation>& observations,
                                      std::string& missing) {
  std::vector<RecordedBody> bodies(observations.size());
  for (std::size_t s = 0; s < observations.size(); ++s) {
    bodies[s].missing = explain_other_motion(map, s);
    if (bodies[s].missing.empty()) bodies[s] = read_recorded_body(map.scenarios()[s], observations[s]);
    if (missing.empty()) missing = bodies[s].missing;
  }
  return bodies;
}

/// A state in the middle of the first track.
const sim::State& middle(const RecordedBody& body) {
  const std::vector<sim::State>& frames = body.tracks.front().frames;
  return frames[frames.size() / 2];
}

}  // namespace

WeakFormSolution solve_weak_form(const WeakFormEquations& equations) {
  const Index parameters = equations.right.size();
  WeakFormSolution found{Vector::Zero(parameters)};
  double spread = 1;
  for (int round = 0; round <= ridge_rounds; ++round) {
    found.variance = row_variance(equations, found.u);
    found.ridge = found.variance / spread;
    Inverse inverse(with_ridge(equations.normal, found.ridge));
    if (round == ridge_rounds) {
      found.error = found.variance * mean_variance(inverse, parameters);
      break;
    }
    found.u = inverse(equations.right);
    spread = found.u.squaredNorm() / static_cast<double>(parameters);
    if (!(spread > 0)) break;  // nothing has an effect, or the start is right
  }
  return found;
}

WeakFormEstimate estimate_by_weak_form(const ParameterMap& map, const std::vector<Observation>& observations) {
  WeakFormEstimate estimate;
  const Vector start = map.initial(), p = map.physical(start), slope = map.physical_derivative(start);
  const std::vector<RecordedBody> bodies = read_bodies(map, observations, estimate.missing);
  const std::vector<Index> widths = possible_half_widths(bodies);
  std::vector<WeakFormEquations> equations(widths.size(), WeakFormEquations(map.size()));
  for (std::size_t s = 0; s < bodies.size(); ++s) {
    if (bodies[s].tracks.empty()) continue;
    const auto forces = find_columns(map, start, s, middle(bodies[s]), estimate.missing);
    if (!forces) return estimate;
    add_weak_form(*forces, bodies[s], widths, equations);
  }
  WeakFormSolution best;
  std::size_t chosen = 0;
  for (std::size_t w = 0; w < widths.size(); ++w) {
    if (equations[w].rows < 2 * map.size()) continue;
    WeakFormSolution solution = solve_weak_form(equations[w]);
    if (!solution.u.allFinite() || (best.u.size() > 0 && !(solution.error < best.error))) continue;
    best = std::move(solution);
    chosen = w;
  }
  if (best.u.size() == 0) {
    if (estimate.missing.empty()) estimate.missing = "there are too few frames";
    return estimate;
  }
  const Vector found = p + slope.cwiseProduct(solve_within(equations[chosen], best, bounds_of_change(map, p, slope)));
  estimate.missing.clear();
  estimate.half_width = widths[chosen];
  estimate.theta.resize(map.size());
  for (Index k = 0; k < map.size(); ++k) estimate.theta[k] = map.info()[k].transform.theta(found[k]);
  estimate.theta = estimate.theta.cwiseMax(map.lower()).cwiseMin(map.upper());
  return estimate;
}

}  // namespace pithball::optim
