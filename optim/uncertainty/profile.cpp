#include "optim/uncertainty/profile.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>

#include "optim/search/levenberg_marquardt.hpp"
#include "sim/core/error.hpp"

namespace pithball::optim {
namespace {

/// Relative tolerance of √Δχ² at an end: this fraction of a half width is much less than the half width's sampling
/// error.
constexpr double end_tolerance = 5e-3;
/// If a chord step is predicted to decrease Δχ² by less than this fraction of Δχ² at the ends, it is not run: its
/// predicted decrease is subtracted instead.
constexpr double worth_a_step = 0.01;
constexpr int most_chord_steps = 12;
/// Largest number of fits of the other entries by Levenberg–Marquardt on one side, made if chord steps fail repeatedly:
/// each costs as much as the whole fit did.
constexpr int most_searches = 4;
constexpr int most_points = 24;
/// Largest number of points that may fail, each retried at a shorter distance, before the search for an end is
/// abandoned.
constexpr int most_failures = 4;

/// A residual as a function of all entries of θ but one.
class HeldResidual final : public Residual {
 public:
  HeldResidual(const Residual& inner, Index held, double value) : inner_(inner), held_(held), value_(value) {}
  Index rows() const override { return inner_.rows(); }
  Index parameters() const override { return inner_.parameters() - 1; }
  Evaluation evaluate(const Vector& others, Vector& r, Eigen::MatrixXd* jacobian) const override {
    Eigen::MatrixXd whole;
    const Evaluation evaluation = inner_.evaluate(with_held(others, held_, value_), r, jacobian ? &whole : nullptr);
    if (!jacobian || !evaluation.ok()) return evaluation;
    jacobian->resize(rows(), parameters());
    *jacobian << whole.leftCols(held_), whole.rightCols(parameters() - held_);
    return evaluation;
  }
  static Vector with_held(const Vector& others, Index held, double value) {
    Vector theta(others.size() + 1);
    theta << others.head(held), value, others.tail(others.size() - held);
    return theta;
  }
  static Vector without_held(const Vector& theta, Index held) {
    if (theta.size() == 0) return theta;  // no bounds
    Vector others(theta.size() - 1);
    others << theta.head(held), theta.tail(others.size() - held);
    return others;
  }

 private:
  const Residual& inner_;
  Index held_;
  double value_;
};

/// Returns the change of all entries per unit change of entry k: H⁺ e_k/H⁺_kk.
Vector direction_of(const Optimum& optimum, Index k) {
  const double own = optimum.inverse(k, k);
  if (!(own > 0)) return Vector::Unit(optimum.theta.size(), k);
  return optimum.inverse.col(k) / own;
}

/// Returns −H⁺(k) g, where H⁺(k) is the inverse of the curvature with entry k held: H⁺ − H⁺e_k e_kᵀH⁺/H⁺_kk.
Vector chord_step(const Optimum& optimum, Index k, const Vector& g) {
  Vector step = -optimum.inverse * g;
  step -= step[k] * direction_of(optimum, k);
  step[k] = 0;
  return step;
}

/// Returns the P derivatives of the values with respect to θ, relative to those at the optimum: the diagonal of D.
Vector steepness(const Optimum& optimum, const Vector& theta) {
  Vector ratio = Vector::Ones(theta.size());
  for (std::size_t j = 0; j < optimum.transforms.size(); ++j)
    ratio[j] = optimum.transforms[j].derivative(theta[j]) / optimum.transforms[j].derivative(optimum.theta[j]);
  return ratio;
}

/// Returns θ after a step that is linear in physical values, p + dp/dθ Δθ; values on a logarithmic scale fall at most
/// to a tenth.
Vector step_straight(const Optimum& optimum, const Vector& theta, const Vector& step) {
  constexpr double longest_fall = -0.9;
  Vector next = theta + step;
  for (std::size_t j = 0; j < optimum.transforms.size(); ++j)
    if (optimum.transforms[j].kind() == Transform::Kind::Log)
      next[j] = theta[j] + std::log1p(std::max(step[j], longest_fall));
  return next;
}

/// Chord steps with one entry held, whose curvature is corrected from differences of gradients.
class ChordSteps {
 public:
  ChordSteps(const Optimum& optimum, Index k) : optimum_(optimum), k_(k) {}

