#include "experiments/captured/captured_case.hpp"

#include <fmt/format.h>

#include <cmath>

#include "experiments/captured/charged_drops/study.hpp"
#include "experiments/captured/double_pendulum_ibm/study.hpp"
#include "experiments/captured/ion_trap_pair/study.hpp"
#include "experiments/captured/pendulum_encoder/study.hpp"
#include "experiments/captured/trunk_decay/study.hpp"
#include "experiments/captured/tshirt_obj_sequence/study.hpp"

namespace pithball::experiments {

const std::vector<CapturedCase>& captured_cases() {
  static const std::vector<CapturedCase> list{
      {"charged_drops", charged_drops::run_study, charged_drops::to_text, charged_drops::to_rows},
      {"trunk_decay", trunk_decay::run_study, trunk_decay::to_text, trunk_decay::to_rows},
      {"ion_trap_pair", ion_trap_pair::run_study, ion_trap_pair::to_text, ion_trap_pair::to_rows},
      {"pendulum_encoder", pendulum_encoder::run_study, pendulum_encoder::to_text, pendulum_encoder::to_rows},
      {"double_pendulum_ibm", double_pendulum_ibm::run_study, double_pendulum_ibm::to_text,
       double_pendulum_ibm::to_rows},
      {"tshirt_obj_sequence", tshirt_obj_sequence::run_study, tshirt_obj_sequence::to_text,
       tshirt_obj_sequence::to_rows},
  };
  return list;
}

std::string table_of_cases(const std::vector<std::pair<std::string, std::vector<CaseRow>>>& cases) {
  std::string text = fmt::format("{:<20} {:<42} {:>25} {:<5} {:<38} {}\n", "case", "quantity", "estimate", "",
                                 "held against", "verdict");
  for (const auto& [name, rows] : cases)
    for (const CaseRow& row : rows) {
      std::string value = fmt::format("{:.4g}", row.estimate);
      if (std::isfinite(row.error)) value += fmt::format(" +- {:.2g}", row.error);
      text += fmt::format("{:<20} {:<42} {:>25} {:<5} {:<38} {}\n", name, row.quantity, value, row.unit, row.reference,
                          row.verdict);
    }
  return text;
}

}  // namespace pithball::experiments
