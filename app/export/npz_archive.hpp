#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace pithball::app {

/// One array of a NumPy archive: a header of .npy format 1.0 and the blocks of memory with its elements in sequence,
/// last index fastest. The memory is not copied; blocks can be produced on demand.
class NpyArray {
 public:
  /// `name` as in Python: archive["name"].
  NpyArray(std::string name, std::vector<std::uint64_t> shape) : name_(std::move(name)), shape_(std::move(shape)) {}

  /// Appends `count` elements; all blocks have elements of one type.
  void add(const double* elements, std::uint64_t count) { add("f8", elements, count * sizeof *elements); }
  /// Likewise, 64-bit integers.
  void add(const std::int64_t* elements, std::uint64_t count) { add("i8", elements, count * sizeof *elements); }
  /// Likewise, one byte each.
  void add(const bool* elements, std::uint64_t count) { add("b1", elements, count * sizeof *elements); }
  /// Appends `pieces` times `count` elements: `make` returns those of one block, which must stay valid until its next
  /// call.
  void add(std::uint64_t pieces, std::uint64_t count, std::function<const double*(std::size_t piece)> make) {
    add("f8", pieces, count * sizeof(double), std::move(make));
  }
  /// Likewise, 64-bit integers.
  void add(std::uint64_t pieces, std::uint64_t count, std::function<const std::int64_t*(std::size_t piece)> make) {
    add("i8", pieces, count * sizeof(std::int64_t), std::move(make));
  }

  /// As given, without ".npy".
  const std::string& name() const { return name_; }
  /// Magic string, version, and the dictionary with type, order and shape; padded to a multiple of 64 bytes.
  std::string header() const;
  /// Bytes of all elements.
  std::uint64_t size() const;
  /// Number of blocks of memory.
  std::size_t pieces() const;
  /// The bytes of a block, valid until the next block is requested.
  std::string_view piece(std::size_t number) const;

 private:
  struct Part {
    std::uint64_t pieces = 1, bytes = 0;  // of each piece
    std::function<const void*(std::size_t)> make;
  };
  void add(const char* kind, const void* elements, std::uint64_t bytes) {
    add(kind, 1, bytes, [elements](std::size_t) { return elements; });
  }
  void add(const char* kind, std::uint64_t pieces, std::uint64_t bytes, std::function<const void*(std::size_t)> make) {
    kind_ = kind;
    parts_.push_back({pieces, bytes, std::move(make)});
  }
  std::string name_, kind_ = "f8";
  std::vector<std::uint64_t> shape_;
  std::vector<Part> parts_;
};

/// Writes a NumPy archive (.npz): an uncompressed zip file with one NAME.npy for each array. Nothing is buffered as a
/// whole. Throws std::runtime_error on a write error, and rethrows errors of `make`. `progress` receives the completed
/// fraction.
void write_npz(const std::filesystem::path& file, const std::vector<NpyArray>& arrays,
               const std::function<void(double)>& progress = {});

}  // namespace pithball::app
