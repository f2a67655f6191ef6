#include "sim/linear/block_matrix.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "sim/core/parallel_for.hpp"
#include "sim/core/particle_graph.hpp"
#include "sim/linear/block_rows.hpp"

namespace pithball::sim {
namespace {

/// Returns the number of chunks: one if a second thread does not pay off (fewer than about 900 particles of a sheet),
/// otherwise two or four per color, so that two threads finish together. More chunks would require more iterations.
Index count_chunks(double work) { return work < 200'000 ? 1 : work < 1'000'000 ? 4 : SweepOrder::most_chunks; }

}  // namespace

SweepOrder::SweepOrder(const ParticleGraph& graph, const std::vector<char>& held) {
  const GraphLevels levels = GraphLevels::along(graph, [&](Index i) { return held[i] != 0; });
  const std::vector<Index> ends = levels.divide(count_chunks(work(graph.particles(), graph.pairs())), 1);
  std::vector<std::int32_t> place(graph.particles(), -1);
  chunk_begin.push_back(0);
  for (const std::size_t color : {0, 1})
    for (std::size_t range = color; range < ends.size(); range += 2) {
      for (Index k = range == 0 ? 0 : ends[range - 1]; k < ends[range]; ++k) {
        place[levels.particle[k]] = static_cast<std::int32_t>(particle.size());
        particle.push_back(levels.particle[k]);
      }
      chunk_begin.push_back(places());
    }
  first_color = (static_cast<Index>(ends.size()) + 1) / 2;

  lower_begin.assign(1, 0);
  upper_begin.assign(places() + 1, 0);
  for (Index i = 0; i < places(); ++i) {
    for (Index e = graph.begin(particle[i]); e < graph.begin(particle[i] + 1); ++e) {
      const std::int32_t j = place[graph.neighbor(e)];
      if (j < 0 || j > i) continue;
      lower_column.push_back(j);
      ++upper_begin[j + 1];
    }
    std::sort(lower_column.begin() + lower_begin.back(), lower_column.end());
    lower_begin.push_back(pairs());
  }
  std::partial_sum(upper_begin.begin(), upper_begin.end(), upper_begin.begin());
  std::vector<Index> next(upper_begin.begin(), upper_begin.end() - 1);
  upper_column.resize(pairs());
  upper_pair.resize(pairs());
  for (Index i = 0; i < places(); ++i)
    for (Index pair = lower_begin[i]; pair < lower_begin[i + 1]; ++pair) {
      const Index entry = next[lower_column[pair]]++;
      upper_column[entry] = static_cast<std::int32_t>(i);
      upper_pair[entry] = static_cast<std::int32_t>(pair);
    }
}

namespace {

std::vector<char> held_particles(const Topology& topology) {
  std::vector<char> held(topology.particles, 0);
  for (const Held& h : topology.held) held[h.particle] = 1;
  return held;
}

}  // namespace

BlockPattern::BlockPattern(const Topology& topology)
    : graph(topology.particles, {topology.springs, topology.couplings}),
      held(held_particles(topology)),
      order(graph, held),
      pair(2 * graph.pairs()),
      skew(!topology.couplings.empty()) {
  later.reserve(graph.pairs());
  const auto append = [&](Index i, Index j) {
    const auto number = static_cast<std::int32_t>(later.size());
    later.push_back(static_cast<std::int32_t>(i));
    pair[graph.find(i, j)] = pair[graph.find(j, i)] = number;
  };
  for (Index i = 0; i < order.places(); ++i)
    for (Index k = order.lower_begin[i]; k < order.lower_begin[i + 1]; ++k)
      append(order.particle[i], order.particle[order.lower_column[k]]);
  for (Index i = 0; i < particles(); ++i)
    for (Index e = graph.begin(i); e < graph.begin(i + 1); ++e)
      if (const Index j = graph.neighbor(e); j < i && (held[i] || held[j])) append(i, j);
  spring_pair.reserve(topology.springs.size());
  for (const Spring& s : topology.springs) spring_pair.push_back(static_cast<std::int32_t>(pair_of(s.i, s.j)));
}

namespace {

/// Work of writing a block, in the unit of `parallel_for`. The same thread later adds to the block.
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
