#pragma once
#include <algorithm>
#include <cstdlib>
#include <memory>
#include <new>

#include "sim/core/parallel_for.hpp"
#include "sim/core/types.hpp"
#include "sim/coulomb/direct/direct_kernel.hpp"

namespace pithball::sim::direct {

/// Sets numbers to 0, on several threads if there are many: the system hands out new memory page by page as it is first
/// written, which takes longer than the writing.
template <class Real>
void set_zero(Real* first, Index count) {
  constexpr Index block = 1 << 16;
  parallel_for((count + block - 1) / block, count,
               [&](Index b) { std::fill(first + b * block, first + std::min(count, (b + 1) * block), Real(0)); });
}

/// n rounded up to whole groups of targets.
constexpr Index padded_size(Index n) { return (n + group - 1) / group * group; }

/// `channels` arrays of `padded` numbers each, every one aligned for vector loads; not initialized.
template <class Real>
class ChannelsOf {
 public:
  /// `padded`: a multiple of `group`. Throws std::bad_alloc if there is no memory.
  ChannelsOf(int channels, Index padded)
      : channels_(channels),
        padded_(padded),
        data_(static_cast<Real*>(std::aligned_alloc(alignment, bytes(channels, padded)))) {
    if (!data_) throw std::bad_alloc();
  }
  int size() const { return channels_; }    ///< number of channels
  Index padded() const { return padded_; }  ///< numbers in each channel, padding included
  void set_zero() { direct::set_zero(data_.get(), channels_ * padded_); }    ///< padding included
  Real* operator[](int k) { return data_.get() + k * padded_; }              ///< the `padded()` numbers of channel k
  const Real* operator[](int k) const { return data_.get() + k * padded_; }  ///< the same, read-only

 private:
  static constexpr std::size_t alignment = 64;  // of the widest vectors
  static std::size_t bytes(int channels, Index padded) { return std::max(alignment, sizeof(Real) * channels * padded); }
  struct Free {
    void operator()(Real* p) const { std::free(p); }
  };
  int channels_;
  Index padded_;
  std::unique_ptr<Real, Free> data_;
};
/// Channels of double.
using Channels = ChannelsOf<double>;

/// A 3×N array as three channels from `first` on; the padding becomes `beyond`.
inline void fill(Channels& channels, int first, const Points& points, double beyond = 0) {
  for (int a = 0; a < 3; ++a) {
    double* out = channels[first + a];
    for (Index i = 0; i < points.cols(); ++i) out[i] = points(a, i);
    std::fill(out + points.cols(), out + channels.padded(), beyond);
  }
}

/// N numbers as channel k; the padding becomes 0.
inline void fill(Channels& channels, int k, const Vector& values) {
  std::copy(values.begin(), values.end(), channels[k]);
  std::fill(channels[k] + values.size(), channels[k] + channels.padded(), 0.0);
}

}  // namespace pithball::sim::direct
