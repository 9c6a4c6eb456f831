"""Events as the faces show them: lists and single ones (`lists`), and the personal feed (`feed`)."""
