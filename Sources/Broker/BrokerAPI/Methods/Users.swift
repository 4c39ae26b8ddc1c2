public import FlowModel
public import OAuth

/// A method about one user, for operators only.
public protocol UserMethod: BrokerMethod {
    /// The object id, or a sign-in name.
    var user: String { get }

    /// A call about the user `user`.
    init(user: String)
}

extension UserMethod {
    /// The parameters.
    public static var fields: [Field] { [.requiredID("user")] }

    /// Reads checked parameters.
    public init(_ members: Members) throws(JSONRPCError) {
        self.init(user: try members.required("user"))
    }

    /// The parameters as they are written.
    public var params: [String: JSONValue] { ["user": .string(user)] }
}

/// `user.list`: the authority's users; operators only.
public struct UserList: BrokerMethod {
    /// Describes the method.
    public static let description = MethodDescription(
        "user.list",
        "Lists the users, by object id.",
        [.id("after"), .limit],
        answer: "users",
        for: .operators
    )

    /// The object id of the last user seen.
    public let after: String?
    /// The greatest number of users, at most 1000.
    public let limit: Int64?

    /// Asks for a page of users.
    public init(after: String? = nil, limit: Int64? = nil) {
        self.after = after
        self.limit = limit
    }

    /// Reads checked parameters.
    public init(_ members: Members) throws(JSONRPCError) {
        after = members.string("after")
        limit = members.int("limit")
    }

    /// The parameters as they are written.
    public var params: [String: JSONValue] {
        var object = ObjectBuilder()
        object.set("after", after)
        object.set("limit", limit)
        return object.members
    }

    /// The answer.
    public typealias Answer = [UserSummary]
}

/// `user.show`: one user; operators only.
public struct UserShow: UserMethod {
    /// The answer.
    public typealias Answer = UserSummary

    /// Describes the method.
    public static let description = MethodDescription(
        "user.show",
        "Shows a user, with attributes.",
        fields,
        answer: "user",
        for: .operators
    )

    /// The object id, or a sign-in name.
    public let user: String

    /// Asks for the user `user`.
    public init(user: String) {
        self.user = user
    }
}

/// `user.invite`: lets the holder of an address sign up with it; operators only.
public struct UserInvite: BrokerMethod {
    /// The answer.
    public typealias Answer = Invitation

    /// Describes the method.
    public static let description = MethodDescription(
        "user.invite",
        "Invites whoever has an address to sign up with it, and tells them by mail.",
        [.required("email", .string(3...256)), Field("days", .integer(1...365))],
        answer: "invitation",
        for: .operators,
        changesState: true
    )

    /// The address.
    public let email: String
    /// The days for which the invitation is open, 1 to 365.
    public let days: Int64?

    /// Invites the holder of `email`.
    public init(email: String, days: Int64? = nil) {
        self.email = email
        self.days = days
    }

    /// Reads checked parameters.
    public init(_ members: Members) throws(JSONRPCError) {
        email = try members.required("email")
        days = members.int("days")
    }

    /// The parameters as they are written.
    public var params: [String: JSONValue] {
        var object = ObjectBuilder()
        object.set("email", email)
        object.set("days", days)
        return object.members
    }
}

/// `user.disable`: keeps a user from signing in; operators only.
public struct UserDisable: BrokerMethod {
    /// The answer.
    public typealias Answer = UserSummary

    /// Describes the method.
    public static let description = MethodDescription(
        "user.disable",
        "Keeps a user from signing in and ends what is signed in; disabled: false lets the user in again.",
        [.requiredID("user"), Field("disabled", .boolean)],
        answer: "user",
        for: .operators,
        changesState: true
    )

    /// The object id, or a sign-in name.
    public let user: String
    /// True to keep the user from signing in; `false` allows it again.
    public let disabled: Bool

    /// Disables the user `user`, or enables it again.
    public init(user: String, disabled: Bool = true) {
        self.user = user
        self.disabled = disabled
    }

