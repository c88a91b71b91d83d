"""Print the oldest versions that pyproject.toml allows, as requirements of pip, for `make oldest`.

Spark is left out, since it needs a Java runtime of its time.
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path


def list_oldest(project: dict[str, object]) -> list[str]:
    """Return each requirement of the package and of its extras with `==` in place of `>=`.

    >>> list_oldest({"dependencies": ["numpy>=2.0"], "optional-dependencies": {"all": ["package[cli]", "duckdb>=1.4"]}})
    ['numpy==2.0', 'duckdb==1.4']
    """
    extras = project["optional-dependencies"]
    assert isinstance(extras, dict)
    assert isinstance(project["dependencies"], list)
    wanted = [*project["dependencies"], *(one for name, extra in extras.items() if name != "spark" for one in extra)]
    return list(dict.fromkeys(one.replace(">=", "==") for one in wanted if re.search(">=", one)))


if __name__ == "__main__":
    text = (Path(__file__).parents[1] / "pyproject.toml").read_text(encoding="utf-8")
    print(*list_oldest(tomllib.loads(text)["project"]), sep="\n")
