public import FlowModel
public import OAuth

extension Invitation: WireValue {
    /// Reads an invitation.
    public init(_ reader: WireReader) throws(UnreadableAnswer) {
        self.init(email: try reader.string("email"), expiresAt: reader.value["expiresAt"]?.int ?? 0)
    }

    /// The invitation as it is written.
    public var json: JSONValue { ["email": .string(email), "expiresAt": .int(expiresAt)] }
}
