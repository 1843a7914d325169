"""Reading: what tables and harnesses write, turned into one table of scores."""
