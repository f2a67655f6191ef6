#include "optim/diagnosis/diagnosis.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>
#include <optional>
#include <set>

#include "optim/diagnosis/lacking.hpp"
#include "optim/diagnosis/measurement_chain.hpp"
#include "optim/diagnosis/model_candidates.hpp"
#include "optim/diagnosis/remedy.hpp"
#include "optim/diagnosis/score_test.hpp"
#include "optim/diagnosis/start_states.hpp"
#include "optim/parameter/value_entries.hpp"
#include "optim/residual/trajectory_residual.hpp"
#include "optim/verdict/fit_quality.hpp"
#include "sim/core/counter_noise.hpp"
#include "sim/core/error.hpp"

namespace pithball::optim {
namespace {

/// Values to be tested, the fit whose models contain them, and springs to be tested that these models lack.
struct ValueSet {
  const ResolvedFit* fit = nullptr;
  std::vector<Parameter> declarations = {};
  MissingSprings missing = {};
  bool leaves_out = false;  ///< not all candidates are tested

  std::vector<diff::Scenario> scenarios(const Vector& theta) const {
    return missing.added_to(fit->map().scatter(theta));
  }
};

/// Finds the values of single particles and springs to be tested.
ValueSet find_elements(const ResolvedFit& fit, const FittedEnd& end, const DiagnosisOptions& options) {
  ValueSet found{&fit};
  if (options.elements == TestedElements::None) return found;
  found.declarations = find_held_values(fit.problem().parameters, end.scenarios).elements;
  found.leaves_out = std::erase_if(found.declarations, [&](const Parameter& each) {
                       return !options.covers(find_value_entries(end.scenarios.front(), each.value).places);
                     }) > 0;
  MissingSprings missing = find_missing_springs(end.scenarios, options.few());
  if (!options.covers(missing.count())) {
    found.leaves_out = true;
    return found;
  }
  missing.declare(found.declarations);
  found.missing = std::move(missing);
  return found;
}

/// Tests candidates of one fit and collects the findings.
class Tests {
 public:
  /// `whole`: values of the whole body; `elements`: values of single particles and springs.
  Tests(const ResolvedFit& fit, const FittedEnd& end, ValueSet whole, ValueSet elements,
        const DiagnosisOptions& options)
      : fit_(fit),
        end_(end),
        whole_(std::move(whole)),
        elements_(std::move(elements)),
        options_(options),
        tester_(end.errors.rows, end.errors.scores, end.errors.errors.posterior) {
    const auto& held = fit.problem().value_errors;
    for (std::size_t s = 0; s < held.size(); ++s)
      if (!held[s].empty()) held_recordings_.push_back(s);
  }

  bool ok() const { return tester_.ok(); }

  Evaluation test_whole(Diagnosis& found) {
    if (whole_.declarations.empty()) return {};
    const TrajectoryResidual residual = end_.seen.residual_of(whole_.declarations, whole_.scenarios(end_.theta));
    Vector r;
    Eigen::MatrixXd J;
    const Evaluation evaluation = residual.evaluate(residual.map().initial(), r, &J);
    if (!evaluation.ok()) return evaluation;
    found.evaluations += residual.counts();
    const CandidateColumns listed = list_candidates(residual.map());
    for (std::size_t c = 0; c < listed.candidates.size(); ++c)
      add_exact(listed.candidates[c], J.middleCols(listed.first[c], listed.first[c + 1] - listed.first[c]),
                run_of(whole_, listed.candidates[c], listed.first[c]), found);
    return {};
  }

