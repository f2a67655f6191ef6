#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "datasets/hdf5_handle.hpp"

namespace pithball::datasets {

/// Rows of a dataset: `count` of them, from `first` on, every `stride`-th.
struct Hdf5Rows {
  std::uint64_t first = 0, count = 0, stride = 1;
};

/// A dataset of numbers that lie in the file itself, opened and checked.
class Hdf5Array {
 public:
  /// Length along each dimension; empty for a single number.
  const std::vector<std::uint64_t>& size() const { return size_; }
  /// Throws InvalidArgument unless the array has this rank; `shape` says so in the message: "[frames][particles]".
  void require_rank(std::size_t rank, const std::string& shape) const;
  /// Rows that are stored as one piece, read and checked as a whole.
  std::uint64_t rows_in_chunk() const { return chunk_.empty() ? 1 : chunk_.front(); }
  /// Throws InvalidArgument unless the bytes stored can hold the first `rows` rows: nobody packs numbers a hundredfold,
  /// but a file of few bytes may promise any number of entries that were never written.
  void require_stored(std::uint64_t rows) const;

  /// The numbers of these rows, one row after the other. Throws InvalidArgument if they are not stored, as above, or
  /// cannot be read: where the file has checksums, a flipped bit is such a damage. The array must have a dimension.
  std::vector<double> doubles(const Hdf5Rows& rows) const;
  std::vector<std::int64_t> integers(const Hdf5Rows& rows) const;
  /// All of them.
  std::vector<double> doubles() const { return doubles({0, size_.front()}); }
  std::vector<std::int64_t> integers() const { return integers({0, size_.front()}); }

 private:
  friend class Hdf5File;
  template <class Number>
  std::vector<Number> read(const Hdf5Rows& rows, Hdf5Handle::Id type) const;
  [[noreturn]] void refuse(const std::string& required, const std::string& got) const;

  std::string file_, name_;
  Hdf5Handle data_;
  std::vector<std::uint64_t> size_, chunk_;
  std::uint64_t stored_ = 0, width_ = 0;  // bytes in all, and of a number
};

/// An HDF5 file that others may have written, opened for reading: the only place where HDF5 copies what a file says
/// into memory. Before it does, extent, rank and type are asked for and required. Only what lies in the file itself is
/// read: links to other places, external storage and virtual datasets are refused. All complaints are InvalidArgument.
class Hdf5File {
 public:
  /// Throws if there is no regular file of this name, or none that HDF5 can open.
  explicit Hdf5File(std::string file);

  const std::string& name() const { return name_; }
  /// Whether every part of a path like "/particles/all" is there. Throws if one is a link that leads elsewhere.
  bool has(const std::string& object) const;
  /// Throws if the path leads to nothing or to anything but numbers in this file.
  Hdf5Array array(const std::string& object) const;
  /// An attribute; empty if it is not there. Throws unless it is one text of at most 65,536 bytes, or one whole number.
  std::optional<std::string> text(const std::string& object, const std::string& attribute) const;
  std::optional<std::int64_t> integer(const std::string& object, const std::string& attribute) const;

 private:
  std::optional<Hdf5Handle> single(const std::string& object, const std::string& attribute, int type_class,
                                   const std::string& required) const;
  [[noreturn]] void refuse(const std::string& what, const std::string& required, const std::string& got,
                           const std::string& remedy) const;

  std::string name_;
  std::uint64_t bytes_ = 0;
  Hdf5Handle file_;
};

}  // namespace pithball::datasets
