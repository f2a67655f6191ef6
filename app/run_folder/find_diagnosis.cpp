#include "app/run_folder/find_diagnosis.hpp"

#include "app/result/json_fields.hpp"
#include "app/run_folder/json_reading.hpp"

namespace pithball::app {

std::optional<DiagnosisRecord> find_diagnosis(const std::filesystem::path& folder) {
  const std::filesystem::path file = folder / "diagnosis.json";
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(file, ignored)) return {};
  return read_json_file(file, read_result<DiagnosisRecord>);
}

}  // namespace pithball::app
