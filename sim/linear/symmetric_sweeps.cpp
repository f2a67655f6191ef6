#include "sim/linear/symmetric_sweeps.hpp"

#include <algorithm>
#include <atomic>

#include "sim/linear/sweep_iterations.hpp"
#include "sim/linear/sweep_kernels.hpp"

namespace pithball::sim {
namespace {

/// Relaxation factor ω. For cloths, shells, lattices and chains, the number of iterations is nearly the same between
/// 1.15 and 1.5, and a tenth larger at 1.
constexpr double relaxation = 1.3;

/// Work of inverting a block and of copying a vector. The same thread reads them in the sweeps.
constexpr double inverse_work = 80, copy_work = 80;
/// Work of a panel relative to one system.
constexpr double panel_work = 2;

}  // namespace

std::shared_ptr<const SymmetricSweeps> SymmetricSweeps::make(std::shared_ptr<const BlockMatrix> A) {
  std::shared_ptr<SymmetricSweeps> sweeps(new SymmetricSweeps(std::move(A)));
  if (!sweeps->invert_diagonal()) return nullptr;
  return sweeps;
}

/// Calls body(begin, end) for the places of every chunk, on several threads if `place_work` justifies them.
template <class Body>
void SymmetricSweeps::for_places(double place_work, const Body& body) const {
  parallel_for(order().chunks(), place_work * static_cast<double>(order().places()), [&](Index k) {
    const Index chunk = order().chunk_along(k);
    body(order().chunk_begin[chunk], order().chunk_begin[chunk + 1]);
  });
}

/// Returns whether the diagonal blocks are positive definite.
bool SymmetricSweeps::invert_diagonal() {
  diagonal_.resize(6, order().places());
  inverse_.resize(6, order().places());
  std::atomic<bool> definite{true};
  for_places(inverse_work, [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) {
      const SymmetricBlock D = A_->symmetric_diagonal(order().particle[i]) / relaxation, minors = cofactors(D);
      const double determinant_D = determinant(D, minors);
      if (!(D[0] > 0 && minors[5] > 0 && determinant_D > 0)) definite = false;  // leading minors
      diagonal_.col(i) = D;
      inverse_.col(i) = minors / determinant_D;
    }
  });
  return definite;
}

SweepRows SymmetricSweeps::rows() const {
  return {A_->symmetric_parts(),      A_->skew_parts(),
          diagonal_.data(),           inverse_.data(),
          order().lower_begin.data(), order().lower_column.data(),
          order().upper_begin.data(), order().upper_column.data(),
          order().upper_pair.data(),  relaxation};
}

/// Returns the work of a sweep with this number of systems.
double SymmetricSweeps::work(Index systems) const {
  return (systems == 1 ? 1 : panel_work) * SweepOrder::work(order().places(), order().pairs());
}

/// Calls visit(kernels, rows, chunk) for every chunk.
template <class Visit>
void SymmetricSweeps::sweep(Sweep direction, Index systems, const Visit& visit) const {
  const SweepRows A = rows();
  const SweepKernels& kernels = sweep_kernels(systems);
  sweep_chunks(order(), direction, work(systems), [&](const Chunk& chunk) { visit(kernels, A, chunk); });
}

std::size_t SymmetricSweeps::bytes() const {
  return A_->bytes() + static_cast<std::size_t>(diagonal_.size() + inverse_.size()) * sizeof(double);
}

/// The vectors of one system, or of a panel, by places, and the unknowns of a solve. Instead of the residual r and
/// the direction p of conjugate gradients it iterates on
///   r̃ = (D + L)⁻¹ r,   p̂ = D⁻¹ (D + U) p,   which gives   (D + L)⁻¹ A p = p + s,
///   (D + L) s = D (p̂ − (2 − ω) p).
template <Index count>
class SymmetricSweeps::Unknowns {
 public:
  static constexpr Index systems = count;
  static constexpr Index size = place_size(count);
  using Numbers = SystemNumbers<count>;
  using Vectors = Eigen::Matrix<double, size, Eigen::Dynamic>;

