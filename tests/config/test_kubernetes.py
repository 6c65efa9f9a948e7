"""The manifests in docker/kubernetes: valid, closed by policy, and of this product: commands, settings, paths."""

import re
from collections.abc import Iterator
from typing import Any

import kubernetes_validate
import pytest
import yaml
from django.urls import resolve

from config import settings
from config.env import BASE_DIR
from config.runtime.programs import BOOKS_QUEUE, WORKER_QUEUES
from config.runtime.run import PROGRAMS
from memory.api.operations import health_view

FOLDER = BASE_DIR / "docker" / "kubernetes"
SECRETS = "/run/secrets/commonplace"
# Whom only the job that prepares the tables may name.
OF_OWNERS = {"DATABASE_ADMIN_URL", "DATABASE_OWNER_URL", "DATABASE_BACKUP_URL"}

Manifest = dict[str, Any]


def read_manifests() -> Iterator[Manifest]:
    for name in yaml.safe_load((FOLDER / "kustomization.yaml").read_text())["resources"]:
        yield from yaml.safe_load_all((FOLDER / name).read_text())


MANIFESTS = list(read_manifests())
NAMES = [f"{one['kind']}-{one['metadata']['name']}" for one in MANIFESTS]
RUNNING = [one for one in MANIFESTS if one["kind"] in {"Deployment", "Job"}]


def of_kind(kind: str) -> dict[str, Manifest]:
    return {one["metadata"]["name"]: one for one in MANIFESTS if one["kind"] == kind}


def pod(workload: Manifest) -> Manifest:
    found: Manifest = workload["spec"]["template"]["spec"]
    return found


def containers(workload: Manifest) -> list[Manifest]:
    return [*pod(workload).get("initContainers", []), *pod(workload)["containers"]]


@pytest.mark.parametrize("manifest", MANIFESTS, ids=NAMES)
def test_a_manifest_is_what_kubernetes_takes(manifest: Manifest) -> None:
    # Strict: a field that it does not know would be dropped without a word.
    kubernetes_validate.validate(manifest, kubernetes_validate.latest_version(), strict=True)


def test_every_file_is_applied_and_every_name_stands_once() -> None:
    listed = set(yaml.safe_load((FOLDER / "kustomization.yaml").read_text())["resources"])
    assert listed == {path.name for path in FOLDER.glob("*.yaml")} - {"kustomization.yaml"}
    assert len(set(NAMES)) == len(NAMES)


@pytest.mark.parametrize("workload", RUNNING, ids=[one["metadata"]["name"] for one in RUNNING])
def test_a_pod_may_do_nothing_it_need_not(workload: Manifest) -> None:
    assert pod(workload)["automountServiceAccountToken"] is False
    identity = pod(workload)["securityContext"]
    assert identity["runAsNonRoot"] is True
    assert identity["runAsUser"] > 0
    assert identity["seccompProfile"] == {"type": "RuntimeDefault"}
    assert not {"hostNetwork", "hostPID", "hostIPC"} & pod(workload).keys()
    assert all({"emptyDir", "secret"} & volume.keys() for volume in pod(workload)["volumes"])
    for container in containers(workload):
        rights = container["securityContext"]
        assert rights["allowPrivilegeEscalation"] is False
        assert rights["readOnlyRootFilesystem"] is True
        assert rights["capabilities"] == {"drop": ["ALL"]}
        assert container["resources"]["requests"].keys() == {"cpu", "memory"}
        assert "memory" in container["resources"]["limits"]
        assert ":" not in container["image"], "the tag stands in kustomization.yaml alone"


def test_images_have_the_version_of_the_compose_file() -> None:
    images = {
        one["name"]: one["newTag"] for one in yaml.safe_load((FOLDER / "kustomization.yaml").read_text())["images"]
    }
    assert images.keys() == {container["image"] for one in RUNNING for container in containers(one)}
    composed = yaml.safe_load((BASE_DIR / "docker" / "compose.yml").read_text())["services"]
    assert {f"{name}:{tag}" for name, tag in images.items()} == {
        composed[name]["image"] for name in ("web", "embedder")
    }


def test_a_command_is_one_of_the_image_and_every_queue_has_a_worker() -> None:
    commands = {tuple(container["args"]) for one in RUNNING for container in containers(one) if "args" in container}
    assert commands == {("prepare",), ("migrate", "--check"), *((name,) for name in PROGRAMS)}
    filled = {settings.CELERY_TASK_DEFAULT_QUEUE, *(one["queue"] for one in settings.CELERY_TASK_ROUTES.values())}
    assert filled == {*WORKER_QUEUES.split(","), BOOKS_QUEUE}
    assert {"worker", "books"} <= of_kind("Deployment").keys()


