#pragma once
#include "app/result/field_list.hpp"
#include "optim/fit/report.hpp"

namespace pithball::app {

/// An entry of `parameters` in fit.json.
void fields(FieldVisitor& v, optim::FittedParameter& p);
/// An entry of `alternatives` in fit.json.
void fields(FieldVisitor& v, optim::AlternativeEstimate& other);
/// An entry of `weak_directions` in fit.json, identify.json and plan.json.
void fields(FieldVisitor& v, optim::WeakDirection& direction);

/// The name of a parameter or value, which files of older versions have as it was called then.
struct ValueName {
  std::string& value;  ///< of the field
};
/// Text, of which a reader makes today's name.
void visit_value(FieldVisitor& v, ValueName& name);

}  // namespace pithball::app
