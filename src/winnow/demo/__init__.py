"""Sites of our own on loopback: what a newcomer and every test can watch without the internet."""
