#include "experiments/paper/ddef_study.hpp"

#include <fmt/format.h>

#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "datasets/mesh/point_set.hpp"
#include "experiments/bench/stopwatch.hpp"
#include "experiments/claim/statistics.hpp"
#include "sim/core/parallel_for.hpp"
#include "sim/coulomb/ddef/ddef_coulomb_sum.hpp"
#include "sim/coulomb/direct/direct_coulomb_sum.hpp"
#include "sim/coulomb/fmm/fmm_coulomb_sum.hpp"

namespace pithball::experiments::paper {
namespace {

using nlohmann::json;
using sim::DdefFarField;
using sim::DdefVariant;
using sim::Index;
using sim::Points;
using sim::Vector;

struct Method {
  const char *variant, *far_field;
  DdefVariant variant_value;
  DdefFarField far_field_value;
};

/// Without a far field `consistent` is the same as `paper_algorithm`.
const Method methods[] = {
    {"paper_text", "interpolate", DdefVariant::PaperText, DdefFarField::Interpolate},
    {"paper_algorithm", "interpolate", DdefVariant::PaperAlgorithm, DdefFarField::Interpolate},
    {"consistent", "interpolate", DdefVariant::Consistent, DdefFarField::Interpolate},
    {"paper_text", "ignore", DdefVariant::PaperText, DdefFarField::Ignore},
    {"paper_algorithm", "ignore", DdefVariant::PaperAlgorithm, DdefFarField::Ignore},
};

/// Returns the cases (n, m): several m at one n, and several n at one m.
std::set<std::pair<Index, Index>> cases(bool quick) {
  const std::vector<Index> over_m =
      quick ? std::vector<Index>{500, 2000} : std::vector<Index>{500, 1000, 2000, 5000, 10000};
  const std::vector<Index> over_n =
      quick ? std::vector<Index>{2000} : std::vector<Index>{1000, 2000, 5000, 20000, 50000, 100000};
  std::set<std::pair<Index, Index>> all;
  for (const Index m : over_m) all.emplace(10000, m);
  for (const Index n : over_n) all.emplace(n, 1000);
  if (!quick)
    for (const Index m : {2000, 10000}) all.emplace(100000, m);  // many charges need more grid points
  return all;
}

Points field(const sim::CoulombSum& sum, const Points& x, const Vector& charge) {
  Points e = Points::Zero(3, x.cols());
  sum.make_plan(x)->evaluate({.charge = &charge}, {.field = &e});
  return e;
}

/// Equal charges on a surface, and a comparison of approximate sums over them with the exact sum.
class Measurement {
 public:
  Measurement(const std::string& surface, Index n)
      : x_(datasets::make_point_set(surface, n)), charge_(Vector::Constant(x_.cols(), 1e-6)) {
    exact_ = field(direct_, x_, charge_);
    pieces_.emplace_back([this] { field(direct_, x_, charge_); });
    common_ = {{"surface", surface}, {"n", x_.cols()}};
  }
  Measurement(const Measurement&) = delete;  // the pieces refer to this object
  Measurement& operator=(const Measurement&) = delete;

  /// Adds a sum to be measured. `settings`: the fields that distinguish its row from other rows.
  template <class Sum>
  void add(const Sum& sum, const json& settings) {
    const Points error = field(sum, x_, charge_) - exact_;
    json row = common_;
    row.update(settings);
    row["mean_relative_error"] = (error.colwise().norm().array() / exact_.colwise().norm().array()).mean();
    rows_.push_back(std::move(row));
    pieces_.emplace_back([this, sum] { field(sum, x_, charge_); });
  }

  /// Returns the rows with their times. The measurements are interleaved.
  std::vector<json> rows() {
    const std::vector<double> seconds = interleaved_seconds(pieces_, 3);
    for (std::size_t k = 0; k < rows_.size(); ++k) {
      rows_[k]["seconds"] = seconds[k + 1];
      rows_[k]["seconds_direct"] = seconds[0];
      rows_[k]["ratio"] = seconds[k + 1] / seconds[0];
    }
    return rows_;
  }

