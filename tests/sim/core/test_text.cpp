#include "sim/core/text.hpp"

#include "sim/core/error.hpp"
#include "tests/support/catch.hpp"

using namespace pithball;

TEST_CASE("text: UTF-8 is what RFC 3629 says", "[sim][core][text]") {
  for (const char* good : {"", "a", "µ", "…", "\U0001F600", "\x7f", "\xEF\xBF\xBF", "\xF4\x8F\xBF\xBF"})
    CHECK(is_utf8(good));
  CHECK(is_utf8(std::string_view("a\0b", 3)));
  // Latin-1, a tail without a head, a cut character, overlong forms, a surrogate, beyond U+10FFFF.
  for (const char* bad : {"K\xE4"
                          "fig",
                          "\x80", "a\xC2", "\xE2\x80", "\xC0\xAF", "\xE0\x80\xAF", "\xF0\x80\x80\xAF", "\xED\xA0\x80",
                          "\xF4\x90\x80\x80", "\xFF"}) {
    CAPTURE(bad);
    CHECK_FALSE(is_utf8(bad));
    CHECK_FALSE(is_printable(bad));
  }
  CHECK(is_printable("10 µC, \"x\" \\ …"));
  for (const char* control : {"\x1b[2J", "a\nb", "\t", "\x7f",
                              "\xC2\x9B"
                              "2J"})
    CHECK_FALSE(is_printable(control));
  CHECK_FALSE(is_printable(std::string_view("a\0b", 3)));
}

TEST_CASE("text: what a terminal would obey is shown as its bytes", "[sim][core][text]") {
  CHECK(printable("line 1\n\tµ\x1b]0;title\x07\r\xC2\x9B\xFF") == "line 1\n\tµ\\x1b]0;title\\x07\\x0d\\xc2\\x9b\\xff");
  CHECK(printable(std::string_view("a\0b", 3)) == "a\\x00b");
  CHECK(excerpt("a\n\tb\x1b") == "a\\n\\x09b\\x1b");
  CHECK(excerpt("a \\ \"quoted\" 'word'") == "a \\ \"quoted\" 'word'");
}

TEST_CASE("text: long input is cut to its beginning and end, between characters", "[sim][core][text]") {
  CHECK(excerpt("123456789", 9) == "123456789");
  CHECK(excerpt("1234567890", 9) == "12345…890");
  CHECK(excerpt("µµµµµµµµµµ", 9) == "µµµµµ…µµµ");
  CHECK(excerpt(std::string(200'000, 'x')).size() == 99 + std::string("…").size());
  CHECK(excerpt("\n\n\n\n\n\n\n\n\n\n", 9) == "\\n\\n\\n\\n\\n…\\n\\n\\n");
}

TEST_CASE("errors: input of any length and content makes one line, and the parts keep it", "[sim][core][error]") {
  const std::string hostile = "\x1b]0;pwned\x07" + std::string(200'000, 'y') + "\n";
  const InvalidArgument error({"a.yaml:1:2", hostile, "must be short", "'" + hostile + "'", hostile});
  const std::string sentence = error.what();
  CHECK(sentence.size() < 1500);
  CHECK(is_printable(sentence));
  CHECK(sentence.starts_with("a.yaml:1:2 \\x1b]0;pwned\\x07yyy"));
  CHECK(sentence.find(": must be short, got '\\x1b]0;") != std::string::npos);
  CHECK(error.parts().got == "'" + hostile + "'");
  CHECK(error.at("b.yaml").parts().what == hostile);
  CHECK(std::string(InvalidArgument({"", "mass", "must be > 0 kg", "-2", "give more"}).what()) ==
        "mass: must be > 0 kg, got -2; give more");
}
