import AuthorityStore
import FlowModel
import Moments
import OAuth

/// Comparison of sign-in names, as the store does it when it finds them.
enum Names {
    /// True for two spellings of one name.
    static func areEqual(_ a: String, _ b: String) -> Bool { folded(a) == folded(b) }

    /// The form that all spellings of one name share.
    static func folded(_ name: String) -> String { SignInName.folded(name) }
}

extension UserRecord {
    /// The user that a sign-up makes.
    init(_ draft: Draft, id: UserID, at now: Moment) {
        let names = [draft.email.map { SignInName(.email, $0) }, draft.username.map { SignInName(.username, $0) }]
        var attributes = draft.attributes
        if draft.email != nil { attributes["email"] = nil }
        if draft.username != nil { attributes["username"] = nil }
        self.init(
            id: id,
            signInNames: names.compactMap { $0 },
            attributes: attributes,
            passwordHash: draft.passwordHash.map { Secret(bytes: $0) },
            createdAt: now.wall
        )
    }
}
