"""What the graph is measured against: each a `Retriever`, with the same seeds, gate and answer."""
