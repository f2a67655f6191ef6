#include "optim/diagnosis/diagnosis.hpp"

#include <Eigen/SparseCore>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <tuple>

#include "optim/diagnosis/false_discovery.hpp"
#include "optim/diagnosis/marker_shifts.hpp"
#include "optim/diagnosis/trial_fit.hpp"
#include "optim/fit/bounded_errors.hpp"
#include "optim/fit/judged_starts.hpp"
#include "optim/fit/settled_scales.hpp"
#include "optim/residual/value_gradients.hpp"
#include "sim/core/counter_noise.hpp"
#include "sim/core/error.hpp"

namespace pithball::optim {
namespace {

/// So many shortcomings are told apart.
constexpr Index most_lacking = 5;

/// So many candidates are compared by runs with their steps; in each round, one run for each.
constexpr std::size_t rounds_of_trials[] = {5, 5, 2};

/// What a fit sees at θ.
struct SeenAt {
  std::vector<Observation> observations;  ///< with the recording_frames at θ
  std::vector<RecordingFrame> recording_frames;

  SeenAt() = default;
  SeenAt(const ResolvedFit& fit, const Vector& theta) : observations(fit.problem().observations) {
    for (std::size_t s = 0; s < observations.size(); ++s) {
      observations[s].recording_frame = fit.map().recording_frame(theta, static_cast<Index>(s));
      recording_frames.push_back(observations[s].recording_frame);
    }
  }

  /// The residuals of these scenarios as functions of other values.
  TrajectoryResidual residual_of(const std::vector<Parameter>& declarations,
                                 const std::vector<diff::Scenario>& scenarios) const {
    return {ParameterMap(scenarios, declarations, recording_frames), observations};
  }
};

/// The end of a fit, from which candidates are tested.
struct FittedEnd {
  BoundedErrors errors;
  std::vector<diff::Scenario> scenarios;  ///< at θ
  SeenAt seen;
};

Evaluation find_end(const ResolvedFit& fit, const Vector& theta, const ResidualScales& scales, FittedEnd& end) {
  const TrajectoryResidual& trajectories = fit.residual().trajectories();
  Vector r;
  Eigen::MatrixXd J;
  FitRows rows;
  Evaluation evaluation = trajectories.evaluate(theta, r, &J);
  if (evaluation.ok()) evaluation = make_fit_rows(fit, theta, r, J, scales.threshold, rows);
  if (!evaluation.ok()) return evaluation;
  end.errors = compute_bounded_errors(fit, theta, std::move(rows), scales.data);
  end.scenarios = fit.map().scatter(theta);
  end.seen = SeenAt(fit, theta);
  return {};
}

/// Values that are candidates, and the fit in whose models they are.
struct ValueSet {
  const ResolvedFit* fit = nullptr;
  std::vector<Parameter> declarations;
};

/// Where a candidate comes from.
struct ValuePlace {
  const ValueSet* values = nullptr;  ///< null: the attachment of a marker
  Index first = 0;                   ///< its first number among the values
};

/// What is kept of a candidate with an exact derivative that may be significant.
struct ExactColumns {
  Eigen::SparseMatrix<double> G;
  ValuePlace place;
};

/// Tests candidates of one fit and collects what is found.
class Tests {
 public:
  /// `whole`, `elements`: values of the whole body, and of single particles and springs.
  Tests(const ResolvedFit& fit, const Vector& theta, const FittedEnd& end, ValueSet whole, ValueSet elements,
        const DiagnosisOptions& options)
      : fit_(fit),
        theta_(theta),
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
    const TrajectoryResidual residual = end_.seen.residual_of(whole_.declarations, whole_.fit->map().scatter(theta_));
    Vector r;
    Eigen::MatrixXd J;
    const Evaluation evaluation = residual.evaluate(residual.map().initial(), r, &J);
    if (!evaluation.ok()) return evaluation;
    found.evaluations += residual.counts();
    const CandidateColumns listed = list_candidates(residual.map());
    for (std::size_t c = 0; c < listed.candidates.size(); ++c)
      add_exact(listed.candidates[c], J.middleCols(listed.first[c], listed.first[c + 1] - listed.first[c]),
                {&whole_, listed.first[c]}, found);
    return {};
  }

  Evaluation test_elements(Diagnosis& found) {
    if (elements_.declarations.empty()) return {};
    const TrajectoryResidual residual = end_.seen.residual_of(elements_.declarations, end_.scenarios);
    std::unique_ptr<Linearization> at;
    Evaluation evaluation = residual.linearize(residual.map().initial(), at);
    if (!evaluation.ok()) return evaluation;
    const CandidateColumns listed = list_candidates(residual.map());
    const bool all_exact = residual.parameters() <= options_.probes + options_.exact;
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
      add_exact(listed.candidates[exact[k]], G.col(static_cast<Index>(k)), {&elements_, listed.first[exact[k]]}, found);
    const std::set<Index> done(exact.begin(), exact.end());
    for (std::size_t c = 0; c < tests.size(); ++c)
      if (!done.contains(static_cast<Index>(c))) add({listed.candidates[c], tests[c], NAN, false, 0}, found);
    found.evaluations += residual.counts();
    return {};
  }

