// Frames, request headers, and the kept input and output of a connection, without a socket.
#include "net/frame.h"

#include <gtest/gtest.h>

#include "net/input.h"
#include "net/output.h"
#include "net/request_header.h"
#include "tests/unit/net/harness.h"

namespace hayward::net {
namespace {

constexpr std::int32_t max_bytes = 1000;

TEST(Frame, EveryPrefixIsIncomplete) {
  const Buffer frame = request_frame(18, 0, 7, "body");
  for (std::size_t n = 0; n < frame.size(); ++n) {
    EXPECT_EQ(next_frame(Bytes(frame).first(n), max_bytes).status, FrameStatus::incomplete) << n;
  }
  const Frame whole = next_frame(frame, max_bytes);
  EXPECT_EQ(whole.status, FrameStatus::complete);
  EXPECT_EQ(whole.consumed, frame.size());
  EXPECT_EQ(whole.payload.size(), frame.size() - 4);
}

TEST(Frame, SizesAtTheBounds) {
  const auto status = [](std::int32_t size) { return next_frame(size_prefix(size), max_bytes).status; };
  EXPECT_EQ(status(0), FrameStatus::bad_size);
  EXPECT_EQ(status(-1), FrameStatus::bad_size);
  EXPECT_EQ(status(INT32_MIN), FrameStatus::bad_size);
  EXPECT_EQ(status(INT32_MAX), FrameStatus::bad_size);
  EXPECT_EQ(status(max_bytes + 1), FrameStatus::bad_size);
  EXPECT_EQ(status(max_bytes), FrameStatus::incomplete);
  EXPECT_EQ(status(1), FrameStatus::incomplete);
}

TEST(Frame, ForeignProtocols) {
  const auto guess = [](std::string_view text) {
    const char* protocol = guess_protocol(as_bytes(text));
    return std::string_view(protocol == nullptr ? "?" : protocol);
  };
  EXPECT_EQ(guess(std::string_view("\x16\x03\x01\x02\x00", 5)), "TLS");
  EXPECT_EQ(guess("GET / HTTP/1.1"), "HTTP");
  EXPECT_EQ(guess("PRI * HTTP/2.0"), "HTTP");
  EXPECT_EQ(guess("SSH-2.0"), "SSH");
  EXPECT_EQ(guess("GET"), "?");
  EXPECT_EQ(guess(std::string_view("\0\0\0\x20", 4)), "?");
}

HeaderError parse(Bytes frame, RequestHeader& header) {
  return parse_request_header(frame.subspan(4), test_apis, header);
}

TEST(RequestHeaderTest, ClassicAndFlexible) {
  RequestHeader header;
  const Buffer classic = request_frame(19, 4, 42, "abc");
  ASSERT_EQ(parse(classic, header), HeaderError::none);
  EXPECT_EQ(header.api_key, 19);
  EXPECT_EQ(header.api_version, 4);
  EXPECT_EQ(header.correlation_id, 42);
  EXPECT_EQ(header.client_id, "test");
  EXPECT_EQ(as_text(header.body), "abc");
  const Buffer flexible = request_frame(19, 5, 43, "abc", /*flexible=*/true);
  ASSERT_EQ(parse(flexible, header), HeaderError::none);
  EXPECT_EQ(as_text(header.body), "abc");
}

TEST(RequestHeaderTest, NullClientIdAndUnknownTags) {
  Buffer frame(64);
  Writer writer(frame);
  writer.write_i32(0);
  writer.write_i16(63);
  writer.write_i16(1);
  writer.write_i32(9);
  writer.write_nullable_string(std::nullopt, false);
  writer.write_uvarint(2);
  for (const unsigned tag : {5u, 300u}) {
    writer.write_uvarint(tag);
    writer.write_uvarint(3);
    writer.write_raw(as_bytes("xyz"));
  }
  writer.write_raw(as_bytes("body"));
  frame.resize(writer.written());
  RequestHeader header;
  ASSERT_EQ(parse(frame, header), HeaderError::none);
  EXPECT_EQ(header.client_id, std::nullopt);
  EXPECT_EQ(as_text(header.body), "body");
}

TEST(RequestHeaderTest, EveryTruncationIsMalformed) {
  const Buffer frame = request_frame(63, 1, 9, "", /*flexible=*/true);
  for (std::size_t n = 4; n < frame.size(); ++n) {
    RequestHeader header;
    EXPECT_EQ(parse(Bytes(frame).first(n), header), HeaderError::malformed) << n;
  }
}

TEST(RequestHeaderTest, HugeTagCountEndsAtTheInput) {
  Buffer frame = request_frame(63, 1, 9, "\xff\xff\xff\xff\x0f", /*flexible=*/false);  // the body is read as tags
  RequestHeader header;
  EXPECT_EQ(parse(frame, header), HeaderError::malformed);
}

TEST(RequestHeaderTest, UnknownApisAndVersions) {
  RequestHeader header;
  EXPECT_EQ(parse(request_frame(3, 0, 1, ""), header), HeaderError::unknown_api);
  EXPECT_EQ(parse(request_frame(-1, 0, 1, ""), header), HeaderError::unknown_api);
  EXPECT_EQ(parse(request_frame(INT16_MAX, 0, 1, ""), header), HeaderError::unknown_api);
  EXPECT_EQ(parse(request_frame(19, 1, 1, ""), header), HeaderError::unsupported_version);
  EXPECT_EQ(parse(request_frame(19, 8, 1, ""), header), HeaderError::unsupported_version);
  EXPECT_EQ(parse(request_frame(19, -1, 1, ""), header), HeaderError::unsupported_version);
}

TEST(RequestHeaderTest, ApiVersionsOfAnyVersionIsLetThrough) {
  RequestHeader header;
  ASSERT_EQ(parse(request_frame(18, 99, 5, "", /*flexible=*/true), header), HeaderError::none);
  EXPECT_EQ(header.api_version, 99);
  EXPECT_EQ(header.correlation_id, 5);
  ASSERT_EQ(parse(request_frame(18, -3, 6, ""), header), HeaderError::none);
  EXPECT_EQ(header.api_version, -3);
}

TEST(InputTest, FramesKeepTheirArrivalAndOrder) {
  Input input(max_bytes);
  const Buffer first = request_frame(18, 0, 1, "first");
  const Buffer second = request_frame(18, 0, 2, "second");
  input.append(Bytes(first).first(5));
  EXPECT_FALSE(input.announce({10}));
  input.append(Bytes(first).subspan(5));
  input.append(Bytes(second).first(9));
  EXPECT_TRUE(input.announce({20}));
  EXPECT_FALSE(input.announce({20}));
  input.append(Bytes(second).subspan(9));
  EXPECT_TRUE(input.announce({30}));

  ASSERT_TRUE(input.front());
  EXPECT_EQ(input.front()->arrival.ns, 20);
  EXPECT_EQ(input.front()->payload.size(), first.size() - 4);
  input.pop();
  ASSERT_TRUE(input.front());
  EXPECT_EQ(input.front()->arrival.ns, 30);
  input.pop();
  EXPECT_FALSE(input.front());
  EXPECT_TRUE(input.empty());
}

TEST(InputTest, BadSizeShowsOnlyBehindTheWaitingFrames) {
  Input input(max_bytes);
  input.append(request_frame(18, 0, 1, "ok"));
  input.append(size_prefix(-5));
  EXPECT_TRUE(input.announce({1}));
  EXPECT_FALSE(input.announce({1}));
  EXPECT_FALSE(input.bad());
  input.pop();
  EXPECT_TRUE(input.bad());
  EXPECT_EQ(input.next().size, -5);
}

std::string text_of(const Output& output) {
  std::string text;
  for (const iovec& part : output.parts()) text.append(static_cast<const char*>(part.iov_base), part.iov_len);
  return text;
}

driver::LogSlice slice_of(std::initializer_list<std::string_view> parts) {
  driver::LogSlice slice;
  for (const std::string_view part : parts) slice.parts.push_back(as_bytes(part));
  return slice;
}

TEST(OutputTest, SliceWithCompactAndClassicLength) {
  Output output;
  output.set(to_buffer("head"), slice_of({"one", "", "three"}), to_buffer("tail"), true);
  EXPECT_EQ(text_of(output), std::string("\0\0\0\x11", 4) + "head\x09onethreetail");
  output.set(to_buffer("head"), slice_of({}), {}, true);
  EXPECT_EQ(text_of(output), std::string("\0\0\0\x05", 4) + "head\x01");
  output.set(to_buffer("h"), slice_of({"ab"}), to_buffer("t"), false);
  EXPECT_EQ(text_of(output), std::string("\0\0\0\x08h\0\0\0\x02"
                                         "abt",
                                         12));
}

TEST(OutputTest, AdvanceByEveryStep) {
  const std::string whole = std::string("\0\0\0\x11", 4) + "head\x09onethreetail";
  for (std::size_t step = 1; step <= whole.size(); ++step) {
    Output output;
    output.set(to_buffer("head"), slice_of({"one", "three"}), to_buffer("tail"), true);
    std::string sent;
    while (!output.done()) {
      const std::string left = text_of(output);
      const std::size_t n = std::min(step, left.size());
      sent += left.substr(0, n);
      output.advance(n);
    }
    EXPECT_EQ(sent, whole) << step;
  }
}

TEST(OutputTest, ManyPartsGoInSeveralCalls) {
  Output output;
  driver::LogSlice slice;
  for (int i = 0; i < 3000; ++i) slice.parts.push_back(as_bytes("x"));
  output.set(to_buffer("h"), std::move(slice), {}, true);
  std::size_t sent = 0;
  while (!output.done()) {
    EXPECT_LE(output.parts().size(), 1024u);
    const std::string left = text_of(output);
    sent += left.size();
    output.advance(left.size());
  }
  EXPECT_EQ(sent, 4u + 1u + 2u + 3000u);
}

}  // namespace
}  // namespace hayward::net
