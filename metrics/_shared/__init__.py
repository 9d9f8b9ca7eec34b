"""What every metric folder holds a link to."""