    /// Reads checked parameters.
    public init(_ members: Members) throws(JSONRPCError) {
        user = try members.required("user")
        disabled = members.bool("disabled") ?? true
    }

    /// The parameters as they are written.
    public var params: [String: JSONValue] {
        disabled ? ["user": .string(user)] : ["user": .string(user), "disabled": false]
    }
}

/// `user.unlock`: lifts the blocks on a user's attempts; operators only.
public struct UserUnlock: UserMethod {
    /// The answer.
    public typealias Answer = UserSummary

    /// Describes the method.
    public static let description = MethodDescription(
        "user.unlock",
        "Lifts the blocks on a user's attempts.",
        fields,
        answer: "user",
        for: .operators,
        changesState: true
    )

    /// The object id, or a sign-in name.
    public let user: String

    /// Unlocks the user `user`.
    public init(user: String) {
        self.user = user
    }
}

/// `user.expirePassword`: asks a user for another password at the next sign-in; operators only.
public struct UserExpirePassword: UserMethod {
    /// The answer.
    public typealias Answer = UserSummary

    /// Describes the method.
    public static let description = MethodDescription(
        "user.expirePassword",
        "Asks a user for another password at the next sign-in, and ends sessions and renewals.",
        fields,
        answer: "user",
        for: .operators,
        changesState: true
    )

    /// The object id, or a sign-in name.
    public let user: String

    /// Expires the password of the user `user`.
    public init(user: String) {
        self.user = user
    }
}

/// `user.delete`: deletes a user; operators only.
public struct UserDelete: UserMethod {
    /// The answer.
    public typealias Answer = Removal

    /// Describes the method.
    public static let description = MethodDescription(
        "user.delete",
        "Deletes a user, with sessions, flows and renewals.",
        fields,
        for: .operators,
        changesState: true
    )

    /// The object id, or a sign-in name.
    public let user: String

    /// Deletes the user `user`.
    public init(user: String) {
        self.user = user
    }
}

extension UserSummary: WireValue {
    /// Reads a user.
    public init(_ reader: WireReader) throws(UnreadableAnswer) {
        self.init(
            user: try reader.string("user"),
            signInNames: reader.value["signInNames"]?.strings ?? [],
            displayName: reader.value["displayName"]?.string ?? "",
            enabled: reader.value["enabled"]?.bool ?? true,
            createdAt: reader.value["createdAt"]?.int ?? 0
        )
        attributes = reader.value["attributes"]?.object
        sessions = reader.value["sessions"]?.int.map(Int.init)
        families = reader.value["families"]?.int.map(Int.init)
        groups = reader.value["groups"]?.strings
    }

    /// The user as it is written.
    public var json: JSONValue {
        var object = ObjectBuilder()
        object.set("user", user)
        object.set("signInNames", strings: signInNames)
        object.set("displayName", displayName)
        object.set("enabled", enabled)
        object.set("createdAt", createdAt)
        object.set("attributes", attributes.map(JSONValue.object))
        object.set("sessions", sessions.map(Int64.init))
        object.set("families", families.map(Int64.init))
        if let groups { object.set("groups", strings: groups) }
        return object.json
    }
}

extension Invitation: WireValue {
    /// Reads an invitation.
    public init(_ reader: WireReader) throws(UnreadableAnswer) {
        self.init(email: try reader.string("email"), expiresAt: reader.value["expiresAt"]?.int ?? 0)
    }

    /// The invitation as it is written.
    public var json: JSONValue { ["email": .string(email), "expiresAt": .int(expiresAt)] }
}

/// `{removed}`: the thing that was removed, as the call named it.
public struct Removal: WireValue, Hashable {
    /// The thing that was removed.
    public let removed: String

    /// Names the thing that was removed.
    public init(removed: String) {
        self.removed = removed
    }

    /// Reads an answer.
    public init(_ reader: WireReader) throws(UnreadableAnswer) {
        removed = try reader.string("removed")
    }

    /// The answer as it is written.
    public var json: JSONValue { ["removed": .string(removed)] }
}
