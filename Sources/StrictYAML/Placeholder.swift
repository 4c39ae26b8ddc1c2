// StrictYAML
