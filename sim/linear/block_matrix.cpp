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
  for (const Held& held : topology.held) held_[static_cast<std::size_t>(held.particle)] = 1;
  entries_.assign(9 * column_.size(), 0.0);
}

void BlockMatrix::set_zero() { std::fill(entries_.begin(), entries_.end(), 0.0); }

Index BlockMatrix::find(Index i, Index j) const {
  const auto first = column_.begin() + begin(i), last = column_.begin() + begin(i + 1);
  return std::lower_bound(first, last, j) - column_.begin();
}

void BlockMatrix::add_pair(Index i, Index j, const Mat3& B) {
  add_diagonal(i, B);
  add_diagonal(j, B);
  block(find(i, j)) -= B;
  block(find(j, i)) -= B;
}

void BlockMatrix::multiply(const Points& in, Points& out) const {
  const double* entry = entries_.data();
  for (Index i = 0; i < particles(); ++i) {
    if (is_held(i)) {
      out.col(i).setZero();
      continue;
    }
    double a = 0, b = 0, c = 0;
    for (Index k = begin(i); k < begin(i + 1); ++k) {
      const Index j = column(k);
      if (is_held(j)) continue;
      const double* m = entry + 9 * k;
      const double x = in(0, j), y = in(1, j), z = in(2, j);
      a += m[0] * x + m[3] * y + m[6] * z;
      b += m[1] * x + m[4] * y + m[7] * z;
      c += m[2] * x + m[5] * y + m[8] * z;
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
