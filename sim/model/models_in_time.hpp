#pragma once
#include <array>
#include <memory>
#include <mutex>

#include "sim/model/values.hpp"

namespace pithball::sim {

class Model;

/// The last few models `Model::at(t)` of a model with key frames, so that the forces of one stage, and the many
/// products of a linear solve, share one. Safe to share between threads.
class ModelsInTime {
 public:
  ModelsInTime();
  ~ModelsInTime();
  Model at(const Model& model, double t);

 private:
  struct Made;
  static constexpr std::size_t kept = 8;  // a few for each of some threads
  std::mutex mutex_;
  std::array<std::unique_ptr<const Made>, kept> made_;
  std::size_t next_ = 0;
};

}  // namespace pithball::sim
