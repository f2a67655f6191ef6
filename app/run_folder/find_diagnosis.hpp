#pragma once
#include <filesystem>
#include <optional>

#include "app/result/diagnosis_record.hpp"

namespace pithball::app {

/// diagnosis.json of a fit's run folder; empty: it was not diagnosed. Throws InvalidArgument if the file is damaged.
std::optional<DiagnosisRecord> find_diagnosis(const std::filesystem::path& folder);

}  // namespace pithball::app
