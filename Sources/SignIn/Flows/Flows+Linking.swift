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
extension Flows {
    /// The providers at which a person has an account that is linked, the first linked first, and then those at which one
    /// could be, by name.
    public func links(of user: UserID) async throws -> [LinkedProvider] {
        let known = try await Self.rows.storing { try await store.identities.list(of: user) }
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
        let known = try await Self.rows.storing { try await store.identities.list(of: user) }
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
        let known = try await Self.rows.storing { try await store.identities.list(of: user) }
        guard let name = known.first(where: { Self.isOne($0.provider, provider) })?.provider else {
            throw Refusals.notLinked
        }
        let person = try await Self.rows.storing { try await store.users.get(user) }
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
            default: throw Self.rows.refusal(error)
            }
        }
        await changes.edited(.profile, of: user)
    }

    /// The provider at which a person proves an account, if it is not proved here: nil for whoever has a password that the
    /// policy asks for, or has linked none of its providers.
    public func proving(_ user: UserID, policy: PolicyID) async throws -> String? {
        guard let policy = catalogue()[policy] else { return nil }
        let person = try await Self.rows.storing { try await store.users.get(user) }
        if policy.isLocal, person?.passwordHash != nil { return nil }
        let known = try await Self.rows.storing { try await store.identities.list(of: user) }
        return policy.providers.first { name in known.contains { $0.provider == name } }
    }

    /// True for an open flow that links an account at a provider.
    public func isLink(_ id: String, owner: Owner) async throws -> Bool {
        guard !OutsideFlows.has(id), case .link? = try await load(id, owner: owner).state.requirement.change else {
            return false
        }
        return true
    }

    /// Has a flow that links ask for the account's proof again, if it was not given by the answers of this browser alone.
    ///
    /// - Parameters:
    ///   - id: The flow.
    ///   - ticket: The ticket of the browser; nil for one that is known to be the owner's.
    ///   - caller: The browser, on behalf of the flow's owner.
    /// - Returns: The flow as it is now.
    /// - Throws: `Refusal`.
    public func requireProof(_ id: String, at ticket: String?, caller: Caller) async throws -> Flow {
        if OutsideFlows.has(id) { return try await get(id, owner: caller.owner) }
        let asked = try await changing(id, owner: caller.owner) { stored, now -> (StoredFlow, EffectSummary)? in
            let state = stored.now
            guard let machine = stored.machine, !state.isTerminal, state.evaluating == nil, state.lacksProof(at: ticket)
            else { return nil }
            let (again, effects) = machine.proveAgain(state, now: now)
            var summary = EffectSummary()
            summary.take(effects)
            var next = stored
            next.state = try await write(again, effects, over: stored, caller)
            next.rev = next.state.rev
            return (next, summary)
        }
        guard let (claimed, summary) = asked else { return try await get(id, owner: caller.owner) }
        guard let work = summary.work, let machine = claimed.machine else {
            return try await shown(claimed.state, by: claimed.machine)
        }
        do {
            return try await uncancelled { try await evaluate(work, claimed, machine, caller) }.flow
        } catch {
            // Nobody has said what to ask, so nobody can prove anything.
            _ = try? await cancel(id, caller: caller, reason: "the account was not proved again")
            throw error
        }
    }

    /// The ways to sign in that the configuration and the policies leave open.
    var signInMethods: SignInMethods {
        let catalogue = catalogue()
        let realms = catalogue.checks.values.filter { $0.people != nil }.map(\.name)
        let byCode = catalogue.policies.values.contains { policy in
            policy.kind.signsIn && policy.signInChecks.first.flatMap { catalogue[check: $0] }?.type == .emailCode
        }
        return SignInMethods(providers: Set(linkable + realms), byCode: byCode)
    }

    /// The names of the providers that a policy signs in with and that are configured, sorted.
    private var linkable: [String] {
        let names = catalogue().policies.values.filter(\.kind.signsIn).flatMap(\.providers)
        return Set(names).filter { effects.providers?.registration($0) != nil }.sorted()
    }

    /// True for two spellings of one provider's name.
    private static func isOne(_ one: String, _ other: String) -> Bool {
        ProviderName.usual(one) == ProviderName.usual(other)
    }

    /// The name of a provider for people.
    private func shown(_ provider: String) -> String {
        effects.providers?.registration(provider)?.displayName ?? provider
    }
}
