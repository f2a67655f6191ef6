#include "experiments/paper/ddef_study.hpp"

#include <fmt/format.h>

#include <functional>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>
#include <vector>

#include "datasets/mesh/point_set.hpp"
#include "experiments/bench/stopwatch.hpp"
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

/// The cases (n, m): over m at one n, and over n at one m.
std::set<std::pair<Index, Index>> cases(bool quick) {
  const std::vector<Index> over_m =
      quick ? std::vector<Index>{500, 2000} : std::vector<Index>{500, 1000, 2000, 5000, 10000};
  const std::vector<Index> over_n =
      quick ? std::vector<Index>{2000} : std::vector<Index>{1000, 2000, 5000, 20000, 50000, 100000};
  std::set<std::pair<Index, Index>> all;
  for (const Index m : over_m) all.emplace(10000, m);
  for (const Index n : over_n) all.emplace(n, 1000);
  if (!quick)
    for (const Index m : {2000, 10000}) all.emplace(100000, m);  // many charges want more grid points
  return all;
}

Points field(const sim::CoulombSum& sum, const Points& x, const Vector& charge) {
  Points e = Points::Zero(3, x.cols());
  sum.make_plan(x)->evaluate({.charge = &charge}, {.field = &e});
  return e;
}

/// Equal charges on a surface, and sums over them beside the exact one.
class Measurement {
 public:
  Measurement(const std::string& surface, Index n)
      : x_(datasets::make_point_set(surface, n)), charge_(Vector::Constant(x_.cols(), 1e-6)) {
    exact_ = field(direct_, x_, charge_);
    pieces_.emplace_back([this] { field(direct_, x_, charge_); });
    common_ = {{"surface", surface}, {"n", x_.cols()}};
  }
  Measurement(const Measurement&) = delete;  // the pieces know where it is
  Measurement& operator=(const Measurement&) = delete;

  /// `settings`: what tells the row from others.
  template <class Sum>
  void add(const Sum& sum, const json& settings) {
    const Points error = field(sum, x_, charge_) - exact_;
    json row = common_;
    row.update(settings);
    row["mean_relative_error"] = (error.colwise().norm().array() / exact_.colwise().norm().array()).mean();
    rows_.push_back(std::move(row));
    pieces_.emplace_back([this, sum] { field(sum, x_, charge_); });
  }

  /// The rows with their times, all measured in turn.
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

}  // namespace pithball::experiments::paper
