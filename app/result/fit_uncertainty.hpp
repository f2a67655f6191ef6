#pragma once
#include "app/result/field_list.hpp"
#include "optim/fit/error_report.hpp"
#include "optim/fit/fit_profiles.hpp"
#include "optim/uncertainty/whiteness.hpp"

namespace pithball::app {

/// An entry of `uncertainty.outliers` in fit.json.
void fields(FieldVisitor& v, optim::OutlierReport& one);
/// `all` of an entry of `whiteness` in fit.json.
void fields(FieldVisitor& v, optim::Whiteness& w);
/// `between` of such an entry.
void fields(FieldVisitor& v, optim::MarkerCorrelation& between);
/// `uncertainty` of fit.json.
void fields(FieldVisitor& v, optim::ErrorReport& report);
/// An entry of `whiteness` in fit.json.
void fields(FieldVisitor& v, optim::RecordingWhiteness& recording);
/// An entry of `profile` in fit.json; open ends are read as unknown.
void fields(FieldVisitor& v, optim::FittedProfile& profile);

}  // namespace pithball::app
