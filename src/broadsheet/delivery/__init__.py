"""The day on its way out of the house: exports now, mail and feeds to come."""
