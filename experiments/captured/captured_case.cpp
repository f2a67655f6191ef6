#include "experiments/captured/captured_case.hpp"

#include "experiments/captured/trunk_decay/study.hpp"

namespace pithball::experiments {

const std::vector<CapturedCase>& captured_cases() {
  static const std::vector<CapturedCase> list{
      {"trunk_decay", trunk_decay::run_study, trunk_decay::to_text, trunk_decay::to_claims},
  };
  return list;
}

}  // namespace pithball::experiments
