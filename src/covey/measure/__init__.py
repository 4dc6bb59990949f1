"""Numbers that compare a release with its original, or tell how exposed the original is."""
