"""What runs in a worker process: reading originals, making and measuring releases, looking into them."""
