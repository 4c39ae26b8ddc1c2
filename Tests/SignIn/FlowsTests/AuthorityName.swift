import AuthorityStore

/// A sign-in name in the store.
///
/// This alias avoids a conflict with the type `SignInName` of the module `Policies`.
typealias AuthorityName = SignInName
