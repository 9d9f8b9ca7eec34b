"""The release, that of the metrics as well."""

__version__ = "0.1.0"
