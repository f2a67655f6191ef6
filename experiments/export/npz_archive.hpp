#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace pithball::experiments {

/// One array of a NumPy archive: a header of the .npy format 1.0 and the pieces of memory that hold its elements, one
/// after the other, last index fastest. The memory is not copied.
class NpyArray {
 public:
  /// `name` as in Python: archive["name"].
  NpyArray(std::string name, std::vector<std::uint64_t> shape) : name_(std::move(name)), shape_(std::move(shape)) {}

  /// Adds `count` elements; all pieces have elements of one kind.
  void add(const double* elements, std::uint64_t count) { add("f8", elements, count * sizeof *elements); }
  void add(const std::int64_t* elements, std::uint64_t count) { add("i8", elements, count * sizeof *elements); }
  void add(const bool* elements, std::uint64_t count) { add("b1", elements, count * sizeof *elements); }

  const std::string& name() const { return name_; }
  /// Magic string, version, and the dictionary that tells kind, order and shape; a multiple of 64 bytes.
  std::string header() const;
  const std::vector<std::string_view>& pieces() const { return pieces_; }

 private:
  void add(const char* kind, const void* elements, std::uint64_t bytes);
  std::string name_, kind_ = "f8";
  std::vector<std::uint64_t> shape_;
  std::vector<std::string_view> pieces_;
};

/// Writes a NumPy archive (.npz): a zip file, uncompressed, with one NAME.npy for each array. Nothing is gathered in
/// memory on the way. Throws std::runtime_error if the disk refuses. `progress` is told the fraction that is done.
void write_npz(const std::filesystem::path& file, const std::vector<NpyArray>& arrays,
               const std::function<void(double)>& progress = {});

}  // namespace pithball::experiments
