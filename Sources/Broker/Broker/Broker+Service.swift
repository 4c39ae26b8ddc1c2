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
    /// The limits announced to clients, by name.
    public var limits: [String: Int64] { settings().limits }

    /// The ports of this machine that tokens may be sent to over http, whatever listens there.
    public var trustedLoopback: Set<UInt16> { settings().trustedLoopback }

    /// The daemon's version.
    public var version: String { settings().version }

    /// The APIs that tokens are for, by name, with the origins that these may be sent to; then the outside authorities
    /// whose tokens may be sent somewhere, the caller's own last, so that none of them takes another's origin.
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

    /// Checks that a caller may use a client.
    ///
    /// - Parameters:
    ///   - client: The client that the caller names; the command line's client if `nil`.
    ///   - caller: The caller.
    /// - Returns: Whether every caller may use it.
    /// - Throws: `unknown_client` for a confidential client that the caller may not use.
    public func checkUse(of client: String?, by caller: Caller) async throws -> Bool {
        try await authority.checkUse(of: client, by: caller)
    }

    /// All policies, by name.
    public func policies() -> [PolicySummary] {
        catalogue().summaries.map(answer)
    }

    /// The policy with this id.
    public func policy(_ id: String) throws -> PolicySummary {
        let name = (try? PolicyID(id))
        guard let name, let summary = catalogue().summaries.first(where: { $0.policy == name }) else {
            throw Refusal(.unknownPolicy, Text("refusal.unknownPolicy"))
        }
        return answer(summary)
    }

    /// The state of the service, with counts of the uid.
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
            locked: cache.vaults.isLocked(uid: uid)
        )
    }

    /// The number of rows that hold tokens of a service, which is nobody's account; in a locked cache, where no row says it,
    /// those of the services that are configured.
    private func services(of uid: UInt32) -> Int64 {
        if let rows = try? cache.accounts.list(uid: uid) { return Int64(rows.count(where: \.isService)) }
        let configured = settings().authorities.values.filter { authority in
            let id = cache.accounts.id(uid: uid, authority: authority.name, subject: authority.service.text)
            return authority.isService && cache.accounts.isKept(uid: uid, id)
        }
        return Int64(configured.count)
    }

    /// Records a request without an id, which is not executed.
    public func noteUnanswerable(method: String, caller: Caller) async {
        await authority.note(.requestUnanswerable, caller, detail: ["method": method])
    }

    /// The address of the outside authority that runs a policy; nil for a policy of ours.
    private func outsideIssuer(of policy: PolicyID) -> String? {
        catalogue().outside[policy].flatMap { settings().authorities[$0.authority]?.registration.issuer }
    }

    private func answer(_ summary: PolicyCatalogue.Summary) -> PolicySummary {
        let isClosed = settings().isSignUpClosed && summary.kind == PolicyKind.signUp.rawValue
        let missing = summary.missing ?? (isClosed ? Text("refusal.signUpClosed") : nil)
        return PolicySummary(
            policy: summary.policy.description,
            kind: summary.kind,
            displayName: summary.displayName,
            issuer: outsideIssuer(of: summary.policy) ?? authority.issuer(of: summary.policy),
            available: missing == nil,
            missing: missing,
            scopes: catalogue()[summary.policy]?.scopes.keys.sorted() ?? [],
            providers: catalogue()[summary.policy]?.providers ?? []
        )
    }
}
