"""What makes releases on Spark; the verifier shares nothing with it."""
