#include "optim/screening/finding.hpp"

namespace pithball::optim {

const char* to_string(FindingKind kind) {
  switch (kind) {
    case FindingKind::Placeholder:
      return "placeholder";
    case FindingKind::Repeats:
      return "repeats";
    case FindingKind::Swap:
      return "swap";
    case FindingKind::Outlier:
      return "outlier";
    case FindingKind::Fill:
      return "fill";
    case FindingKind::FullTurn:
      return "full_turn";
    case FindingKind::OutsideImage:
      return "outside_image";
    case FindingKind::Order:
      return "order";
    case FindingKind::Axes:
      return "axes";
    case FindingKind::Unit:
      return "unit";
    case FindingKind::Correlated:
      return "correlated";
    case FindingKind::Resting:
      return "resting";
    case FindingKind::ChargedPinned:
      return "charged_pinned";
  }
  return "";
}

bool is_fault(FindingKind kind) { return kind < FindingKind::Correlated; }

}  // namespace pithball::optim
