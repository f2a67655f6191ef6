#pragma once
#include <functional>
#include <nlohmann/json.hpp>

#include "sim/core/field_list.hpp"

namespace pithball::app {

/// A struct with a list of its fields.
template <class Struct>
concept HasFields = requires(FieldVisitor& v, Struct& x) {
  fields(v, x);
};

/// Goes through a list of fields with a visitor.
using FieldList = std::function<void(FieldVisitor&)>;

/// The object with the fields in this list.
nlohmann::ordered_json write_fields(const FieldList& list);
/// Reads the fields in this list from an object. Throws nlohmann's exceptions if a key is missing or of another kind,
/// InvalidArgument if a value is not possible.
void read_fields(const nlohmann::ordered_json& json, const FieldList& list);

/// A result as in its file.
template <HasFields Struct>
nlohmann::ordered_json to_json(const Struct& result) {
  return write_fields([&](FieldVisitor& v) { fields(v, const_cast<Struct&>(result)); });  // which changes nothing
}

/// A file of two structs.
template <class First, class Second>
requires requires(FieldVisitor& v, First& first, Second& second) { fields(v, first, second); }
nlohmann::ordered_json to_json(const First& first, const Second& second) {
  return write_fields([&](FieldVisitor& v) { fields(v, const_cast<First&>(first), const_cast<Second&>(second)); });
}

/// Reads a result back; throws as `read_fields`.
template <HasFields Struct>
Struct read_result(const nlohmann::ordered_json& object) {
  Struct result;
  read_fields(object, [&](FieldVisitor& v) { fields(v, result); });
  return result;
}

/// Reads the second struct of such a file; throws likewise.
template <class First, class Second>
Second read_second(const nlohmann::ordered_json& object) {
  First first;
  Second second;
  read_fields(object, [&](FieldVisitor& v) { fields(v, first, second); });
  return second;
}

}  // namespace pithball::app