  Evaluation test_elements(Diagnosis& found) {
    found.has_untested = elements_.leaves_out;
    if (elements_.declarations.empty()) return {};
    const TrajectoryResidual residual = end_.seen.residual_of(elements_.declarations, elements_.scenarios(end_.theta));
    std::unique_ptr<Linearization> at;
    Evaluation evaluation = residual.linearize(residual.map().initial(), at);
    if (!evaluation.ok()) return evaluation;
    CandidateColumns listed = list_candidates(residual.map());
    elements_.missing.name(listed.candidates);
    const bool all_exact = options_.elements == TestedElements::Few || residual.parameters() <= options_.few();
    std::vector<ScoreTest> tests(listed.candidates.size());
    std::vector<Index> exact(listed.candidates.size());
    std::iota(exact.begin(), exact.end(), Index{0});
    if (!all_exact) {
      evaluation = estimate(*at, listed, tests);
      if (!evaluation.ok()) return evaluation;
      exact = most_likely(tests);
    }
    Eigen::MatrixXd directions = Eigen::MatrixXd::Zero(residual.parameters(), static_cast<Index>(exact.size())), G;
    for (std::size_t k = 0; k < exact.size(); ++k) directions(exact[k], static_cast<Index>(k)) = 1;
    evaluation = at->jvp_block(directions, G);
    if (!evaluation.ok()) return evaluation;
    for (std::size_t k = 0; k < exact.size(); ++k)
      add_exact(listed.candidates[exact[k]], G.col(static_cast<Index>(k)),
                run_of(elements_, listed.candidates[exact[k]], listed.first[exact[k]]), found);
    const std::set<Index> done(exact.begin(), exact.end());
    for (std::size_t c = 0; c < tests.size(); ++c)
      if (!done.contains(static_cast<Index>(c))) add({listed.candidates[c], tests[c], NAN, false, 0}, found);
    found.evaluations += residual.counts();
    return {};
  }

  Evaluation test_markers(Diagnosis& found) {
    const TrajectoryResidual& residual = fit_.residual().trajectories();
    MarkerShifts shifts = find_marker_shifts(residual, fit_.problem().observations, end_.theta);
    if (!shifts.evaluation.ok()) return shifts.evaluation;
    ++found.evaluations.forward;
    if (!options_.covers(static_cast<Index>(shifts.candidates.size()))) {
      found.has_untested = true;
      return {};
    }
    std::vector<ScoreTest> tests;
    const bool all_exact =
        options_.elements == TestedElements::Few || static_cast<Index>(shifts.candidates.size()) <= options_.few();
    for (std::size_t c = 0; !all_exact && c < shifts.candidates.size(); ++c)
      tests.push_back(tester_.screen(shifts.columns[c], shifts.candidates[c].one_sided));
    const std::vector<Index> likely = most_likely(tests);
    const std::set<Index> exact(likely.begin(), likely.end());
    for (std::size_t c = 0; c < shifts.candidates.size(); ++c) {
      if (all_exact || exact.contains(static_cast<Index>(c)))
        add_exact(shifts.candidates[c], Vector(shifts.columns[c]), {}, found);
      else
        add({shifts.candidates[c], tests[c], NAN, false, 0}, found);
    }
    return {};
  }

  /// Tests the time step.
  void test_step(Diagnosis& found) {
    found.evaluations.forward += 2;
    const std::optional<CandidateEffect> effect = find_step_error(fit_, end_);
    if (effect && agrees_with_step(effect->candidate, tester_.test(effect->G, false))) add_all({*effect}, found);
  }

  /// Tests how the recordings were made.
  Evaluation test_measurement(Diagnosis& found) {
    MeasurementChain chain = find_measurement_chain(fit_, end_, most(options_.few()));
    ++found.evaluations.forward;
    add_all(chain.effects, found);
    for (const MarkerClocks& clocks : chain.clocks)
      if (const std::optional<GroupedClocks> grouped = group_marker_clocks(fit_, end_, clocks, tester_))
        add_exact(grouped->effect.candidate, grouped->effect.G, grouped->effect.run, found, grouped->p);
    return chain.evaluation;
  }

  /// Tests the positions and velocities at which the body started.
  Evaluation test_starts(Diagnosis& found) {
    constexpr Index of_rigid_body = 6;
    StartStates starts = find_start_states(fit_, end_, most(of_rigid_body));
    found.evaluations += starts.counts;
    add_all(starts.effects, found);
    return starts.evaluation;
  }

