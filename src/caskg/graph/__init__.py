"""The offline half, one module per step: signals, candidates, frontier, probes, calibrate, publish."""
