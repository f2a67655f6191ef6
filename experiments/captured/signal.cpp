#include "experiments/captured/signal.hpp"

#include <Eigen/LU>
#include <cmath>
#include <complex>
#include <numbers>

#include "sim/core/dense.hpp"

namespace pithball::experiments {
namespace {

constexpr double two_pi = 2 * std::numbers::pi;

/// Returns the residual of a path (samples×3) after a least-squares fit of the amplitudes of a damped sinusoid with
/// given f and a.
Eigen::MatrixXd sinusoid_residual(const Eigen::MatrixXd& path, double rate, double f, double a) {
  Eigen::MatrixXd basis(path.rows(), 2);
  for (Index k = 0; k < path.rows(); ++k) {
    const double t = k / rate, e = std::exp(-a * t);
    basis.row(k) << e * std::cos(two_pi * f * t), e * std::sin(two_pi * f * t);
  }
  return path - basis * sim::solve_least_squares(basis, path).X;
}

}  // namespace

double spectral_peak(const Points& path, double rate) {
  constexpr Index padded = 8192;
  const Index n = path.cols();
  Points w = path.colwise() - path.rowwise().mean();
  for (Index k = 0; k < n; ++k) w.col(k) *= 0.5 * (1 - std::cos(two_pi * (k + 0.5) / n));
  const auto power = [&](Index bin) {
    double sum = 0;
    for (int c = 0; c < 3; ++c) {
      std::complex<double> z = 0;
      for (Index k = 0; k < n; ++k) z += w(c, k) * std::polar(1.0, -two_pi * bin * k / padded);
      sum += std::norm(z);
    }
    return sum;
  };
  const auto lowest = static_cast<Index>(std::ceil(0.5 * padded / rate));
  Index best = lowest;
  sim::Vector spectrum(padded / 2 + 1);
  for (Index bin = lowest - 1; bin < spectrum.size(); ++bin) spectrum[bin] = power(bin);
  for (Index bin = lowest; bin + 1 < spectrum.size(); ++bin)
    if (spectrum[bin] > spectrum[best]) best = bin;
  const double l = std::log(spectrum[best - 1]), m = std::log(spectrum[best]), r = std::log(spectrum[best + 1]);
  const double shift = best == lowest ? 0 : 0.5 * (l - r) / (l - 2 * m + r);
  return (best + shift) * rate / padded;
}

DampedSinusoid fit_damped_sinusoid(const Points& path, double rate) {
  const Eigen::MatrixXd samples = path.transpose();
  DampedSinusoid best;
  double best_cost = std::numeric_limits<double>::infinity();
  for (const double f0 : {1.2, 1.8, 2.3, 2.8, 3.3}) {
    Eigen::Vector2d p(f0, 2.0);
    double cost = sinusoid_residual(samples, rate, p[0], p[1]).squaredNorm(), damping = 1e-3;
    for (int iteration = 0; iteration < 100 && damping < 1e8; ++iteration) {
      const Eigen::MatrixXd r = sinusoid_residual(samples, rate, p[0], p[1]);
      Eigen::MatrixXd J(r.size(), 2);
      constexpr double d = 1e-6;
      for (int c = 0; c < 2; ++c) {
        const Eigen::Vector2d e = d * Eigen::Vector2d::Unit(c);
        J.col(c) = ((sinusoid_residual(samples, rate, p[0] + e[0], p[1] + e[1]) -
                     sinusoid_residual(samples, rate, p[0] - e[0], p[1] - e[1])) /
                    (2 * d))
                       .reshaped();
      }
      Eigen::Matrix2d A = J.transpose() * J;
      A.diagonal() *= 1 + damping;
      const Eigen::Vector2d trial = p - A.inverse() * (J.transpose() * r.reshaped());
      const double there = sinusoid_residual(samples, rate, trial[0], trial[1]).squaredNorm();
      const bool better = there < cost;
      const bool settled = better && cost - there < 1e-12 * cost;
      damping *= better ? 0.2 : 5;
      if (better) {
        p = trial;
        cost = there;
      }
      if (settled) break;
    }
    if (cost < best_cost) {
      best_cost = cost;
      best = {p[0], p[1]};
    }
  }
  return best;
}

Points damped_sinusoid_path(const DampedSinusoid& s, const sim::Vec3& x, const sim::Vec3& v, double rate,
                            Index samples) {
  Points path(3, samples);
  const double w = two_pi * s.frequency;
  for (Index k = 0; k < samples; ++k) {
    const double t = k / rate;
    path.col(k) = std::exp(-s.decay * t) * (x * std::cos(w * t) + (v + s.decay * x) / w * std::sin(w * t));
  }
  return path;
}

double rms(const Points& path) { return std::sqrt(path.squaredNorm() / path.cols()); }

}  // namespace pithball::experiments
