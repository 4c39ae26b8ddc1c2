import AuthorityStore
public import FlowModel
import OAuth
import OpenIDClient
public import Policies
import Storage
import StoreRefusals

/// The links between users and their accounts at identity providers.
///
/// A user can link one account at each provider, and only in a flow in which the user has signed in to both accounts.
extension AccountEditor {
    /// Returns the linked providers, oldest link first, and then the providers that the user can link, sorted by name.
    public func links(of user: UserID) async throws -> [LinkedProvider] {
        let known = try await FlowRows.refusals.storing { try await store.identities.list(of: user) }
        let linked = known.map {
            LinkedProvider(name: $0.provider, displayName: shown($0.provider), linkedAt: $0.addedAt)
        }
        let free = linkable.filter { name in !known.contains { $0.provider == name } }
        return linked + free.map { LinkedProvider(name: $0, displayName: shown($0), linkedAt: nil) }
    }

    /// Returns the change that links a user's account at a provider.
    ///
    /// `provider` is the provider's current name or a former name, and its case is ignored.
    ///
    /// - Throws: A `Refusal` with the reason `unsupported_step` if no policy lets users sign in with the provider, or
    ///   `unmet_authentication_requirements` if the user has already linked an account there.
    public func linking(_ provider: String, to user: UserID) async throws -> CredentialChange {
        guard let name = linkable.first(where: { Self.isOne($0, provider) }) else {
            throw Refusals.noSuchProvider(among: linkable)
        }
        let known = try await FlowRows.refusals.storing { try await store.identities.list(of: user) }
        guard !known.contains(where: { $0.provider == name }) else { throw Refusals.linkedAlready(shown(name)) }
        return .link(provider: name)
    }

    /// Returns the change that unlinks a user's account at a provider.
    ///
    /// `provider` is the provider's current name or a former name, and its case is ignored.
    ///
    /// - Throws: A `Refusal` with the reason `unmet_authentication_requirements` if no account is linked, or if the
    ///   account is the user's only way to sign in.
    public func unlinking(_ provider: String, from user: UserID) async throws -> CredentialChange {
        let known = try await FlowRows.refusals.storing { try await store.identities.list(of: user) }
        guard let name = known.first(where: { Self.isOne($0.provider, provider) })?.provider else {
            throw Refusals.notLinked
        }
        let person = try await FlowRows.refusals.storing { try await store.users.get(user) }
        let others = known.map(\.provider).filter { $0 != name }
        guard let person, signInMethods.lead(in: person, identities: others) else { throw Refusals.lastWayIn }
        return .unlink(provider: name)
    }

    /// Unlinks a user's account at a provider, and ends the sessions and tokens that depend on the account.
    ///
    /// Callers must make sure that the user has just signed in.
    ///
    /// - Throws: The errors of ``unlinking(_:from:)``, in which case nothing changes.
    public func unlink(_ provider: String, from user: UserID, _ caller: Caller) async throws {
        let facts = ["credential": Credential.federated.rawValue, "provider": provider]
        let event = AuditEvent(.credentialRemoved, by: caller, user: user, detail: facts)
        do {
            try await store.identities.remove(at: provider, of: user, ways: signInMethods, events: [event])
        } catch {
            switch error.code {
            case .consumed: throw Refusals.lastWayIn
            case .notFound: throw Refusals.notLinked
            default: throw FlowRows.refusals.refusal(error)
            }
        }
        await rows.changes.edited(.profile, of: user)
    }

    /// Returns the provider at which a user must sign in to verify their identity.
    ///
    /// Returns `nil` if the policy accepts the user's password, or if the user has no account at the policy's
    /// providers.
    public func proving(_ user: UserID, policy: PolicyID) async throws -> String? {
        guard let policy = rows.catalogue()[policy] else { return nil }
        let person = try await FlowRows.refusals.storing { try await store.users.get(user) }
        if policy.isLocal, person?.passwordHash != nil { return nil }
        let known = try await FlowRows.refusals.storing { try await store.identities.list(of: user) }
        return policy.providers.first { name in known.contains { $0.provider == name } }
    }

    private var signInMethods: SignInMethods {
        rows.catalogue().signInMethods { rows.evaluator.providerName($0) != nil }
    }

    private var linkable: [String] {
        rows.catalogue().linkableProviders { rows.evaluator.providerName($0) != nil }
    }

    private static func isOne(_ one: String, _ other: String) -> Bool {
        ProviderName.usual(one) == ProviderName.usual(other)
    }

    private func shown(_ provider: String) -> String {
        rows.evaluator.providerName(provider) ?? provider
    }
}

/// An identity provider that a user has linked or can link.
public struct LinkedProvider: Hashable, Sendable {
    /// The provider's name in the configuration.
    public let name: String
    /// The provider's display name, or the same value as ``name`` if the provider is no longer configured.
    public let displayName: String
    /// When the account was linked, in milliseconds since 1970 UTC, or `nil` if no account is linked.
    public let linkedAt: Int64?
}
