#include "app/result/fitted_parameter.hpp"

#include <cmath>

#include "app/spec/renamed_keys.hpp"

namespace pithball::app {
namespace {

constexpr optim::ErrorKind error_kinds[] = {optim::ErrorKind::Formal, optim::ErrorKind::Robust,
                                            optim::ErrorKind::Jackknife};
constexpr optim::IntervalMethod all_methods[] = {optim::IntervalMethod::Linear, optim::IntervalMethod::Profile,
                                                 optim::IntervalMethod::Bootstrap, optim::IntervalMethod::Scan};

}  // namespace

void visit_value(FieldVisitor& v, ValueName& name) {
  v.text(name.value);
  if (v.is_reading()) name.value = current_value_name(name.value);
}

void fields(FieldVisitor& v, optim::FittedParameter& p) {
  constexpr Presence later{.may_lack = true, .with = "standard_errors"};
  v.is("FittedParameter", "a fitted parameter");
  v("name", ValueName{p.name}, "name of the parameter: \"charge\", \"stiffness[12]\"");
  v("value", ValueName{p.value}, "the value that it belongs to: \"stiffness\"");
  v("group", or_null(p.group), "group of particles or springs that share it; null: all, or a single one");
  v("recording", or_null(p.recording), "the recording that it belongs to alone; null: all");
  v("nuisance", p.is_nuisance, "whether it only describes the recording: a clock, a placement, a start", older);
  v("unit", p.unit, "unit of its numbers, in base units of SI; empty: pure numbers");
  v("initial", p.initial, of_parameter, "physical value at the start of the search");
  v("estimate", p.estimate, of_parameter, "physical value at the end of the search");
  v("standard_error", p.standard_error, of_parameter,
    "standard error of the kind with the widest interval; null: not identifiable, or not computed");
  const auto errors = [&] {
    v("formal", p.formal_error, of_parameter, "of independent residuals");
    v("robust", p.robust_error, of_parameter, "of independent or autoregressive frames");
    v("jackknife", p.jackknife_error, of_parameter, "of independent recordings, at least four");
  };
  v.block("standard_errors", "StandardErrors", "standard errors of each kind; null: unknown", errors, older);
  v("interval_from", as_word(p.widest, error_kinds, true), "the kind whose standard error is given",
    with("standard_errors"));
  v("interval", Ends{p.interval_lower, p.interval_upper}, of_parameter,
    "ends of the confidence interval; null: open, or not computed");
  v("upper_limit", p.upper_limit, of_parameter,
    "end of a one-sided interval of a value that is consistent with 0; null: none", later);
  v("upper_limit_holds", value_if(!std::isnan(p.upper_limit), p.limit_holds),
    "false: the model does not fit, so the limit does not apply to the true value; null: no limit", later);
  v("interval_by", as_word(p.method, all_methods, true), "how the interval was computed", later);
  v("curvature", p.curvature,
    "relative deviation of Δχ² at the ends of the linearized interval from its linear value; null: not checked",
    with("interval_by"));
  v("identifiable", p.identifiable, "whether the recordings determine it");
  v("weak_direction", or_null(p.weak_direction), "the undetermined direction that contains it; null: none");
  v("at_bound", p.at_bound, "whether the estimate lies on a bound");
  v("half_step_shift", p.half_step_shift,
    "change of the estimate at half the time step, in standard errors; null: unknown", with("standard_errors"));
  v("extrapolated", p.extrapolated, of_parameter, "the estimate without the integration error; null: unknown",
    with("standard_errors"));
}

void fields(FieldVisitor& v, optim::AlternativeEstimate& other) {
  v.is("AlternativeEstimate", "another minimum that the recordings do not distinguish from the estimates");
  v("delta_chi_square", other.delta_chi_square, "its χ² minus that of the estimates");
  v("searches", other.searches, "number of searches of the last stage that ended there");
  v("parameters", other.parameters, "with their own errors, in the order of the estimates");
}

void fields(FieldVisitor& v, optim::WeakDirection& direction) {
  v.is("WeakDirection", "a direction that the recordings do not determine");
  v("name", direction.name, "its largest components: \"charge +0.71 stiffness −0.70\"");
  v("relative_singular_value", direction.relative_singular_value, "its singular value / the largest one");
}

}  // namespace pithball::app
