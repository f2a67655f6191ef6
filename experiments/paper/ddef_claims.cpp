#include "experiments/paper/ddef_claims.hpp"

#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "experiments/claim/worst.hpp"

namespace pithball::experiments::paper {
namespace {

using nlohmann::json;

/// NaN where a case has no error.
double error_of(const json& row) {
  const json& error = row["mean_relative_error"];
  return error.is_number() ? error.get<double>() : std::numeric_limits<double>::quiet_NaN();
}

/// The errors of one set of charges and grid points by "variant, far_field".
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
