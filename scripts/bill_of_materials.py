"""What a package is made of: an SPDX 2.3 document for programs, a NOTICE with the licences for
people.

A part is a dict of name, version, licence (SPDX), source (Debian's source package, or None for
what lies in the tree) and copyright (the path of the text)."""
import datetime
import pathlib
import re
import urllib.parse
import uuid

NAMESPACE = uuid.UUID("5b0c1d0e-52f4-4f0a-9a4c-6f2f6d8b7a11")  # of Sluice's documents
PACKAGE_ID = "SPDXRef-Package"
COMMON_LICENCES = "/usr/share/common-licenses"  # Debian's texts refer to the texts there
NOTICE = """Sluice {version}, revision {revision}

Sluice itself is under the MIT license, see LICENSE. This package also holds, linked statically or
embedded, what others wrote. Their notices follow, and the licences that these name.

Those under the LGPL: you may change such a library and link Sluice with yours. Sluice's source is
free, and `scripts/package portable` builds this package from it and from Debian's sources of the
versions below (`apt-get source NAME=VERSION` on Debian 12).

{table}
"""


def tree_parts(root):
    """What lies in the tree itself and ends in the binary."""
    header = (root / "src/third_party/llhttp/llhttp.h").read_text()
    llhttp = ".".join(re.search(rf"LLHTTP_VERSION_{part} (\d+)", header)[1]
        for part in ("MAJOR", "MINOR", "PATCH"))
    parts = [("llhttp", llhttp, "MIT", root / "src/third_party/llhttp/LICENSE")]
    table = (root / "web/vendor/README.md").read_text()
    known = dict.fromkeys(re.findall(r"^\| `\S+` \| (\S+) \| (\S+) \| (\S+) \|$", table, re.M))
    parts += [(name, version, licence, root / "web/vendor" / f"LICENSE-{name}")
        for name, version, licence in known]
    return [{"name": name, "version": version, "licence": licence, "source": None,
        "copyright": str(path)} for name, version, licence, path in parts]


def notice(origin, parts):
    width = max(len(part["name"]) for part in parts)
    table = "\n".join(f"{part['name']:{width}}  {source_of(part)}  {part['licence']}"
        for part in parts)
    texts = {part["name"]: text_of(part) for part in parts}
    named = {name.rstrip(".") for text in texts.values()
        for name in re.findall(rf"{COMMON_LICENCES}/([\w.-]+)", text)}
    texts |= {f"{COMMON_LICENCES}/{name}": pathlib.Path(COMMON_LICENCES, name).read_text()
        for name in sorted(named) if pathlib.Path(COMMON_LICENCES, name).exists()}
    return "\n".join([NOTICE.format(table=table, version=origin.version,
        revision=origin.revision), *(f"{'=' * 78}\n{name}\n\n{text}"
            for name, text in texts.items())])


def source_of(part):
    return f"{part['source']} {part['version']}" if part["source"] else part["version"]


def text_of(part):
    return pathlib.Path(part["copyright"]).read_text(encoding="utf-8", errors="replace")


def date_of(epoch_s):
    moment = datetime.datetime.fromtimestamp(epoch_s, datetime.timezone.utc)
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


def spdx(name, origin, sha256, parts, holds=None):
    """An SPDX document as a dict. Params: origin: package_kind.Origin; sha256: of the package's
    file; parts: linked statically, unless they say another relationship; holds: the document of a
    package that this one holds."""
    version = origin.version
    package = {"SPDXID": PACKAGE_ID, "name": name, "versionInfo": version,
        "licenseDeclared": "MIT", "licenseConcluded": "NOASSERTION", "filesAnalyzed": False,
        "downloadLocation": "NOASSERTION", "copyrightText": "NOASSERTION",
        "checksums": [{"algorithm": "SHA256", "checksumValue": sha256}]}
    described = [described_part(part) for part in parts]
    relations = [part.get("relationship", "STATIC_LINK") for part in parts]
    for held in holds["packages"] if holds else ():
        if held["SPDXID"] != PACKAGE_ID:
            described.append(held)
            relations.append("STATIC_LINK")
    relationships = [("SPDXRef-DOCUMENT", "DESCRIBES", PACKAGE_ID),
        *((PACKAGE_ID, relation, one["SPDXID"]) for relation, one in zip(relations, described))]
    return {"spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT",
        "name": f"{name}-{version}",
        "documentNamespace": f"urn:uuid:{uuid.uuid5(NAMESPACE, f'{name} {version} {sha256}')}",
        "creationInfo": {"created": date_of(origin.epoch_s),
            "creators": ["Tool: sluice-scripts-package"]},
        "packages": [package, *described],
        "relationships": [{"spdxElementId": one, "relationshipType": kind,
            "relatedSpdxElement": other} for one, kind, other in relationships]}


def described_part(part):
    identifier = re.sub(r"[^A-Za-z0-9.-]+", "-", part["name"]).strip("-")
    described = {"SPDXID": f"SPDXRef-{identifier}", "name": part["name"],
        "versionInfo": part["version"], "licenseDeclared": part["licence"],
        "licenseConcluded": "NOASSERTION", "filesAnalyzed": False,
        "downloadLocation": "NOASSERTION", "copyrightText": "NOASSERTION"}
    if part["source"]:
        version = urllib.parse.quote(part["version"], safe="")
        locator = f"pkg:deb/debian/{part['source']}@{version}?arch=source&distro=debian-12"
    else:
        locator = f"pkg:npm/{part['name']}@{part['version']}"
    described["externalRefs"] = [{"referenceCategory": "PACKAGE-MANAGER",
        "referenceType": "purl", "referenceLocator": locator}]
    return described