  /// Gathers the vectors of the particles for some of the systems and sets those of the other systems to 0.
  static Vectors gather(const SymmetricSweeps& A, std::span<const Points> in) {
    const std::vector<Index>& particle = A.order().particle;
    Vectors out(size, A.order().places());
    A.for_places(copy_work, [&](Index begin, Index end) {
      out.middleCols(begin, end - begin).setZero();
      for (Index c = 0; c < std::ssize(in); ++c)
        for (Index i = begin; i < end; ++i)
          for (Index a = 0; a < 3; ++a) out(row(a, c), i) = in[c](a, particle[i]);
    });
    return out;
  }
  /// Scatters the vectors to the particles and sets those of held particles to 0.
  static void scatter(const SymmetricSweeps& A, const Vectors& in, std::span<Points> out) {
    const std::vector<Index>& particle = A.order().particle;
    for (Points& of : out) of.resize(3, A.A_->particles());
    A.for_places(copy_work, [&](Index begin, Index end) {
      for (Index c = 0; c < std::ssize(out); ++c)
        for (Index i = begin; i < end; ++i)
          for (Index a = 0; a < 3; ++a) out[c](a, particle[i]) = in(row(a, c), i);
    });
    for (Index i = 0; i < A.A_->particles(); ++i)
      if (A.A_->is_held(i))
        for (Points& of : out) of.col(i).setZero();
  }
  static Numbers norm(const Vectors& v) {
    const Eigen::Matrix<double, size, 1> squares = v.rowwise().squaredNorm();
    Numbers norms = Numbers::Zero();
    for (Index c = 0; c < count; ++c)
      for (Index a = 0; a < 3; ++a) norms[c] += squares[row(a, c)];
    return norms.sqrt();
  }
  static void clear(Vectors& v, Index system) {
    for (Index a = 0; a < 3; ++a) v.row(row(a, system)).setZero();
  }
  static void solve_lower(const SymmetricSweeps& A, Vectors& r) {
    A.sweep(Sweep::Forward, count, [&](const SweepKernels& kernels, const SweepRows& rows, const Chunk& chunk) {
      kernels.solve_lower(rows, chunk.begin, chunk.end, r.data());
    });
  }
  static void subtract_product(const SymmetricSweeps& A, const Vectors& x, Vectors& b) {
    A.sweep(Sweep::Forward, count, [&](const SweepKernels& kernels, const SweepRows& rows, const Chunk& chunk) {
      kernels.subtract_product(rows, chunk.begin, chunk.end, x.data(), b.data());
    });
  }

  /// `b`: by places.
  Unknowns(const SymmetricSweeps& A, const Vectors& b) : A_(A), sums_(A.order().chunks()) {
    for (Vectors* v : {&r_, &p_, &direction_, &s_, &x_}) v->resize(size, b.cols());
    A.for_places(copy_work, [&](Index begin, Index end) {
      const auto part = [=](auto& v) { return v.middleCols(begin, end - begin); };
      part(r_) = part(b);
      for (Vectors* v : {&p_, &direction_, &s_, &x_}) part(*v).setZero();
    });
    solve_lower(A, r_);
    finish();
  }
  Vectors& x() { return x_; }
  const Vectors& direction() const { return direction_; }

