import AuthorityStore

/// A sign-in name as the store has it; policies have a type of that name, too.
typealias AuthorityName = SignInName
