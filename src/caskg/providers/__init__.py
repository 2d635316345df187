"""The only place that knows vendors: encoders and models from outside."""
