"""Glue between people or programs and the library."""
