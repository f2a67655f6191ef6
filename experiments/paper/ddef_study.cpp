#include "experiments/paper/ddef_study.hpp"

#include <fmt/format.h>
#include <omp.h>

#include <functional>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>
#include <vector>

#include "datasets/point_set.hpp"
#include "experiments/bench/stopwatch.hpp"
#include "sim/coulomb/ddef/ddef_coulomb_sum.hpp"
#include "sim/coulomb/direct/direct_coulomb_sum.hpp"

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

std::vector<json> measure(const std::string& surface, Index n, Index m) {
  const Points x = datasets::make_point_set(surface, n);
  const Vector charge = Vector::Constant(x.cols(), 1e-6);
  const sim::DirectCoulombSum direct;
  const Points exact = field(direct, x, charge);

  std::vector<std::function<void()>> pieces{[&] { field(direct, x, charge); }};
  std::vector<json> rows;
  for (const Method& method : methods) {
    const sim::DdefCoulombSum sum({m, method.variant_value, method.far_field_value});
    const Points error = field(sum, x, charge) - exact;
    rows.push_back({{"surface", surface},
                    {"n", x.cols()},
                    {"m", m},
                    {"variant", method.variant},
                    {"far_field", method.far_field},
                    {"mean_relative_error", (error.colwise().norm().array() / exact.colwise().norm().array()).mean()}});
    pieces.push_back([&x, &charge, sum] { field(sum, x, charge); });
  }
  const std::vector<double> seconds = interleaved_seconds(pieces, 3);
  for (std::size_t k = 0; k < rows.size(); ++k) {
    rows[k]["seconds"] = seconds[k + 1];
    rows[k]["seconds_direct"] = seconds[0];
    rows[k]["ratio"] = seconds[k + 1] / seconds[0];
  }
  return rows;
}

}  // namespace

json run_ddef_study(const std::string&, bool quick, void (*progress)(const std::string&)) {
  json study{{"threads", omp_get_max_threads()}, {"rows", json::array()}};
  for (const char* surface : {"torus", "sphere"})
    for (const auto& [n, m] : cases(quick)) {
      progress(fmt::format("{}, n = {}, m = {}", surface, n, m));
      for (json& row : measure(surface, n, m)) study["rows"].push_back(std::move(row));
    }
  return study;
}

std::string ddef_study_to_text(const json& study) {
  std::string text = fmt::format("{:<8}{:>8}{:>8}  {:<16} {:<12}{:>12}{:>12}{:>12}{:>8}\n", "surface", "n", "m",
                                 "variant", "far_field", "mean error", "ms", "direct ms", "ratio");
  for (const json& row : study["rows"])
    text += fmt::format("{:<8}{:>8}{:>8}  {:<16} {:<12}{:>12.4f}{:>12.3f}{:>12.3f}{:>8.2f}\n",
                        row["surface"].get<std::string>(), row["n"].get<Index>(), row["m"].get<Index>(),
                        row["variant"].get<std::string>(), row["far_field"].get<std::string>(),
                        row["mean_relative_error"].get<double>(), 1e3 * row["seconds"].get<double>(),
                        1e3 * row["seconds_direct"].get<double>(), row["ratio"].get<double>());
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
