public import FlowModel
public import OAuth

extension SignOutRequest: BrokerMethod {
    /// The response: `{removed: {tokens, sessions, flows}, left}`.
    public typealias Answer = SignOutSummary

    /// The name, parameters, permission and limits of the method.
    public static let description = MethodDescription(
        "session.signOut",
        "Signs out one or all of the caller's accounts: removes tokens, sessions and flows.",
        [Field("account", .id), Field("all", .boolean), Field("revoke", .boolean)],
        whileLocked: true,
        changesState: true,
        // Repeating the call is safe, because the first call has already removed everything.
        isRepeatable: true,
        // Allow 30 seconds, because signing out also sends requests to external authorities.
        deadline: .seconds(30)
    )

    /// Creates a call from parameters, which must contain either `account` or `all: true`, but not both.
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

    /// The parameters of this call in JSON.
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
    /// Reads a response from JSON.
    public init(_ reader: WireReader) throws(UnreadableAnswer) {
        let removed = WireReader(try reader.one("removed"))
        self.init(
            tokens: try removed.one("tokens"),
            sessions: try removed.one("sessions"),
            flows: try removed.one("flows"),
            left: reader.value["left"]?.strings ?? []
        )
    }

    /// The response in JSON.
    public var json: JSONValue {
        [
            "removed": [
                "tokens": .int(Int64(tokens)), "sessions": .int(Int64(sessions)), "flows": .int(Int64(flows)),
            ],
            "left": .array(left.map(JSONValue.string)),
        ]
    }
}