  void find_lacking(Diagnosis& found) {
    found.excess = excess();
    optim::find_lacking(effects_, {end_.theta, fit_.map().lower(), fit_.map().upper()}, tester_, found);
    for (TestedCandidate& finding : found.findings)
      finding.candidate.key = remedy_of(finding, fit_.problem().observations, end_.scenarios);
  }

 private:
  /// The bound of a quick diagnosis, without elements; no bound of others.
  Index most(Index of_quick) const {
    return options_.elements == TestedElements::None ? of_quick : std::numeric_limits<Index>::max();
  }
  /// Returns χ² in excess of the degrees of freedom; NaN if the excess is within chance or the noise is unknown.
  double excess() const {
    const double ratio = tester_.decrease_to(0) / tester_.degrees() - 1;
    const bool is_beyond = has_noise() && ratio > beyond_chance * std::sqrt(2 / tester_.degrees());
    return is_beyond ? ratio * tester_.degrees() : std::numeric_limits<double>::quiet_NaN();
  }
  /// Whether every recording's sigma is a measured noise, not a guess.
  bool has_noise() const {
    return std::ranges::none_of(fit_.problem().observations, [](const Observation& observation) {
      return observation.noise.origin == SigmaOrigin::Guess;
    });
  }

  void add_all(const std::vector<CandidateEffect>& effects, Diagnosis& found) {
    for (const CandidateEffect& effect : effects) add_exact(effect.candidate, effect.G, effect.run, found);
  }

  /// Returns a function that runs with changes of this candidate, one of `values`, whose first number has the index
  /// `first`.
  RunWithChange run_of(const ValueSet& values, const Candidate& candidate, Index first) const {
    return [&, candidate, first](const Vector& theta, const Vector& beta, Vector& r) {
      const TrajectoryResidual residual = SeenAt(fit_, theta).residual_of(values.declarations, values.scenarios(theta));
      Vector changed = residual.map().initial();
      changed.segment(first, beta.size()) = candidate.stepped(beta);
      changed = changed.cwiseMax(residual.map().lower()).cwiseMin(residual.map().upper());
      return residual.evaluate(changed, r, nullptr);
    };
  }

  void add(TestedCandidate finding, Diagnosis& found) const {
    if (std::isnan(finding.test.p))
      found.same_as_fitted.push_back(std::move(finding.candidate));
    else
      found.findings.push_back(std::move(finding));
  }

  /// `least_p`: of a candidate that the recordings themselves chose; where it is not below the level, no run is made.
  void add_exact(const Candidate& candidate, const Eigen::MatrixXd& G, RunWithChange run, Diagnosis& found,
                 double least_p = 0) {
    ScoreTest test = tester_.test(G, candidate.one_sided);
    // Errors of held initial states matter only for findings that are significant without them.
    if (!held_recordings_.empty() && test.p < options_.level)
      test = tester_.test(G, candidate.one_sided, carried_error(G, found));
    if (!std::isnan(test.p)) test.p = std::max(test.p, least_p);
    if (least_p < options_.level && (test.p < options_.level || test.gain > promising_part * excess()))
      effects_.emplace(candidate.name, CandidateEffect{candidate, G.sparseView(), std::move(run), least_p});
    add({candidate, std::move(test), NAN, true, 0}, found);
  }

