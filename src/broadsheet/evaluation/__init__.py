"""Measuring: retrieval on judged collections, and replay of past interactions."""
