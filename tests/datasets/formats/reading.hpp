#pragma once
#include <string>

#include "datasets/capture/capture_format.hpp"
#include "datasets/capture/capture_reader.hpp"
#include "tests/datasets/temporary_folder.hpp"

namespace pithball::testing {

/// Reads texts as recordings of one file name.
struct Reading {
  std::string name;
  datasets::CaptureSpec spec = {};
  TemporaryFolder folder = {};

  datasets::Capture read(const std::string& text) {
    spec.file = folder.write(name, text);
    return datasets::read_capture(spec);
  }
  std::string complaint(const std::string& text) {
    return complaint_of([&] { read(text); });
  }
};

/// A text with its first `what` in place of another.
inline std::string replaced(std::string text, const std::string& what, const std::string& by) {
  return text.replace(text.find(what), what.size(), by);
}

}  // namespace pithball::testing
