import AuthorityStore
import FlowModel
import OAuth
import Policies

enum UserClaims {
    /// Returns the policy's claims that have a value for the user, in the policy's order and without duplicate names.
    static func claims(
        of user: UserRecord,
        policy: Policy,
        authentication: Authentication
    ) -> [(String, JSONValue)] {
        var seen: Set<String> = ["oid"]
        return policy.claims.compactMap { rule in
            let said = rule.isOpen ? authentication.said?[rule.name] : nil
            guard let known = said ?? value(of: rule.name, user, authentication),
                let value = policy.claim(rule.name, stored: known), !value.isNull,
                seen.insert(rule.wireName).inserted
            else { return nil }
            return (rule.wireName, value)
        }
    }

    /// The claim that names a user, which clients such as MSAL show and send as `login_hint`.
    static let preferredUsername = "preferred_username"

    /// Returns the claims that the scope `profile` adds to `claims` of the policy (OpenID Connect Core §5.4).
    static func profile(
        of user: UserRecord,
        scopes: some Collection<String>,
        beside claims: [(String, JSONValue)]
    ) -> [(String, JSONValue)] {
        guard scopes.contains(Scope.profile.name), !claims.contains(where: { $0.0 == preferredUsername }) else {
            return []
        }
        return [(preferredUsername, .string(name(of: user)))]
    }

    /// Returns the user name, or else the e-mail address or the id, but never the display name, which several users
    /// can share.
    static func name(of user: UserRecord) -> String {
        (user.signInNames.first { $0.kind == .username } ?? user.signInNames.first)?.value ?? user.email ?? user.id.oid
    }

    private static func value(
        of name: String,
        _ user: UserRecord,
        _ authentication: Authentication
    ) -> JSONValue? {
        switch name {
        case "oid": .string(user.id.oid)
        case "email": user.email.map { .string($0) }
        case "emails": user.email.map { [.string($0)] }
        case "username":
            user.signInNames.first { $0.kind == .username }.map { .string($0.value) } ?? user.attributes[name]
        case "newUser": .bool(authentication.isNewUser)
        case "isForgotPassword": .bool(authentication.isForgotPassword == true)
        case "identityProvider": .string(identityProvider(authentication))
        case "imf.user": authentication.proofs.last { $0.identity != nil }?.identity?.claim
        default: user.attributes[name]
        }
    }

    /// Returns the name of the external provider that authenticated the user, or ``Policy/local`` if there is none.
    ///
    /// For a custom identity provider, the name is the realm of the user's identity.
    private static func identityProvider(_ authentication: Authentication) -> String {
        authentication.proofs.first { $0.credential == .federated }?.check
            ?? authentication.proofs.first?.identity?.realm ?? Policy.local
    }
}
