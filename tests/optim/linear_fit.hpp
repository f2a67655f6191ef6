#pragma once
// A linear least-squares problem in place of a fit: rows of F frames of M series, of which some are recordings of their
// own, a Jacobian that is made by hand, and noise of every kind.

#include <Eigen/Cholesky>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "optim/uncertainty/parameter_errors.hpp"

namespace pithball::test {

using optim::FitRows;
using optim::Index;
using optim::Vector;

/// Names of the two values that `swinging` tells of.
inline const std::vector<std::string> two_names{"a", "b"};

/// Rows of `recordings` recordings with this many frames of this many series (3 components to a marker).
inline optim::RowOrder make_order(Index recordings, Index frames, Index series) {
  optim::RowOrder order;
  Index row = 0;
  for (Index g = 0; g < recordings; ++g) {
    order.recordings.push_back(static_cast<std::size_t>(g));
    for (Index f = 0; f < frames; ++f) {
      order.frames.push_back({g, row, row + series});
      for (Index s = 0; s < series; ++s, ++row) {
        if (s % 3 == 0) order.samples.push_back(row);
        order.previous.push_back(f == 0 ? -1 : row - series);
        order.series.push_back(s);
      }
    }
  }
  order.samples.push_back(row);
  return order;
}

/// Effects of two values on a swing that all markers share, a little later at each: of a phase, and of an amplitude.
inline Eigen::MatrixXd swinging(Index frames, Index series) {
  Eigen::MatrixXd J(frames * series, 2);
  for (Index f = 0; f < frames; ++f)
    for (Index s = 0; s < series; ++s) {
      const double t = static_cast<double>(f) / static_cast<double>(frames);
      const double phase = 10 * t + static_cast<double>(s % 3) + 0.1 * static_cast<double>(s / 3);
      J.row(f * series + s) << t * std::sin(phase), (1 - t) * std::cos(phase);
    }
  return J;
}

/// Noise of standard deviation 1: an autoregression of this coefficient in each series, or, of a part `common` of its
/// variance, in each component of all markers together.
inline Vector make_noise(std::mt19937_64& random, Index frames, Index series, double rho, double common) {
  std::normal_distribution<double> normal;
  const double fresh = std::sqrt(1 - rho * rho), own = std::sqrt(1 - common), shared = std::sqrt(common);
  Vector noise(frames * series), last(series), all(3);
  for (Index f = 0; f < frames; ++f) {
    for (double& x : all) x = f == 0 ? normal(random) : rho * x + fresh * normal(random);
    for (Index s = 0; s < series; ++s) {
      last[s] = f == 0 ? normal(random) : rho * last[s] + fresh * normal(random);
      noise[f * series + s] = own * last[s] + shared * all[s % 3];
    }
  }
  return noise;
}

/// θ at the minimum of ½Σρ(|r_j|²)/τ² + ½|r_p|², r = noise + J θ, by steps with the curvature of the scores; `fit` then
/// has the residuals there. τ: `data_scale`.
inline Vector solve(FitRows& fit, const Vector& noise, double data_scale = 1) {
  const Index P = fit.parameters();
  Vector theta = Vector::Zero(P);
  const Vector prior = fit.prior;
  const int rounds = fit.loss.is_robust() ? 30 : 1;
  for (int round = 0; round <= rounds; ++round) {
    fit.r = noise + fit.J * theta;
    if (prior.size() > 0) fit.prior = prior + fit.prior_J * theta;
    if (round == rounds) break;
    const optim::Scores scores = compute_scores(fit);
    const double weight = 1 / (data_scale * data_scale);
    Eigen::MatrixXd H = weight * scores.rows.transpose() * scores.rows;
    Vector g = weight * fit.J.transpose() * scores.psi;
    if (prior.size() > 0) {
      H += fit.prior_J.transpose() * fit.prior_J;
      g += fit.prior_J.transpose() * fit.prior;
    }
    theta -= H.ldlt().solve(g);
  }
  return theta;
}

/// One value θ with J = (1, 2, 1, 1) in frames of one row each, and residuals after the fit, orthogonal to J.
inline optim::FitRows line_of_four() {
  optim::FitRows fit;
  fit.J.resize(4, 1);
  fit.J << 1, 2, 1, 1;
  fit.r.resize(4);
  fit.r << 1, -1, 2, -1;
  fit.prior_J.resize(0, 1);
  fit.order = make_order(1, 4, 1);
  fit.order.samples = {0, 1, 2, 3, 4};
  return fit;
}

}  // namespace pithball::test
