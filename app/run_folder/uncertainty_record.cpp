#include "app/run_folder/uncertainty_record.hpp"

#include "app/base/json_text.hpp"
#include "app/run_folder/json_reading.hpp"

namespace pithball::app {

using nlohmann::ordered_json;

ordered_json to_json(const optim::ErrorReport& report) {
  ordered_json outliers = ordered_json::array();
  for (const optim::OutlierReport& one : report.outliers)
    outliers.push_back({{"recording", one.recording},
                        {"samples", one.samples},
                        {"of", one.of},
                        {"worst_marker", one.worst_marker},
                        {"worst_samples", one.worst_samples},
                        {"first", number_or_null(one.first)},
                        {"last", number_or_null(one.last)}});
  return {{"frames", report.frames},
          {"autocorrelation", number_or_null(report.autocorrelation)},
          {"mean_ratio", number_or_null(report.mean_ratio)},
          {"by_mean_ratio", report.by_mean_ratio},
          {"determined_by_data", number_or_null(report.determined_by_data)},
          {"most_influential",
           {{"recording", text_or_null(report.most_influential)},
            {"cook_distance", number_or_null(report.cook_distance)},
            {"parameter", text_or_null(report.moved)},
            {"change_in_formal_errors", number_or_null(report.moved_by)}}},
          {"loss_threshold", number_or_null(report.loss_threshold)},
          {"samples", report.samples},
          {"products", report.products},
          {"seconds", number_or_null(report.seconds)},
          {"exact", report.exact},
          {"outliers", outliers}};
}

optim::ErrorReport read_error_report(const ordered_json& json) {
  optim::ErrorReport report;
  report.frames = json.at("frames");
  report.autocorrelation = number_of(json.at("autocorrelation"));
  report.mean_ratio = number_of(json.at("mean_ratio"));
  report.by_mean_ratio = json.at("by_mean_ratio");
  report.determined_by_data = number_of(json.at("determined_by_data"));
  const ordered_json& influential = json.at("most_influential");
  report.most_influential = text_of(influential.at("recording"));
  report.cook_distance = number_of(influential.at("cook_distance"));
  report.moved = text_of(influential.at("parameter"));
  report.moved_by = number_of(influential.at("change_in_formal_errors"));
  report.loss_threshold = number_of(json.at("loss_threshold"));
  if (json.contains("samples")) {
    report.samples = json.at("samples");
    report.products = json.at("products");
    report.seconds = number_of(json.at("seconds"));
    report.exact = json.at("exact").get<std::vector<std::string>>();
  }
  for (const ordered_json& one : json.at("outliers"))
    report.outliers.push_back({one.at("recording"), one.at("samples"), one.at("of"), one.at("worst_marker"),
                               one.at("worst_samples"), number_of(one.at("first")), number_of(one.at("last"))});
  return report;
}

optim::ErrorKind read_error_kind(const ordered_json& json) {
  for (const optim::ErrorKind kind : {optim::ErrorKind::Formal, optim::ErrorKind::Robust, optim::ErrorKind::Jackknife})
    if (json == optim::to_string(kind)) return kind;
  throw InvalidArgument(
      {"fit.json", "interval_from", "must be formal, robust or jackknife", json.dump(), "repeat the fit"});
}

optim::IntervalMethod read_interval_method(const ordered_json& json) {
  for (const optim::IntervalMethod method : optim::interval_methods)
    if (json == optim::to_string(method)) return method;
  if (json == optim::to_string(optim::IntervalMethod::Scan)) return optim::IntervalMethod::Scan;
  throw InvalidArgument(
      {"fit.json", "interval_by", "must be linear, profile, bootstrap or scan", json.dump(), "repeat the fit"});
}

}  // namespace pithball::app
