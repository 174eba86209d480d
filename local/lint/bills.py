"""`make sbom`: a bill of materials of every artefact that the build brings packages into, as CycloneDX 1.6."""

from collections.abc import Iterator
from importlib.metadata import Distribution, distributions
from pathlib import Path

from cyclonedx.factory.license import LicenseFactory
from cyclonedx.model.bom import Bom
from cyclonedx.model.component import Component, ComponentType
from cyclonedx.output.json import JsonV1Dot6
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
from packageurl import PackageURL

from local.release import BUILD

FOLDER = BUILD.parent / "sbom"


def artefacts(build: Path) -> dict[str, list[Distribution]]:
    """The packages that lie in each layer and function, by its logical id; those without any are left out."""
    found = {
        folder.name: sorted(
            distributions(path=[str(folder), str(folder / "python")]), key=lambda each: each.name.lower()
        )
        for folder in sorted(build.iterdir())
        if folder.is_dir()
    }
    return {name: packages for name, packages in found.items() if packages}


def bill_of(artefact: str, packages: list[Distribution], *, release: str) -> Bom:
    bom = Bom()
    bom.metadata.component = Component(name=f"quarry-{artefact}", version=release, type=ComponentType.APPLICATION)
    for each in packages:
        url = PackageURL("pypi", name=each.name.lower().replace("_", "-"), version=each.version)
        component = Component(
            name=each.name, version=each.version, type=ComponentType.LIBRARY, purl=url, bom_ref=url.to_string()
        )
        component.licenses.update(_licences(each))
        bom.components.add(component)
        bom.register_dependency(bom.metadata.component, [component])
    return bom


def _licences(package: Distribution) -> Iterator[object]:
    """As the package names it; not every one does."""
    meta = package.metadata
    classified = [
        line.rpartition(" :: ")[2] for line in meta.get_all("Classifier", []) if line.startswith("License ::")
    ]
    text = meta.get("License-Expression") or next(iter(classified), None) or meta.get("License")
    if text and "\n" not in text:
        yield LicenseFactory().make_from_string(text)


def main() -> None:
    named = dict(line.split(" = ") for line in (BUILD / "release.toml").read_text("utf-8").splitlines())
    FOLDER.mkdir(exist_ok=True)
    for name, packages in artefacts(BUILD).items():
        bill = JsonV1Dot6(bill_of(name, packages, release=named["Release"].strip('"'))).output_as_string(indent=1)
        if (fault := JsonStrictValidator(SchemaVersion.V1_6).validate_str(bill)) is not None:
            raise ValueError(f"The bill of {name} is no CycloneDX: {fault}")
        (FOLDER / f"{name}.cdx.json").write_text(bill, "utf-8")
        print(f"{name}: {len(packages)} packages")


if __name__ == "__main__":
    main()
