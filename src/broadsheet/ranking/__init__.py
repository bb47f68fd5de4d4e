"""Ordering papers for a reader: candidates, features, the reader's taste, the slate, reasons."""
