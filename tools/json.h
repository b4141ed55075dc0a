// Writes one JSON document, compact, in the order of the calls. Commas and quoting are its work; that
// objects and arrays are closed is the caller's. Text that is no UTF-8 gets U+FFFD where it goes wrong.
// Owner: tools. One thread.
#pragma once

#include <charconv>
#include <cmath>
#include <concepts>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace hayward::tools {

class Json {
 public:
  Json& begin_object() { return open('{'); }
  Json& end_object() { return close('}'); }
  Json& begin_array() { return open('['); }
  Json& end_array() { return close(']'); }
  Json& key(std::string_view name) {
    separate();
    quote(name);
    text_ += ':';
    fresh_ = true;
    return *this;
  }
  Json& value(std::string_view v) {
    separate();
    quote(v);
    return *this;
  }
  Json& value(const char* v) { return value(std::string_view(v)); }
  Json& value(bool v) { return raw(v ? "true" : "false"); }
  // JSON has no such numbers as infinity: they are written as text, as Kafka's JSON does.
  Json& value(double v) {
    if (!std::isfinite(v)) return value(std::isnan(v) ? "NaN" : v > 0 ? "Infinity" : "-Infinity");
    char digits[32];  // the shortest form that reads back as the same value
    return raw({digits, static_cast<std::size_t>(std::to_chars(digits, digits + sizeof digits, v).ptr - digits)});
  }
  template <std::integral T>
  Json& value(T v) {
    return raw(std::to_string(v));
  }
  template <class T>
  Json& value(const std::optional<T>& v) {
    return v ? value(*v) : null();
  }
  Json& null() { return raw("null"); }

  // A value that is JSON already.
  Json& raw(std::string_view v) {
    separate();
    text_ += v;
    return *this;
  }

  const std::string& text() const { return text_; }
  // What was written since the last take(), so that a long document need not be held whole.
  std::string take() { return std::exchange(text_, {}); }

 private:
  Json& open(char bracket) {
    separate();
    text_ += bracket;
    fresh_ = true;
    return *this;
  }
  Json& close(char bracket) {
    text_ += bracket;
    fresh_ = false;
    return *this;
  }
  // A comma before everything but the first of a container and the value of a key.
  void separate() {
    if (!fresh_) text_ += ',';
    fresh_ = false;
  }
  void quote(std::string_view v) {
    text_ += '"';
    for (std::size_t at = 0; at < v.size();) {
      const auto c = static_cast<unsigned char>(v[at]);
      const std::size_t length = c < 0x80 ? 1 : utf8_length(v.substr(at));
      if (c == '"' || c == '\\') {
        text_ += '\\';
        text_ += v[at];
      } else if (c < 0x20) {
        char escaped[8];
        std::snprintf(escaped, sizeof escaped, "\\u%04x", static_cast<unsigned>(c));
        text_ += escaped;
      } else if (length == 0) {
        text_ += "\xEF\xBF\xBD";
      } else {
        text_ += v.substr(at, length);
      }
      at += length == 0 ? 1 : length;
    }
    text_ += '"';
  }
  // Bytes of the character of two or more bytes at the start of `v`; 0 if it is none (overlong, a surrogate,
  // above U+10FFFF, cut short).
  static std::size_t utf8_length(std::string_view v) {
    const auto byte = [&](std::size_t i) { return i < v.size() ? static_cast<unsigned char>(v[i]) : 0u; };
    const unsigned first = byte(0);
    std::size_t length = 0;
    if (first >= 0xC2 && first <= 0xDF) length = 2;
    else if ((first & 0xF0) == 0xE0) length = 3;
    else if (first >= 0xF0 && first <= 0xF4) length = 4;
    for (std::size_t i = 1; i < length; ++i)
      if ((byte(i) & 0xC0) != 0x80) return 0;
    const bool bad = (first == 0xE0 && byte(1) < 0xA0) || (first == 0xED && byte(1) > 0x9F) || (first == 0xF0 && byte(1) < 0x90) ||
                     (first == 0xF4 && byte(1) > 0x8F);
    return bad ? 0 : length;
  }

  std::string text_;
  bool fresh_ = true;
};

}  // namespace hayward::tools
