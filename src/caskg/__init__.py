"""CaSKG: counterfactual-causal skill graphs for scalable agent skill retrieval."""

__version__ = "0.1.0"
