#include "app/run_folder/gradient_record.hpp"

#include "app/base/json_text.hpp"
#include "app/run_folder/json_reading.hpp"

namespace pithball::app {
namespace {

using nlohmann::ordered_json;

ordered_json block_json(const diff::GradientBlock& block) {
  return {{"name", block.name},
          {"size", block.size},
          {"largest", block.largest},
          {"adjoint_vs_tangent", block.adjoint_vs_tangent},
          {"adjoint_vs_difference", block.adjoint_vs_difference},
          {"difference_error", block.difference_error},
          {"worst", block.worst},
          {"passed", block.passed}};
}

diff::GradientBlock read_block(const ordered_json& json) {
  diff::GradientBlock block;
  block.name = json.at("name");
  block.size = json.at("size");
  block.largest = number_of(json.at("largest"));
  block.adjoint_vs_tangent = number_of(json.at("adjoint_vs_tangent"));
  block.adjoint_vs_difference = number_of(json.at("adjoint_vs_difference"));
  block.difference_error = number_of(json.at("difference_error"));
  block.worst = json.at("worst");
  block.passed = json.at("passed");
  return block;
}

}  // namespace

ordered_json to_json(const GradientRecord& record) {
  ordered_json blocks = ordered_json::array();
  for (const diff::GradientBlock& block : record.blocks) blocks.push_back(block_json(block));
  return {{"passed", record.passed},
          {"status", record.status},
          {"unreliable_step", value_or_null(record.unreliable_step)},
          {"loss", record.loss},
          {"steps", record.steps},
          {"crossings", record.crossings},
          {"tolerances", {{"tangent", record.tangent_tolerance}, {"difference", record.difference_tolerance}}},
          {"blocks", blocks}};
}

GradientRecord read_gradient_record(const ordered_json& json) {
  GradientRecord record;
  for (const ordered_json& block : json.at("blocks")) record.blocks.push_back(read_block(block));
  record.passed = json.at("passed");
  record.status = json.at("status");
  record.unreliable_step = optional_of<Index>(json.at("unreliable_step"));
  record.loss = number_of(json.at("loss"));
  record.steps = json.at("steps");
  record.crossings = json.at("crossings");
  record.tangent_tolerance = json.at("tolerances").at("tangent");
  record.difference_tolerance = json.at("tolerances").at("difference");
  return record;
}

}  // namespace pithball::app
