import AuthorityStore

/// A sign-in name in the store.
///
/// Policies have another type of the same name.
typealias AuthorityName = SignInName
