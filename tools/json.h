// Writes one JSON document, compact, in the order of the calls. Commas and quoting are its work; that
// objects and arrays are closed is the caller's.
// Owner: tools. One thread.
#pragma once

#include <charconv>
#include <concepts>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>

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
  Json& value(double v) {
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

  const std::string& text() const { return text_; }

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
  Json& raw(std::string_view v) {
    separate();
    text_ += v;
    return *this;
  }
  // A comma before everything but the first of a container and the value of a key.
  void separate() {
    if (!fresh_ && !text_.empty()) text_ += ',';
    fresh_ = false;
  }
  void quote(std::string_view v) {
    text_ += '"';
    for (const char c : v) {
      if (c == '"' || c == '\\') {
        text_ += '\\';
        text_ += c;
      } else if (static_cast<unsigned char>(c) < 0x20) {
        char escaped[8];
        std::snprintf(escaped, sizeof escaped, "\\u%04x", static_cast<unsigned>(c));
        text_ += escaped;
      } else {
        text_ += c;
      }
    }
    text_ += '"';
  }

  std::string text_;
  bool fresh_ = true;
};

}  // namespace hayward::tools
