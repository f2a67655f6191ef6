#include "optim/uncertainty/profile.hpp"

#include <algorithm>
#include <cmath>

#include "optim/search/levenberg_marquardt.hpp"
#include "sim/core/error.hpp"

namespace pithball::optim {
namespace {

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

/// Walks along a profile, each fit starting from its neighbours.
class Walk {
 public:
  Walk(const Residual& residual, const Vector& optimum, Index held, const ProfileOptions& options, Profile& profile)
      : residual_(residual), optimum_(optimum), held_(held), options_(options), profile_(profile) {
    Vector r;
    if (const Evaluation evaluation = residual.evaluate(optimum, r, nullptr); !evaluation.ok())
      throw InvalidArgument({"", "profile", "the optimum must be one that can be run", evaluation.failure, ""});
    square_ = r.squaredNorm();
  }

  ProfileEnd go(double direction) {
    before_ = now_ = {optimum_[held_], 0, HeldResidual::without_held(optimum_, held_)};
    ProfileEnd end;
    const Vector& bound = direction > 0 ? options_.bounds.upper : options_.bounds.lower;
    double limit = optimum_[held_] + direction * options_.reach, step = options_.step;
    const bool is_bounded = bound.size() > 0 && direction * (bound[held_] - limit) < 0;
    if (is_bounded) limit = bound[held_];
    while (!end.closed && now_.theta != limit) {
      double next = now_.theta + direction * step;
      if (direction * (next - limit) > 0) next = limit;
      Place there;
      if (!find(next, there, end.reason)) break;
      if (there.rise >= options_.threshold) return close(now_, there, end);
      // √rise grows evenly near an optimum; where it hardly does, stride out.
      if (std::abs(root(there.rise) - root(now_.rise)) < root(options_.threshold) / 8) step *= 2;
      before_ = now_;
      now_ = there;
    }
    end.theta = now_.theta;
    if (end.reason.empty()) end.reason = is_bounded ? "a bound" : "no limit as far as was looked";
    return end;
  }

 private:
  struct Place {
    double theta = 0, rise = 0;
    Vector others;
  };
  static double root(double rise) { return std::sqrt(std::max(0.0, rise)); }

  /// The best fit at `theta`; false with a reason if there is none.
  bool find(double theta, Place& place, std::string& reason) {
    place.theta = theta;
    // The others go on as they went from the point before.
    Vector start = now_.others;
    if (now_.theta != before_.theta)
      start += (theta - now_.theta) / (now_.theta - before_.theta) * (now_.others - before_.others);
    const HeldResidual held(residual_, held_, theta);
    Bounds bounds{HeldResidual::without_held(options_.bounds.lower, held_),
                  HeldResidual::without_held(options_.bounds.upper, held_)};
    if (bounds.lower.size() > 0) start = start.cwiseMax(bounds.lower);
    if (bounds.upper.size() > 0) start = start.cwiseMin(bounds.upper);
    double square = 0;
    if (start.size() == 0) {
      Vector r;
      if (const Evaluation evaluation = held.evaluate(start, r, nullptr); !evaluation.ok()) {
        reason = evaluation.failure;
        return false;
      }
      place.others = start;
      square = r.squaredNorm();
    } else {
      const MinimizerReport report = levenberg_marquardt(held, start, bounds, options_.minimizer);
      if (report.status == MinimizerStatus::Failed || report.status == MinimizerStatus::Stopped) {
        reason = report.message;
        return false;
      }
      place.others = report.theta;
      square = 2 * report.cost;
    }
    place.rise = (square - square_) / (options_.scale * options_.scale);
    profile_.points.push_back({theta, place.rise});
    return true;
  }

  /// Regula falsi on √rise, which is nearly linear, with halved weights against a stuck end (Illinois).
  ProfileEnd close(Place inside, Place outside, ProfileEnd end) {
    const double target = root(options_.threshold);
    double low = root(inside.rise) - target, high = root(outside.rise) - target;
    end.closed = true;
    int side = 0;  // of the last point: a weight is halved where the other end stays a second time
    for (int k = 0; k < 20; ++k) {
      end.theta = (inside.theta * high - outside.theta * low) / (high - low);
      Place middle;
      now_ = inside, before_ = outside;
      if (!find(end.theta, middle, end.reason)) {
        end.closed = false;
        end.theta = inside.theta;
        return end;
      }
      const double error = root(middle.rise) - target;
      if (std::abs(error) < 1e-4 * target) break;
      if (error < 0) {
        inside = middle, low = error;
        if (side == -1) high /= 2;
        side = -1;
      } else {
        outside = middle, high = error;
        if (side == 1) low /= 2;
        side = 1;
      }
    }
    return end;
  }

  const Residual& residual_;
  const Vector& optimum_;
  Index held_;
  const ProfileOptions& options_;
  Profile& profile_;
  double square_ = 0;
  Place before_, now_;
};

}  // namespace

bool Profile::found_better() const {
  return std::any_of(points.begin(), points.end(), [](const ProfilePoint& p) { return p.rise < -rounding; });
}

Profile compute_profile(const Residual& residual, const Vector& optimum, Index parameter,
                        const ProfileOptions& options) {
  const auto is_positive = [](double x) { return std::isfinite(x) && x > 0; };
  if (!is_positive(options.scale) || !is_positive(options.threshold) || !is_positive(options.step) ||
      !is_positive(options.reach))
    throw InvalidArgument({"", "profile", "scale, threshold, step and reach must be finite and > 0", "", ""});
  if (parameter < 0 || parameter >= residual.parameters() || optimum.size() != residual.parameters())
    throw InvalidArgument({"", "profile", "must be of one of the parameters", std::to_string(parameter), ""});
  Profile profile;
  profile.points.push_back({optimum[parameter], 0});
  Walk walk(residual, optimum, parameter, options, profile);
  profile.lower = walk.go(-1);
  profile.upper = walk.go(1);
  std::sort(profile.points.begin(), profile.points.end(),
            [](const ProfilePoint& a, const ProfilePoint& b) { return a.theta < b.theta; });
  return profile;
}

}  // namespace pithball::optim
