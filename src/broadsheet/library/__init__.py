"""The library: what we know, in SQLite or PostgreSQL, and the only room with SQL."""
