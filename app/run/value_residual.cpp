#include "app/run/value_residual.hpp"

#include <fmt/format.h>

#include <cmath>

#include "app/run/gradient_run.hpp"
#include "app/run/plain_values.hpp"
#include "app/run/simulation_failed.hpp"
#include "sim/core/error.hpp"

namespace pithball::app {
namespace {

using optim::Vector;

FitSpec read_residual(ExperimentDocument document) {
  if (Tree* section = document.root.find("fit"))
    if (Tree* parameters = section->find("parameters"))
      for (Tree& item : parameters->entries) item = with_plain_values(std::move(item));
  FitSpec spec = read_fit(document);
  for (const optim::OpenWidth& open : spec.fit->residual().priors().open_widths())
    throw InvalidArgument({"residual", "prior smooth of " + spec.problem().parameters[open.declaration].printed_name(),
                           "must have a width, which only a fit finds", "none",
                           "write `smooth: {relative_standard_deviation: 5 %}`, with the width that fit.json has"});
  return spec;
}

void require_success(const optim::Evaluation& evaluation) {
  if (!evaluation.ok()) throw SimulationFailed(evaluation.failure);
}

void require_size(const char* what, const Vector& numbers, Index size) {
  if (numbers.size() != size)
    throw InvalidArgument({"residual", what, fmt::format("must hold {} numbers", size), std::to_string(numbers.size()),
                           "their names and order: `names`"});
  if (!numbers.allFinite()) throw InvalidArgument({"residual", what, "must be finite", "others", ""});
}

}  // namespace

ValueResidual::ValueResidual(ExperimentDocument document) : spec_(read_residual(std::move(document))) {}

Vector ValueResidual::start() const { return fit().map().physical(fit().map().initial()); }

Vector ValueResidual::theta_at(const Vector& p) const {
  require_size("values", p, fit().map().size());
  Vector theta(p.size());
  for (Index k = 0; k < p.size(); ++k) {
    const optim::ParameterInfo& info = values()[k];
    if (p[k] < info.lower || p[k] > info.upper)
      throw InvalidArgument({"residual", info.name, fmt::format("must be from {:g} to {:g}", info.lower, info.upper),
                             fmt::format("{:g}", p[k]), "search within `lower` and `upper`"});
    theta[k] = info.transform.theta(p[k]);
  }
  return theta;
}

Vector ValueResidual::by_value(const Vector& theta, const Vector& gradient) const {
  return gradient.cwiseQuotient(fit().map().physical_derivative(theta));
}

std::vector<std::string> ValueResidual::doubts(const Vector& p) const {
  return doubts_of_gradients(fit().map().scatter(theta_at(p)));
}

std::unique_ptr<optim::Linearization> ValueResidual::linearize(const Vector& theta) const {
  std::unique_ptr<optim::Linearization> at;
  require_success(fit().residual().all().linearize(theta, at));
  return at;
}

Vector ValueResidual::residual(const Vector& p) const {
  const Vector theta = theta_at(p);
  const std::lock_guard lock(one_at_a_time_);
  Vector r;
  require_success(fit().residual().all().evaluate(theta, r, nullptr));
  return r;
}

Eigen::MatrixXd ValueResidual::jacobian(const Vector& p) const {
  const Vector theta = theta_at(p);
  const std::lock_guard lock(one_at_a_time_);
  Vector r;
  Eigen::MatrixXd J;
  require_success(fit().residual().all().evaluate(theta, r, &J));
  return J * fit().map().physical_derivative(theta).cwiseInverse().asDiagonal();
}

Vector ValueResidual::pull_back(const Vector& p, const Vector& w) const {
  const Vector theta = theta_at(p);
  require_size("w", w, rows());
  const std::lock_guard lock(one_at_a_time_);
  Vector found;
  require_success(linearize(theta)->vjp(w, found));
  return by_value(theta, found);
}

Vector ValueResidual::normal_product(const Vector& p, const Vector& d) const {
  const Vector theta = theta_at(p);
  require_size("d", d, p.size());
  const std::lock_guard lock(one_at_a_time_);
  Vector found;
  require_success(linearize(theta)->normal_product(by_value(theta, d), found));
  return by_value(theta, found);
}

LogDensity ValueResidual::log_likelihood(const Vector& p) const {
  if (fit().problem().loss.kind != optim::RobustLoss::Kind::None)
    throw InvalidArgument({"residual", "fit.residual.loss", "must be none for a likelihood",
                           optim::to_string(fit().problem().loss.kind), "leave it out; remove the outliers"});
  const Vector theta = theta_at(p);
  const std::lock_guard lock(one_at_a_time_);
  const std::unique_ptr<optim::Linearization> at = linearize(theta);
  Vector w = at->residual(), found;
  w.tail(rows() - data_rows()).setZero();
  require_success(at->vjp(w, found));
  const double square = w.squaredNorm();
  const Vector gradient = by_value(theta, found);
  if (fit().problem().uncertainty.options.absolute_sigma) return {-square / 2, -gradient};
  const auto n = static_cast<double>(data_rows());
  return {-n / 2 * std::log(square), -n / square * gradient};
}

LogDensity ValueResidual::log_prior(const Vector& p) const {
  const Vector theta = theta_at(p);
  Vector r;
  Eigen::MatrixXd J;
  require_success(fit().residual().priors().evaluate(theta, r, &J));
  LogDensity density{-r.squaredNorm() / 2, -by_value(theta, J.transpose() * r)};
  // ln p is Gaussian under a lognormal prior; as a density of p that has a factor 1/p.
  for (Index k = 0; k < p.size(); ++k)
    for (const optim::Prior& prior : fit().problem().parameters[values()[k].declaration].priors)
      if (std::holds_alternative<optim::LognormalPrior>(prior)) {
        density.value -= std::log(p[k]);
        density.gradient[k] -= 1 / p[k];
      }
  return density;
}

}  // namespace pithball::app
