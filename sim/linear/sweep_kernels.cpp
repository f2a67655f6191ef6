#include "sim/linear/sweep_kernels.hpp"

// Highway compiles the rest of this file once for each instruction set and chooses among them at run time.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "sim/linear/sweep_kernels.cpp"
#include <hwy/foreach_target.h>

#include <hwy/highway.h>

#include "sim/linear/place_vectors-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace pithball::sim::HWY_NAMESPACE {
namespace {

static_assert(One::size == place_size(1));

/// Several systems, one per lane. The vectors of a place are read for one group of lanes at a time.
struct Panel {
  using D = hn::CappedTag<double, panel_width>;
  using V = hn::VFromD<D>;
  struct Vector {
    V x, y, z;
  };
  using Number = V;  // one number per system
  static constexpr std::ptrdiff_t size = place_size(panel_width);

  template <class Row>
  static HWY_INLINE void for_each_group(const Row& row) {
    for (std::ptrdiff_t c = 0; c < panel_width; c += static_cast<std::ptrdiff_t>(hn::Lanes(D()))) row(c);
  }
  static HWY_INLINE Number number(const double* numbers, std::ptrdiff_t c) { return hn::LoadU(D(), numbers + c); }
  static HWY_INLINE Number same(double number) { return hn::Set(D(), number); }
  static HWY_INLINE Vector zero() { return {hn::Zero(D()), hn::Zero(D()), hn::Zero(D())}; }
  static HWY_INLINE Vector load(const double* at) {
    return {hn::LoadU(D(), at), hn::LoadU(D(), at + panel_width), hn::LoadU(D(), at + 2 * panel_width)};
  }
  static HWY_INLINE void store(const Vector& v, double* at) {
    hn::StoreU(v.x, D(), at);
    hn::StoreU(v.y, D(), at + panel_width);
    hn::StoreU(v.z, D(), at + 2 * panel_width);
  }
  static HWY_INLINE Vector add(const Vector& a, const Vector& b) {
    return {hn::Add(a.x, b.x), hn::Add(a.y, b.y), hn::Add(a.z, b.z)};
  }
  static HWY_INLINE Vector subtract(const Vector& a, const Vector& b) {
    return {hn::Sub(a.x, b.x), hn::Sub(a.y, b.y), hn::Sub(a.z, b.z)};
  }
  /// a + f b.
  static HWY_INLINE Vector add_multiple(const Vector& a, Number f, const Vector& b) {
    return {hn::MulAdd(f, b.x, a.x), hn::MulAdd(f, b.y, a.y), hn::MulAdd(f, b.z, a.z)};
  }
  /// a − f b.
  static HWY_INLINE Vector subtract_multiple(const Vector& a, Number f, const Vector& b) {
    return {hn::NegMulAdd(f, b.x, a.x), hn::NegMulAdd(f, b.y, a.y), hn::NegMulAdd(f, b.z, a.z)};
  }

  /// A sum of products of blocks with vectors.
  class Sum {
   public:
    HWY_INLINE Sum() : sum_(zero()) {}
    HWY_INLINE void add(const double* m, const double* at) { add(m, load(at)); }
    HWY_INLINE void add(const double* m, const Vector& v) {
      const V xy = same(m[1]), xz = same(m[3]), yz = same(m[4]);
      sum_.x = hn::MulAdd(xz, v.z, hn::MulAdd(xy, v.y, hn::MulAdd(same(m[0]), v.x, sum_.x)));
      sum_.y = hn::MulAdd(yz, v.z, hn::MulAdd(same(m[2]), v.y, hn::MulAdd(xy, v.x, sum_.y)));
      sum_.z = hn::MulAdd(same(m[5]), v.z, hn::MulAdd(yz, v.y, hn::MulAdd(xz, v.x, sum_.z)));
    }
    HWY_INLINE void add_cross(const double* a, const double* at) {  // a × v
      const V x = same(a[0]), y = same(a[1]), z = same(a[2]);
      const Vector v = load(at);
      sum_.x = hn::NegMulAdd(z, v.y, hn::MulAdd(y, v.z, sum_.x));
      sum_.y = hn::NegMulAdd(x, v.z, hn::MulAdd(z, v.x, sum_.y));
      sum_.z = hn::NegMulAdd(y, v.x, hn::MulAdd(x, v.y, sum_.z));
    }
    HWY_INLINE void subtract_cross(const double* a, const double* at) {
      const V x = same(a[0]), y = same(a[1]), z = same(a[2]);
      const Vector v = load(at);
      sum_.x = hn::MulAdd(z, v.y, hn::NegMulAdd(y, v.z, sum_.x));
      sum_.y = hn::MulAdd(x, v.z, hn::NegMulAdd(z, v.x, sum_.y));
      sum_.z = hn::MulAdd(y, v.x, hn::NegMulAdd(x, v.y, sum_.z));
    }
    HWY_INLINE Vector result() const { return sum_; }

