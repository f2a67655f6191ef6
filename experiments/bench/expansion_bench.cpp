#include "experiments/bench/expansion_bench.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <memory>
#include <random>

#include "experiments/bench/chebyshev_candidates.hpp"
#include "experiments/bench/harmonic_candidates.hpp"
#include "experiments/bench/stopwatch.hpp"
#include "sim/coulomb/direct/channels.hpp"
#include "sim/coulomb/fmm/operators.hpp"

namespace pithball::experiments {
namespace {

using sim::Index;
using sim::Vec3;
using sim::fmm::Offset;
using Candidate = std::shared_ptr<const ExpansionCandidate>;

/// Offsets from the boxes of the far list of a box that lies on the lower side of its parent in each coordinate: its
/// parent's neighbours' children that do not touch it, in space or in one layer.
std::vector<Offset> far_list(bool layer) {
  std::vector<Offset> list;
  for (const Offset& offset : far_offsets()) {
    const bool in_reach = std::all_of(offset.begin(), offset.end(), [](int component) { return component > -3; });
    if (in_reach && (!layer || offset[2] == 0)) list.push_back(offset);
  }
  return list;
}

/// Random points in unit boxes with two sets of charges, and the exact fields that they cause in distant boxes.
class TestPairs {
 public:
  static constexpr int boxes = 16, points_of_box = 64;

  TestPairs() : sources_(5, boxes * points_of_box), targets_(3, boxes * points_of_box) {
    std::mt19937_64 random(20);
    std::uniform_real_distribution<double> uniform(-0.5, 0.5);
    for (Index i = 0; i < sources_.padded(); ++i) {
      for (int a = 0; a < 3; ++a) {
        sources_[a][i] = uniform(random);
        targets_[a][i] = uniform(random);
      }
      sources_[3][i] = 2 * uniform(random);
      sources_[4][i] = 1;
    }
    for (const Offset& offset : representatives()) exact_[offset] = exact_field(offset);
  }

  PointRanges sources() const { return ranges(sources_); }
  PointRanges targets() const { return ranges(targets_); }
  const double* charge(int kind) const { return sources_[3 + kind]; }

  /// Relative L2 error of the field over a whole far list, the worst of both lists and both sets of charges.
  double error(const ExpansionCandidate& candidate) const {
    double worst = 0;
    for (int kind = 0; kind < 2; ++kind) {
      std::map<Offset, double> squares;
      for (const auto& [offset, exact] : exact_)
        squares[offset] =
            (compute_field(candidate, offset, kind) - exact[static_cast<std::size_t>(kind)]).squaredNorm();
      for (const std::vector<Offset>& list : lists_) {
        double wrong = 0, all = 0;
        for (const Offset& offset : list) {
          wrong += squares[representative(offset)];
          all += exact_.at(representative(offset))[static_cast<std::size_t>(kind)].squaredNorm();
        }
        worst = std::max(worst, std::sqrt(wrong / all));
      }
    }
    return worst;
  }

 private:
  static PointRanges ranges(const sim::direct::Channels& channels) {
    PointRanges all;
    for (int b = 0; b < boxes; ++b)
      all.push_back({{channels[0], channels[1], channels[2]}, b * points_of_box, (b + 1) * points_of_box});
    return all;
  }

  using Fields = std::array<Eigen::Matrix3Xd, 2>;  // for both sets of charges

  Fields exact_field(const Offset& offset) const {
    Fields fields;
    for (Eigen::Matrix3Xd& field : fields) field.setZero(3, targets_.padded());
    for (Index i = 0; i < targets_.padded(); ++i)
      for (Index j = i / points_of_box * points_of_box, k = 0; k < points_of_box; ++j, ++k) {
        Vec3 r;
        for (int a = 0; a < 3; ++a) r[a] = offset[static_cast<std::size_t>(a)] + targets_[a][i] - sources_[a][j];
        r /= r.squaredNorm() * r.norm();
        for (int kind = 0; kind < 2; ++kind) fields[static_cast<std::size_t>(kind)].col(i) += charge(kind)[j] * r;
      }
    return fields;
  }

