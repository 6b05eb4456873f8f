"""Private line searches, which choose a step size along a public direction, and gradient descent that uses them."""
