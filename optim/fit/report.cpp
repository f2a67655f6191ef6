#include "optim/fit/report.hpp"

#include <algorithm>
#include <cmath>

#include "sim/core/error.hpp"
#include "sim/core/text.hpp"

namespace pithball::optim {
namespace {

/// Values about which the data contain almost no information.
std::vector<std::string> determined_by_priors(const FitRows& fit, const Posterior& posterior,
                                              const std::vector<std::string>& names) {
  constexpr double next_to_nothing = 0.1;
  std::vector<std::string> found;
  if (fit.prior_J.rows() == 0) return found;
  const Eigen::MatrixXd root = posterior.formal.root * posterior.formal.scale.s;  // C = root rootᵀ
  const Eigen::MatrixXd informed = (fit.prior_J * root).transpose() * fit.prior_J;
  for (Index k = 0; k < fit.prior_J.cols(); ++k)
    if (1 - root.row(k).dot(informed.col(k)) < next_to_nothing) found.push_back(names[k]);
  return found;
}

}  // namespace

std::vector<std::string> ErrorReport::sentences() const {
  std::vector<std::string> said;
  if (frames > 0 && std::isfinite(mean_ratio)) {
    std::string text = formatted(
        "standard errors and intervals are those of this model; robust ones are %.3g times the formal ones on average "
        "(%lld frames, autocorrelation %.2f)",
        mean_ratio, static_cast<long long>(frames), autocorrelation);
    if (by_mean_ratio)
      text += "; there are too few frames per parameter to distinguish them: all are scaled by this factor";
    said.push_back(text);
  }
  if (samples > 0)
    said.push_back(
        formatted("standard errors come from %lld random samples, which makes them accurate to %.0f %%; %lld products "
                  "with the Jacobian and its transpose, %.3g s",
                  static_cast<long long>(samples), 50 * std::sqrt(2 / static_cast<double>(samples)),
                  static_cast<long long>(products), seconds));
  if (!most_influential.recording.empty())
    said.push_back(formatted("most influential recording: %s, without which %s moves by %.2g formal standard errors",
                             most_influential.recording.c_str(), most_influential.moved.c_str(),
                             most_influential.moved_by));
  for (const OutlierReport& one : outliers)
    said.push_back(formatted(
        "%s: %lld of %lld samples are downweighted by more than half, from %.3g to %.3g s; %lld of them belong to %s",
        one.recording.c_str(), static_cast<long long>(one.samples), static_cast<long long>(one.of), one.first, one.last,
        static_cast<long long>(one.worst_samples), one.worst_marker.c_str()));
  return said;
}

ErrorReport report_errors(const FitRows& fit, const AllErrors& errors, const std::vector<std::string>& names,
                          const std::vector<std::string>& recordings) {
  ErrorReport report;
  report.frames = errors.robust.frames;
  report.autocorrelation = errors.robust.autocorrelation;
  report.mean_ratio = errors.robust.mean_ratio;
  report.by_mean_ratio = errors.robust.by_mean_ratio;
  report.priors = {errors.posterior.determined_by_data, determined_by_priors(fit, errors.posterior, names), {}};
  if (fit.loss.is_robust()) report.loss_threshold = fit.loss.threshold();
  const Jackknife& jackknife = errors.jackknife;
  if (jackknife.most_influential < 0) return report;
  report.most_influential.recording = recordings[fit.order.recordings[jackknife.most_influential]];
  report.most_influential.cook_distance = jackknife.cook_distance;
  report.most_influential.moved = names[jackknife.moved_most];
  report.most_influential.moved_by = jackknife.shifts(jackknife.moved_most, jackknife.most_influential) /
                                     errors.posterior.formal.standard_error[jackknife.moved_most];
  return report;
}

void fields(FieldVisitor& v, PriorWidth& width) {
  v.is("PriorWidth", "width of a smooth prior that was given none: the most likely one");
  v("parameter", width.parameter, "the declared parameter");
  v("standard_deviation", width.standard_deviation,
    "of the differences of neighbors, in the unit of the values, or of their logarithms");
  v("relative", width.relative, "whether of logarithms");
}

void fields(FieldVisitor& v, OutlierReport& one) {
  v.is("Outliers", "samples of one recording that a robust loss treats as outliers");
  v("recording", one.recording, "as in the experiment file");
  v("samples", one.samples, "number of samples with a weight below one half");
  v("of", one.of, "number of all its fitted samples");
  v("worst_marker", one.worst_marker, "the marker with most of them");
  v("worst_samples", one.worst_samples, "its number of them");
  v("first", one.first, in("s"), "recorded time of the first of them");
  v("last", one.last, in("s"), "recorded time of the last of them");
}

void fields(FieldVisitor& v, ErrorReport& report) {
  v.is("Uncertainty", "how the standard errors were computed, for all parameters together");
  v("frames", report.frames, "number of frames of all recordings");
  v("autocorrelation", report.autocorrelation, "of the residuals from frame to frame");
  v("mean_ratio", report.mean_ratio, "robust errors relative to formal ones, on average");
  v("by_mean_ratio", report.by_mean_ratio, "whether robust errors are the formal ones times it");
  v("determined_by_data", report.priors.determined_by_data,
    "number of values determined by the data; priors determine the rest");
  v("determined_by_priors", report.priors.by_priors_alone,
    "parameters of whose information the data give less than a tenth");
  v("prior_widths", report.priors.widths, "of smooth priors that were given none");
  v.block("most_influential", "MostInfluential", "the recording without which the estimates change most", [&] {
    v("recording", or_null(report.most_influential.recording), "its name; null: fewer than four recordings");
    v("cook_distance", report.most_influential.cook_distance, "Cook's distance");
    v("parameter", or_null(report.most_influential.moved), "the parameter that changes most without it");
    v("change_in_formal_errors", report.most_influential.moved_by, "its change, in formal standard errors");
  });
  v("loss_threshold", report.loss_threshold, "threshold of the robust loss, in units of sigma; null: none");
  v("samples", report.samples, "number of samples for the errors; 0: from the whole Jacobian");
  v("products", report.products, "number of products with the Jacobian, and as many with its transpose");
  v("seconds", report.seconds, in("s"), "time that they took");
  v("exact", report.exact, "parameters whose errors are exact nevertheless");
  v("outliers", report.outliers, "by recording with outliers");
}

namespace {

constexpr ErrorKind error_kinds[] = {ErrorKind::Formal, ErrorKind::Robust, ErrorKind::Jackknife,
                                     ErrorKind::RandomEffects};
constexpr IntervalMethod all_methods[] = {IntervalMethod::Linear, IntervalMethod::Profile, IntervalMethod::Bootstrap,
                                          IntervalMethod::Scan};

}  // namespace

void fields(FieldVisitor& v, FittedParameter& p) {
  v.is("FittedParameter", "a fitted parameter");
  v("name", p.name, "name of the parameter: \"charge\", \"stiffness[12]\"");
  v("value", p.value, "the value that it belongs to: \"stiffness\"");
  v("group", or_null(p.scope.group), "group of particles or springs that share it; null: all, or a single one");
  v("recording", or_null(p.scope.recording), "the recording that it belongs to alone; null: all");
  v("nuisance", p.scope.is_nuisance, "whether it only describes the recording: a clock, a placement, a start");
  v("unit", p.unit, "unit of its numbers, in base units of SI; empty: pure numbers");
  v("initial", p.initial, of_parameter, "physical value at the start of the search");
  v("estimate", p.estimate, of_parameter, "physical value at the end of the search");
  v("standard_error", p.standard_error, of_parameter,
    "standard error of the kind with the widest interval; null: not identifiable, or not computed");
  const auto errors = [&] {
    v("formal", p.errors.formal, of_parameter, "of independent residuals");
    v("robust", p.errors.robust, of_parameter, "of independent or autoregressive frames");
    v("jackknife", p.errors.jackknife, of_parameter, "of independent recordings, at least four");
    v("random_effects", p.errors.random_effects, of_parameter,
      "of recordings that differ by themselves; null also if they agree");
  };
  v.block("standard_errors", "StandardErrors", "standard errors of each kind; null: unknown", errors);
  v("interval_from", as_word(p.errors.widest, error_kinds), "the kind whose standard error is given");
  v("interval", Ends{p.interval.lower, p.interval.upper}, of_parameter,
    "ends of the confidence interval; null: open, or not computed");
  v("upper_limit", p.interval.upper_limit, of_parameter,
    "end of a one-sided interval of a value that is consistent with 0; null: none");
  v("upper_limit_holds", value_if(!std::isnan(p.interval.upper_limit), p.interval.limit_holds),
    "false: the model does not fit, so the limit does not apply to the true value; null: no limit");
  v("interval_by", as_word(p.interval.method, all_methods), "how the interval was computed");
  v("curvature", p.interval.curvature,
    "relative deviation of Δχ² at the ends of the linearized interval from its linear value; null: not checked");
  v("identifiable", p.identifiable, "whether the recordings determine it");
  v("weak_direction", or_null(p.weak_direction), "the undetermined direction that contains it; null: none");
  v("at_bound", p.interval.at_bound, "whether the estimate lies on a bound");
  v("half_step_shift", p.half_step.shift,
    "change of the estimate at half the time step, in standard errors; null: unknown");
  v("extrapolated", p.half_step.extrapolated, of_parameter,
    "the estimate without the integration error; null: unknown");
}

std::vector<std::string> FittedProfile::warnings() const {
  std::vector<std::string> sentences;
  if (!open_below.empty()) sentences.push_back(name + ": the profile sets no limit below (" + open_below + ")");
  if (!open_above.empty()) sentences.push_back(name + ": the profile sets no limit above (" + open_above + ")");
  const auto deepest = std::min_element(rises.begin(), rises.end());
  if (deepest != rises.end() && *deepest < -Profile::rounding) {
    const double value = values[deepest - rises.begin()];
    std::string text = formatted("%.4g", value);
    sentences.push_back(name + ": a better fit lies at " + text + (unit.empty() ? "" : " " + unit) +
                        "; the search ended in a local minimum: start it there");
  }
  return sentences;
}

std::vector<Index> find_parameters(const ParameterMap& map, const std::vector<std::string>& wanted,
                                   const std::string& key) {
  std::vector<Index> found;
  for (const std::string& name : wanted) {
    bool is_known = false;
    for (Index k = 0; k < map.size(); ++k) {
      const ParameterInfo& info = map.info()[k];
      if (info.name != name && info.value != name) continue;
      is_known = true;
      if (std::find(found.begin(), found.end(), k) == found.end()) found.push_back(k);
    }
    if (is_known) continue;
    throw InvalidArgument(
        {"", key, "must be parameters of the fit", "'" + name + "'", "these are " + joined(map.names())});
  }
  return found;
}

FittedProfile make_fitted_profile(const ParameterInfo& info, const Profile& profile, double threshold) {
  FittedProfile fitted;
  fitted.name = info.name;
  fitted.unit = info.unit;
  fitted.threshold = threshold;
  for (const ProfilePoint& point : profile.points) {
    fitted.values.push_back(info.transform.value(point.theta));
    fitted.rises.push_back(point.rise);
  }
  fitted.interval_lower = info.transform.value(profile.lower.theta);
  fitted.interval_upper = info.transform.value(profile.upper.theta);
  fitted.open_below = profile.lower.reason;
  fitted.open_above = profile.upper.reason;
  return fitted;
}

void fields(FieldVisitor& v, FittedProfile& p) {
  v.is("Profile", "the profile of χ² over one parameter");
  v("name", p.name, "of the parameter");
  v("unit", p.unit, "of its values");
  v("threshold", known(p.threshold), "rise of χ² at the ends of the interval");
  v("interval", Ends{p.interval_lower, p.interval_upper, p.open_below.empty(), p.open_above.empty()}, of_parameter,
    "ends of the interval; null: open, or not computed");
  v("open", TextEnds{p.open_below, p.open_above}, "why the lower and the upper end are open; null: they are not");
  v("points", Zipped{p.values, p.rises}, "values of the parameter, and the rise of χ² of the best fit there");
}

double count_independent(double coordinates, const ErrorReport& errors, double squared_scale) {
  const double rho = std::max(0.0, errors.autocorrelation), color = (1 + rho) / (1 - rho);
  const double ratio = errors.mean_ratio * errors.mean_ratio / squared_scale;
  return coordinates / std::max(1.0, std::isfinite(ratio) ? ratio : color);
}

InformationCriteria compute_criteria(const ComparedData& data, double chi_square, double parameters) {
  const double k = data.values(parameters), n = data.effective;
  const double deviance =
      data.known_sigma ? chi_square * n / data.coordinates : n * std::log(chi_square / data.coordinates);
  InformationCriteria found;
  found.bic = deviance + k * std::log(n);
  if (n > k + 1) found.aicc = deviance + 2 * k + 2 * k * (k + 1) / (n - k - 1);
  return found;
}

RunVerdict judge(const FitReport& report, const HalvedStep* halved) {
  std::vector<OtherMinimum> others;
  for (const AlternativeEstimate& other : report.estimates.alternatives) others.push_back(other.minimum);
  return judge_fit({report.search.status, report.search.message, report.search.searches(),
                    report.estimates.parameters.empty(), std::move(others), report.goodness, halved,
                    report.search.gradients, report.estimates.step});
}

void fields(FieldVisitor& v, FitMinimum& minimum) {
  v.is("Minimum", "end of the search from one start in one stage");
  v("start", minimum.start, "number of the start; 0: the given one");
  v("status", as_word(minimum.status, minimizer_statuses), "how the search ended");
  v("cost", minimum.cost, "cost at its end");
  v("iterations", minimum.iterations, "number of iterations");
  v("place", value_if(minimum.place >= 0, minimum.place),
    "0: at the estimates; k: at their k-th alternative; null: elsewhere, or not examined");
  v("parameters", by_name(minimum.parameters), of_parameter, "physical values at its end, by parameter",
    only(!minimum.parameters.empty(), "with several starts"));
}

void fields(FieldVisitor& v, FitStage& stage) {
  v.is("Stage", "a stage of the search");
  v("horizon", stage.horizon, in("s"), "recorded time up to which frames count; null: all");
  v("integrator", or_null(stage.integrator), "its integrator; null: that of the experiment");
  v("time_step", stage.time_step, in("s"), "its time step; null: that of the experiment");
  v("segments", stage.segments, "number of segments; more than 1: multiple shooting");
  v("minima", stage.minima, "one for each start, lowest cost first");
}

void fields(FieldVisitor& v, FitSearch& search) {
  v("message", search.message, "why the search ended, in a sentence");
  v("cost_history", search.cost_history, "cost after each iteration of the last stage, from its start on");
  v("path", search.path, of_parameter, "the parameters after each iteration; empty: too many");
  v("search", search.stages, "every minimum found, by stage");
  v("search_summary", search.summary, "how the search went and what it found, one sentence each");
  v.block("evaluations", "Evaluations", "number of evaluations of the model and its derivatives", [&] {
    EvaluationCounts& counts = search.evaluations;
    v("forward", counts.forward, "runs without derivatives");
    v.computed(
        "gradient", [&] { return counts.tangent + counts.adjoint; }, "tangents and adjoints");
    v("tangent", counts.tangent, "directions or runs with tangents");
    v("adjoint", counts.adjoint, "adjoints of recorded runs");
    v("failed", search.failed_evaluations, "points at which a simulation failed");
  });
}

void fields(FieldVisitor& v, AlternativeEstimate& other) {
  v.is("AlternativeEstimate", "another minimum that the recordings do not distinguish from the estimates");
  v("delta_chi_square", other.minimum.delta_chi_square, "its χ² minus that of the estimates");
  v("searches", other.minimum.searches, "number of searches of the last stage that ended there");
  v("parameters", other.parameters, "with their own errors, in the order of the estimates");
}

void fields(FieldVisitor& v, Estimates& estimates) {
  v("confidence", known(estimates.confidence), "level of the intervals");
  v("parameters", estimates.parameters, "one for each fitted value");
  v("correlation", estimates.correlation, "a row and a column for each parameter; empty: not computed");
  v.after_reading([&] {
    const Eigen::MatrixXd& all = estimates.correlation;
    const auto count = static_cast<Index>(estimates.parameters.size());
    if (all.rows() > 0 && (all.rows() != count || all.cols() != count))
      throw InvalidArgument(
          {"fit.json", "correlation", "must have a row and a column for each parameter", "others", "repeat the fit"});
  });
  v("weak_directions", estimates.weak_directions, "directions that the recordings do not determine");
  v("condition", estimates.condition,
    "largest / smallest singular value of the scaled Jacobian; null: ∞, or not computed");
  v("residual_scale", estimates.residual_scale,
    "scale of the residuals in units of sigma: 1 if sigma and model are right");
  v("degrees_of_freedom", estimates.degrees_of_freedom, "number of residuals − number of values that they determine");
  v("uncertainty", value_if(estimates.uncertainty.frames > 0, estimates.uncertainty),
    "how the standard errors were computed; null: they were not");
  v("profile", estimates.profiles, "requested profiles, and those of values that are not linear enough");
  v("alternatives", estimates.alternatives, "other estimates that fit as well, best first");
  fields(v, estimates.held);
}

}  // namespace pithball::optim
