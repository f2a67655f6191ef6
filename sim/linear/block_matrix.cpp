#include "sim/linear/block_matrix.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "sim/core/parallel_parts.hpp"
#include "sim/linear/block_rows.hpp"

namespace pithball::sim {
namespace {

/// Work of writing a block, in the unit of `parallel_for`. A thread that writes it adds to it later.
constexpr double writing_work = 10;

Mat3 full_block(const double* m) {
  Mat3 B;
  B << m[0], m[1], m[3], m[1], m[2], m[4], m[3], m[4], m[5];
  return B;
}

}  // namespace

BlockMatrix::BlockMatrix(std::shared_ptr<const BlockPattern> pattern)
    : pattern_(std::move(pattern)),
      diagonal_(6 * pattern_->particles()),
      pairs_(6 * pattern_->graph.pairs()),
      skew_(pattern_->skew ? 3 * pattern_->graph.pairs() : 0) {
  set_zero();
}

Mat3 BlockMatrix::diagonal(Index i) const { return full_block(diagonal_.data() + 6 * i); }

Mat3 BlockMatrix::block(Index i, Index entry) const {
  const Index pair = pattern_->pair[entry];
  Mat3 B = full_block(pairs_.data() + 6 * pair);
  if (skew_.size() == 0) return B;
  const Vec3 a = skew(i, pair);
  Mat3 S;
  S << 0, -a[2], a[1], a[2], 0, -a[0], -a[1], a[0], 0;
  return B + S;
}

void BlockMatrix::add(double* m, const Mat3& B, double sign) {
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
  add(pairs_.data() + 6 * pattern_->pair_of(i, j), B, -1);
}

void BlockMatrix::add_coupling(Index i, Index j, const Mat3& B) {
  const Index pair = pattern_->pair_of(i, j);
  add(pairs_.data() + 6 * pair, (B + B.transpose()) / 2, 1);
  const Vec3 a = Vec3(B(2, 1) - B(1, 2), B(0, 2) - B(2, 0), B(1, 0) - B(0, 1)) / 2;
  Eigen::Map<Vec3>(skew_.data() + 3 * pair) += pattern_->in_row(a, i, pair);
}

template <class Body>
void BlockMatrix::for_rows(double block_work, const Body& body) const {
  constexpr Index grain = 256;  // rows at a time
  parallel_for((particles() + grain - 1) / grain, block_work * static_cast<double>(blocks()),
               [&](Index rows) { body(rows * grain, std::min(particles(), (rows + 1) * grain)); });
}

template <class Body>
void BlockMatrix::for_free_pairs(double block_work, const Body& body) const {
  const SweepOrder& order = pattern_->order;
  parallel_for(order.chunks(), block_work * static_cast<double>(blocks()), [&](Index k) {
    const Index chunk = order.chunk_along(k);
    body(order.lower_begin[order.chunk_begin[chunk]], order.lower_begin[order.chunk_begin[chunk + 1]]);
  });
}

template <class Body>
void BlockMatrix::for_numbers(const Body& body) const {
  const Index skew_size = skew_.size() == 0 ? 0 : 3;
  const auto visit_pairs = [&](Index begin, Index end) {
    body(&BlockMatrix::pairs_, 6 * begin, 6 * end);
    body(&BlockMatrix::skew_, skew_size * begin, skew_size * end);
  };
  parallel_parts(particles(), writing_work * static_cast<double>(blocks()),
                 [&](Index begin, Index end) { body(&BlockMatrix::diagonal_, 6 * begin, 6 * end); });
  for_free_pairs(writing_work, visit_pairs);
  visit_pairs(pattern_->order.pairs(), pattern_->graph.pairs());  // of held particles
}

void BlockMatrix::set_zero() {
  for_numbers([this](auto of, Index begin, Index end) {
    std::fill((this->*of).data() + begin, (this->*of).data() + end, 0.0);
  });
}

void BlockMatrix::assign(const BlockMatrix& other) {
  if (pattern_ != other.pattern_) {
    *this = other;
    return;
  }
  for_numbers([&](auto of, Index begin, Index end) {
    std::copy((other.*of).data() + begin, (other.*of).data() + end, (this->*of).data() + begin);
  });
}

void BlockMatrix::multiply(const Points& in, Points& out) const {
  out.setZero();
  const ParticleGraph& graph = pattern_->graph;
  const BlockRows rows{diagonal_.data(),         pairs_.data(),         graph.begins().data(),
                       graph.neighbors().data(), pattern_->pair.data(), pattern_->held.data()};
  for_rows(5, [&](Index begin, Index end) {
    multiply_rows(rows, in.data(), begin, end, out.data());
    if (skew_.size() == 0) return;
    for (Index i = begin; i < end; ++i) {
      if (is_held(i)) continue;
      for (Index k = graph.begin(i); k < graph.begin(i + 1); ++k)
        if (const Index j = graph.neighbor(k); !is_held(j))
          out.col(i) += skew(i, pattern_->pair[k]).cross(Vec3(in.col(j)));
    }
  });
}

void BlockMatrix::multiply_magnitudes(const Vector& in, Vector& out) const {
  out.setZero(particles());
  const ParticleGraph& graph = pattern_->graph;
  Vector norms(pattern_->order.pairs());
  for_free_pairs(writing_work, [&, m = pairs_.data(), skews = skew_parts()](Index begin, Index end) {
    for (Index pair = begin; pair < end; ++pair) {
      double squares = squared_norm(m + 6 * pair);
      if (skews) squares += 2 * Eigen::Map<const Vec3>(skews + 3 * pair).squaredNorm();
      norms[pair] = std::sqrt(squares);
    }
  });
  for_rows(5, [&, x = in.data()](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) {
      if (is_held(i)) continue;
      double sum = std::sqrt(squared_norm(diagonal_.data() + 6 * i)) * x[i];
      for (Index k = graph.begin(i), last = graph.begin(i + 1); k < last; ++k)
        if (const Index j = graph.neighbor(k); !is_held(j)) sum += norms[pattern_->pair.data()[k]] * x[j];
      out[i] = sum;
    }
  });
}

}  // namespace pithball::sim
