"""Brings real Apache Kafka's jars from Maven Central into a cache folder, once per version.

The cache is $HAYWARD_CACHE, else ~/.cache/hayward. Nothing of it is ever committed.
"""
import os
import pathlib
import shutil
import subprocess
import tempfile

DEFAULT_VERSION = "4.3.1"

POM = """<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>
<groupId>hayward.tests</groupId><artifactId>kafka</artifactId><version>1</version>
<dependencies>{dependencies}</dependencies></project>
"""
DEPENDENCY = "<dependency><groupId>{0}</groupId><artifactId>{1}</artifactId><version>{2}</version></dependency>"


def dependencies(version: str) -> str:
    """Kafka as its release ships it, with the binding that makes it log."""
    names = ["kafka_2.13", "kafka-tools"] + (["kafka-shell"] if version == DEFAULT_VERSION else [])  # not all releases have it
    kafka = [("org.apache.kafka", name, version) for name in names]
    logging = [("org.apache.logging.log4j", name, "2.24.3") for name in ("log4j-api", "log4j-core", "log4j-slf4j-impl")]
    return "".join(DEPENDENCY.format(*d) for d in kafka + logging)


class Unavailable(Exception):
    """Java or Maven is missing, or the jars could not be fetched; the text says which."""


def cache_dir() -> pathlib.Path:
    return pathlib.Path(os.environ.get("HAYWARD_CACHE", pathlib.Path.home() / ".cache" / "hayward"))


def lib(version: str = DEFAULT_VERSION) -> pathlib.Path:
    """The folder with `version`'s jars; fetched when it is not there yet."""
    folder = cache_dir() / f"kafka-{version}" / "lib"
    if (folder / ".complete").exists():
        return folder
    for program in ("java", "javac", "mvn"):
        if shutil.which(program) is None:
            raise Unavailable(f"{program} is not installed")
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent) as scratch:
        pom = pathlib.Path(scratch) / "pom.xml"
        pom.write_text(POM.format(dependencies=dependencies(version)))
        fetched = subprocess.run(
            ["mvn", "-q", "-B", "-f", str(pom), "dependency:copy-dependencies",
             f"-DoutputDirectory={folder}", "-DincludeScope=runtime"],
            capture_output=True, text=True, timeout=600)
        if fetched.returncode != 0:
            raise Unavailable(f"Maven could not fetch Kafka {version}: {fetched.stdout[-400:]}{fetched.stderr[-400:]}")
    (folder / ".complete").touch()
    return folder


if __name__ == "__main__":
    print(lib())