   private:
    Vector sum_;
  };

  /// A sum of dot products over places, for each system.
  class DotSum {
   public:
    explicit HWY_INLINE DotSum(double* numbers) : numbers_(numbers) {}
    HWY_INLINE void add(std::ptrdiff_t c, const Vector& a, const Vector& b) {
      V sum = hn::LoadU(D(), numbers_ + c);
      sum = hn::MulAdd(a.z, b.z, hn::MulAdd(a.y, b.y, hn::MulAdd(a.x, b.x, sum)));
      hn::StoreU(sum, D(), numbers_ + c);
    }
    HWY_INLINE void end() {}

   private:
    double* numbers_;
  };
};

template <class L>
HWY_INLINE typename L::Vector product(const double* m, const typename L::Vector& v) {
  typename L::Sum sum;
  sum.add(m, v);
  return sum.result();
}

/// The sweeps, for vectors of a layout L.
template <class L>
struct Sweeps {
  using Vector = typename L::Vector;
  using Sum = typename L::Sum;
  using DotSum = typename L::DotSum;

  /// Returns Σ A_ij v_j over earlier places j. Adds the nearest places last, because their vectors are computed last.
  static HWY_INLINE Vector lower_sum(const SweepRows& A, std::ptrdiff_t i, const double* v) {
    Sum sum;
    for (std::ptrdiff_t pair = A.lower_begin[i], end = A.lower_begin[i + 1]; pair < end; ++pair) {
      const double* of_column = v + L::size * A.lower_column[pair];
      sum.add(A.pairs + 6 * pair, of_column);
      if (A.skew) sum.add_cross(A.skew + 3 * pair, of_column);
    }
    return sum.result();
  }
  /// Returns Σ A_ij v_j over later places j.
  static HWY_INLINE Vector upper_sum(const SweepRows& A, std::ptrdiff_t i, const double* v) {
    Sum sum;
    for (std::ptrdiff_t begin = A.upper_begin[i], e = A.upper_begin[i + 1]; e-- > begin;) {
      const double* of_column = v + L::size * A.upper_column[e];
      const std::ptrdiff_t pair = A.upper_pair[e];
      sum.add(A.pairs + 6 * pair, of_column);
      if (A.skew) sum.subtract_cross(A.skew + 3 * pair, of_column);
    }
    return sum.result();
  }
  /// Performs the last update at a place and returns r̃.
  static HWY_INLINE Vector update(const SweepRows& A, std::ptrdiff_t i, const SweepIterates& v, std::ptrdiff_t c,
                                  DotSum& rr) {
    const std::ptrdiff_t at = L::size * i + c;
    const typename L::Number alpha = L::number(v.alpha, c);
    const Vector direction = L::load(v.direction + at);
    L::store(L::add_multiple(L::load(v.x + at), alpha, direction), v.x + at);
    const Vector r = L::subtract_multiple(L::load(v.r + at), alpha, L::add(direction, L::load(v.s + at)));
    L::store(r, v.r + at);
    rr.add(c, r, product<L>(A.diagonal + 6 * i, r));
    return r;
  }