  Eigen::Matrix3Xd compute_field(const ExpansionCandidate& candidate, const Offset& offset, int kind) const {
    Eigen::MatrixXd moments = Eigen::MatrixXd::Zero(candidate.size(), boxes), locals = moments;
    std::array<double*, boxes> from, to;
    for (int b = 0; b < boxes; ++b) {
      from[static_cast<std::size_t>(b)] = moments.col(b).data();
      to[static_cast<std::size_t>(b)] = locals.col(b).data();
    }
    candidate.add_moments(sources(), charge(kind), from.data());
    candidate.translate(offset, boxes, from.data(), to.data());
    sim::direct::Channels field(3, targets_.padded());
    field.set_zero();
    double* const components[] = {field[0], field[1], field[2]};
    candidate.add_field(to.data(), targets(), components);
    Eigen::Matrix3Xd result(3, targets_.padded());
    for (int a = 0; a < 3; ++a) result.row(a) = Eigen::Map<const Eigen::RowVectorXd>(components[a], targets_.padded());
    return result;
  }

  sim::direct::Channels sources_, targets_;  // x, y, z, charges of both signs, charges of one sign; x, y, z
  const std::array<std::vector<Offset>, 2> lists_{far_list(false), far_list(true)};
  std::map<Offset, Fields> exact_;  // by representative
};

/// The first of made(first), made(first + 1), … made(last) whose error is at most `target`; null if there is none.
template <class Make>
auto first_accurate(const TestPairs& pairs, double target, int first, int last, Make make) -> decltype(make(first)) {
  for (int order = first; order <= last; ++order)
    if (auto candidate = make(order); pairs.error(*candidate) <= target) return candidate;
  return nullptr;
}

/// A compressed grid with as few vectors as will do, found by bisection; null if all of them do not. Distant boxes need
/// fewer vectors: as many less as the order of harmonics is lower there (their number, which falls with the square,
/// would be too few).
Candidate compress(const TestPairs& pairs, double target, const std::shared_ptr<const ChebyshevGrid>& grid, int order) {
  const auto basis = std::make_shared<const ChebyshevBasis>(grid, sim::fmm::coefficients(order + 2));
  const auto make = [&](int rank) {
    Ranks ranks;
    for (const Offset& offset : representatives()) {
      const int r2 = offset[0] * offset[0] + offset[1] * offset[1] + offset[2] * offset[2];
      ranks[offset] = (rank * sim::fmm::order_at_distance(order, r2) + order - 1) / order;
    }
    return std::make_shared<const CompressedChebyshev>(basis, ranks);
  };
  int too_few = 0, enough = static_cast<int>(basis->vectors.cols());
  auto best = make(enough);
  if (pairs.error(*best) > target) return nullptr;
  while (enough - too_few > 1) {
    const int rank = (too_few + enough) / 2;
    auto candidate = make(rank);
    const bool accurate = pairs.error(*candidate) <= target;
    (accurate ? enough : too_few) = rank;
    if (accurate) best = std::move(candidate);
  }
  return best;
}

struct Named {
  std::string name;
  Candidate candidate;
};

std::vector<Named> make_candidates(const TestPairs& pairs, double tolerance, const std::vector<std::string>& names) {
  // Beyond so many nodes on an axis the matrices of the grid no longer fit a common memory.
  constexpr int most_nodes = 18;
  const int order = sim::fmm::order_for(tolerance);
  const auto own = std::make_shared<const RotatedHarmonics>(order, DistantOrder::Reduced);
  const double target = pairs.error(*own);
  const auto wanted = [&](const char* name) { return std::find(names.begin(), names.end(), name) != names.end(); };
  std::vector<Named> made{{expansion_candidates()[0], own}};
  if (wanted("rotated_full"))
    made.push_back({"rotated_full", first_accurate(pairs, target, 1, order + 2, [](int p) {
                      return std::make_shared<const RotatedHarmonics>(p, DistantOrder::Full);
                    })});
  if (wanted("dense")) made.push_back({"dense", std::make_shared<const DenseHarmonics>(order, DistantOrder::Reduced)});
  if (wanted("chebyshev") || wanted("chebyshev_svd")) {
    const auto grid =
        first_accurate(pairs, target, 2, most_nodes, [](int n) { return std::make_shared<const ChebyshevGrid>(n); });
    if (wanted("chebyshev")) made.push_back({"chebyshev", grid});
    if (wanted("chebyshev_svd") && grid) made.push_back({"chebyshev_svd", compress(pairs, target, grid, order)});
  }
  std::erase_if(made, [](const Named& one) { return !one.candidate; });
  return made;
}

/// The work of one candidate that is timed, with the vectors that it needs.
class Work {
 public:
  static constexpr int pairs_of_offset = 48;  // about as many as lie together in a tree of many points

