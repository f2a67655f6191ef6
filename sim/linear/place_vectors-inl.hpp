// Vectors of one place, for kernels that Highway compiles once for each instruction set; such a file includes this one
// after highway.h, each time anew.
#if defined(PITHBALL_SIM_LINEAR_PLACE_VECTORS_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef PITHBALL_SIM_LINEAR_PLACE_VECTORS_INL_HPP
#undef PITHBALL_SIM_LINEAR_PLACE_VECTORS_INL_HPP
#else
#define PITHBALL_SIM_LINEAR_PLACE_VECTORS_INL_HPP
#endif

#include <hwy/highway.h>

#include <cstddef>
#include <cstdint>

HWY_BEFORE_NAMESPACE();
namespace pithball::sim::HWY_NAMESPACE {
namespace {
namespace hn = hwy::HWY_NAMESPACE;

#if HWY_CAP_GE256

/// One system: a lane for each component. The fourth has no meaning and takes no part in sums.
struct One {
  using D = hn::FixedTag<double, 4>;
  using V = hn::VFromD<D>;
  using Vector = V;
  using Number = V;
  static constexpr std::ptrdiff_t size = 4;  // numbers of a place in a vector

  template <class Row>
  static HWY_INLINE void for_each_group(const Row& row) {
    row(0);
  }
  static HWY_INLINE Number number(const double* numbers, std::ptrdiff_t) { return hn::Set(D(), *numbers); }
  static HWY_INLINE Number same(double number) { return hn::Set(D(), number); }
  static HWY_INLINE Vector load(const double* at) { return hn::LoadU(D(), at); }
  static HWY_INLINE void store(const Vector& v, double* at) { hn::StoreU(v, D(), at); }
  /// Three numbers only.
  static HWY_INLINE void store_packed(const Vector& v, double* at) { hn::BlendedStore(v, hn::FirstN(D(), 3), D(), at); }
  static HWY_INLINE Vector add(const Vector& a, const Vector& b) { return hn::Add(a, b); }
  static HWY_INLINE Vector subtract(const Vector& a, const Vector& b) { return hn::Sub(a, b); }
  static HWY_INLINE Vector add_multiple(const Vector& a, Number f, const Vector& b) { return hn::MulAdd(f, b, a); }
  static HWY_INLINE Vector subtract_multiple(const Vector& a, Number f, const Vector& b) {
    return hn::NegMulAdd(f, b, a);
  }

  /// The three columns have sums of their own, which need not wait for each other.
  class Sum {
   public:
    HWY_INLINE Sum() : head_(lanes(0, 1, 3)), tail_(lanes(1, 2, 3)), x_(hn::Zero(D())), y_(x_), z_(x_) {}
    HWY_INLINE void add(const double* m, const double* at) {
      add(m, hn::Set(D(), at[0]), hn::Set(D(), at[1]), hn::Set(D(), at[2]));
    }
    HWY_INLINE void add(const double* m, const Vector& v) { add(m, broadcast<0>(v), broadcast<1>(v), broadcast<2>(v)); }
    HWY_INLINE void add_cross(const double* a, const double* v) { x_ = hn::Add(x_, cross(a, v)); }
    HWY_INLINE void subtract_cross(const double* a, const double* v) { x_ = hn::Sub(x_, cross(a, v)); }
    HWY_INLINE Vector result() const { return hn::Add(hn::Add(x_, y_), z_); }

