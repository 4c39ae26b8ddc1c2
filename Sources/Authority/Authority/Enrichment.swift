import AuthorityStore
public import FlowModel
public import OAuth
public import Policies

/// The question to a service outside what else tokens are to say of a person.
public struct Enrichment: Sendable {
    /// Asks a connector; its answer is plain.
    public typealias Ask =
        @Sendable (
            _ connector: Connector, _ claims: [String: JSONValue], _ caller: Caller
        ) async throws -> [String: JSONValue]

    private let ask: Ask

    /// A question that is put to connectors.
    ///
    /// - Parameter ask: Asks a connector, within its time.
    public init(_ ask: @escaping Ask) { self.ask = ask }

    /// The claims that the policy declares among those that its connector says.
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
