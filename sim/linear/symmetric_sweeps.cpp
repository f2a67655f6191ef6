#include "sim/linear/symmetric_sweeps.hpp"

#include <Eigen/Geometry>
#include <Eigen/LU>
#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <utility>

#include "sim/core/brief_wait.hpp"
#include "sim/core/parallel_for.hpp"

namespace pithball::sim {
namespace {

/// ω. Between 1.15 and 1.5 the number of iterations hardly changes, for cloths, shells, lattices and chains; at 1 it is
/// a tenth larger.
constexpr double relaxation = 1.3;

/// The residual of a solve as fine as this is computed anew at its end, and what is left is solved for: D D⁻¹ differs
/// from the identity by the rounding of an inverse, which the recurrences of ill-conditioned diagonal blocks amplify.
constexpr double verified = 1e-8;
/// A repetition that leaves more of the residual than this has reached rounding.
constexpr double no_progress = 0.5;

/// A difference that is a smaller part of its terms has lost half of its digits: the root of the rounding error.
constexpr double cancellation = 1e-8;

/// By its leading minors.
bool is_positive_definite(const Mat3& D) {
  return D(0, 0) > 0 && D(0, 0) * D(1, 1) - D(1, 0) * D(1, 0) > 0 && D.determinant() > 0;
}

/// Work of a sweep: of an entry and of a place. Three times that of `parallel_for`'s unit, because between the sweeps
/// of a solve threads do not fall asleep.
constexpr double entry_work = 12, place_work = 45;

}  // namespace

std::shared_ptr<const SymmetricSweeps> SymmetricSweeps::make(const BlockMatrix& A) {
  std::shared_ptr<SymmetricSweeps> sweeps(new SymmetricSweeps(A));
  if (!sweeps->copy(A)) return nullptr;
  return sweeps;
}

bool SymmetricSweeps::copy(const BlockMatrix& A) {
  particles_ = A.particles();
  const Index places = order_->places(), chunks = order_->chunks();
  const Index entries = static_cast<Index>(order_->column.size());
  entries_.resize(6, entries);
  skew_.resize(3, A.has_skew() ? entries : 0);
  diagonal_.resize(6, places);
  inverse_.resize(6, places);
  std::atomic<bool> definite{true};
  const double work = entry_work * static_cast<double>(entries);
  parallel_for(chunks, work, [&](Index chunk) {
    for (Index i = order_->chunk_begin[chunk]; i < order_->chunk_begin[chunk + 1]; ++i) {
      const Mat3 D = A.diagonal(order_->particle[i]) / relaxation;
      const Mat3 inverse = D.inverse();
      if (!is_positive_definite(D)) definite = false;
      diagonal_.col(i) = symmetric_block(D);
      inverse_.col(i) = symmetric_block(inverse);
      for (const auto* begin : {&order_->lower_begin, &order_->upper_begin})
        for (Index e = (*begin)[i], end = (*begin)[i + 1]; e < end; ++e) {
          const Index k = order_->block.data()[e];
          entries_.col(e) = Eigen::Map<const Eigen::Matrix<double, 6, 1>>(A.symmetric_part(k));
          if (A.has_skew()) skew_.col(e) = Eigen::Map<const Vec3>(A.skew_part(k));
        }
    }
  });
  return definite;
}

std::size_t SymmetricSweeps::bytes() const {
  return static_cast<std::size_t>(entries_.size() + skew_.size() + diagonal_.size() + inverse_.size()) * sizeof(double);
}

/// Nearest places last, because they are the last to be known.
[[gnu::always_inline]] inline Vec3 SymmetricSweeps::lower_sum(Index i, const Points& v) const {
  const Index begin = order_->lower_begin.data()[i], end = order_->lower_begin.data()[i + 1];
  const std::int32_t* column = order_->column.data();
  BlockSum sum;
  for (Index e = begin; e < end; ++e) sum.add(entries_.data() + 6 * e, v.data() + 3 * column[e]);
  return skew_.size() == 0 ? sum.result() : sum.result() + skew_sum(begin, end, v);
}

[[gnu::always_inline]] inline Vec3 SymmetricSweeps::upper_sum(Index i, const Points& v) const {
  const Index begin = order_->upper_begin.data()[i], end = order_->upper_begin.data()[i + 1];
  const std::int32_t* column = order_->column.data();
  BlockSum sum;
  for (Index e = end; e-- > begin;) sum.add(entries_.data() + 6 * e, v.data() + 3 * column[e]);
  return skew_.size() == 0 ? sum.result() : sum.result() + skew_sum(begin, end, v);
}

Vec3 SymmetricSweeps::skew_sum(Index begin, Index end, const Points& v) const {
  Vec3 sum = Vec3::Zero();
  for (Index e = begin; e < end; ++e) sum += Vec3(skew_.col(e)).cross(Vec3(v.col(order_->column[e])));
  return sum;
}

[[gnu::always_inline]] inline Vec3 SymmetricSweeps::scale(Index i, const Vec3& v) const {
  return multiply_symmetric(&diagonal_(0, i), v);
}
[[gnu::always_inline]] inline Vec3 SymmetricSweeps::unscale(Index i, const Vec3& v) const {
  return multiply_symmetric(&inverse_(0, i), v);
}

/// A thread takes the same chunks in every sweep, because its cache still has them, and then those that no other thread
/// has begun. The chunks of the later color wait for all of the earlier one.
template <class Row>
void SymmetricSweeps::sweep(bool backward, const Row& row) const {
  const SweepOrder& order = *order_;
  const double work =
      entry_work / 2 * static_cast<double>(order.column.size()) + place_work * static_cast<double>(order.places());
  static_assert(SweepOrder::most_chunks <= 32);
  std::atomic<unsigned> begun{0};  // a bit for each chunk
  std::atomic<Index> done{0};
  const auto take = [&](Index chunk) {
    if (begun.fetch_or(1U << chunk, std::memory_order_relaxed) >> chunk & 1U) return;
    const Index begin = order.chunk_begin[chunk], end = order.chunk_begin[chunk + 1];
    if (backward)
      for (Index i = end; i-- > begin;) row(i, chunk);
    else
      for (Index i = begin; i < end; ++i) row(i, chunk);
    done.fetch_add(1, std::memory_order_release);
  };
  const Index threads = std::min<Index>(threads_for(work), order.first_color);
  const auto take_all = [&](Index begin, Index end, Index thread) {
    for (Index chunk = begin; chunk < end; ++chunk)
      if (chunk % threads == thread) take(chunk);
    for (Index chunk = begin; chunk < end; ++chunk) take(chunk);
  };
  std::array<std::pair<Index, Index>, 2> colors{{{0, order.first_color}, {order.first_color, order.chunks()}}};
  if (backward) std::swap(colors[0], colors[1]);
  const Index earlier = colors[0].second - colors[0].first;
  parallel_for(threads, work, [&](Index thread) {
    take_all(colors[0].first, colors[0].second, thread);
    while (!brief_wait([&] { return done.load(std::memory_order_acquire) >= earlier; })) continue;
    take_all(colors[1].first, colors[1].second, thread);
  });
}

void SymmetricSweeps::gather(const Points& in, Points& out) const {
  out.resize(3, order_->places());
  for (Index i = 0; i < order_->places(); ++i) out.col(i) = in.col(order_->particle[i]);
}

void SymmetricSweeps::scatter(const Points& in, Points& out) const {
  out = Points::Zero(3, particles_);
  for (Index i = 0; i < order_->places(); ++i) out.col(order_->particle[i]) = in.col(i);
}

void SymmetricSweeps::solve_lower(Points& r) const {
  sweep(false, [&](Index i, Index) { r.col(i) = unscale(i, r.col(i) - lower_sum(i, r)); });
}

void SymmetricSweeps::apply(const Points& r, Points& z) const {
  Points y;
  gather(r, y);
  solve_lower(y);
  sweep(true, [&](Index i, Index) { y.col(i) -= unscale(i, upper_sum(i, y)); });
  scatter(y, z);
}

/// The unknowns of one solve. In place of the residual r and the direction p of conjugate gradients it iterates with
///   r̃ = (D + L)⁻¹ r,   p̂ = D⁻¹ (D + U) p,   which gives   (D + L)⁻¹ A p = p + s,
///   (D + L) s = D (p̂ − (2 − ω) p).
class SymmetricSweeps::Solve {
 public:
  /// `b`: by places.
  Solve(const SymmetricSweeps& A, const Points& b);
  /// `b_norm`: |b|.
  CgReport run(double b_norm, const SolveLimits& limits, Points* direction);
  const Points& x() const { return x_; }  ///< by places

