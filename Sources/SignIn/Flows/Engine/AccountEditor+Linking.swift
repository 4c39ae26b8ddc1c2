import AuthorityStore
public import FlowModel
import OAuth
import OpenIDClient
public import Policies
import Storage
import StoreRefusals

/// People's accounts at providers outside that are linked to the one here.
///
/// A provider's issuer and subject are the identity, and one account at each provider may be linked. It comes to an account
/// only by a flow in which the person has proved both, and never by an e-mail address.
extension AccountEditor {
    /// The providers at which a person has an account that is linked, the first linked first, and then those at which one
    /// could be, by name.
    public func links(of user: UserID) async throws -> [LinkedProvider] {
        let known = try await FlowRows.refusals.storing { try await store.identities.list(of: user) }
        let linked = known.map {
            LinkedProvider(name: $0.provider, displayName: shown($0.provider), linkedAt: $0.addedAt)
        }
        let free = linkable.filter { name in !known.contains { $0.provider == name } }
        return linked + free.map { LinkedProvider(name: $0, displayName: shown($0), linkedAt: nil) }
    }

    /// The change that links a person's account at a provider.
    ///
    /// - Parameters:
    ///   - provider: The provider's name, which has no case, or its older one.
    ///   - user: The person.
    /// - Returns: The change, for the requirement of a flow.
    /// - Throws: `unsupported_step` for a provider that nobody signs in with; `unmet_authentication_requirements` if another
    ///   account there is linked.
    public func linking(_ provider: String, to user: UserID) async throws -> CredentialChange {
        guard let name = linkable.first(where: { Self.isOne($0, provider) }) else {
            throw Refusals.noSuchProvider(among: linkable)
        }
        let known = try await FlowRows.refusals.storing { try await store.identities.list(of: user) }
        guard !known.contains(where: { $0.provider == name }) else { throw Refusals.linkedAlready(shown(name)) }
        return .link(provider: name)
    }

    /// The change that takes a person's account at a provider away.
    ///
    /// - Parameters:
    ///   - provider: The provider's name, which has no case, or its older one.
    ///   - user: The person.
    /// - Returns: The change, for the requirement of a flow.
    /// - Throws: `unmet_authentication_requirements` if there is none, or it is the only way to sign in.
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

    /// Takes a person's account at a provider away, and ends what was had by it; the person has just proved who they are.
    ///
    /// - Throws: As ``unlinking(_:from:)``; nothing has changed then.
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

    /// The provider at which a person proves an account, if it is not proved here: nil for whoever has a password that the
    /// policy asks for, or has linked none of its providers.
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

    /// True for two spellings of one provider's name.
    private static func isOne(_ one: String, _ other: String) -> Bool {
        ProviderName.usual(one) == ProviderName.usual(other)
    }

    /// The name of a provider for people.
    private func shown(_ provider: String) -> String {
        rows.evaluator.providerName(provider) ?? provider
    }
}

/// A provider outside, and the time since which a person's account there is linked to the one here.
public struct LinkedProvider: Hashable, Sendable {
    /// The provider's name in the configuration.
    public let name: String
    /// The provider's name for people; that of the configuration if it is not configured any more.
    public let displayName: String
    /// Time of the link, in milliseconds since 1970 UTC; nil if there is none.
    public let linkedAt: Int64?
}
