#include "experiments/captured/captured_case.hpp"

#include "experiments/captured/charged_drops/study.hpp"
#include "experiments/captured/double_pendulum_ibm/study.hpp"
#include "experiments/captured/ion_trap_pair/study.hpp"
#include "experiments/captured/pendulum_encoder/study.hpp"
#include "experiments/captured/trunk_decay/study.hpp"
#include "experiments/captured/tshirt_obj_sequence/study.hpp"

namespace pithball::experiments {

const std::vector<CapturedCase>& captured_cases() {
  static const std::vector<CapturedCase> list{
      {"charged_drops", charged_drops::run_study, charged_drops::to_text, charged_drops::to_claims},
      {"trunk_decay", trunk_decay::run_study, trunk_decay::to_text, trunk_decay::to_claims},
      {"ion_trap_pair", ion_trap_pair::run_study, ion_trap_pair::to_text, ion_trap_pair::to_claims},
      {"pendulum_encoder", pendulum_encoder::run_study, pendulum_encoder::to_text, pendulum_encoder::to_claims},
      {"double_pendulum_ibm", double_pendulum_ibm::run_study, double_pendulum_ibm::to_text,
       double_pendulum_ibm::to_claims},
      {"tshirt_obj_sequence", tshirt_obj_sequence::run_study, tshirt_obj_sequence::to_text,
       tshirt_obj_sequence::to_claims},
  };
  return list;
}

}  // namespace pithball::experiments
