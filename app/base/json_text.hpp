#pragma once
#include <nlohmann/json.hpp>
#include <string>

namespace pithball::app {

/// A document as text, with `indent` spaces for each level (−1: in one line). Bytes that are no UTF-8, as names of
/// files may hold, become U+FFFD; numbers that are not finite become null.
std::string json_text(const nlohmann::ordered_json& document, int indent = 2);

/// A finite number as it is, any other as null.
nlohmann::ordered_json number_or_null(double value);

/// The text, or null where it is empty.
nlohmann::ordered_json text_or_null(const std::string& text);

}  // namespace pithball::app
