"""What `import caskg` offers, and what it costs."""

import subprocess
import sys

import caskg


def test_public_names_are_few_sorted_and_there() -> None:
    """Every name of `__all__` can be imported; there are at most fifteen."""
    assert sorted(caskg.__all__) == caskg.__all__
    assert len(caskg.__all__) <= 15
    for name in caskg.__all__:
        assert getattr(caskg, name).__module__.startswith("caskg."), name
    assert set(caskg.__all__) <= set(dir(caskg))


def test_importing_caskg_imports_nothing_else() -> None:
    """Start-up time counts: numpy, scipy, click and the vendors come when they are needed."""
    code = "import sys; before = set(sys.modules); import caskg; print(sorted(set(sys.modules) - before))"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    heavy = ("numpy", "scipy", "click", "yaml", "markdown_it", "onnxruntime", "tokenizers", "logging")
    assert not any(f"'{name}" in found for name in heavy)


def test_a_query_imports_neither_parser_nor_graph_half() -> None:
    """What a cold query does not need must not be read from disk."""
    code = "import sys; import caskg.interfaces.cli.query; print(sorted(sys.modules))"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    unwanted = ("caskg.graph", "caskg.pipeline", "markdown_it", "yaml", "onnxruntime", "rich", "scipy.sparse")
    for name in unwanted:
        assert f"'{name}'" not in found, name
