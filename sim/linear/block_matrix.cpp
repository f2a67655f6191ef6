#include "sim/linear/block_matrix.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "sim/core/parallel_for.hpp"
#include "sim/core/topology.hpp"
#include "sim/linear/block_rows.hpp"
#include "sim/linear/sweep_order.hpp"

namespace pithball::sim {
namespace {

/// Work of writing a block, in the unit of `parallel_for`.
constexpr double writing_work = 10;

}  // namespace

std::shared_ptr<const BlockPattern> BlockMatrix::find_pattern(const Topology& topology) {
  const std::size_t n = topology.particles;
  std::vector<Spring> pairs = topology.springs;
  pairs.insert(pairs.end(), topology.couplings.begin(), topology.couplings.end());
  // Rows with room for every pair, then sorted; springs that join the same pair share a block.
  std::vector<std::size_t> first(n + 1, 0);
  for (std::size_t i = 0; i < n; ++i) first[i + 1] = 1;
  for (const Spring& s : pairs)
    for (const Index end : {s.i, s.j}) ++first[static_cast<std::size_t>(end) + 1];
  std::partial_sum(first.begin(), first.end(), first.begin());
  std::vector<Index> neighbors(first.back());
  std::vector<std::size_t> next(first.begin(), first.end() - 1);
  for (std::size_t i = 0; i < n; ++i) neighbors[next[i]++] = i;
  for (const Spring& s : pairs) {
    neighbors[next[s.i]++] = s.j;
    neighbors[next[s.j]++] = s.i;
  }

  auto found = std::make_shared<BlockPattern>();
  found->column.reserve(neighbors.size());
  found->diagonal.reserve(n);
  found->row_begin.reserve(n + 1);
  found->row_begin.push_back(0);
  for (std::size_t i = 0; i < n; ++i) {
    const auto begin = neighbors.begin() + static_cast<std::ptrdiff_t>(first[i]),
               end = neighbors.begin() + static_cast<std::ptrdiff_t>(first[i + 1]);
    std::sort(begin, end);
    const auto last = std::unique(begin, end);
    found->diagonal.push_back(found->row_begin.back() + (std::lower_bound(begin, last, static_cast<Index>(i)) - begin));
    found->column.insert(found->column.end(), begin, last);
    found->row_begin.push_back(found->column.size());
  }
  // Rows come in order, so that each finds the next free place in the rows of its columns.
  std::vector<Index> free(found->row_begin.begin(), found->row_begin.end() - 1);
  found->mirror.reserve(found->column.size());
  for (const Index j : found->column) found->mirror.push_back(free[j]++);
  found->skew = !topology.couplings.empty();
  found->held.assign(n, 0);
  for (const Held& held : topology.held) found->held[held.particle] = 1;
  const auto find = [&](Index i, Index j) {
    const auto row = found->column.begin() + found->row_begin[i], end = found->column.begin() + found->row_begin[i + 1];
    return std::lower_bound(row, end, j) - found->column.begin();
  };
  found->spring_block.reserve(topology.springs.size());
  for (const Spring& spring : topology.springs) found->spring_block.push_back(find(spring.i, spring.j));
  return found;
}

BlockMatrix::BlockMatrix(const Topology& topology) : BlockMatrix(find_pattern(topology)) {}

BlockMatrix::BlockMatrix(std::shared_ptr<const BlockPattern> pattern)
    : pattern_(std::move(pattern)),
      entries_(6 * pattern_->column.size(), 0.0),
      skew_(pattern_->skew ? 3 * pattern_->column.size() : 0, 0.0) {}

std::shared_ptr<const SweepOrder> BlockMatrix::sweep_order() const {
  std::call_once(pattern_->ordered, [&] { pattern_->sweep_order = std::make_shared<const SweepOrder>(*this); });
  return pattern_->sweep_order;
}

Index BlockMatrix::find(Index i, Index j) const {
  const auto first = pattern_->column.begin() + row_begin(i), last = pattern_->column.begin() + row_begin(i + 1);
  return std::lower_bound(first, last, j) - pattern_->column.begin();
}

Mat3 BlockMatrix::block(Index k) const {
  const double* m = entries_.data() + 6 * k;
  Mat3 B;
  B << m[0], m[1], m[3], m[1], m[2], m[4], m[3], m[4], m[5];
  if (skew_.empty()) return B;
  const Vec3 a = skew(k);
  Mat3 S;
  S << 0, -a[2], a[1], a[2], 0, -a[0], -a[1], a[0], 0;
  return B + S;
}

void BlockMatrix::add(Index k, const Mat3& B, double sign) {
  double* m = entries_.data() + 6 * k;
  m[0] += sign * B(0, 0);
  m[1] += sign * B(1, 0);
  m[2] += sign * B(1, 1);
  m[3] += sign * B(2, 0);
  m[4] += sign * B(2, 1);
  m[5] += sign * B(2, 2);
}

void BlockMatrix::add_pair(Index i, Index j, const Mat3& B) {
  add_diagonal(i, B);
  add_diagonal(j, B);
  const Index k = find(i, j);
  add(k, B, -1);
  add(pattern_->mirror[k], B, -1);
}

void BlockMatrix::add_skew(Index k, const Vec3& a) { Eigen::Map<Vec3>(skew_.data() + 3 * k) += a; }

void BlockMatrix::add_coupling(Index i, Index j, const Mat3& B) {
  const Index k = find(i, j), mirror = pattern_->mirror[k];
  const Mat3 symmetric = (B + B.transpose()) / 2;
  const Vec3 a = Vec3(B(2, 1) - B(1, 2), B(0, 2) - B(2, 0), B(1, 0) - B(0, 1)) / 2;
  add(k, symmetric, 1);
  add(mirror, symmetric, 1);
  add_skew(k, a);
  add_skew(mirror, -a);
}

template <class Body>
void BlockMatrix::for_rows(double block_work, const Body& body) const {
  constexpr Index grain = 256;  // rows at a time
  parallel_for((particles() + grain - 1) / grain, block_work * static_cast<double>(blocks()),
               [&](Index rows) { body(rows * grain, std::min(particles(), (rows + 1) * grain)); });
}

void BlockMatrix::set_zero() {
  for_rows(writing_work, [&](Index begin, Index end) {
    std::fill(entries_.begin() + 6 * row_begin(begin), entries_.begin() + 6 * row_begin(end), 0.0);
  });
  std::fill(skew_.begin(), skew_.end(), 0.0);
}

void BlockMatrix::assign(const BlockMatrix& other) {
  if (pattern_ != other.pattern_) {
    *this = other;
    return;
  }
  for_rows(writing_work, [&](Index begin, Index end) {
    std::copy(other.entries_.begin() + 6 * row_begin(begin), other.entries_.begin() + 6 * row_begin(end),
              entries_.begin() + 6 * row_begin(begin));
  });
  skew_ = other.skew_;
}

void BlockMatrix::multiply(const Points& in, Points& out) const {
  out.setZero();
  const BlockRows rows{entries_.data(), pattern_->row_begin.data(), pattern_->column.data(), pattern_->held.data()};
  for_rows(5, [&](Index begin, Index end) {
    multiply_rows(rows, in.data(), begin, end, out.data());
    if (skew_.empty()) return;
    for (Index i = begin; i < end; ++i) {
      if (is_held(i)) continue;
      for (Index k = row_begin(i); k < row_begin(i + 1); ++k)
        if (!is_held(column(k))) out.col(i) += skew(k).cross(Vec3(in.col(column(k))));
    }
  });
}

void BlockMatrix::multiply_magnitudes(const Vector& in, Vector& out) const {
  out.setZero(particles());
  for_rows(15, [&, m = entries_.data(), x = in.data()](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) {
      if (is_held(i)) continue;
      double sum = 0;
      for (Index k = row_begin(i), last = row_begin(i + 1); k < last; ++k) {
        const Index j = column(k);
        if (is_held(j)) continue;
        double squares = squared_norm(m + 6 * k);
        if (!skew_.empty()) squares += 2 * skew(k).squaredNorm();
        sum += std::sqrt(squares) * x[j];
      }
      out[i] = sum;
    }
  });
}

void BlockMatrix::add_held_columns(const Points& in, Points& out) const {
  for (Index i = 0; i < particles(); ++i) {
    if (is_held(i)) continue;
    for (Index k = row_begin(i); k < row_begin(i + 1); ++k)
      if (is_held(column(k))) out.col(i) += block(k) * in.col(column(k));
  }
}

}  // namespace pithball::sim