  Evaluation test_markers(Diagnosis& found) {
    const TrajectoryResidual& residual = fit_.residual().trajectories();
    MarkerShifts shifts = find_marker_shifts(residual, fit_.problem().observations, theta_);
    if (!shifts.evaluation.ok()) return shifts.evaluation;
    ++found.evaluations.forward;
    for (std::size_t c = 0; c < shifts.candidates.size(); ++c)
      add_exact(shifts.candidates[c], Vector(shifts.columns[c]), {}, found);
    return {};
  }

  /// Forward selection among the significant ones: each is taken into the model, and the others are tested again.
  void find_lacking(Diagnosis& found) {
    const auto count = static_cast<double>(found.findings.size());
    std::vector<TestedCandidate*> open;
    for (TestedCandidate& finding : found.findings)
      if (finding.adjusted < found.level && finding.is_exact) open.push_back(&finding);
    if (open.empty()) return;
    TestedCandidate* best = first_lacking(open, found.evaluations);
    for (Index order = 1; best; ++order) {
      best->order = order;
      tester_.take(exact_.at(best->candidate.name).G);
      std::erase(open, best);
      best = nullptr;
      if (order == most_lacking) break;
      double least = found.level / count;  // for the number of tests, whatever their dependence
      for (TestedCandidate* finding : open) {
        const double p = tester_.test(exact_.at(finding->candidate.name).G, finding->candidate.one_sided).p;
        if (p < least) std::tie(best, least) = std::pair(finding, p);
      }
    }
  }

 private:
  /// A candidate whose step is tried, and its worth.
  struct Tried {
    TestedCandidate* finding;
    std::optional<TrialFit> trial;  ///< none: readings are linear in attachments; their gain is the predicted one
    double worth;
  };

  /// What improves the fit most. Beyond all doubt many candidates are significant, and their order is one of their
  /// gains; but these are linearized, and neighbors differ by a few percent. So the likeliest one and those with the
  /// largest gains are tried, and of them the best again.
  TestedCandidate* first_lacking(std::vector<TestedCandidate*> open, EvaluationCounts& counts) const {
    std::stable_sort(open.begin() + 1, open.end(), [&](const TestedCandidate* a, const TestedCandidate* b) {
      return worth(a->test.gain, *a) > worth(b->test.gain, *b);
    });
    open.resize(std::min(open.size(), rounds_of_trials[0]));
    std::vector<Tried> tried;
    for (TestedCandidate* finding : open) {
      const ExactColumns& exact = exact_.at(finding->candidate.name);
      tried.push_back({finding, {}, worth(finding->test.gain, *finding)});
      if (exact.place.values) tried.back().trial.emplace(tester_, exact.G);
    }
    for (const std::size_t most : rounds_of_trials) {
      if (tried.size() == 1) break;
      if (tried.size() > most) tried.resize(most);
      for (Tried& one : tried)
        if (one.trial) {
          run_trial(*one.finding, *one.trial, counts);
          one.worth = worth(one.trial->gain(), *one.finding);
        }
      std::ranges::stable_sort(tried, std::ranges::greater{}, &Tried::worth);
    }
    return tried.front().finding;
  }

  /// As of Akaike, a number costs 2.
  double worth(double gain, const TestedCandidate& finding) const {
    return gain - 2 * tester_.square_of_scale() * static_cast<double>(finding.test.shift.size());
  }

  void run_trial(const TestedCandidate& finding, TrialFit& trial, EvaluationCounts& counts) const {
    const ValuePlace place = exact_.at(finding.candidate.name).place;
    const Vector theta = (theta_ + trial.fitted_step()).cwiseMax(fit_.map().lower()).cwiseMin(fit_.map().upper());
    const TrajectoryResidual residual =
        SeenAt(fit_, theta).residual_of(place.values->declarations, place.values->fit->map().scatter(theta));
    const Vector beta = trial.beta();
    Vector values = residual.map().initial(), r;
    values.segment(place.first, beta.size()) = finding.candidate.stepped(beta);
    values = values.cwiseMax(residual.map().lower()).cwiseMin(residual.map().upper());
    ++counts.forward;
    if (residual.evaluate(values, r, nullptr).ok())
      trial.take(r);
    else
      trial.take_failure();
  }

  void add(TestedCandidate finding, Diagnosis& found) const {
    if (std::isnan(finding.test.p))
      found.same_as_fitted.push_back(std::move(finding.candidate));
    else
      found.findings.push_back(std::move(finding));
  }

