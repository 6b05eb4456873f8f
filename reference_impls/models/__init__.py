"""Models that the algorithms train, one file each: linear models, softmax regression, neural networks."""