  /// Returns −(inverse curvature) g at θ.
  Vector step(const Vector& theta, const Vector& g) const {
    Vector q = g;
    q[k_] = 0;
    std::vector<double> alpha(pairs_.size());
    for (std::size_t n = pairs_.size(); n-- > 0;) {
      alpha[n] = pairs_[n].s.dot(q) / pairs_[n].s.dot(pairs_[n].y);
      q -= alpha[n] * pairs_[n].y;
    }
    const Vector D = steepness(optimum_, theta);
    Vector step = chord_step(optimum_, k_, q.cwiseQuotient(D)).cwiseQuotient(D);
    for (std::size_t n = 0; n < pairs_.size(); ++n) {
      const double beta = pairs_[n].y.dot(step) / pairs_[n].s.dot(pairs_[n].y);
      step -= (alpha[n] + beta) * pairs_[n].s;
    }
    step[k_] = 0;
    return step;
  }
  /// Adds a pair: the gradient changes by y over the step s.
  void learn(const Vector& s, Vector y) {
    y[k_] = 0;
    if (s.dot(y) > 0) pairs_.push_back({s, y});
  }

 private:
  struct Pair {
    Vector s, y;
  };
  const Optimum& optimum_;
  Index k_;
  std::vector<Pair> pairs_;
};

/// Returns the distance of θ_k from the optimum, linear in p: (p − p̂)/(dp/dθ_k).
double straight_way(const Optimum& optimum, const IntervalSought& sought, double theta) {
  const double from = optimum.theta[sought.entry];
  return (sought.transform.value(theta) - sought.transform.value(from)) / sought.transform.derivative(from);
}

Vector within(const Bounds& bounds, Vector theta) {
  if (bounds.lower.size() > 0) theta = theta.cwiseMax(bounds.lower);
  if (bounds.upper.size() > 0) theta = theta.cwiseMin(bounds.upper);
  return theta;
}

/// Follows a profile on one side of the optimum.
class Walk {
 public:
  Walk(const Optimum& optimum, const IntervalSought& sought, Profile& profile)
      : optimum_(optimum), sought_(sought), k_(sought.entry), profile_(profile) {}

  ProfileEnd go(double first) {
    const double from = optimum_.theta[k_], side = first < from ? -1 : 1;
    const Bounds& bounds = optimum_.bounds;
    const Vector& bound = side > 0 ? bounds.upper : bounds.lower;
    double limit = from + side * std::max(sought_.reach, std::abs(first - from));
    const bool is_bounded = bound.size() > 0 && side * (bound[k_] - limit) < 0;
    if (is_bounded) limit = bound[k_];
    inside_ = {optimum_.theta, 0};
    outside_.reset();
    searches_ = sought_.by_chords ? 0 : -most_points;  // without chords, every point needs a search
    double next = side * (first - limit) > 0 ? limit : first, width = std::numeric_limits<double>::infinity();
    int failures = 0;
    for (int n = 0; n < most_points; ++n) {
      Place there;
      std::string failure;
      if (!find(next, there, failure)) {
        if (++failures > most_failures) return {inside_.theta[k_], false, false, failure};
        next = sought_.transform.theta(0.5 * (value(inside_) + sought_.transform.value(next)));  // closer to the inside
        continue;
      }
      if (there.rise < -sought_.root * sought_.root) return {there.theta[k_], false, false, "a better minimum"};
      const double missed = root(there.rise) - sought_.root;
      (missed < 0 ? inside_ : outside_.emplace()) = there;
      if (std::abs(missed) <= end_tolerance * sought_.root) return draw_to({there.theta[k_], true});
      if (!outside_ && next == limit)
        return draw_to({limit, false, true, is_bounded ? "a bound" : "no limit within the searched range"});
      // If the rise jumps, no point has exactly the rise that defines an end.
      if (outside_ && bracket() <= end_tolerance)
        return draw_to({.theta = inside_.theta[k_], .closed = true, .jumps = true});
      next = propose(limit, width);
      width = outside_ ? bracket() : width;
    }
    return {inside_.theta[k_], false, false, "the limit could not be found"};
  }

 private:
  struct Place {
    Vector theta;
    double rise = 0;
  };
  static double root(double rise) { return std::sqrt(std::max(0.0, rise)); }
  double value(const Place& place) const { return sought_.transform.value(place.theta[k_]); }
  double value_at_optimum() const { return sought_.transform.value(optimum_.theta[k_]); }
  /// Returns the distance between the two points around an end, relative to its distance from the optimum.
  double bracket() const {
    return std::abs((value(*outside_) - value(inside_)) / (value(*outside_) - value_at_optimum()));
  }