  /// Returns the covariance of the score due to errors of held values: (J₀ᵀ G̃)ᵀ Σ₀ (J₀ᵀ G̃).
  Eigen::MatrixXd carried_error(const Eigen::MatrixXd& G, Diagnosis& found) const {
    Eigen::MatrixXd carried = Eigen::MatrixXd::Zero(G.cols(), G.cols());
    std::vector<Eigen::MatrixXd> gradients;
    const Eigen::MatrixXd seeds = tester_.seeds_of(tester_.unexplained(G));
    const Evaluation evaluation =
        compute_value_gradients(fit_.residual().trajectories(), end_.theta, held_recordings_, seeds, gradients);
    if (!evaluation.ok()) return carried;
    found.evaluations.adjoint += G.cols();
    for (std::size_t g = 0; g < held_recordings_.size(); ++g) {
      std::set<Index> moved;
      for (const ParameterEntry& entry : fit_.map().entries(static_cast<Index>(held_recordings_[g])))
        moved.insert(entry.index);
      for (const ValueError& error : fit_.problem().value_errors[held_recordings_[g]]) {
        Eigen::MatrixXd rows(static_cast<Index>(error.entries.size()), G.cols());
        for (std::size_t k = 0; k < error.entries.size(); ++k)
          rows.row(static_cast<Index>(k)) =
              (moved.contains(error.entries[k]) ? 0.0 : 1.0) * gradients[g].row(error.entries[k]);
        const Eigen::MatrixXd seen = error.root.transpose() * rows;
        carried += seen.transpose() * seen;
      }
    }
    return carried;
  }

  /// Computes all scores by an adjoint pass and estimates their information with random probes in the same pass.
  Evaluation estimate(const Linearization& at, const CandidateColumns& listed, std::vector<ScoreTest>& tests) const {
    const sim::CounterNoise noise(options_.seed, 1);
    Eigen::MatrixXd seeds(at.residual().size(), 1 + options_.probes), products;
    seeds.col(0) = tester_.score_seed();
    Vector v(tester_.all_rows());
    for (Index n = 0; n < options_.probes; ++n) {
      for (Index k = 0; k < v.size(); ++k)
        v[k] = noise.normal(static_cast<std::uint64_t>(k), static_cast<std::uint64_t>(n), 0);
      seeds.col(1 + n) = tester_.probe_seed(v);
    }
    const Evaluation evaluation = at.vjp_block(seeds, products);
    if (!evaluation.ok()) return evaluation;
    const Vector information = products.rightCols(options_.probes).cwiseAbs2().rowwise().mean();
    for (std::size_t c = 0; c < tests.size(); ++c) {
      const Index k = listed.first[c];
      tests[c] = tester_.estimate(products(k, 0), information[k], options_.probes, listed.candidates[c].one_sided);
    }
    return evaluation;
  }

  std::vector<Index> most_likely(const std::vector<ScoreTest>& tests) const {
    std::vector<Index> order;
    for (std::size_t c = 0; c < tests.size(); ++c)
      if (!std::isnan(tests[c].p)) order.push_back(static_cast<Index>(c));
    std::ranges::stable_sort(order, {}, [&](Index c) { return tests[c].p; });
    order.resize(std::min(order.size(), static_cast<std::size_t>(options_.exact)));
    return order;
  }

