#include "experiments/export/npz_archive.hpp"

#include <fmt/format.h>
#include <zip.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <memory>
#include <stdexcept>

namespace pithball::experiments {
namespace {

/// An array as libzip reads it: header and pieces as one stream of bytes.
class Stream {
 public:
  explicit Stream(const NpyArray& array) : header_(array.header()) {
    pieces_.push_back(header_);
    pieces_.insert(pieces_.end(), array.pieces().begin(), array.pieces().end());
    for (const std::string_view piece : pieces_) size_ += piece.size();
  }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  /// What libzip calls; `self` is the stream.
  static zip_int64_t answer(void* self, void* data, zip_uint64_t length, zip_source_cmd_t command) {
    auto& stream = *static_cast<Stream*>(self);
    switch (command) {
      case ZIP_SOURCE_OPEN:
        stream.piece_ = stream.at_ = 0;
        return 0;
      case ZIP_SOURCE_READ:
        return stream.read(static_cast<char*>(data), length);
      case ZIP_SOURCE_CLOSE:
        return 0;
      case ZIP_SOURCE_STAT: {
        auto* status = static_cast<zip_stat_t*>(data);
        zip_stat_init(status);
        status->size = stream.size_;
        status->valid |= ZIP_STAT_SIZE;
        return sizeof *status;
      }
      case ZIP_SOURCE_ERROR: {
        zip_error_t none;
        zip_error_init(&none);
        return zip_error_to_data(&none, data, length);
      }
      case ZIP_SOURCE_FREE:
        return 0;
      case ZIP_SOURCE_SUPPORTS:
        return zip_source_make_command_bitmap(ZIP_SOURCE_OPEN, ZIP_SOURCE_READ, ZIP_SOURCE_CLOSE, ZIP_SOURCE_STAT,
                                              ZIP_SOURCE_ERROR, ZIP_SOURCE_FREE, -1);
      default:
        return -1;
    }
  }

 private:
  zip_int64_t read(char* to, zip_uint64_t length) {
    zip_uint64_t done = 0;
    while (done < length && piece_ < pieces_.size()) {
      const std::string_view rest = pieces_[piece_].substr(at_);
      const zip_uint64_t part = std::min<zip_uint64_t>(length - done, rest.size());
      if (part > 0) std::memcpy(to + done, rest.data(), part);
      done += part;
      at_ += part;
      if (at_ == pieces_[piece_].size()) {
        ++piece_;
        at_ = 0;
      }
    }
    return static_cast<zip_int64_t>(done);
  }

  std::string header_;
  std::vector<std::string_view> pieces_;
  zip_uint64_t size_ = 0;
  std::size_t piece_ = 0, at_ = 0;
};

[[noreturn]] void fail(const std::filesystem::path& file, const std::string& reason) {
  throw std::runtime_error(fmt::format("cannot write {}: {}", file.string(), reason));
}

}  // namespace

void NpyArray::add(const char* kind, const void* elements, std::uint64_t bytes) {
  kind_ = kind;
  pieces_.emplace_back(static_cast<const char*>(elements), bytes);
}

std::string NpyArray::header() const {
  const char order = kind_ == "b1" ? '|' : std::endian::native == std::endian::little ? '<' : '>';
  std::string sizes;
  for (const std::uint64_t size : shape_) sizes += fmt::format("{}, ", size);  // Python reads (3, ) as a tuple of one
  std::string text = fmt::format("{{'descr': '{}{}', 'fortran_order': False, 'shape': ({}), }}", order, kind_, sizes);
  constexpr std::size_t before = 10, unit = 64;  // magic string, version and length; what all of it is a multiple of
  text.append(unit - (before + text.size() + 1) % unit, ' ');
  text += '\n';
  std::string header("\x93NUMPY\x01\x00", 8);
  header += static_cast<char>(text.size() & 0xff);
  header += static_cast<char>(text.size() >> 8);
  return header + text;
}

void write_npz(const std::filesystem::path& file, const std::vector<NpyArray>& arrays,
               const std::function<void(double)>& progress) {
  std::vector<std::unique_ptr<Stream>> streams;
  for (const NpyArray& array : arrays) streams.push_back(std::make_unique<Stream>(array));
  int code = 0;
  std::unique_ptr<zip_t, void (*)(zip_t*)> archive(zip_open(file.c_str(), ZIP_CREATE | ZIP_TRUNCATE, &code),
                                                   zip_discard);
  if (!archive) fail(file, fmt::format("libzip error {}", code));
  for (std::size_t k = 0; k < arrays.size(); ++k) {
    zip_source_t* source = zip_source_function(archive.get(), Stream::answer, streams[k].get());
    const zip_int64_t index =
        source ? zip_file_add(archive.get(), (arrays[k].name() + ".npy").c_str(), source, ZIP_FL_ENC_UTF_8) : -1;
    if (index < 0) {
      if (source) zip_source_free(source);
      fail(file, zip_strerror(archive.get()));
    }
    const auto number = static_cast<zip_uint64_t>(index);
    zip_set_file_compression(archive.get(), number, ZIP_CM_STORE, 0);
    zip_file_set_dostime(archive.get(), number, 0, 0x21, 0);  // 1980-01-01: equal motions give equal files
  }
  std::function<void(double)> report = progress ? progress : [](double) {};
  zip_register_progress_callback_with_state(
      archive.get(), 0.01,
      [](zip_t*, double fraction, void* to) { (*static_cast<std::function<void(double)>*>(to))(fraction); }, nullptr,
      &report);
  if (zip_close(archive.get()) != 0) fail(file, zip_strerror(archive.get()));
  archive.release();  // closing freed it
}

}  // namespace pithball::experiments
