#include "datasets/trajectory/hdf5_reader.hpp"

#include <algorithm>
#include <atomic>
#include <stdexcept>

#include "datasets/trajectory/h5md.hpp"
#include "datasets/trajectory/hdf5_handle.hpp"
#include "sim/core/checked_product.hpp"
#include "sim/core/error.hpp"

namespace pithball::datasets {

namespace {

std::atomic<bool> isolated = false;

}  // namespace

void isolate_hdf5() { isolated = true; }

std::size_t Hdf5Shape::numbers(const Hdf5Rows& rows) const {
  std::vector<std::uint64_t> factors = size;
  if (!factors.empty()) factors.front() = rows.count;
  const auto product = checked_product(factors, ~std::uint64_t{0} / sizeof(double));
  if (!product) throw std::length_error("an array larger than memory");
  return *product;
}

void Hdf5Array::require_rank(std::size_t rank, const std::string& shape) const {
  if (size().size() != rank)
    throw InvalidArgument({file_, name_, "must be an array " + shape, std::to_string(size().size()) + " dimensions",
                           "write it in that shape"});
}

void Hdf5Array::require_stored(std::uint64_t rows) const {
  constexpr std::uint64_t slack = std::uint64_t{16} << 20, unbounded = ~std::uint64_t{0};
  const std::uint64_t most = shape_.stored > (unbounded - slack) / 100 ? unbounded : 100 * shape_.stored + slack;
  std::vector<std::uint64_t> wanted = shape_.size;
  if (!wanted.empty()) wanted.front() = std::min(wanted.front(), rows);
  wanted.push_back(sizeof(double));
  const auto bytes = checked_product(wanted, most);
  if (bytes == 0) return;
  // A chunk is decompressed as a whole.
  std::vector<std::uint64_t> piece = shape_.chunk;
  piece.push_back(shape_.width);
  if (!bytes || !checked_product(piece, most))
    throw InvalidArgument({file_, name_, "must be stored in full",
                           "an array that promises more than its " + std::to_string(shape_.stored) + " bytes hold",
                           "the file is damaged; copy it again, or run the simulation again"});
}

void Hdf5Array::require_rows(const Hdf5Rows& rows) const {
  if (size().empty()) throw std::logic_error("Hdf5Array: rows of a single number");
  if (rows.stride == 0 || rows.first >= size().front() ||
      (rows.count - 1) > (size().front() - 1 - rows.first) / rows.stride)
    throw std::logic_error("Hdf5Array: rows beyond the last one");
  require_stored(rows.first + (rows.count - 1) * rows.stride + 1);
}

std::vector<double> Hdf5Array::doubles(const Hdf5Rows& rows) const {
  if (rows.count == 0) return {};
  require_rows(rows);
  return objects_->doubles(name_, shape_, rows);
}

std::vector<std::int64_t> Hdf5Array::integers(const Hdf5Rows& rows) const {
  if (rows.count == 0) return {};
  require_rows(rows);
  return objects_->integers(name_, shape_, rows);
}

// A child would inherit HDF5's bookkeeping of a file that this process is writing, but not the open file.
Hdf5File::Hdf5File(std::string file)
    : name_(std::move(file)),
      objects_(isolated && !has_open_hdf5(name_) ? open_hdf5_in_child(name_) : open_hdf5(name_)) {}

Hdf5Array Hdf5File::array(const std::string& object) const {
  Hdf5Array array;
  array.shape_ = objects_->shape(object);
  array.objects_ = objects_;
  array.file_ = name_;
  array.name_ = object;
  return array;
}

}  // namespace pithball::datasets
