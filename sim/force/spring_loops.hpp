#pragma once
#include <algorithm>
#include <optional>

#include "sim/core/parallel_for.hpp"
#include "sim/core/spring_ends.hpp"
#include "sim/model/model.hpp"

namespace pithball::sim {

/// Loops over the springs of a model, shared among threads where that pays. Their sums do not depend on the number of
/// threads.
class SpringLoops {
 public:
  /// Loops of a model without springs.
  SpringLoops() = default;
  /// Of models with this topology.
  explicit SpringLoops(const Topology& topology) {
    if (topology.springs.size() >= least_springs) ends_.emplace(topology);
  }

  /// Calls body(e, i, j) for every spring e between particles i and j. It may write what belongs to e alone.
  template <class Body>
  static void for_each(const Model& model, const Body& body) {
    const auto& springs = model.springs();
    blocks(static_cast<Index>(springs.size()), spring_work, [&](Index, Index begin, Index end) {
      for (Index e = begin; e < end; ++e) body(e, springs[e].i, springs[e].j);
    });
  }

  /// Σ term(e, i, j) over the springs.
  template <class Term>
  static double sum(const Model& model, const Term& term) {
    const auto& springs = model.springs();
    const Index n = static_cast<Index>(springs.size());
    std::vector<double> parts(n / grain + 1, 0.0);
    blocks(n, spring_work, [&](Index block, Index begin, Index end) {
      double part = 0;
      for (Index e = begin; e < end; ++e) part += term(e, springs[e].i, springs[e].j);
      parts[block] = part;
    });
    double all = 0;
    for (const double part : parts) all += part;
    return all;
  }

  /// Adds force(e, i, j) of every spring to column i of f, and subtracts it from column j.
  template <class Force>
  void add_pairs(const Model& model, Points& f, const Force& force) const {
    const auto& springs = model.springs();
    if (!shared(model)) {
      for (std::size_t e = 0; e < springs.size(); ++e) {
        const Vec3 pair = force(static_cast<Index>(e), springs[e].i, springs[e].j);
        f.col(springs[e].i) += pair;
        f.col(springs[e].j) -= pair;
      }
      return;
    }
    Points pairs(3, static_cast<Index>(springs.size()));
    for_each(model, [&](Index e, Index i, Index j) { pairs.col(e) = force(e, i, j); });
    add_pairs(pairs, f);
  }

 private:
  static constexpr std::size_t least_springs = 2000;  // for which ends are worth their memory
  static constexpr Index grain = 1024;                // springs or particles at a time
  static constexpr double spring_work = 20;           // in the unit of `parallel_for`
  static constexpr double end_work = 10;

  bool shared(const Model& model) const {
    return ends_ && ends_->belongs_to(model.topology()) &&
           threads_for(spring_work * static_cast<double>(model.springs().size())) > 1;
  }
  /// Calls body(block, begin, end) for the blocks of 0 … n−1.
  template <class Body>
  static void blocks(Index n, double item_work, const Body& body) {
    parallel_for((n + grain - 1) / grain, item_work * static_cast<double>(n),
                 [&](Index block) { body(block, block * grain, std::min(n, (block + 1) * grain)); });
  }
  /// Adds the springs' columns to their ends, in the order of a loop over springs.
  void add_pairs(const Points& pairs, Points& f) const {
    const double particle_work = end_work * static_cast<double>(2 * pairs.cols()) / static_cast<double>(f.cols());
    blocks(f.cols(), particle_work, [&](Index, Index begin, Index end) {
      for (Index i = begin; i < end; ++i)
        for (Index k = ends_->begin(i); k < ends_->end(i); ++k) {
          const auto [spring, first] = (*ends_)[k];
          if (first)
            f.col(i) += pairs.col(spring);
          else
            f.col(i) -= pairs.col(spring);
        }
    });
  }

  std::optional<SpringEnds> ends_;
};

}  // namespace pithball::sim
