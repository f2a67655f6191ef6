#pragma once
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace pithball::app {

/// A document as text, with `indent` spaces per level (−1: on one line). Invalid UTF-8, which file names may contain,
/// becomes U+FFFD; numbers that are not finite become null.
std::string json_text(const nlohmann::ordered_json& document, int indent = 2);

/// Finite numbers unchanged, all others as null.
nlohmann::ordered_json number_or_null(double value);
/// A list of the same length with each number as `number_or_null` writes it.
nlohmann::ordered_json numbers_or_null(const std::vector<double>& values);

/// A value, or null where there is none.
template <class Value>
nlohmann::ordered_json value_or_null(const std::optional<Value>& value) {
  return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json(nullptr);
}

/// The text, or null where it is empty.
nlohmann::ordered_json text_or_null(const std::string& text);

}  // namespace pithball::app
