#include "experiments/paper/ddef_sections.hpp"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace pithball::experiments::paper {

using namespace app;

namespace {

using nlohmann::ordered_json;

constexpr const char* shown_surface = "torus";
constexpr long over_m_at = 9945;  // the n that has several m
constexpr long over_n_at = 1000;  // the m that has several n

/// Curves of numbers over whole numbers, which a plot wants on one common axis.
class Curves {
 public:
  void add(const std::string& label, long x, const ordered_json& y) {
    if (curves_.count(label) == 0) labels_.push_back(label);
    curves_[label][x] = y;
    at_.insert(x);
  }
  Section plot(const char* title, const char* note, const char* x, const char* y, const char* unit) const {
    ordered_json series = ordered_json::array();
    for (const std::string& label : labels_) {
      ordered_json values = ordered_json::array();
      const auto& curve = curves_.at(label);
      for (const long place : at_) values.push_back(curve.count(place) > 0 ? curve.at(place) : ordered_json(nullptr));
      series.push_back({{"label", label}, {"values", values}, {"style", "points"}});
    }
    return {"plot",
            {{"title", title},
             {"note", note},
             {"x", {{"label", x}, {"unit", ""}, {"values", at_}, {"log", true}}},
             {"y", {{"label", y}, {"unit", unit}, {"log", true}}},
             {"series", series}}};
  }

 private:
  std::vector<std::string> labels_;
  std::map<std::string, std::map<long, ordered_json>> curves_;
  std::set<long> at_;
};

std::string fmm_label(const ordered_json& row) { return "fmm, tolerance " + row.at("tolerance").dump(); }

Section table(const ordered_json& study) {
  ordered_json rows = ordered_json::array();
  for (const ordered_json& row : study.at("rows"))
    if (row.at("surface") == shown_surface && row.at("n") == over_m_at)
      rows.push_back({row.at("m"), row.at("variant"), row.at("far_field"), row.at("mean_relative_error"),
                      row.at("seconds"), row.at("ratio")});
  return {
      "table",
      {{"title", "Far field"},
       {"note", "Interpolated or ignored, on a torus of 9,945 charges. The ratio is to the direct sum of all pairs."},
       {"columns",
        {{{"label", "grid points"}},
         {{"label", "variant"}},
         {{"label", "far field"}},
         {{"label", "mean relative error"}},
         {{"label", "time"}, {"unit", "s"}},
         {{"label", "ratio"}}}},
       {"rows", rows}}};
}

}  // namespace

Sections ddef_sections(const ordered_json& study) {
  Curves error_over_m, error_over_n, time_over_m, time_over_n;
  for (const ordered_json& row : study.at("rows")) {
    if (row.at("surface") != shown_surface || row.at("far_field") != "interpolate") continue;
    const long n = row.at("n"), m = row.at("m");
    const std::string variant = row.at("variant");
    if (n == over_m_at) {
      error_over_m.add(variant, m, row.at("mean_relative_error"));
      time_over_m.add(variant, m, row.at("seconds"));
      time_over_m.add("direct sum", m, row.at("seconds_direct"));
    }
    if (m == over_n_at) {
      error_over_n.add(variant, n, row.at("mean_relative_error"));
      time_over_n.add(variant, n, row.at("seconds"));
      time_over_n.add("direct sum", n, row.at("seconds_direct"));
    }
  }
  for (const ordered_json& row : study.at("fmm")) {
    if (row.at("surface") != shown_surface) continue;
    error_over_n.add(fmm_label(row), row.at("n"), row.at("mean_relative_error"));
    time_over_n.add(fmm_label(row), row.at("n"), row.at("seconds"));
  }
  const char *at_n = "9,945 charges on a torus.", *at_m = "1,000 grid points; charges on a torus.";
  const char *m = "grid points", *n = "charges", *error = "mean relative error";
  return {error_over_m.plot("Error over grid points", at_n, m, error, ""),
          error_over_n.plot("Error over charges", at_m, n, error, ""),
          time_over_m.plot("Time over grid points", at_n, m, "time", "s"),
          time_over_n.plot("Time over charges", at_m, n, "time", "s"), table(study)};
}

}  // namespace pithball::experiments::paper
