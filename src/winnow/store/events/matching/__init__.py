"""Which events of different sources are one (DESIGN §11.30): titles, places, the decision, merges and doubts."""
