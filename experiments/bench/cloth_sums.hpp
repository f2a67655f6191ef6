#pragma once
#include <memory>

#include "experiments/bench/coulomb_plain_loops.hpp"
#include "sim/coulomb/coulomb_sum.hpp"

namespace pithball::experiments {

/// Time spent in the parts of a sum [s].
struct SumSeconds {
  double structure = 0;  ///< `make_structure`: tree and lists
  double plan = 0;       ///< `make_plan`: positions filled in
  double evaluation = 0;
  double total() const { return structure + plan + evaluation; }
};

/// Another sum, with a clock around everything but its Jacobian products. For one thread of callers.
class TimedCoulombSum final : public sim::CoulombSum {
 public:
  explicit TimedCoulombSum(std::shared_ptr<const CoulombSum> inner) : inner_(std::move(inner)) {}
  std::string name() const override { return inner_->name(); }
  std::shared_ptr<const Structure> make_structure(const sim::Points& x) const override;
  using CoulombSum::make_plan;
  std::unique_ptr<Plan> make_plan(const sim::Points& x, std::shared_ptr<const Structure> structure) const override;

  const SumSeconds& seconds() const { return seconds_; }  ///< so far

 private:
  std::shared_ptr<const CoulombSum> inner_;
  mutable SumSeconds seconds_;
};

/// A plain loop as a sum: fields of charges, without softening, and nothing else. What a loop does not do throws
/// std::logic_error.
class LoopCoulombSum final : public sim::CoulombSum {
 public:
  explicit LoopCoulombSum(PlainLoop loop) : loop_(std::move(loop)) {}
  std::string name() const override { return loop_.name; }
  using CoulombSum::make_plan;
  std::unique_ptr<Plan> make_plan(const sim::Points& x, std::shared_ptr<const Structure> structure) const override;

 private:
  PlainLoop loop_;
};

}  // namespace pithball::experiments