  Numbers alpha = Numbers::Zero(), rr;
  SweepSums<count> multiply(const Numbers& beta) {
    beta_ = beta;
    sums_.clear();
    const SweepRows rows = A_.rows();
    const SweepKernels& kernels = sweep_kernels(count);
    sweep_chunks_there_and_back(
        A_.order(), 2 * A_.work(count),
        [&](const Chunk& chunk) { kernels.next_direction(rows, chunk.begin, chunk.end, iterates(), products(chunk)); },
        [&](const Chunk& chunk) { kernels.multiply(rows, chunk.begin, chunk.end, iterates(), products(chunk)); });
    const SweepSums<count> sums = sums_.total();
    rr = sums.rr;
    return sums;
  }
  /// Performs only the last update.
  void finish() {
    sums_.clear();
    A_.sweep(Sweep::Forward, count, [&](const SweepKernels& kernels, const SweepRows& rows, const Chunk& chunk) {
      kernels.advance(rows, chunk.begin, chunk.end, iterates(), products(chunk));
    });
    alpha.setZero();
    rr = sums_.total().rr;
  }
  /// Returns |r|, where r = (D + L) r̃.
  Numbers residual() const {
    ChunkSums<count> squares(A_.order().chunks());
    A_.sweep(Sweep::Forward, count, [&](const SweepKernels& kernels, const SweepRows& rows, const Chunk& chunk) {
      kernels.add_residual(rows, chunk.begin, chunk.end, r_.data(), squares[chunk.number].rr.data());
    });
    return squares.total().rr.sqrt();
  }

 private:
  /// Returns the row of component a of a system among the numbers of a place.
  static constexpr Index row(Index a, Index system) { return count == 1 ? a : count * a + system; }
  SweepIterates iterates() {
    return {r_.data(), p_.data(), direction_.data(), s_.data(), x_.data(), alpha.data(), beta_.data()};
  }
  SweepProducts products(const Chunk& chunk) {
    SweepSums<count>& of = sums_[chunk.number];
    return {of.pq.data(), of.rq.data(), of.qq.data(), of.rr.data()};
  }

  const SymmetricSweeps& A_;
  Vectors r_, p_, direction_, s_, x_;  // r̃, p̂, p, s and x
  Numbers beta_ = Numbers::Zero();
  ChunkSums<count> sums_;
};

/// Solves up to `count` systems at once.
template <Index count, class Visit>
void SymmetricSweeps::solve_together(std::span<const Points> b, const SolveLimits& limits, std::span<Points> x,
                                     std::span<CgReport> reports, const Visit& at_negative_curvature) const {
  using Some = Unknowns<count>;
  typename Some::Vectors left = Some::gather(*this, b), sum;
  const auto all = solve_systems<Some>(*this, left, limits, sum, at_negative_curvature);
  Some::scatter(*this, sum, x);
  std::copy_n(all.begin(), reports.size(), reports.begin());
}

void SymmetricSweeps::apply(const Points& r, Points& z) const {
  using One = Unknowns<1>;
  One::Vectors y = One::gather(*this, {&r, 1});
  One::solve_lower(*this, y);
  sweep(Sweep::Backward, 1, [&](const SweepKernels& kernels, const SweepRows& rows, const Chunk& chunk) {
    kernels.solve_upper(rows, chunk.begin, chunk.end, y.data());
  });
  One::scatter(*this, y, {&z, 1});
}

CgReport SymmetricSweeps::solve(const Points& b, const SolveLimits& limits, Points& x, Points* direction) const {
  CgReport report;
  solve_together<1>({&b, 1}, limits, {&x, 1}, {&report, 1}, [&](const Unknowns<1>& unknowns) {
    if (direction) Unknowns<1>::scatter(*this, unknowns.direction(), {direction, 1});
  });
  return report;
}

std::vector<CgReport> SymmetricSweeps::solve(const std::vector<Points>& b, const SolveLimits& limits,
                                             std::vector<Points>& x) const {
  std::vector<CgReport> reports(b.size());
  x.resize(b.size());
  for (std::size_t first = 0; first < b.size(); first += panel_width) {
    const std::size_t some = std::min<std::size_t>(panel_width, b.size() - first);
    const auto part = [&](auto& all) { return std::span(all).subspan(first, some); };
    const auto solve_part = [&]<Index count>() {
      solve_together<count>(part(b), limits, part(x), part(reports), [](const Unknowns<count>&) {});
    };
    if (some == 1)
      solve_part.template operator()<1>();
    else
      solve_part.template operator()<panel_width>();
  }
  return reports;
}

}  // namespace pithball::sim