   private:
    static HWY_INLINE V cross(const double* a, const double* v) {
      const double of[4] = {a[1] * v[2] - a[2] * v[1], a[2] * v[0] - a[0] * v[2], a[0] * v[1] - a[1] * v[0], 0};
      return hn::LoadU(D(), of);
    }
    /// (xx, xy, ·, xz) and (xy, yy, ·, yz) → the first and the second column; (·, xz, yz, zz) → the third.
    HWY_INLINE void add(const double* m, V x, V y, V z) {
      x_ = hn::MulAdd(hn::TableLookupLanes(hn::LoadU(D(), m), head_), x, x_);
      y_ = hn::MulAdd(hn::TableLookupLanes(hn::LoadU(D(), m + 1), head_), y, y_);
      z_ = hn::MulAdd(hn::TableLookupLanes(hn::LoadU(D(), m + 2), tail_), z, z_);
    }
    using Lanes = decltype(hn::SetTableIndices(D(), static_cast<const std::int64_t*>(nullptr)));
    static HWY_INLINE Lanes lanes(std::int64_t a, std::int64_t b, std::int64_t c) {
      const std::int64_t from[4] = {a, b, c, c};
      return hn::SetTableIndices(D(), from);
    }
    template <std::int64_t lane>
    static HWY_INLINE V broadcast(V v) {
      return hn::TableLookupLanes(v, lanes(lane, lane, lane));
    }
    Lanes head_, tail_;
    V x_, y_, z_;
  };

  class DotSum {
   public:
    explicit HWY_INLINE DotSum(double* number) : number_(number), sum_(hn::Zero(D())) {}
    HWY_INLINE void add(std::ptrdiff_t, const Vector& a, const Vector& b) { sum_ = hn::MulAdd(a, b, sum_); }
    HWY_INLINE void end() {
      double of[4];
      hn::StoreU(sum_, D(), of);
      *number_ += of[0] + of[1] + of[2];
    }

   private:
    double* number_;
    V sum_;
  };
};

#else

/// One system, where vectors are too short for a lane for each component.
struct One {
  struct Vector {
    double x, y, z;
  };
  using Number = double;
  static constexpr std::ptrdiff_t size = 4;  // numbers of a place in a vector

  template <class Row>
  static HWY_INLINE void for_each_group(const Row& row) {
    row(0);
  }
  static HWY_INLINE Number number(const double* numbers, std::ptrdiff_t) { return *numbers; }
  static HWY_INLINE Number same(double number) { return number; }
  static HWY_INLINE Vector load(const double* at) { return {at[0], at[1], at[2]}; }
  static HWY_INLINE void store(const Vector& v, double* at) {
    at[0] = v.x;
    at[1] = v.y;
    at[2] = v.z;
  }
  static HWY_INLINE void store_packed(const Vector& v, double* at) { store(v, at); }
  static HWY_INLINE Vector add(const Vector& a, const Vector& b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
  static HWY_INLINE Vector subtract(const Vector& a, const Vector& b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
  static HWY_INLINE Vector add_multiple(const Vector& a, Number f, const Vector& b) {
    return {a.x + f * b.x, a.y + f * b.y, a.z + f * b.z};
  }
  static HWY_INLINE Vector subtract_multiple(const Vector& a, Number f, const Vector& b) {
    return add_multiple(a, -f, b);
  }

  class Sum {
   public:
    HWY_INLINE void add(const double* m, const double* at) { add(m, load(at)); }
    HWY_INLINE void add(const double* m, const Vector& v) {
      sum_.x += m[0] * v.x + m[1] * v.y + m[3] * v.z;
      sum_.y += m[1] * v.x + m[2] * v.y + m[4] * v.z;
      sum_.z += m[3] * v.x + m[4] * v.y + m[5] * v.z;
    }
    HWY_INLINE void add_cross(const double* a, const double* v) {
      sum_.x += a[1] * v[2] - a[2] * v[1];
      sum_.y += a[2] * v[0] - a[0] * v[2];
      sum_.z += a[0] * v[1] - a[1] * v[0];
    }
    HWY_INLINE void subtract_cross(const double* a, const double* v) { add_cross(v, a); }
    HWY_INLINE Vector result() const { return sum_; }

   private:
    Vector sum_{0, 0, 0};
  };

  class DotSum {
   public:
    explicit HWY_INLINE DotSum(double* number) : number_(number) {}
    HWY_INLINE void add(std::ptrdiff_t, const Vector& a, const Vector& b) {
      *number_ += a.x * b.x + a.y * b.y + a.z * b.z;
    }
    HWY_INLINE void end() {}

   private:
    double* number_;
  };
};

#endif

}  // namespace
}  // namespace pithball::sim::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
