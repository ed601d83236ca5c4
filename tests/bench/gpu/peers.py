"""The libraries we measure against, and Dawn: pinned, fetched by npm's client, never committed."""

from __future__ import annotations

import tarfile
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path

from static.build.fetch import LockedFile, fetch_one
from static.build.paths import BUILD
from static.build.sources import Sources

FOLDER = BUILD / "bench" / "gpu"

# name, version, sha256 of the npm archive
PEERS = (
    (
        "onnxruntime-web",
        "1.30.0",
        "d2228df7e4616bc3348bf504ee888f3bec43789a273f0a63f3e68d203ce3bf71",
    ),
    (
        "@tensorflow/tfjs",
        "4.22.0",
        "56505c191e24116787477b3bb5bb1cc0cf1c2bdce8112b9c402a8a2d31cf2f00",
    ),
    (
        "@tensorflow/tfjs-backend-webgpu",
        "4.22.0",
        "e60089ded350de2a7ec0b367bd44c62a516da312d69a84a3f2e1aa3bb31c97e6",
    ),
    ("@jax-js/jax", "0.1.25", "6bb85e8f37f497fa0eccf0beb25f1c69225db94e555e82e20a848eaac79db30e"),
)


# Dawn, Chromium's WebGPU, as an addon for Node.js: 51 MB, fetched only where it is what runs.
DAWN = ("webgpu", "0.6.2", "77a6be6513b9f7c2e94425620ce603efb38cdc5d0393e1b31a1b0c8479330ffd")


def fetch_packages(packages: Iterable[tuple[str, str, str]], say: Callable[[str], None]) -> Path:
    """The folder that holds each package under its own name; none but of the pinned hash."""
    folder = FOLDER / "peers"
    for name, version, sha256 in packages:
        target = folder / name
        stamp = target / f".{sha256[:16]}"
        if stamp.exists():
            continue
        source = {"npm": f"{name}@{version}"}
        archive_name = f"{name.strip('@').replace('/', '-')}.tgz"
        file = LockedFile(archive_name, version, sha256, "bench", (source,))
        with tempfile.TemporaryDirectory(prefix="normscope-") as downloads:
            packed = fetch_one(file, Sources(Path(downloads)), say)
        with tarfile.open(packed) as archive:
            for member in archive.getmembers():
                member.name = member.name.removeprefix("package/")
                archive.extract(member, target, filter="data")
        stamp.touch()
    return folder
