#include "optim/weak_form/weak_form.hpp"

#include <Eigen/IterativeLinearSolvers>
#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "optim/search/minimizer.hpp"
#include "sim/core/parallel_for.hpp"

namespace pithball::optim {
namespace {

constexpr Index frames_at_once = 8;  // linearized in parallel

/// The forces at a frame.
struct FrameForces {
  Points force, column;
};

/// Sums over a window whose last frames are still missing.
struct OpenWindow {
  Index first = 0;  ///< its first frame
  Points A, b;      ///< 3×(columns), 3×N
};

/// Sums for one half width along the recordings of a body: windows, and their contributions to the equations.
class WindowSums {
 public:
  WindowSums(const ForceColumns& forces, const Vector& sigma) : forces_(forces), weight_(sigma) {
    const auto mass = forces.model().mass();
    for (Index i = 0; i < weight_.size(); ++i) weight_[i] = sigma[i] > 0 ? 1 / (mass[i] * sigma[i]) : 0;
    find_pairs();
  }

  void begin(const BodyTrack& track, Index half_width) {
    test_ = TestFunction(half_width, track.interval);
    track_ = &track;
    open_.clear();
  }

  void add(Index frame, const FrameForces& at) {
    const Index length = test_.frames(), frames = track_->frames.size();
    if (frame % test_.stride() == 0 && frame + length <= frames) {
      const Index columns = forces_.columns().size();
      open_.push_back({frame, Points::Zero(3, columns), Points::Zero(3, weight_.size())});
    }
    for (OpenWindow& window : open_) add(window, track_->frames[frame].x, at, frame - window.first);
    if (!open_.empty() && open_.front().first + length == frame + 1) {
      close(open_.front());
      open_.erase(open_.begin());
    }
  }

  void add_to(WeakFormEquations& sums) const {
    sums.normal += normal_;
    for (std::size_t c = 0; c < right_.size(); ++c) sums.right[forces_.columns()[c].parameter] += right_[c];
    sums.square += square_;
    sums.rows += rows_;
  }

 private:
  /// Finds the pairs of columns that have a particle in common, and their positions in the normal matrix.
  void find_pairs() {
    const std::vector<ForceColumn>& columns = forces_.columns();
    std::vector<Eigen::Triplet<double>> places;
    for (std::size_t a = 0; a < columns.size(); ++a)
      for (std::size_t b = a; b < columns.size() && columns[b].particle == columns[a].particle; ++b) {
        pairs_.push_back({static_cast<Index>(b), static_cast<Index>(a), 0});
        places.emplace_back(columns[b].parameter, columns[a].parameter, 0);
      }
    right_.assign(columns.size(), 0);
    const Index parameters = forces_.parameters();
    normal_.resize(parameters, parameters);
    normal_.setFromTriplets(places.begin(), places.end());
    for (Pair& pair : pairs_) {
      const Index row = columns[pair.a].parameter, column = columns[pair.b].parameter;
      const auto* begin = normal_.innerIndexPtr() + normal_.outerIndexPtr()[column];
      const auto* end = normal_.innerIndexPtr() + normal_.outerIndexPtr()[column + 1];
      pair.place = std::lower_bound(begin, end, row) - normal_.innerIndexPtr();
    }
  }

  void add(OpenWindow& window, const Points& x, const FrameForces& at, Index n) const {
    const double inertia = test_.inertia[n], force = test_.force[n];
    window.A += force * at.column;
    window.b -= force * at.force;
    window.b += inertia * x * forces_.model().mass().asDiagonal();
    const std::vector<ForceColumn>& columns = forces_.columns();
    for (std::size_t c = 0; c < columns.size(); ++c)
      if (columns[c].mass != 0) window.A.col(c) -= inertia * columns[c].mass * x.col(columns[c].particle);
  }

  void close(OpenWindow& window) {
    const std::vector<ForceColumn>& columns = forces_.columns();
    for (std::size_t c = 0; c < columns.size(); ++c) window.A.col(c) *= weight_[columns[c].particle];
    window.b *= weight_.asDiagonal();
    for (std::size_t c = 0; c < columns.size(); ++c) {
      const Index i = columns[c].particle;
      right_[c] += window.A.col(c).dot(window.b.col(i));
      if (c > 0 && columns[c - 1].particle == i) continue;
      square_ += window.b.col(i).squaredNorm();
      rows_ += 3;
    }
    for (const Pair& pair : pairs_) normal_.valuePtr()[pair.place] += window.A.col(pair.a).dot(window.A.col(pair.b));
  }

