import Authority
public import FlowModel
import Flows
import Logging
import Moments
import OAuth
import OpenIDClient
import Policies
import StoreRefusals
import TokenCache

extension Broker {
    /// The limits reported to clients, by name.
    public var limits: [String: Int64] { settings().limits }

    /// The loopback ports to which clients can send tokens over HTTP without checking which process listens there.
    public var trustedLoopback: Set<UInt16> { settings().trustedLoopback }

    /// The version of the daemon.
    public var version: String { settings().version }

    /// Returns the local APIs, and then the external authorities whose tokens can be sent to specific origins.
    ///
    /// Authorities that the caller's uid added come last, so that they cannot claim an origin that is already listed.
    public func apis(caller: Caller) -> [APISummary] {
        let settings = settings()
        let uid = try? caller.owner.cacheUID
        let outside = settings.authorities.values
            .filter { authority in !authority.origins.isEmpty && uid.map(authority.serves) ?? true }
            .sorted { $0.name < $1.name }
        return settings.apis
            + outside.map {
                APISummary(api: $0.name, origins: $0.origins, scopes: $0.scopes, policy: external.usualPolicy(at: $0))
            }
            + external.ownAPIs(caller)
    }

    /// Checks that the caller may use a client, and returns whether every other caller may use the client too.
    ///
    /// If `client` is `nil`, the default client is checked.
    ///
    /// - Throws: `unknown_client` for a confidential client that the caller is not allowed to use.
    public func checkUse(of client: String?, by caller: Caller) async throws -> Bool {
        try await authority.checkUse(of: client, by: caller)
    }

    /// Returns all policies, sorted by name.
    public func policies() -> [PolicySummary] {
        catalogue().summaries.map(answer)
    }

    /// Returns the policy with the given id.
    public func policy(_ id: String) throws -> PolicySummary {
        let name = (try? PolicyID(id))
        guard let name, let summary = catalogue().summaries.first(where: { $0.policy == name }) else {
            throw Refusal(.unknownPolicy, Text("refusal.unknownPolicy"))
        }
        return answer(summary)
    }

    /// Returns the state of the broker, including how many accounts, tokens and flows the caller has.
    public func status(caller: Caller) async throws -> ServiceStatus {
        let uid = try caller.owner.cacheUID
        let now = clock.now
        let kept = try await Self.rows.storing { try cache.counts(uid: uid) }
        let settings = settings()
        return ServiceStatus(
            version: settings.version,
            uptimeMs: now.boot - startedAt.boot,
            policies: catalogue().summaries.map(\.policy.description),
            counts: [
                "accounts": kept.accounts - services(of: uid), "tokens": kept.tokens,
                "flows": try await flows.engine.count(owner: caller.owner),
            ],
            locked: cache.vaults.isLocked(uid: uid),
            issuer: settings.issuer,
            configuration: settings.configuration,
            stateDirectory: settings.stateDirectory
        )
    }

    /// Returns the number of the uid's service accounts.
    ///
    /// If the cache is locked, only the accounts of services in the configuration are counted.
    private func services(of uid: UInt32) -> Int64 {
        if let rows = try? cache.accounts.list(uid: uid) { return Int64(rows.count(where: \.isService)) }
        let configured = settings().authorities.values.filter { authority in
            let id = cache.accounts.id(uid: uid, authority: authority.name, subject: authority.service.text)
            return authority.isService && cache.accounts.isKept(uid: uid, id)
        }
        return Int64(configured.count)
    }

    /// Records in the audit log that a JSON-RPC request without an id was not executed.
    public func noteUnanswerable(method: String, caller: Caller) async {
        await authority.note(.requestUnanswerable, caller, detail: ["method": method])
    }

    /// Returns a policy's issuer, or `nil` for a step-up policy, one that cannot run, or an unknown external issuer.
    private func issuer(of policy: PolicyID) -> String? {
        if let outside = catalogue().outside[policy] {
            return settings().authorities[outside.authority]?.issuer(running: outside)
        }
        return (try? authority.policy(policy.description)).map { authority.issuer(of: $0) }
    }

    private func answer(_ summary: PolicyCatalogue.Summary) -> PolicySummary {
        let isClosed = settings().isSignUpClosed && summary.kind == PolicyKind.signUp.rawValue
        let missing = summary.missing ?? (isClosed ? Text("refusal.signUpClosed") : nil)
        return PolicySummary(
            policy: summary.policy.description,
            kind: summary.kind,
            displayName: summary.displayName,
            issuer: issuer(of: summary.policy),
            available: missing == nil,
            missing: missing,
            scopes: catalogue()[summary.policy]?.scopes.keys.sorted() ?? [],
            providers: catalogue()[summary.policy]?.providers ?? []
        )
    }
}
