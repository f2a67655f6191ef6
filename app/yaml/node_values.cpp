// The functions of Node that read values; its structure is in node.cpp.

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <numbers>

#include "app/yaml/nearest.hpp"
#include "app/yaml/node.hpp"
#include "app/yaml/quantity.hpp"
#include "sim/core/error.hpp"

namespace pithball::app {
namespace {

std::string bracketed(std::string_view unit) { return unit.empty() ? "" : fmt::format(" [{}]", unit); }

/// Adding 0 turns −0 into 0.
std::string vector_text(const Vec3& v) { return fmt::format("[{}, {}, {}]", v[0] + 0.0, v[1] + 0.0, v[2] + 0.0); }

std::string sign_text(sim::ValueSign sign) {
  return sign == sim::ValueSign::Positive ? "> 0" : sign == sim::ValueSign::NonNegative ? ">= 0" : "a number";
}

std::string item(const std::string& path, std::size_t k) { return fmt::format("{}[{}]", path, k); }

/// Returns the type of a number as the page of keys shows it: "number > 0 [m]".
std::string number_type(std::string_view unit, sim::ValueSign sign) {
  return "number" + (sign == sim::ValueSign::Any ? "" : " " + sign_text(sign)) + bracketed(unit);
}

std::string integer_type(Index least) {
  return least == std::numeric_limits<Index>::min() ? "integer" : fmt::format("integer >= {}", least);
}

}  // namespace

double Node::scalar_number(const Tree& value, const std::string& path, std::string_view unit,
                           sim::ValueSign sign) const {
  const auto fail = [&](std::string required, std::string got, std::string remedy) {
    throw InvalidArgument({value.place.text(), path, std::move(required), std::move(got), std::move(remedy)});
  };
  const std::string kind = unit.empty() ? "must be a number" : fmt::format("must be a quantity in {}", unit);
  const std::string remedy =
      unit.empty() ? "write a number" : fmt::format("write a number in {}, or a number with its unit", unit);
  if (value.kind != Tree::Kind::Scalar) fail(kind, shown(value), remedy);
  const Quantity quantity = read_quantity(value.text, unit);
  if (!quantity.problem.empty()) {
    std::string pointed = value.text;
    if (const std::size_t comma = pointed.find(','); comma != std::string::npos) pointed[comma] = '.';
    if (pointed != value.text && read_quantity(pointed, unit).problem.empty())
      fail(kind, fmt::format("'{}' (a decimal comma)", value.text), fmt::format("write {}", pointed));
    fail(kind, fmt::format("'{}' ({})", value.text, quantity.problem), remedy);
  }
  const bool ok =
      sign == sim::ValueSign::Any || quantity.value > 0 || (sign == sim::ValueSign::NonNegative && quantity.value == 0);
  if (!ok)
    fail(fmt::format("must be {}{}{}", sign_text(sign), unit.empty() ? "" : " ", unit), value.text,
         sign == sim::ValueSign::Positive ? "give a positive value" : "give zero or a positive value");
  if (unit == "rad" && std::abs(quantity.value) > 2 * std::numbers::pi && read_plain_number(value.text))
    reading_->add_note(
        fmt::format("{} {}: {} without a unit is {} rad, more than a full turn; write `{} deg` for degrees",
                    value.place.text(), path, value.text, value.text, value.text));
  return quantity.value;
}

Vec3 Node::scalar_vector(const Tree& value, const std::string& path, std::string_view unit) const {
  if (value.kind != Tree::Kind::List || value.entries.size() != 3)
    throw InvalidArgument({value.place.text(), path, "must be a vector [x, y, z]" + bracketed(unit), shown(value),
                           decimal_comma_remedy(value, "write three numbers in brackets")});
  Vec3 v;
  for (std::size_t a = 0; a < 3; ++a) v[a] = scalar_number(value.entries[a], item(path, a), unit, sim::ValueSign::Any);
  return v;
}

double Node::number(std::string_view key, std::string_view unit, std::string_view meaning,
                    std::optional<double> fallback, sim::ValueSign sign) {
  const std::string written = fallback ? fmt::format("{}", *fallback) : "required";
  if (describing()) return document(key, number_type(unit, sign), written, meaning), fallback.value_or(1);
  if (const Tree* value = ask(key)) return scalar_number(*value, full_path(key), unit, sign);
  if (!fallback) reject_missing(key);
  fill(key, written);
  return *fallback;
}

double Node::number_or(std::string_view key, std::string_view unit, std::string_view meaning,
                       const Derived<double>& fallback, sim::ValueSign sign) {
  if (describing()) return document(key, number_type(unit, sign), fallback.words, meaning), fallback.value.value_or(1);
  return number(key, unit, meaning, fallback.value, sign);
}

std::optional<double> Node::optional_number(std::string_view key, std::string_view unit, std::string_view meaning,
                                            sim::ValueSign sign) {
  if (!document(key, number_type(unit, sign), "optional", meaning)) return {};
  return scalar_number(*peek(key), full_path(key), unit, sign);
}

namespace {

Index read_integer(const Tree& value, const std::string& path, Index least) {
  long long whole = 0;
  const char* end = value.text.data() + value.text.size();
  const auto [stop, error] = std::from_chars(value.text.data(), end, whole);
  if (value.kind != Tree::Kind::Scalar || value.text.empty() || error != std::errc() || stop != end)
    throw InvalidArgument({value.place.text(), path, "must be a whole number", shown(value), "write digits only"});
  if (whole < least)
    throw InvalidArgument({value.place.text(), path, fmt::format("must be >= {}", least), value.text,
                           fmt::format("give {} or more", least)});
  return whole;
}

}  // namespace

Index Node::integer(std::string_view key, std::string_view meaning, std::optional<Index> fallback, Index least) {
  const std::string written = fallback ? std::to_string(*fallback) : "required";
  if (describing())
    return document(key, integer_type(least), written, meaning), fallback.value_or(std::max<Index>(least, 1));
  if (const Tree* value = ask(key)) return read_integer(*value, full_path(key), least);
  if (!fallback) reject_missing(key);
  fill(key, written);
  return *fallback;
}

Index Node::integer_or(std::string_view key, std::string_view meaning, const Derived<Index>& fallback, Index least) {
  if (describing()) return document(key, integer_type(least), fallback.words, meaning), fallback.value.value_or(least);
  return integer(key, meaning, fallback.value, least);
}

bool Node::flag(std::string_view key, std::string_view meaning, std::optional<bool> fallback) {
  const std::string written = fallback ? (*fallback ? "true" : "false") : "required";
  if (describing()) {
    document(key, "true or false", written, meaning);
    return fallback.value_or(false);
  }
  if (const Tree* value = ask(key)) {
    if (value->kind == Tree::Kind::Scalar && value->text == "true") return true;
    if (value->kind == Tree::Kind::Scalar && value->text == "false") return false;
    reject(key, "must be true or false", shown(*value), "write true or false");
  }
  if (!fallback) reject_missing(key);
  fill(key, written);
  return *fallback;
}

std::string Node::text(std::string_view key, std::string_view meaning, std::optional<std::string> fallback) {
  if (describing()) {
    document(key, "text", fallback ? (fallback->empty() ? "empty" : *fallback) : "required", meaning);
    return fallback.value_or("");
  }
  if (const Tree* value = ask(key)) {
    if (value->kind != Tree::Kind::Scalar)
      reject(key, "must be text", shown(*value), "write one word or a quoted sentence");
    return value->text;
  }
  if (!fallback) reject_missing(key);
  if (!fallback->empty()) fill(key, make_scalar(*fallback));  // unparsed: a name may look like a number
  return *fallback;
}

std::string Node::text_or(std::string_view key, std::string_view meaning, const Derived<std::string>& fallback) {
  return text(key, meaning, describing() ? fallback.words : fallback.value);
}

std::string Node::choice(std::string_view key, const std::vector<std::string>& choices, std::string_view meaning,
                         std::optional<std::string> fallback) {
  if (describing()) {
    document(key, "one of " + joined(choices), fallback.value_or("required"), meaning);
    return fallback.value_or(choices.front());
  }
  if (const Tree* value = ask(key)) {
    if (value->kind == Tree::Kind::Scalar && std::find(choices.begin(), choices.end(), value->text) != choices.end())
      return value->text;
    reject(key, "must be one of " + joined(choices), shown(*value),
           suggestion(value->text, choices, "choose one of these"));
  }
  if (!fallback) reject_missing(key);
  fill(key, *fallback);
  return *fallback;
}

Vec3 Node::vector(std::string_view key, std::string_view unit, std::string_view meaning, std::optional<Vec3> fallback) {
  const std::string written = fallback ? vector_text(*fallback) : "required";
  if (describing()) {
    document(key, "vector [x, y, z]" + bracketed(unit), written, meaning);
    return fallback.value_or(Vec3::UnitZ());
  }
  if (const Tree* value = ask(key)) return scalar_vector(*value, full_path(key), unit);
  if (!fallback) reject_missing(key);
  fill(key, written);
  return *fallback;
}

const Tree& Node::list_of(std::string_view key, const char* what) {
  const Tree* value = ask(key);
  if (!value) reject_missing(key);
  if (value->kind != Tree::Kind::List)
    reject(key, fmt::format("must be a list of {}", what), shown(*value), "write [a, b, …]");
  return *value;
}

std::vector<double> Node::numbers(std::string_view key, std::string_view unit, std::string_view meaning,
                                  sim::ValueSign sign) {
  if (describing())
    return document(key, "list of numbers" + bracketed(unit), "required", meaning), std::vector<double>{1};
  const Tree& list = list_of(key, "numbers");
  std::vector<double> result;
  for (std::size_t k = 0; k < list.entries.size(); ++k)
    result.push_back(scalar_number(list.entries[k], item(full_path(key), k), unit, sign));
  return result;
}

std::vector<Index> Node::integers(std::string_view key, std::string_view meaning, Index least) {
  if (describing())
    return document(key, "list of integers", "required", meaning), std::vector<Index>{std::max<Index>(least, 0)};
  const Tree& list = list_of(key, "whole numbers");
  std::vector<Index> result;
  for (std::size_t k = 0; k < list.entries.size(); ++k)
    result.push_back(read_integer(list.entries[k], item(full_path(key), k), least));
  return result;
}

std::vector<std::string> Node::texts(std::string_view key, std::string_view meaning) {
  if (describing()) return document(key, "list of texts", "required", meaning), std::vector<std::string>{"text"};
  const Tree& list = list_of(key, "texts");
  std::vector<std::string> result;
  for (std::size_t k = 0; k < list.entries.size(); ++k) {
    const Tree& entry = list.entries[k];
    if (entry.kind != Tree::Kind::Scalar)
      throw InvalidArgument({entry.place.text(), item(full_path(key), k), "must be text", shown(entry),
                             "write one word or a quoted sentence"});
    result.push_back(entry.text);
  }
  return result;
}

std::vector<std::string> Node::optional_texts(std::string_view key, std::string_view type, std::string_view fallback,
                                              std::string_view meaning) {
  return document(key, type, fallback, meaning) ? texts(key, "") : std::vector<std::string>{};
}

Points Node::points(std::string_view key, std::string_view unit, std::string_view meaning) {
  if (describing()) return document(key, "list of vectors" + bracketed(unit), "required", meaning), Points::Zero(3, 2);
  const Tree& list = list_of(key, "vectors [x, y, z]");
  Points result(3, static_cast<Index>(list.entries.size()));
  for (std::size_t k = 0; k < list.entries.size(); ++k)
    result.col(k) = scalar_vector(list.entries[k], item(full_path(key), k), unit);
  return result;
}

}  // namespace pithball::app
