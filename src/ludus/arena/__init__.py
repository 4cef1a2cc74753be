"""Fair matches, tournaments and what their results say."""
