"""The only place that writes files: the workspace and its ledger."""