  const ResolvedFit& fit_;
  const FittedEnd& end_;
  const ValueSet whole_, elements_;
  const DiagnosisOptions& options_;
  ScoreTester tester_;
  std::vector<std::size_t> held_recordings_;  ///< those whose held values have errors
  EffectsByName effects_;
};

void sort_and_adjust(Diagnosis& found) {
  // At equal p, the candidate that explains more comes first.
  std::ranges::stable_sort(found.findings, [](const TestedCandidate& a, const TestedCandidate& b) {
    return a.test.p != b.test.p ? a.test.p < b.test.p : a.test.gain > b.test.gain;
  });
  std::vector<double> p;
  for (const TestedCandidate& finding : found.findings) p.push_back(finding.test.p);
  const std::vector<double> adjusted = adjust_for_number(p);
  for (std::size_t k = 0; k < p.size(); ++k) found.findings[k].adjusted = adjusted[k];
}

}  // namespace

Index Diagnosis::significant() const {
  return std::ranges::count_if(findings, [&](const TestedCandidate& finding) { return finding.adjusted < level; });
}

double Diagnosis::explained() const {
  double sum = 0;
  for (const TestedCandidate* finding : lacking()) sum += finding->explained;
  return sum;
}

std::vector<const TestedCandidate*> Diagnosis::lacking() const {
  std::vector<const TestedCandidate*> found;
  for (const TestedCandidate& finding : findings)
    if (finding.order > 0) found.push_back(&finding);
  std::ranges::sort(found, {}, &TestedCandidate::order);
  return found;
}

Diagnosis diagnose(const ResolvedFit& fit, const ResolvedFit& extended, const FittedEnd& end,
                   const DiagnosisOptions& options) {
  const auto begin = std::chrono::steady_clock::now();
  Diagnosis found;
  found.level = options.level;
  const std::vector<Parameter>& fitted = fit.problem().parameters;
  Tests tests(fit, end, {&extended, find_held_values(fitted, extended.map().scatter(end.theta)).whole},
              find_elements(fit, end, options), options);
  Evaluation evaluation;
  if (!tests.ok()) evaluation.failure = "the residuals have no scale: every coordinate is needed for a fitted value";
  if (evaluation.ok()) evaluation = tests.test_whole(found);
  if (evaluation.ok()) evaluation = tests.test_elements(found);
  if (evaluation.ok() && options.elements != TestedElements::None) evaluation = tests.test_markers(found);
  if (evaluation.ok() && options.elements != TestedElements::None) tests.test_step(found);
  if (evaluation.ok()) evaluation = tests.test_measurement(found);
  if (evaluation.ok()) evaluation = tests.test_starts(found);
  if (evaluation.ok()) sort_and_adjust(found);
  if (evaluation.ok()) tests.find_lacking(found);
  // Candidates that the model lacks come first, whatever the p of the others is.
  std::ranges::stable_sort(found.findings, {}, [](const TestedCandidate& finding) {
    return finding.order > 0 ? finding.order : std::numeric_limits<Index>::max();
  });
  found.failure = evaluation.failure;
  found.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return found;
}

Diagnosis diagnose(const ResolvedFit& fit, const ResolvedFit& extended, const Vector& theta,
                   const ResidualScales& scales, const DiagnosisOptions& options) {
  if (!fit.has_full_errors())
    throw InvalidArgument(
        {"", "fit.parameters",
         "must be at most " + std::to_string(fit.problem().uncertainty.full_limit) + " for a diagnosis",
         std::to_string(fit.map().size()), "let more particles or springs share a parameter"});
  const auto begin = std::chrono::steady_clock::now();
  Diagnosis found;
  found.level = options.level;
  BoundedErrors errors;
  if (const Evaluation evaluation = find_errors(fit, theta, scales, errors); evaluation.ok())
    found = diagnose(fit, extended, FittedEnd(fit, theta, errors), options);
  else
    found.failure = evaluation.failure;
  ++found.evaluations.tangent;
  found.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return found;
}

void fields(FieldVisitor& v, TestedCandidate& finding) {
  v.is("TestedCandidate", "a candidate and its test");
  fields(v, finding.candidate);
  v("p", finding.test.p, "p-value of no change; null: it cannot be tested");
  v("adjusted_p", finding.adjusted, "p for the number of tests");
  v("gain", finding.test.gain, "predicted decrease of χ²");
  v("change", finding.test.shift, of_parameter, "predicted change");
  v.computed(
      "predicted", [&] { return finding.candidate.stepped(finding.test.shift); }, of_parameter, "the value after it");
  v("standard_error", finding.test.error, of_parameter, "standard errors of the change");
  v("share", finding.test.share, "part of its effect that a change of the fitted values does not explain, from 0 to 1");
  v("exact", finding.is_exact,
    "false: judged by the scatter of all residuals; for particles and springs, the information is an estimate from "
    "random probes");
  v("order", finding.order,
    "1: would improve the fit most; 2: most besides the first; 0: not significant besides these");
  v("same", finding.same, "names of candidates that the recordings cannot tell from it, if it is first");
  v("undecided", finding.is_undecided,
    "whether it promised most of the excess, and the runs with it ended before a minimum");
  v("explained", finding.explained,
    "of those with an order: the part of `excess` that it explains besides the ones before; null: unknown");
}

}  // namespace pithball::optim
