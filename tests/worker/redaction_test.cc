#include "worker/redaction.h"

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <simdjson.h>

#include <ctime>
#include <string>

#include "json_text.h"

namespace sluice {

namespace {

constexpr std::string_view secret = "sk-proj/Abc\"def0123";

std::string cleaned(std::string text) {
  Redaction{std::string(secret)}.apply(text);
  return text;
}

// Every character as JSON may spell any: \u and four digits, behind so many backslashes.
std::string escaped(std::string_view text, size_t backslashes) {
  std::string spelled;
  for (const char c : text) {
    spelled += std::string(backslashes, '\\') + fmt::format("u{:04X}", static_cast<int>(c));
  }
  return spelled;
}

}  // namespace

TEST_CASE("a secret is taken out wherever it stands") {
  CHECK(cleaned("no") == "no");
  CHECK(cleaned(std::string(secret)) == "[secret]");
  CHECK(cleaned(fmt::format("a {0}, {0}{0} b", secret)) == "a [secret], [secret][secret] b");
}

TEST_CASE("so is one whose characters are escaped, one or all, once or twice") {
  CHECK(cleaned(R"("sk-proj\/Abc\"def0123")") == R"("[secret]")");
  CHECK(cleaned(R"("x\n\u0073k-proj/Abc\u0022def012\u0033y")") == R"("x\n[secret]y")");
  CHECK(cleaned(R"("\\sk-proj\/Abc\"def0123\\")") == R"("\\[secret]\\")");
  for (const size_t backslashes : {size_t{1}, size_t{2}, size_t{4}}) {
    const std::string spelled = escaped(secret, backslashes);
    CHECK(cleaned("\"" + spelled + spelled + "\"") == R"("[secret][secret]")");
  }
  CHECK(cleaned(R"({"a":"{\"k\":\"sk-proj\\/Abc\\\"def0123\"}"})") ==
        R"({"a":"{\"k\":\"[secret]\"}"})");
}

TEST_CASE("backslashes of a secret are one character each, however they are spelled") {
  for (const std::string with_some :
       {R"(sk-pl\ain\nSECRET)", R"(\\sk-plain\u0041)", R"(sk-plain\"SECRET)", R"(sk-plain\)"}) {
    CAPTURE(with_some);
    const Redaction redaction{with_some};
    std::string once = json_string(with_some);
    once = once.substr(1, once.size() - 2);
    std::string twice = json_string(once);
    twice = twice.substr(1, twice.size() - 2);
    for (const std::string& spelled :
         {with_some, once, twice, escaped(with_some, 1), escaped(with_some, 2)}) {
      std::string text = "\"" + spelled + "\", \"x" + spelled + "\"";
      CHECK(redaction.apply(text));
      CHECK(text == R"("[secret]", "x[secret]")");
    }
    std::string text = R"("sk-pl\\aim", "\\sk-plain", "\n\\")";
    const std::string as_it_was = text;
    CHECK_FALSE(redaction.apply(text));
    CHECK(text == as_it_was);
  }
}

TEST_CASE("what is no secret stays as it is, to the byte") {
  for (const std::string_view text :
       {R"("sk-proj\/Abc\"def012")", R"(\u0073)", R"(\u00)", R"(\)", R"(\\\\)", R"(\u00zz\u0073k-)",
        R"("\u4f60\u597d")", R"(sk-proj\/)"}) {
    CHECK(cleaned(std::string(text)) == text);
  }
  std::string text = "ollama says ollama";
  Redaction("ollama").apply(text);
  CHECK(text == "ollama says ollama");  // a placeholder
  Redaction().apply(text);
  CHECK(text == "ollama says ollama");
}

TEST_CASE("a short secret is one from its eighth byte on") {
  for (const std::string short_one : {"tok-4567", "tok-4567-abcdef"}) {
    std::string text = "you sent " + short_one;
    Redaction(short_one).apply(text);
    CHECK(text == "you sent [secret]");
  }
  std::string text = "you sent tok-456";
  Redaction("tok-456").apply(text);
  CHECK(text == "you sent tok-456");
}

TEST_CASE("an echo a million times over is taken out in linear time") {
  std::string text;
  for (int i = 0; i < 1'000'000; ++i) text += R"(sk-proj\/Abc\"def0123)";
  CHECK(cleaned(std::move(text)).size() == 8'000'000);
}

// A worker's loop stood still for 8 s for an answer of 32 MB.
TEST_CASE("an answer of escapes alone does not have the secret looked through at each") {
  std::string text;
  for (int i = 0; i < 1'000'000; ++i) text += R"(\n)";
  std::string long_secret = "sk-proj-";
  for (int i = 0; i < 2'000; ++i) long_secret += static_cast<char>('a' + i % 10);
  const std::clock_t begun = std::clock();
  CHECK(!Redaction(long_secret).apply(text));
  CHECK(std::clock() - begun < 2 * CLOCKS_PER_SEC);
}

TEST_CASE("an outcome's texts are cleaned too: its pieces may have held no secret each") {
  const Redaction redaction{std::string(secret)};
  Outcome solved =
      Solved{std::string(secret), "{}", 200, std::nullopt, std::nullopt, {}, {}, {}, ""};
  redaction.apply(solved);
  CHECK(std::get<Solved>(solved).answer == "[secret]");
  CHECK(std::get<Solved>(solved).response == R"("[secret]")");
  Outcome refused = Refused{"http_404", fmt::format("calls go to http://h/{}: no", secret), 404};
  redaction.apply(refused);
  CHECK(std::get<Refused>(refused).error == "calls go to http://h/[secret]: no");
}

}  // namespace sluice
