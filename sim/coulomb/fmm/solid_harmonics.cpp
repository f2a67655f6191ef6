#include "sim/coulomb/fmm/solid_harmonics.hpp"

#include <cmath>

namespace pithball::sim::fmm {

Recurrence::Recurrence(int order_) : order(order_) {
  sectoral.push_back(1);
  for (int m = 1; m <= order; ++m) sectoral.push_back(m == 1 ? 1.0 : std::sqrt((2.0 * m - 1) / (2.0 * m)));
  for (int m = 0; m <= order; ++m)
    for (int n = m + 1; n <= order; ++n) {
      const double root = std::sqrt(double(n - m) * (n + m));
      ahead.push_back((2.0 * n - 1) / root);
      behind.push_back(std::sqrt(double(n - 1 - m) * (n - 1 + m)) / root);
    }
}

Vector harmonics_at(Harmonics kind, int order, const Vec3& at) {
  const Recurrence recurrence(order);
  Vec3 x = at;
  double r2 = x.squaredNorm(), c = 1, s = 0;
  if (kind == Harmonics::Irregular) {
    c = 1 / std::sqrt(r2);
    r2 = 1 / r2;
    x *= r2;
  }
  Vector h(coefficients(order));
  std::size_t k = 0;
  for (int m = 0; m <= order; ++m) {
    if (m > 0) {
      const double a = recurrence.sectoral[m], c_before = c;
      c = a * (x[0] * c_before - x[1] * s);
      s = a * (x[0] * s + x[1] * c_before);
    }
    double c1 = c, s1 = s, c2 = 0, s2 = 0;
    h[cosine(m, m)] = c1;
    if (m > 0) h[sine(m, m)] = s1;
    for (int n = m + 1; n <= order; ++n, ++k) {
      const double a = recurrence.ahead[k] * x[2], b = recurrence.behind[k] * r2;
      const double c0 = a * c1 - b * c2, s0 = a * s1 - b * s2;
      h[cosine(n, m)] = c0;
      if (m > 0) h[sine(n, m)] = s0;
      c2 = c1, c1 = c0, s2 = s1, s1 = s0;
    }
  }
  return h;
}

Derivatives::Derivatives(Harmonics kind, int order) {
  // With Z = A + iB the complex harmonic before normalization and D the step of the degree (−1 regular, +1 irregular),
  //   (∂x − i∂y) Z_n^m = Z_{n+D}^{m−1},   (∂x + i∂y) Z_n^m = −Z_{n+D}^{m+1},   ∂z Z_n^m = −D Z_{n+D}^m,
  // and Z^{−1} = −conj Z^1. `down` and `up` include the ratio of the normalizations.
  const bool regular = kind == Harmonics::Regular;
  for (int n = 0; n <= order; ++n) {
    const int to = regular ? n - 1 : n + 1;
    if (to < 0) continue;
    for (int m = 0; m <= n; ++m) {
      const double l = n;
      const double down =  // to m − 1
          std::sqrt((regular ? (l + m) * (l + m - 1) : (l - m + 2) * (l - m + 1)) * (m == 1 ? 2 : 1)) / 2;
      const double up =  // to m + 1
          std::sqrt((regular ? (l - m) * (l - m - 1) : (l + m + 2) * (l + m + 1)) * (m == 0 ? 0.5 : 1)) /
          (m == 0 ? 1 : 2);
      const double along = regular ? std::sqrt((l - m) * (l + m)) : -std::sqrt((l + 1 - m) * (l + 1 + m));
      const auto add = [&](int a, int of, int target, double weight) { axis[a].push_back({of, target, weight}); };
      const int c = cosine(n, m), s = sine(n, m);
      if (m <= to) {
        add(2, c, cosine(to, m), along);
        if (m > 0) add(2, s, sine(to, m), along);
      }
      if (m + 1 <= to) {
        add(0, c, cosine(to, m + 1), -up);
        add(1, c, sine(to, m + 1), -up);
        if (m > 0) {
          add(0, s, sine(to, m + 1), -up);
          add(1, s, cosine(to, m + 1), up);
        }
      }
      if (m > 0) {
        add(0, c, cosine(to, m - 1), down);
        add(1, s, cosine(to, m - 1), down);
        if (m > 1) {
          add(0, s, sine(to, m - 1), down);
          add(1, c, sine(to, m - 1), -down);
        }
      }
    }
  }
}

namespace {

/// One degree of a rotation of real harmonics, rows and columns m = −n…n (negative: sines).
class Degree {
 public:
  explicit Degree(int n) : n_(n), values_((2 * n + 1) * (2 * n + 1), 0.0) {}
  double& at(int row, int column) { return values_[(row + n_) * (2 * n_ + 1) + column + n_]; }
  double at(int row, int column) const { return const_cast<Degree*>(this)->at(row, column); }

