#include "optim/search/box_step.hpp"

namespace pithball::optim {
namespace {

/// Exchanges of all misplaced entries that may fail to lower their number before single ones follow.
constexpr int patience = 3;
/// Of any kind. What is still misplaced then is so by rounding, and is put on the nearest side.
constexpr int most_exchanges = 200;

}  // namespace

BoxStep::BoxStep(const Eigen::MatrixXd& A, const Vector& g, const Vector& lower, const Vector& upper) : A_(A), g_(g) {
  Sides sides = Sides::Zero(g.size());
  rest_on(sides, lower, upper);
  std::size_t fewest = g.size() + 1;
  int left = patience;
  for (int n = 0; n < most_exchanges; ++n) {
    std::vector<Index> wrong = misplaced(sides, lower, upper);
    if (wrong.empty()) return;
    if (wrong.size() < fewest) {
      fewest = wrong.size();
      left = patience;
    } else if (left-- <= 0) {
      wrong = {wrong.back()};  // Murty's rule, which never returns to the same sides
    }
    for (const Index k : wrong) sides[k] = sides[k] != 0 ? 0 : step_[k] < lower[k] ? -1 : 1;
    rest_on(sides, lower, upper);
  }
  step_ = step_.cwiseMax(lower).cwiseMin(upper);
}

Vector BoxStep::solve_free(const Vector& b) const {
  Vector x = Vector::Zero(b.size());
  if (free_.empty()) return x;
  const Vector among_free = b(free_), solved = root_.solve(among_free);
  x(free_) = solved;
  return x;
}

void BoxStep::rest_on(const Sides& sides, const Vector& lower, const Vector& upper) {
  free_.clear();
  step_ = Vector::Zero(sides.size());
  for (Index k = 0; k < sides.size(); ++k) {
    if (sides[k] == 0)
      free_.push_back(k);
    else
      step_[k] = sides[k] < 0 ? lower[k] : upper[k];
  }
  if (!free_.empty()) root_.compute(A_(free_, free_));
  step_ -= solve_free(g_ + A_ * step_);
  slope_ = g_ + A_ * step_;
}

std::vector<Index> BoxStep::misplaced(const Sides& sides, const Vector& lower, const Vector& upper) const {
  std::vector<Index> wrong;
  for (Index k = 0; k < sides.size(); ++k) {
    const bool is_outside = sides[k] == 0 && (step_[k] < lower[k] || step_[k] > upper[k]);
    const bool is_pulled_inside = sides[k] * slope_[k] > 0;
    if (is_outside || is_pulled_inside) wrong.push_back(k);
  }
  return wrong;
}

}  // namespace pithball::optim
