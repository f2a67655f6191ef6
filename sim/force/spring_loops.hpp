#pragma once
#include <algorithm>
#include <optional>

#include "sim/core/error.hpp"
#include "sim/core/parallel_for.hpp"
#include "sim/core/particle_graph.hpp"
#include "sim/model/model.hpp"

namespace pithball::sim {

/// Loops over the springs of a model, shared among threads where that pays. Their sums do not depend on the number of
/// threads.
class SpringLoops {
 public:
  /// Loops of a model without springs.
  SpringLoops() = default;
  /// For models with this topology.
  explicit SpringLoops(const Topology& topology) {
    if (topology.springs.size() >= least_springs) chunks_.emplace(topology);
  }

  /// Calls body(e, i, j) for every spring e between particles i and j. It may change what belongs to e, i or j.
  template <class Body>
  void for_each(const Model& model, const Body& body) const {
    const auto& springs = model.springs();
    const auto visit = [&](Index e) { body(e, springs.data()[e].i, springs.data()[e].j); };
    const Index n = static_cast<Index>(springs.size());
    if (!chunks_ || chunks_->springs() != n) {
      for (Index e = 0; e < n; ++e) visit(e);
      return;
    }
    // The second pass is short, but the threads that shared the first are awake.
    const double work = spring_work * static_cast<double>(n);
    for (const int pass : {0, 1}) {
      const Index first = chunks_->first_chunk(pass), count = chunks_->first_chunk(pass + 1) - first;
      parallel_for(count, work, [&](Index chunk) { chunks_->for_each(first + chunk, visit); });
    }
  }

  /// Σ term(e, i, j) over the springs.
  template <class Term>
  static double sum(const Model& model, const Term& term) {
    const auto& springs = model.springs();
    const Index n = static_cast<Index>(springs.size());
    std::vector<double> parts(n / grain + 1, 0.0);
    parallel_for((n + grain - 1) / grain, spring_work * static_cast<double>(n), [&](Index part) {
      double sum = 0;
      for (Index e = part * grain, end = std::min(n, e + grain); e < end; ++e)
        sum += term(e, springs[e].i, springs[e].j);
      parts[part] = sum;
    });
    double all = 0;
    for (const double part : parts) all += part;
    return all;
  }

  /// Adds force(e, i, j) of every spring to column i of f, and subtracts it from column j.
  template <class Force>
  void add_pairs(const Model& model, Points& f, const Force& force) const {
    for_each(model, [&](Index e, Index i, Index j) {
      const Vec3 pair = force(e, i, j);
      f.col(i) += pair;
      f.col(j) -= pair;
    });
  }

 private:
  static constexpr std::size_t least_springs = 2000;  // smallest number for which chunks are worth their memory
  static constexpr Index grain = 1024;                // springs of a sum at a time
  static constexpr double spring_work = 20;           // in the unit of `parallel_for`

  std::optional<SpringChunks> chunks_;
};

/// Declares one non-negative value for each spring; throws InvalidArgument if the list has another length.
inline Index declare_edge_values(const Topology& topology, Values& values, const std::string& name,
                                 const std::string& unit, ValueScaling scaling, const Vector& initial) {
  const Index springs = topology.springs.size();
  if (initial.size() != springs)
    throw InvalidArgument({"", "springs." + name,
                           "must have one entry for each of the " + std::to_string(springs) + " springs",
                           std::to_string(initial.size()), "give one value for all, or a list of that length"});
  return values.add({name, unit, ValueOwner::Spring, ValueSign::NonNegative, scaling}, initial);
}

/// Calls body(e, i, j) for every spring e between particles i and j, in order.
template <class Body>
void for_each_spring(const Model& model, Body body) {
  const auto& springs = model.springs();
  for (std::size_t e = 0; e < springs.size(); ++e) body(e, springs[e].i, springs[e].j);
}

}  // namespace pithball::sim
