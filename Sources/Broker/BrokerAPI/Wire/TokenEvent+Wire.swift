public import FlowModel
import OAuth

extension TokenEvent {
    /// The names of the notifications on the wire.
    public enum Name: String, CaseIterable, Sendable {
        /// Of ``TokenEvent/rotated(_:)``.
        case rotated = "token.rotated"
        /// Of ``TokenEvent/expiring(_:)``.
        case expiring = "token.expiring"
        /// Of ``TokenEvent/sessionChanged(account:_:)``.
        case sessionChanged = "session.changed"
    }

    /// Reads a notification; nil if it is another one.
    ///
    /// - Throws: `UnreadableAnswer` if it is one of these without the members it must have.
    public init?(_ notification: JSONRPCRequest) throws(UnreadableAnswer) {
        guard let name = Name(rawValue: notification.method) else { return nil }
        let reader = WireReader(.object(notification.params))
        switch name {
        case .rotated: self = .rotated(try TokenSummary(reader))
        case .expiring: self = .expiring(try TokenSummary(reader))
        case .sessionChanged:
            // A change of a kind that this program does not know says only that there was one.
            let change = SessionChange(rawValue: try reader.string("change")) ?? .changed
            self = .sessionChanged(account: try reader.string("account"), change)
        }
    }

    /// The notification (JSON-RPC 2.0 §4.1), which has no answer.
    public var notification: JSONRPCRequest {
        switch self {
        case .rotated(let token):
            JSONRPCRequest(id: nil, method: Name.rotated.rawValue, params: token.json.object ?? [:])
        case .expiring(let token):
            JSONRPCRequest(id: nil, method: Name.expiring.rawValue, params: token.json.object ?? [:])
        case .sessionChanged(let account, let change):
            JSONRPCRequest(
                id: nil,
                method: Name.sessionChanged.rawValue,
                params: ["account": .string(account), "change": .string(change.rawValue)]
            )
        }
    }
}