  Work(const TestPairs& pairs, Candidate candidate)
      : candidate_(std::move(candidate)),
        sources_(pairs.sources()),
        targets_(pairs.targets()),
        charge_(pairs.charge(0)),
        // The next expansion starts with a vector of its own, as in a tree.
        stride_((candidate_->size() + 7) / 8 * 8),
        moments_(1, stride_ * pairs_of_offset),
        locals_(1, stride_ * pairs_of_offset),
        field_(3, TestPairs::boxes * TestPairs::points_of_box) {
    moments_.set_zero();
    locals_.set_zero();
    field_.set_zero();
    for (int l = 0; l < pairs_of_offset; ++l) {
      from_.push_back(moments_[0] + l * stride_);
      to_.push_back(locals_[0] + l * stride_);
    }
    for (int l = 0; l < pairs_of_offset; l += TestPairs::boxes)
      candidate_->add_moments(sources_, charge_, from_.data() + l);
  }

  void make_moments() { candidate_->add_moments(sources_, charge_, from_.data()); }
  void translate(const std::vector<Offset>& list) {
    for (const Offset& offset : list) candidate_->translate(offset, pairs_of_offset, from_.data(), to_.data());
  }
  void evaluate() {
    double* const field[] = {field_[0], field_[1], field_[2]};
    candidate_->add_field(to_.data(), targets_, field);
  }

 private:
  Candidate candidate_;
  PointRanges sources_, targets_;
  const double* charge_;
  Index stride_;
  sim::direct::Channels moments_, locals_, field_;
  std::vector<double*> from_, to_;
};

}  // namespace

const std::vector<std::string>& expansion_candidates() {
  static const std::vector<std::string> names{"rotated", "rotated_full", "dense", "chebyshev", "chebyshev_svd"};
  return names;
}

std::vector<ExpansionRow> measure_expansions(double tolerance, const std::vector<std::string>& names, int rounds) {
  const TestPairs pairs;
  const std::vector<Named> candidates = make_candidates(pairs, tolerance, names);
  const std::vector<Offset> volume = far_list(false), surface = far_list(true);
  std::vector<std::unique_ptr<Work>> work;
  std::vector<std::function<void()>> pieces;
  for (const Named& one : candidates) {
    Work& w = *work.emplace_back(std::make_unique<Work>(pairs, one.candidate));
    pieces.emplace_back([&w] { w.make_moments(); });
    pieces.emplace_back([&w, &volume] { w.translate(volume); });
    pieces.emplace_back([&w, &surface] { w.translate(surface); });
    pieces.emplace_back([&w] { w.evaluate(); });
  }
  const std::vector<double> seconds = interleaved_seconds(pieces, rounds, Counted::LeastProcessorTime);
  constexpr double points = TestPairs::boxes * TestPairs::points_of_box;
  std::vector<ExpansionRow> rows;
  auto piece = seconds.begin();
  const auto figures = [&](const std::vector<Offset>& list) {
    const auto boxes = static_cast<int>(list.size());
    return FarListFigures{boxes, *piece++ / (boxes * Work::pairs_of_offset)};
  };
  for (const auto& [name, candidate] : candidates) {
    ExpansionRow row;
    row.candidate = name;
    row.tolerance = tolerance;
    row.order = candidate->order();
    row.coefficients = candidate->size();
    row.error = pairs.error(*candidate);
    row.target = rows.empty() ? row.error : rows.front().error;
    row.matrix_bytes = candidate->matrix_bytes();
    row.moments_seconds = *piece++ / points;
    row.volume = figures(volume);
    row.surface = figures(surface);
    row.field_seconds = *piece++ / points;
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace pithball::experiments
