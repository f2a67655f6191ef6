#include "app/result/fit_uncertainty.hpp"

namespace pithball::app {

void fields(FieldVisitor& v, optim::OutlierReport& one) {
  v.is("Outliers", "samples of one recording that a robust loss treats as outliers");
  v("recording", one.recording, "as in the experiment file");
  v("samples", one.samples, "number of samples with a weight below one half");
  v("of", one.of, "number of all its fitted samples");
  v("worst_marker", one.worst_marker, "the marker with most of them");
  v("worst_samples", one.worst_samples, "its number of them");
  v("first", one.first, in("s"), "recorded time of the first of them");
  v("last", one.last, in("s"), "recorded time of the last of them");
}

void fields(FieldVisitor& v, optim::Whiteness& w) {
  v.is("Whiteness", "whether residuals are independent from frame to frame");
  v("samples", w.samples, "number of residuals");
  v("lag_1", w.lag_1, "autocorrelation from frame to frame");
  v("durbin_watson", w.durbin_watson, "Durbin and Watson's d, near 2 for independent residuals");
  v("ljung_box", w.ljung_box, "Ljung and Box's Q");
  v("degrees", w.degrees, "degrees of freedom of Q; 0: the series is too short");
  v("p_value", value_if(w.degrees > 0, w.p_value), "probability of a larger Q; null: no degrees of freedom");
  v("effective_samples", w.effective_samples, "number of independent residuals with the same information");
  v.computed(
      "colored", [&] { return w.is_colored(); }, "whether they are significantly correlated");
}

void fields(FieldVisitor& v, optim::MarkerCorrelation& between) {
  v.is("MarkerCorrelation", "whether residuals of different markers are correlated");
  v("pairs", between.pairs, "number of pairs of coordinates that could be compared");
  v("mean_correlation", between.mean, "mean of their correlations");
  v("statistic", between.statistic, "Breusch and Pagan's statistic");
  v("p_value", value_if(between.pairs > 0, between.p_value), "probability of a larger statistic; null: no pairs");
  v.computed(
      "common", [&] { return between.is_common(); }, "whether they are significantly correlated");
}

void fields(FieldVisitor& v, optim::ErrorReport& report) {
  v.is("Uncertainty", "how the standard errors were computed, for all parameters together");
  v("frames", report.frames, "number of frames of all recordings");
  v("autocorrelation", report.autocorrelation, "of the residuals from frame to frame");
  v("mean_ratio", report.mean_ratio, "robust errors relative to formal ones, on average");
  v("by_mean_ratio", report.by_mean_ratio, "whether robust errors are the formal ones times it");
  v("determined_by_data", report.determined_by_data,
    "number of values determined by the data; priors determine the rest");
  v.block("most_influential", "MostInfluential", "the recording without which the estimates change most", [&] {
    v("recording", or_null(report.most_influential), "its name; null: fewer than four recordings");
    v("cook_distance", report.cook_distance, "Cook's distance");
    v("parameter", or_null(report.moved), "the parameter that changes most without it");
    v("change_in_formal_errors", report.moved_by, "its change, in formal standard errors");
  });
  v("loss_threshold", report.loss_threshold, "threshold of the robust loss, in units of sigma; null: none");
  v("samples", report.samples, "number of samples for the errors; 0: from the whole Jacobian", older);
  v("products", report.products, "number of products with the Jacobian, and as many with its transpose",
    with("samples"));
  v("seconds", report.seconds, in("s"), "time that they took", with("samples"));
  v("exact", report.exact, "parameters whose errors are exact nevertheless", with("samples"));
  v("outliers", report.outliers, "by recording with outliers");
}

void fields(FieldVisitor& v, optim::RecordingWhiteness& recording) {
  v.is("RecordingWhiteness", "whether the residuals of one recording are independent");
  v("recording", recording.recording, "as in the experiment file");
  v("all", recording.all, "over all its components");
  v("markers", recording.markers, "by marker; without samples where it is not fitted");
  v("between", recording.between, "between its markers", older);
}

void fields(FieldVisitor& v, optim::FittedProfile& p) {
  v.is("Profile", "the profile of χ² over one parameter");
  v("name", p.name, "of the parameter");
  v("unit", p.unit, "of its values");
  v("threshold", known(p.threshold), "rise of χ² at the ends of the interval");
  v("interval", Ends{p.interval_lower, p.interval_upper, p.open_below.empty(), p.open_above.empty()}, of_parameter,
    "ends of the interval; null: open, or not computed");
  v("open", TextEnds{p.open_below, p.open_above}, "why the lower and the upper end are open; null: they are not");
  v("points", Zipped{p.values, p.rises}, "values of the parameter, and the rise of χ² of the best fit there");
}

}  // namespace pithball::app