  static void solve_lower(const SweepRows& A, std::ptrdiff_t begin, std::ptrdiff_t end, double* r) {
    for (std::ptrdiff_t i = begin; i < end; ++i)
      L::for_each_group([&](std::ptrdiff_t c) HWY_ATTR {
        double* const at = r + L::size * i + c;
        L::store(product<L>(A.inverse + 6 * i, L::subtract(L::load(at), lower_sum(A, i, r + c))), at);
      });
  }
  static void solve_upper(const SweepRows& A, std::ptrdiff_t begin, std::ptrdiff_t end, double* r) {
    for (std::ptrdiff_t i = end; i-- > begin;)
      L::for_each_group([&](std::ptrdiff_t c) HWY_ATTR {
        double* const at = r + L::size * i + c;
        L::store(L::subtract(L::load(at), product<L>(A.inverse + 6 * i, upper_sum(A, i, r + c))), at);
      });
  }
  static void advance(const SweepRows& A, std::ptrdiff_t begin, std::ptrdiff_t end, const SweepIterates& v,
                      const SweepProducts& sums) {
    DotSum rr(sums.rr);
    for (std::ptrdiff_t i = begin; i < end; ++i)
      L::for_each_group([&](std::ptrdiff_t c) HWY_ATTR { update(A, i, v, c, rr); });
    rr.end();
  }
  static void next_direction(const SweepRows& A, std::ptrdiff_t begin, std::ptrdiff_t end, const SweepIterates& v,
                             const SweepProducts& sums) {
    DotSum rr(sums.rr);
    for (std::ptrdiff_t i = end; i-- > begin;)
      L::for_each_group([&](std::ptrdiff_t c) HWY_ATTR {
        const std::ptrdiff_t at = L::size * i + c;
        const Vector r = update(A, i, v, c, rr);
        const Vector p = L::add_multiple(r, L::number(v.beta, c), L::load(v.p + at));
        L::store(p, v.p + at);
        const Vector later = upper_sum(A, i, v.direction + c);
        L::store(L::subtract(p, product<L>(A.inverse + 6 * i, later)), v.direction + at);
      });
    rr.end();
  }
  static void multiply(const SweepRows& A, std::ptrdiff_t begin, std::ptrdiff_t end, const SweepIterates& v,
                       const SweepProducts& sums) {
    DotSum pq(sums.pq), rq(sums.rq), qq(sums.qq);
    const typename L::Number part = L::same(2 - A.relaxation);
    for (std::ptrdiff_t i = begin; i < end; ++i)
      L::for_each_group([&](std::ptrdiff_t c) HWY_ATTR {
        const std::ptrdiff_t at = L::size * i + c;
        const Vector p = L::load(v.p + at), direction = L::load(v.direction + at);
        const Vector earlier = product<L>(A.inverse + 6 * i, lower_sum(A, i, v.s + c));
        const Vector s = L::subtract(L::subtract_multiple(p, part, direction), earlier);
        L::store(s, v.s + at);
        const Vector q = L::add(direction, s), Dq = product<L>(A.diagonal + 6 * i, q);
        pq.add(c, p, Dq);
        rq.add(c, L::load(v.r + at), Dq);
        qq.add(c, q, Dq);
      });
    pq.end();
    rq.end();
    qq.end();
  }
  static void add_residual(const SweepRows& A, std::ptrdiff_t begin, std::ptrdiff_t end, const double* r,
                           double* squares) {
    DotSum sum(squares);
    for (std::ptrdiff_t i = begin; i < end; ++i)
      L::for_each_group([&](std::ptrdiff_t c) HWY_ATTR {
        const Vector own = product<L>(A.diagonal + 6 * i, L::load(r + L::size * i + c));
        const Vector all = L::add(own, lower_sum(A, i, r + c));
        sum.add(c, all, all);
      });
    sum.end();
  }
  static void subtract_product(const SweepRows& A, std::ptrdiff_t begin, std::ptrdiff_t end, const double* x,
                               double* b) {
    const typename L::Number relaxation = L::same(A.relaxation);
    for (std::ptrdiff_t i = begin; i < end; ++i)
      L::for_each_group([&](std::ptrdiff_t c) HWY_ATTR {
        const std::ptrdiff_t at = L::size * i + c;
        const Vector across = L::add(lower_sum(A, i, x + c), upper_sum(A, i, x + c));
        const Vector own = product<L>(A.diagonal + 6 * i, L::load(x + at));
        L::store(L::subtract(L::load(b + at), L::add_multiple(across, relaxation, own)), b + at);
      });
  }
};

template <class L>
constexpr SweepKernels kernels_of{Sweeps<L>::solve_lower,     Sweeps<L>::solve_upper, Sweeps<L>::advance,
                                  Sweeps<L>::next_direction,  Sweeps<L>::multiply,    Sweeps<L>::add_residual,
                                  Sweeps<L>::subtract_product};

}  // namespace

const SweepKernels* kernels_here(std::ptrdiff_t systems) {
  return systems == 1 ? &kernels_of<One> : &kernels_of<Panel>;
}

}  // namespace pithball::sim::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace pithball::sim {

HWY_EXPORT(kernels_here);

const SweepKernels& sweep_kernels(std::ptrdiff_t systems) { return *HWY_DYNAMIC_DISPATCH(kernels_here)(systems); }

}  // namespace pithball::sim
#endif
