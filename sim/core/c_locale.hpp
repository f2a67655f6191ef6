#pragma once
#include <locale.h>

namespace pithball::sim {

/// While this object exists, C functions that the calling thread calls read and write numbers with a decimal point. The
/// process around us may have another locale, with a comma: a program with windows, or a notebook.
class CLocale {
 public:
  CLocale() : outer_(uselocale(plain())) {}
  ~CLocale() { uselocale(outer_); }
  CLocale(const CLocale&) = delete;
  CLocale& operator=(const CLocale&) = delete;

 private:
  static locale_t plain() {
    static const locale_t plain = newlocale(LC_ALL_MASK, "C", nullptr);
    return plain;
  }
  locale_t outer_;
};

}  // namespace pithball::sim
