#include "experiments/bench/cloth_sums.hpp"

#include <chrono>
#include <stdexcept>

namespace pithball::experiments {
namespace {

using sim::Points;
using sim::Vector;

/// Adds the time until its end to a total.
class Clock {
 public:
  explicit Clock(double& total) : total_(total) {}
  ~Clock() { total_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count(); }
  Clock(const Clock&) = delete;
  Clock& operator=(const Clock&) = delete;

 private:
  double& total_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

class TimedPlan final : public sim::CoulombSum::Plan {
 public:
  TimedPlan(std::unique_ptr<Plan> inner, double& seconds) : inner_(std::move(inner)), seconds_(seconds) {}
  void evaluate(const sim::CoulombSources& sources, const sim::CoulombResult& result) const override {
    const Clock clock(seconds_);
    inner_->evaluate(sources, result);
  }
  void force_jvp(const Vector& charge, const Points& dx, const Vector& dcharge, Points& df) const override {
    inner_->force_jvp(charge, dx, dcharge, df);
  }
  void force_vjp(const Vector& charge, const Points& w, Points& dx, Vector& dcharge) const override {
    inner_->force_vjp(charge, w, dx, dcharge);
  }

 private:
  std::unique_ptr<Plan> inner_;
  double& seconds_;
};

class LoopPlan final : public sim::CoulombSum::Plan {
 public:
  LoopPlan(const PlainLoop& loop, const Points& x) : loop_(loop), x_(x) {}
  void evaluate(const sim::CoulombSources& sources, const sim::CoulombResult& result) const override {
    if (!sources.charge || sources.dipole || !result.field || result.potential || result.field_gradient) reject();
    Points field(3, x_.cols());
    loop_.field(x_, *sources.charge, field);
    *result.field += field;
  }
  void force_jvp(const Vector&, const Points&, const Vector&, Points&) const override { reject(); }
  void force_vjp(const Vector&, const Points&, Points&, Vector&) const override { reject(); }

 private:
  [[noreturn]] void reject() const {
    throw std::logic_error("the plain loop '" + loop_.name + "' computes fields of charges and nothing else");
  }
  const PlainLoop& loop_;
  Points x_;
};

}  // namespace

std::shared_ptr<const sim::CoulombSum::Structure> TimedCoulombSum::make_structure(const Points& x) const {
  const Clock clock(seconds_.structure);
  return inner_->make_structure(x);
}

std::unique_ptr<sim::CoulombSum::Plan> TimedCoulombSum::make_plan(const Points& x,
                                                                  std::shared_ptr<const Structure> structure) const {
  const Clock clock(seconds_.plan);
  return std::make_unique<TimedPlan>(inner_->make_plan(x, std::move(structure)), seconds_.evaluation);
}

std::unique_ptr<sim::CoulombSum::Plan> LoopCoulombSum::make_plan(const Points& x,
                                                                 std::shared_ptr<const Structure>) const {
  return std::make_unique<LoopPlan>(loop_, x);
}

}  // namespace pithball::experiments
