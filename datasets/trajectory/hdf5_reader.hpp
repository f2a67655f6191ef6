#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "datasets/trajectory/hdf5_objects.hpp"

namespace pithball::datasets {

/// A dataset of numbers that lie in the file itself, opened and checked.
class Hdf5Array {
 public:
  /// Length along each dimension; empty for a single number.
  const std::vector<std::uint64_t>& size() const { return shape_.size; }
  /// Throws InvalidArgument unless the array has this rank; `shape` says so in the message: "[frames][particles]".
  void require_rank(std::size_t rank, const std::string& shape) const;
  /// Rows that are stored as one piece, read and checked as a whole.
  std::uint64_t rows_in_chunk() const { return shape_.chunk.empty() ? 1 : shape_.chunk.front(); }
  /// Throws InvalidArgument unless the bytes stored can hold the first `rows` rows: nobody packs numbers a hundredfold,
  /// but a file of few bytes may promise any number of entries that were never written.
  void require_stored(std::uint64_t rows) const;

  /// The numbers of these rows, one row after the other. Throws InvalidArgument if they are not stored, as above, or
  /// cannot be read: where the file has checksums, a flipped bit is such a damage. The array must have a dimension.
  std::vector<double> doubles(const Hdf5Rows& rows) const;
  std::vector<std::int64_t> integers(const Hdf5Rows& rows) const;
  /// All of them.
  std::vector<double> doubles() const { return doubles({0, shape_.size.front()}); }
  std::vector<std::int64_t> integers() const { return integers({0, shape_.size.front()}); }

 private:
  friend class Hdf5File;
  void require_rows(const Hdf5Rows& rows) const;

  std::shared_ptr<Hdf5Objects> objects_;
  std::string file_, name_;
  Hdf5Shape shape_;
};

/// An HDF5 file that others may have written, opened for reading: the only way in which what a file says comes into
/// memory. Before it does, extent, rank and type are asked for and required. Only what lies in the file itself is
/// read: links to other places, external storage and virtual datasets are rejected. All complaints are InvalidArgument.
class Hdf5File {
 public:
  /// Throws if there is no regular file of this name, or none that HDF5 can open. After `isolate_hdf5` it is read by a
  /// child process.
  explicit Hdf5File(std::string file);

  const std::string& name() const { return name_; }
  /// Whether every part of a path like "/particles/all" is there. Throws if one is a link that leads elsewhere.
  bool has(const std::string& object) const { return objects_->has(object); }
  /// Throws if the path leads to nothing or to anything but numbers in this file.
  Hdf5Array array(const std::string& object) const;
  /// An attribute; empty if it is not there. Throws unless it is one text of at most 65,536 bytes, or one whole number.
  std::optional<std::string> text(const std::string& object, const std::string& attribute) const {
    return objects_->text(object, attribute);
  }
  std::optional<std::int64_t> integer(const std::string& object, const std::string& attribute) const {
    return objects_->integer(object, attribute);
  }

 private:
  std::string name_;
  std::shared_ptr<Hdf5Objects> objects_;
};

}  // namespace pithball::datasets
