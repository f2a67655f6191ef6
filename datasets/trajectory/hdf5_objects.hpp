#pragma once
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace pithball::datasets {

/// Rows of a dataset: `count` of them, from `first` on, every `stride`-th.
struct Hdf5Rows {
  std::uint64_t first = 0,  ///< number of the first row, from 0
      count = 0,            ///< number of rows read
      stride = 1;           ///< distance of two of them, ≥ 1
};

/// Layout of an array of numbers in its file.
struct Hdf5Shape {
  std::vector<std::uint64_t> size;   ///< for each dimension; empty for a single number
  std::vector<std::uint64_t> chunk;  ///< size of a chunk; empty: stored contiguously
  std::uint64_t stored = 0;          ///< bytes in all
  std::uint64_t width = 0;           ///< bytes per number

  /// Number of entries in these rows. Throws std::length_error if they do not fit into memory.
  std::size_t numbers(const Hdf5Rows& rows) const;
};

/// A member of a group in an HDF5 file.
struct Hdf5Member {
  std::string name;                 ///< without the path
  bool is_group = false;            ///< it has members itself
  bool is_array = false;            ///< a dataset, of numbers or others
  std::vector<std::uint64_t> size;  ///< of a dataset, for each dimension
};

/// The queries of `Hdf5File` and `Hdf5Array` to one open file. Every result is checked against extent, rank and type
/// before HDF5 copies it into memory; errors are InvalidArgument.
class Hdf5Objects {
 public:
  virtual ~Hdf5Objects() = default;
  /// Whether every part of a path exists; throws on a link out of the file.
  virtual bool has(const std::string& object) = 0;
  /// The members of a group in the order of their names, at most `most` of them, links out of it left out; empty if
  /// there is no such group.
  virtual std::vector<Hdf5Member> members(const std::string& group, std::size_t most) = 0;
  /// Layout of a dataset of numbers stored in the file itself.
  virtual Hdf5Shape shape(const std::string& array) = 0;
  /// The numbers of existing, stored rows (checked by the caller), one row after the other.
  virtual std::vector<double> doubles(const std::string& array, const Hdf5Shape& shape, const Hdf5Rows& rows) = 0;
  /// The same for integers; fractions are dropped.
  virtual std::vector<std::int64_t> integers(const std::string& array, const Hdf5Shape& shape,
                                             const Hdf5Rows& rows) = 0;
  /// An attribute of at most 65,536 bytes; empty: there is none.
  virtual std::optional<std::string> text(const std::string& object, const std::string& attribute) = 0;
  /// An attribute that is one integer; empty: there is none.
  virtual std::optional<std::int64_t> integer(const std::string& object, const std::string& attribute) = 0;
};

/// Opens the file in this process, or in a child with limits (see `isolate_hdf5`): if HDF5 crashes, the child ends and
/// an error is thrown here. `patience`: per answer, plus a second per MiB.
std::unique_ptr<Hdf5Objects> open_hdf5(const std::string& file);
/// A function that opens a file in the child process.
using Hdf5Opener = std::unique_ptr<Hdf5Objects> (*)(const std::string& file);
/// Opens the file in a child with limits; `patience` is the time for an answer, plus a second per MiB.
std::unique_ptr<Hdf5Objects> open_hdf5_in_child(const std::string& file, Hdf5Opener open = open_hdf5,
                                                std::chrono::seconds patience = std::chrono::seconds(60));

}  // namespace pithball::datasets
