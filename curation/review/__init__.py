"""Contact sheets of an edition's steps, and the verdicts of the person who walks through them."""
