// How a field's value looks in JSON, by Kafka's conventions: uuids as their text, bytes as base64, null for what
// is absent. For the generated record_json.cc.
// Owner: tools/record_json. One thread.
#pragma once

#include <optional>
#include <string>

#include "schemas/runtime/array.h"
#include "schemas/runtime/bytes.h"
#include "schemas/runtime/strong.h"
#include "schemas/runtime/uuid.h"
#include "tools/json.h"
#include "tools/record_json/base64.h"

namespace hayward::tools {

template <class T>
  requires std::is_arithmetic_v<T>
void put(Json& json, T value) { json.value(value); }
inline void put(Json& json, std::string_view value) { json.value(value); }
inline void put(Json& json, Bytes value) { json.value(base64(value)); }
inline void put(Json& json, const Uuid& value) { json.value(value.to_string()); }
template <class Tag>
void put(Json& json, const StrongUuid<Tag>& value) { json.value(value.to_string()); }
template <class Tag, class T>
void put(Json& json, const Strong<Tag, T>& value) { json.value(value.value); }
template <class T>
void put(Json& json, const std::optional<T>& value) {
  if (value) put(json, *value);
  else json.null();
}

template <class T, class PutItem>
void put_array(Json& json, const Array<T>& items, PutItem put_item) {
  if (items.is_null()) return void(json.null());
  json.begin_array();
  for (const T& item : items) put_item(item);
  json.end_array();
}

}  // namespace hayward::tools
