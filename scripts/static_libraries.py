"""The root that the portable file is compiled in: glibc 2.31 of Debian 11, and Debian 12's
libraries as archives that are linked statically.

Most archives are Debian's own. Those that Debian does not make, or makes to need libraries that
have no archive (Kerberos, LDAP, PKCS #11), are built from Debian's sources (D-313).
"""
import concurrent.futures
import dataclasses
import hashlib
import os
import pathlib
import shutil
import subprocess
import sys

import debian_archive

TRIPLET = "x86_64-linux-gnu"
COMPILER_VERSION = "12"
# Those of src, see meson.build, and sections that the linker can leave out.
FLAGS = ("-O2 -fstack-protector-strong -fstack-clash-protection -fcf-protection -Wformat "
    "-Werror=format-security -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2 "
    "-ffunction-sections -fdata-sections")
LIBC_PARTS = "-lm -lpthread -ldl -lrt"
C_LIBRARY = ("libc6", "libc6-dev", "libcrypt-dev", "linux-libc-dev")


@dataclasses.dataclass(frozen=True)
class Part:
    """What goes into the file, as it is told to users."""
    name: str
    licence: str  # SPDX
    package: str  # Debian's, with the headers and, where it has one, the archive
    source: str = ""  # it is built from this source package of Debian's


PARTS = (
    Part("CLI11", "BSD-3-Clause", "libcli11-dev"),
    Part("curl", "curl", "libcurl4-openssl-dev", "curl"),
    Part("expected", "CC0-1.0", "libexpected-dev"),
    Part("fmt", "MIT", "libfmt-dev", "fmtlib"),
    Part("GMP", "LGPL-3.0-or-later OR GPL-2.0-or-later", "libgmp-dev"),
    Part("GnuTLS", "LGPL-2.1-or-later", "libgnutls28-dev", "gnutls28"),
    Part("libidn2", "LGPL-3.0-or-later OR GPL-2.0-or-later", "libidn2-dev"),
    Part("libmicrohttpd", "LGPL-2.1-or-later", "libmicrohttpd-dev"),
    Part("libpq", "PostgreSQL", "libpq-dev", "postgresql-15"),
    Part("libpqxx", "BSD-3-Clause", "libpqxx-dev"),
    Part("libtasn1", "LGPL-2.1-or-later", "libtasn1-6-dev"),
    Part("libunistring", "LGPL-3.0-or-later OR GPL-2.0-or-later", "libunistring-dev"),
    Part("libuv", "MIT", "libuv1-dev"),
    Part("ncurses", "X11-distribute-modifications-variant", "libncurses-dev"),
    Part("nettle", "LGPL-3.0-or-later OR GPL-2.0-or-later", "nettle-dev"),
    Part("nghttp2", "MIT", "libnghttp2-dev"),
    Part("OpenSSL", "Apache-2.0", "libssl-dev"),
    Part("prometheus-cpp", "MIT", "prometheus-cpp-dev", "prometheus-cpp"),
    Part("simdjson", "Apache-2.0", "libsimdjson-dev", "simdjson"),
    Part("spdlog", "MIT", "libspdlog-dev", "spdlog"),
)
# Compiled for the tests alone; and whose copyright files the packages above refer to.
OTHER_PACKAGES = ("doctest-dev", "gcc-12-base", "libtinfo6")
COPYRIGHT_IN = {"libncurses-dev": "libtinfo6"}
# For pkg-config, of what is built here. Their own would name what they were built beside.
PKG_CONFIG_FILES = {
    "curl": ("libcurl", "-lcurl", "libnghttp2 libidn2 libssl libcrypto"),
    "gnutls28": ("gnutls", "-lgnutls -lunistring", "hogweed nettle libtasn1 gmp"),
    "postgresql-15": ("libpq", "-lpq -lpgcommon -lpgport", "libssl libcrypto"),
}
PKG_CONFIG_FILE = """prefix=/usr
libdir=/usr/lib/{triplet}

Name: {name}
Description: built by scripts/package
Version: {version}
Libs: -L${{libdir}} {libraries}
Requires.private: {requires}
Cflags: -I/usr/include{folder}
"""
CURL_WITHOUT = ("dict file ftp gopher imap ldap ldaps mqtt pop3 rtsp smb smtp telnet tftp manual "
    "libcurl-option ntlm tls-srp unix-sockets").split()


