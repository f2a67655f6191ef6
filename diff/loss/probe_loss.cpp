#include <algorithm>
#include <cmath>
#include <cstdint>

#include "diff/loss/trajectory_loss.hpp"

namespace pithball::diff {
namespace {

/// Returns a number in [0, 1) that depends only on the counter (SplitMix64, Steele et al. 2014).
double scattered(std::uint64_t counter) {
  std::uint64_t z = counter * 0x9e3779b97f4a7c15ULL + 0x9e3779b97f4a7c15ULL;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return ((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

double weight(Index n, Index i) {
  return 0.5 + scattered(static_cast<std::uint64_t>(n) * 1000003u + static_cast<std::uint64_t>(i));
}

Points scattered_points(Index n, double size, std::uint64_t stream) {
  Points p(3, n);
  for (Index k = 0; k < p.size(); ++k) p.data()[k] = size * (scattered(stream + k) - 0.5);
  return p;
}

double extent(const Points& x) { return x.cols() > 0 ? (x.rowwise().maxCoeff() - x.rowwise().minCoeff()).norm() : 0; }

/// Returns the approximate initial positions; if the run starts near an equilibrium, `initial.x` is relative to that.
Points start_of(const Scenario& s) { return s.rest_near ? Points(*s.rest_near + s.initial.x) : s.initial.x; }

/// Returns the extent of the body or, for a single particle, its largest displacement; 1 m if it stays at rest.
double length_of(const Scenario& s) {
  if (const double length = extent(start_of(s)); length > 0) return length;
  double farthest = 0;
  Points first;
  run_forward(s, [&](Index n, const State& state) {
    if (n == 0) first = state.x;
    if (state.x.cols() > 0 && state.x.allFinite())
      farthest = std::max(farthest, (state.x - first).colwise().norm().maxCoeff());
  });
  return farthest > 0 ? farthest : 1;
}

}  // namespace

ProbeLoss::ProbeLoss(const Scenario& s) {
  const Points x = start_of(s);
  length_ = length_of(s);
  time_ = std::max(1.0, static_cast<double>(s.steps)) * s.time_step;
  scale_ = 1 / (static_cast<double>(x.cols()) * std::max(1.0, static_cast<double>(s.steps)));
  x_offset_ = x + scattered_points(x.cols(), length_, 1u << 20);
  v_offset_ = s.initial.v + scattered_points(x.cols(), length_ / time_, 1u << 21);
}

double ProbeLoss::value(Index n, const State& s) const {
  if (n == 0) return 0;
  double sum = 0;
  for (Index i = 0; i < s.x.cols(); ++i)
    sum +=
        weight(n, i) / 2 *
        ((s.x.col(i) - x_offset_.col(i)).squaredNorm() + time_ * time_ * (s.v.col(i) - v_offset_.col(i)).squaredNorm());
  return scale_ / (length_ * length_) * sum;
}

void ProbeLoss::add_gradient(Index n, const State& s, Points& gx, Points& gv) const {
  if (n == 0) return;
  for (Index i = 0; i < s.x.cols(); ++i) {
    const double w = scale_ / (length_ * length_) * weight(n, i);
    gx.col(i) += w * (s.x.col(i) - x_offset_.col(i));
    gv.col(i) += w * time_ * time_ * (s.v.col(i) - v_offset_.col(i));
  }
}

}  // namespace pithball::diff
