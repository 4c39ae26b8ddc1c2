import AuthorityStore
public import FlowModel
public import OAuth
public import Policies

/// Fetches additional claims from an external service before tokens are issued.
public struct Enrichment: Sendable {
    /// Sends a request to a connector and returns its decoded response.
    public typealias Ask =
        @Sendable (
            _ connector: Connector, _ claims: [String: JSONValue], _ caller: Caller
        ) async throws -> [String: JSONValue]

    private let ask: Ask

    /// Creates an enrichment that calls connectors through `ask`, which must enforce the connectors' timeouts.
    public init(_ ask: @escaping Ask) { self.ask = ask }

    /// Returns a connector's claims about a user, limited to those that the policy declares and connectors may set.
    func claims(
        of user: UserRecord,
        _ basis: GrantDecision,
        from connector: Connector,
        _ caller: Caller
    ) async throws -> [String: JSONValue] {
        var told = user.attributes
        told["objectId"] = .string(user.id.oid)
        told["email"] = user.email.map { .string($0) }
        told["step"] = .string(connector.place.step)
        told["client_id"] = .string(basis.client.id)
        told["ui_locales"] = caller.presentation.language.map { .string($0.rawValue) }
        let declared = Set(basis.policy.claims.filter(\.isOpen).map(\.name))
        return try await ask(connector, told, caller).filter { declared.contains($0.key) }
    }
}