def test_settings_are_known_and_no_secret_stands_in_the_manifests() -> None:
    [given] = of_kind("ConfigMap").values()
    known = (BASE_DIR / ".env.example").read_text() + (BASE_DIR / "docker" / "compose.yml").read_text()
    for name, value in given["data"].items():
        assert name.removesuffix("_FILE") in known, name
        if name.endswith("_FILE"):
            assert value == f"{SECRETS}/{name.removesuffix('_FILE')}"
        else:
            assert not any(word in name for word in ("SECRET", "PASSWORD", "API_KEY")), name
            assert "@" not in value
    assert not of_kind("Secret")


@pytest.mark.parametrize("workload", RUNNING, ids=[one["metadata"]["name"] for one in RUNNING])
def test_only_the_one_shot_has_the_secrets_of_owner_and_superuser(workload: Manifest) -> None:
    [given] = of_kind("ConfigMap").values()
    named = {name.removesuffix("_FILE") for name in given["data"] if name.endswith("_FILE")}
    mounted = [volume["secret"] for volume in pod(workload)["volumes"] if "secret" in volume]
    if workload["metadata"]["name"] == "prepare":
        [container] = containers(workload)
        assert {one["name"].removesuffix("_FILE") for one in container["env"]} == OF_OWNERS
        assert all(one["value"] == f"{SECRETS}/{one['name'].removesuffix('_FILE')}" for one in container["env"])
    elif workload["metadata"]["name"] == "embedder":
        assert mounted == []
    else:
        assert all("env" not in container for container in containers(workload))
        assert [{item["key"] for item in one["items"]} for one in mounted] == [named]


def test_everything_that_runs_on_is_asked_whether_it_does() -> None:
    for name, workload in of_kind("Deployment").items():
        [container] = pod(workload)["containers"]
        assert "livenessProbe" in container, name
        if name in of_kind("Service"):
            assert "readinessProbe" in container, name
    entrypoint = (BASE_DIR / "docker" / "entrypoint.sh").read_text()
    [web] = pod(of_kind("Deployment")["web"])["containers"]
    assert web["readinessProbe"]["exec"]["command"] == ["docker/entrypoint.sh", "healthy"]
    [path] = re.findall(r"http://127\.0\.0\.1:8000(/\S+?)\"", entrypoint)
    assert resolve(path).func is health_view


def test_what_may_have_several_nodes_is_replaced_without_a_gap() -> None:
    deployments, budgets = of_kind("Deployment"), of_kind("PodDisruptionBudget")
    for name, workload in deployments.items():
        spec = workload["spec"]
        if spec["replicas"] > 1:
            assert spec["strategy"]["rollingUpdate"] == {"maxUnavailable": 0, "maxSurge": 1}, name
            assert budgets[name]["spec"]["minAvailable"] == 1
    # The clock and the sessions of MCP are one each, also while they are replaced.
    assert {name for name, one in deployments.items() if one["spec"]["strategy"]["type"] == "Recreate"} == {
        "beat",
        "mcp",
    }
    [web] = pod(deployments["web"])["containers"]
    assert web["lifecycle"]["preStop"], "a node that goes still takes what the balancer sends it"


def test_selectors_choose_the_pods_they_mean() -> None:
    labels = {name: one["spec"]["template"]["metadata"]["labels"] for name, one in of_kind("Deployment").items()}
    for name, one in of_kind("Deployment").items():
        assert one["spec"]["selector"]["matchLabels"] == labels[name] == {"app.kubernetes.io/name": name}
    for name, one in of_kind("Service").items():
        assert one["spec"]["selector"] == labels[name]
        [container] = pod(of_kind("Deployment")[name])["containers"]
        assert one["spec"]["ports"][0]["targetPort"] in {port["name"] for port in container["ports"]}
    [given] = of_kind("ConfigMap").values()
    for setting, service in (("MCP_URL", "mcp"), ("EMBEDDING_URL", "embedder")):
        port = of_kind("Service")[service]["spec"]["ports"][0]["port"]
        assert given["data"][setting] == f"http://{service}:{port}"


def test_nothing_is_reached_that_no_policy_names() -> None:
    policies = of_kind("NetworkPolicy")
    assert policies["nothing-unasked"]["spec"] == {"podSelector": {}, "policyTypes": ["Ingress", "Egress"]}
    running = {one["metadata"]["name"] for one in RUNNING}
    for name, policy in policies.items():
        chosen = policy["spec"]["podSelector"]
        named = set(chosen.get("matchLabels", {}).values())
        named |= {value for one in chosen.get("matchExpressions", []) for value in one["values"]}
        assert named <= running, name
    # Whoever reads what people hand in has no way out, and neither has what computes vectors.
    elsewhere = policies["reach-elsewhere"]["spec"]["podSelector"]["matchExpressions"][0]["values"]
    assert set(elsewhere) == {"web", "worker"}
