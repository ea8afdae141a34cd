"""A llama-server in a process of its own: ``python -m cedit_engine.bench.server``.

Arguments: model file, speculation (``ngram-simple``, ``ngram-mod``), context in tokens. It
prints its address and serves until it is ended. xllamacpp carries the server; it is not
loaded into the process that measures, which has a llama.cpp of its own.
"""

import importlib
import signal
import sys

from cedit_engine.threads import physical_cores


def main() -> None:
    """Serve."""
    path, speculation, context = sys.argv[1:]
    xllamacpp = importlib.import_module("xllamacpp")
    params = xllamacpp.CommonParams()
    params.model.path = path
    params.n_ctx = int(context)
    params.n_parallel = 1
    params.port = 0
    params.warmup = False
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = physical_cores()
    kind = f"COMMON_SPECULATIVE_TYPE_{speculation.upper().replace('-', '_')}"
    params.speculative.types = [getattr(xllamacpp.common_speculative_type, kind)]
    server = xllamacpp.Server(params)
    sys.stdout.write(f"{server.listening_address}\n")
    sys.stdout.flush()
    signal.pause()


if __name__ == "__main__":
    main()
