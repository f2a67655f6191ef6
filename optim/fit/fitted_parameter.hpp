#pragma once
#include <limits>
#include <string>

#include "optim/fit/problem.hpp"
#include "optim/uncertainty/parameter_errors.hpp"
#include "sim/core/field_list.hpp"

namespace pithball::optim {

/// What a parameter applies to, as in ParameterInfo.
struct ParameterScope {
  std::string group,         ///< likewise
      recording;             ///< likewise
  bool is_nuisance = false;  ///< likewise
};

/// Standard errors of a physical value by kind; NaN: unknown.
struct StandardErrors {
  double formal = std::numeric_limits<double>::quiet_NaN();  ///< of independent residuals
  /// Of independent or autoregressive frames.
  double robust = std::numeric_limits<double>::quiet_NaN();
  /// Of independent recordings, at least four.
  double jackknife = std::numeric_limits<double>::quiet_NaN();
  /// Of recordings that differ by themselves; NaN also if they agree.
  double random_effects = std::numeric_limits<double>::quiet_NaN();
  ErrorKind widest = ErrorKind::Formal;  ///< the kind with the widest interval, from which `standard_error` is
};

/// The confidence interval of a physical value.
struct ConfidenceInterval {
  /// Image of θ's widest interval under the transform, or from a profile or resampling (`method`); never beyond a
  /// bound. On a bound one-sided (bounded_errors.hpp), and from 0 to `upper_limit` if there is one.
  double lower = std::numeric_limits<double>::quiet_NaN();
  double upper = std::numeric_limits<double>::quiet_NaN();  ///< the other end; ∞: open
  IntervalMethod method = IntervalMethod::Linear;           ///< how it was computed
  /// For a non-negative value consistent with 0: the end of a one-sided interval (limits.hpp). NaN: none.
  double upper_limit = std::numeric_limits<double>::quiet_NaN();
  /// False: the model does not fit the recordings, so the limit does not apply to the true value.
  bool limit_holds = true;
  /// Relative deviation of Δχ² at the ends of the linearized interval from its linear value; NaN: not checked.
  double curvature = std::numeric_limits<double>::quiet_NaN();
  bool at_bound = false;  ///< the estimate lies on a bound
};

/// Effect of half the time step on an estimate (half_step.hpp); NaN: unknown.
struct StepEffect {
  double shift = std::numeric_limits<double>::quiet_NaN();  ///< change of the estimate, in standard errors
  /// Physical value without the integration error.
  double extrapolated = std::numeric_limits<double>::quiet_NaN();
};

/// One line of the table of results.
struct FittedParameter {
  std::string name,      ///< as in ParameterInfo
      value,             ///< likewise
      unit;              ///< likewise
  ParameterScope scope;  ///< likewise
  double initial = 0,    ///< physical value at the start of the search
      estimate = 0;      ///< physical value at its end
  /// To first order: |dp/dθ| times that of θ, of the kind with the widest interval. ∞: not identifiable; NaN: not
  /// computed.
  double standard_error = std::numeric_limits<double>::quiet_NaN();
  StandardErrors errors;        ///< of each kind
  ConfidenceInterval interval;  ///< with the confidence level of the fit
  /// Whether its interval is finite and, for a value that keeps its sign, within a factor of 4 of the estimate on
  /// either side, or it has an upper limit. False if an undetermined direction contains it.
  bool identifiable = true;
  std::string weak_direction;  ///< the undetermined direction that contains it; empty if identifiable
  StepEffect half_step;        ///< what half the time step does to it
};

/// An entry of `parameters` in fit.json.
void fields(FieldVisitor& v, FittedParameter& p);

}  // namespace pithball::optim