  /// Returns the next point, assuming that √Δχ² is linear in the physical value. `width` is the width of the bracket at
  /// the previous point.
  double propose(double limit, double width) const {
    const double p0 = value_at_optimum(), p = value(inside_), z = root(inside_.rise);
    if (outside_) {
      const double q = value(*outside_), part = (sought_.root - z) / (root(outside_->rise) - z);
      const bool is_slow = bracket() > 0.5 * width;
      return sought_.transform.theta(p + (is_slow ? 0.5 : std::clamp(part, 0.02, 0.98)) * (q - p));
    }
    const double stretch = z > 0 ? std::clamp(1.02 * sought_.root / z, 1.1, 4.0) : 4.0;
    const double further = p0 + stretch * (p - p0), edge = sought_.transform.value(limit);
    const double side = limit < optimum_.theta[k_] ? -1 : 1;
    return side * (further - edge) >= 0 ? limit : sought_.transform.theta(further);
  }

  /// Returns the step from the optimum to θ, linear in physical values.
  Vector straight_change(const Vector& theta) const {
    Vector change = theta - optimum_.theta;
    for (std::size_t j = 0; j < optimum_.transforms.size(); ++j)
      if (optimum_.transforms[j].kind() == Transform::Kind::Log) change[j] = std::expm1(change[j]);
    return change;
  }

  /// Returns the starting point with entry k at `theta`: along the covariance, with the curvature of the path observed
  /// on this side.
  Vector start_at(double theta) const {
    const double x = straight_way(optimum_, sought_, theta);
    Vector change = x * direction_of(optimum_, k_);
    const bool has_inside = inside_.theta[k_] != optimum_.theta[k_];
    if (const Place* bent = has_inside ? &inside_ : outside_ ? &*outside_ : nullptr) {
      const double y = straight_way(optimum_, sought_, bent->theta[k_]);
      change += (x / y) * (x / y) * (straight_change(bent->theta) - y * direction_of(optimum_, k_));
    }
    Vector start = step_straight(optimum_, optimum_.theta, change);
    start[k_] = theta;
    return within(optimum_.bounds, start);
  }

  /// Finds the best fit with entry k at `theta`; false with a reason if there is none.
  bool find(double theta, Place& place, std::string& reason) {
    Vector at = start_at(theta);
    at[k_] = theta;
    if (!settle_by_chords(at, place, reason) && !settle_by_search(at, place, reason)) return false;
    profile_.points.push_back({theta, place.rise});
    if (place.rise < profile_.lowest.rise) {
      profile_.lowest = profile_.points.back();
      profile_.lowest_theta = place.theta;
    }
    return true;
  }

  /// Returns false if steps with the optimum's curvature do not converge; `at` is then the best point found.
  bool settle_by_chords(Vector& at, Place& place, std::string& reason) const {
    if (at.size() == 1) return settle_alone(at, place, reason);
    if (!sought_.by_chords) return false;
    ChordSteps chords(optimum_, k_);
    Vector theta = at, g_at;
    double least = std::numeric_limits<double>::infinity();
    for (int n = 0; n < most_chord_steps; ++n) {
      std::unique_ptr<Linearization> here;
      Vector g;
      Evaluation evaluation = optimum_.residual.linearize(theta, here);
      if (evaluation.ok()) evaluation = here->gradient(g);
      if (!evaluation.ok()) reason = evaluation.failure;
      if (!evaluation.ok() && n == 0) return false;
      if (evaluation.ok() && n > 0) chords.learn(theta - at, g - g_at);
      const double square = evaluation.ok() ? here->residual().squaredNorm() : std::numeric_limits<double>::infinity();
      if (square > least) {  // the step was too long
        theta = at + 0.3 * (theta - at);
        continue;
      }
      least = square;
      at = theta;
      g_at = g;
      const Vector next = within(optimum_.bounds, step_straight(optimum_, theta, chords.step(theta, g)));
      const double promised = std::max(0.0, -g.dot(next - theta));
      if (promised <= worth_a_step * sought_.root * sought_.root) {
        place = {theta, square - promised - optimum_.square};
        return true;
      }
      theta = next;
      theta[k_] = at[k_];
    }
    return false;
  }

