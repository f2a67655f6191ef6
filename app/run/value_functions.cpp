#include "app/run/value_functions.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "app/run/gradient_run.hpp"
#include "app/run/run_judge.hpp"
#include "app/yaml/tree.hpp"
#include "sim/core/error.hpp"
#include "sim/core/parallel_for.hpp"

namespace pithball::app {

/// Changes an item of `fit.parameters` so that θ is the value itself in SI units, regardless of `transform`. A function
/// of θ then reproduces the experiment's values at the start to the last bit.
Tree with_plain_values(Tree item);

Tree with_plain_values(Tree item) {
  if (item.kind == Tree::Kind::Scalar) {
    Tree entry = parse_yaml("{}", "rollout");
    entry.key = item.text;
    entry.key_place = item.place;
    Tree map = parse_yaml("{}", "rollout");
    map.place = item.place;
    map.entries = {entry};
    item = std::move(map);
  }
  if (item.kind != Tree::Kind::Map || item.entries.size() != 1) return item;  // rejected when it is read
  Tree& settings = item.entries[0];
  if (settings.kind == Tree::Kind::Null) settings.kind = Tree::Kind::Map;
  if (settings.kind != Tree::Kind::Map) return item;
  std::erase_if(settings.entries, [](const Tree& entry) { return entry.key == "transform"; });
  settings.entries.push_back(make_scalar("identity"));
  settings.entries.back().key = "transform";
  return item;
}

namespace {

/// Returns the section `fit:` of a rollout: the parameters of the document, and a planned recording as long as the run.
Tree rollout_section(const ExperimentDocument& document, const diff::Scenario& scenario) {
  const Tree* parameters = find_at(document.root, "fit.parameters");
  if (!parameters)
    throw InvalidArgument({"rollout", "fit.parameters", "must list the values that may change", "none",
                           "name them: rollout(free=[\"charge\"])"});
  const double duration = scenario.time_step * static_cast<double>(scenario.steps);
  Tree section =
      parse_yaml(fmt::format("{{recordings: [{{name: rollout, planned: {{rate: {:.17g}, duration: {:.17g}}}, "
                             "markers: [0]}}]}}",
                             1 / duration, duration),
                 "rollout");
  section.key = "fit";
  section.entries.push_back(*parameters);
  for (Tree& item : section.entries.back().entries) item = with_plain_values(std::move(item));
  return section;
}

FitSpec read_rollout(ExperimentDocument document) {
  const Experiment base = read_experiment(document);
  if (base.population)
    throw InvalidArgument({document.root.place.source ? document.root.place.source->name : "", "population",
                           "must be left out for a rollout, whose particles are always the same", "emitters or sinks",
                           "call simulate()"});
  set_at(document.root, "fit", rollout_section(document, base.scenario), "rollout");
  return read_fit(document, FitPurpose::Prediction);
}

/// Copies a state into column t.
void show(const sim::State& state, Index t, Motion& motion) {
  motion.x.col(t) = sim::flat(state.x);
  motion.v.col(t) = sim::flat(state.v);
}

void require_end(const diff::RolloutStatus& status) {
  if (!status.ok()) throw SimulationFailed(diff::to_string(status));
}

}  // namespace

ValueRollout::ValueRollout(const ExperimentDocument& document) : spec_(read_rollout(document)) {
  const diff::Scenario& scenario = fit().problem().scenarios[0];
  const Index whole = scenario.steps / spec_.base.every, rest = scenario.steps % spec_.base.every;
  times_.resize(whole + 1 + (rest > 0 ? 1 : 0));
  for (Index t = 0; t < times_.size(); ++t)
    times_[t] =
        scenario.initial.t + scenario.time_step * static_cast<double>(std::min(t * spec_.base.every, scenario.steps));
}

optim::Vector ValueRollout::start() const { return fit().map().physical(fit().map().initial()); }

Index ValueRollout::snapshot_of(Index n) const {
  if (n % spec_.base.every == 0) return n / spec_.base.every;
  return n == fit().problem().scenarios[0].steps ? times_.size() - 1 : -1;
}

Motion ValueRollout::empty_motion() const {
  return {Eigen::MatrixXd::Zero(3 * particles(), times_.size()), Eigen::MatrixXd::Zero(3 * particles(), times_.size())};
}

void ValueRollout::require_values(const optim::Vector& p, const char* what) const {
  if (p.size() != fit().map().size())
    throw InvalidArgument({"rollout", what, fmt::format("must hold {} values", fit().map().size()),
                           std::to_string(p.size()), "their names and order: `names`"});
  for (Index k = 0; k < p.size(); ++k)
    if (!std::isfinite(p[k]))
      throw InvalidArgument({"rollout", values()[k].name, "must be finite", fmt::format("{:g}", p[k]), ""});
}

diff::Scenario ValueRollout::scenario_at(const optim::Vector& p) const {
  require_values(p, "values");
  return fit().map().scatter(p, 0);
}

JudgedMotion ValueRollout::run(const optim::Vector& p, const AfterStep& after_step) const {
  JudgedMotion found{empty_motion(), ""};
  const JudgedRun run = judge_run(scenario_at(p), spec_.base.every, [&](Index n, const sim::State& state) {
    if (after_step) after_step();
    if (const Index t = snapshot_of(n); t >= 0) show(state, t, found.motion);
  });
  if (!run.is_complete) throw SimulationFailed(run.verdict.explanation());
  if (run.verdict.grade() != optim::Grade::Good)
    found.doubt = to_string(run.verdict.status) + ": " + run.verdict.explanation();
  return found;
}

Motion ValueRollout::push_forward(const optim::Vector& p, const optim::Vector& dp, const AfterStep& after_step) const {
  const diff::Scenario scenario = scenario_at(p);
  require_values(dp, "direction");
  const Eigen::MatrixXd direction = fit().map().push_forward(p, 0, dp).head(scenario.size());
  Motion change = empty_motion();
  require_end(diff::run_tangent(scenario, direction,
                                [&](Index n, const sim::State&, const Eigen::MatrixXd& dx, const Eigen::MatrixXd& dv) {
                                  if (after_step) after_step();
                                  const Index t = snapshot_of(n);
                                  if (t < 0) return;
                                  change.x.col(t) = dx;
                                  change.v.col(t) = dv;
                                }));
  return change;
}

std::vector<std::string> ValueRollout::doubts(const optim::Vector& p) const {
  return doubts_of_gradients({scenario_at(p)});
}

std::vector<JudgedMotion> ValueRollout::run_all(const Eigen::MatrixXd& p) const {
  std::vector<JudgedMotion> motions(p.cols());
  constexpr double much = std::numeric_limits<double>::infinity();  // amount of work: each column is a run
  sim::parallel_for(p.cols(), much, [&](Index b) { motions[b] = run(p.col(b)); });
  return motions;
}

RecordedRollout::RecordedRollout(const ValueRollout& rollout, const optim::Vector& p, const AfterStep& after_step)
    : rollout_(rollout),
      p_(p),
      recorded_(rollout.scenario_at(p), rollout.spec_.base.memory_budget_mb),
      motion_(rollout.empty_motion()) {
  require_end(recorded_.forward([&](Index n, const sim::State& state) {
    if (after_step) after_step();
    if (const Index t = rollout_.snapshot_of(n); t >= 0) show(state, t, motion_);
  }));
}

optim::Vector RecordedRollout::pull_back(const Motion& gradient) {
  const Index rows = motion_.x.rows(), columns = motion_.x.cols();
  for (const Eigen::MatrixXd* g : {&gradient.x, &gradient.v})
    if (g->size() > 0 && (g->rows() != rows || g->cols() != columns))
      throw InvalidArgument({"rollout", "gradient", fmt::format("must have {} numbers", rows * columns),
                             std::to_string(g->size()), "give one for each number of the motion"});
  const optim::Vector values = recorded_.backward([&](Index n, const sim::State&, sim::Points& gx, sim::Points& gv) {
    const Index t = rollout_.snapshot_of(n);
    if (t < 0) return;
    if (gradient.x.size() > 0) sim::flat(gx) += gradient.x.col(t);
    if (gradient.v.size() > 0) sim::flat(gv) += gradient.v.col(t);
  });
  if (!recorded_.backward_failure().empty()) throw SimulationFailed(recorded_.backward_failure());
  if (const Index step = recorded_.unreliable_step(); step >= 0)
    throw SimulationFailed(fmt::format("derivative unreliable at step {}, {}", step, diff::where_unreliable));
  const optim::ParameterMap& map = rollout_.fit().map();
  const diff::Scenario& scenario = map.scenarios()[0];
  optim::Vector whole = optim::Vector::Zero(scenario.size() + optim::RecordingFrame::size());
  whole.head(scenario.size()) = values;
  optim::Vector found = optim::Vector::Zero(map.size());
  map.pull_back(p_, 0, whole, found);
  return found;
}

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
  if (fit().problem().loss.is_robust())
    throw InvalidArgument({"residual", "fit.residual.loss", "must be none for a likelihood",
                           fit().problem().loss.name(), "leave it out; remove the outliers"});
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
  // Under a lognormal prior, ln p is Gaussian; the density of p has an additional factor 1/p.
  for (Index k = 0; k < p.size(); ++k)
    for (const optim::Prior& prior : fit().problem().parameters[values()[k].declaration].priors)
      if (std::holds_alternative<optim::LognormalPrior>(prior)) {
        density.value -= std::log(p[k]);
        density.gradient[k] -= 1 / p[k];
      }
  return density;
}

}  // namespace pithball::app
