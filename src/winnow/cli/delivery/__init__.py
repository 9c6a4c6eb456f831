"""Commands for receivers of events and the deliveries to them."""
