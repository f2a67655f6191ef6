#include "sim/force/linear_flow.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "sim/model/model.hpp"

namespace pithball::sim {

LinearFlow::LinearFlow(const ForceTerm& term, const Model& model, const State& s, double h, double rate)
    : term_(term), model_(model), state_(s) {
  // If the rate is not finite, the run has already diverged: a single part propagates its NaN.
  const double parts = std::ceil(std::abs(h) * rate);
  parts_ = parts > 1 && parts < 1e9 ? static_cast<long>(parts) : 1;
  tau_ = h / parts_;
  if (parts >= 1e9) tau_ = std::numeric_limits<double>::quiet_NaN();
}

Points LinearFlow::accelerations(Points f) const {
  model_.clear_held(f);
  return f * model_.mass().cwiseInverse().asDiagonal();
}

std::vector<Points> LinearFlow::series(const Points& v, double enough) const {
  std::vector<Points> T{v};
  for (int k = 0; k < terms && !(T.back().norm() < enough); ++k) {
    Points f = Points::Zero(3, model_.particles());
    term_.add_force(model_, {state_.t, state_.x, T.back()}, f);
    T.push_back(tau_ / (k + 1) * accelerations(std::move(f)));
  }
  return T;
}

namespace {
Points sum_of(const std::vector<Points>& T) {
  Points sum = T.back();  // smallest terms first
  for (std::size_t k = T.size() - 1; k-- > 0;) sum += T[k];
  return sum;
}
}  // namespace

void LinearFlow::advance(Points& v) const {
  for (long part = 0; part < parts_; ++part) v = sum_of(series(v, negligible * v.norm()));
}

// At a fraction p of a step τ, v = Σ T_k p^k; the impulse of each term is F(T_k) τ/(k + 1).
void LinearFlow::add_impulse(Points& J) const {
  Points v = state_.v;
  for (long part = 0; part < parts_; ++part) {
    const std::vector<Points> T = series(v, negligible * v.norm());
    for (std::size_t k = 0; k < T.size(); ++k) {
      Points f = Points::Zero(3, model_.particles());
      term_.add_force(model_, {state_.t, state_.x, T[k]}, f);
      J += tau_ / (k + 1) * f;
    }
    v = sum_of(T);
  }
}

void LinearFlow::jvp(const Variation& d, Points& dv) const {
  const auto dm = model_.values().of(d.values, Model::mass_block);
  const auto m = model_.mass();
  Variation along = d;  // its v is δT_k for each k in turn
  Points v = state_.v;
  dv = d.v;
  for (long part = 0; part < parts_; ++part) {
    const std::vector<Points> T = series(v);
    along.v = dv;
    std::vector<Points> dT{dv};
    for (int k = 0; k < terms; ++k) {
      const std::size_t at = k;
      Points df = Points::Zero(3, model_.particles());
      term_.add_jvp(model_, {state_.t, state_.x, T[at]}, along, df);
      // T_{k+1} = τ/(k + 1) M⁻¹ F(T_k): a change of mass adds −T_{k+1} δm/m.
      along.v = tau_ / (k + 1) * accelerations(std::move(df)) - T[at + 1] * dm.cwiseQuotient(m).asDiagonal();
      dT.push_back(along.v);
    }
    v = sum_of(T);
    dv = sum_of(dT);
  }
}

void LinearFlow::vjp(const Points& a, Variation& g) const {
  auto gm = model_.values().of(g.values, Model::mass_block);
  const auto m = model_.mass();
  std::vector<Points> starts{state_.v};
  for (long part = 1; part < parts_; ++part) starts.push_back(sum_of(series(starts.back())));
  Variation step = Variation::zero(model_.particles(), model_.values().size());
  Points gv = a;  // ∂L/∂v at the end of the part
  for (long part = parts_; part-- > 0;) {
    const std::vector<Points> T = series(starts[part]);
    Points gT = gv;  // ∂L/∂T_{k+1}
    for (int k = terms; k-- > 0;) {
      const std::size_t at = k;
      gm -= gT.cwiseProduct(T[at + 1]).colwise().sum().transpose().cwiseQuotient(m);
      step.v.setZero();
      term_.add_vjp(model_, {state_.t, state_.x, T[at]}, tau_ / (k + 1) * accelerations(gT), step);
      gT = gv + step.v;
    }
    gv = std::move(gT);
  }
  g.x += step.x;
  g.values += step.values;
  g.v = std::move(gv);
}

}  // namespace pithball::sim
