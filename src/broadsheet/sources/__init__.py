"""Where papers come from: bytes in, papers and announcements out; knows nothing of the library."""
