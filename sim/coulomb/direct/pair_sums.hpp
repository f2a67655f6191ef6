#pragma once
#include <memory>
#include <vector>

#include "sim/core/parallel_for.hpp"
#include "sim/coulomb/coulomb_sum.hpp"
#include "sim/coulomb/direct/channels.hpp"

namespace pithball::sim::direct {

/// Which pairs are summed, and the order of the points for that. Points are renumbered so that those summed together
/// are neighbors; their *places* in arrays leave gaps, so that each block of targets starts at a multiple of `group`.
struct PairPattern {
  /// Points begin ≤ k < end, renumbered.
  struct Range {
    Index begin = 0,  ///< first point
        end = 0;      ///< one past the last point
  };
  /// Targets at places begin ≤ i < end (multiples of `group`), with the sources in ranges first ≤ r < last. Blocks
  /// share no place.
  struct Block {
    Index begin = 0,  ///< first place
        end = 0,      ///< one past the last place
        first = 0,    ///< first of its `ranges`
        last = 0;     ///< one past the last of them
  };
  /// Blocks first ≤ b < last. Where the kernel is symmetric and all points of the chunk act, one thread sums them and
  /// evaluates each pair of two points of the chunk once.
  struct Chunk {
    Index first = 0,  ///< first of its blocks
        last = 0;     ///< one past the last of them
    Range points;     ///< those of all its blocks
  };
  Index places = 0;             ///< number of places, gaps included; a multiple of `group`
  std::vector<Index> particle;  ///< [point] → particle
  std::vector<Index> place;     ///< [point] → place
  std::vector<Range> ranges;    ///< sources, as the blocks use them
  std::vector<Block> blocks;    ///< together they hold all places
  /// None, or all blocks in their order. Then points have the order of their places; each block has points, with fewer
  /// than `group` gaps, all after them; a range holds all points of a block or none; a block is a source of itself; and
  /// of two blocks each is a source of the other, or neither.
  std::vector<Chunk> chunks;

  Index points() const { return particle.size(); }  ///< number of points, without gaps
  /// Number of pairs of a place and a source.
  double pairs() const;
};

/// The sums of a plan over the pairs of a pattern, without approximation.
class PairSums : public CoulombSum::Plan {
 public:
  /// x [m], 3×N, by particle; a pattern of N points, not null; ε ≥ 0 [m].
  PairSums(const Points& x, std::shared_ptr<const PairPattern> pattern, double softening);

  void evaluate(const CoulombSources& sources, const CoulombResult& result) const override;
  void force_jvp(const Vector& charge, const Points& dx, const Vector& dcharge, Points& df) const override;
  void force_vjp(const Vector& charge, const Points& w, Points& dx, Vector& dcharge) const override;

  /// Positions by place, three channels; gaps repeat the last point before them.
  const Channels& positions() const { return x_; }

  /// channels[first + a][place of k] = get(particle of k, a) for a < count; gaps become 0.
  template <class Get>
  void scatter(Channels& channels, int first, int count, Get get) const {
    for (int a = 0; a < count; ++a) set_zero(channels[first + a], pattern_->places);
    gather([&](Index particle, Index place) {
      for (int a = 0; a < count; ++a) channels[first + a][place] = get(particle, a);
    });
  }
  /// take(particle of k, place of k) for all points, in any order.
  template <class Take>
  void gather(Take take) const {
    const Index n = pattern_->points();
    const auto take_point = [&](Index k) { take(pattern_->particle[k], pattern_->place[k]); };
    parallel_for(n, pairs_per_copy * n, take_point, copied_at_once);
  }

 protected:
  const PairPattern& pattern() const { return *pattern_; }  ///< which pairs are summed
  double softening2() const { return softening2_; }         ///< ε² [m²]
  /// The kernel's sums by place, for points that hold, besides their position, what the kernel's source records hold.
  /// This implementation works chunk by chunk if there are chunks and the kernel is symmetric, otherwise block by
  /// block; sources that do not act are left out, so that uncharged points may lie at one place.
  virtual Channels run(Kernel kernel, const Channels& points) const;

  /// A coordinate that no place begin ≤ i < end has, for gaps that must lie apart from all of these.
  static double apart_from(const double* coordinate, Index begin, Index end);

 private:
  static constexpr double pairs_per_copy = 5;    // what copying a point costs
  static constexpr Index copied_at_once = 4096;  // long enough for a thread to fill pages of its own

  /// The source records of the points that act, one after another.
  struct Sources;
  Sources gather_sources(Kernel kernel, const Channels& points) const;
  Job job_of(const Channels& points, Channels& sums) const;
  void add_range(Kernel kernel, Job& job, const Sources& sources, const PairPattern::Block& block,
                 PairPattern::Range range) const;
  void sum_block(Kernel kernel, Job& job, const Sources& sources, const PairPattern::Block& block) const;
  void sum_inside(Kernel kernel, const Job& job, const PairPattern::Chunk& chunk, Channels& x) const;
  void add_outside(Kernel kernel, Job& job, const Sources& sources, const PairPattern::Chunk& chunk) const;

  struct Kernels {
    Kernel field, potential, both, gradient;
  };
  void add(const CoulombResult& result, const Kernels& kernels, const Channels& points) const;
  void add_vectors(const Channels& sums, Points& out) const;
  void add_numbers(const Channels& sums, int k, Vector& out) const;

  std::shared_ptr<const PairPattern> pattern_;
  double softening2_;
  Channels x_;
};

}  // namespace pithball::sim::direct