class StaticLibraries:
    """Below `directory`: archives of packages, the root and what is compiled on the way."""

    def __init__(self, directory):
        self.directory = pathlib.Path(directory)
        self.sysroot = self.directory / "sysroot"
        self.libraries = self.sysroot / "usr/lib" / TRIPLET
        self.sources = self.directory / "sources"
        self.stamp = self.directory / "made_of"
        self.pkg_config = self.directory / "pkg-config"
        self.jobs = os.cpu_count() or 1

    def compiler(self, language):
        """gcc or g++ with glibc 2.31: its files come before those of this machine."""
        ccache = [shutil.which("ccache")] if shutil.which("ccache") else []
        return [*ccache, f"{language}-{COMPILER_VERSION}", f"--sysroot={self.sysroot}",
            f"-B{self.libraries}"]

    def make(self):
        """Makes the root, unless it was made of the same things already. Returns the parts."""
        archive = self.directory / "archive"
        now = debian_archive.Archive(archive / "bookworm", "bookworm")
        then = debian_archive.Archive(archive / "bullseye", "bullseye")
        packages = now.fetch([*(part.package for part in PARTS), *OTHER_PACKAGES])
        c_library = then.fetch(C_LIBRARY)
        sources = {part.source: now.fetch_source(part.source) for part in PARTS if part.source}
        made_of = self._made_of([*packages.values(), *c_library.values(), *sources.values()])
        if not self.stamp.exists() or self.stamp.read_text() != made_of:
            self.stamp.unlink(missing_ok=True)
            self._lay(packages, c_library)
            for part in PARTS:
                if part.source:
                    self._build(part, sources[part.source], packages[part.package])
            self.stamp.write_text(made_of)
        return [*(self._told(part, packages, sources) for part in PARTS), self._runtime()]

    def _made_of(self, files):
        text = pathlib.Path(__file__).read_bytes() + pathlib.Path(
            debian_archive.__file__).read_bytes()
        return "\n".join([hashlib.sha256(text).hexdigest(), *sorted(file.name for file in files)])

    def _told(self, part, packages, sources):
        package = packages[part.package]
        source, version = debian_archive.source_of(package)
        if part.source:
            source, version = part.source, debian_archive.version_of(sources[part.source])
        folder = COPYRIGHT_IN.get(part.package, part.package)
        return {"name": part.name, "licence": part.licence, "source": source, "version": version,
            "copyright": str(self.sysroot / "usr/share/doc" / folder / "copyright")}

    # g++'s own, of this machine.
    def _runtime(self):
        version = subprocess.run(["dpkg-query", "-W", "-f", "${Version}",
            f"libstdc++-{COMPILER_VERSION}-dev"], check=True, stdout=subprocess.PIPE,
            text=True).stdout
        return {"name": "libstdc++ and libgcc", "source": f"gcc-{COMPILER_VERSION}",
            "licence": "GPL-3.0-or-later WITH GCC-exception-3.1", "version": version,
            "copyright": str(self.sysroot / "usr/share/doc/gcc-12-base/copyright")}

    def _lay(self, packages, c_library):
        print("sluice: unpacking Debian's libraries", file=sys.stderr)
        shutil.rmtree(self.sysroot, ignore_errors=True)
        shutil.rmtree(self.sources, ignore_errors=True)
        self.sysroot.mkdir(parents=True)
        for package in packages.values():
            debian_archive.unpack(package, self.sysroot)
        # Without shared ones, and without those that are built here.
        for pattern in ("*.so*", "libcurl.a", "libgnutls*.a", "libpq.a"):
            for file in self.libraries.glob(pattern):
                file.unlink()
        (self.libraries / "libuv.a").symlink_to("libuv_a.a")
        for package in c_library.values():
            debian_archive.unpack(package, self.sysroot)
            if package.name.startswith("libc6-dev_"):
                self._forget_archives(package)
        for link in self.sysroot.rglob("*"):
            if link.is_symlink() and os.readlink(link).startswith("/"):
                target = self.sysroot / os.readlink(link).lstrip("/")
                link.unlink()
                link.symlink_to(os.path.relpath(target, link.parent))
        self._write_pkg_config()

    # glibc itself is never linked statically: what it does for names of hosts would break.
    def _forget_archives(self, package):
        listed = subprocess.run(["dpkg-deb", "-c", package], check=True, stdout=subprocess.PIPE,
            text=True).stdout
        for file in (pathlib.Path(line.split()[-1]) for line in listed.splitlines()):
            if file.suffix == ".a" and file.name != "libc_nonshared.a":
                (self.sysroot / file).unlink()

    # Static libraries need what they need themselves, but for libc's parts: those are given at the
    # end. The root's folder for headers is not told: a compiler that is told it takes it out of its
    # turn.
    def _write_pkg_config(self):
        self.pkg_config.write_text(f"""#!/bin/sh
export PKG_CONFIG_LIBDIR='{self.libraries}/pkgconfig:{self.sysroot}/usr/share/pkgconfig'
export PKG_CONFIG_SYSROOT_DIR='{self.sysroot}'
export PKG_CONFIG_SYSTEM_INCLUDE_PATH='{self.sysroot}/usr/include:/usr/include'
unset PKG_CONFIG_PATH
told=$(/usr/bin/pkg-config --static "$@") || exit
printf '%s\\n' "$told" | sed -E ':again; s/(^| )-l(dl|m|pthread|rt)( |$)/\\1/; t again'
""")
        self.pkg_config.chmod(0o755)

    def _build(self, part, description, package):
        version = debian_archive.version_of(description)
        print(f"sluice: building {part.source} {version}", file=sys.stderr)
        if part.source in CXX_SOURCES:
            _, expected = debian_archive.source_of(package)
            if version != expected:
                sys.exit(f"sluice: the mirror has {part.source} {version}, but headers of "
                    f"{expected}: try again when it has both")
        folder = self.sources / part.source
        self.sources.mkdir(parents=True, exist_ok=True)
        debian_archive.unpack_source(description, folder)
        recipe = RECIPES.get(part.source, StaticLibraries._build_cxx)
        recipe(self, part.source, folder)
        if part.source in PKG_CONFIG_FILES:
            self._describe(part.source, version)

    def _describe(self, source, version):
        name, libraries, requires = PKG_CONFIG_FILES[source]
        upstream = (version.partition(":")[2] or version).partition("-")[0]
        (self.libraries / f"pkgconfig/{name}.pc").write_text(PKG_CONFIG_FILE.format(name=name,
            triplet=TRIPLET, libraries=libraries, requires=requires, version=upstream,
            folder="/postgresql" if name == "libpq" else ""))

    def _run(self, folder, *command, **variables):
        flags = f"{FLAGS} -ffile-prefix-map={self.directory}=."
        kept = {name: value for name, value in os.environ.items()
            if name in ("PATH", "HOME", "TMPDIR", "SOURCE_DATE_EPOCH") or name.startswith("CCACHE")}
        environment = kept | {"LC_ALL": "C.UTF-8", "TZ": "UTC", "CFLAGS": flags, "CXXFLAGS": flags,
            "CC": " ".join(self.compiler("gcc")), "PKG_CONFIG": str(self.pkg_config),
            "LIBS": LIBC_PARTS} | variables
        run = subprocess.run([*map(str, command)], cwd=folder, env=environment,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            errors="replace")
        if run.returncode != 0:
            sys.stderr.write(run.stdout[-20_000:])
            sys.exit(f"sluice: {command[0]} failed in {folder}")

    def _make(self, folder, *arguments):
        self._run(folder, "make", "-s", f"-j{self.jobs}", *arguments)

    # configure anew, as Debian's own builds do: its patches touch what configure is made from.
    def _configure(self, folder, *options):
        self._run(folder, "autoreconf", "--force", "--install", GTKDOCIZE="true")
        self._run(folder, "./configure", "--prefix=/usr", f"--libdir=/usr/lib/{TRIPLET}",
            "--sysconfdir=/etc", "--disable-shared", "--enable-static", *options)

    def _build_curl(self, _, folder):
        # They make the other two of Debian's three, and are taken back for this one there, too.
        for patch in ("99_nss.patch", "90_gnutls.patch"):
            self._run(folder, "patch", "-R", "-p1", "-i", f"debian/patches/{patch}")
        self._configure(folder, "--with-openssl", "--with-nghttp2", "--with-libidn2",
            "--without-ca-bundle", "--without-ca-path", "--without-zlib", "--without-brotli",
            "--without-zstd", "--without-libpsl", "--without-librtmp", "--without-libssh2",
            *(f"--disable-{feature}" for feature in CURL_WITHOUT))
        self._make(folder / "lib")
        self._make(folder / "lib", "install-libLTLIBRARIES", f"DESTDIR={self.sysroot}")
        self._make(folder / "include", "install", f"DESTDIR={self.sysroot}")

    def _build_gnutls(self, _, folder):
        for file in (folder / "m4").glob("*.m4"):
            if "gettext-0.20" in file.read_text(errors="replace"):
                file.unlink()  # as debian/rules does: autopoint brings today's
        self._configure(folder, "--disable-cxx", "--disable-doc", "--disable-guile",
            "--disable-libdane", "--disable-nls", "--disable-openssl-compatibility",
            "--disable-tests", "--disable-tools", "--without-brotli", "--without-idn",
            "--without-p11-kit", "--without-tpm", "--without-tpm2", "--without-zlib",
            "--without-zstd", "--with-default-trust-store-file=/etc/ssl/certs/ca-certificates.crt")
        self._make(folder / "gl")
        self._make(folder / "lib")
        self._make(folder / "lib", "install", f"DESTDIR={self.sysroot}")

    def _build_libpq(self, _, folder):
        self._run(folder, "./configure", "--prefix=/usr", "--sysconfdir=/etc/postgresql-common",
            "--with-openssl", "--without-readline", "--without-zlib")
        self._make(folder / "src/interfaces/libpq", "all-static-lib")
        self._make(folder / "src/common", "libpgcommon.a")
        self._make(folder / "src/port", "libpgport.a")
        headers = self.sysroot / "usr/include/postgresql"
        for file in ("common/libpgcommon.a", "port/libpgport.a", "interfaces/libpq/libpq.a"):
            shutil.copy(folder / "src" / file, self.libraries)
        for file in ("include/postgres_ext.h", "include/pg_config_ext.h",
                "interfaces/libpq/libpq-events.h", "interfaces/libpq/libpq-fe.h"):
            shutil.copy(folder / "src" / file, headers)

    def _build_cxx(self, source, folder):
        patterns, flags, library = CXX_SOURCES[source]
        # Relative, for __FILE__: some settings of ccache make it so, and the build would differ.
        files = sorted(file.relative_to(folder) for pattern in patterns
            for file in folder.glob(pattern))

        def compile_one(numbered):
            number, file = numbered
            target = folder / f"{number:02d}_{file.stem}.o"
            self._run(folder, *self.compiler("g++"), "-std=c++20", *FLAGS.split(),
                f"-ffile-prefix-map={self.directory}=.", *flags.split(), "-c", file, "-o", target)
            return target

        with concurrent.futures.ThreadPoolExecutor(self.jobs) as pool:
            objects = list(pool.map(compile_one, enumerate(files)))
        self._run(folder, "ar", "rcsD", self.libraries / library, *objects)


# Files, flags and the archive that they become.
CXX_SOURCES = {
    "fmtlib": (("src/format.cc", "src/os.cc"), "-Iinclude", "libfmt.a"),
    "prometheus-cpp": (("core/src/*.cc", "core/src/detail/*.cc"), "-Icore/include",
        "libprometheus-cpp-core.a"),
    "simdjson": (("src/simdjson.cpp",), "-Isrc -Iinclude -DSIMDJSON_THREADS_ENABLED=1",
        "libsimdjson.a"),
    "spdlog": (("src/[!f]*.cpp", "src/file_sinks.cpp"),
        "-Iinclude -DSPDLOG_COMPILED_LIB -DSPDLOG_FMT_EXTERNAL", "libspdlog.a"),
}
RECIPES = {"curl": StaticLibraries._build_curl, "gnutls28": StaticLibraries._build_gnutls,
    "postgresql-15": StaticLibraries._build_libpq}
