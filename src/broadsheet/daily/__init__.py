"""One day from end to end: harvest, add, index, digest, for every surface."""
