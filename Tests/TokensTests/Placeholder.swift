// Tokens
