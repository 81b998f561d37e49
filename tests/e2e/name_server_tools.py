"""A name server in our hands: getaddrinfo() of one process, slow for one name."""
import subprocess

LOOK_UP_S = 6

SOURCE = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <netdb.h>
#include <string.h>
#include <unistd.h>

// slow.example and quick.example are this machine; the one takes its time.
int getaddrinfo(const char* node, const char* service, const struct addrinfo* hints, struct addrinfo** list) {
  int (*real)(const char*, const char*, const struct addrinfo*, struct addrinfo**) = dlsym(RTLD_NEXT, "getaddrinfo");
  if (node != NULL && strcmp(node, "slow.example") == 0) {
    sleep(LOOK_UP_S);
    node = "127.0.0.1";
  } else if (node != NULL && strcmp(node, "quick.example") == 0) {
    node = "127.0.0.1";
  }
  return real(node, service, hints, list);
}
"""


def slow_name_server(directory):
    """The environment of a process that has it."""
    library = directory / "slow_names.so"
    subprocess.run(["cc", "-shared", "-fPIC", f"-DLOOK_UP_S={LOOK_UP_S}", "-x", "c", "-", "-o", library, "-ldl"],
                   input=SOURCE, text=True, check=True)
    return {"LD_PRELOAD": str(library)}