 private:
  int n_;
  std::vector<double> values_;
};

Degree next_degree(const Degree& first, const Degree& before, int l) {
  const auto p = [&](int i, int a, int b) {
    if (b == -l) return first.at(i, 1) * before.at(a, -l + 1) + first.at(i, -1) * before.at(a, l - 1);
    if (b == l) return first.at(i, 1) * before.at(a, l - 1) - first.at(i, -1) * before.at(a, -l + 1);
    return first.at(i, 0) * before.at(a, b);
  };
  const auto v_term = [&](int m, int b) {
    if (m == 0) return p(1, 1, b) + p(-1, -1, b);
    if (m == 1) return std::sqrt(2.0) * p(1, 0, b);
    if (m == -1) return std::sqrt(2.0) * p(-1, 0, b);
    return m > 0 ? p(1, m - 1, b) - p(-1, -m + 1, b) : p(1, m + 1, b) + p(-1, -m - 1, b);
  };
  const auto w_term = [&](int m, int b) {
    return m > 0 ? p(1, m + 1, b) + p(-1, -m - 1, b) : p(1, m - 1, b) - p(-1, -m + 1, b);
  };
  Degree next(l);
  for (int m = -l; m <= l; ++m)
    for (int b = -l; b <= l; ++b) {
      const int k = std::abs(m);
      const double d = std::abs(b) == l ? 2.0 * l * (2.0 * l - 1) : double(l + b) * (l - b);
      double sum = 0;
      if (k < l) sum += std::sqrt(double(l + m) * (l - m) / d) * p(0, m, b);
      sum += (m == 0 ? -std::sqrt(2.0 * (l - 1) * l / d) : std::sqrt(double(l + k - 1) * (l + k) / d)) / 2 *
             (l > 1 || m != 0 ? v_term(m, b) : 0.0);
      if (m != 0 && k < l - 1) sum -= std::sqrt(double(l - k - 1) * (l - k) / d) / 2 * w_term(m, b);
      next.at(m, b) = sum;
    }
  return next;
}

}  // namespace

RotationAboutY::RotationAboutY(int order, double cos_theta, double sin_theta) {
  Degree first(1), degree(0);
  // Degree 1 in the order y, z, x: z' = x sin θ + z cos θ, x' = x cos θ − z sin θ.
  first.at(-1, -1) = 1;
  first.at(0, 0) = cos_theta;
  first.at(0, 1) = sin_theta;
  first.at(1, 0) = -sin_theta;
  first.at(1, 1) = cos_theta;
  degree.at(0, 0) = 1;
  for (int n = 0; n <= order; ++n) {
    if (n == 1) degree = first;
    if (n > 1) degree = next_degree(first, degree, n);
    cosine_start_.push_back(data_.size());
    for (int m = 0; m <= n; ++m)
      for (int k = 0; k <= n; ++k) data_.push_back(degree.at(m, k));
    sine_start_.push_back(data_.size());
    for (int m = 1; m <= n; ++m)
      for (int k = 1; k <= n; ++k) data_.push_back(degree.at(-m, -k));
  }
}

}  // namespace pithball::sim::fmm
