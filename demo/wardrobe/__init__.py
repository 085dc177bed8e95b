"""How each kind of garment is cut: one module for each part of the wardrobe."""
