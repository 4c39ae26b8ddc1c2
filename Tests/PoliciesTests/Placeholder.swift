// Policies
