"""What one example data set says of the data sets that a mechanism takes: its container, its records, their ranges."""