  void add_exact(const Candidate& candidate, const Eigen::MatrixXd& G, ValuePlace place, Diagnosis& found) {
    ScoreTest test = tester_.test(G, candidate.one_sided);
    // Errors of held initial states matter only to what would be found without them.
    if (!held_recordings_.empty() && test.p < options_.level)
      test = tester_.test(G, candidate.one_sided, carried_error(G, found));
    if (test.p < options_.level) exact_.emplace(candidate.name, ExactColumns{G.sparseView(), place});
    add({candidate, std::move(test), NAN, true, 0}, found);
  }

  /// Covariance of the score by the errors of held values: (J₀ᵀ G̃)ᵀ Σ₀ (J₀ᵀ G̃).
  Eigen::MatrixXd carried_error(const Eigen::MatrixXd& G, Diagnosis& found) const {
    Eigen::MatrixXd carried = Eigen::MatrixXd::Zero(G.cols(), G.cols());
    std::vector<Eigen::MatrixXd> gradients;
    const Eigen::MatrixXd seeds = tester_.seeds_of(tester_.unexplained(G));
    const Evaluation evaluation =
        compute_value_gradients(fit_.residual().trajectories(), theta_, held_recordings_, seeds, gradients);
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

  /// All scores by one adjoint, and their information by probes.
  Evaluation estimate(const Linearization& at, const CandidateColumns& listed, std::vector<ScoreTest>& tests) const {
    Vector score, product;
    Evaluation evaluation = at.vjp(tester_.score_seed(), score);
    Vector information = Vector::Zero(score.size());
    const sim::CounterNoise noise(options_.seed, 1);
    for (Index n = 0; evaluation.ok() && n < options_.probes; ++n) {
      Vector v(tester_.all_rows());
      for (Index k = 0; k < v.size(); ++k)
        v[k] = noise.normal(static_cast<std::uint64_t>(k), static_cast<std::uint64_t>(n), 0);
      evaluation = at.vjp(tester_.probe_seed(v), product);
      information += product.cwiseAbs2() / static_cast<double>(options_.probes);
    }
    for (std::size_t c = 0; evaluation.ok() && c < tests.size(); ++c) {
      const Index k = listed.first[c];
      tests[c] = tester_.estimate(score[k], information[k], options_.probes, listed.candidates[c].one_sided);
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
  const Vector& theta_;
  const FittedEnd& end_;
  const ValueSet whole_, elements_;
  const DiagnosisOptions& options_;
  ScoreTester tester_;
  std::vector<std::size_t> held_recordings_;   ///< with errors of held values
  std::map<std::string, ExactColumns> exact_;  ///< by name
};

void sort_and_adjust(Diagnosis& found) {
  // Of equally improbable ones, the one that would explain more.
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

std::vector<const TestedCandidate*> Diagnosis::lacking() const {
  std::vector<const TestedCandidate*> found;
  for (const TestedCandidate& finding : findings)
    if (finding.order > 0) found.push_back(&finding);
  std::ranges::sort(found, {}, &TestedCandidate::order);
  return found;
}

Diagnosis diagnose(const ResolvedFit& fit, const ResolvedFit& extended, const Vector& theta,
                   const ResidualScales& scales, const DiagnosisOptions& options) {
  const auto begin = std::chrono::steady_clock::now();
  if (fit.map().size() > fit.problem().uncertainty.full_limit)
    throw InvalidArgument(
        {"", "fit.parameters",
         "must be at most " + std::to_string(fit.problem().uncertainty.full_limit) + " for a diagnosis",
         std::to_string(fit.map().size()), "let more particles or springs share a parameter"});
  Diagnosis found;
  found.level = options.level;
  FittedEnd end;
  Evaluation evaluation = find_end(fit, theta, scales, end);
  ++found.evaluations.tangent;
  if (evaluation.ok()) {
    const std::vector<Parameter>& fitted = fit.problem().parameters;
    Tests tests(fit, theta, end, {&extended, find_held_values(fitted, extended.map().scatter(theta)).whole},
                {&fit, find_held_values(fitted, end.scenarios).elements}, options);
    if (!tests.ok()) evaluation.failure = "the residuals have no scale: every coordinate is needed for a fitted value";
    if (evaluation.ok()) evaluation = tests.test_whole(found);
    if (evaluation.ok()) evaluation = tests.test_elements(found);
    if (evaluation.ok()) evaluation = tests.test_markers(found);
    if (evaluation.ok()) sort_and_adjust(found);
    if (evaluation.ok()) tests.find_lacking(found);
    // What the model lacks stands first, whatever the p of the others.
    std::ranges::stable_sort(found.findings, {}, [](const TestedCandidate& finding) {
      return finding.order > 0 ? finding.order : std::numeric_limits<Index>::max();
    });
  }
  found.failure = evaluation.failure;
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
  v("share", finding.test.share,
    "part of its effect that a change of the fitted values does not explain, "
    "from 0 to 1");
  v("exact", finding.is_exact, "false: the information is an estimate from random probes");
  v("order", finding.order,
    "1: would improve the fit most; 2: most besides the first; 0: not "
    "significant besides these");
}

}  // namespace pithball::optim
