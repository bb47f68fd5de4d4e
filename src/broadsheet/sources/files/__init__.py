"""Files of papers in the formats that people have them in: one module a format."""
