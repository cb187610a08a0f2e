// Stands until the target's first file arrives.
