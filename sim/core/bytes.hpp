#pragma once
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace pithball {

/// Serializes numbers and texts in native byte order, for data read on the same machine: ledgers, and messages between
/// processes.
class BytesWriter {
 public:
  void number(std::int64_t n) { put(&n, sizeof n); }  ///< 8 bytes
  void real(double x) { put(&x, sizeof x); }          ///< 8 bytes, every bit kept, also of NaN
  void reals(const double* data, std::size_t count) { put(data, count * sizeof(double)); }  ///< without their count
  /// Writes a list with its length, as `BytesReader::list` reads it.
  void list(const std::vector<double>& values) {
    number(values.size());
    reals(values.data(), values.size());
  }
  /// Writes a text with its length; it may contain any bytes and does not end with 0.
  void text(const std::string& s) {
    number(s.size());
    put(s.data(), s.size());
  }
  const std::string& bytes() const { return bytes_; }  ///< all that was written so far

 private:
  void put(const void* data, std::size_t size) { bytes_.append(static_cast<const char*>(data), size); }
  std::string bytes_;
};

/// Deserializes them in the same order. Throws std::runtime_error if there is not enough data.
class BytesReader {
 public:
  /// Starts at the first byte; `bytes` is kept as a reference.
  explicit BytesReader(const std::string& bytes) : bytes_(bytes) {}
  std::int64_t number() { return get<std::int64_t>(); }  ///< what `BytesWriter::number` wrote
  double real() { return get<double>(); }                ///< what `BytesWriter::real` wrote
  /// Fills `data`, which has room for `count` numbers.
  void reals(double* data, std::size_t count) { copy(data, checked(count, sizeof(double))); }
  /// A count of following items of `size` bytes each.
  std::size_t count(std::size_t size) {
    const std::int64_t n = number();
    if (n < 0) fail();
    checked(n, size);
    return n;
  }
  /// Rows and columns of the following entries of `size` bytes each.
  std::pair<std::size_t, std::size_t> shape(std::size_t size) {
    const std::int64_t rows = number(), columns = number();
    if (rows < 0 || columns < 0) fail();
    if (columns > 0 &&
        static_cast<std::size_t>(rows) > (bytes_.size() - at_) / size / static_cast<std::size_t>(columns))
      fail();
    return {static_cast<std::size_t>(rows), static_cast<std::size_t>(columns)};
  }
  /// Reads a list of any length, which was written before it.
  std::vector<double> list() {
    std::vector<double> values(count(sizeof(double)));
    reals(values.data(), values.size());
    return values;
  }
  /// Reads a text of any length, which was written before it.
  std::string text() {
    std::string s(count(1), '\0');
    copy(s.data(), s.size());
    return s;
  }

 private:
  [[noreturn]] static void fail() { throw std::runtime_error("a record is shorter than it says"); }
  std::size_t checked(std::size_t count, std::size_t size) const {
    if (size > 0 && count > (bytes_.size() - at_) / size) fail();
    return count * size;
  }
  template <class Number>
  Number get() {
    Number n;
    checked(1, sizeof n);
    copy(&n, sizeof n);
    return n;
  }
  void copy(void* data, std::size_t size) {
    if (size > 0) std::memcpy(data, bytes_.data() + at_, size);  // an empty array has a null address
    at_ += size;
  }
  const std::string& bytes_;
  std::size_t at_ = 0;
};

}  // namespace pithball
