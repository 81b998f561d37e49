"""What packaging/ has for Compose and Kubernetes: whole, restricted, and of flags that exist."""
import re

import pytest
import yaml
from conftest import ROOT, query

PACKAGING = ROOT / "packaging"
KUSTOMIZATIONS = ["base", "keda"]
OURS_IN_COMPOSE = ["migrate", "worker", "serve"]


def documents(kustomization):
    """The objects that a kustomization makes, those of the ones that it names included."""
    folder = PACKAGING / "kubernetes" / kustomization
    for resource in yaml.safe_load((folder / "kustomization.yaml").read_text())["resources"]:
        if (folder / resource).is_dir():
            yield from documents((folder / resource).resolve().relative_to(
                    PACKAGING / "kubernetes"))
        else:
            yield from yaml.safe_load_all((folder / resource).read_text())


def pods(kustomization):
    return [(one["metadata"]["name"], one["spec"]["template"])
        for one in documents(kustomization) if one["kind"] in ("Deployment", "Job")]


@pytest.fixture(scope="module")
def twins(sluice):
    """Of each command: the variables that its flags are read from."""
    def of(command):
        text = sluice("help", command).stdout
        return {"SLUICE_" + flag.upper().replace("-", "_")
            for flag in re.findall(r"--([a-z][a-z-]+)", text)} | {"SLUICE_LOG_FORMAT"}
    return of


def test_kustomizations_name_every_file():
    for kustomization in KUSTOMIZATIONS:
        folder = PACKAGING / "kubernetes" / kustomization
        named = yaml.safe_load((folder / "kustomization.yaml").read_text())["resources"]
        assert {path.name for path in folder.glob("*.yaml")} - {"kustomization.yaml"} == {
            name for name in named if name.endswith(".yaml")}
        assert list(documents(kustomization))


def test_pods_are_restricted():
    """As the Pod Security Standard of that name asks, and the root cannot be written to."""
    assert [name for name, _ in pods("base")] == ["sluice-migrate", "sluice-worker", "sluice-serve"]
    for _, pod in pods("base"):
        spec = pod["spec"]
        assert spec["securityContext"]["runAsNonRoot"]
        assert spec["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
        assert spec["automountServiceAccountToken"] is False
        for container in spec["containers"]:
            assert container["securityContext"] == {"allowPrivilegeEscalation": False,
                "readOnlyRootFilesystem": True, "capabilities": {"drop": ["ALL"]}}
            assert container["resources"]["limits"]["memory"]
    namespace = next(one for one in documents("base") if one["kind"] == "Namespace")
    assert namespace["metadata"]["labels"]["pod-security.kubernetes.io/enforce"] == "restricted"


def test_what_selects_pods_finds_them():
    labels = {name: pod["metadata"]["labels"] for name, pod in pods("base")}
    finds = lambda selector: [name for name, has in labels.items()
        if selector.items() <= has.items()]
    for one in documents("base"):
        spec = one.get("spec", {})
        selector = spec.get("selector") or spec.get("podSelector")
        if not selector:
            continue
        found = finds(selector.get("matchLabels", selector))
        assert found, one["metadata"]["name"]
        if one["kind"] in ("Deployment", "PodDisruptionBudget"):
            assert found == [one["metadata"]["name"]]
    scaled = next(one for one in documents("keda") if one["kind"] == "ScaledObject")
    assert scaled["spec"]["scaleTargetRef"]["name"] in labels


def test_ports_and_probes_fit():
    for name, pod in pods("base"):
        for container in pod["spec"]["containers"]:
            ports = {port["name"] for port in container.get("ports", [])}
            for probe in ("livenessProbe", "readinessProbe"):
                if name != "sluice-migrate":
                    assert container[probe]["httpGet"]["port"] in ports
    service = next(one for one in documents("base") if one["kind"] == "Service")
    assert service["spec"]["ports"][0]["targetPort"] == "http"


def test_a_worker_has_time_to_drain():
    for name, pod in pods("base"):
        variables = {one["name"]: one["value"]
            for container in pod["spec"]["containers"] for one in container.get("env", [])}
        drain_s = int(variables.get("SLUICE_DRAIN_TIMEOUT", "30s")[:-1])
        if name != "sluice-migrate":
            assert pod["spec"]["terminationGracePeriodSeconds"] >= drain_s + 10
    compose = yaml.safe_load((PACKAGING / "compose.yaml").read_text())
    assert compose["services"]["worker"]["stop_grace_period"] == "40s"


def test_flags_exist(twins):
    for _, pod in pods("base"):
        for container in pod["spec"]["containers"]:
            command, = container["args"]
            assert {one["name"] for one in container.get("env", [])} <= twins(command)


def test_compose_is_restricted_and_runs_commands(sluice):
    services = yaml.safe_load((PACKAGING / "compose.yaml").read_text())["services"]
    assert sorted(services) == sorted([*OURS_IN_COMPOSE, "postgres"])
    for name in OURS_IN_COMPOSE:
        service = services[name]
        assert service["read_only"] and service["cap_drop"] == ["ALL"]
        assert service["security_opt"] == ["no-new-privileges:true"]
        assert sluice("help", *service["command"]).returncode == 0
        assert all(port.startswith("127.0.0.1:") for port in service.get("ports", []))


def test_images_are_of_this_version(sluice):
    version = sluice("version").stdout.split()[1]
    for text in [path.read_text() for path in PACKAGING.rglob("*.yaml")]:
        assert set(re.findall(r"sluice:(\d[\w.]*)", text)) <= {version}


def test_an_autoscaler_asks_as_a_reader(pg):
    url = pg.database()
    trigger = next(one for one in documents("keda")
        if one["kind"] == "ScaledObject")["spec"]["triggers"][0]
    asked = trigger["metadata"]["query"]
    assert query(url, "set role sluice_reader; " + asked) == [(0,)]
    query(url, "insert into sluice.models (name, url) values ('chat', 'http://127.0.0.1:1')")
    query(url, "select sluice.submit('x', 'chat')")
    assert query(url, "set role sluice_reader; " + asked) == [(1,)]
