"""What measures retrieval. Imported by nothing but the command line, and only when it measures."""
