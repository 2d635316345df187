"""The online half: seeds, diffusion, bundle, and the retriever that joins them."""
