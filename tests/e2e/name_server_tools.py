"""A name server in our hands: getaddrinfo() of one process, slow for some names."""
import os
import subprocess

LOOK_UP_S = 20  # nobody waits for its end

SOURCE = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <netdb.h>
#include <string.h>
#include <unistd.h>

// Names that end in slow.example or quick.example are this machine; the former take their time.
static int ends(const char* node, const char* name) {
  size_t length = strlen(node);
  return length >= strlen(name) && strcmp(node + length - strlen(name), name) == 0;
}

int getaddrinfo(const char* node, const char* service, const struct addrinfo* hints,
                struct addrinfo** list) {
  int (*real)(const char*, const char*, const struct addrinfo*, struct addrinfo**) =
      dlsym(RTLD_NEXT, "getaddrinfo");
  if (node != NULL && ends(node, "slow.example")) {
    sleep(LOOK_UP_S);
    node = "127.0.0.1";
  } else if (node != NULL && ends(node, "quick.example")) {
    node = "127.0.0.1";
  }
  return real(node, service, hints, list);
}
"""


def slow_name_server(directory):
    """The environment of a process that has it."""
    library = directory / "slow_names.so"
    subprocess.run(["cc", "-shared", "-fPIC", f"-DLOOK_UP_S={LOOK_UP_S}", "-x", "c",
        "-", "-o", library, "-ldl"],
                   input=SOURCE, text=True, check=True)
    # A sanitizer wants to be the first library, and this is not.
    return {"LD_PRELOAD": str(library), "ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "")
        + ":verify_asan_link_order=0"}
