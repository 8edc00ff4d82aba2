"""The version, in the one place that packaging and documents read it from."""

VERSION = "0.1.0"