  /// Evaluates the point directly: without other entries, there is nothing to minimize over.
  bool settle_alone(const Vector& at, Place& place, std::string& reason) const {
    Vector r;
    reason = optimum_.residual.evaluate(at, r, nullptr).failure;
    place = {at, r.squaredNorm() - optimum_.square};
    return reason.empty();
  }

  bool settle_by_search(const Vector& at, Place& place, std::string& reason) {
    const double theta = at[k_];
    if (at.size() == 1) return false;
    if (searches_++ >= most_searches) {
      if (reason.empty()) reason = "the fits of the others did not converge";
      return false;
    }
    const HeldResidual held(optimum_.residual, k_, theta);
    const Bounds bounds{HeldResidual::without_held(optimum_.bounds.lower, k_),
                        HeldResidual::without_held(optimum_.bounds.upper, k_)};
    const MinimizerReport found =
        levenberg_marquardt(held, HeldResidual::without_held(at, k_), bounds, sought_.minimizer, sought_.watch);
    if (found.status != MinimizerStatus::Converged) {
      reason = "the fit of the others did not converge: " + found.message;
      return false;
    }
    place = {HeldResidual::with_held(found.theta, k_, theta), 2 * found.cost - optimum_.square};
    return true;
  }

  /// Adds the intermediate points of a drawn curve, from the optimum outward.
  ProfileEnd draw_to(ProfileEnd end) {
    const double p0 = sought_.transform.value(optimum_.theta[k_]), p = sought_.transform.value(end.theta);
    std::string ignored;  // the curve may lack a point
    for (Index n = 1; n <= sought_.between; ++n) {
      Place there;
      const double part = static_cast<double>(n) / static_cast<double>(sought_.between + 1);
      find(sought_.transform.theta(p0 + part * (p - p0)), there, ignored);
    }
    return end;
  }

  const Optimum& optimum_;
  const IntervalSought& sought_;
  Index k_;
  Profile& profile_;
  Place inside_;                  // the farthest point whose rise is below the threshold
  std::optional<Place> outside_;  // the nearest point whose rise is above it
  int searches_ = 0;
};

void check_sought(const Optimum& optimum, const IntervalSought& sought) {
  const auto is_positive = [](double x) { return std::isfinite(x) && x > 0; };
  if (!is_positive(sought.root) || !is_positive(sought.reach))
    throw InvalidArgument({"", "profile", "root and reach must be finite and > 0", "", ""});
  if (sought.entry < 0 || sought.entry >= optimum.residual.parameters() ||
      optimum.theta.size() != optimum.residual.parameters())
    throw InvalidArgument({"", "profile", "must be of one of the parameters", std::to_string(sought.entry), ""});
}

}  // namespace

double check_curvature(const Optimum& optimum, const IntervalSought& sought,
                       const std::function<Vector(const Vector&)>& transposed) {
  check_sought(optimum, sought);
  const Index k = sought.entry;
  const double expected = sought.root * sought.root;
  double deviation = 0;
  for (const double end : {sought.lower, sought.upper}) {
    if (!std::isfinite(end)) continue;
    Vector there = optimum.theta + straight_way(optimum, sought, end) * direction_of(optimum, k), r;
    there[k] = end;
    if (!optimum.residual.evaluate(within(optimum.bounds, there), r, nullptr).ok())
      return std::numeric_limits<double>::infinity();
    const Vector g = transposed(r);
    const double rise = r.squaredNorm() - optimum.square, foretold = rise + g.dot(chord_step(optimum, k, g));
    for (const double found : {rise, foretold}) deviation = std::max(deviation, std::abs(found / expected - 1));
  }
  return deviation;
}

Profile compute_profile(const Optimum& optimum, const IntervalSought& sought) {
  check_sought(optimum, sought);
  Profile profile;
  const double from = optimum.theta[sought.entry];
  profile.points.push_back({from, 0});
  Walk walk(optimum, sought, profile);
  if (std::isfinite(sought.lower)) profile.lower = walk.go(sought.lower);
  if (std::isfinite(sought.upper)) profile.upper = walk.go(sought.upper);
  std::sort(profile.points.begin(), profile.points.end(),
            [](const ProfilePoint& a, const ProfilePoint& b) { return a.theta < b.theta; });
  return profile;
}

}  // namespace pithball::optim