 private:
  struct alignas(64) Sums {  // a cache line for each chunk
    double pq = 0, rq = 0, qq = 0, rr = 0;
  };
  void advance(Index i, double& rr);
  void next_direction(double beta);
  void multiply();
  void finish();
  double residual() const;
  Sums total() const;

  const SymmetricSweeps& A_;
  Points r_, p_, direction_, s_, x_;  // r̃, p̂, p, s and x, by places
  double alpha_ = 0;                  // of the update of x and r̃ that is still to be made
  double rr_ = 0;                     // r̃ᵀ D r̃ = rᵀ P⁻¹ r
  std::vector<Sums> sums_;            // of each chunk
};

SymmetricSweeps::Solve::Solve(const SymmetricSweeps& A, const Points& b) : A_(A), r_(b), sums_(A.order_->chunks()) {
  A.solve_lower(r_);
  p_ = direction_ = s_ = x_ = Points::Zero(3, r_.cols());
  finish();
}

SymmetricSweeps::Solve::Sums SymmetricSweeps::Solve::total() const {
  Sums total;
  for (const Sums& chunk : sums_) {
    total.pq += chunk.pq;
    total.rq += chunk.rq;
    total.qq += chunk.qq;
    total.rr += chunk.rr;
  }
  return total;
}

/// Makes the last update at a place.
[[gnu::always_inline]] inline void SymmetricSweeps::Solve::advance(Index i, double& rr) {
  x_.col(i) += alpha_ * direction_.col(i);
  const Vec3 r = r_.col(i) - alpha_ * (direction_.col(i) + s_.col(i));
  r_.col(i) = r;
  rr += r.dot(A_.scale(i, r));
}

/// Makes the last update, and from it p̂ and p.
void SymmetricSweeps::Solve::next_direction(double beta) {
  for (Sums& chunk : sums_) chunk = {};
  A_.sweep(true, [&](Index i, Index chunk) {
    advance(i, sums_[chunk].rr);
    const Vec3 p = r_.col(i) + beta * p_.col(i);
    p_.col(i) = p;
    direction_.col(i) = p - A_.unscale(i, A_.upper_sum(i, direction_));
  });
  rr_ = total().rr;
}

/// s, and the products that the update depends on, with q = p + s in place of A p.
void SymmetricSweeps::Solve::multiply() {
  A_.sweep(false, [&](Index i, Index chunk) {
    const Vec3 p = p_.col(i), direction = direction_.col(i);
    const Vec3 s = p - (2 - relaxation) * direction - A_.unscale(i, A_.lower_sum(i, s_));
    s_.col(i) = s;
    const Vec3 q = direction + s, Dq = A_.scale(i, q);
    Sums& sums = sums_[chunk];
    sums.pq += p.dot(Dq);
    sums.rq += r_.col(i).dot(Dq);
    sums.qq += q.dot(Dq);
  });
}

/// Makes the last update alone.
void SymmetricSweeps::Solve::finish() {
  for (Sums& chunk : sums_) chunk = {};
  A_.sweep(false, [&](Index i, Index chunk) { advance(i, sums_[chunk].rr); });
  alpha_ = 0;
  rr_ = total().rr;
}

/// |r|, of r = (D + L) r̃.
double SymmetricSweeps::Solve::residual() const {
  std::vector<double> squares(sums_.size(), 0.0);
  A_.sweep(false, [&](Index i, Index chunk) {
    squares[chunk] += (A_.scale(i, r_.col(i)) + A_.lower_sum(i, r_)).squaredNorm();
  });
  double sum = 0;
  for (const double square : squares) sum += square;
  return std::sqrt(sum);
}

CgReport SymmetricSweeps::Solve::run(double b_norm, const SolveLimits& limits, Points* direction) {
  CgReport report;
  report.converged = b_norm == 0;
  report.relative_residual = report.converged ? 0 : 1;
  // rᵀ P⁻¹ r comes with each iteration, |r| costs a sweep: it is looked at when the former lets expect that it is small
  // enough.
  double due = limits.tolerance * limits.tolerance * rr_, beta = 0;
  while (!report.converged && report.iterations < limits.max_iterations) {
    next_direction(beta);
    multiply();
    const Sums sums = total();
    if (!(sums.pq > 0)) {  // also catches NaN
      report.negative_curvature = true;
      if (direction) A_.scatter(direction_, *direction);
      report.relative_residual = residual() / b_norm;
      break;
    }
    alpha_ = rr_ / sums.pq;
    ++report.iterations;
    // The next r̃ᵀ D r̃, before the update is made (Meurant 1984); the update then computes it without cancellation.
    // Where that leaves less than half of the digits, the update is made at once.
    const double next = rr_ - 2 * alpha_ * sums.rq + alpha_ * alpha_ * sums.qq, before = rr_;
    const bool resolved = next > cancellation * before;
    beta = next / before;
    if (resolved && next > due && report.iterations < limits.max_iterations) continue;
    finish();
    beta = rr_ / before;
    if (rr_ > due && report.iterations < limits.max_iterations) continue;
    report.relative_residual = residual() / b_norm;
    report.converged = report.relative_residual <= limits.tolerance;
    const double ratio = limits.tolerance / report.relative_residual;
    due = std::min(0.5, ratio * ratio) * rr_;
  }
  return report;
}

/// b ← b − A x, by places.
void SymmetricSweeps::subtract_product(const Points& x, Points& b) const {
  sweep(false,
        [&](Index i, Index) { b.col(i) -= relaxation * scale(i, x.col(i)) + lower_sum(i, x) + upper_sum(i, x); });
}

CgReport SymmetricSweeps::solve(const Points& b, const SolveLimits& limits, Points& x, Points* direction) const {
  Points left, sum = Points::Zero(3, order_->places());
  gather(b, left);
  const double b_norm = b.norm(), goal = limits.tolerance * b_norm;
  CgReport report;
  for (double norm = b_norm, before = 0;;) {
    const SolveLimits rest{norm > 0 ? goal / norm : limits.tolerance, limits.max_iterations - report.iterations};
    Solve solve(*this, left);
    const CgReport part = solve.run(norm, rest, direction);
    report.iterations += part.iterations;
    report.negative_curvature = part.negative_curvature;
    report.converged = part.converged;
    report.relative_residual = b_norm > 0 ? part.relative_residual * norm / b_norm : 0;
    sum += solve.x();
    if (!part.converged || norm == 0 || limits.tolerance > verified) break;
    subtract_product(solve.x(), left);
    before = std::exchange(norm, left.norm());
    report.relative_residual = norm / b_norm;
    if (norm <= goal) break;
    if (norm > no_progress * before) {
      report.converged = before < b_norm;  // rounding; false if the very first solve has failed
      break;
    }
  }
  scatter(sum, x);
  return report;
}

}  // namespace pithball::sim
