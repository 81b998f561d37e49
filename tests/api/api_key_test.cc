#include "api/api_key.h"

#include <doctest/doctest.h>

namespace sluice {

TEST_CASE("a new key has the form of a key, its own id and hash") {
  const NewKey key = make_key();
  const auto id = key_id(key.text);
  REQUIRE(id);
  CHECK(*id == key.id);
  CHECK(same_digest(parse_digest(key.sha256), sha256(key.text)));
  CHECK(make_key().text != key.text);
}

TEST_CASE("what has not the form of a key has no id") {
  const std::string good = make_key().text;
  std::string upper = good;
  upper[10] = 'A';
  for (const std::string& text :
       {std::string(), good.substr(1), good + "0", good.substr(0, good.size() - 1), upper,
        "Sluice_" + good.substr(7), std::string(good.size(), '0')}) {
    CAPTURE(text);
    CHECK_FALSE(key_id(text));
  }
}

TEST_CASE("the digest is SHA-256, and a malformed one equals no key's") {
  const auto digest =
      parse_digest("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  CHECK(same_digest(digest, sha256("abc")));
  CHECK_FALSE(same_digest(digest, sha256("abd")));
  for (const char* malformed :
       {"", "ba78", "zz7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"}) {
    CHECK(same_digest(parse_digest(malformed), Sha256{}));
  }
}

TEST_CASE("a scope allows itself alone, administrators all") {
  Caller submitter, reader, admin;
  submitter.may_submit = reader.may_read = admin.is_admin = true;
  CHECK(submitter.may(Scope::submit));
  CHECK_FALSE(submitter.may(Scope::read));
  CHECK(reader.may(Scope::read));
  CHECK_FALSE(reader.may(Scope::submit));
  for (const Scope scope : {Scope::submit, Scope::read, Scope::admin}) {
    CHECK(admin.may(scope));
    CHECK_FALSE(Caller().may(scope));
  }
  CHECK_FALSE(reader.may(Scope::admin));
}

}  // namespace sluice
