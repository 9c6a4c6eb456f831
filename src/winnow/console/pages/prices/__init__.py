"""Products, offers and their price history."""