 private:
  const sim::DirectCoulombSum direct_;
  Points x_, exact_;
  Vector charge_;
  json common_;
  std::vector<std::function<void()>> pieces_;
  std::vector<json> rows_;
};

std::vector<json> measure_ddef(const std::string& surface, Index n, Index m) {
  Measurement measurement(surface, n);
  for (const Method& method : methods)
    measurement.add(sim::DdefCoulombSum({m, method.variant_value, method.far_field_value}),
                    {{"m", m}, {"variant", method.variant}, {"far_field", method.far_field}});
  return measurement.rows();
}

std::vector<json> measure_fmm(const std::string& surface, Index n) {
  Measurement measurement(surface, n);
  for (const double tolerance : {1e-2, 1e-3, 1e-6})
    measurement.add(sim::FmmCoulombSum(tolerance), {{"tolerance", tolerance}});
  return measurement.rows();
}

std::string times_text(const json& row) {
  return fmt::format("{:>12.4g}{:>12.3f}{:>12.3f}{:>8.2f}\n", row["mean_relative_error"].get<double>(),
                     1e3 * row["seconds"].get<double>(), 1e3 * row["seconds_direct"].get<double>(),
                     row["ratio"].get<double>());
}

}  // namespace

json run_ddef_study(const std::string&, bool quick, void (*progress)(const std::string&)) {
  json study{{"threads", sim::max_threads()}, {"rows", json::array()}, {"fmm", json::array()}};
  for (const char* surface : {"torus", "sphere"}) {
    std::set<Index> sizes;
    for (const auto& [n, m] : cases(quick)) {
      progress(fmt::format("{}, n = {}, m = {}", surface, n, m));
      for (json& row : measure_ddef(surface, n, m)) study["rows"].push_back(std::move(row));
      sizes.insert(n);
    }
    for (const Index n : sizes) {
      progress(fmt::format("{}, n = {}, fast multipole method", surface, n));
      for (json& row : measure_fmm(surface, n)) study["fmm"].push_back(std::move(row));
    }
  }
  return study;
}

std::string ddef_study_to_text(const json& study) {
  std::string text = fmt::format("{:<8}{:>8}{:>8}  {:<16} {:<12}{:>12}{:>12}{:>12}{:>8}\n", "surface", "n", "m",
                                 "variant", "far_field", "mean error", "ms", "direct ms", "ratio");
  const auto points = [](const json& row) {
    return fmt::format("{:<8}{:>8}", row["surface"].get<std::string>(), row["n"].get<Index>());
  };
  for (const json& row : study["rows"])
    text += fmt::format("{}{:>8}  {:<16} {:<12}", points(row), row["m"].get<Index>(), row["variant"].get<std::string>(),
                        row["far_field"].get<std::string>()) +
            times_text(row);
  for (const json& row : study["fmm"])
    text += fmt::format("{}{:>8}  {:<16} {:<12g}", points(row), "", "fmm, tolerance", row["tolerance"].get<double>()) +
            times_text(row);
  return text;
}

std::string ddef_study_to_csv(const json& study) {
  constexpr const char* columns[] = {
      "surface", "n", "m", "variant", "far_field", "mean_relative_error", "seconds", "seconds_direct", "ratio"};
  std::string csv;
  for (const char* column : columns) csv += (csv.empty() ? "" : ",") + std::string(column);
  for (const json& row : study["rows"]) {
    std::string line;
    for (const char* column : columns) {
      const json& cell = row[column];
      line += (line.empty() ? "\n" : ",") + (cell.is_string() ? cell.get<std::string>() : cell.dump());
    }
    csv += line;
  }
  return csv + "\n";
}

using namespace app;

namespace {

using nlohmann::ordered_json;

constexpr const char* shown_surface = "torus";
constexpr long over_m_at = 9945;  // the n with several m
constexpr long over_n_at = 1000;  // the m with several n

/// Curves over whole numbers, converted to the common axis that a plot needs.
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

namespace {

/// Returns NaN if a case has no error.
double error_of(const json& row) {
  const json& error = row["mean_relative_error"];
  return error.is_number() ? error.get<double>() : std::numeric_limits<double>::quiet_NaN();
}

/// The errors for one set of charges and grid points, by "variant, far_field".
using Case = std::map<std::string, double>;

std::vector<Case> cases_of(const json& study) {
  std::map<std::string, Case> all;
  for (const json& row : study["rows"])
    all[row["surface"].get<std::string>() + row["n"].dump() + "/" + row["m"].dump()]
       [row["variant"].get<std::string>() + ", " + row["far_field"].get<std::string>()] = error_of(row);
  std::vector<Case> cases;
  for (auto& [key, errors] : all) cases.push_back(std::move(errors));
  return cases;
}

}  // namespace

std::vector<Claim> ddef_claims(const json& study) {
  Worst put_right, as_printed, left, without_far_field, fmm;
  for (const Case& errors : cases_of(study)) {
    const auto error = [&](const char* name) {
      const auto found = errors.find(name);
      return found == errors.end() ? std::numeric_limits<double>::quiet_NaN() : found->second;
    };
    put_right.add(error("consistent, interpolate") / error("paper_algorithm, interpolate"));
    as_printed.add(error("paper_algorithm, interpolate") / error("paper_text, interpolate"));
    left.add(error("consistent, interpolate"));
    for (const char* ignored : {"paper_algorithm, ignore", "paper_text, ignore"}) without_far_field.add(error(ignored));
  }
  for (const json& row : study["fmm"]) fmm.add(error_of(row) / row["tolerance"].get<double>());

  return {claim_at_most("sum put right, error over that of Algorithm 1", put_right.largest(), 0.6, "",
                        "counting charges twice is half of its error, some 10 % by the grid's place"),
          claim_at_most("Algorithm 1, error over that of the paper's text", as_printed.largest(), 1, "",
                        "the text leaves charges next door out"),
          claim_at_least("sum put right, least error", left.smallest(), 0.02, "",
                         "a linear interpolation across the jump at a charged surface does not converge"),
          claim_at_least("without the far field, least error", without_far_field.smallest(), 0.7, "",
                         "it is nearly all of the force on a charged surface: 0.87 to 1.3 from 10,000 charges on"),
          claim_at_most("fast multipole method, error over its tolerance", fmm.largest(), 3, "",
                        "the tolerance bounds the L2 error of the field; single fields are smaller than most")};
}

}  // namespace pithball::experiments::paper
