"""What takes data to other stores."""
