#pragma once
#include <string>
#include <string_view>

namespace pithball::datasets {

/// Whether bytes begin with the byte order mark of UTF-16, of either order.
bool is_utf16(std::string_view bytes);

/// The text of such bytes in UTF-8, without the mark (The Unicode Standard 15, section 3.9). Half a character at the
/// end is left out. Throws InvalidArgument placed at `where` on a surrogate without its partner.
std::string utf16_to_utf8(std::string_view bytes, const std::string& where);

}  // namespace pithball::datasets
