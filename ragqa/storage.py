"""SQLite files for state: private, shared by threads and processes, safe against a kill."""