  /// Two columns a ≥ b, and their position in the normal matrix.
  struct Pair {
    Index a, b, place;
  };

  const ForceColumns& forces_;
  Vector weight_;  ///< N
  TestFunction test_{0, 1};
  const BodyTrack* track_ = nullptr;
  std::vector<OpenWindow> open_;
  std::vector<Pair> pairs_;
  Eigen::SparseMatrix<double> normal_;
  std::vector<double> right_;  ///< by column
  double square_ = 0;
  Index rows_ = 0;
};

}  // namespace

TestFunction::TestFunction(Index half_width, double interval) {
  const Index middle = half_width + 1, count = 2 * half_width + 3;
  const double reach = static_cast<double>(middle);
  const auto bump = [&](Index n) {
    const double s = static_cast<double>(n - middle) / reach;
    return std::abs(s) < 1 ? std::pow(1 - s * s, 3) : 0;
  };
  inertia.resize(count);
  force.resize(count);
  for (Index n = 0; n < count; ++n) {
    const double difference = bump(n - 1) - 2 * bump(n) + bump(n + 1);
    inertia[n] = difference / (interval * interval);
    force[n] = bump(n) + difference / 12;
  }
}

WeakFormEquations::WeakFormEquations(Index parameters)
    : normal(parameters, parameters), right(Vector::Zero(parameters)) {}

void add_weak_form(const ForceColumns& forces, const RecordedBody& body, const std::vector<Index>& half_widths,
                   std::vector<WeakFormEquations>& sums) {
  const Index widths = half_widths.size(), columns = forces.columns().size();
  std::vector<WindowSums> windows(half_widths.size(), WindowSums(forces, body.sigma));
  std::vector<FrameForces> at(frames_at_once);
  for (const BodyTrack& track : body.tracks) {
    for (std::size_t w = 0; w < half_widths.size(); ++w) windows[w].begin(track, half_widths[w]);
    const Index frames = track.frames.size();
    for (Index first = 0; first < frames; first += frames_at_once) {
      const Index count = std::min(frames_at_once, frames - first);
      const double pairs = static_cast<double>(count * columns);  // for one direction; there are several
      sim::parallel_for(count, 10 * pairs,
                        [&](Index n) { forces.compute(track.frames[first + n], at[n].force, at[n].column); });
      sim::parallel_for(widths, pairs * static_cast<double>(widths), [&](Index w) {
        for (Index n = 0; n < count; ++n) windows[w].add(first + n, at[n]);
      });
    }
  }
  for (std::size_t w = 0; w < half_widths.size(); ++w) windows[w].add_to(sums[w]);
}

namespace {

/// Relative residual of the linear systems.
constexpr double solved = 1e-10;
constexpr int most_iterations = 1000;
/// Smallest fraction of its start to which a value of fixed sign may fall: at 0 its logarithm would diverge.
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

/// Multiplies by (AᵀA + λ)⁻¹, by conjugate gradients.
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
  std::mt19937_64 random(1);  // its bits are the same on all platforms, unlike those of distributions
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

/// Returns the bounds of p as bounds of u.
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

/// Returns the solution with the parameters on their bounds held there.
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

/// Returns a phrase that explains why this model does not move by m d²x/dt² = F(x, v, t) with constant values.
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

/// Returns the half widths of windows that fit into the longest track at least twice.
std::vector<Index> possible_half_widths(const std::vector<RecordedBody>& bodies) {
  Index longest = 0;
  for (const RecordedBody& body : bodies)
    for (const BodyTrack& track : body.tracks) longest = std::max<Index>(longest, track.frames.size());
  std::vector<Index> widths{0};
  for (Index W = 1; 2 * W + 3 <= longest / 2; W = 2 * W + 1) widths.push_back(W);
  return widths;
}

/// Reads the bodies of all recordings; `missing` receives the reason if one of them has no track.
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
    if (!(spread > 0)) break;  // no parameter has an effect, or the start is exact
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
