"""ragqa beside what a user would pick instead, each in an environment of its own."""
