"""arXiv by its four routes: feed, listing, catch-up (announcements); OAI-PMH, query API (metadata)."""
