#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "datasets/trajectory/hdf5_objects.hpp"

namespace pithball::datasets {

/// A dataset of numbers stored in the file itself, opened and checked.
class Hdf5Array {
 public:
  /// Length along each dimension; empty for a single number.
  const std::vector<std::uint64_t>& size() const { return shape_.size; }
  /// Throws InvalidArgument unless the array has this rank; `shape` appears in the message: "[frames][particles]".
  void require_rank(std::size_t rank, const std::string& shape) const;
  /// Rows per chunk, which are read and checked together.
  std::uint64_t rows_in_chunk() const { return shape_.chunk.empty() ? 1 : shape_.chunk.front(); }
  /// Throws InvalidArgument unless the stored bytes can contain the first `rows` rows, at a compression of at most a
  /// hundredfold: a small file may declare any number of entries that were never written.
  void require_stored(std::uint64_t rows) const;

  /// The numbers of these rows, one row after the other. Throws InvalidArgument if they are not stored, as above, or
  /// cannot be read, for example because of a wrong checksum. The array must have a dimension.
  std::vector<double> doubles(const Hdf5Rows& rows) const;
  /// Likewise; fractions are dropped.
  std::vector<std::int64_t> integers(const Hdf5Rows& rows) const;
  /// The numbers of all rows.
  std::vector<double> doubles() const { return doubles({0, shape_.size.front()}); }
  /// The numbers of all rows; fractions are dropped.
  std::vector<std::int64_t> integers() const { return integers({0, shape_.size.front()}); }

 private:
  friend class Hdf5File;
  void require_rows(const Hdf5Rows& rows) const;

  std::shared_ptr<Hdf5Objects> objects_;
  std::string file_, name_;
  Hdf5Shape shape_;
};

/// An HDF5 file, possibly written by another program, opened for reading: the only path by which its data get into
/// memory. Extent, rank and type are checked first. Only data in the file itself are read: external links, external
/// storage and virtual datasets are rejected. All errors are InvalidArgument.
class Hdf5File {
 public:
  /// Throws if there is no regular file with this name, or HDF5 cannot open it. After `isolate_hdf5` it is read by a
  /// child process.
  explicit Hdf5File(std::string file);

  /// Path, as given.
  const std::string& name() const { return name_; }
  /// Whether every part of a path like "/particles/all" exists. Throws if one is a link out of the file.
  bool has(const std::string& object) const { return objects_->has(object); }
  /// The members of a group in the order of their names, at most `most`, without links out of it; empty if there is no
  /// such group.
  std::vector<Hdf5Member> members(const std::string& group, std::size_t most) const {
    return objects_->members(group, most);
  }
  /// Throws if the path does not lead to numbers stored in this file.
  Hdf5Array array(const std::string& object) const;
  /// An attribute; empty if absent. Throws unless it is one text of at most 65,536 bytes, or one integer.
  std::optional<std::string> text(const std::string& object, const std::string& attribute) const {
    return objects_->text(object, attribute);
  }
  /// Likewise.
  std::optional<std::int64_t> integer(const std::string& object, const std::string& attribute) const {
    return objects_->integer(object, attribute);
  }

 private:
  std::string name_;
  std::shared_ptr<Hdf5Objects> objects_;
};

}  // namespace pithball::datasets
