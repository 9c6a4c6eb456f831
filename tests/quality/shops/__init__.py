"""Product pages in the shapes of real shops, made from a spec: what is sold, for how much, in which country."""
