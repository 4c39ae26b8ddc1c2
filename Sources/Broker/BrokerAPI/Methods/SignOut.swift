public import FlowModel
public import OAuth

/// `session.signOut`: forgets one account of the caller, or all of them.
extension SignOutRequest: BrokerMethod {
    /// The answer: `{removed: {tokens, sessions, flows}, left}`.
    public typealias Answer = SignOutSummary

    /// Describes the method.
    public static let description = MethodDescription(
        "session.signOut",
        "Removes the tokens, sessions and flows of one account of the caller, or of all.",
        [Field("account", .id), Field("all", .boolean), Field("revoke", .boolean)],
        whileLocked: true,
        changesState: true,
        // A repetition finds nothing left to remove.
        isRepeatable: true,
        // Half a minute, since authorities are told, too.
        deadline: .seconds(30)
    )

    /// Reads checked parameters; exactly one of `account` and `all: true` must be there.
    public init(_ members: Members) throws(JSONRPCError) {
        guard members["revoke"] ?? true else {
            throw Members.invalid("revoke", Text("refusal.signOutRevokes"))
        }
        switch (members["account"] as String?, members["all"] ?? false) {
        case (let account?, false): self.init(.account(account))
        case (nil, true): self.init(.all)
        case (nil, false): throw Members.invalid("account", Text("refusal.accountOrAll"))
        case (_?, true): throw Members.invalid("all", Text("refusal.allBesideAccount"))
        }
    }

    /// The parameters as they are written.
    public var params: [String: JSONValue] {
        var object = ObjectBuilder()
        switch extent {
        case .account(let account): object.set("account", account)
        case .all: object.set("all", true)
        }
        return object.members
    }
}

extension SignOutSummary: WireValue {
    /// Reads an answer.
    public init(_ reader: WireReader) throws(UnreadableAnswer) {
        let removed = WireReader(try reader.one("removed"))
        self.init(
            tokens: try removed.one("tokens"),
            sessions: try removed.one("sessions"),
            flows: try removed.one("flows"),
            left: reader.value["left"]?.strings ?? []
        )
    }

    /// The answer as it is written.
    public var json: JSONValue {
        [
            "removed": [
                "tokens": .int(Int64(tokens)), "sessions": .int(Int64(sessions)), "flows": .int(Int64(flows)),
            ],
            "left": .array(left.map(JSONValue.string)),
        ]
    }
}
