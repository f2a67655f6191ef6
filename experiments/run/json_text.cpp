#include "experiments/run/json_text.hpp"

namespace pithball::experiments {

std::string json_text(const nlohmann::ordered_json& document, int indent) {
  return document.dump(indent, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace pithball::experiments
