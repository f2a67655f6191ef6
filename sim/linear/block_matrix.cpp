#include "sim/linear/block_matrix.hpp"

#include <algorithm>

#include "sim/core/topology.hpp"

namespace pithball::sim {

BlockMatrix::BlockMatrix(const Topology& topology) : held_(static_cast<std::size_t>(topology.particles), 0) {
  std::vector<std::vector<Index>> neighbours(static_cast<std::size_t>(topology.particles));
  for (Index i = 0; i < topology.particles; ++i) neighbours[static_cast<std::size_t>(i)].push_back(i);
  for (const Spring& s : topology.springs) {
    neighbours[static_cast<std::size_t>(s.i)].push_back(s.j);
    neighbours[static_cast<std::size_t>(s.j)].push_back(s.i);
  }
  row_begin_.push_back(0);
  for (std::size_t i = 0; i < neighbours.size(); ++i) {
    auto& row = neighbours[i];
    std::sort(row.begin(), row.end());
    row.erase(std::unique(row.begin(), row.end()), row.end());
    const auto here = std::lower_bound(row.begin(), row.end(), static_cast<Index>(i));
    diagonal_.push_back(row_begin_.back() + (here - row.begin()));
    column_.insert(column_.end(), row.begin(), row.end());
    row_begin_.push_back(static_cast<Index>(column_.size()));
  }
  // Rows come in order, so that each finds the next free place in the rows of its columns.
  std::vector<Index> next(row_begin_.begin(), row_begin_.end() - 1);
  for (const Index j : column_) mirror_.push_back(next[static_cast<std::size_t>(j)]++);
  for (const Held& held : topology.held) held_[static_cast<std::size_t>(held.particle)] = 1;
  entries_.assign(6 * column_.size(), 0.0);
}

void BlockMatrix::set_zero() { std::fill(entries_.begin(), entries_.end(), 0.0); }

Index BlockMatrix::find(Index i, Index j) const {
  const auto first = column_.begin() + begin(i), last = column_.begin() + begin(i + 1);
  return std::lower_bound(first, last, j) - column_.begin();
}

Mat3 BlockMatrix::block(Index k) const {
  const double* m = entries_.data() + 6 * k;
  Mat3 B;
  B << m[0], m[1], m[3], m[1], m[2], m[4], m[3], m[4], m[5];
  return B;
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
  add(mirror_[static_cast<std::size_t>(k)], B, -1);
}

void BlockMatrix::multiply(const Points& in, Points& out) const {
  for (Index i = 0; i < particles(); ++i) {
    if (is_held(i)) {
      out.col(i).setZero();
      continue;
    }
    double a = 0, b = 0, c = 0;
    for (Index k = begin(i); k < begin(i + 1); ++k) {
      const Index j = column(k);
      if (is_held(j)) continue;
      const double* m = entries_.data() + 6 * k;
      const double x = in(0, j), y = in(1, j), z = in(2, j);
      a += m[0] * x + m[1] * y + m[3] * z;
      b += m[1] * x + m[2] * y + m[4] * z;
      c += m[3] * x + m[4] * y + m[5] * z;
    }
    out(0, i) = a;
    out(1, i) = b;
    out(2, i) = c;
  }
}

void BlockMatrix::add_held_columns(const Points& in, Points& out) const {
  for (Index i = 0; i < particles(); ++i) {
    if (is_held(i)) continue;
    for (Index k = begin(i); k < begin(i + 1); ++k)
      if (is_held(column(k))) out.col(i) += block(k) * in.col(column(k));
  }
}

}  // namespace pithball::sim
