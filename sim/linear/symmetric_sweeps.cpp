#include "sim/linear/symmetric_sweeps.hpp"

#include <Eigen/Geometry>
#include <Eigen/LU>
#include <algorithm>
#include <atomic>
#include <utility>

#include "sim/linear/chunk_sweep.hpp"
#include "sim/linear/panel_sweeps.hpp"
#include "sim/linear/sweep_iterations.hpp"

namespace pithball::sim {
namespace {

/// ω. Between 1.15 and 1.5 the number of iterations hardly changes, for cloths, shells, lattices and chains; at 1 it is
/// a tenth larger.
constexpr double relaxation = 1.3;

/// By its leading minors.
bool is_positive_definite(const Mat3& D) {
  return D(0, 0) > 0 && D(0, 0) * D(1, 1) - D(1, 0) * D(1, 0) > 0 && D.determinant() > 0;
}

/// Work of a sweep: of an entry and of a place. Three times that of `parallel_for`'s unit, because between the sweeps
/// of a solve threads do not fall asleep.
constexpr double entry_work = 12, place_work = 45;
/// Of a panel, in place of one system.
constexpr double panel_work = 2;
double sweep_work(const SweepOrder& order) {
  return entry_work / 2 * static_cast<double>(order.column.size()) + place_work * static_cast<double>(order.places());
}

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

/// Calls chunk(rows, begin, end, number) for the places of every chunk.
template <class Chunk>
void SymmetricSweeps::sweep_rows(Sweep direction, const Chunk& chunk) const {
  const SweepOrder& order = *order_;
  const SweepRows rows{entries_.data(),          skew_.size() > 0 ? skew_.data() : nullptr,
                       diagonal_.data(),         inverse_.data(),
                       order.column.data(),      order.lower_begin.data(),
                       order.upper_begin.data(), relaxation};
  for_each_chunk(order, direction, panel_work * sweep_work(order),
                 [&](Index begin, Index end, Index number) { chunk(rows, begin, end, number); });
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

template <class Row>
void SymmetricSweeps::sweep(Sweep direction, const Row& row) const {
  for_each_chunk(*order_, direction, sweep_work(*order_), [&](Index begin, Index end, Index chunk) {
    if (direction == Sweep::Backward)
      for (Index i = end; i-- > begin;) row(i, chunk);
    else
      for (Index i = begin; i < end; ++i) row(i, chunk);
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
  sweep(Sweep::Forward, [&](Index i, Index) { r.col(i) = unscale(i, r.col(i) - lower_sum(i, r)); });
}

void SymmetricSweeps::apply(const Points& r, Points& z) const {
  Points y;
  gather(r, y);
  solve_lower(y);
  sweep(Sweep::Backward, [&](Index i, Index) { y.col(i) -= unscale(i, upper_sum(i, y)); });
  scatter(y, z);
}

/// b ← b − A x, by places.
void SymmetricSweeps::subtract_product(const Points& x, Points& b) const {
  sweep(Sweep::Forward,
        [&](Index i, Index) { b.col(i) -= relaxation * scale(i, x.col(i)) + lower_sum(i, x) + upper_sum(i, x); });
}

/// The unknowns of one solve. In place of the residual r and the direction p of conjugate gradients it iterates with
///   r̃ = (D + L)⁻¹ r,   p̂ = D⁻¹ (D + U) p,   which gives   (D + L)⁻¹ A p = p + s,
///   (D + L) s = D (p̂ − (2 − ω) p).
class SymmetricSweeps::OneSystem {
 public:
  static constexpr Index systems = 1;
  using Numbers = SystemNumbers<1>;
  using Vectors = Points;
  static Numbers norm(const Points& v) { return Numbers(v.norm()); }
  static void clear(Points& v, Index) { v.setZero(); }
  static void subtract_product(const SymmetricSweeps& A, const Points& x, Points& b) { A.subtract_product(x, b); }

  /// `b`: by places.
  OneSystem(const SymmetricSweeps& A, const Points& b);
  const Points& x() const { return x_; }                  ///< by places
  const Points& direction() const { return direction_; }  ///< p, by places

  Numbers alpha = Numbers::Zero(), rr;
  void next_direction(const Numbers& beta);
  SweepSums<1> multiply();
  void finish();
  Numbers residual() const;

 private:
  void advance(Index i, double& sum);

  const SymmetricSweeps& A_;
  Points r_, p_, direction_, s_, x_;  // r̃, p̂, p, s and x, by places
  ChunkSums<1> sums_;
};

SymmetricSweeps::OneSystem::OneSystem(const SymmetricSweeps& A, const Points& b)
    : A_(A), r_(b), sums_(A.order_->chunks()) {
  A.solve_lower(r_);
  p_ = direction_ = s_ = x_ = Points::Zero(3, r_.cols());
  finish();
}

/// Makes the last update at a place.
[[gnu::always_inline]] inline void SymmetricSweeps::OneSystem::advance(Index i, double& sum) {
  x_.col(i) += alpha[0] * direction_.col(i);
  const Vec3 r = r_.col(i) - alpha[0] * (direction_.col(i) + s_.col(i));
  r_.col(i) = r;
  sum += r.dot(A_.scale(i, r));
}

void SymmetricSweeps::OneSystem::next_direction(const Numbers& beta) {
  sums_.clear();
  A_.sweep(Sweep::Backward, [&](Index i, Index chunk) {
    advance(i, sums_[chunk].rr[0]);
    const Vec3 p = r_.col(i) + beta[0] * p_.col(i);
    p_.col(i) = p;
    direction_.col(i) = p - A_.unscale(i, A_.upper_sum(i, direction_));
  });
  rr = sums_.total().rr;
}

SweepSums<1> SymmetricSweeps::OneSystem::multiply() {
  sums_.clear();
  A_.sweep(Sweep::Forward, [&](Index i, Index chunk) {
    const Vec3 p = p_.col(i), direction = direction_.col(i);
    const Vec3 s = p - (2 - relaxation) * direction - A_.unscale(i, A_.lower_sum(i, s_));
    s_.col(i) = s;
    const Vec3 q = direction + s, Dq = A_.scale(i, q);
    SweepSums<1>& sums = sums_[chunk];
    sums.pq[0] += p.dot(Dq);
    sums.rq[0] += r_.col(i).dot(Dq);
    sums.qq[0] += q.dot(Dq);
  });
  return sums_.total();
}

void SymmetricSweeps::OneSystem::finish() {
  sums_.clear();
  A_.sweep(Sweep::Forward, [&](Index i, Index chunk) { advance(i, sums_[chunk].rr[0]); });
  alpha.setZero();
  rr = sums_.total().rr;
}

/// |r|, of r = (D + L) r̃.
SystemNumbers<1> SymmetricSweeps::OneSystem::residual() const {
  ChunkSums<1> squares(A_.order_->chunks());
  A_.sweep(Sweep::Forward, [&](Index i, Index chunk) {
    squares[chunk].rr[0] += (A_.scale(i, r_.col(i)) + A_.lower_sum(i, r_)).squaredNorm();
  });
  return squares.total().rr.sqrt();
}

/// The same for several systems, in the lanes of a processor.
class SymmetricSweeps::Panel {
 public:
  static constexpr Index systems = panel_width;
  using Numbers = SystemNumbers<systems>;
  using Vectors = Eigen::Matrix<double, 3 * systems, Eigen::Dynamic>;
  static Numbers norm(const Vectors& v);
  static void clear(Vectors& v, Index system) {
    for (Index a = 0; a < 3; ++a) v.row(systems * a + system).setZero();
  }
  static void subtract_product(const SymmetricSweeps& A, const Vectors& x, Vectors& b) {
    A.sweep_rows(Sweep::Forward, [&](const SweepRows& rows, Index begin, Index end, Index) {
      subtract_product_panel(rows, begin, end, x.data(), b.data());
    });
  }

  /// `b`: by places.
  Panel(const SymmetricSweeps& A, const Vectors& b);
  const Vectors& x() const { return x_; }  ///< by places

  Numbers alpha = Numbers::Zero(), rr;
  void next_direction(const Numbers& beta);
  SweepSums<systems> multiply();
  void finish();
  Numbers residual() const;

 private:
  SweepPanels panels() {
    return {r_.data(), p_.data(), direction_.data(), s_.data(), x_.data(), alpha.data(), beta_.data()};
  }
  PanelSums sums(Index chunk) {
    SweepSums<systems>& of = sums_[chunk];
    return {of.pq.data(), of.rq.data(), of.qq.data(), of.rr.data()};
  }

  const SymmetricSweeps& A_;
  Vectors r_, p_, direction_, s_, x_;
  Numbers beta_ = Numbers::Zero();
  ChunkSums<systems> sums_;
};

SystemNumbers<panel_width> SymmetricSweeps::Panel::norm(const Vectors& v) {
  const Eigen::Matrix<double, 3 * systems, 1> squares = v.rowwise().squaredNorm();
  return squares.reshaped(systems, 3).rowwise().sum().array().sqrt();
}

SymmetricSweeps::Panel::Panel(const SymmetricSweeps& A, const Vectors& b) : A_(A), r_(b), sums_(A.order_->chunks()) {
  A.sweep_rows(Sweep::Forward, [&](const SweepRows& rows, Index begin, Index end, Index) {
    solve_lower_panel(rows, begin, end, r_.data());
  });
  p_ = direction_ = s_ = x_ = Vectors::Zero(3 * systems, r_.cols());
  finish();
}

void SymmetricSweeps::Panel::next_direction(const Numbers& beta) {
  beta_ = beta;
  sums_.clear();
  A_.sweep_rows(Sweep::Backward, [&](const SweepRows& rows, Index begin, Index end, Index chunk) {
    next_direction_panel(rows, begin, end, panels(), sums(chunk));
  });
  rr = sums_.total().rr;
}

SweepSums<panel_width> SymmetricSweeps::Panel::multiply() {
  sums_.clear();
  A_.sweep_rows(Sweep::Forward, [&](const SweepRows& rows, Index begin, Index end, Index chunk) {
    multiply_panel(rows, begin, end, panels(), sums(chunk));
  });
  return sums_.total();
}

void SymmetricSweeps::Panel::finish() {
  sums_.clear();
  A_.sweep_rows(Sweep::Forward, [&](const SweepRows& rows, Index begin, Index end, Index chunk) {
    advance_panel(rows, begin, end, panels(), sums(chunk));
  });
  alpha.setZero();
  rr = sums_.total().rr;
}

SystemNumbers<panel_width> SymmetricSweeps::Panel::residual() const {
  ChunkSums<systems> squares(A_.order_->chunks());
  A_.sweep_rows(Sweep::Forward, [&](const SweepRows& rows, Index begin, Index end, Index chunk) {
    add_residual_panel(rows, begin, end, r_.data(), squares[chunk].rr.data());
  });
  return squares.total().rr.sqrt();
}

CgReport SymmetricSweeps::solve(const Points& b, const SolveLimits& limits, Points& x, Points* direction) const {
  Points left, sum;
  gather(b, left);
  const CgReport report = solve_systems<OneSystem>(*this, left, limits, sum, [&](const OneSystem& unknowns) {
    if (direction) scatter(unknowns.direction(), *direction);
  })[0];
  scatter(sum, x);
  return report;
}

std::vector<CgReport> SymmetricSweeps::solve(const std::vector<Points>& b, const SolveLimits& limits,
                                             std::vector<Points>& x) const {
  const Index all = std::ssize(b);
  std::vector<CgReport> reports;
  x.resize(b.size());
  for (Index first = 0; first < all; first += panel_width) {
    const Index count = std::min<Index>(panel_width, all - first);
    if (count == 1) {
      reports.push_back(solve(b[first], limits, x[first]));
      continue;
    }
    Panel::Vectors left = Panel::Vectors::Zero(3 * panel_width, order_->places()), sum;
    for (Index c = 0; c < count; ++c)
      for (Index i = 0; i < order_->places(); ++i)
        for (Index a = 0; a < 3; ++a) left(panel_width * a + c, i) = b[first + c](a, order_->particle[i]);
    const auto panel = solve_systems<Panel>(*this, left, limits, sum, [](const Panel&) {});
    for (Index c = 0; c < count; ++c) {
      x[first + c].setZero(3, particles_);
      for (Index i = 0; i < order_->places(); ++i)
        for (Index a = 0; a < 3; ++a) x[first + c](a, order_->particle[i]) = sum(panel_width * a + c, i);
      reports.push_back(panel[c]);
    }
  }
  return reports;
}

}  // namespace pithball::sim
