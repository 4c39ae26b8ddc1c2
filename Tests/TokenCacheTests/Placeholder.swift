// Gets its content soon.
